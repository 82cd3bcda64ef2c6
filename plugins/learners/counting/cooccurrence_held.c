/* cooccurrence_held.c -- implementation of cooccurrence_held.h. */
#include "cooccurrence_held.h"

#include <string.h>

#include "common/state/state_fields.h"
#include "common/state/state_names.h"
#include "kernels/base/count.h"

/* ---- memory ---- */

void cooccurrence_release(struct leat_ctx *ctx, struct cooccurrence_held *h)
{
    ctx->host->free(ctx, h->sum_names.bytes);
    ctx->host->free(ctx, h->sum_block);
    ctx->host->free(ctx, h->names_block);
    ctx->host->free(ctx, h->block);
}

static int cooccurrence_lacks_memory(struct leat_ctx *ctx, uint64_t kept)
{
    return ctx->host->fail(ctx, LEAT_ENOMEM, "there is not enough memory for %llu tokens and pairs",
                           (unsigned long long)kept);
}

int cooccurrence_make(struct leat_ctx *ctx, const struct cooccurrence_shape *s,
                      const struct cooccurrence_options *o, struct cooccurrence_names names,
                      uint32_t wider, struct cooccurrence_held *h)
{
    const struct leat_host *host = ctx->host;
    *h = (struct cooccurrence_held){.block = host->alloc(ctx, cooccurrence_block_bytes(s)),
                                    .names_block = host->alloc(ctx, names.bytes),
                                    .wider = wider};
    if (!h->block || !h->names_block) {
        cooccurrence_release(ctx, h);
        *h = (struct cooccurrence_held){0};
        return cooccurrence_lacks_memory(ctx, s->kept);
    }
    cooccurrence_init(&h->model, s, o, h->block);
    names_init(&h->names, s->kept, names.max_bytes,
               names.bytes - (uint32_t)names_block_bytes(s->kept, 0), h->names_block);
    return LEAT_OK;
}

/* Returns the shape of a leaf whose tables are `wider` times those of the budget. */
static struct cooccurrence_shape cooccurrence_wider(const struct cooccurrence_held *live,
                                                    uint32_t wider)
{
    const struct cooccurrence_shape *s = &live->model.shape;
    return (struct cooccurrence_shape){s->kept / live->wider * wider,
                                       s->token_width / live->wider * wider,
                                       s->pair_width / live->wider * wider};
}

/* Makes an empty leaf with the parameters of `live`, whose tables are `wider` times those of the
 * budget. */
static int cooccurrence_make_like(struct leat_ctx *ctx, const struct cooccurrence_held *live,
                                  uint32_t wider, struct cooccurrence_held *h)
{
    const struct names *n = &live->names;
    const struct cooccurrence_shape s = cooccurrence_wider(live, wider);
    uint32_t bytes = (uint32_t)names_block_bytes(n->slots, n->cap) / live->wider * wider;
    return cooccurrence_make(ctx, &s, &live->model.opt,
                             (struct cooccurrence_names){bytes, n->max_bytes}, wider, h);
}

static const char *cooccurrence_sum_name(const struct cooccurrence_held *h, uint32_t token,
                                         size_t *len)
{
    return name_pool_get(&h->sum_names, h->sum.token[token].name, len);
}

/* Makes the sum, or moves it, so that it has room for so many tokens and pairs. */
static int cooccurrence_sum_reserve(struct leat_ctx *ctx, struct cooccurrence_held *h,
                                    const struct cooccurrence_shape *shape, uint64_t tokens,
                                    uint64_t pairs)
{
    const struct cooccurrence_sum_room room = cooccurrence_sum_room_for(tokens, pairs);
    struct cooccurrence_sum s;
    if (h->sum_block && tokens <= h->sum.room.tokens && pairs <= h->sum.room.pairs) return LEAT_OK;
    void *block = ctx->host->alloc(ctx, cooccurrence_sum_bytes(shape, &room));
    if (!block) return cooccurrence_lacks_memory(ctx, tokens + pairs);
    cooccurrence_sum_init(&s, shape, &h->model.opt, &room, block);
    if (h->sum_block) cooccurrence_sum_move(&s, &h->sum);
    ctx->host->free(ctx, h->sum_block);
    h->sum_block = block;
    h->sum = s;
    return LEAT_OK;
}

