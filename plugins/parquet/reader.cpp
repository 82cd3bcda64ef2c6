/* reader.cpp -- reads Parquet files by Arrow's library (common/inputs/parquet_reader.h).
 *
 *   file    row group 1 of 3, row group 2, …   one at a time, in their order
 *   group   batches of up to 4,096 rows, all columns; of a column one page is in memory
 *   batch   messages of the Arrow stream, of up to 4 MiB
 *
 * All that Arrow takes for data comes from `Memory`, which refuses more than the limit. Then a
 * group's rest is read again in smaller batches, because rows may be large. What Arrow takes for
 * the metadata is bounded by their size.
 *
 * Parts may refer to any place of the file, so a damaged file may show itself late: the rows of
 * each group are counted, and pages with a checksum are checked. */
#include "common/inputs/parquet_reader.h"

#include <arrow/io/file.h>
#include <arrow/io/memory.h>
#include <arrow/ipc/writer.h>
#include <arrow/memory_pool.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <parquet/arrow/reader.h>
#include <parquet/file_reader.h>
#include <parquet/metadata.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <string>

#include "core/le.h"

namespace
{

constexpr int64_t kRows = 4096, kFewer = 16; /* of a batch; a smaller one has 1/16 */
constexpr int64_t kMessage = 4 << 20;        /* most bytes of a message with several rows */
constexpr int64_t kTail = 8;                 /* bytes of the metadata 4, "PAR1" */
constexpr int64_t kBuffers = 16 << 20;       /* bytes to read at once, of all columns */
constexpr int64_t kBuffer = 256 << 10, kLeast = 4096; /* … of a column: most, least */
constexpr int64_t kOfMetadata = 8;          /* a byte of metadata takes so many in memory */
constexpr int32_t kList = 1 << 18;          /* most elements of a list in the metadata */
constexpr int64_t kMost = (int64_t)8 << 30; /* twice the largest window */

/* Memory of Arrow, up to a limit. */
class Memory : public arrow::MemoryPool
{
  public:
    explicit Memory(int64_t limit) : limit_(limit) {}
    using MemoryPool::Allocate;
    using MemoryPool::Free;
    using MemoryPool::Reallocate;

    arrow::Status Allocate(int64_t size, int64_t alignment, uint8_t **out) override
    {
        ARROW_RETURN_NOT_OK(Room(size));
        ARROW_RETURN_NOT_OK(arrow::system_memory_pool()->Allocate(size, alignment, out));
        return Took(size, 0);
    }

    arrow::Status Reallocate(int64_t old_size, int64_t size, int64_t alignment,
                             uint8_t **ptr) override
    {
        ARROW_RETURN_NOT_OK(Room(size));
        ARROW_RETURN_NOT_OK(
            arrow::system_memory_pool()->Reallocate(old_size, size, alignment, ptr));
        return Took(size, old_size);
    }

    void Free(uint8_t *buffer, int64_t size, int64_t alignment) override
    {
        arrow::system_memory_pool()->Free(buffer, size, alignment);
        held_ -= size;
    }

    int64_t bytes_allocated() const override { return held_; }
    int64_t max_memory() const override { return most_; }
    int64_t total_bytes_allocated() const override { return all_; }
    int64_t num_allocations() const override { return count_; }
    std::string backend_name() const override { return "leat"; }

    /* Refuses more than the limit. A buffer that grows is in memory twice for a moment. */
    arrow::Status Room(int64_t size)
    {
        if (size >= 0 && size <= limit_ - held_) return arrow::Status::OK();
        wanted = size < 0 || size > INT64_MAX - held_ ? INT64_MAX : held_ + size;
        return arrow::Status::OutOfMemory("the memory allowed is used up");
    }

    int64_t wanted = 0; /* bytes that did not fit; 0: all did */

