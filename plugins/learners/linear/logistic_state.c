/* logistic_state.c -- the state of learn.logistic; see logistic_state.h.
 *
 * plugins/kernels/linear/logistic_state.c makes models of parts and of other models.
 */
#include <string.h>

#include "linear.h"
#include "linear_state.h"
#include "logistic_inside.h"
#include "common/state/state_names.h"

size_t logistic_parts_bytes(uint32_t capacity, bool named)
{
    return named ? capacity * sizeof(struct redundancy_parts) : 0;
}

void logistic_release(struct leat_ctx *ctx, struct logistic_held *h)
{
    ctx->host->free(ctx, h->parts);
    ctx->host->free(ctx, h->block);
    h->parts = NULL;
    h->block = NULL;
}

bool logistic_take_memory(struct leat_ctx *ctx, struct logistic_held *h,
                          const struct logistic_options *opt, uint32_t max_capacity)
{
    const struct leat_host *host = ctx->host;
    h->block = host->alloc(ctx, logistic_block_bytes(max_capacity, opt));
    h->parts = h->named ? host->alloc(ctx, logistic_parts_bytes(max_capacity, true)) : NULL;
    if (h->block && (h->parts || !h->named)) return true;
    logistic_release(ctx, h);
    return false;
}

void logistic_release_all(struct leat_ctx *ctx, struct logistic_held *h, uint32_t n)
{
    for (uint32_t c = 0; h && c < n; c++)
        logistic_release(ctx, &h[c]);
    ctx->host->free(ctx, h);
}

/* Feature f of `l` has the name that the first of all copies has given to the same number. */
bool logistic_share_name(const struct logistic_held *first, struct logistic_held *l, uint32_t f)
{
    const struct logistic *m = &first->model;
    if (l == first || f >= m->n || m->id[f] != l->model.id[f]) return false;
    l->model.tag[f] = m->tag[f];
    return true;
}

int logistic_make_like(struct leat_ctx *ctx, const struct logistic_held *live, uint64_t n,
                       struct logistic_held *h)
{
    const struct logistic *m = &live->model;
    uint32_t capacity = live->min_capacity, max = live->max_capacity;
    while (capacity < n && capacity < LOGISTIC_MAX_CAPACITY)
        capacity *= 2;
    if (max < capacity) max = capacity;
    *h = *live;
    if (n > capacity || !logistic_take_memory(ctx, h, &m->opt, max))
        return ctx->host->fail(ctx, LEAT_ENOMEM,
                               "there is not enough memory for a second model of %llu features",
                               (unsigned long long)n);
    logistic_init(&h->model, &m->opt, capacity, max, h->block, m->max_row, m->at);
    return LEAT_OK;
}

/* ---- writing ---- */

/* A model as a snapshot has it; unnamed: features for whose names the pool had no room. */
struct state {
    struct linear_state linear;
    uint64_t unnamed;
};

#define AT(member) STATE_MEMBER(struct state, member)
static const struct state_field fields[] = {
    {"ignored", STATE_VALUE, .at = AT(linear.parts.dropped), .max = COUNT_MAX},
    {"unnamed", STATE_VALUE, .at = AT(unnamed), .max = COUNT_MAX},
};
#undef AT

static struct state state_of(const struct logistic *m, uint64_t unnamed)
{
    return (struct state){.linear = {logistic_parts(m), m->opt.counts, LOGISTIC_MAX_CAPACITY},
                          .unnamed = unnamed};
}

static int write_model(const struct logistic_held *h, uint64_t unnamed, struct leat_writer *w)
{
    struct state s = state_of(&h->model, unnamed);
    int status = linear_state_write(w, &s.linear);
    if (status == LEAT_OK) status = state_write(w, STATE_TABLE(fields), &s);
    if (status == LEAT_OK) status = state_write_name_parts(w, h->parts, s.linear.parts.n);
    return status == LEAT_OK ? state_write_pool_names(w, h->names, h->model.tag, s.linear.parts.n)
                             : status;
}

int logistic_write_all(const struct logistic_held *h, uint32_t classes, struct leat_writer *w)
{
    int status = w->u64(w, "classes", classes);
    if (!classes) return write_model(h, h->names->dropped, w);
    for (uint32_t c = 0; c < classes && status == LEAT_OK; c++) {
        struct state_prefix_writer p;
        status = write_model(&h[c], c ? 0 : h->names->dropped, linear_class_writer(&p, w, c));
    }
    return status;
}

/* ---- reading ---- */