/* Makes room for `more` bytes in the pool of a sum's names. Drops names that were replaced. */
static int cooccurrence_names_reserve(struct leat_ctx *ctx, struct cooccurrence_held *h,
                                      uint64_t more)
{
    struct name_pool pool, *old = &h->sum_names;
    if (old->bytes && more <= old->cap - old->used) return LEAT_OK;
    uint64_t cap = 2 * (old->used + more) + 64;
    if (cap > UINT32_MAX) cap = UINT32_MAX;
    void *bytes = ctx->host->alloc(ctx, cap);
    if (!bytes) return cooccurrence_lacks_memory(ctx, h->sum.tokens);
    name_pool_init(&pool, bytes, cap, NAMES_MAX_BYTES);
    for (uint32_t t = 0; t < h->sum.tokens; t++) {
        size_t len;
        const char *name = cooccurrence_sum_name(h, t, &len);
        if (len) h->sum.token[t].name = name_pool_add(&pool, name, len);
    }
    ctx->host->free(ctx, old->bytes);
    *old = pool;
    return LEAT_OK;
}

/* ---- adding ---- */

static uint64_t cooccurrence_learned(const struct cooccurrence_held *h)
{
    return h->model.n_tokens + h->sum.n_tokens;
}

static uint32_t cooccurrence_tokens(const struct cooccurrence_held *h)
{
    return h->sum_block ? h->sum.tokens : h->model.token.index.n;
}

static uint32_t cooccurrence_pairs(const struct cooccurrence_held *h)
{
    return h->sum_block ? h->sum.pairs : h->model.pair.n;
}

/* Gives a token of the sum a name, unless it has one that name_preferred() prefers. */
static void cooccurrence_sum_take_name(struct cooccurrence_held *h, uint64_t id, const char *name,
                                       size_t len)
{
    size_t now_len;
    uint32_t token = cooccurrence_sum_find(&h->sum, id);
    const char *now = cooccurrence_sum_name(h, token, &now_len);
    if (len && !name_preferred(now, now_len, name, len))
        h->sum.token[token].name = name_pool_add(&h->sum_names, name, len);
}

/* Adds a leaf or a sum to a sum that has room for it. */
static void cooccurrence_put(struct cooccurrence_held *to, const struct cooccurrence_held *from,
                             double weight)
{
    uint32_t n = cooccurrence_tokens(from);
    if (from->sum_block)
        cooccurrence_sum_add(&to->sum, &from->sum, weight);
    else
        cooccurrence_sum_add_leaf(&to->sum, &from->model, weight);
    for (uint32_t t = 0; t < n; t++) {
        size_t len;
        const char *name = from->sum_block ? cooccurrence_sum_name(from, t, &len)
                                           : names_get(&from->names, t, &len);
        cooccurrence_sum_take_name(
            to, from->sum_block ? from->sum.token[t].id : from->model.token.index.wide[t], name,
            len);
    }
}

static uint64_t cooccurrence_names_used(const struct cooccurrence_held *h)
{
    return h->sum_block ? h->sum_names.used : h->names.used;
}

/* Makes room in a sum for `tokens` and `pairs` in all, and `names` more bytes of names. */
static int cooccurrence_reserve(struct leat_ctx *ctx, struct cooccurrence_held *h,
                                const struct cooccurrence_shape *shape, uint64_t tokens,
                                uint64_t pairs, uint64_t names)
{
    int status = cooccurrence_sum_reserve(ctx, h, shape, tokens, pairs);
    return status == LEAT_OK ? cooccurrence_names_reserve(ctx, h, names) : status;
}

