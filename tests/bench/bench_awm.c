/* bench_awm.c -- the AWM kernel on a libsvm file held in memory: ns a feature and online error.
 *
 *     bench_awm FILE [BUDGET_BYTES [SEEDS [RATES]]]
 *
 * Each seed is one pass from an empty model. Time is the median over the passes, reading left out;
 * the error is the median and the range over the seeds. RATES: shared, the plain algorithm; or
 * newton, with own rates, counts and a prior bias.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/linear/awm/awm.h"
#include "figures.h"
#include "rows.h"

static size_t pass(const struct rows *d, struct awm *m, size_t *entered)
{
    size_t wrong = 0;
    for (size_t r = 0; r < d->n; r++) {
        double z = 0;
        struct linear_row row = rows_example(d, r);
        awm_learn(m, &row, &z);
        wrong += (z >= 0) != (row.y > 0);
        *entered += m->n_entrants;
    }
    return wrong;
}

static struct awm_options options(const char *rates)
{
    struct awm_options opt = {.sgd = {.lambda = 1e-6, .eta0 = 0.1}};
    if (!strcmp(rates, "shared")) return opt;
    opt.sgd.bias = SGD_BIAS_PRIOR;
    opt.counts = true;
    opt.sgd.rates = SGD_NEWTON;
    return opt;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: bench_awm FILE [BUDGET_BYTES [SEEDS [RATES]]]\n");
        return 2;
    }
    struct rows d = rows_read(argv[1]);
    uint64_t budget = argc > 2 ? strtoull(argv[2], NULL, 10) : 32768;
    size_t seeds = argc > 3 ? strtoull(argv[3], NULL, 10) : 10, entered = 0;
    struct awm_options opt = options(argc > 4 ? argv[4] : "shared");
    struct awm_shape shape = {0};
    opt.max_row = d.longest + 1;
    if (!seeds || !awm_shape_for(budget, &opt, &shape)) return 2;
    size_t bytes = awm_block_bytes(&shape, &opt);
    double *error = calloc(seeds, 8), *seconds = calloc(seeds, 8);
    void *block = aligned_alloc(64, bytes);
    if (!block || !error || !seconds) return 1;
    for (size_t s = 0; s < seeds; s++) {
        struct awm m;
        opt.seed = (s + 1) * 0x9e3779b97f4a7c15u;
        memset(block, 0, bytes);
        awm_init(&m, &shape, &opt, block);
        double t0 = rows_now();
        error[s] = 100.0 * (double)pass(&d, &m, &entered) / (double)d.n;
        seconds[s] = rows_now() - t0;
    }
    double t = figures_median(seconds, seeds), mid = figures_median(error, seeds);
    printf("awm %llu bytes: active %u, sketch %u x %u, %zu rows, %zu entries, %zu seeds\n",
           (unsigned long long)budget, shape.active, shape.depth, shape.width, d.n, d.entries,
           seeds);
    printf("  %.2f ns a feature, %.3f M rows/s, %.1f features entered a row\n",
           1e9 * t / (double)d.entries, 1e-6 * (double)d.n / t,
           (double)entered / (double)(d.n * seeds));
    printf("  online error %% median %.3f, %.3f to %.3f\n", mid, error[0], error[seeds - 1]);
    free(block);
    return 0;
}
