/* shuffle.c -- implementation of shuffle.h. */
#include "shuffle.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "header.h"
#include "kernels/base/permuted.h"
#include "records.h"
#include "rotate.h"

/* The two highest bits of an entry's offset: its enum records_kind, or END for the end of a
 * file. */
enum { END = RECORDS_LONG + 1, KIND_SHIFT = 62, COUNT_BYTES = 32 << 10, LONG_HEAD = 256 };
static const char shuffle_changed[] =
    "the files have changed since the snapshot was made, and the order of a shuffled file is that "
    "of all its records: leave out shuffle, or begin with another --state";
#define PLACE ((UINT64_C(1) << KIND_SHIFT) - 1)

/* ---- counting ---- */

/* Returns an upper bound of the entries for a file; 0 if it is not a file that can be read. */
static uint64_t shuffle_count(const char *path)
{
    char text[COUNT_BYTES];
    struct stat st;
    uint64_t entries = 2; /* a last line without its end, and the end of the file */
    ssize_t n;
    if (stat(path, &st) || !S_ISREG(st.st_mode)) return 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return 0;
    while ((n = read(fd, text, sizeof text)) > 0)
        for (const char *p = text, *end = text + n; (p = memchr(p, '\n', (size_t)(end - p))); p++)
            entries++;
    close(fd);
    return entries;
}

uint64_t shuffle_bytes(const struct leat_strings *paths, uint64_t *records)
{
    *records = 0;
    for (uint32_t i = 0; i < paths->n; i++) {
        glob_t found = {0};
        bool many = access(paths->v[i], F_OK) && !glob(paths->v[i], 0, NULL, &found);
        for (size_t k = 0; k < (many ? found.gl_pathc : 1); k++)
            *records += shuffle_count(many ? found.gl_pathv[k] : paths->v[i]);
        if (many) globfree(&found);
    }
    return *records * (sizeof(uint64_t) + sizeof(uint32_t)) + SHUFFLE_FILES * sizeof(int);
}

/* ---- open and close ---- */