/* Adds `more` to h. If h is a leaf, it becomes a sum. Changes nothing if it fails. */
static int cooccurrence_join(struct leat_ctx *ctx, struct cooccurrence_held *h,
                             const struct cooccurrence_held *more, double weight)
{
    const struct cooccurrence_shape *shape =
        more->sum_block ? &more->sum.shape : &more->model.shape;
    uint64_t tokens = (uint64_t)cooccurrence_tokens(h) + cooccurrence_tokens(more),
             pairs = (uint64_t)cooccurrence_pairs(h) + cooccurrence_pairs(more),
             names = cooccurrence_names_used(more);
    /* a sum that learned nothing may have another width */
    struct cooccurrence_held sum = {0}, *to = h->sum_block && cooccurrence_learned(h) ? h : &sum;
    int status = to == h ? LEAT_OK : cooccurrence_make_like(ctx, h, h->wider, &sum);
    if (status != LEAT_OK) return status;
    status = cooccurrence_reserve(ctx, to, shape, tokens, pairs,
                                  to == h ? names : names + h->names.used);
    if (status != LEAT_OK) {
        cooccurrence_release(ctx, &sum);
        return status;
    }
    if (to != h) {
        if (cooccurrence_learned(h)) cooccurrence_put(&sum, h, 1);
        sum.without_pairs = h->without_pairs;
        cooccurrence_release(ctx, h);
        *h = sum;
    }
    cooccurrence_put(h, more, weight);
    return LEAT_OK;
}

void cooccurrence_settle(struct leat_ctx *ctx, struct cooccurrence_held *h)
{
    if (!h->sum_block) return;
    cooccurrence_sum_settle(&h->sum, &h->model);
    for (uint32_t slot = 0; slot < h->model.token.index.n; slot++) {
        size_t len;
        uint32_t t = cooccurrence_sum_find(&h->sum, h->model.token.index.wide[slot]);
        const char *name = cooccurrence_sum_name(h, t, &len);
        names_set(&h->names, slot, name, len);
    }
    ctx->host->free(ctx, h->sum_names.bytes);
    ctx->host->free(ctx, h->sum_block);
    h->sum_block = h->sum_names.bytes = NULL;
    memset(&h->sum, 0, sizeof h->sum);
}

/* ---- reading ---- */

int cooccurrence_view(struct leat_ctx *ctx, const struct cooccurrence_held *h,
                      struct cooccurrence_held *view)
{
    const struct cooccurrence_sum *s = &h->sum;
    size_t cap = h->sum_names.used + 8 * (size_t)s->tokens, longest = NAMES_MIN_BYTES, len;
    *view = (struct cooccurrence_held){
        .block = ctx->host->alloc(ctx, cooccurrence_sum_view_bytes(s)),
        .names_block = ctx->host->alloc(ctx, names_block_bytes(s->tokens, cap))};
    if (!view->block || !view->names_block) {
        cooccurrence_release(ctx, view);
        return cooccurrence_lacks_memory(ctx, s->tokens);
    }
    cooccurrence_sum_view(s, &view->model, view->block);
    for (uint32_t t = 0; t < s->tokens; t++) {
        cooccurrence_sum_name(h, t, &len);
        longest = len > longest ? len : longest;
    }
    names_init(&view->names, s->tokens, (uint32_t)longest, cap, view->names_block);
    for (uint32_t t = 0; t < s->tokens; t++) {
        const char *name = cooccurrence_sum_name(h, t, &len);
        names_set(&view->names, s->rank[t], name, len);
    }
    return LEAT_OK;
}

/* ---- the state of a leaf ---- */

#define AT(member) STATE_MEMBER(struct cooccurrence_parts, member)
static const struct state_field cooccurrence_fields[] = {
    {"tokens", STATE_VALUE, .at = AT(n_tokens), .max = COUNT_MAX},
    {"pairs", STATE_VALUE, .at = AT(n_pairs), .max = COUNT_MAX},
    {"ids", STATE_LENT, .at = AT(id), .count = {AT(tokens)}, .sets_count = true, .limit = AT(kept),
     .hint = "the tokens of the budget"},
    {"token_counts", STATE_LENT, .at = AT(token_count), .count = {AT(tokens)}},
    {"token_excess", STATE_LENT, .at = AT(token_excess), .count = {AT(tokens)}},
    {"token_cursor", STATE_VALUE, .at = AT(token_cursor), .limit = AT(tokens)},
    {"token_cells", STATE_LENT, .at = AT(token_cell), .count = {AT(token_cells)}},
};
/* In the order of enum cooccurrence_column. */
static const struct state_field cooccurrence_pair_fields[] = {
    {"first", STATE_LENT, .at = AT(first), .count = {AT(pairs)}, .sets_count = true,
     .limit = AT(kept), .hint = "the pairs of the budget"},
    {"second", STATE_LENT, .at = AT(second), .count = {AT(pairs)}},
    {"counted", STATE_LENT, .at = AT(count), .count = {AT(pairs)}},
    {"excess", STATE_LENT, .at = AT(excess), .count = {AT(pairs)}},
    {"ages", STATE_LENT, .at = AT(age), .count = {AT(pairs)}},
};
static const struct state_field cooccurrence_last_fields[] = {
    {"pair_cursor", STATE_VALUE, .at = AT(pair_cursor), .limit = AT(pairs)},
    {"pair_cells", STATE_LENT, .at = AT(pair_cell), .count = {AT(pair_cells)}},
    {"registers", STATE_LENT, .at = AT(registers), .each = DISTINCT_REGISTERS,
     .max = DISTINCT_MOST},
};
#undef AT