/* The model that was written, like `live` in parameters, without names. */
static int read_model(struct leat_ctx *ctx, const struct logistic_held *live, struct leat_reader *r,
                      struct logistic_held *h, struct logistic_names *names)
{
    struct state s = state_of(&live->model, 0);
    if (linear_state_read(r, &s.linear) != LEAT_OK ||
        state_read(r, STATE_TABLE(fields), &s) != LEAT_OK ||
        state_read_name_parts(r, s.linear.parts.n, &names->parts) != LEAT_OK ||
        state_read_names(r, s.linear.parts.n, &names->list) != LEAT_OK)
        return LEAT_EDATA;
    names->unnamed = s.unnamed;
    int status = logistic_make_like(ctx, live, s.linear.parts.n, h);
    if (status != LEAT_OK) return status;
    const char *wrong = logistic_load(&h->model, &s.linear.parts);
    if (!wrong) return LEAT_OK;
    logistic_release(ctx, h);
    return r->refuse(r, "%s", wrong);
}

static bool has_parts(const struct redundancy_parts *p)
{
    return p->key[0] | p->key[1] | p->key[2];
}

void logistic_take_names(const struct logistic_held *first, struct logistic_held *h,
                         const struct logistic_names *names, const uint32_t *number)
{
    uint64_t at = 0;
    for (uint32_t i = 0; i < names->list.n; i++) {
        size_t len;
        const char *name = name_list_next(&names->list, i, &at, &len);
        uint32_t f = number ? number[i] : i, *tag = &h->model.tag[f];
        if (f == LOGISTIC_CUT) continue;
        if (name && !*tag && !logistic_share_name(first, h, f))
            *tag = name_pool_add(h->names, name, len);
        if (h->parts && names->parts && !has_parts(&h->parts[f])) h->parts[f] = names->parts[i];
    }
    h->names->dropped = count_add(h->names->dropped, names->unnamed, 1);
}

void logistic_free_read(struct leat_ctx *ctx, struct logistic_models_read *all)
{
    logistic_release_all(ctx, all->model, all->n);
    ctx->host->free(ctx, all->names);
}

int logistic_read_all(struct leat_ctx *ctx, const struct logistic_held *live, uint32_t classes,
                      struct leat_reader *r, struct logistic_models_read *all)
{
    const struct leat_host *h = ctx->host;
    uint32_t n = linear_models(classes);
    int status = r->same_u64(r, "classes", classes);
    if (status != LEAT_OK) return status;
    *all = (struct logistic_models_read){.model = h->alloc(ctx, n * sizeof *all->model),
                                         .names = h->alloc(ctx, n * sizeof *all->names),
                                         .n = n};
    if (!all->model || !all->names)
        status = h->fail(ctx, LEAT_ENOMEM,
                         "there is not enough memory for a second model of %u classes", n);
    for (uint32_t c = 0; c < n && status == LEAT_OK; c++) {
        struct state_prefix_reader p;
        struct leat_reader *from = classes ? linear_class_reader(&p, r, c) : r;
        status = read_model(ctx, &live[c], from, &all->model[c], &all->names[c]);
        if (status != LEAT_OK) all->model[c] = (struct logistic_held){0};
    }
    if (status != LEAT_OK) logistic_free_read(ctx, all);
    return status;
}

void logistic_replace_live(struct leat_ctx *ctx, struct logistic_held **live,
                           struct logistic_models_read *all)
{
    for (uint32_t c = 0; c < all->n; c++)
        logistic_take_names(all->model, &all->model[c], &all->names[c], NULL);
    logistic_release_all(ctx, *live, all->n);
    *live = all->model;
    ctx->host->free(ctx, all->names);
}

int logistic_restore_all(struct leat_ctx *ctx, struct logistic_held **live, uint32_t classes,
                         struct leat_reader *r)
{
    struct logistic_models_read all;
    int status = logistic_read_all(ctx, *live, classes, r, &all);
    if (status != LEAT_OK) return status;
    for (uint32_t c = 0; c < all.n && status == LEAT_OK; c++)
        if (all.model[c].model.n > all.model[c].max_capacity)
            status = r->refuse(r, "it has %u features; max_features allows %u here",
                               all.model[c].model.n, all.model[c].max_capacity);
    if (status != LEAT_OK) {
        logistic_free_read(ctx, &all);
        return status;
    }
    name_pool_clear((*live)->names);
    logistic_replace_live(ctx, live, &all);
    return LEAT_OK;
}
