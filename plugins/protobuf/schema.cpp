/* schema.cpp -- schemas of message.h, with libprotobuf. */
#include "message.h"

#ifndef LEAT_NO_PROTOBUF

#include <cstdio>
#include <algorithm>
#include <string>
#include <unordered_map>

#include <google/protobuf/compiler/importer.h>
#include <google/protobuf/compiler/parser.h>
#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/descriptor_database.h>
#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include "descriptors.h"

namespace pb = google::protobuf;
using Type = pb::Descriptor;

/* Most bytes of a file with a schema. */
enum { FILE_BYTES = 8 << 20 };

const char *protobuf_library(void)
{
    static const std::string version = pb::internal::VersionString(GOOGLE_PROTOBUF_VERSION);
    return version.c_str();
}

namespace
{

/* Keeps the first fault that a parser or a pool reports. */
class Faults : public pb::compiler::MultiFileErrorCollector,
               public pb::io::ErrorCollector,
               public pb::DescriptorPool::ErrorCollector
{
  public:
    std::string first;

    void AddError(const std::string &file, int line, int, const std::string &text) override
    {
        note(file + ":" + std::to_string(line + 1) + ": " + text);
    }
    void AddError(int line, pb::io::ColumnNumber, const std::string &text) override
    {
        note("line " + std::to_string(line + 1) + ": " + text);
    }
    void AddError(const std::string &file, const std::string &element, const pb::Message *,
                  ErrorLocation, const std::string &text) override
    {
        note(file + ": " + element + ": " + text);
    }

  private:
    void note(const std::string &text)
    {
        if (first.empty()) first = text;
    }
};

/* The files that libprotobuf itself has: google/protobuf/timestamp.proto and its like. Nobody sends
 * them, and nobody may send others in their place. */
pb::DescriptorDatabase *own_files()
{
    (void)pb::FileDescriptorSet::descriptor();
    static pb::DescriptorPoolDatabase database(*pb::DescriptorPool::generated_pool());
    return &database;
}

/* Bytes of a text in base64. Returns false if it is none. */
bool decode_base64(const char *text, size_t n, std::string *out)
{
    uint32_t bits = 0;
    int have = 0;
    for (size_t i = 0; i < n && text[i] != '='; i++) {
        const char c = text[i];
        const int digit = c >= 'A' && c <= 'Z'   ? c - 'A'
                          : c >= 'a' && c <= 'z' ? c - 'a' + 26
                          : c >= '0' && c <= '9' ? c - '0' + 52
                          : c == '+'             ? 62
                          : c == '/'             ? 63
                                                 : -1;
        if (digit < 0) return false;
        bits = bits << 6 | static_cast<uint32_t>(digit);
        if ((have += 6) < 8) continue;
        have -= 8;
        out->push_back(static_cast<char>(bits >> have & 0xff));
    }
    return !out->empty();
}

/* Parses the text of a .proto file. */
bool parse_proto(const char *text, size_t n, Faults *faults, pb::FileDescriptorProto *file)
{
    pb::io::ArrayInputStream stream(text, static_cast<int>(n));
    pb::io::Tokenizer tokenizer(&stream, faults);
    pb::compiler::Parser parser;
    parser.RecordErrorsTo(faults);
    return parser.Parse(&tokenizer, file) && faults->first.empty();
}

/* Reads one file of a registry. */
bool read_file(const protobuf_file &from, Faults *faults, pb::FileDescriptorProto *file)
{
    std::string bytes;
    bool serialized = decode_base64(from.text, from.n, &bytes) && file->ParseFromString(bytes);
    if (!serialized) {
        file->Clear();
        if (!parse_proto(from.text, from.n, faults, file)) return false;
    }
    if (*from.name) file->set_name(from.name);
    if (file->name().empty()) file->set_name("schema.proto");
    return true;
}

bool read_whole(const char *path, std::string *text)
{
    FILE *f = fopen(path, "r");
    if (!f) return false;
    text->resize(FILE_BYTES);
    text->resize(fread(&(*text)[0], 1, FILE_BYTES, f));
    bool good = !ferror(f) && text->size() < FILE_BYTES;
    fclose(f);
    return good;
}

} // namespace

/* The members are freed in the opposite order. */
struct protobuf_schema {
    Faults faults;
    pb::SimpleDescriptorDatabase files;
    pb::compiler::DiskSourceTree tree;
    std::unique_ptr<pb::compiler::SourceTreeDescriptorDatabase> sources;
    std::unique_ptr<pb::MergedDescriptorDatabase> merged;
    std::unique_ptr<pb::DescriptorPool> pool;
    std::unique_ptr<pb::DynamicMessageFactory> factory;
    const pb::FileDescriptor *main = nullptr;
    std::unordered_map<const Type *, std::unique_ptr<protobuf_type>> types;

    /* Links the files. Returns false if one is missing or wrong. */
    bool link(pb::DescriptorDatabase *database, const std::string &last)
    {
        merged.reset(new pb::MergedDescriptorDatabase(own_files(), database));
        pool.reset(new pb::DescriptorPool(merged.get(), &faults));
        factory.reset(new pb::DynamicMessageFactory(pool.get()));
        main = pool->FindFileByName(last);
        return main != nullptr;
    }

