/* cooccurrence_state.c -- the state of learn.cooccurrence; see cooccurrence_state.h.
 *
 * plugins/kernels/counting/cooccurrence makes models of parts and of other models.
 */
#include "cooccurrence_state.h"

#include "common/state/state_fields.h"
#include "common/state/state_names.h"

/* ---- memory ---- */

void cooccurrence_release(struct leat_ctx *ctx, struct cooccurrence_held *h)
{
    ctx->host->free(ctx, h->names_block);
    ctx->host->free(ctx, h->block);
    *h = (struct cooccurrence_held){0};
}

int cooccurrence_make(struct leat_ctx *ctx, const struct cooccurrence_shape *s,
                      const struct cooccurrence_options *o, struct cooccurrence_names names,
                      struct cooccurrence_held *h)
{
    const struct leat_host *host = ctx->host;
    *h = (struct cooccurrence_held){.block = host->alloc(ctx, cooccurrence_block_bytes(s)),
                                    .names_block = host->alloc(ctx, names.bytes)};
    if (!h->block || !h->names_block) {
        cooccurrence_release(ctx, h);
        return host->fail(ctx, LEAT_ENOMEM, "there is not enough memory for %u tokens and pairs",
                          s->kept);
    }
    cooccurrence_init(&h->model, s, o, h->block);
    packed_names_init(&h->names, s->kept, names.max_bytes,
                      names.bytes - (uint32_t)packed_names_block_bytes(s->kept, 0), h->names_block);
    return LEAT_OK;
}

/* Another one, empty, of the same shape and parameters. */
static int make_like(struct leat_ctx *ctx, const struct cooccurrence_held *live,
                     struct cooccurrence_held *h)
{
    const struct packed_names *n = &live->names;
    const struct cooccurrence_names names = {(uint32_t)packed_names_block_bytes(n->slots, n->cap),
                                             n->max_bytes};
    return cooccurrence_make(ctx, &live->model.shape, &live->model.opt, names, h);
}

/* ---- fields ---- */

#define AT(member) STATE_MEMBER(struct cooccurrence, member)
static const struct state_field parameters[] = {
    {"kept", STATE_SAME, .at = AT(shape.kept)},
    {"token_width", STATE_SAME, .at = AT(shape.token_width)},
    {"pair_width", STATE_SAME, .at = AT(shape.pair_width)},
    {"seed", STATE_SAME, .at = AT(opt.seed)}, /* cells mean nothing under another one */
    {"window", STATE_SAME, .at = AT(opt.window)},
    {"min_count", STATE_SAME, .at = AT(opt.min_count)},
    {"ordered", STATE_SAME, .at = AT(opt.ordered), .choices = state_false_true},
};
#undef AT
#define AT(member) STATE_MEMBER(struct cooccurrence_parts, member)
static const struct state_field fields[] = {
    {"tokens", STATE_VALUE, .at = AT(n_tokens), .max = COUNT_MAX},
    {"pairs", STATE_VALUE, .at = AT(n_pairs), .max = COUNT_MAX},
    {"ids", STATE_LENT, .at = AT(id), .count = {AT(tokens)}, .sets_count = true, .limit = AT(kept),
     .hint = "the tokens of the budget"},
    {"token_counts", STATE_LENT, .at = AT(token_count), .count = {AT(tokens)}},
    {"token_excess", STATE_LENT, .at = AT(token_excess), .count = {AT(tokens)}},
    {"token_cursor", STATE_VALUE, .at = AT(token_cursor), .limit = AT(tokens)},
    {"token_cells", STATE_LENT, .at = AT(token_cell), .count = {AT(token_cells)}},
    {"first", STATE_LENT, .at = AT(first), .count = {AT(pairs)}, .sets_count = true,
     .limit = AT(kept), .hint = "the pairs of the budget"},
    {"second", STATE_LENT, .at = AT(second), .count = {AT(pairs)}},
    {"counted", STATE_LENT, .at = AT(count), .count = {AT(pairs)}},
    {"excess", STATE_LENT, .at = AT(excess), .count = {AT(pairs)}},
    {"ages", STATE_LENT, .at = AT(age), .count = {AT(pairs)}},
    {"pair_cursor", STATE_VALUE, .at = AT(pair_cursor), .limit = AT(pairs)},
    {"pair_cells", STATE_LENT, .at = AT(pair_cell), .count = {AT(pair_cells)}},
    {"registers", STATE_LENT, .at = AT(registers), .each = DISTINCT_REGISTERS,
     .max = DISTINCT_MOST},
};
#undef AT

