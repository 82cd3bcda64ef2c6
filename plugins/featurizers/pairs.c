/* pairs.c -- feature.pairs: examples from which a classifier learns what occurs together unusually
 * often.
 *
 * Source: Tai, Sharan, Bailis, Valiant, Sketching Linear Classifiers over Data Streams, SIGMOD
 * 2018, section 8.3. In the paper, `window` is the sliding window (6), `reservoir` is the sample of
 * unigrams (4000), and `negatives` is the number of synthetic samples for each true one (5).
 *
 * The reservoir stores the text of each token, because a token may be drawn when its batch no
 * longer exists. The text of a drawn token is appended to the present batch once, however often the
 * token is drawn in this batch. A drawn token that occurs in the present batch is not appended.
 *
 * An earlier stage (tokens.c) makes the examples of tokens. These examples stay in the batch,
 * because the names of pairs refer to their parts, but they are no longer selected. */
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <leat/plugin.h>

#include "featurizers/docs.h"
#include "kernels/base/feature_id.h"
#include "kernels/base/names.h"
#include "kernels/base/reservoir.h"
#include "common/state/state_fields.h"

enum { STATE_VERSION = 1, NO_TEXT = UINT8_MAX };

struct pairs_cfg {
    int64_t window, negatives, reservoir, max_tokens, seed;
    int32_t ordered;
};

/* A token of the current record, or of the reservoir. */
struct pairs_token {
    uint64_t part_id; /* part of the id of each pair with this token */
    uint64_t batch;   /* number of the batch to which `part` refers */
    uint32_t part;    /* index + 1 of its name part in that batch */
    uint32_t field;   /* field of the token's name; constant while the stage is open */
};

struct pairs_stage {
    struct reservoir reservoir;
    struct pairs_token *held; /* tokens of the reservoir; reservoir.size elements */
    uint8_t *text;            /* texts of the held tokens; LEAT_ADDED_NAME bytes each */
    uint8_t *len;             /* lengths of these texts; NO_TEXT: the token has no text */
    struct pairs_token *row;  /* tokens of the current record; max_tokens elements */
    uint64_t batch;           /* number of the current batch, from 1 */
    uint64_t cut;             /* number of tokens that max_tokens left out */
    uint32_t window, negatives, max_tokens;
    float negative_weight;
    bool ordered;
};

static const struct leat_param pairs_params[] = {
    LEAT_PARAM(struct pairs_cfg, window, LEAT_INT, .def = "6", .min = 2, .max = 64,
               .unit = "tokens",
               .doc = "each token makes a pair with each of the window - 1 tokens after it"),
    LEAT_PARAM(struct pairs_cfg, negatives, LEAT_INT, .def = "5", .min = 1, .max = 64,
               .unit = "pairs", .doc = "random pairs for each pair of the text"),
    LEAT_PARAM(struct pairs_cfg, ordered, LEAT_BOOL, .def = "false",
               .doc = "(u, v) and (v, u) are two pairs"),
    LEAT_PARAM(struct pairs_cfg, reservoir, LEAT_INT, .def = "4000", .min = 1, .max = 1048576,
               .unit = "tokens",
               .doc = "size of the sample of tokens from which random pairs are drawn"),
    LEAT_PARAM(struct pairs_cfg, max_tokens, LEAT_INT, .def = "256", .min = 2, .max = 65536,
               .unit = "tokens", .doc = "only the first N tokens of a record make pairs"),
    LEAT_PARAM(struct pairs_cfg, seed, LEAT_INT, .flags = LEAT_ADVANCED, .def = "0", .min = 0,
               .max = 9007199254740992.0, .doc = "seed of the sample; 0: the seed of the pipeline"),
};

/* Returns the number of pairs of n tokens. Each token is paired with the window - 1 tokens after
 * it; at the end of the record there are fewer. */
static uint64_t n_pairs(uint64_t n, uint64_t window)
{
    uint64_t reach = window - 1;
    return n > reach ? (n - reach) * reach + reach * (reach - 1) / 2 : n * (n - (n > 0)) / 2;
}

