/* logistic_state.c -- implementation of logistic.h: writes, reads and merges states.
 *
 * plugins/kernels/linear/logistic.c makes models from saved parts, and merges two models.
 *
 * A merge first merges the models of all classes, and cuts each to its heaviest features. Then it
 * removes the names of features that were cut from the pool. Last, it adds the names of the saved
 * model to the pool. */
#include "logistic.h"

#include <string.h>

#include "linear.h"
#include "common/state/state_names.h"

/* Names of the features of a saved model. The reader owns the memory. */
struct logistic_names {
    struct name_list list;
    const struct redundancy_parts *parts; /* NULL if the state has none */
    uint64_t unnamed;
};

/* All models of a saved state. Their names are not in the pool yet. */
struct logistic_models_read {
    struct logistic_held *model;
    struct logistic_names *names;
    uint32_t n;
};

#define LOGISTIC_CUT UINT32_MAX

size_t logistic_parts_bytes(uint32_t capacity, bool named)
{
    return named ? capacity * sizeof(struct redundancy_parts) : 0;
}

void logistic_release(struct leat_ctx *ctx, struct logistic_held *h)
{
    averaged_close(ctx, &h->averages);
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
    bool averages = averaged_open(ctx, h->averaged, max_capacity, &h->averages);
    if (h->block && (h->parts || !h->named) && averages) return true;
    logistic_release(ctx, h);
    return false;
}

void logistic_release_all(struct leat_ctx *ctx, struct logistic_held *h, uint32_t n)
{
    for (uint32_t c = 0; h && c < n; c++)
        logistic_release(ctx, &h[c]);
    ctx->host->free(ctx, h);
}

bool logistic_share_name(const struct logistic_held *first, struct logistic_held *l, uint32_t f)
{
    const struct logistic *m = &first->model;
    if (l == first || f >= m->n || m->id[f] != l->model.id[f]) return false;
    l->model.tag[f] = m->tag[f];
    return true;
}

/* Creates an empty model with the options of `live` and room for n features. It uses the scratch
 * memory and name pool of `live`. */
static int logistic_make_like(struct leat_ctx *ctx, const struct logistic_held *live, uint64_t n,
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

/* Model in a snapshot. `unnamed` is the number of features for whose names the pool had no room. */
struct logistic_saved {
    struct linear_state linear;
    uint64_t unnamed;
};

#define AT(member) STATE_MEMBER(struct logistic_saved, member)
static const struct state_field logistic_fields[] = {
    {"ignored", STATE_VALUE, .at = AT(linear.parts.dropped), .max = COUNT_MAX},
    {"unnamed", STATE_VALUE, .at = AT(unnamed), .max = COUNT_MAX},
};
#undef AT

static struct logistic_saved logistic_state_of(const struct logistic *m, uint64_t unnamed)
{
    return (struct logistic_saved){
        .linear = {logistic_parts(m), m->opt.counts, LOGISTIC_MAX_CAPACITY}, .unnamed = unnamed};
}

static int logistic_write_model(const struct logistic_held *h, uint64_t unnamed,
                                struct leat_writer *w)
{
    struct logistic_saved s = logistic_state_of(&h->model, unnamed);
    int status = linear_state_write(w, &s.linear);
    if (status == LEAT_OK) status = state_write(w, STATE_TABLE(logistic_fields), &s);
    if (status == LEAT_OK) status = state_write_name_parts(w, h->parts, s.linear.parts.n);
    if (status == LEAT_OK) status = averaged_write(&h->averages, s.linear.parts.n, w);
    return status == LEAT_OK ? state_write_pool_names(w, h->names, h->model.tag, s.linear.parts.n)
                             : status;
}

int logistic_write_all(const struct logistic_held *h, uint32_t classes, struct leat_writer *w)
{
    int status = w->u64(w, "classes", classes);
    if (!classes) return logistic_write_model(h, h->names->dropped, w);
    for (uint32_t c = 0; c < classes && status == LEAT_OK; c++) {
        struct state_prefix_writer p;
        status =
            logistic_write_model(&h[c], c ? 0 : h->names->dropped, linear_class_writer(&p, w, c));
    }
    return status;
}

/* ---- reading ---- */

/* Reads a saved model into h, and its names into *names. The saved parameters must equal those of
 * `live`. */
static int logistic_read_model(struct leat_ctx *ctx, const struct logistic_held *live,
                               struct leat_reader *r, struct logistic_held *h,
                               struct logistic_names *names)
{
    struct logistic_saved s = logistic_state_of(&live->model, 0);
    if (linear_state_read(r, &s.linear) != LEAT_OK ||
        state_read(r, STATE_TABLE(logistic_fields), &s) != LEAT_OK ||
        state_read_name_parts(r, s.linear.parts.n, &names->parts) != LEAT_OK ||
        state_read_names(r, s.linear.parts.n, &names->list) != LEAT_OK)
        return LEAT_EDATA;
    names->unnamed = s.unnamed;
    int status = logistic_make_like(ctx, live, s.linear.parts.n, h);
    if (status != LEAT_OK) return status;
    const char *wrong = logistic_load(&h->model, &s.linear.parts);
    status = wrong ? r->refuse(r, "%s", wrong) : averaged_read(&h->averages, h->model.n, r);
    if (status != LEAT_OK) logistic_release(ctx, h);
    return status;
}

static bool logistic_has_parts(const struct redundancy_parts *p)
{
    return p->key[0] | p->key[1] | p->key[2];
}

/* Gives name i and its parts to feature number[i] of h if that feature has no name yet. If `number`
 * is NULL, feature i gets name i. Skips features that were cut. Shares names with the model
 * `first`. */
static void logistic_take_names(const struct logistic_held *first, struct logistic_held *h,
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
        if (h->parts && names->parts && !logistic_has_parts(&h->parts[f]))
            h->parts[f] = names->parts[i];
    }
    h->names->dropped = count_add(h->names->dropped, names->unnamed, 1);
}

