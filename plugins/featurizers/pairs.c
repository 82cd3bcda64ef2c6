/* pairs.c -- feature.pairs: which things occur together more often than by chance, as examples for
 * a classifier.
 *
 * Source: Tai, Sharan, Bailis, Valiant, Sketching Linear Classifiers over Data Streams, SIGMOD
 * 2018, section 8.3. Names here -> paper: window = the sliding window (6), reservoir = the sample
 * of unigrams (4000), negatives = synthetic samples for each true one (5).
 *
 * The reservoir holds the text of its tokens, since their batch is long gone when they are drawn. A
 * token that is drawn is written behind the batch's text once, however often it is drawn there;
 * one that the batch itself brought is there already.
 *
 * Examples of tokens stay in the batch, because names refer to their parts, but are no longer
 * selected. Not here: tokens (tokens.c), what is learned. */
#include <stdio.h>

#include <leat/plugin.h>

#include "kernels/base/feature_id.h"
#include "kernels/base/reservoir.h"

enum { STATE_VERSION = 1 };

struct cfg {
    int64_t window, negatives, reservoir, max_tokens, seed;
    int32_t ordered;
};

/* A token of the record at hand, or of the reservoir. */
struct token {
    uint64_t part_id; /* what it brings into the id of a pair        */
    uint64_t batch;   /* for which `part` holds                      */
    uint32_t part;    /* index + 1 of its name part in that batch    */
    uint32_t field;   /* of its name: fixed from open to close       */
};

struct stage {
    struct reservoir reservoir;
    struct token *held; /* reservoir.size                           */
    char *text;         /* reservoir.size x LEAT_ADDED_NAME          */
    uint8_t *len;       /* reservoir.size                            */
    struct token *row;  /* max_tokens: the record at hand            */
    uint64_t batch;     /* number of the batch at hand, from 1       */
    uint64_t cut;       /* tokens beyond max_tokens                  */
    uint32_t window, negatives, max_tokens;
    float negative_weight;
    int ordered;
};

static const struct leat_param params[] = {
    {.name = "window",
     .type = LEAT_INT,
     .offset = offsetof(struct cfg, window),
     .def = "6",
     .min = 2,
     .max = 64,
     .unit = "tokens",
     .doc = "each token makes a pair with each of the window - 1 tokens behind it"},
    {.name = "negatives",
     .type = LEAT_INT,
     .offset = offsetof(struct cfg, negatives),
     .def = "5",
     .min = 1,
     .max = 64,
     .unit = "pairs",
     .doc = "pairs of chance for each pair that occurred"},
    {.name = "ordered",
     .type = LEAT_BOOL,
     .offset = offsetof(struct cfg, ordered),
     .def = "false",
     .doc = "a pair the other way round is another pair"},
    {.name = "reservoir",
     .type = LEAT_INT,
     .offset = offsetof(struct cfg, reservoir),
     .def = "4000",
     .min = 1,
     .max = 1048576,
     .unit = "tokens",
     .doc = "size of the sample of tokens from which pairs of chance are drawn"},
    {.name = "max_tokens",
     .type = LEAT_INT,
     .offset = offsetof(struct cfg, max_tokens),
     .def = "256",
     .min = 2,
     .max = 65536,
     .unit = "tokens",
     .doc = "of a record that has more, the others make no pairs"},
    {.name = "seed",
     .type = LEAT_INT,
     .flags = LEAT_ADVANCED,
     .offset = offsetof(struct cfg, seed),
     .def = "0",
     .min = 0,
     .max = 9007199254740992.0,
     .doc = "of the sample; 0: the pipeline's"},
};

/* Pairs of n tokens: the last window - 1 have fewer behind them. */
static uint64_t n_pairs(uint64_t n, uint64_t window)
{
    uint64_t reach = window - 1;
    return n > reach ? (n - reach) * reach + reach * (reach - 1) / 2 : n * (n - (n > 0)) / 2;
}