static uint64_t pairs_examples_of(const struct pairs_cfg *c)
{
    uint64_t pairs = n_pairs((uint64_t)c->max_tokens, (uint64_t)c->window);
    return pairs * (1 + (uint64_t)c->negatives);
}

static int pairs_validate(const void *cfg, struct leat_diag *d)
{
    const struct pairs_cfg *c = cfg;
    if (pairs_examples_of(c) > 1 << 24)
        d->error(
            d, "max_tokens",
            "a record of %lld tokens would make %llu examples, more than 2^24: lower max_tokens, "
            "`window` or `negatives`",
            (long long)c->max_tokens, (unsigned long long)pairs_examples_of(c));
    return LEAT_OK;
}

static int pairs_negotiate(const void *cfg, struct leat_negotiation *n)
{
    const struct pairs_cfg *c = cfg;
    uint32_t examples = (uint32_t)pairs_examples_of(c);
    n->add_bounds(n, &(struct leat_bounds){.examples_per_record = examples,
                                           .entries_per_record = examples,
                                           .added_names = (uint32_t)c->reservoir});
    if (n->out->size >= offsetof(struct leat_schema, made_labels) + sizeof n->out->made_labels)
        n->out->made_labels = 1;
    if (c->negatives > 1 &&
        n->out->size >= offsetof(struct leat_schema, weighted) + sizeof n->out->weighted)
        n->out->weighted = 1;
    return LEAT_OK;
}

static size_t pairs_text_bytes(const struct pairs_cfg *c)
{
    return (size_t)c->reservoir * LEAT_ADDED_NAME;
}

static int pairs_plan(const void *cfg, const struct leat_schema *in, const struct leat_schema *out,
                      struct leat_plan *p)
{
    const struct pairs_cfg *c = cfg;
    p->state_bytes = (uint64_t)c->reservoir * (sizeof(struct pairs_token) + sizeof(uint8_t));
    p->names_bytes = pairs_text_bytes(c);
    p->work_bytes = (uint64_t)c->max_tokens * sizeof(struct pairs_token);
    snprintf(p->note, sizeof p->note, "at most %llu examples a record",
             (unsigned long long)pairs_examples_of(c));
    return LEAT_OK;
}

static void pairs_close_stage(struct leat_ctx *ctx, void *self)
{
    struct pairs_stage *st = self;
    ctx->host->free(ctx, st->row);
    ctx->host->free(ctx, st->len);
    ctx->host->free(ctx, st->text);
    ctx->host->free(ctx, st->held);
    *st = (struct pairs_stage){0};
}

static int pairs_open_stage(struct leat_ctx *ctx, void *self)
{
    const struct pairs_cfg *c = ctx->cfg;
    const struct leat_host *h = ctx->host;
    struct pairs_stage *st = self;
    size_t size = (size_t)c->reservoir;
    *st = (struct pairs_stage){.window = (uint32_t)c->window,
                               .negatives = (uint32_t)c->negatives,
                               .max_tokens = (uint32_t)c->max_tokens,
                               .negative_weight = 1.0f / (float)c->negatives,
                               .ordered = c->ordered != 0};
    reservoir_init(&st->reservoir, (uint32_t)size, c->seed ? (uint64_t)c->seed : h->seed(ctx));
    st->held = h->alloc(ctx, size * sizeof *st->held);
    st->text = h->alloc(ctx, pairs_text_bytes(c));
    st->len = h->alloc(ctx, size * sizeof *st->len);
    st->row = h->alloc(ctx, st->max_tokens * sizeof *st->row);
    if (st->held && st->text && st->len && st->row) return LEAT_OK;
    pairs_close_stage(ctx, self);
    return h->fail(ctx, LEAT_ENOMEM, "there is not enough memory for a sample of %zu tokens", size);
}

/* ---- the reservoir ---- */

static struct leat_str pairs_text_of(const struct leat_batch *b, const struct pairs_token *t)
{
    return b->part[t->part - 1].value;
}

