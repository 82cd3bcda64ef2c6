/* truth.h -- the uncompressed model w* of a stream, for comparison with a learner.
 *
 * Benchmarks compare the K heaviest weights w^K of a learner: RelErr = |w^K - w*| / |w*^K - w*|. */
#ifndef LEAT_TESTS_BENCH_TRUTH_H
#define LEAT_TESTS_BENCH_TRUTH_H

#include <math.h>

#include "kernels/base/rank.h"
#include "kernels/linear/logistic.h"
#include "rows.h"
#include "support/zeroed.h"

enum { TRUTH_K = 128 };

struct truth {
    struct logistic m;
    double all, beyond_top; /* |w*|^2, and |w*^K - w*|^2 */
};

static inline struct truth truth_learn(const struct rows *d, const struct sgd_options *sgd,
                                       size_t passes)
{
    struct truth t = {0};
    struct logistic_options opt = {.sgd = *sgd};
    uint32_t capacity = 1u << 20, longest = d->longest + 1, top[TRUTH_K];
    double z;
    logistic_init(&t.m, &opt, capacity, capacity, zeroed(logistic_block_bytes(capacity, &opt)),
                  longest, zeroed(logistic_scratch_bytes(longest)));
    for (size_t i = 0; i < passes * d->n; i++) {
        struct linear_row row = rows_example(d, i % d->n);
        logistic_learn(&t.m, &row, &z);
    }
    for (uint32_t f = 0; f < t.m.n; f++)
        t.all += pow((double)t.m.weight[f] * t.m.sgd.alpha, 2);
    t.beyond_top = t.all;
    uint32_t n = rank_heaviest(t.m.n, t.m.weight, NULL, 0, TRUTH_K, top);
    for (uint32_t k = 0; k < n; k++)
        t.beyond_top -= pow((double)t.m.weight[top[k]] * t.m.sgd.alpha, 2);
    return t;
}

/* Returns the change of |w^K - w*|^2 by a feature of w^K with weight w. Without any feature the sum
 * is `all`. */
static inline double truth_added(const struct truth *t, uint64_t id, double w)
{
    double true_w = logistic_weight(&t->m, id);
    return (w - true_w) * (w - true_w) - true_w * true_w;
}

/* Returns RelErr from the sum of truth_added() over w^K. */
static inline double truth_error(const struct truth *t, double added)
{
    return sqrt((t->all + added) / t->beyond_top);
}

#endif