static uint64_t examples_of(const struct cfg *c)
{
    uint64_t pairs = n_pairs((uint64_t)c->max_tokens, (uint64_t)c->window);
    return pairs * (1 + (uint64_t)c->negatives);
}

static int validate(const void *cfg, struct leat_diag *d)
{
    const struct cfg *c = cfg;
    if (examples_of(c) > 1 << 24)
        d->error(d, "max_tokens", "a record of %lld tokens would make %llu examples; at most 2^24",
                 (long long)c->max_tokens, (unsigned long long)examples_of(c));
    return LEAT_OK;
}

static int negotiate(const void *cfg, struct leat_negotiation *n)
{
    const struct cfg *c = cfg;
    uint32_t examples = (uint32_t)examples_of(c);
    n->out->examples_per_record += examples;
    n->out->entries_per_record += examples;
    n->out->added_names += (uint32_t)c->reservoir;
    return LEAT_OK;
}

static size_t text_bytes(const struct cfg *c) { return (size_t)c->reservoir * LEAT_ADDED_NAME; }

static int plan(const void *cfg, const struct leat_schema *in, const struct leat_schema *out,
                struct leat_plan *p)
{
    const struct cfg *c = cfg;
    (void)in;
    (void)out;
    p->state_bytes = (uint64_t)c->reservoir * (sizeof(struct token) + sizeof(uint8_t));
    p->names_bytes = text_bytes(c);
    p->work_bytes = (uint64_t)c->max_tokens * sizeof(struct token);
    snprintf(p->note, sizeof p->note, "at most %llu examples a record",
             (unsigned long long)examples_of(c));
    return LEAT_OK;
}

static void close_stage(struct leat_ctx *ctx, void *self)
{
    struct stage *st = self;
    ctx->host->free(ctx, st->row);
    ctx->host->free(ctx, st->len);
    ctx->host->free(ctx, st->text);
    ctx->host->free(ctx, st->held);
    *st = (struct stage){0};
}

static int open_stage(struct leat_ctx *ctx, void *self)
{
    const struct cfg *c = ctx->cfg;
    const struct leat_host *h = ctx->host;
    struct stage *st = self;
    size_t size = (size_t)c->reservoir;
    *st = (struct stage){.window = (uint32_t)c->window,
                         .negatives = (uint32_t)c->negatives,
                         .max_tokens = (uint32_t)c->max_tokens,
                         .negative_weight = 1.0f / (float)c->negatives,
                         .ordered = c->ordered};
    reservoir_init(&st->reservoir, (uint32_t)size, c->seed ? (uint64_t)c->seed : h->seed(ctx));
    st->held = h->alloc(ctx, size * sizeof *st->held);
    st->text = h->alloc(ctx, text_bytes(c));
    st->len = h->alloc(ctx, size * sizeof *st->len);
    st->row = h->alloc(ctx, st->max_tokens * sizeof *st->row);
    if (st->held && st->text && st->len && st->row) return LEAT_OK;
    close_stage(ctx, self);
    return h->fail(ctx, LEAT_ENOMEM, "no memory for a sample of %zu tokens", size);
}

/* ---- the reservoir ---- */

/* Offer a token of the batch. */
static void offer(struct stage *st, const struct leat_batch *b, const struct token *t)
{
    uint32_t slot = reservoir_offer(&st->reservoir);
    if (slot == RESERVOIR_NONE) return;
    struct leat_str s = b->part[t->part - 1].value;
    uint32_t len = s.len == LEAT_NULL ? 0 : s.len < LEAT_ADDED_NAME ? s.len : LEAT_ADDED_NAME;
    st->held[slot] = *t;
    st->len[slot] = s.len == LEAT_NULL ? UINT8_MAX : (uint8_t)len;
    memcpy(st->text + (size_t)slot * LEAT_ADDED_NAME, b->bytes + s.off, len);
}