/* Offers a token of the batch to the reservoir. */
static void pairs_offer_token(struct pairs_stage *st, const struct leat_batch *b,
                              const struct pairs_token *t)
{
    uint32_t slot = reservoir_offer(&st->reservoir);
    if (slot == RESERVOIR_NONE) return;
    struct leat_str s = pairs_text_of(b, t);
    uint32_t len = s.len == LEAT_NULL ? 0 : s.len < LEAT_ADDED_NAME ? s.len : LEAT_ADDED_NAME;
    st->held[slot] = *t;
    st->len[slot] = s.len == LEAT_NULL ? NO_TEXT : (uint8_t)len;
    memcpy(st->text + (size_t)slot * LEAT_ADDED_NAME, b->bytes + s.off, len);
}

/* Appends the text of the token held[slot] to the batch. There is room for it, because negotiate
 * has requested that. */
static void pairs_add_name(struct pairs_stage *st, struct leat_batch *b, uint32_t slot)
{
    struct pairs_token *t = &st->held[slot];
    uint32_t len = st->len[slot] == NO_TEXT ? 0 : st->len[slot], off = leat_add_bytes(b, len);
    struct leat_str s = {off == LEAT_NULL ? 0 : off, st->len[slot] == NO_TEXT ? LEAT_NULL : len};
    if (off == LEAT_NULL)
        s.len = 0;
    else
        memcpy(b->bytes + off, st->text + (size_t)slot * LEAT_ADDED_NAME, len);
    t->part = leat_add_part(b, t->field, s);
    t->batch = st->batch;
}

static const struct pairs_token *pairs_draw_token(struct pairs_stage *st, struct leat_batch *b,
                                                  uint32_t bits)
{
    uint32_t slot = reservoir_pick(bits, reservoir_filled(&st->reservoir));
    if (st->held[slot].batch != st->batch) pairs_add_name(st, b, slot);
    return &st->held[slot];
}

/* ---- pairs ---- */

/* Returns the name of a pair. If the order of its tokens does not matter, they are in alphabetical
 * order. So the pair has the same name in all models. */
static struct leat_name pairs_name_of(const struct pairs_stage *st, const struct leat_batch *b,
                                      const struct pairs_token *u, const struct pairs_token *v)
{
    struct leat_str a = pairs_text_of(b, u), z = pairs_text_of(b, v);
    bool turned = !st->ordered && a.len != LEAT_NULL && z.len != LEAT_NULL &&
                  !name_preferred(leat_text(b, a), a.len, leat_text(b, z), z.len);
    return turned ? (struct leat_name){{v->part, u->part}} : (struct leat_name){{u->part, v->part}};
}

/* Adds an example for the pair (u, v). The batch must have room for it. */
static void pairs_add_pair(const struct pairs_stage *st, struct leat_batch *b, uint32_t r,
                           const struct pairs_token *u, const struct pairs_token *v, float label,
                           float weight)
{
    uint32_t e = b->n_examples++, i = b->n_entries++;
    b->ex_record[e] = r;
    b->ex_label[e] = label;
    b->ex_weight[e] = weight;
    b->ex_start[e] = i;
    b->ex_start[e + 1] = i + 1;
    b->id[i] = feature_id_pair(u->part_id, v->part_id, st->ordered);
    b->value[i] = 1.0f;
    b->name[i] = pairs_name_of(st, b, u, v);
}

/* Adds random pairs for the pair (u, v). A random pair has one of u and v, and a token drawn from
 * the reservoir. So both of its tokens have the distribution of tokens, as if both were drawn. If
 * both were drawn, a pair of rare tokens would hardly ever occur, because a reservoir seldom has
 * both. With this method, such pairs occur in the expected number. */
static void pairs_add_chance(struct pairs_stage *st, struct leat_batch *b, uint32_t r,
                             const struct pairs_token *u, const struct pairs_token *v, float weight)
{
    for (uint32_t k = 0; k < st->negatives; k++) {
        uint64_t bits = reservoir_random(&st->reservoir);
        const struct pairs_token *x = pairs_draw_token(st, b, (uint32_t)bits);
        if (bits >> 63)
            pairs_add_pair(st, b, r, u, x, -1.0f, weight);
        else
            pairs_add_pair(st, b, r, x, v, -1.0f, weight);
    }
}

