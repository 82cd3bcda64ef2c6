/* merge_rig.h -- merges two models with slots, for tests of kernels. */
#ifndef LEAT_TESTS_SUPPORT_MERGE_RIG_H
#define LEAT_TESTS_SUPPORT_MERGE_RIG_H

#include <stdlib.h>
#include <string.h>

#include "kernels/linear/logistic.h"
#include "kernels/linear/store.h"

/* Sums with their memory. */
struct rig_sums {
    struct sums s;
    void *block;
};

static inline struct rig_sums rig_sums_room(struct sums_fields fields, uint64_t cells, uint32_t n,
                                            uint32_t owners)
{
    struct rig_sums r = {.s = {.fields = fields, .cells = cells}};
    r.s.feature.each = fields.each;
    r.s.owner.each = SUMS_OWNER;
    uint64_t bytes = sums_block_bytes(&r.s, n, owners) + 64;
    r.block = aligned_alloc(64, bytes / 64 * 64);
    memset(r.block, 0, bytes / 64 * 64);
    sums_lay_out(&r.s, n, owners, r.block);
    return r;
}

static inline struct rig_sums rig_sums_of(const struct store *m)
{
    struct rig_sums r = rig_sums_room(store_sums_fields(m, false), linear_cells(&m->shape),
                                      m->set.n, store_owners(m));
    struct sums_slot *slot = calloc(m->set.n + 1, sizeof *slot);
    store_sum(m, &r.s, slot);
    free(slot);
    return r;
}

static inline struct rig_sums rig_add(const struct rig_sums *a, const struct rig_sums *b,
                                      double count, const struct sgd_options *opt)
{
    uint32_t n = a->s.feature.n + b->s.feature.n, owners = a->s.owner.n + b->s.owner.n;
    struct rig_sums r = rig_sums_room(a->s.fields, a->s.cells, n, owners);
    struct sums_origin *origin = calloc(n + owners + 1, sizeof *origin);
    sums_add(&r.s, &a->s, &b->s, count, opt->by_time ? opt->half_life : 0, origin);
    free(origin);
    return r;
}

/* Makes m, just initialised, the merge of a and b, where b counts `count` times. place: capacity of
 * the features of both, or NULL. */
static inline void rig_merge(struct store *m, const struct store *a, const struct store *b,
                             double count, struct sums_place *place)
{
    struct rig_sums in_a = rig_sums_of(a), in_b = rig_sums_of(b),
                    both = rig_add(&in_a, &in_b, count, &m->opt.sgd);
    struct sums_place *own = calloc(both.s.feature.n + 1, sizeof *own);
    store_settle(m, &both.s, place ? place : own);
    free(own);
    free(in_a.block), free(in_b.block), free(both.block);
}

static inline struct rig_sums rig_sums_of_logistic(const struct logistic *m)
{
    struct rig_sums r = rig_sums_room(logistic_sums_fields(m, false), 0, m->n, 0);
    struct sums_slot *slot = calloc(m->n + 1, sizeof *slot);
    logistic_sums(m, &r.s, slot);
    free(slot);
    return r;
}

static inline void rig_merge_logistic(struct logistic *m, const struct logistic *a,
                                      const struct logistic *b, double count)
{
    struct rig_sums in_a = rig_sums_of_logistic(a), in_b = rig_sums_of_logistic(b),
                    both = rig_add(&in_a, &in_b, count, &m->opt.sgd);
    struct sums_place *place = calloc(both.s.feature.n + 1, sizeof *place);
    logistic_settle(m, &both.s, place);
    free(place);
    free(in_a.block), free(in_b.block), free(both.block);
}

/* Start of adaptive rates (sums.h), by a sum of accumulators of which each is at most G. */
static inline double rig_start(const struct sgd *s, double total)
{
    double M = s->size / s->sized, share = fmin(1, total / (s->bias_sum / s->grown) / M);
    return sqrt(8) * sqrt(M) / s->opt.rate * pow(share, 2.5);
}

#endif
