/* logistic_state.c -- an uncompressed model from its parts, and from two others; see logistic.h. */
#include "logistic.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/count.h"
#include "kernels/base/feature_id.h"
#include "kernels/base/rank.h"

static void take_clock(struct logistic *m, const struct sgd *clock)
{
    sgd_take(&m->sgd, clock, &m->sgd.opt);
    m->fresh_from = m->n;
}

struct linear_parts logistic_parts(const struct logistic *m)
{
    return (struct linear_parts){.sgd = m->sgd,
                                 .n = m->n,
                                 .wide_id = m->id,
                                 .weight = m->weight,
                                 .accumulator = m->accumulator,
                                 .count = m->count,
                                 .l1_seen = m->l1_seen,
                                 .dropped = m->ignored};
}

const char *logistic_load(struct logistic *m, const struct linear_parts *p)
{
    struct linear_parts to = logistic_parts(m);
    assert(!m->n && !m->sgd.t && p->n <= m->capacity);
    for (uint32_t f = 0; f < p->n; f++)
        if (logistic_enroll(m, p->wide_id[f]) != f) return FEATURE_ID_TWICE;
    linear_take_parts(&to, p);
    take_clock(m, &p->sgd);
    m->ignored = p->dropped;
    return NULL;
}

/* Own rate and counts of a feature of `from`, added to those that feature `to` has. */
static void add_counted(struct logistic *m, uint32_t to, const struct logistic *from, uint32_t f,
                        double count)
{
    if (m->accumulator)
        m->accumulator[to] = sgd_mix_accumulator(m->sgd.grown, &m->sgd, m->accumulator[to],
                                                 &from->sgd, from->accumulator[f], count);
    for (size_t y = 0; m->count && y < 2; y++) {
        uint32_t *c = &m->count[2 * (size_t)to + y];
        *c = sgd_mix_count(m->sgd.grown, &m->sgd, *c, &from->sgd, from->count[2 * (size_t)f + y],
                           count);
    }
}

/* Summed in double and rounded once, so that it is the same whichever way round. */
static void mix_weights(struct logistic *m, const struct logistic *a, const struct logistic *b,
                        struct sgd_shares share, const uint32_t *number)
{
    double pa = share.a * a->sgd.alpha, pb = share.b * b->sgd.alpha;
    for (uint32_t f = 0; f < a->n; f++)
        m->weight[f] = (float)(pa * (double)logistic_weight_now(a, f));
    for (uint32_t f = 0; f < b->n; f++) {
        uint32_t to = number[f];
        double in_a = to < a->n ? pa * (double)logistic_weight_now(a, to) : 0;
        m->weight[to] = sgd_clamp((float)(in_a + pb * (double)logistic_weight_now(b, f)));
    }
}

void logistic_merge(struct logistic *m, const struct logistic *a, const struct logistic *b,
                    double count, uint32_t *number)
{
    struct sgd_shares share = sgd_share(&a->sgd, &b->sgd, count);
    struct sgd clock = sgd_merge(&a->sgd, &b->sgd, count);
    assert(!m->n && (uint64_t)a->n + b->n <= m->capacity);
    for (uint32_t f = 0; f < a->n; f++)
        logistic_enroll(m, a->id[f]);
    for (uint32_t f = 0; f < b->n; f++)
        number[f] = logistic_enroll(m, b->id[f]);
    take_clock(m, &clock);
    memcpy(m->tag, a->tag, a->n * sizeof *m->tag);
    mix_weights(m, a, b, share, number);
    for (uint32_t f = 0; f < a->n; f++)
        add_counted(m, f, a, f, 1);
    for (uint32_t f = 0; f < b->n; f++)
        add_counted(m, number[f], b, f, count);
    m->ignored = count_add(a->ignored, b->ignored, 1);
}

static int ascending(const void *x, const void *y)
{
    uint32_t p = *(const uint32_t *)x, q = *(const uint32_t *)y;
    return (p > q) - (p < q);
}

void logistic_trim(struct logistic *m, const struct logistic *from, uint32_t *keep)
{
    assert(!m->n);
    uint32_t n = rank_heaviest(from->n, from->weight, NULL, 0, m->capacity, keep);
    qsort(keep, n, sizeof *keep, ascending);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t f = keep[i];
        logistic_enroll(m, from->id[f]);
        m->weight[i] = from->weight[f];
        m->tag[i] = from->tag[f];
        if (m->l1_seen) m->l1_seen[i] = from->l1_seen[f];
        if (m->accumulator) m->accumulator[i] = from->accumulator[f];
        if (m->count) memcpy(m->count + 2 * (size_t)i, from->count + 2 * (size_t)f, 8);
    }
    take_clock(m, &from->sgd);
    m->ignored = from->ignored;
}
