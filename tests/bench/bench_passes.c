/* bench_passes.c -- recovery of the heaviest weights after many passes over a libsvm file held in
 * memory, by the AWM-Sketch, Space Saving and simple truncation in the same bytes.
 *
 *     bench_passes FILE [BUDGET_BYTES [PASSES [SEEDS]]]
 *
 * All see the same rows in the same order, and so does the uncompressed model w* that they are
 * compared with: RelErr = |w^K - w*| / |w*^K - w*|, K = 128, after the last pass. Figures are
 * medians over the seeds. What counts is the distance from 1, where w^K are the best K weights.
 */
#include <math.h>
#include <string.h>

#include "kernels/linear/awm/awm.h"
#include "kernels/linear/logistic.h"
#include "kernels/base/rank.h"
#include "kernels/linear/tracked/tracked.h"
#include "rows.h"

enum { K = 128 };

static const struct sgd_options sgd = {.lambda = 1e-6, .eta0 = 0.1};

struct bench {
    struct rows d;
    uint64_t budget;
    size_t passes, seeds;
    struct logistic truth;
    double all, beyond_top; /* squared lengths of w*, and of w* without its K heaviest */
};

static void *zeroed(size_t bytes)
{
    void *p = aligned_alloc(64, (bytes + 63) & ~(size_t)63);
    if (!p) exit(1);
    return memset(p, 0, bytes);
}

/* ---- the truth ---- */

static void learn_truth(struct bench *b)
{
    struct logistic_options opt = {.sgd = sgd};
    uint32_t capacity = 1u << 20, most = b->d.longest + 1, top[K];
    struct logistic *m = &b->truth;
    double z;
    logistic_init(m, &opt, capacity, zeroed(logistic_block_bytes(capacity, &opt)), most,
                  zeroed(logistic_scratch_bytes(most)));
    for (size_t i = 0; i < b->passes * b->d.n; i++) {
        size_t r = i % b->d.n, a = b->d.start[r];
        struct linear_row row = {b->d.id + a, b->d.x + a, (uint32_t)(b->d.start[r + 1] - a),
                                 b->d.y[r],   1,          true};
        logistic_learn(m, &row, &z);
    }
    for (uint32_t f = 0; f < m->n; f++)
        b->all += pow((double)m->weight[f] * m->sgd.alpha, 2);
    b->beyond_top = b->all;
    uint32_t n = rank_heaviest(m->n, m->weight, NULL, 0, K, top);
    for (uint32_t k = 0; k < n; k++)
        b->beyond_top -= pow((double)m->weight[top[k]] * m->sgd.alpha, 2);
}

/* What showing a feature with weight w adds to |w^K - w*|^2. */
static double added(const struct bench *b, uint32_t id, double w)
{
    double t = logistic_weight(&b->truth, id);
    return (w - t) * (w - t) - t * t;
}

/* ---- the learners: RelErr of one seed ---- */

static double awm(const struct bench *b, uint64_t seed)
{
    struct awm_options opt = {.sgd = sgd, .max_row = b->d.longest + 1, .seed = seed};
    struct awm_shape shape = {.extra = awm_extra(&opt)};
    struct awm m;
    if (!awm_shape_from_budget(b->budget, &shape)) exit(2);
    void *block = zeroed(awm_block_bytes(&shape, &opt));
    float *weight = zeroed(shape.active * sizeof *weight);
    uint32_t top[K];
    double z, left = b->all;
    awm_init(&m, &shape, &opt, block);
    for (size_t i = 0; i < b->passes * b->d.n; i++) {
        size_t r = i % b->d.n, a = b->d.start[r];
        struct linear_row row = {b->d.id + a, b->d.x + a, (uint32_t)(b->d.start[r + 1] - a),
                                 b->d.y[r],   1,          true};
        awm_learn(&m, &row, &z);
    }
    for (uint32_t k = 0, n = awm_top(&m, K, 0, weight, top); k < n; k++)
        left += added(b, m.id[top[k]], awm_slot_weight(&m, top[k]));
    free(weight);
    free(block);
    return sqrt(left / b->beyond_top);
}

static double tracked(const struct bench *b, struct tracked_options opt, uint64_t seed)
{
    opt.sgd = sgd;
    opt.max_row = b->d.longest + 1;
    opt.seed = seed;
    struct tracked_shape shape = {.extra = tracked_extra(&opt)};
    struct tracked m;
    if (!tracked_shape_from_budget(b->budget, opt.rule, &shape)) exit(2);
    void *block = zeroed(tracked_block_bytes(&shape, &opt));
    float *weight = zeroed(shape.slots * sizeof *weight);
    uint32_t top[K];
    double z, left = b->all;
    tracked_init(&m, &shape, &opt, block);
    for (size_t i = 0; i < b->passes * b->d.n; i++) {
        size_t r = i % b->d.n, a = b->d.start[r];
        struct linear_row row = {b->d.id + a, b->d.x + a, (uint32_t)(b->d.start[r + 1] - a),
                                 b->d.y[r],   1,          true};
        tracked_learn(&m, &row, &z);
    }
    for (uint32_t k = 0, n = tracked_top(&m, K, 0, weight, top); k < n; k++)
        left += added(b, m.slots.id[top[k]], tracked_slot_weight(&m, top[k]));
    free(weight);
    free(block);
    return sqrt(left / b->beyond_top);
}

static double space_saving(const struct bench *b, uint64_t seed)
{
    struct tracked_options opt = {.rule = TRACKED_SPACE_SAVING, .churn_one = true};
    return tracked(b, opt, seed);
}

static double truncation(const struct bench *b, uint64_t seed)
{
    return tracked(b, (struct tracked_options){.rule = TRACKED_HEAVIEST}, seed);
}

/* ---- medians ---- */

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double report(const struct bench *b, const char *name,
                     double (*learn)(const struct bench *, uint64_t))
{
    double *v = calloc(b->seeds, sizeof *v);
    if (!v) exit(1);
    for (size_t s = 0; s < b->seeds; s++)
        v[s] = learn(b, (s + 1) * 0x9e3779b97f4a7c15u);
    qsort(v, b->seeds, sizeof *v, ascending);
    double median = 0.5 * (v[(b->seeds - 1) / 2] + v[b->seeds / 2]);
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
    learn_truth(&b);
    printf("%llu bytes, %zu passes over %zu rows, K = %d, medians of %zu seeds\n",
           (unsigned long long)b.budget, b.passes, b.d.n, K, b.seeds);
    double ours = report(&b, "awm", awm);
    double saving = report(&b, "space_saving", space_saving);
    double heaviest = report(&b, "truncation", truncation);
    printf("awm is %.1f and %.1f times closer to 1\n", saving / ours, heaviest / ours);
    return 0;
}
