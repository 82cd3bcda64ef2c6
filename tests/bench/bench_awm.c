/* bench_awm.c -- the AWM kernels on a libsvm file in memory: ns a feature and online error.
 *
 *     bench_awm FILE [BUDGET_BYTES [SEEDS [RATES]]]
 *
 * Each seed is one pass from an empty model. Time is the median over the passes, without reading.
 * The error is the median and the range over the seeds. RATES is one of:
 *
 *     shared         the plain algorithm
 *     newton         a rate for each weight, counts and a prior bias
 *     compact, full  adaptive rates in that precision */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/linear/adaptive/adaptive.h"
#include "kernels/linear/awm/awm.h"
#include "figures.h"
#include "rows.h"

/* The kernel under test, of which each pass makes a fresh model. */
struct kernel {
    bool is_adaptive;
    struct awm awm; /* templates: shape and options */
    struct adaptive adaptive;
    size_t bytes;
};

static bool choose(struct kernel *k, const char *rates, uint64_t budget, uint32_t max_row)
{
    struct linear_options *a = &k->awm.s.opt;
    struct linear_options *b = &k->adaptive.s.opt;
    *k = (struct kernel){.is_adaptive = !strcmp(rates, "compact") || !strcmp(rates, "full"),
                         .adaptive.s.shape = {ADAPTIVE_CHOOSE, ADAPTIVE_CHOOSE}};
    a->max_row = b->max_row = max_row;
    a->sgd = b->sgd = (struct sgd_options){.lambda = 1e-6, .eta0 = 0.1};
    b->sgd.rates = SGD_ADAPTIVE;
    b->precision = strcmp(rates, "full") ? ADAPTIVE_COMPACT : ADAPTIVE_FULL;
    if (!strcmp(rates, "newton")) {
        a->sgd.bias = SGD_BIAS_PRIOR;
        a->sgd.rates = SGD_NEWTON;
        a->counts = true;
    }
    bool fits = k->is_adaptive ? adaptive_kernel.shape_for(budget, b, &k->adaptive.s.shape)
                               : awm_kernel.shape_for(budget, a, &k->awm.s.shape);
    if (fits)
        k->bytes = k->is_adaptive ? store_block_bytes(&adaptive_kernel, &k->adaptive.s.shape, b)
                                  : store_block_bytes(&awm_kernel, &k->awm.s.shape, a);
    return fits;
}

static void start(struct kernel *k, uint64_t seed, void *block)
{
    memset(block, 0, k->bytes);
    struct linear_shape shape = k->awm.s.shape;
    struct linear_shape adaptive_shape = k->adaptive.s.shape;
    struct linear_options opt = k->awm.s.opt;
    struct linear_options adaptive_options = k->adaptive.s.opt;
    opt.seed = adaptive_options.seed = seed;
    if (k->is_adaptive)
        store_init(&k->adaptive.s, &adaptive_kernel, &adaptive_shape, &adaptive_options, block);
    else
        store_init(&k->awm.s, &awm_kernel, &shape, &opt, block);
}

static size_t awm_pass(const struct rows *d, struct awm *m, size_t *entered)
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

static size_t adaptive_pass(const struct rows *d, struct adaptive *m, size_t *entered)
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

static void print_shape(const struct kernel *k)
{
    if (k->is_adaptive)
        printf("active %u, %u cells", k->adaptive.s.shape.active, k->adaptive.s.shape.width);
    else
        printf("active %u, sketch %u x %u", k->awm.s.shape.active, k->awm.s.shape.depth,
               k->awm.s.shape.width);
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: bench_awm FILE [BUDGET_BYTES [SEEDS [RATES]]]\n");
        return 2;
    }
    struct rows d = rows_read(argv[1]);
    struct kernel k;
    uint64_t budget = argc > 2 ? strtoull(argv[2], NULL, 10) : 32768;
    size_t seeds = argc > 3 ? strtoull(argv[3], NULL, 10) : 10, entered = 0;
    if (!seeds || !choose(&k, argc > 4 ? argv[4] : "shared", budget, d.longest + 1)) return 2;
    double *error = calloc(seeds, 8), *seconds = calloc(seeds, 8);
    void *block = aligned_alloc(64, k.bytes);
    if (!block || !error || !seconds) return 1;
    for (size_t s = 0; s < seeds; s++) {
        start(&k, (s + 1) * 0x9e3779b97f4a7c15u, block);
        double t0 = rows_now();
        size_t wrong = k.is_adaptive ? adaptive_pass(&d, &k.adaptive, &entered)
                                     : awm_pass(&d, &k.awm, &entered);
        seconds[s] = rows_now() - t0;
        error[s] = 100.0 * (double)wrong / (double)d.n;
    }
    double t = figures_median(seconds, seeds), mid = figures_median(error, seeds);
    printf("awm %llu bytes: ", (unsigned long long)budget);
    print_shape(&k);
    printf(", %zu rows, %zu entries, %zu seeds\n", d.n, d.entries, seeds);
    printf("  %.2f ns a feature, %.3f M rows/s, %.1f features entered a row\n",
           1e9 * t / (double)d.entries, 1e-6 * (double)d.n / t,
           (double)entered / (double)(d.n * seeds));
    printf("  online error %% median %.3f, %.3f to %.3f\n", mid, error[0], error[seeds - 1]);
    free(block);
    return 0;
}