/* Write a held token's name into the batch. There is room: the schema granted it. */
static void bring(struct stage *st, struct leat_batch *b, uint32_t slot)
{
    struct token *t = &st->held[slot];
    uint32_t len = st->len[slot] == UINT8_MAX ? 0 : st->len[slot], off = leat_add_bytes(b, len);
    struct leat_str s = {off == LEAT_NULL ? 0 : off, st->len[slot] == UINT8_MAX ? LEAT_NULL : len};
    if (off == LEAT_NULL)
        s.len = 0;
    else
        memcpy(b->bytes + off, st->text + (size_t)slot * LEAT_ADDED_NAME, len);
    t->part = leat_add_part(b, t->field, s);
    t->batch = st->batch;
}

static const struct token *draw(struct stage *st, struct leat_batch *b, uint32_t bits)
{
    uint32_t slot = reservoir_pick(bits, reservoir_filled(&st->reservoir));
    if (st->held[slot].batch != st->batch) bring(st, b, slot);
    return &st->held[slot];
}

/* ---- pairs ---- */

static uint64_t pair_id(const struct stage *st, const struct token *u, const struct token *v)
{
    /* ordered: the second part is mixed once more, so that the sum tells the places apart */
    uint64_t second = st->ordered ? feature_id_part(v->part_id) : v->part_id;
    return feature_id_and2(u->part_id, second);
}

/* Room was seen to before. */
static void add_pair(const struct stage *st, struct leat_batch *b, uint32_t r,
                     const struct token *u, const struct token *v, float label, float weight)
{
    uint32_t e = b->n_examples++, i = b->n_entries++;
    b->ex_record[e] = r;
    b->ex_label[e] = label;
    b->ex_weight[e] = weight;
    b->ex_start[e] = i;
    b->ex_start[e + 1] = i + 1;
    b->id[i] = pair_id(st, u, v);
    b->value[i] = 1.0f;
    b->name[i] = (struct leat_name){{u->part, v->part}};
}

/* Pairs of chance beside the pair (u, v): one of the two stays, the other is drawn. So both places
 * are distributed like tokens, as if both were drawn, but a pair of rare tokens, of which a
 * reservoir seldom holds both, comes in its due number instead of hardly ever. */
static void add_chance(struct stage *st, struct leat_batch *b, uint32_t r, const struct token *u,
                       const struct token *v, float weight)
{
    for (uint32_t k = 0; k < st->negatives; k++) {
        uint64_t bits = reservoir_random(&st->reservoir);
        const struct token *x = draw(st, b, (uint32_t)bits);
        if (bits >> 63)
            add_pair(st, b, r, u, x, -1.0f, weight);
        else
            add_pair(st, b, r, x, v, -1.0f, weight);
    }
}

static void pair_up(struct stage *st, struct leat_batch *b, uint32_t r, uint32_t n, float weight)
{
    float chance_weight = weight * st->negative_weight;
    for (uint32_t i = 0; i < n; i++) {
        offer(st, b, &st->row[i]);
        uint32_t end = n - i > st->window ? i + st->window : n;
        for (uint32_t j = i + 1; j < end; j++) {
            add_pair(st, b, r, &st->row[i], &st->row[j], 1.0f, weight);
            add_chance(st, b, r, &st->row[i], &st->row[j], chance_weight);
        }
    }
}

/* The tokens of example e. How many. */
static uint32_t take_tokens(struct stage *st, const struct leat_batch *b, uint32_t e)
{
    uint32_t start = b->ex_start[e], all = b->ex_start[e + 1] - start, n = 0;
    for (uint32_t i = start; i < start + all && n < st->max_tokens; i++) {
        uint32_t part = b->name[i].part[0];
        if (!part) continue;
        st->row[n++] = (struct token){.part_id = feature_id_part(b->id[i]),
                                      .batch = st->batch,
                                      .part = part,
                                      .field = b->part[part - 1].field};
    }
    if (all > st->max_tokens) st->cut += all - st->max_tokens;
    return n;
}