static void add_pairs(struct pairs_stage *st, struct leat_batch *b, uint32_t r, uint32_t n,
                      float weight)
{
    float chance_weight = weight * st->negative_weight;
    for (uint32_t i = 0; i < n; i++) {
        pairs_offer_token(st, b, &st->row[i]);
        uint32_t end = n - i > st->window ? i + st->window : n;
        for (uint32_t j = i + 1; j < end; j++) {
            pairs_add_pair(st, b, r, &st->row[i], &st->row[j], 1.0f, weight);
            pairs_add_chance(st, b, r, &st->row[i], &st->row[j], chance_weight);
        }
    }
}

/* Copies the tokens of example e to st->row. Returns their number. */
static uint32_t pairs_take_tokens(struct pairs_stage *st, const struct leat_batch *b, uint32_t e)
{
    uint32_t start = b->ex_start[e], all = b->ex_start[e + 1] - start, n = 0;
    for (uint32_t i = start; i < start + all && n < st->max_tokens; i++) {
        uint32_t part = b->name[i].part[0];
        if (!part) continue;
        st->row[n++] = (struct pairs_token){.part_id = feature_id_part(b->id[i]),
                                            .batch = st->batch,
                                            .part = part,
                                            .field = b->part[part - 1].field};
    }
    if (all > st->max_tokens) st->cut += all - st->max_tokens;
    return n;
}

static int pairs_process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    struct pairs_stage *st = self;
    st->batch++;
    for (LEAT_EACH_EXAMPLE(b, e)) {
        uint32_t r = b->ex_record[e], n = pairs_take_tokens(st, b, e);
        uint64_t needed = n_pairs(n, st->window) * (1 + st->negatives);
        if (needed > b->cap_examples - b->n_examples || needed > b->cap_entries - b->n_entries)
            ctx->host->reject(ctx, b, r, LEAT_R_TOO_LARGE,
                              "the batch has no room for the %llu pairs of the record",
                              (unsigned long long)needed);
        else
            add_pairs(st, b, r, n, b->ex_weight[e]);
    }
    b->n_ex_sel = 0; /* unselects the examples of tokens; the caller then selects the pairs */
    return LEAT_OK;
}

static int pairs_stop(struct leat_ctx *ctx, void *self)
{
    const struct pairs_stage *st = self;
    ctx->host->metric(ctx, "tokens", (double)st->reservoir.seen);
    ctx->host->metric(ctx, "tokens_cut", (double)st->cut);
    return LEAT_OK;
}

/* ---- state: the reservoir, so that a continued run makes the same pairs ---- */

struct pairs_sample {
    uint32_t tokens;
    const uint64_t *id;
    const uint32_t *field;
    const uint8_t *len, *text;
};

#define AT(member) STATE_MEMBER(struct pairs_stage, member)
static const struct state_field pairs_stage_fields[] = {
    {"reservoir", STATE_SAME, .at = AT(reservoir.size)},
    {"seen", STATE_VALUE, .at = AT(reservoir.seen)},
    {"random", STATE_VALUE, .at = AT(reservoir.random)},
    {"tokens_cut", STATE_VALUE, .at = AT(cut)},
};
#undef AT
#define AT(member) STATE_MEMBER(struct pairs_sample, member)
static const struct state_field pairs_sample_fields[] = {
    {"token_id", STATE_LENT, .at = AT(id), .count = {AT(tokens)}},
    {"token_field", STATE_LENT, .at = AT(field), .count = {AT(tokens)}},
    {"token_bytes", STATE_LENT, .at = AT(len), .count = {AT(tokens)}},
    {"token_text", STATE_LENT, .at = AT(text), .each = LEAT_ADDED_NAME, .count = {AT(tokens)}},
};
#undef AT