  private:
    arrow::Status Took(int64_t size, int64_t instead_of)
    {
        held_ += size - instead_of;
        most_ = std::max(most_, held_);
        all_ += size;
        count_++;
        return arrow::Status::OK();
    }

    int64_t limit_, held_ = 0, most_ = 0, all_ = 0, count_ = 0;
};

struct File {
    File(int descriptor, int64_t limit) : fd(descriptor), memory(limit) {}
    int fd;
    Memory memory; /* of all that follows */
    int64_t size = 0;
    std::unique_ptr<parquet::arrow::FileReader> reader;
    std::shared_ptr<parquet::FileMetaData> metadata;
    std::shared_ptr<arrow::io::BufferOutputStream> sink;
    std::shared_ptr<arrow::ipc::RecordBatchWriter> stream;
    std::shared_ptr<arrow::Buffer> part; /* bytes of the stream that the caller has */
    bool ended = false;

    int group = 0;
    int64_t before = 4;                             /* bytes of the file before the group */
    int64_t made = 0;                               /* rows of the group that are in parts */
    std::unique_ptr<arrow::RecordBatchReader> rows; /* of the group; NULL if it must be opened */
    int64_t read = 0;                               /* rows of the group that `rows` has read */
    int64_t batch_rows = kRows;
    std::shared_ptr<arrow::RecordBatch> batch;
    int64_t batch_at = 0; /* first row of the batch that is in no part */
};

/* ---- the file ---- */

/* Checks the end of the file, and the size of the metadata. */
arrow::Status CheckEnd(File &f)
{
    struct stat st;
    uint8_t tail[kTail] = {0};
    if (fstat(f.fd, &st)) return arrow::Status::IOError(strerror(errno));
    f.size = st.st_size;
    if (f.size < 4 + kTail || pread(f.fd, tail, kTail, f.size - kTail) != kTail ||
        (memcmp(tail + 4, "PAR1", 4) != 0 && memcmp(tail + 4, "PARE", 4) != 0))
        return arrow::Status::Invalid("it does not end in PAR1, so its end is missing");
    const int64_t bytes = (int64_t)le_get32(tail);
    if (bytes > f.size - 4 - kTail)
        return arrow::Status::Invalid("its metadata have more bytes than the file");
    return f.memory.Room(kOfMetadata * bytes);
}

parquet::ReaderProperties Properties(File &f, int columns)
{
    parquet::ReaderProperties p(&f.memory);
    p.enable_buffered_stream();
    p.set_buffer_size(std::clamp(kBuffers / std::max(columns, 1), kLeast, kBuffer));
    p.set_thrift_container_size_limit(kList);
    p.set_page_checksum_verification(true);
    return p;
}

/* Reads the metadata, then opens the file with buffers for this number of columns. */
arrow::Status OpenFile(File &f)
{
    ARROW_RETURN_NOT_OK(CheckEnd(f));
    const int own = dup(f.fd); /* `file` closes it */
    if (own < 0) return arrow::Status::IOError(strerror(errno));
    ARROW_ASSIGN_OR_RAISE(auto file, arrow::io::ReadableFile::Open(own, &f.memory));
    f.metadata = parquet::ParquetFileReader::Open(file, Properties(f, 1))->metadata();
    if (f.metadata->is_encryption_algorithm_set())
        return arrow::Status::NotImplemented(
            "it has encrypted columns: write it without encryption");
    if (!f.metadata->num_columns()) return arrow::Status::NotImplemented("it has no columns");
    parquet::arrow::FileReaderBuilder builder;
    parquet::ArrowReaderProperties how(false /* threads */);
    how.set_pre_buffer(false);
    how.set_arrow_extensions_enabled(true); /* UUIDs */
    /* Days after 2262, a usual mark of "never", have too many nanoseconds for 64 bits. */
    how.set_coerce_int96_timestamp_unit(arrow::TimeUnit::MICRO);
    ARROW_RETURN_NOT_OK(builder.Open(file, Properties(f, f.metadata->num_columns()), f.metadata));
    builder.memory_pool(&f.memory)->properties(how);
    return builder.Build(&f.reader);
}

arrow::ipc::IpcWriteOptions Options(File &f)
{
    arrow::ipc::IpcWriteOptions options = arrow::ipc::IpcWriteOptions::Defaults();
    options.memory_pool = &f.memory;
    options.use_threads = false;
    return options;
}

/* Begins the stream. Its schema is written with the first batch, or at the end. */
arrow::Status BeginStream(File &f)
{
    std::shared_ptr<arrow::Schema> schema;
    ARROW_RETURN_NOT_OK(f.reader->GetSchema(&schema));
    ARROW_ASSIGN_OR_RAISE(f.sink, arrow::io::BufferOutputStream::Create(0, &f.memory));
    return arrow::ipc::MakeStreamWriter(f.sink, schema, Options(f)).Value(&f.stream);
}

/* ---- rows ---- */

/* Opens the group anew. */
arrow::Status OpenGroup(File &f)
{
    f.batch.reset();
    f.read = 0;
    f.reader->set_batch_size(f.batch_rows);
    return f.reader->GetRecordBatchReader({f.group}).Value(&f.rows);
}

/* Goes to the next group. Fails if this one had not as many rows as the metadata say. */
arrow::Status LeaveGroup(File &f)
{
    const auto group = f.metadata->RowGroup(f.group);
    if (f.read != group->num_rows())
        return arrow::Status::Invalid("it has ", f.read, " rows, and its metadata tell ",
                                      group->num_rows());
    f.before = std::min(f.size, f.before + std::max<int64_t>(group->total_compressed_size(), 0));
    f.rows.reset();
    f.made = 0;
    f.group++;
    return arrow::Status::OK();
}

/* Reads the next batch of the group, and passes over rows that are in parts already. */
arrow::Status ReadBatch(File &f)
{
    if (!f.rows) ARROW_RETURN_NOT_OK(OpenGroup(f));
    f.batch.reset();
    ARROW_RETURN_NOT_OK(f.rows->ReadNext(&f.batch));
    if (!f.batch) return LeaveGroup(f);
    f.batch_at = std::clamp<int64_t>(f.made - f.read, 0, f.batch->num_rows());
    f.read += f.batch->num_rows();
    return arrow::Status::OK();
}

/* Writes rows of the batch, half of them while their message is too large. */
arrow::Status WriteRows(File &f)
{
    int64_t bytes, n = f.batch->num_rows() - f.batch_at;
    auto some = f.batch->Slice(f.batch_at, n);
    for (;; some = f.batch->Slice(f.batch_at, n)) {
        ARROW_RETURN_NOT_OK(arrow::ipc::GetRecordBatchSize(*some, Options(f), &bytes));
        if (bytes <= kMessage || n == 1) break;
        n /= 2;
    }
    ARROW_RETURN_NOT_OK(f.stream->WriteRecordBatch(*some));
    f.batch_at += n;
    f.made += n;
    return arrow::Status::OK();
}

/* Begins the group's rest again, with smaller batches. Returns false if they have one row. */
bool ReadFewer(File &f)
{
    if (!f.memory.wanted || f.batch_rows == 1) return false;
    f.batch_rows = std::max<int64_t>(1, f.batch_rows / kFewer);
    f.memory.wanted = 0;
    f.batch.reset();
    f.rows.reset();
    return true;
}

/* ---- parts of the stream ---- */

/* Runs a step, whose exceptions become a status. */
template <typename Step> arrow::Status Try(File &f, Step step)
{
    try {
        return step(f);
    } catch (const std::bad_alloc &) {
        return f.memory.Room(INT64_MAX);
    } catch (const std::exception &e) {
        return arrow::Status::Invalid(e.what());
    } catch (...) {
        return arrow::Status::Invalid("an unknown exception");
    }
}

/* Writes a part of the stream: rows, or its end. */
arrow::Status MakePart(File &f)
{
    if (!f.reader) ARROW_RETURN_NOT_OK(OpenFile(f));
    if (!f.stream) ARROW_RETURN_NOT_OK(BeginStream(f));
    f.part.reset();
    ARROW_RETURN_NOT_OK(f.sink->Reset(0, &f.memory));
    while (!f.batch || f.batch_at == f.batch->num_rows()) {
        if (f.group == f.metadata->num_row_groups()) {
            f.ended = true;
            ARROW_RETURN_NOT_OK(f.stream->Close());
            return f.sink->Finish().Value(&f.part);
        }
        arrow::Status s = Try(f, ReadBatch);
        if (!s.ok() && !ReadFewer(f)) return s;
    }
    ARROW_RETURN_NOT_OK(WriteRows(f));
    return f.sink->Finish().Value(&f.part);
}

/* Returns the bytes of the file that the rows so far take, if all rows of a group take the same. */
int64_t Place(File &f)
{
    if (!f.stream) return 0;
    if (f.group == f.metadata->num_row_groups()) return f.size;
    const auto group = f.metadata->RowGroup(f.group);
    const double bytes = (double)std::max<int64_t>(group->total_compressed_size(), 0);
    const double rows = (double)std::max<int64_t>(group->num_rows(), 1);
    return std::min(f.size, f.before + (int64_t)(bytes * ((double)f.made / rows)));
}

/* True if the file may be right, and has what Arrow does not read. */
bool IsUnknown(const arrow::Status &s)
{
    static const char *const words[] = {
        "not supported",
        "unsupported",
        "Unsupported",
        "Not yet",
        "not built",
        "NotImplemented",
        "Expected all lists to be of size" /* older libraries: null lists of a fixed size */};
    bool unknown = s.IsNotImplemented();
    for (const char *word : words)
        unknown |= s.message().find(word) != std::string::npos;
    return unknown;
}

/* Writes the reason, in one line. */
void Explain(const File &f, const arrow::Status &s, char why[PARQUET_WHY])
{
    std::string text = s.message(), where;
    if (f.stream && f.group < f.metadata->num_row_groups())
        where = "row group " + std::to_string(f.group + 1) + " of " +
                std::to_string(f.metadata->num_row_groups()) + ": ";
    while (!text.empty() && (text.back() == '\n' || text.back() == '.'))
        text.pop_back();
    for (char &c : text)
        if ((unsigned char)c < ' ') c = ' ';
    snprintf(why, PARQUET_WHY, "%s%s", where.c_str(), text.c_str());
}

enum parquet_status Failed(File &f, const arrow::Status &s, struct parquet_part *part)
{
    const int64_t wanted = f.memory.wanted;
    part->asked = (uint64_t)wanted;
    if (wanted && wanted <= kMost) return PARQUET_LARGE;
    Explain(f, s, part->why);
    return !wanted && IsUnknown(s) ? PARQUET_REFUSED : PARQUET_DAMAGED;
}

void *Begin(int fd, uint64_t memory) { return new (std::nothrow) File(fd, (int64_t)memory); }

enum parquet_status Next(void *file, struct parquet_part *part)
{
    File &f = *static_cast<File *>(file);
    *part = {};
    if (!f.ended) {
        arrow::Status s = Try(f, MakePart);
        part->at = (uint64_t)Place(f);
        if (!s.ok()) return Failed(f, s, part);
        part->bytes = f.part->data();
        part->n = (size_t)f.part->size();
        return PARQUET_BYTES;
    }
    part->at = (uint64_t)f.size;
    return PARQUET_END;
}

void End(void *file) { delete static_cast<File *>(file); }

} // namespace

extern "C" __attribute__((visibility("default"))) const struct parquet_reader leat_parquet_reader;
const struct parquet_reader leat_parquet_reader = {PARQUET_READER_VERSION, Begin, Next, End};