static int shuffle_open(struct leat_ctx *ctx, struct reader *r, uint32_t input)
{
    const struct input *in = &r->inputs.v[input];
    int fd = r->shuffle.fd[input] = open(in->path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return ctx->host->fail(ctx, LEAT_EIO, "cannot read %s: %s", in->name, strerror(errno));
    const char *coding = rotate_coding(fd, in->path);
    if (coding)
        return ctx->host->fail(
            ctx, LEAT_EDATA,
            "%s is compressed or binary (%s), and shuffle reads records from any "
            "place of a file: write it as text first, or leave out shuffle",
            in->name, coding);
    r->shuffle.cap += shuffle_count(in->path);
    return LEAT_OK;
}

int shuffle_init(struct leat_ctx *ctx, struct reader *r, uint32_t passes)
{
    struct shuffle *s = &r->shuffle;
    uint32_t n = r->inputs.n;
    int status = LEAT_OK;
    if (r->inputs.pipe)
        return ctx->host->fail(ctx, LEAT_EARG,
                               "%s can be read only once, and shuffle reads a file twice: save it "
                               "as a file, or leave out shuffle",
                               r->inputs.pipe);
    if (n > SHUFFLE_FILES)
        return ctx->host->fail(ctx, LEAT_EARG,
                               "shuffle takes at most %d files, and there are %u: join them into "
                               "fewer",
                               SHUFFLE_FILES, (unsigned)n);
    if (!(s->fd = ctx->host->alloc(ctx, SHUFFLE_FILES * sizeof *s->fd))) return LEAT_ENOMEM;
    memset(s->fd, -1, SHUFFLE_FILES * sizeof *s->fd);
    for (uint32_t i = 0; i < n && status == LEAT_OK; i++)
        status = shuffle_open(ctx, r, i);
    if (status != LEAT_OK) return status;
    s->passes = passes;
    s->key = ctx->host->seed(ctx);
    s->offset = ctx->host->alloc(ctx, s->cap * sizeof *s->offset);
    s->line = ctx->host->alloc(ctx, s->cap * sizeof *s->line);
    return s->offset && s->line ? LEAT_OK : LEAT_ENOMEM;
}

void shuffle_fini(struct leat_ctx *ctx, struct reader *r)
{
    struct shuffle *s = &r->shuffle;
    for (uint32_t i = 0; s->fd && i < SHUFFLE_FILES; i++)
        if (s->fd[i] >= 0) close(s->fd[i]);
    ctx->host->free(ctx, s->fd);
    ctx->host->free(ctx, s->offset);
    ctx->host->free(ctx, s->line);
    *s = (struct shuffle){.n = 0};
}

/* ---- the index ---- */

static bool shuffle_add(void *reader, uint64_t offset, uint64_t line, enum records_kind kind)
{
    struct reader *r = reader;
    struct shuffle *s = &r->shuffle;
    const struct input *in = &r->inputs.v[r->input];
    uint64_t after = r->input + 1 < r->inputs.n ? in[1].before : r->inputs.bytes;
    if (s->n == s->cap || offset > after - in->before) return false;
    s->offset[s->n] = (in->before + offset) | (uint64_t)kind << KIND_SHIFT;
    s->line[s->n++] = line < UINT32_MAX ? (uint32_t)line : UINT32_MAX;
    return true;
}

/* Adds the entry for the end of the input, if the window has its last text. */
static enum reader_step shuffle_more(struct leat_ctx *ctx, struct reader *r)
{
    bool ends = r->state != READER_BETWEEN && r->tail == TAIL_LAST;
    if (ends && !shuffle_add(r, r->offset, r->line, (enum records_kind)END))
        return reader_fail(r, LEAT_EDATA, RECORDS_GREW, reader_name(r, r->input));
    return ctx->host->stopping(ctx) ? STEP_STOPPED : reader_more_text(ctx, r, true);
}

static enum reader_step shuffle_step(struct leat_ctx *ctx, struct reader *r)
{
    if (r->state == READER_BETWEEN) return STEP_MORE;
    if (r->state == READER_MARK) return records_skip_mark(ctx, r);
    if (r->state == READER_HEADER) return header_take(ctx, r);
    return records_pass(ctx, r, shuffle_add, r);
}

static enum reader_step shuffle_index(struct leat_ctx *ctx, struct reader *r)
{
    struct shuffle *s = &r->shuffle;
    enum reader_step step = STEP_ON;
    while (step == STEP_ON || step == STEP_MORE)
        step = step == STEP_ON ? shuffle_step(ctx, r) : shuffle_more(ctx, r);
    if (step != STEP_DONE) return step;
    s->ready = true;
    if (!s->expected || s->expected == s->n) return STEP_ON;
    return reader_fail(r, LEAT_EDATA, "%s", shuffle_changed);
}

/* ---- records ---- */

static uint32_t shuffle_input(const struct reader *r, uint64_t place)
{
    uint32_t low = 0, high = r->inputs.n;
    while (high - low > 1) {
        uint32_t middle = (low + high) / 2;
        if (r->inputs.v[middle].before <= place)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Record of an entry: its place, and its bytes with the line end. */
struct shuffled {
    uint64_t place, bytes, line;
    uint32_t input;
    enum records_kind kind;
};

static struct shuffled shuffled_at(const struct reader *r, uint64_t k)
{
    const struct shuffle *s = &r->shuffle;
    struct shuffled x = {.place = s->offset[k] & PLACE,
                         .line = s->line[k],
                         .kind = (enum records_kind)(s->offset[k] >> KIND_SHIFT)};
    if ((int)x.kind == END) return x;
    x.bytes = (s->offset[k + 1] & PLACE) - x.place;
    x.input = shuffle_input(r, x.place);
    return x;
}

/* Reads n bytes at a place. Stores a failure if the file has fewer bytes now. */
static bool shuffle_text(struct reader *r, const struct shuffled *x, uint64_t from, char *to,
                         size_t n)
{
    uint64_t at = x->place - r->inputs.v[x->input].before + from;
    for (size_t have = 0; have < n;) {
        ssize_t got = pread(r->shuffle.fd[x->input], to + have, n - have, (off_t)(at + have));
        if (got <= 0) {
            reader_fail(r, LEAT_EIO, "cannot read %s: %s, at byte %llu", reader_name(r, x->input),
                        got ? strerror(errno) : "it is shorter now",
                        (unsigned long long)(at + have));
            return false;
        }
        have += (size_t)got;
    }
    return true;
}

/* Returns the length of text[0, n) without its line end. `whole`: the text has its line end, if the
 * record has one. */
static uint32_t without_line_end(const char *text, size_t n, bool whole)
{
    if (whole && n && text[n - 1] == '\n') n--;
    return (uint32_t)(n && text[n - 1] == '\r' ? n - 1 : n);
}

static void shuffle_reject(struct leat_ctx *ctx, struct reader *r, struct leat_batch *b,
                           const struct shuffled *x, uint32_t record)
{
    char end[2];
    if (x->kind == RECORDS_QUOTE) records_reject_quote(ctx, b, record);
    if (x->kind != RECORDS_LONG || !shuffle_text(r, x, x->bytes - sizeof end, end, sizeof end))
        return;
    uint64_t len = x->bytes - sizeof end + without_line_end(end, sizeof end, true);
    records_reject_long(ctx, b, record, false, len, r->max_record);
}

/* Adds the record to the batch. A line end that does not fit is left out. */
static enum reader_step shuffle_put(struct leat_ctx *ctx, struct reader *r, struct leat_batch *b,
                                    const struct shuffled *x)
{
    size_t n = x->bytes, free = b->cap_bytes - b->n_bytes;
    if (x->kind == RECORDS_LONG) n = LONG_HEAD;
    if (b->n == b->cap || (b->n && b->n_bytes + n > b->fill_bytes)) return STEP_FULL;
    bool whole = n <= free && x->kind != RECORDS_LONG;
    if (n > free) n = free;
    uint32_t off = b->n_bytes;
    if (!shuffle_text(r, x, 0, b->bytes + off, n)) return STEP_FAILED;
    uint32_t len =
        x->kind == RECORDS_LONG ? (uint32_t)n : without_line_end(b->bytes + off, n, whole);
    int k =
        leat_add_record_at(b, off, len, x->input, x->place - r->inputs.v[x->input].before, x->line);
    if (k < 0) return STEP_FULL;
    b->n_bytes += (uint32_t)n;
    shuffle_reject(ctx, r, b, x, (uint32_t)k);
    return r->failure ? STEP_FAILED : STEP_ON;
}

static void shuffle_note_done(struct reader *r)
{
    const struct shuffle *s = &r->shuffle;
    double share = s->n ? (double)s->next / (double)s->n : 1;
    atomic_store_explicit(&r->done, (uint64_t)(share * (double)r->inputs.bytes),
                          memory_order_relaxed);
}

enum reader_step shuffle_take(struct leat_ctx *ctx, struct reader *r, struct leat_batch *b)
{
    struct shuffle *s = &r->shuffle;
    enum reader_step step = s->ready ? STEP_ON : shuffle_index(ctx, r);
    while (step == STEP_ON) {
        if (s->next == s->n * s->passes) {
            step = STEP_DONE;
            break;
        }
        uint64_t pass = s->next / s->n;
        struct shuffled x = shuffled_at(r, permuted_at(s->next % s->n, s->n, s->key + pass));
        if ((int)x.kind != END) step = shuffle_put(ctx, r, b, &x);
        s->next += step == STEP_ON;
    }
    if (s->ready) shuffle_note_done(r);
    return step;
}

/* ---- snapshots ---- */

int shuffle_write(const struct reader *r, struct leat_writer *w)
{
    const struct shuffle *s = &r->shuffle;
    int status = w->u64(w, "shuffled", s->next);
    if (status == LEAT_OK) status = w->u64(w, "entries", s->ready ? s->n : s->expected);
    if (status == LEAT_OK) status = w->u64(w, "passes", s->passes);
    return status == LEAT_OK ? w->u64(w, "bytes", r->inputs.bytes) : status;
}

int shuffle_read(struct reader *r, struct leat_reader *from)
{
    struct shuffle *s = &r->shuffle;
    uint64_t next, entries, bytes;
    int status = from->u64(from, "shuffled", &next);
    if (status == LEAT_OK) status = from->u64(from, "entries", &entries);
    if (status == LEAT_OK) status = from->same_u64(from, "passes", s->passes);
    if (status == LEAT_OK) status = from->u64(from, "bytes", &bytes);
    if (status != LEAT_OK) return status;
    if (bytes != r->inputs.bytes) return from->refuse(from, "%s", shuffle_changed);
    if (entries > s->cap || next > entries * s->passes)
        return from->refuse(from, "shuffled is %llu of %llu entries", (unsigned long long)next,
                            (unsigned long long)entries);
    s->next = next;
    s->expected = entries;
    return LEAT_OK;
}