static void list_names(const void *names, struct name_list *list)
{
    const struct cooccurrence_held *h = names;
    for (uint32_t t = 0; t < h->model.token.index.n; t++) {
        size_t len;
        const char *name = packed_names_get(&h->names, t, &len);
        name_list_add(list, len ? name : NULL, len);
    }
}

int cooccurrence_write(const struct cooccurrence_held *h, struct leat_writer *w)
{
    const struct cooccurrence_parts p = cooccurrence_parts(&h->model);
    int status = state_write(w, STATE_TABLE(parameters), &h->model);
    if (status == LEAT_OK) status = state_write(w, STATE_TABLE(fields), &p);
    return status == LEAT_OK ? state_write_names(w, list_names, h, p.tokens) : status;
}

static int read_names(struct leat_reader *r, struct cooccurrence_held *h)
{
    uint32_t tokens = h->model.token.index.n;
    struct name_list list;
    uint64_t at = 0;
    if (state_read_names(r, tokens, &list) != LEAT_OK) return LEAT_EDATA;
    for (uint32_t t = 0; t < tokens; t++) {
        size_t len;
        const char *name = name_list_next(&list, t, &at, &len);
        packed_names_set(&h->names, t, name, len);
    }
    return LEAT_OK;
}

int cooccurrence_read(struct leat_ctx *ctx, const struct cooccurrence_held *live,
                      struct leat_reader *r, struct cooccurrence_held *h)
{
    struct cooccurrence_parts p = cooccurrence_parts(&live->model);
    int status = make_like(ctx, live, h);
    if (status != LEAT_OK) return status;
    status = state_read(r, STATE_TABLE(parameters), &h->model);
    if (status == LEAT_OK) status = state_read(r, STATE_TABLE(fields), &p);
    const char *wrong = status == LEAT_OK ? cooccurrence_load(&h->model, &p) : NULL;
    if (wrong) status = r->refuse(r, "%s", wrong);
    if (status == LEAT_OK) status = read_names(r, h);
    if (status != LEAT_OK) cooccurrence_release(ctx, h);
    return status;
}

/* ---- merging ---- */

static void join_names(struct cooccurrence_held *h, const struct cooccurrence_held *one,
                       const struct cooccurrence_held *other, const struct cooccurrence_origins *o)
{
    for (uint32_t i = 0; i < o->tokens; i++) {
        const struct cooccurrence_token_origin *t = &o->token[i];
        size_t a_len = 0, b_len = 0;
        if (t->slot == COOCCURRENCE_NONE) continue;
        const char *a = t->a ? packed_names_get(&one->names, t->a - 1, &a_len) : "";
        const char *b = t->b ? packed_names_get(&other->names, t->b - 1, &b_len) : "";
        bool take_a = name_preferred(a, a_len, b, b_len);
        packed_names_set(&h->names, t->slot, take_a ? a : b, take_a ? a_len : b_len);
    }
}

/* The sum of two models. */
static int join_models(struct leat_ctx *ctx, const struct cooccurrence_held *one,
                       const struct cooccurrence_held *other, double weight,
                       struct cooccurrence_held *h)
{
    const struct leat_host *host = ctx->host;
    size_t max = 2 * (size_t)one->model.shape.kept;
    int status = make_like(ctx, one, h);
    if (status != LEAT_OK) return status;
    struct cooccurrence_origins o = {.token = host->alloc(ctx, max * sizeof *o.token),
                                     .pair = host->alloc(ctx, max * sizeof *o.pair)};
    if (o.token && o.pair) {
        cooccurrence_merge(&h->model, &one->model, &other->model, weight, &o);
        join_names(h, one, other, &o);
    } else {
        cooccurrence_release(ctx, h);
        status = host->fail(ctx, LEAT_ENOMEM,
                            "there is not enough memory to merge %zu tokens and pairs", max);
    }
    host->free(ctx, o.token);
    host->free(ctx, o.pair);
    return status;
}

int cooccurrence_read_merge(struct leat_ctx *ctx, const struct cooccurrence_held *live,
                            struct leat_reader *r, double weight, struct cooccurrence_held *h,
                            bool *changed)
{
    struct cooccurrence_held other;
    *changed = false;
    int status = state_check_weight(r, weight);
    if (status == LEAT_OK) status = cooccurrence_read(ctx, live, r, &other);
    if (status != LEAT_OK) return status;
    *changed = weight > 0 && other.model.n_tokens;
    if (*changed && weight == 1 && !live->model.n_tokens) { /* bit for bit the other */
        *h = other;
        return LEAT_OK;
    }
    if (*changed) status = join_models(ctx, live, &other, weight, h);
    *changed = *changed && status == LEAT_OK;
    cooccurrence_release(ctx, &other);
    return status;
}
