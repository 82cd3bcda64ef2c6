/* bench_baselines.c -- learners of tracked features: online error, recovery, ns a feature.
 *
 *     bench_baselines FILE [SEEDS [RULE]]      RULE: the number of one line of `methods`
 *
 * FILE is a libsvm file, held in memory. Each seed is one pass from an empty model; figures are
 * medians over the seeds. RelErr compares the K = 128 heaviest weights with the uncompressed
 * model's on the same stream: |w^K - w*| / |w*^K - w*|. Time is the median over the passes, without
 * reading. */
#include <stdbool.h>
#include <string.h>

#include "kernels/linear/tracked/tracked.h"
#include "figures.h"
#include "rows.h"
#include "truth.h"

static const struct sgd_options sgd = {.lambda = 1e-6, .eta0 = 0.1};

static const struct method {
    const char *name;
    struct linear_options opt;
    uint32_t depth;
} methods[] = {
    {"truncation", {.rule = TRACKED_HEAVIEST}, 0},
    {"prob_truncation", {.rule = TRACKED_SAMPLED}, 0},
    {"prob_trunc product", {.rule = TRACKED_SAMPLED, .product = true}, 0},
    {"space_saving one", {.rule = TRACKED_SPACE_SAVING, .churn_one = true}, 0},
    {"space_saving all", {.rule = TRACKED_SPACE_SAVING}, 0},
    {"count_min", {.rule = TRACKED_COUNT_MIN, .conservative = true}, 1},
    {"count_min 2 rows", {.rule = TRACKED_COUNT_MIN, .conservative = true}, 2},
    {"count_min 4 rows", {.rule = TRACKED_COUNT_MIN, .conservative = true}, 4},
    {"count_min 4 plain", {.rule = TRACKED_COUNT_MIN}, 4},
};

static double relative_error(const struct truth *truth, const struct tracked *m)
{
    uint32_t slot[TRUTH_K];
    float *weight = zeroed(m->s.shape.active * sizeof *weight);
    double added = 0;
    for (uint32_t k = 0, n = store_top(&m->s, TRUTH_K, 0, weight, slot); k < n; k++)
        added += truth_added(truth, m->s.set.id[slot[k]], store_slot_weight(&m->s, slot[k]));
    free(weight);
    return truth_error(truth, added);
}

static size_t pass(const struct rows *d, struct tracked *m)
{
    size_t wrong = 0;
    for (size_t r = 0; r < d->n; r++) {
        double z = 0;
        struct linear_row row = rows_example(d, r);
        store_learn(&m->s, &row, &z);
        wrong += (z >= 0) != (row.y > 0);
    }
    return wrong;
}

static void measure(const struct rows *d, const struct truth *truth, const struct method *method,
                    uint64_t budget, size_t seeds)
{
    struct linear_options opt = method->opt;
    opt.sgd = sgd;
    opt.max_row = d->longest + 1;
    struct linear_shape shape = {.depth = method->depth};
    if (!tracked_kernel.shape_for(budget, &opt, &shape)) return;
    size_t bytes = store_block_bytes(&tracked_kernel, &shape, &opt);
    double *v = calloc(3 * seeds, sizeof *v), replaced = 0;
    void *block = aligned_alloc(64, bytes);
    if (!v || !block) exit(1);
    for (size_t s = 0; s < seeds; s++) {
        struct tracked m;
        opt.seed = (s + 1) * 0x9e3779b97f4a7c15u;
        memset(block, 0, bytes);
        store_init(&m.s, &tracked_kernel, &shape, &opt, block);
        double t0 = rows_now();
        v[s] = 100.0 * (double)pass(d, &m) / (double)d->n;
        v[2 * seeds + s] = 1e9 * (rows_now() - t0) / (double)d->entries;
        v[seeds + s] = relative_error(truth, &m);
        replaced += (double)m.replaced / (double)seeds;
    }
    printf("%-18s %3llu KB  %5u slots  error %6.2f %%  RelErr %6.3f  %6.2f ns a feature  %6.2f "
           "replaced a row\n",
           method->name, (unsigned long long)budget / 1024, shape.active, figures_median(v, seeds),
           figures_median(v + seeds, seeds), figures_median(v + 2 * seeds, seeds),
           replaced / (double)d->n);
    free(block);
    free(v);
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: bench_baselines FILE [SEEDS [RULE]]\n");
        return 2;
    }
    struct rows d = rows_read(argv[1]);
    size_t seeds = argc > 2 ? strtoull(argv[2], NULL, 10) : 10;
    size_t only = argc > 3 ? strtoull(argv[3], NULL, 10) : SIZE_MAX;
    if (!seeds) return 2;
    struct truth truth = truth_learn(&d, &sgd, 1);
    printf("%zu rows, %zu entries, %u features; medians of %zu seeds\n", d.n, d.entries, truth.m.n,
           seeds);
    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++)
        for (uint64_t kb = 2; kb <= 32 && (only == SIZE_MAX || only == k); kb *= 2)
            measure(&d, &truth, &methods[k], kb * 1024, seeds);
    return 0;
}