static void logistic_free_read(struct leat_ctx *ctx, struct logistic_models_read *all)
{
    logistic_release_all(ctx, all->model, all->n);
    ctx->host->free(ctx, all->names);
}

static int logistic_read_all(struct leat_ctx *ctx, const struct logistic_held *live,
                             uint32_t classes, struct leat_reader *r,
                             struct logistic_models_read *all)
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
        status = logistic_read_model(ctx, &live[c], from, &all->model[c], &all->names[c]);
        if (status != LEAT_OK) all->model[c] = (struct logistic_held){0};
    }
    if (status != LEAT_OK) logistic_free_read(ctx, all);
    return status;
}

/* Replaces the live models by the models in `all`, and adds their names to the pool. */
static void logistic_replace_live(struct leat_ctx *ctx, struct logistic_held **live,
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
            status =
                r->refuse(r, "the saved state has %u features, and max_features allows %u here",
                          all.model[c].model.n, all.model[c].max_capacity);
    if (status != LEAT_OK) {
        logistic_free_read(ctx, &all);
        return status;
    }
    name_pool_clear((*live)->names);
    logistic_replace_live(ctx, live, &all);
    return LEAT_OK;
}

/* ---- merging ---- */

/* Numbers of features in the merge of two models of a class. Feature i of the other model becomes
 * feature number[i], or is cut (LOGISTIC_CUT). */
struct logistic_joined {
    uint32_t *number, n;
    bool cut;
};

static void logistic_note_cut(struct logistic_joined *j, const uint32_t *keep, uint32_t kept,
                              uint32_t *new_number, uint32_t n)
{
    for (uint32_t f = 0; f < n; f++)
        new_number[f] = LOGISTIC_CUT;
    for (uint32_t f = 0; f < kept; f++)
        new_number[keep[f]] = f;
    for (uint32_t i = 0; i < j->n; i++)
        j->number[i] = new_number[j->number[i]];
    j->cut = true;
}

/* Cuts h to its max_capacity heaviest features, and reduces its memory to the size that they
 * need. */
static int logistic_cut_to_size(struct leat_ctx *ctx, const struct logistic_held *live,
                                struct logistic_held *h, struct logistic_joined *j)
{
    const struct leat_host *host = ctx->host;
    struct logistic_held small;
    uint32_t before = h->model.n, n = before < live->max_capacity ? before : live->max_capacity;
    if (before <= live->max_capacity && h->model.capacity <= live->max_capacity) return LEAT_OK;
    int status = logistic_make_like(ctx, live, n, &small);
    if (status != LEAT_OK) return status;
    uint32_t *keep = host->alloc(ctx, ((size_t)small.model.capacity + before) * sizeof *keep);
    if (!keep) {
        logistic_release(ctx, &small);
        return host->fail(ctx, LEAT_ENOMEM, "there is not enough memory to rank %u features",
                          before);
    }
    logistic_trim(&small.model, &h->model, keep);
    for (uint32_t f = 0; small.parts && f < small.model.n; f++)
        small.parts[f] = h->parts[keep[f]];
    for (uint32_t f = 0; small.averages.of && f < small.model.n; f++)
        averages_set(&small.averages, f, averages_get(&h->averages, keep[f]));
    averages_taken(&small.averages, small.model.sgd.t);
    logistic_note_cut(j, keep, small.model.n, keep + small.model.capacity, before);
    host->free(ctx, keep);
    logistic_release(ctx, h);
    *h = small;
    return LEAT_OK;
}

/* Sets the averages of h to those over the records of both models. */
static void logistic_join_averages(const struct logistic_held *live,
                                   const struct logistic_held *other, double weight,
                                   struct logistic_held *h, const uint32_t *number)
{
    if (!h->averages.of) return;
    for (uint32_t f = 0; f < live->model.n; f++)
        averages_set(&h->averages, f, averages_get(&live->averages, f));
    for (uint32_t f = 0; f < other->model.n; f++)
        averages_join(&h->averages, number[f], &other->averages, f, weight);
    averages_taken(&h->averages, h->model.sgd.t);
}