static int cooccurrence_write_pairs(const struct cooccurrence *m, struct cooccurrence_parts p,
                                    struct leat_writer *w)
{
    int status = LEAT_OK;
    for (uint32_t c = PAIR_FIRST; c <= PAIR_AGE && status == LEAT_OK; c++) {
        p.age = cooccurrence_pair_column(m, (enum cooccurrence_column)c);
        p.first = p.second = p.count = p.excess = (const uint32_t *)p.age;
        status = state_write(w, &cooccurrence_pair_fields[c], 1, &p);
    }
    return status;
}

static int cooccurrence_write_leaf(const struct cooccurrence_held *h, struct leat_writer *w)
{
    const struct cooccurrence_parts p = cooccurrence_parts(&h->model);
    int status = state_write(w, STATE_TABLE(cooccurrence_fields), &p);
    if (status == LEAT_OK) status = cooccurrence_write_pairs(&h->model, p, w);
    if (status == LEAT_OK) status = state_write(w, STATE_TABLE(cooccurrence_last_fields), &p);
    return status == LEAT_OK ? state_write_slot_names(w, &h->names, p.tokens) : status;
}

static int cooccurrence_read_leaf(struct leat_reader *r, struct cooccurrence_held *h)
{
    struct cooccurrence_parts p = cooccurrence_parts(&h->model);
    int status = state_read(r, STATE_TABLE(cooccurrence_fields), &p);
    if (status == LEAT_OK) status = state_read(r, STATE_TABLE(cooccurrence_pair_fields), &p);
    if (status == LEAT_OK) status = state_read(r, STATE_TABLE(cooccurrence_last_fields), &p);
    const char *wrong = status == LEAT_OK ? cooccurrence_load(&h->model, &p) : NULL;
    if (wrong) status = r->refuse(r, "%s", wrong);
    return status == LEAT_OK ? state_read_slot_names(r, h->model.token.index.n, &h->names) : status;
}

/* ---- the state of a sum ---- */

#define AT(member) STATE_MEMBER(struct cooccurrence_sum_parts, member)
static const struct state_field cooccurrence_sum_fields[] = {
    {"tokens", STATE_VALUE, .at = AT(n_tokens), .max = COUNT_MAX},
    {"pairs", STATE_VALUE, .at = AT(n_pairs), .max = COUNT_MAX},
    {"cells", STATE_VALUE, .at = AT(cells), .max = 1},
};
/* Columns in canonical order: cooccurrence_sum_columns says where they are in a sum. */
static const struct state_field cooccurrence_sum_arrays[] = {
    {"ids", STATE_LENT, .at = AT(id), .count = {AT(tokens)}, .sets_count = true, .limit = AT(most)},
    {"token_counts", STATE_LENT, .at = AT(token_count), .count = {AT(tokens)}},
    {"token_lows", STATE_LENT, .at = AT(token_low), .count = {AT(tokens)}},
    {"token_own", STATE_LENT, .at = AT(token_own), .each = COOCCURRENCE_TOKEN_DEPTH,
     .count = {AT(tokens), AT(cells)}},
    {"first", STATE_LENT, .at = AT(first), .count = {AT(pairs)}, .sets_count = true,
     .limit = AT(most)},
    {"second", STATE_LENT, .at = AT(second), .count = {AT(pairs)}},
    {"counted", STATE_LENT, .at = AT(count), .count = {AT(pairs)}},
    {"lows", STATE_LENT, .at = AT(low), .count = {AT(pairs)}},
    {"own", STATE_LENT, .at = AT(own), .each = COOCCURRENCE_PAIR_DEPTH,
     .count = {AT(pairs), AT(cells)}},
    {"of_tokens", STATE_LENT, .at = AT(of), .each = 2, .count = {AT(pairs)}},
};
static const struct state_field cooccurrence_sum_cells[] = {
    {"token_cells", STATE_LENT, .at = AT(token_cell), .each = COOCCURRENCE_TOKEN_DEPTH,
     .count = {AT(token_width), AT(cells)}},
    {"pair_cells", STATE_LENT, .at = AT(pair_cell), .each = COOCCURRENCE_PAIR_DEPTH,
     .count = {AT(pair_width), AT(cells)}},
    {"registers", STATE_LENT, .at = AT(registers), .each = DISTINCT_REGISTERS,
     .max = DISTINCT_MOST},
};
#undef AT

