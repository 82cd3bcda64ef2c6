/* broken_states.c -- transforms whose state is a signed number, a text and an initially empty
 * array.
 *
 * Each but whole.before breaks a law of states. tests/system/plugin_test.sh names each law. */
#include <stdbool.h>
#include <stdlib.h>

#include <leat/plugin.h>

enum { MAX_TEXT = 15, MAX_ROWS = 1024, USUAL = 5 };

struct cfg {
    const char *column;
};

static const struct leat_param params[] = {
    LEAT_PARAM(struct cfg, column, LEAT_STRING, .def = "alpha", .doc = "whose text it is"),
};

/* State: the last text, cut; the sum of differences from the usual length; the first
 * differences. */
struct before {
    int64_t balance;
    uint32_t n_text, n_first, column;
    int64_t first[4];
    char text[MAX_TEXT + 1];
};

static int negotiate(const void *cfg, struct leat_negotiation *n)
{
    const struct cfg *c = cfg;
    uint32_t index;
    int status = n->column(n, "column", c->column, LEAT_TAKES_TEXT, &index);
    if (status < 0) return status;
    n->add_bounds(n, &(struct leat_bounds){.added_bytes_per_record = MAX_TEXT});
    status = n->add_column(n, "before", 6, LEAT_TEXT, NULL);
    if (status == LEAT_OK) status = n->add_column(n, "balance", 7, LEAT_INT64, NULL);
    return status == LEAT_OK ? n->add_column(n, "first", 5, LEAT_INT64, NULL) : status;
}

static int open(struct leat_ctx *ctx, void *self)
{
    const struct cfg *c = ctx->cfg;
    return ctx->host->column(ctx, c->column, LEAT_TAKES_TEXT, &((struct before *)self)->column);
}

static void take(struct before *st, const char *text, uint32_t n)
{
    st->balance += (int64_t)n - USUAL;
    if (st->n_first < 4) st->first[st->n_first++] = (int64_t)n - USUAL;
    st->n_text = 0;
    for (uint32_t i = 0; i < n && st->n_text < MAX_TEXT; i++)
        if (text[i]) st->text[st->n_text++] = text[i];
    st->text[st->n_text] = 0;
}

static int process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    struct before *st = self;
    union leat_cells *made = &b->column[ctx->in->n_columns];
    for (LEAT_EACH_RECORD(b, r)) {
        struct leat_str s = b->column[st->column].text[r];
        uint32_t off = leat_add_bytes(b, st->n_text);
        if (off == LEAT_NULL) return LEAT_EFULL;
        memcpy(b->bytes + off, st->text, st->n_text);
        made[0].text[r] = (struct leat_str){off, st->n_text};
        made[1].int64[r] = st->balance;
        made[2].int64[r] = st->n_first ? st->first[st->n_first - 1] : 0;
        if (s.len != LEAT_NULL) take(st, leat_text(b, s), s.len);
    }
    return LEAT_OK;
}

static int snapshot(struct leat_ctx *ctx, void *self, struct leat_writer *w)
{
    const struct before *st = self;
    w->i64(w, "balance", st->balance);
    w->array(w, "first", LEAT_I64, st->first, st->n_first);
    return w->text(w, "text", st->text, st->n_text);
}

/* max: largest size of the text. */
static int read(struct leat_reader *r, struct before *st, uint64_t max)
{
    const char *text;
    const void *first;
    uint64_t n_text, n_first;
    int status = r->i64(r, "balance", &st->balance);
    if (status == LEAT_OK && llabs(st->balance / 2) > INT64_MAX / 4)
        status = r->refuse(r, "balance is %lld; it must be -2^62 to 2^62", (long long)st->balance);
    if (status == LEAT_OK) status = r->array_up_to(r, "first", LEAT_I64, 4, &first, &n_first);
    if (status == LEAT_OK) status = r->text(r, "text", max, &text, &n_text);
    if (status != LEAT_OK) return status;
    memcpy(st->first, first, n_first * sizeof *st->first);
    memcpy(st->text, text, n_text + 1);
    st->n_first = (uint32_t)n_first;
    st->n_text = (uint32_t)n_text;
    return LEAT_OK;
}

static int restore(struct leat_ctx *ctx, void *self, struct leat_reader *r, uint32_t version)
{
    struct before st = *(struct before *)self;
    int status = read(r, &st, MAX_TEXT);
    if (status == LEAT_OK) *(struct before *)self = st;
    return status;
}

static int drops_sign(struct leat_ctx *ctx, void *self, struct leat_reader *r, uint32_t version)
{
    int status = restore(ctx, self, r, version);
    if (status == LEAT_OK)
        ((struct before *)self)->balance = llabs(((struct before *)self)->balance);
    return status;
}

static int drops_text(struct leat_ctx *ctx, void *self, struct leat_reader *r, uint32_t version)
{
    int status = restore(ctx, self, r, version);
    if (status == LEAT_OK) ((struct before *)self)->n_text = 0;
    return status;
}

static int drops_array(struct leat_ctx *ctx, void *self, struct leat_reader *r, uint32_t version)
{
    int status = restore(ctx, self, r, version);
    if (status == LEAT_OK) ((struct before *)self)->n_first = 0;
    return status;
}

static int unbounded(struct leat_ctx *ctx, void *self, struct leat_reader *r, uint32_t version)
{
    struct before st = *(struct before *)self;
    int status = read(r, &st, UINT64_MAX);
    if (status == LEAT_OK) *(struct before *)self = st;
    return status;
}

#define STAGE(ID, NAME, RESTORE)                                                                   \
    static const struct leat_stage s_##ID = {                                                      \
        .name = NAME,                                                                              \
        .summary = "a transform for tests",                                                        \
        .doc = "It adds the text of the record before.",                                           \
        .example = "leat.stage(\"" NAME "\", {})",                                                 \
        .kind = LEAT_TRANSFORM,                                                                    \
        .caps = LEAT_STATEFUL,                                                                     \
        LEAT_FLOW(LEAT_HAS_COLUMNS, LEAT_HAS_COLUMNS),                                             \
        LEAT_PARAMS(params, struct cfg),                                                           \
        LEAT_INSTANCE(struct before, open, NULL),                                                  \
        .negotiate = negotiate,                                                                    \
        .process = process,                                                                        \
        .state = LEAT_ROLE(leat_state, .version = 1, .snapshot = snapshot, .restore = RESTORE),    \
    }
#define BROKEN(ID) STAGE(ID, "broken." #ID, ID)

STAGE(before, "whole.before", restore);
BROKEN(drops_sign);
BROKEN(drops_text);
BROKEN(drops_array);
BROKEN(unbounded);

LEAT_PLUGIN("broken_states", "1.0", "Apache-2.0", "transforms that break laws of states", &s_before,
            &s_drops_sign, &s_drops_text, &s_drops_array, &s_unbounded);
