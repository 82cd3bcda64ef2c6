/* file.c -- source.file: records of files, plain or compressed, and of standard input.
 *
 * Glue: parameters and the calls of the stage. Which files: inputs.c. Their text: stream.c.
 * Records: reader.c and the framing kernel. */
#include <string.h>

#include "reader.h"

struct cfg {
    struct leat_strings path;
    int64_t max_record, repeat;
};

static const struct leat_param params[] = {
    {.name = "path",
     .type = LEAT_STRINGS,
     .flags = LEAT_REQUIRED | LEAT_POSITIONAL,
     .offset = offsetof(struct cfg, path),
     .doc = "files to read, in this order; '*', '?' and '[]' match names; '-' is standard input"},
    {.name = "max_record",
     .type = LEAT_SIZE,
     .offset = offsetof(struct cfg, max_record),
     .def = "1MiB",
     .min = 1 << 10,
     .max = 64 << 20,
     .unit = "bytes",
     .doc = "longer records are rejected and skipped"},
    {.name = "repeat",
     .type = LEAT_INT,
     .flags = LEAT_ADVANCED,
     .offset = offsetof(struct cfg, repeat),
     .def = "1",
     .min = 1,
     .max = 1e6,
     .doc = "how many times to read it all; for measuring"},
};

static int validate(const void *config, struct leat_diag *d)
{
    const struct cfg *cfg = config;
    uint32_t standard_inputs = 0;
    if (!cfg->path.n) d->error(d, "path", "is empty: there is nothing to read");
    for (uint32_t i = 0; i < cfg->path.n; i++) {
        standard_inputs += !strcmp(cfg->path.v[i], "-");
        if (!cfg->path.v[i][0]) d->error(d, "path", "number %u is an empty name", (unsigned)i + 1);
    }
    if (standard_inputs > 1) d->error(d, "path", "standard input ('-') can be read only once");
    if (standard_inputs && cfg->repeat > 1)
        d->error(d, "repeat", "standard input ('-') cannot be read again");
    return LEAT_OK;
}

static int negotiate(const void *config, struct leat_negotiation *n)
{
    const struct cfg *cfg = config;
    n->out->max_record_bytes = (uint32_t)cfg->max_record;
    return LEAT_OK;
}

static int plan(const void *config, const struct leat_schema *in, const struct leat_schema *out,
                struct leat_plan *p)
{
    const struct cfg *cfg = config;
    (void)in;
    (void)out;
    p->work_bytes = (uint64_t)cfg->max_record + (256 << 10) + STREAM_RAW_BYTES;
    return LEAT_OK;
}

static int open_all(struct leat_ctx *ctx, void *self)
{
    const struct cfg *cfg = ctx->cfg;
    return reader_init(ctx, self, &cfg->path, cfg->max_record, (uint32_t)cfg->repeat);
}

static void close_all(struct leat_ctx *ctx, void *self) { reader_fini(ctx, self); }

static int header(struct leat_ctx *ctx, void *self, const char **text, uint32_t *len)
{
    return reader_header(ctx, self, text, len);
}

static int produce(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    return ctx->host->stopping(ctx) ? LEAT_EOS : reader_fill(ctx, self, b);
}

static void progress(void *self, uint64_t *done, uint64_t *total)
{
    struct reader *r = self;
    *done = atomic_load_explicit(&r->done, memory_order_relaxed);
    *total = r->inputs.bytes * r->passes;
}

/* ---- state ---- */

enum { STATE_VERSION = 3 }; /* 1: without `head`; 2: without `name` */

static int snapshot(struct leat_ctx *ctx, void *self, struct leat_writer *w)
{
    const struct reader *r = self;
    if (inputs_seekable(ctx, &r->inputs) != LEAT_OK) return LEAT_EARG;
    struct reader_place p = reader_tell(r);
    w->u64(w, "inputs", r->inputs.n);
    w->u64(w, "input", p.input);
    w->u64(w, "pass", p.pass);
    w->u64(w, "offset", p.offset);
    w->u64(w, "line", p.line);
    w->array(w, "head", LEAT_U8, p.head, p.n_head);
    return inputs_write(&r->inputs, (uint32_t)p.input, w);
}

static int restore(struct leat_ctx *ctx, void *self, struct leat_reader *from, uint32_t version)
{
    struct reader *r = self;
    struct reader_place p = {0};
    const void *head = NULL;
    uint64_t inputs = 0;
    int s = from->u64(from, "inputs", &inputs);
    if (s == LEAT_OK) s = from->u64(from, "input", &p.input);
    if (s == LEAT_OK) s = from->u64(from, "pass", &p.pass);
    if (s == LEAT_OK) s = from->u64(from, "offset", &p.offset);
    if (s == LEAT_OK) s = from->u64(from, "line", &p.line);
    if (s == LEAT_OK && version >= 2) s = from->array(from, "head", LEAT_U8, &head, &p.n_head);
    p.head = head;
    if (s != LEAT_OK) return s;
    if (inputs > r->inputs.n || p.input > r->inputs.n)
        return from->refuse(from, "there were %llu files and there are %u",
                            (unsigned long long)inputs, (unsigned)r->inputs.n);
    if (version >= 3) s = inputs_same(&r->inputs, p.input, from);
    return s == LEAT_OK ? reader_seek(ctx, r, p) : s;
}

const struct leat_stage source_file = {
    .name = "source.file",
    .summary = "records of files, plain or compressed, and of standard input",
    .doc =
        "Reads one file after the other and cuts it into records: lines, or CSV records where the "
        "parser behind asks for them. gzip, bzip2, xz, zstd and lz4 are recognised by their first "
        "bytes, whatever the name, also on standard input and named pipes. A byte order mark is "
        "skipped. All files are looked at before the first is read.\n"
        "With a header, each file's first record must be the same as the first file's.\n"
        "A record longer than max_record is rejected and skipped in constant memory. A quote that "
        "is never closed costs its own line. When a file breaks off or is damaged, the records "
        "before are delivered, the last, incomplete one is rejected, and the run fails. Of "
        "compressed data the decoder keeps back the block with the break (gzip 64 KiB of text, "
        "lz4 4 MiB).\n"
        "With --state a later run goes on at the exact record; compressed files are read again up "
        "to it, pipes and standard input are refused. Files may have grown, and new ones may sort "
        "behind those there were; one that is shorter now, or begins otherwise (of a log that was "
        "rotated), ends the run.\n"
        "How much of the input is delivered, by which a merge goes, is exact for plain text and a "
        "good guess for compressed text, but bzip2 decodes 900 kB at once: of files with few such "
        "blocks it says too much.\n"
        "Memory: max_record + 320 KiB. Time: one search for line ends and one copy of the text.",
    .example = "leat.source.file { path = \"logs/*.csv.gz\", max_record = \"64KiB\" }",
    .kind = LEAT_SOURCE,
    .makes = LEAT_HAS_RECORDS,
    LEAT_PARAMS(params),
    .cfg_size = sizeof(struct cfg),
    .instance_size = sizeof(struct reader),
    .validate = validate,
    .negotiate = negotiate,
    .plan = plan,
    .open = open_all,
    .close = close_all,
    .header = header,
    .produce = produce,
    .progress = progress,
    .state_version = STATE_VERSION,
    .snapshot = snapshot,
    .restore = restore,
};
