/* bench_wm.c -- WM-Sketch and feature hashing: ns a feature, online error, recovery error.
 *
 *     bench_wm FILE [SEEDS [ACTIVE WIDTH DEPTH]]
 *
 * FILE is a libsvm file, held in memory. It measures the paper's shapes for 2, 4, 8, 16 and 32 KB;
 * then feature hashing with the whole budget in cells and 128 members that do not count, as in the
 * paper. Each seed is one pass from an empty model. Time is the median over the passes, without
 * reading. Recovery error: |w^K - w*| / |w*^K - w*|, w* the uncompressed model of the same stream,
 * K = 128. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/linear/wm/wm.h"
#include "figures.h"
#include "rows.h"
#include "truth.h"

static double recovery_error(const struct wm *m, const struct truth *t)
{
    uint32_t top[TRUTH_K];
    double added = 0;
    float *scratch = malloc(m->s.set.n * sizeof *scratch);
    for (uint32_t k = 0, n = store_top(&m->s, TRUTH_K, 0, scratch, top); k < n; k++)
        added += truth_added(t, m->s.set.id[top[k]], store_slot_weight(&m->s, top[k]));
    free(scratch);
    return truth_error(t, added);
}

static size_t pass(const struct rows *d, struct wm *m, size_t *entered)
{
    size_t wrong = 0;
    for (size_t r = 0; r < d->n; r++) {
        double z = 0;
        struct linear_row row = rows_example(d, r);
        store_learn(&m->s, &row, &z);
        wrong += (z >= 0) != (row.y > 0);
        *entered += m->s.n_entrants;
    }
    return wrong;
}

static void measure(const struct rows *d, const struct truth *t, const char *what,
                    struct linear_shape shape, size_t seeds)
{
    struct linear_options opt = {.sgd = t->m.opt.sgd, .max_row = d->longest + 1};
    size_t bytes = store_block_bytes(&wm_kernel, &shape, &opt), entered = 0;
    void *block = zeroed(bytes);
    double *error = calloc(seeds, 8), *seconds = calloc(seeds, 8), *recovery = calloc(seeds, 8);
    for (size_t s = 0; s < seeds; s++) {
        struct wm m;
        opt.seed = (s + 1) * 0x9e3779b97f4a7c15u;
        store_init(&m.s, &wm_kernel, &shape, &opt, memset(block, 0, bytes));
        double t0 = rows_now();
        error[s] = 100.0 * (double)pass(d, &m, &entered) / (double)d->n;
        seconds[s] = rows_now() - t0;
        recovery[s] = recovery_error(&m, t);
    }
    printf("%-14s %5u + %2u x %5u  %7.2f ns a feature  %5.1f entered a row  error %6.2f %%  "
           "recovery %.3f\n",
           what, shape.active, shape.depth, shape.width,
           1e9 * figures_median(seconds, seeds) / (double)d->entries,
           (double)entered / (double)(d->n * seeds), figures_median(error, seeds),
           figures_median(recovery, seeds));
    free(error);
    free(seconds);
    free(recovery);
    free(block);
}

int main(int argc, char **argv)
{
    if (argc != 2 && argc != 3 && argc != 6) {
        fprintf(stderr, "usage: bench_wm FILE [SEEDS [ACTIVE WIDTH DEPTH]]\n");
        return 2;
    }
    struct rows d = rows_read(argv[1]);
    struct truth t = truth_learn(&d, &(struct sgd_options){.lambda = 1e-6, .eta0 = 0.1}, 1);
    size_t seeds = argc > 2 ? strtoull(argv[2], NULL, 10) : 10;
    if (!seeds) return 2;
    if (argc > 3) {
        struct linear_shape s = {(uint32_t)atoi(argv[3]), (uint32_t)atoi(argv[4]),
                                 (uint32_t)atoi(argv[5]), 0};
        measure(&d, &t, "given", s, seeds);
        return 0;
    }
    for (uint64_t kb = 2; kb <= 32; kb *= 2) {
        char what[32];
        const struct linear_options opt = {0};
        struct linear_shape s = {0};
        snprintf(what, sizeof what, "wm %d KB", (int)kb);
        if (wm_kernel.shape_for(kb * 1024, &opt, &s)) measure(&d, &t, what, s, seeds);
    }
    for (uint64_t kb = 2; kb <= 32; kb *= 2) {
        char what[32];
        snprintf(what, sizeof what, "hash %d KB", (int)kb);
        measure(&d, &t, what, (struct linear_shape){TRUTH_K, (uint32_t)kb * 256, 1, 0}, seeds);
    }
    return 0;
}