    std::vector<const Type *> sorted; /* all messages of `main` by name, once they are needed */

    protobuf_type *type_of(const Type *type)
    {
        if (!type || type->options().map_entry()) return nullptr;
        std::unique_ptr<protobuf_type> &slot = types[type];
        if (!slot) {
            slot.reset(new protobuf_type);
            slot->type = type;
            slot->message.reset(factory->GetPrototype(type)->New());
        }
        return slot.get();
    }
};

namespace
{

protobuf_schema *schema_or_why(std::unique_ptr<protobuf_schema> s, bool good, const char *or_else,
                               char *why, size_t cap)
{
    if (good) return s.release();
    const std::string &fault = s->faults.first;
    snprintf(why, cap, "%s", fault.empty() ? or_else : fault.c_str());
    return nullptr;
}

bool open_proto(protobuf_schema *s, const std::string &path)
{
    size_t slash = path.rfind('/');
    s->tree.MapPath("", slash == std::string::npos ? "." : path.substr(0, slash + 1));
    s->sources.reset(new pb::compiler::SourceTreeDescriptorDatabase(&s->tree, own_files()));
    s->sources->RecordErrorsTo(&s->faults);
    return s->link(s->sources.get(), slash == std::string::npos ? path : path.substr(slash + 1));
}

bool open_set(protobuf_schema *s, const std::string &bytes)
{
    pb::FileDescriptorSet set;
    if (!set.ParseFromString(bytes) || !set.file_size()) return false;
    for (const pb::FileDescriptorProto &file : set.file())
        if (!s->files.Add(file)) return false;
    return s->link(&s->files, set.file(set.file_size() - 1).name());
}

} // namespace

struct protobuf_schema *protobuf_schema_open(const char *path, char *why, size_t cap)
{
    std::unique_ptr<protobuf_schema> s(new protobuf_schema);
    const std::string name(path);
    std::string bytes;
    pb::SetLogHandler(nullptr);
    if (!read_whole(path, &bytes)) {
        snprintf(why, cap, "it cannot be read, or is too long for a schema");
        return nullptr;
    }
    bool proto = name.size() > 6 && name.compare(name.size() - 6, 6, ".proto") == 0;
    bool good = proto ? open_proto(s.get(), name) : open_set(s.get(), bytes);
    return schema_or_why(std::move(s), good,
                         "it is neither a .proto file nor a set of descriptors (protoc "
                         "--descriptor_set_out --include_imports)",
                         why, cap);
}

struct protobuf_schema *protobuf_schema_of(const struct protobuf_file *files, uint32_t n, char *why,
                                           size_t cap)
{
    std::unique_ptr<protobuf_schema> s(new protobuf_schema);
    std::string last;
    bool good = true;
    pb::SetLogHandler(nullptr);
    for (uint32_t i = 0; good && i < n; i++) {
        pb::FileDescriptorProto file;
        good = read_file(files[i], &s->faults, &file) && s->files.Add(file);
        last = file.name();
    }
    good = good && s->link(&s->files, last);
    return schema_or_why(std::move(s), good, "its files do not fit together", why, cap);
}

void protobuf_schema_free(struct protobuf_schema *s) { delete s; }

struct protobuf_type *protobuf_type_named(struct protobuf_schema *s, const char *name, size_t n)
{
    return s->type_of(s->pool->FindMessageTypeByName(std::string(name, n)));
}

struct protobuf_type *protobuf_type_short(struct protobuf_schema *s, const char *name, size_t n)
{
    const Type *type = s->main->FindMessageTypeByName(std::string(name, n));
    return type ? s->type_of(type) : protobuf_type_named(s, name, n);
}

struct protobuf_type *protobuf_type_at(struct protobuf_schema *s, const int64_t *index, uint32_t n,
                                       bool entries)
{
    const Type *type = nullptr;
    for (uint32_t i = 0; i < n; i++) {
        const Type *in = type;
        int64_t left = index[i];
        int count = in ? in->nested_type_count() : s->main->message_type_count();
        type = nullptr;
        for (int k = 0; k < count && left >= 0 && !type; k++) {
            const Type *next = in ? in->nested_type(k) : s->main->message_type(k);
            if (!entries && next->options().map_entry()) continue;
            if (!left--) type = next;
        }
        if (!type) return nullptr;
    }
    return s->type_of(type);
}

static void add_nested(const Type *type, std::vector<const Type *> *all)
{
    all->push_back(type);
    for (int i = 0; i < type->nested_type_count(); i++)
        add_nested(type->nested_type(i), all);
}

struct protobuf_type *protobuf_type_sorted(struct protobuf_schema *s, uint64_t place)
{
    std::vector<const Type *> &all = s->sorted;
    if (all.empty()) {
        for (int i = 0; i < s->main->message_type_count(); i++)
            add_nested(s->main->message_type(i), &all);
        std::sort(all.begin(), all.end(),
                  [](const Type *a, const Type *b) { return a->full_name() < b->full_name(); });
    }
    return place < all.size() ? s->type_of(all[place]) : nullptr;
}

const char *protobuf_type_name(const struct protobuf_type *t)
{
    return t->type->full_name().c_str();
}

#endif