static int pairs_snapshot(struct leat_ctx *ctx, void *self, struct leat_writer *w)
{
    const struct pairs_stage *st = self;
    const struct leat_host *h = ctx->host;
    uint32_t tokens = reservoir_filled(&st->reservoir);
    uint64_t *id = h->alloc(ctx, (tokens + 1) * sizeof *id);
    uint32_t *field = h->alloc(ctx, (tokens + 1) * sizeof *field);
    int status = id && field ? state_write(w, STATE_TABLE(pairs_stage_fields), st) : LEAT_ENOMEM;
    for (uint32_t i = 0; i < tokens && status == LEAT_OK; i++) {
        id[i] = st->held[i].part_id;
        field[i] = st->held[i].field;
    }
    const struct pairs_sample s = {tokens, id, field, st->len, st->text};
    if (status == LEAT_OK) status = state_write(w, STATE_TABLE(pairs_sample_fields), &s);
    h->free(ctx, field);
    h->free(ctx, id);
    return status;
}

/* Refuses lengths of texts, and fields, that this stage cannot have saved. */
static int pairs_check_tokens(const struct leat_ctx *ctx, struct leat_reader *r,
                              const struct pairs_sample *s)
{
    for (uint32_t i = 0; i < s->tokens; i++) {
        if (s->len[i] > LEAT_ADDED_NAME && s->len[i] != NO_TEXT)
            return r->refuse(r, "token_bytes[%u] is %u; it must be 0 to %d", i, s->len[i],
                             LEAT_ADDED_NAME);
        if (s->field[i] != LEAT_NO_FIELD && s->field[i] >= ctx->in->n_fields)
            return r->refuse(r, "token_field[%u] is %u; the schema has %u fields", i, s->field[i],
                             ctx->in->n_fields);
    }
    return LEAT_OK;
}

static void pairs_take_sample(struct pairs_stage *st, const struct pairs_sample *s)
{
    for (uint32_t i = 0; i < s->tokens; i++)
        st->held[i] = (struct pairs_token){.part_id = s->id[i], .field = s->field[i]};
    if (s->tokens > 0) {
        memcpy(st->len, s->len, s->tokens);
        memcpy(st->text, s->text, (size_t)s->tokens * LEAT_ADDED_NAME);
    }
}

static int pairs_restore(struct leat_ctx *ctx, void *self, struct leat_reader *r, uint32_t version)
{
    struct pairs_stage *st = self;
    struct pairs_stage saved = *st;
    struct pairs_sample s = {0};
    int status = state_check_version(r, version, STATE_VERSION);
    if (status == LEAT_OK) status = state_read(r, STATE_TABLE(pairs_stage_fields), &saved);
    s.tokens = reservoir_filled(&saved.reservoir);
    if (status == LEAT_OK) status = state_read(r, STATE_TABLE(pairs_sample_fields), &s);
    if (status == LEAT_OK) status = pairs_check_tokens(ctx, r, &s);
    if (status != LEAT_OK) return status;
    pairs_take_sample(st, &s);
    *st = saved;
    return LEAT_OK;
}

static const struct leat_figure pairs_figures[] = {
    {"tokens", "tokens", "tokens so far", LEAT_COUNTER},
    {"tokens_cut", "tokens", "tokens beyond max_tokens, which make no pairs", LEAT_COUNTER},
};

const struct leat_stage feature_pairs = {
    .name = "feature.pairs",
    .summary = "makes examples of pairs of tokens that occur together, and of random pairs",
    .doc = pairs_doc,
    .example = "leat.feature.pairs { window = 6, negatives = 5 }",
    .kind = LEAT_TRANSFORM,
    .caps = LEAT_REWRITES | LEAT_LEARNS | LEAT_STATEFUL,
    LEAT_FLOW(LEAT_HAS_EXAMPLES | LEAT_HAS_NAMES, LEAT_HAS_LABEL),
    LEAT_PARAMS(pairs_params, struct pairs_cfg),
    LEAT_FIGURES(pairs_figures),
    LEAT_INSTANCE(struct pairs_stage, pairs_open_stage, pairs_close_stage),
    .validate = pairs_validate,
    .negotiate = pairs_negotiate,
    .plan = pairs_plan,
    .stop = pairs_stop,
    .process = pairs_process,
    .state = LEAT_ROLE(leat_state, .version = STATE_VERSION, .snapshot = pairs_snapshot,
                       .restore = pairs_restore),
};
