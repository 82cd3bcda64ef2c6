/* broken_cuts.c -- sources of bytes that the host cuts; each breaks one law of `leat plugin test`.
 *
 * whole.pieces breaks none. tests/system/plugin_test.sh names each law. */
#include <stdio.h>

#include <leat/plugin.h>

enum { RECORDS = 150, PIECE = 7, RECORD_MAX = 256 << 10 };

struct cfg {
    int64_t records;
};
static const struct leat_param params[] = {
    LEAT_PARAM(struct cfg, records, LEAT_INT, .def = "150", .min = 1, .max = RECORDS,
               .doc = "how many it gives"),
};
struct pieces {
    uint32_t at, n; /* text[at .. n) is not cut yet */
    char text[16 * RECORDS];
};

static int negotiate(const void *cfg, struct leat_negotiation *n)
{
    n->out->max_record_bytes = RECORD_MAX;
    return LEAT_OK;
}

static int plan(const void *cfg, const struct leat_schema *in, const struct leat_schema *out,
                struct leat_plan *p)
{
    p->work_bytes = LEAT_CUT_BYTES(RECORD_MAX);
    return LEAT_OK;
}

/* Makes lines of different lengths, the last one without an end. */
static int open_text(struct leat_ctx *ctx, void *self)
{
    struct pieces *st = self;
    for (int64_t i = 0; i < ((const struct cfg *)ctx->cfg)->records; i++)
        st->n += (uint32_t)snprintf(st->text + st->n, sizeof st->text - st->n, "%s%lld,%.*s",
                                    i ? "\n" : "", (long long)i, (int)(i % 8), "abcdefgh");
    return LEAT_OK;
}

static int cut(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    struct pieces *st = self;
    int status = LEAT_OK;
    for (size_t taken; status == LEAT_OK; st->at += (uint32_t)taken) {
        size_t n = st->n - st->at < PIECE ? st->n - st->at : PIECE;
        status = ctx->host->cut(ctx, b, 0, st->text + st->at, n, !n, &taken);
        if (status == LEAT_OK && !n) return LEAT_EOS;
    }
    return status == LEAT_EFULL ? LEAT_OK : status;
}

/* Takes the whole piece, even if the batch had no room for all of it. */
static int takes_all(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    struct pieces *st = self;
    size_t n = st->n - st->at, taken;
    if (n > 5 * PIECE) n = 5 * PIECE;
    int status = ctx->host->cut(ctx, b, 0, st->text + st->at, n, !n, &taken);
    st->at += (uint32_t)n;
    if (status == LEAT_OK && !n) return LEAT_EOS;
    return status == LEAT_EFULL ? LEAT_OK : status;
}

static int save_place(struct leat_ctx *ctx, void *self, struct leat_writer *w)
{
    uint64_t offset, line;
    ctx->host->cut_place(ctx, 0, &offset, &line);
    w->u64(w, "offset", offset);
    return w->u64(w, "line", line);
}

/* Saves the place after the bytes given to the host, although the host has cut fewer. */
static int save_given(struct leat_ctx *ctx, void *self, struct leat_writer *w)
{
    w->u64(w, "offset", ((struct pieces *)self)->at);
    return w->u64(w, "line", 1);
}

static int restore_place(struct leat_ctx *ctx, void *self, struct leat_reader *r, uint32_t version)
{
    struct pieces *st = self;
    uint64_t offset, line;
    if (r->u64(r, "offset", &offset) || r->u64(r, "line", &line)) return LEAT_EDATA;
    if (offset > st->n) return r->refuse(r, "offset is beyond the text");
    st->at = (uint32_t)offset;
    return ctx->host->cut_continue(ctx, 0, offset, line);
}

#define SOURCE(ID, NAME, PLAN, PRODUCE, SNAPSHOT)                                                  \
    static const struct leat_stage s_##ID = {                                                      \
        .name = NAME,                                                                              \
        .summary = "a source for tests",                                                           \
        .doc = "It gives lines, in pieces of 7 bytes.",                                            \
        .example = "leat.stage(\"" NAME "\", {})",                                                 \
        .kind = LEAT_SOURCE,                                                                       \
        .makes = LEAT_HAS_RECORDS,                                                                 \
        LEAT_PARAMS(params, struct cfg),                                                           \
        LEAT_INSTANCE(struct pieces, open_text, NULL),                                             \
        .negotiate = negotiate,                                                                    \
        .plan = PLAN,                                                                              \
        .source = LEAT_ROLE(leat_source, .framings = LEAT_FRAMINGS_OF_TEXT, .produce = PRODUCE),   \
        .state =                                                                                   \
            LEAT_ROLE(leat_state, .version = 1, .snapshot = SNAPSHOT, .restore = restore_place),   \
    }
SOURCE(pieces, "whole.pieces", plan, cut, save_place);
SOURCE(unplanned, "broken.unplanned", NULL, cut, save_place);
SOURCE(takes_all, "broken.takes_all", plan, takes_all, save_place);
SOURCE(saves_given, "broken.saves_given", plan, cut, save_given);

LEAT_PLUGIN("broken_cuts", "1.0", "Apache-2.0", "sources of bytes that break laws", &s_pieces,
            &s_unplanned, &s_takes_all, &s_saves_given);