/* Kinds of columns. An index is that of a token. `own` is absent if all cells are 0. */
enum cooccurrence_kind { TOKEN_SUM, TOKEN_OWN, PAIR_INDEX, PAIR_SUM, PAIR_OWN };
/* Member of a token or of a pair. */
struct cooccurrence_sum_column {
    size_t offset, bytes;
    enum cooccurrence_kind kind;
};
#define COLUMN(STRUCT, MEMBER, KIND)                                                               \
    {                                                                                              \
        offsetof(struct STRUCT, MEMBER), sizeof(((struct STRUCT *)0)->MEMBER), KIND                \
    }
static const struct cooccurrence_sum_column cooccurrence_sum_columns[] = {
    COLUMN(cooccurrence_sum_token, id, TOKEN_SUM),
    COLUMN(cooccurrence_sum_token, count, TOKEN_SUM),
    COLUMN(cooccurrence_sum_token, low, TOKEN_SUM),
    COLUMN(cooccurrence_sum_token, own, TOKEN_OWN),
    COLUMN(cooccurrence_sum_pair, first, PAIR_INDEX),
    COLUMN(cooccurrence_sum_pair, second, PAIR_INDEX),
    COLUMN(cooccurrence_sum_pair, count, PAIR_SUM),
    COLUMN(cooccurrence_sum_pair, low, PAIR_SUM),
    COLUMN(cooccurrence_sum_pair, own, PAIR_OWN),
    COLUMN(cooccurrence_sum_pair, of, PAIR_SUM),
};
#undef COLUMN

/* Writes column c of all tokens or pairs. */
static int cooccurrence_write_column(const struct cooccurrence_sum *s, size_t c, bool cells,
                                     struct leat_writer *w)
{
    const struct state_field *f = &cooccurrence_sum_arrays[c];
    const struct cooccurrence_sum_column *k = &cooccurrence_sum_columns[c];
    const bool of_token = k->kind <= TOKEN_OWN;
    const bool absent = !cells && (k->kind == TOKEN_OWN || k->kind == PAIR_OWN);
    uint32_t n = absent ? 0 : of_token ? s->tokens : s->pairs, index;
    char *to = w->reserve(w, f->name, f->at.type, n * k->bytes / (f->at.type == LEAT_U64 ? 8 : 4));
    if (!to) return LEAT_ENOMEM;
    for (uint32_t i = 0; i < n; i++, to += k->bytes) {
        const char *from = of_token ? (const char *)&s->token[s->token_order[i]]
                                    : (const char *)&s->pair[s->pair_order[i]];
        memcpy(to, from + k->offset, k->bytes);
        if (k->kind != PAIR_INDEX) continue;
        memcpy(&index, to, sizeof index);
        memcpy(to, &s->rank[index], sizeof index);
    }
    return LEAT_OK;
}

static void cooccurrence_list_names(const void *held, struct name_list *list)
{
    const struct cooccurrence_held *h = held;
    for (uint32_t i = 0; i < h->sum.tokens; i++) {
        size_t len;
        const char *name = cooccurrence_sum_name(h, h->sum.token_order[i], &len);
        name_list_add(list, len ? name : NULL, len);
    }
}

