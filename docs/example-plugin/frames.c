/* frames.c -- source.frames: records of a binary file that has each behind its length and a sum.
 *
 *   file     "FRAMES01", then frames
 *   frame    length (4 bytes), sum (4 bytes), payload; numbers are little-endian
 *   sum      of all bytes b: sum = sum * 31 + b, from 0, modulo 2^32
 *
 * A source that cuts its records itself: each is a message with a number, and the state says where
 * the next one begins, and which number it has. */
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include <leat/plugin.h>

enum { MAGIC = 8, HEAD = 8, PAYLOAD_MAX = 65536 };

struct cfg {
    const char *path;
};

static const struct leat_param params[] = {
    LEAT_PARAM(struct cfg, path, LEAT_STRING,
               .flags = LEAT_REQUIRED | LEAT_POSITIONAL | LEAT_READS_FILE,
               .doc = "the file to read"),
};

struct frames {
    FILE *file;
    uint64_t offset, number; /* of the next frame, from 0 */
    uint64_t bytes;          /* of the file, when it was opened */
    _Atomic uint64_t done;   /* the offset, for progress */
};

/* A record is a payload: so many bytes fit into an empty batch. */
static int negotiate(const void *cfg, struct leat_negotiation *n)
{
    n->out->max_record_bytes = PAYLOAD_MAX;
    return LEAT_OK;
}

static int fail(struct leat_ctx *ctx, const struct frames *s, const char *what)
{
    return ctx->host->fail(ctx, LEAT_EDATA, "%s: %s in frame %llu, at byte %llu",
                           ((const struct cfg *)ctx->cfg)->path, what,
                           (unsigned long long)s->number, (unsigned long long)s->offset);
}

static int open_file(struct leat_ctx *ctx, void *self)
{
    struct frames *s = self;
    const char *path = ((const struct cfg *)ctx->cfg)->path;
    char magic[MAGIC];
    struct stat st;
    s->file = fopen(path, "rbe");
    if (!s->file) return ctx->host->fail(ctx, LEAT_EIO, "%s: %s", path, strerror(errno));
    if (fread(magic, 1, MAGIC, s->file) != MAGIC || memcmp(magic, "FRAMES01", MAGIC) != 0) {
        fclose(s->file); /* close is not called after an open that failed */
        return ctx->host->fail(ctx, LEAT_EDATA, "%s does not begin with FRAMES01", path);
    }
    s->offset = MAGIC;
    s->bytes = fstat(fileno(s->file), &st) ? 0 : (uint64_t)st.st_size;
    return ctx->host->name_input(ctx, 0, path);
}

static void close_file(struct leat_ctx *ctx, void *self) { fclose(((struct frames *)self)->file); }

static uint32_t number_at(const unsigned char *p)
{
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static uint32_t sum_of(const char *bytes, uint32_t n)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < n; i++)
        sum = sum * 31 + (unsigned char)bytes[i];
    return sum;
}

/* The next frame's payload, at bytes[off .. off + n) of the batch, and one record of it. */
static int take_frame(struct leat_ctx *ctx, struct frames *s, struct leat_batch *b, uint32_t n,
                      uint32_t sum)
{
    const uint32_t off = leat_add_bytes(b, n); /* there is space: produce has looked */
    if (fread(b->bytes + off, 1, n, s->file) != n) return fail(ctx, s, "the file ends");
    const int r = leat_add_record_at(b, off, n, 0, s->number, 0);
    if (sum_of(b->bytes + off, n) != sum)
        ctx->host->reject(ctx, b, (uint32_t)r, LEAT_R_SYNTAX, "the sum is not that of the bytes");
    s->offset += HEAD + n;
    s->number++;
    return LEAT_OK;
}

static int produce(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    struct frames *s = self;
    int status = LEAT_OK;
    while (status == LEAT_OK && b->n < b->cap && b->n_bytes < b->fill_bytes) {
        unsigned char head[HEAD];
        const size_t n = fread(head, 1, HEAD, s->file);
        if (n == 0 && feof(s->file))
            status = LEAT_EOS;
        else if (n < HEAD)
            status = fail(ctx, s, ferror(s->file) ? strerror(errno) : "the file ends");
        else if (number_at(head) > PAYLOAD_MAX)
            status = fail(ctx, s, "the length is above 65,536");
        else if (!leat_has_space(b, number_at(head)))
            break;
        else
            status = take_frame(ctx, s, b, number_at(head), number_at(head + 4));
    }
    if (status >= 0 && fseeko(s->file, (off_t)s->offset, SEEK_SET))
        status = fail(ctx, s, strerror(errno));
    atomic_store(&s->done, s->offset);
    return status;
}

static void progress(void *self, uint64_t *done, uint64_t *total)
{
    struct frames *s = self;
    *done = atomic_load(&s->done);
    *total = s->bytes;
}

static int snapshot(struct leat_ctx *ctx, void *self, struct leat_writer *w)
{
    const struct frames *s = self;
    w->u64(w, "offset", s->offset);
    return w->u64(w, "number", s->number);
}

static int restore(struct leat_ctx *ctx, void *self, struct leat_reader *r, uint32_t version)
{
    struct frames *s = self;
    uint64_t offset, number;
    if (r->u64(r, "offset", &offset) || r->u64(r, "number", &number)) return LEAT_EDATA;
    if (offset < MAGIC || offset > s->bytes)
        return r->refuse(r, "the file has %llu bytes, and cannot go on at byte %llu",
                         (unsigned long long)s->bytes, (unsigned long long)offset);
    if (fseeko(s->file, (off_t)offset, SEEK_SET)) return r->refuse(r, "%s", strerror(errno));
    s->offset = offset;
    s->number = number;
    return LEAT_OK;
}

static const struct leat_stage source_frames = {
    .name = "source.frames",
    .summary = "records of a file of frames",
    .doc = "Each frame is a record. A frame whose sum is wrong is rejected; a length above 65,536 "
           "ends the run, since nobody knows where the next frame begins.",
    .example = "leat.source.frames { \"in.frames\" }",
    .kind = LEAT_SOURCE,
    .makes = LEAT_HAS_RECORDS,
    LEAT_PARAMS(params, struct cfg),
    LEAT_INSTANCE(struct frames, open_file, close_file),
    .negotiate = negotiate,
    .source = LEAT_ROLE(leat_source, .framings = LEAT_FRAMINGS_OF_MESSAGES, .produce = produce,
                        .progress = progress),
    .state = LEAT_ROLE(leat_state, .version = 1, .snapshot = snapshot, .restore = restore),
};
LEAT_PLUGIN("frames", "1.0", "Apache-2.0", "records of a file of frames", &source_frames);