static int process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    struct stage *st = self;
    st->batch++;
    for (LEAT_EACH_EXAMPLE(b, e)) {
        uint32_t r = b->ex_record[e], n = take_tokens(st, b, e);
        uint64_t room = n_pairs(n, st->window) * (1 + st->negatives);
        if (room > b->cap_examples - b->n_examples || room > b->cap_entries - b->n_entries)
            ctx->host->reject(ctx, b, r, LEAT_R_TOO_LARGE, "more pairs than a batch has room for");
        else
            pair_up(st, b, r, n, b->ex_weight[e]);
    }
    b->n_ex_sel = 0; /* of the tokens; the pairs are selected when this call is over */
    return LEAT_OK;
}

static int stop(struct leat_ctx *ctx, void *self)
{
    const struct stage *st = self;
    ctx->host->metric(ctx, "tokens", (double)st->reservoir.seen);
    ctx->host->metric(ctx, "tokens_cut", (double)st->cut);
    return LEAT_OK;
}

/* ---- state: the sample, so that a run goes on as if it had not stopped ---- */

static int write_tokens(const struct stage *st, uint64_t *id, uint32_t *field, uint32_t n,
                        struct leat_writer *w)
{
    for (uint32_t i = 0; i < n; i++) {
        id[i] = st->held[i].part_id;
        field[i] = st->held[i].field;
    }
    int s = w->array(w, "token_id", LEAT_U64, id, n);
    if (s == LEAT_OK) s = w->array(w, "token_field", LEAT_U32, field, n);
    if (s == LEAT_OK) s = w->array(w, "token_bytes", LEAT_U8, st->len, n);
    if (s == LEAT_OK)
        s = w->array(w, "token_text", LEAT_U8, st->text, (uint64_t)n * LEAT_ADDED_NAME);
    return s;
}

static int snapshot(struct leat_ctx *ctx, void *self, struct leat_writer *w)
{
    const struct stage *st = self;
    const struct leat_host *h = ctx->host;
    uint32_t n = reservoir_filled(&st->reservoir);
    uint64_t *id = h->alloc(ctx, (n + 1) * sizeof *id);
    uint32_t *field = h->alloc(ctx, (n + 1) * sizeof *field);
    int s = id && field ? LEAT_OK : LEAT_ENOMEM;
    if (s == LEAT_OK) s = w->u64(w, "reservoir", st->reservoir.size);
    if (s == LEAT_OK) s = w->u64(w, "seen", st->reservoir.seen);
    if (s == LEAT_OK) s = w->u64(w, "random", st->reservoir.random);
    if (s == LEAT_OK) s = w->u64(w, "tokens_cut", st->cut);
    if (s == LEAT_OK) s = write_tokens(st, id, field, n, w);
    h->free(ctx, field);
    h->free(ctx, id);
    return s;
}

/* Lengths and fields that a stage could have written. */
static int check_tokens(const struct leat_ctx *ctx, struct leat_reader *r, const uint32_t *field,
                        const uint8_t *len, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        if (len[i] > LEAT_ADDED_NAME && len[i] != UINT8_MAX)
            return r->refuse(r, "token %u has %u bytes, at most %d are kept", i, len[i],
                             LEAT_ADDED_NAME);
        if (field[i] != LEAT_NO_FIELD && field[i] >= ctx->in->n_fields)
            return r->refuse(r, "token %u is of field %u, there are %u", i, field[i],
                             ctx->in->n_fields);
    }
    return LEAT_OK;
}