static int cooccurrence_write_sum(const struct cooccurrence_held *h, struct leat_writer *w)
{
    const struct cooccurrence_sum *s = &h->sum;
    const struct cooccurrence_sum_parts p = {.n_tokens = s->n_tokens,
                                             .n_pairs = s->n_pairs,
                                             .cells = !cooccurrence_sum_is_whole(s),
                                             .token_width = s->shape.token_width,
                                             .pair_width = s->shape.pair_width,
                                             .token_cell = s->token_cell,
                                             .pair_cell = s->pair_cell,
                                             .registers = s->registers};
    int status = state_write(w, STATE_TABLE(cooccurrence_sum_fields), &p);
    cooccurrence_sum_order(s);
    for (size_t c = 0; c < sizeof cooccurrence_sum_columns / sizeof *cooccurrence_sum_columns; c++)
        if (status == LEAT_OK) status = cooccurrence_write_column(s, c, p.cells, w);
    if (status == LEAT_OK) status = state_write(w, STATE_TABLE(cooccurrence_sum_cells), &p);
    return status == LEAT_OK ? state_write_names(w, cooccurrence_list_names, h, s->tokens) : status;
}

/* Reads a sum of leaves of this shape into h, which is an empty leaf. */
static int cooccurrence_read_sum(struct leat_ctx *ctx, struct leat_reader *r,
                                 const struct cooccurrence_shape *shape,
                                 struct cooccurrence_held *h)
{
    struct cooccurrence_sum_parts p = {.most = COOCCURRENCE_MAX_SUM,
                                       .token_width = shape->token_width,
                                       .pair_width = shape->pair_width};
    struct name_list names = {0};
    uint64_t at = 0;
    int status = state_read(r, STATE_TABLE(cooccurrence_sum_fields), &p);
    if (status == LEAT_OK) status = state_read(r, STATE_TABLE(cooccurrence_sum_arrays), &p);
    if (status == LEAT_OK) status = state_read(r, STATE_TABLE(cooccurrence_sum_cells), &p);
    if (status == LEAT_OK) status = state_read_names(r, p.tokens, &names);
    if (status == LEAT_OK)
        status = cooccurrence_reserve(ctx, h, shape, p.tokens, p.pairs,
                                      names.bytes + 2 * (uint64_t)p.tokens);
    const char *wrong = status == LEAT_OK ? cooccurrence_sum_load(&h->sum, &p) : NULL;
    if (wrong) return r->refuse(r, "%s", wrong);
    for (uint32_t i = 0; i < p.tokens && status == LEAT_OK; i++) {
        size_t len;
        const char *name = name_list_next(&names, i, &at, &len);
        if (len) h->sum.token[i].name = name_pool_add(&h->sum_names, name, len);
    }
    return status;
}

/* ---- states ---- */

/* Begin of a state, before that of a leaf or of a sum. */
struct cooccurrence_saved {
    struct cooccurrence_shape shape; /* of the budget */
    struct cooccurrence_options opt;
    uint64_t without_pairs;
    uint32_t wider;
    uint32_t merged; /* 1: a sum */
};
#define AT(member) STATE_MEMBER(struct cooccurrence_saved, member)
static const struct state_field cooccurrence_saved_fields[] = {
    {"kept", STATE_SAME, .at = AT(shape.kept)},
    {"token_width", STATE_SAME, .at = AT(shape.token_width)},
    {"pair_width", STATE_SAME, .at = AT(shape.pair_width)},
    {"seed", STATE_SAME, .at = AT(opt.seed)}, /* the seed determines the cells of each pair */
    {"window", STATE_SAME, .at = AT(opt.window)},
    {"min_count", STATE_SAME, .at = AT(opt.min_count)},
    {"ordered", STATE_SAME, .at = AT(opt.ordered), .choices = state_false_true},
    {"sides", STATE_SAME, .at = AT(opt.sides), .choices = state_false_true},
    {"without_pairs", STATE_VALUE, .at = AT(without_pairs), .max = COUNT_MAX},
    {"wider", STATE_VALUE, .at = AT(wider), .min = 1, .max = COOCCURRENCE_WIDER},
    {"merged", STATE_VALUE, .at = AT(merged), .choices = state_false_true},
};
#undef AT

