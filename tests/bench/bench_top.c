/* bench_top.c -- time to keep the heaviest weights ready, AWM-Sketch against full model.
 *
 *     bench_top FILE [BUDGET_BYTES [RUNS]]
 *
 * FILE is a libsvm file, held in memory. The AWM-Sketch and the uncompressed model learn one pass,
 * and answer with their K = 128 heaviest features at intervals. The paper's uncompressed model
 * keeps them in a heap, which every step of a weight updates. It prints ns a feature without
 * reading: medians over the runs, which take turns. */
#include <stdbool.h>
#include <string.h>

#include "kernels/linear/awm/awm.h"
#include "kernels/linear/logistic.h"
#include "kernels/base/rank.h"
#include "figures.h"
#include "rows.h"
#include "support/zeroed.h"

enum { K = 128, MOST_RUNS = 99, CAPACITY = 1 << 17 };

static const struct sgd_options sgd = {.lambda = 1e-6, .eta0 = 0.1};
static uint32_t sum; /* sum over the answers, so that the compiler drops no work */

static double awm(const struct rows *d, uint64_t budget, size_t every)
{
    struct linear_options opt = {.sgd = sgd, .max_row = d->longest + 1, .seed = 1};
    struct linear_shape shape = {0};
    struct awm m;
    if (!awm_kernel.shape_for(budget, &opt, &shape)) exit(2);
    void *block = zeroed(store_block_bytes(&awm_kernel, &shape, &opt));
    float *weight = zeroed(shape.active * sizeof *weight);
    uint32_t top[K];
    double z, t0 = rows_now();
    store_init(&m.s, &awm_kernel, &shape, &opt, block);
    for (size_t r = 0; r < d->n; r++) {
        struct linear_row row = rows_example(d, r);
        store_learn(&m.s, &row, &z);
        if (every && r % every == 0) sum += store_top(&m.s, K, 0, weight, top);
    }
    double t = rows_now() - t0;
    free(weight);
    free(block);
    return t;
}

static double logistic(const struct rows *d, uint64_t budget, size_t every)
{
    struct logistic_options opt = {.sgd = sgd};
    void *block = zeroed(logistic_block_bytes(CAPACITY, &opt));
    void *scratch = zeroed(logistic_scratch_bytes(d->longest + 1));
    struct logistic m;
    uint32_t top[K];
    double z, t0 = rows_now();
    logistic_init(&m, &opt, CAPACITY, CAPACITY, block, d->longest + 1, scratch);
    for (size_t r = 0; r < d->n; r++) {
        struct linear_row row = rows_example(d, r);
        logistic_learn(&m, &row, &z);
        if (every && r % every == 0) sum += rank_heaviest(m.n, m.weight, NULL, 0, K, top);
    }
    double t = rows_now() - t0;
    free(scratch);
    free(block);
    return t;
}

int main(int argc, char **argv)
{
    static const size_t every[] = {0, 1000, 100, 10};
    if (argc < 2) {
        fprintf(stderr, "usage: bench_top FILE [BUDGET_BYTES [RUNS]]\n");
        return 2;
    }
    struct rows d = rows_read(argv[1]);
    uint64_t budget = argc > 2 ? strtoull(argv[2], NULL, 10) : 8192;
    size_t runs = argc > 3 ? strtoull(argv[3], NULL, 10) : 7;
    if (!runs || runs > MOST_RUNS) return 2;
    for (size_t k = 0; k < sizeof every / sizeof *every; k++) {
        double a[MOST_RUNS], b[MOST_RUNS];
        for (size_t r = 0; r < runs; r++) {
            a[r] = 1e9 * awm(&d, budget, every[k]) / (double)d.entries;
            b[r] = 1e9 * logistic(&d, budget, every[k]) / (double)d.entries;
        }
        double ours = figures_median(a, runs), theirs = figures_median(b, runs);
        printf(
            "asked every %4zu examples (0: never): awm %6.2f  logistic %6.2f ns a feature, %.2f\n",
            every[k], ours, theirs, ours / theirs);
    }
    return sum == 1;
}
