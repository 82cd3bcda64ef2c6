/* null.c -- source.null: repeats one record, to measure the stages after it.
 *
 * Each batch has the text once, and all records of the batch point to it. */
#include <stdatomic.h>
#include <string.h>

#include <leat/plugin.h>

#include "sources/null/docs.h"
#include "common/state/state_fields.h"

struct null_cfg {
    int64_t records, max_record;
    const char *text;
};

struct null {
    uint64_t made;
    uint32_t len;
    _Atomic uint64_t bytes; /* made * len; written by the stage's thread, read by any thread */
    uint64_t total;
};

static const struct leat_param null_params[] = {
    LEAT_PARAM(struct null_cfg, records, LEAT_INT, .flags = LEAT_POSITIONAL, .def = "1000000",
               .min = 0, .max = 1e15, .unit = "records",
               .doc = "how many records to make; 0: without end"),
    LEAT_PARAM(struct null_cfg, text, LEAT_STRING, .def = "x",
               .doc = "the bytes of each record, at most max_record"),
    LEAT_PARAM(struct null_cfg, max_record, LEAT_SIZE, .flags = LEAT_ADVANCED, .def = "1KiB",
               .min = 1, .max = 64 << 20, .unit = "bytes",
               .doc = "longest record that the stages after it plan for"),
};

static int null_validate(const void *config, struct leat_diag *d)
{
    const struct null_cfg *cfg = config;
    if (strlen(cfg->text) > (uint64_t)cfg->max_record)
        d->error(d, "text", "the text has %zu bytes, more than max_record = %lld: make it shorter",
                 strlen(cfg->text), (long long)cfg->max_record);
    return LEAT_OK;
}

static int null_negotiate(const void *config, struct leat_negotiation *n)
{
    const struct null_cfg *cfg = config;
    n->out->max_record_bytes = (uint32_t)cfg->max_record;
    return LEAT_OK;
}

static int null_open(struct leat_ctx *ctx, void *self)
{
    const struct null_cfg *cfg = ctx->cfg;
    struct null *st = self;
    st->len = (uint32_t)strlen(cfg->text);
    st->total = (uint64_t)cfg->records * st->len;
    return ctx->host->name_input(ctx, 0, "null");
}

/* Returns the number of records in a batch: as many as if each record had its own text. */
static uint32_t batch_records(const struct null_cfg *cfg, const struct null *st,
                              const struct leat_batch *b)
{
    uint64_t n = b->cap;
    if (st->len && b->fill_bytes / st->len < n) n = b->fill_bytes / st->len;
    n = n ? n : 1;
    uint64_t wanted = (uint64_t)cfg->records, left = wanted > st->made ? wanted - st->made : 0;
    return (uint32_t)(wanted && left < n ? left : n);
}

static int null_produce(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    const struct null_cfg *cfg = ctx->cfg;
    struct null *st = self;
    uint32_t n = batch_records(cfg, st, b);
    if (!n || ctx->host->stopping(ctx)) return LEAT_EOS;
    uint32_t off = leat_add_bytes(b, st->len);
    if (off == LEAT_NULL)
        return ctx->host->fail(
            ctx, LEAT_EFULL, "a `text` of %u bytes does not fit a batch: make it shorter", st->len);
    memcpy(b->bytes + off, cfg->text, st->len);
    b->extent[b->n_extents++] = (struct leat_extent){.n = n, .bytes_off = off, .offset = st->made};
    for (uint32_t i = 0; i < n; i++)
        leat_add_record(b, off, st->len);
    st->made += n;
    atomic_store_explicit(&st->bytes, st->made * st->len, memory_order_relaxed);
    return cfg->records && st->made >= (uint64_t)cfg->records ? LEAT_EOS : LEAT_OK;
}

static void null_progress(void *self, uint64_t *done, uint64_t *total)
{
    struct null *st = self;
    *done = atomic_load_explicit(&st->bytes, memory_order_relaxed);
    *total = st->total;
}

static const struct state_field null_fields[] = {
    {"made", STATE_VALUE, .at = STATE_MEMBER(struct null, made)},
};

static int null_snapshot(struct leat_ctx *ctx, void *self, struct leat_writer *w)
{
    return state_write(w, STATE_TABLE(null_fields), self);
}

static int null_restore(struct leat_ctx *ctx, void *self, struct leat_reader *r, uint32_t version)
{
    struct null *st = self;
    int status = state_read(r, STATE_TABLE(null_fields), st);
    if (status == LEAT_OK)
        atomic_store_explicit(&st->bytes, st->made * st->len, memory_order_relaxed);
    return status;
}

const struct leat_stage source_null = {
    .name = "source.null",
    .summary = "makes the same record again and again; for measurements",
    .doc = null_doc,
    .example = "leat.source.null { records = 1000000, text = \"1 3:1 7:0.5\" }",
    .kind = LEAT_SOURCE,
    .makes = LEAT_HAS_RECORDS,
    LEAT_PARAMS(null_params, struct null_cfg),
    LEAT_INSTANCE(struct null, null_open, NULL),
    .validate = null_validate,
    .negotiate = null_negotiate,
    .source = LEAT_ROLE(leat_source, .framings = LEAT_FRAMINGS_OF_MESSAGES, .produce = null_produce,
                        .progress = null_progress),
    .state =
        LEAT_ROLE(leat_state, .version = 1, .snapshot = null_snapshot, .restore = null_restore),
};