/* Merges `other` into h, a copy of `live`. h has only the names of `live`. */
static int logistic_join_one(struct leat_ctx *ctx, const struct logistic_held *live,
                             const struct logistic_held *other, double weight,
                             struct logistic_held *h, struct logistic_joined *j)
{
    const struct leat_host *host = ctx->host;
    uint32_t n = other->model.n;
    int status = logistic_make_like(ctx, live, (uint64_t)live->model.n + n, h);
    if (status != LEAT_OK) return status;
    *j = (struct logistic_joined){.number = host->alloc(ctx, (n + 1ull) * sizeof *j->number),
                                  .n = n};
    status = j->number ? LEAT_OK
                       : host->fail(ctx, LEAT_ENOMEM,
                                    "there is not enough memory to merge %u features", n);
    if (status == LEAT_OK) {
        /* uses copies, because sgd_meet() changes their clocks */
        struct logistic a = live->model, b = other->model;
        sgd_meet(&a.sgd, &b.sgd);
        logistic_merge(&h->model, &a, &b, weight, j->number);
        if (h->parts) memcpy(h->parts, live->parts, live->model.n * sizeof *h->parts);
        logistic_join_averages(live, other, weight, h, j->number);
        status = logistic_cut_to_size(ctx, live, h, j);
    }
    if (status != LEAT_OK) logistic_release(ctx, h);
    return status;
}

/* Removes the names of features that were cut from the pool. Empties the pool and adds the
 * remaining names again, like a restore. */
static int logistic_repack_names(struct leat_ctx *ctx, struct logistic_held *h, uint32_t n)
{
    struct name_pool *pool = h->names, old = *pool;
    old.bytes = ctx->host->alloc(ctx, old.used + 1);
    if (!old.bytes)
        return ctx->host->fail(ctx, LEAT_ENOMEM,
                               "there is not enough memory for a copy of %zu bytes of names",
                               old.used);
    if (old.used) memcpy(old.bytes, pool->bytes, old.used);
    name_pool_clear(pool);
    for (uint32_t c = 0; c < n; c++)
        for (uint32_t f = 0; f < h[c].model.n; f++) {
            size_t len;
            uint32_t *tag = &h[c].model.tag[f];
            const char *name = name_pool_get(&old, *tag, &len);
            if (*tag && !logistic_share_name(h, &h[c], f)) *tag = name_pool_add(pool, name, len);
        }
    pool->dropped = old.dropped;
    ctx->host->free(ctx, old.bytes);
    return LEAT_OK;
}

/* Merges the models of all classes into h, without the names of `other`. If it fails, h holds no
 * memory. */
static int logistic_join_models(struct leat_ctx *ctx, const struct logistic_held *live,
                                const struct logistic_models_read *other, double weight,
                                struct logistic_held *h, struct logistic_joined *j)
{
    int status = LEAT_OK;
    bool cut = false;
    for (uint32_t c = 0; c < other->n && status == LEAT_OK; c++) {
        status = logistic_join_one(ctx, &live[c], &other->model[c], weight, &h[c], &j[c]);
        if (status != LEAT_OK) h[c] = (struct logistic_held){0};
        cut |= j[c].cut;
    }
    return status == LEAT_OK && cut ? logistic_repack_names(ctx, h, other->n) : status;
}

/* Replaces the live models by their merge with `other`. */
static int logistic_join_all(struct leat_ctx *ctx, struct logistic_held **live,
                             const struct logistic_models_read *other, double weight)
{
    const struct leat_host *host = ctx->host;
    struct logistic_held *h = host->alloc(ctx, other->n * sizeof *h);
    struct logistic_joined *j = host->alloc(ctx, other->n * sizeof *j);
    int status = h && j ? logistic_join_models(ctx, *live, other, weight, h, j)
                        : host->fail(ctx, LEAT_ENOMEM,
                                     "there is not enough memory to merge %u classes", other->n);
    for (uint32_t c = 0; c < other->n && status == LEAT_OK; c++)
        logistic_take_names(h, &h[c], &other->names[c], j[c].number);
    for (uint32_t c = 0; j && c < other->n; c++)
        host->free(ctx, j[c].number);
    host->free(ctx, j);
    if (status != LEAT_OK) {
        logistic_release_all(ctx, h, other->n);
        return status;
    }
    logistic_release_all(ctx, *live, other->n);
    *live = h;
    return LEAT_OK;
}

int logistic_merge_all(struct leat_ctx *ctx, struct logistic_held **live, uint32_t classes,
                       struct leat_reader *r, double weight)
{
    struct logistic_models_read other;
    int status = logistic_read_all(ctx, *live, classes, r, &other);
    if (status != LEAT_OK) return status;
    bool fit = true;
    for (uint32_t c = 0; c < other.n; c++)
        fit &= other.model[c].model.capacity <= (*live)[c].max_capacity;
    /* one class decides, because all classes have learned the same examples */
    enum linear_merge how =
        linear_how_to_merge(&(*live)->model.sgd, &other.model->model.sgd, weight);
    if (how == LINEAR_TAKE_OTHER && fit) {
        logistic_replace_live(ctx, live, &other);
        return LEAT_OK;
    }
    if (how != LINEAR_KEEP_LIVE) status = logistic_join_all(ctx, live, &other, weight);
    logistic_free_read(ctx, &other);
    return status;
}
