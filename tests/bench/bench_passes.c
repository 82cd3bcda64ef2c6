/* bench_passes.c -- recovery of the heaviest weights after many passes over a libsvm file.
 *
 *     bench_passes FILE [BUDGET_BYTES [PASSES [SEEDS]]]
 *
 * The AWM-Sketch, Space Saving and simple truncation have the same bytes. All see the same rows in
 * the same order, and so does the uncompressed model w* of the comparison: RelErr = |w^K - w*| /
 * |w*^K - w*|, K = 128, after the last pass. Figures are medians over the seeds. The distance from
 * 1, where w^K are the best K weights, counts. */
#include <string.h>

#include "kernels/linear/awm/awm.h"
#include "kernels/linear/tracked/tracked.h"
#include "figures.h"
#include "rows.h"
#include "truth.h"

static const struct sgd_options sgd = {.lambda = 1e-6, .eta0 = 0.1};

struct bench {
    struct rows d;
    uint64_t budget;
    size_t passes, seeds;
    struct truth truth;
};

/* ---- the learners: RelErr of one seed ---- */

static double awm(const struct bench *b, uint64_t seed)
{
    struct linear_options opt = {.sgd = sgd, .max_row = b->d.longest + 1, .seed = seed};
    struct linear_shape shape = {0};
    struct awm m;
    if (!awm_kernel.shape_for(b->budget, &opt, &shape)) exit(2);
    void *block = zeroed(store_block_bytes(&awm_kernel, &shape, &opt));
    float *weight = zeroed(shape.active * sizeof *weight);
    uint32_t top[TRUTH_K];
    double z, sum = 0;
    store_init(&m.s, &awm_kernel, &shape, &opt, block);
    for (size_t i = 0; i < b->passes * b->d.n; i++) {
        struct linear_row row = rows_example(&b->d, i % b->d.n);
        store_learn(&m.s, &row, &z);
    }
    for (uint32_t k = 0, n = store_top(&m.s, TRUTH_K, 0, weight, top); k < n; k++)
        sum += truth_added(&b->truth, m.s.set.id[top[k]], store_slot_weight(&m.s, top[k]));
    free(weight);
    free(block);
    return truth_error(&b->truth, sum);
}

static double tracked(const struct bench *b, struct linear_options opt, uint64_t seed)
{
    opt.sgd = sgd;
    opt.max_row = b->d.longest + 1;
    opt.seed = seed;
    struct linear_shape shape = {0};
    struct tracked m;
    if (!tracked_kernel.shape_for(b->budget, &opt, &shape)) exit(2);
    void *block = zeroed(store_block_bytes(&tracked_kernel, &shape, &opt));
    float *weight = zeroed(shape.active * sizeof *weight);
    uint32_t top[TRUTH_K];
    double z, sum = 0;
    store_init(&m.s, &tracked_kernel, &shape, &opt, block);
    for (size_t i = 0; i < b->passes * b->d.n; i++) {
        struct linear_row row = rows_example(&b->d, i % b->d.n);
        store_learn(&m.s, &row, &z);
    }
    for (uint32_t k = 0, n = store_top(&m.s, TRUTH_K, 0, weight, top); k < n; k++)
        sum += truth_added(&b->truth, m.s.set.id[top[k]], store_slot_weight(&m.s, top[k]));
    free(weight);
    free(block);
    return truth_error(&b->truth, sum);
}

static double space_saving(const struct bench *b, uint64_t seed)
{
    struct linear_options opt = {.rule = TRACKED_SPACE_SAVING, .churn_one = true};
    return tracked(b, opt, seed);
}

static double truncation(const struct bench *b, uint64_t seed)
{
    return tracked(b, (struct linear_options){.rule = TRACKED_HEAVIEST}, seed);
}

static double report(const struct bench *b, const char *name,
                     double (*learn)(const struct bench *, uint64_t))
{
    double *v = calloc(b->seeds, sizeof *v);
    if (!v) exit(1);
    for (size_t s = 0; s < b->seeds; s++)
        v[s] = learn(b, (s + 1) * 0x9e3779b97f4a7c15u);
    double median = figures_median(v, b->seeds);
    printf("%-18s RelErr %.4f (%.4f to %.4f)\n", name, median, v[0], v[b->seeds - 1]);
    free(v);
    return median - 1;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: bench_passes FILE [BUDGET_BYTES [PASSES [SEEDS]]]\n");
        return 2;
    }
    struct bench b = {.d = rows_read(argv[1])};
    b.budget = argc > 2 ? strtoull(argv[2], NULL, 10) : 8192;
    b.passes = argc > 3 ? strtoull(argv[3], NULL, 10) : 28;
    b.seeds = argc > 4 ? strtoull(argv[4], NULL, 10) : 10;
    if (!b.seeds || !b.d.n) return 2;
    b.truth = truth_learn(&b.d, &sgd, b.passes);
    printf("%llu bytes, %zu passes over %zu rows, K = %d, medians of %zu seeds\n",
           (unsigned long long)b.budget, b.passes, b.d.n, TRUTH_K, b.seeds);
    double ours = report(&b, "awm", awm);
    double saving = report(&b, "space_saving", space_saving);
    double heaviest = report(&b, "truncation", truncation);
    printf("awm is %.1f and %.1f times closer to 1\n", saving / ours, heaviest / ours);
    return 0;
}
