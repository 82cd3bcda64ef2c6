/* logistic_state.c -- implementation of logistic.h: writes, reads and merges states.
 *
 * plugins/kernels/linear/logistic.c makes models from saved parts, and merges two models.
 *
 * A merge first makes the models of all classes from the sums of both sides. Then it empties the
 * name pool, and adds the names of all features again, like a restore. */
#include "logistic.h"

#include <string.h>

#include "linear.h"
#include "common/state/state_names.h"

/* Names of the features of a saved model. The reader owns the memory. */
struct logistic_names {
    struct name_list list;
    const struct redundancy_parts *parts; /* NULL if the state has none */
    uint64_t unnamed;
    uint32_t *number; /* feature of each name, or LOGISTIC_CUT; NULL: name i is of feature i */
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
    merged_free(ctx, h->merged);
    averaged_close(ctx, &h->averages);
    ctx->host->free(ctx, h->parts);
    ctx->host->free(ctx, h->block);
    h->parts = NULL;
    h->block = NULL;
    h->merged = NULL;
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
    h->merged = NULL;
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

enum { BLEND_NUMBERS = 7 };

/* Writes averages and their blend, if the model has them. */
static int logistic_write_blend(const struct logistic *m, struct leat_writer *w)
{
    const struct blend *b = &m->blend;
    const double numbers[BLEND_NUMBERS] = {b->part[0],    b->part[1], b->inverse[0], b->inverse[1],
                                           b->inverse[2], b->seen,    b->bias};
    if (!m->past) return LEAT_OK;
    int status = w->array(w, "blend", LEAT_F64, numbers, BLEND_NUMBERS);
    return status == LEAT_OK ? w->array(w, "past", LEAT_F32, m->past, 2 * (uint64_t)m->n) : status;
}

/* Reads them into *b and *past, which is memory of the reader. */
static int logistic_read_blend(struct leat_reader *r, uint64_t n, struct blend *b,
                               const struct blend_past **past)
{
    const void *numbers, *all;
    if (r->array(r, "blend", LEAT_F64, BLEND_NUMBERS, &numbers) != LEAT_OK ||
        r->array(r, "past", LEAT_F32, 2 * n, &all) != LEAT_OK)
        return LEAT_EDATA;
    const double *v = numbers;
    *b = (struct blend){{v[0], v[1]}, {v[2], v[3], v[4]}, v[5], v[6]};
    *past = all;
    return LEAT_OK;
}

static int logistic_write_model(const struct logistic_held *h, uint64_t unnamed,
                                struct leat_writer *w)
{
    struct logistic_saved s = logistic_state_of(&h->model, unnamed);
    int status = linear_state_write(w, &s.linear);
    if (status == LEAT_OK) status = state_write(w, STATE_TABLE(logistic_fields), &s);
    if (status == LEAT_OK) status = logistic_write_blend(&h->model, w);
    if (status == LEAT_OK) status = state_write_name_parts(w, h->parts, s.linear.parts.n);
    if (status == LEAT_OK) status = averaged_write(&h->averages, s.linear.parts.n, w);
    if (status == LEAT_OK) status = merged_write(h->merged, w);
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

static int logistic_settle_sums(struct leat_ctx *ctx, const struct logistic_held *live,
                                struct merged *m, struct logistic_held *h,
                                struct logistic_names *names);

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
    struct merged *merged;
    struct blend blend = {.seen = 0};
    const struct blend_past *past = NULL;
    if (live->model.past && logistic_read_blend(r, s.linear.parts.n, &blend, &past) != LEAT_OK)
        return LEAT_EDATA;
    int status =
        merged_read(ctx, r, logistic_sums_fields(&live->model, live->averaged), 0, &merged);
    if (merged) return logistic_settle_sums(ctx, live, merged, h, names);
    if (status != LEAT_OK) return status;
    status = logistic_make_like(ctx, live, s.linear.parts.n, h);
    if (status != LEAT_OK) return status;
    const char *wrong = logistic_load(&h->model, &s.linear.parts, &blend, past);
    status = wrong ? r->refuse(r, "%s", wrong) : averaged_read(&h->averages, h->model.n, r);
    if (status != LEAT_OK) logistic_release(ctx, h);
    return status;
}

static bool logistic_has_parts(const struct redundancy_parts *p)
{
    return p->key[0] | p->key[1] | p->key[2];
}

/* Gives the features of h their names and parts. Shares names with the model `first`. */
static void logistic_take_names(const struct logistic_held *first, struct logistic_held *h,
                                const struct logistic_names *names)
{
    uint64_t at = 0;
    for (uint32_t i = 0; i < names->list.n; i++) {
        size_t len;
        const char *name = name_list_next(&names->list, i, &at, &len);
        uint32_t f = names->number ? names->number[i] : i;
        if (f == LOGISTIC_CUT) continue;
        uint32_t *tag = &h->model.tag[f];
        if (name && !*tag && !logistic_share_name(first, h, f))
            *tag = name_pool_add(h->names, name, len);
        if (h->parts && names->parts && !logistic_has_parts(&h->parts[f]))
            h->parts[f] = names->parts[i];
    }
    h->names->dropped = count_add(h->names->dropped, names->unnamed, 1);
}

static void logistic_free_names(struct leat_ctx *ctx, struct logistic_models_read *all)
{
    for (uint32_t c = 0; all->names && c < all->n; c++)
        ctx->host->free(ctx, all->names[c].number);
    ctx->host->free(ctx, all->names);
}

static void logistic_free_read(struct leat_ctx *ctx, struct logistic_models_read *all)
{
    logistic_release_all(ctx, all->model, all->n);
    logistic_free_names(ctx, all);
}

/* Allocates room for n models. If it fails, the caller still calls logistic_free_read(). */
static int logistic_make_room(struct leat_ctx *ctx, uint32_t n, struct logistic_models_read *all)
{
    const struct leat_host *h = ctx->host;
    *all = (struct logistic_models_read){.model = h->alloc(ctx, n * sizeof *all->model),
                                         .names = h->alloc(ctx, n * sizeof *all->names),
                                         .n = n};
    if (all->model && all->names) return LEAT_OK;
    return h->fail(ctx, LEAT_ENOMEM, "there is not enough memory for a second model of %u classes",
                   n);
}

static int logistic_read_all(struct leat_ctx *ctx, const struct logistic_held *live,
                             uint32_t classes, struct leat_reader *r,
                             struct logistic_models_read *all)
{
    uint32_t n = linear_models(classes);
    int status = r->same_u64(r, "classes", classes);
    if (status != LEAT_OK) return status;
    status = logistic_make_room(ctx, n, all);
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
        logistic_take_names(all->model, &all->model[c], &all->names[c]);
    logistic_release_all(ctx, *live, all->n);
    *live = all->model;
    logistic_free_names(ctx, all);
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

/* A name of a feature; NULL if it has none. */
struct logistic_name {
    const char *text;
    size_t len;
};

/* Lists the names of the features of h: those of a saved model, or those in the pool. */
static void logistic_list_names(const struct logistic_held *h, const struct logistic_names *saved,
                                struct logistic_name *name)
{
    uint64_t at = 0;
    for (uint32_t f = 0; f < h->model.n; f++) {
        uint32_t tag = h->model.tag[f];
        name[f] = (struct logistic_name){0};
        if (saved)
            name[f].text = name_list_next(&saved->list, f, &at, &name[f].len);
        else if (tag)
            name[f].text = name_pool_get(h->names, tag, &name[f].len);
    }
}

/* Fills the names, parts and averages of the sums of a model. */
static void logistic_describe(const struct logistic_held *h, const struct redundancy_parts *parts,
                              const struct logistic_name *name, const struct sums_slot *slot,
                              struct merged *m)
{
    for (uint32_t k = 0; k < h->model.n; k++) {
        uint32_t f = slot[k].slot;
        name_list_add(&m->names, name[f].text, name[f].len);
        if (m->parts) m->parts[k] = parts[f];
        merged_take_average(m, k, &h->averages, f);
    }
}

static uint64_t logistic_name_bytes(const struct logistic_name *name, uint32_t n)
{
    uint64_t bytes = 0;
    for (uint32_t f = 0; f < n; f++)
        bytes += name[f].len;
    return bytes;
}

static int logistic_lacks_memory(struct leat_ctx *ctx, uint64_t features)
{
    return ctx->host->fail(ctx, LEAT_ENOMEM, "there is not enough memory to merge %llu features",
                           (unsigned long long)features);
}

/* Sets *out to the sums of a model that was not merged. saved: its names, if they are not in the
 * pool. */
static int logistic_sum_up(struct leat_ctx *ctx, const struct logistic_held *h,
                           const struct logistic_names *saved, struct merged **out)
{
    const struct leat_host *host = ctx->host;
    const struct redundancy_parts *parts = saved ? saved->parts : h->parts;
    uint32_t n = h->model.n;
    struct merged *m = *out = merged_new(ctx, logistic_sums_fields(&h->model, h->averaged), 0);
    struct sums_slot *slot = host->alloc(ctx, (n + 1ull) * sizeof *slot);
    struct logistic_name *name = host->alloc(ctx, (n + 1ull) * sizeof *name);
    int status = m && slot && name ? LEAT_OK : logistic_lacks_memory(ctx, n);
    if (status == LEAT_OK) {
        logistic_list_names(h, saved, name);
        status = merged_make_room(ctx, m, n, 0, logistic_name_bytes(name, n), parts != NULL);
    }
    if (status == LEAT_OK) {
        logistic_sums(&h->model, &m->sums, slot);
        logistic_describe(h, parts, name, slot, m);
    }
    host->free(ctx, name);
    host->free(ctx, slot);
    return status;
}

/* Sets number[row] to the feature of each row, or to LOGISTIC_CUT, and gives the features their
 * averages. */
static void logistic_number_rows(struct logistic_held *h, const struct sums_place *place,
                                 uint32_t *number)
{
    const struct merged *m = h->merged;
    for (uint32_t k = 0; k < m->sums.feature.n; k++)
        number[place[k].row] = k < h->model.n ? k : LOGISTIC_CUT;
    for (uint32_t f = 0; f < h->model.n; f++)
        merged_give_average(m, place[f].row, &h->averages, f);
    averages_taken(&h->averages, h->model.sgd.t);
}

/* Makes *h the model of the sums, like `live`, and lets it keep them. Lists its names. If this
 * fails, h holds no memory. */
static int logistic_settle_sums(struct leat_ctx *ctx, const struct logistic_held *live,
                                struct merged *m, struct logistic_held *h,
                                struct logistic_names *names)
{
    const struct leat_host *host = ctx->host;
    uint32_t n = m->sums.feature.n;
    int status = logistic_make_like(ctx, live, n < live->max_capacity ? n : live->max_capacity, h);
    if (status != LEAT_OK) {
        merged_free(ctx, m);
        return status;
    }
    struct sums_place *place = host->alloc(ctx, (n + 1ull) * sizeof *place);
    h->merged = m;
    *names =
        (struct logistic_names){.list = m->names,
                                .parts = m->parts,
                                .unnamed = m->unnamed,
                                .number = host->alloc(ctx, (n + 1ull) * sizeof *names->number)};
    status = place && names->number ? LEAT_OK : logistic_lacks_memory(ctx, n);
    if (status == LEAT_OK) {
        logistic_settle(&h->model, &m->sums, place);
        logistic_number_rows(h, place, names->number);
        status = merged_note_spread(ctx, m, place, h->model.n);
    }
    host->free(ctx, place);
    if (status != LEAT_OK) {
        host->free(ctx, names->number);
        logistic_release(ctx, h);
    }
    return status;
}

/* A side of a merge. */
struct logistic_side {
    const struct logistic_held *of;
    const struct logistic_names *saved;
    uint64_t unnamed;
};

/* Sets *sums to those of a side. The caller frees them unless the side keeps them. */
static int logistic_sums_of(struct leat_ctx *ctx, const struct logistic_side *s,
                            struct merged **sums)
{
    *sums = s->of->merged;
    if (*sums) return LEAT_OK;
    int status = logistic_sum_up(ctx, s->of, s->saved, sums);
    if (status == LEAT_OK) (*sums)->unnamed = s->unnamed;
    return status;
}

/* Merges both sides into h. */
static int logistic_join_one(struct leat_ctx *ctx, const struct logistic_side *a,
                             const struct logistic_side *b, double weight, struct logistic_held *h,
                             struct logistic_names *names)
{
    struct merged *in_a = NULL, *in_b = NULL, *both = NULL;
    int status = logistic_sums_of(ctx, a, &in_a);
    if (status == LEAT_OK) status = logistic_sums_of(ctx, b, &in_b);
    if (status == LEAT_OK)
        status = merged_join(ctx, in_a, in_b, weight, &a->of->model.opt.sgd, &both);
    if (status == LEAT_OK) status = logistic_settle_sums(ctx, a->of, both, h, names);
    if (in_a != a->of->merged) merged_free(ctx, in_a);
    if (in_b != b->of->merged) merged_free(ctx, in_b);
    return status;
}

/* Replaces the live models by their merge with `other`. */
static int logistic_join_all(struct leat_ctx *ctx, struct logistic_held **live,
                             const struct logistic_models_read *other, double weight)
{
    struct logistic_models_read all;
    int status = logistic_make_room(ctx, other->n, &all);
    for (uint32_t c = 0; c < other->n && status == LEAT_OK; c++) {
        const struct logistic_held *l = &(*live)[c];
        const struct logistic_side a = {l, NULL, c ? 0 : l->names->dropped},
                                   b = {&other->model[c], &other->names[c],
                                        other->names[c].unnamed};
        status = logistic_join_one(ctx, &a, &b, weight, &all.model[c], &all.names[c]);
        if (status != LEAT_OK) {
            all.model[c] = (struct logistic_held){0};
            all.names[c] = (struct logistic_names){0};
        }
    }
    if (status != LEAT_OK) {
        logistic_free_read(ctx, &all);
        return status;
    }
    name_pool_clear((*live)->names);
    logistic_replace_live(ctx, live, &all);
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
