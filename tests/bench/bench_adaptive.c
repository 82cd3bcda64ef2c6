/* bench_adaptive.c -- the adaptive sketch on a libsvm file held in memory: ns a feature and online error.
 *
 *     bench_adaptive FILE [BUDGET_BYTES [SEEDS [PRECISION]]]
 *
 * Each seed is one pass from an empty model. Time is the median over the passes, reading left out;
 * the error is the median and the range over the seeds. PRECISION: compact or full.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/linear/adaptive/adaptive.h"
#include "figures.h"
#include "rows.h"

static size_t pass(const struct rows *d, struct adaptive *m, size_t *entered)
{
    size_t wrong = 0;
    for (size_t r = 0; r < d->n; r++) {
        double z = 0;
        struct linear_row row = rows_example(d, r);
        adaptive_learn(m, &row, &z);
        wrong += (z >= 0) != (row.y > 0);
        *entered += m->n_entrants;
    }
    return wrong;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: bench_adaptive FILE [BUDGET_BYTES [SEEDS [PRECISION]]]\n");
        return 2;
    }
    struct rows d = rows_read(argv[1]);
    uint64_t budget = argc > 2 ? strtoull(argv[2], NULL, 10) : 32768;
    size_t seeds = argc > 3 ? strtoull(argv[3], NULL, 10) : 10, entered = 0;
    bool full = argc > 4 && !strcmp(argv[4], "full");
    struct adaptive_options opt = {.sgd = {.lambda = 1e-6, .eta0 = 0.1, .rates = SGD_ADAPTIVE},
                                   .precision = full ? ADAPTIVE_FULL : ADAPTIVE_COMPACT};
    struct adaptive_shape shape = {ADAPTIVE_CHOOSE, ADAPTIVE_CHOOSE};
    opt.max_row = d.longest + 1;
    if (!seeds || !adaptive_shape_for(budget, &opt, &shape)) return 2;
    size_t bytes = adaptive_block_bytes(&shape, &opt);
    double *error = calloc(seeds, 8), *seconds = calloc(seeds, 8);
    void *block = aligned_alloc(64, bytes);
    if (!block || !error || !seconds) return 1;
    for (size_t s = 0; s < seeds; s++) {
        struct adaptive m;
        opt.seed = (s + 1) * 0x9e3779b97f4a7c15u;
        memset(block, 0, bytes);
        adaptive_init(&m, &shape, &opt, block);
        double t0 = rows_now();
        error[s] = 100.0 * (double)pass(&d, &m, &entered) / (double)d.n;
        seconds[s] = rows_now() - t0;
    }
    double t = figures_median(seconds, seeds), mid = figures_median(error, seeds);
    printf("adaptive %llu bytes: active %u, %u cells, %zu rows, %zu entries, %zu seeds\n",
           (unsigned long long)budget, shape.active, shape.cells, d.n, d.entries, seeds);
    printf("  %.2f ns a feature, %.3f M rows/s, %.1f features entered a row\n",
           1e9 * t / (double)d.entries, 1e-6 * (double)d.n / t,
           (double)entered / (double)(d.n * seeds));
    printf("  online error %% median %.3f, %.3f to %.3f\n", mid, error[0], error[seeds - 1]);
    free(block);
    return 0;
}
