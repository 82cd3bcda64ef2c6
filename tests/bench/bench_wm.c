/* bench_wm.c -- WM-Sketch and feature hashing on a libsvm file held in memory: ns a feature, online
 * error, recovery error.
 *
 *     bench_wm FILE [SEEDS [ACTIVE WIDTH DEPTH]]
 *
 * The shapes of the paper for 2, 4, 8, 16 and 32 KB; then feature hashing with the whole budget in
 * cells and 128 members uncharged, as the paper compares it. Each seed is one pass from an empty
 * model; time is the median over the passes, reading left out. Recovery error: |w^K - w*| /
 * |w*^K - w*|, w* the uncompressed model of the same stream, K = 128.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/linear/logistic.h"
#include "kernels/base/rank.h"
#include "kernels/linear/wm/wm.h"
#include "rows.h"

enum { K = 128 };

static void *zeroed(size_t bytes)
{
    void *p = aligned_alloc(64, (bytes + 63) & ~(size_t)63);
    if (!p) exit(1);
    return memset(p, 0, bytes);
}

/* ---- the truth ---- */

struct truth {
    struct logistic m;
    double all, beyond_top; /* squared lengths of w*, and of w* without its K heaviest */
};

static struct truth learn_truth(const struct rows *d, const struct sgd_options *sgd)
{
    struct truth t = {0};
    struct logistic_options opt = {.sgd = *sgd};
    uint32_t top[K];
    logistic_init(&t.m, &opt, 1u << 17, zeroed(logistic_block_bytes(1u << 17, &opt)),
                  d->longest + 1, zeroed(logistic_scratch_bytes(d->longest + 1)));
    for (size_t r = 0; r < d->n; r++) {
        size_t a = d->start[r];
        double z;
        logistic_learn(&t.m,
                       &(struct linear_row){d->id + a, d->x + a, (uint32_t)(d->start[r + 1] - a),
                                            d->y[r], 1, true},
                       &z);
    }
    for (uint32_t f = 0; f < t.m.n; f++)
        t.all += pow((double)t.m.weight[f] * t.m.sgd.alpha, 2);
    t.beyond_top = t.all;
    uint32_t n = rank_heaviest(t.m.n, t.m.weight, NULL, 0, K, top);
    for (uint32_t k = 0; k < n; k++)
        t.beyond_top -= pow((double)t.m.weight[top[k]] * t.m.sgd.alpha, 2);
    return t;
}

static double recovery_error(const struct wm *m, const struct truth *t)
{
    uint32_t top[K], n = wm_top(m, K, 0, top);
    double left = t->all;
    for (uint32_t k = 0; k < n; k++) {
        double w = wm_slot_weight(m, top[k]), true_w = logistic_weight(&t->m, m->set.id[top[k]]);
        left += (w - true_w) * (w - true_w) - true_w * true_w;
    }
    return sqrt(left / t->beyond_top);
}

/* ---- passes ---- */

static size_t pass(const struct rows *d, struct wm *m, size_t *entered)
{
    size_t wrong = 0;
    for (size_t r = 0; r < d->n; r++) {
        size_t a = d->start[r];
        double z = 0;
        struct linear_row row = {d->id + a, d->x + a, (uint32_t)(d->start[r + 1] - a),
                                 d->y[r],   1,        true};
        wm_learn(m, &row, &z);
        wrong += (z >= 0) != (row.y > 0);
        *entered += m->n_entrants;
    }
    return wrong;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *v, size_t n)
{
    qsort(v, n, sizeof *v, ascending);
    return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

static void measure(const struct rows *d, const struct truth *t, const char *what,
                    struct wm_shape shape, size_t seeds)
{
    struct wm_options opt = {.sgd = t->m.opt.sgd, .max_row = d->longest + 1};
    size_t bytes = wm_block_bytes(&shape, &opt), entered = 0;
    void *block = zeroed(bytes);
    double *error = calloc(seeds, 8), *seconds = calloc(seeds, 8), *recovery = calloc(seeds, 8);
    for (size_t s = 0; s < seeds; s++) {
        struct wm m;
        opt.seed = (s + 1) * 0x9e3779b97f4a7c15u;
        wm_init(&m, &shape, &opt, memset(block, 0, bytes));
        double t0 = rows_now();
        error[s] = 100.0 * (double)pass(d, &m, &entered) / (double)d->n;
        seconds[s] = rows_now() - t0;
        recovery[s] = recovery_error(&m, t);
    }
    printf("%-14s %5u + %2u x %5u  %7.2f ns a feature  %5.1f entered a row  error %6.2f %%  "
           "recovery %.3f\n",
           what, shape.active, shape.depth, shape.width,
           1e9 * median(seconds, seeds) / (double)d->entries,
           (double)entered / (double)(d->n * seeds), median(error, seeds), median(recovery, seeds));
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
    struct truth t = learn_truth(&d, &(struct sgd_options){.lambda = 1e-6, .eta0 = 0.1});
    size_t seeds = argc > 2 ? strtoull(argv[2], NULL, 10) : 10;
    if (!seeds) return 2;
    if (argc > 3) {
        struct wm_shape s = {(uint32_t)atoi(argv[3]), (uint32_t)atoi(argv[4]),
                             (uint32_t)atoi(argv[5]), 0};
        measure(&d, &t, "given", s, seeds);
        return 0;
    }
    for (uint64_t kb = 2; kb <= 32; kb *= 2) {
        char what[32];
        struct wm_shape s = {0};
        snprintf(what, sizeof what, "wm %d KB", (int)kb);
        if (wm_shape_from_budget(kb * 1024, &s)) measure(&d, &t, what, s, seeds);
    }
    for (uint64_t kb = 2; kb <= 32; kb *= 2) {
        char what[32];
        snprintf(what, sizeof what, "hash %d KB", (int)kb);
        measure(&d, &t, what, (struct wm_shape){K, (uint32_t)kb * 256, 1, 0}, seeds);
    }
    return 0;
}