static int restore(struct leat_ctx *ctx, void *self, struct leat_reader *r, uint32_t version)
{
    struct stage *st = self;
    struct reservoir kept = st->reservoir;
    const void *id, *field, *len, *text;
    uint64_t cut;
    if (version != STATE_VERSION)
        return r->refuse(r, "state of version %u, this stage reads %d", version, STATE_VERSION);
    int s = r->same_u64(r, "reservoir", kept.size);
    if (s == LEAT_OK) s = r->u64(r, "seen", &kept.seen);
    if (s == LEAT_OK) s = r->u64(r, "random", &kept.random);
    if (s == LEAT_OK) s = r->u64(r, "tokens_cut", &cut);
    uint64_t n = reservoir_filled(&kept), bytes = n * LEAT_ADDED_NAME;
    if (s == LEAT_OK && n > 0) {
        s = r->array(r, "token_id", LEAT_U64, &id, &n);
        if (s == LEAT_OK) s = r->array(r, "token_field", LEAT_U32, &field, &n);
        if (s == LEAT_OK) s = r->array(r, "token_bytes", LEAT_U8, &len, &n);
        if (s == LEAT_OK) s = r->array(r, "token_text", LEAT_U8, &text, &bytes);
        if (s == LEAT_OK) s = check_tokens(ctx, r, field, len, (uint32_t)n);
    }
    if (s != LEAT_OK) return s;
    for (uint32_t i = 0; i < n; i++)
        st->held[i] = (struct token){.part_id = ((const uint64_t *)id)[i],
                                     .field = ((const uint32_t *)field)[i]};
    if (n > 0) {
        memcpy(st->len, len, n);
        memcpy(st->text, text, bytes);
    }
    st->reservoir = kept;
    st->cut = cut;
    return LEAT_OK;
}

const struct leat_stage feature_pairs = {
    .name = "feature.pairs",
    .summary = "pairs of tokens that occur together, against pairs of chance",
    .doc =
        "Takes examples whose features are the tokens of a record in their order (feature.tokens) "
        "and puts examples of one feature in their place: for each token its pairs with the window "
        "- 1 tokens behind it in the record, label +1, and beside each of these `negatives` pairs "
        "of chance, label -1 and weight 1/negatives, in which one of its tokens is replaced by one "
        "drawn from a uniform sample of all tokens so far (a reservoir, algorithm R). A logistic "
        "learner without bias (learn.awm with bias = \"none\", which is what the equal weights of "
        "both kinds call for) then tends to\n\n"
        "    w(u, v) = log p(u, v) / (p(u) p(v)),\n\n"
        "the pointwise mutual information, for it learns to tell pairs of the text from pairs of "
        "chance (Tai, Sharan, Bailis, Valiant: Sketching Linear Classifiers over Data Streams, "
        "SIGMOD 2018, sec. 8.3). Without `ordered`, (u, v) and (v, u) are one pair, and p(u) p(v) "
        "counts twice where u and v differ. Labels of the records are not used; their weights "
        "are.\n\n"
        "n tokens make (window - 1)(n - window / 2) pairs, each 1 + negatives examples; a batch "
        "has room for batch_rows records of max_tokens tokens, so choose batch_rows small (32). "
        "The sample keeps up to 64 bytes of each token's name; ids are of the whole token. Time: "
        "some nanoseconds an example. The sample and the state of its random numbers are saved and "
        "restored; samples of two streams are not merged.",
    .example = "leat.feature.pairs { window = 6, negatives = 5 }",
    .kind = LEAT_TRANSFORM,
    .caps = LEAT_REWRITES,
    .needs = LEAT_HAS_EXAMPLES | LEAT_HAS_NAMES,
    .makes = LEAT_HAS_LABEL,
    LEAT_PARAMS(params),
    .cfg_size = sizeof(struct cfg),
    .instance_size = sizeof(struct stage),
    .validate = validate,
    .negotiate = negotiate,
    .plan = plan,
    .open = open_stage,
    .close = close_stage,
    .stop = stop,
    .process = process,
    .state_version = STATE_VERSION,
    .snapshot = snapshot,
    .restore = restore,
};