/* Returns the begin of the state of h; `wider` is that of the sum if h is one. */
static struct cooccurrence_saved cooccurrence_saved(const struct cooccurrence_held *h)
{
    const struct cooccurrence_shape base = cooccurrence_wider(h, 1);
    return (struct cooccurrence_saved){
        .shape = base,
        .opt = h->model.opt,
        .without_pairs = h->without_pairs,
        .wider = h->sum_block ? h->sum.shape.token_width / base.token_width : h->wider,
        .merged = h->sum_block != NULL};
}

int cooccurrence_write(const struct cooccurrence_held *h, struct leat_writer *w)
{
    const struct cooccurrence_saved s = cooccurrence_saved(h);
    int status = state_write(w, STATE_TABLE(cooccurrence_saved_fields), &s);
    if (status != LEAT_OK) return status;
    return s.merged ? cooccurrence_write_sum(h, w) : cooccurrence_write_leaf(h, w);
}

/* Reads a state with the parameters of `live` into `fresh`. A leaf has the width of the state. */
static int cooccurrence_read(struct leat_ctx *ctx, const struct cooccurrence_held *live,
                             struct leat_reader *r, struct cooccurrence_held *fresh)
{
    struct cooccurrence_saved s = cooccurrence_saved(live);
    int status = state_read(r, STATE_TABLE(cooccurrence_saved_fields), &s);
    if (status != LEAT_OK) return status;
    if (cooccurrence_widest(&s.shape, s.wider) < s.wider)
        return r->refuse(r, "wider is %u, and tables of this budget cannot be so wide", s.wider);
    const struct cooccurrence_shape shape = cooccurrence_wider(live, s.wider);
    status = cooccurrence_make_like(ctx, live, s.merged ? live->wider : s.wider, fresh);
    if (status != LEAT_OK) return status;
    fresh->without_pairs = s.without_pairs;
    status =
        s.merged ? cooccurrence_read_sum(ctx, r, &shape, fresh) : cooccurrence_read_leaf(r, fresh);
    if (status != LEAT_OK) cooccurrence_release(ctx, fresh);
    return status;
}

int cooccurrence_restore(struct leat_ctx *ctx, struct cooccurrence_held *h, struct leat_reader *r)
{
    struct cooccurrence_held fresh, leaf = {0};
    int status = cooccurrence_read(ctx, h, r, &fresh);
    if (status == LEAT_OK && fresh.wider != h->wider) { /* a leaf of another width becomes a sum */
        leaf = fresh;
        status = cooccurrence_make_like(ctx, h, h->wider, &fresh);
        if (status == LEAT_OK) status = cooccurrence_join(ctx, &fresh, &leaf, 1);
        if (status != LEAT_OK) cooccurrence_release(ctx, &fresh);
        fresh.without_pairs = leaf.without_pairs;
    }
    cooccurrence_release(ctx, &leaf);
    if (status != LEAT_OK) return status;
    cooccurrence_release(ctx, h);
    *h = fresh;
    return LEAT_OK;
}

int cooccurrence_merge(struct leat_ctx *ctx, struct cooccurrence_held *h, struct leat_reader *r,
                       double weight)
{
    struct cooccurrence_held more;
    int status = cooccurrence_read(ctx, h, r, &more);
    if (status != LEAT_OK) return status;
    uint32_t here = cooccurrence_saved(h).wider, there = cooccurrence_saved(&more).wider;
    uint64_t without_pairs = count_add(h->without_pairs, more.without_pairs, weight);
    bool changes = weight > 0 && cooccurrence_learned(&more);
    if (changes && cooccurrence_learned(h) && here != there) {
        status = r->refuse(r,
                           "its tables are %u times those of the budget, and %u times here: learn "
                           "all splits with --split, or none",
                           there, here);
    } else if (changes && weight == 1 && !cooccurrence_learned(h)) {
        const struct cooccurrence_held old = *h;
        *h = more;
        more = old;
    } else if (changes) {
        status = cooccurrence_join(ctx, h, &more, weight);
    }
    if (status == LEAT_OK) h->without_pairs = without_pairs;
    cooccurrence_release(ctx, &more);
    return status;
}
