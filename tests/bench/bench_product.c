/* bench_product.c -- sketches of a product of two sparse matrices, by method and size.
 *
 *     bench_product low | noisy | SIZE | FILE THRESHOLD  [METHODS [SIZES [SEEDS]]]
 *
 *     low      synthetic columns of rank 400: 1000 + 2000 features x 10,000 columns, 1 % non-zeros;
 *              random plane rotations spread the singular values 400, 399, …, 1
 *     noisy    low, and as many uniform entries
 *     SIZE     number of random columns, with 20 entries of a sixth as many features
 *     FILE     libsvm, a column pair a line, features below THRESHOLD on the left side
 *     METHODS  letters of "scfgRPH" (default: all) for scod, cod, fd, sfd, columns, projection,
 *              hashing; V: scod without verification
 *
 * It prints error, projection error, bound and CPU time, medians over the seeds. `worst` is the
 * largest error as a share of its run's bound. */
#include <math.h>
#include <string.h>

#include "kernels/product/product.h"
#include "kernels/product/product_evaluate.h"
#include "figures.h"
#include "rows.h"
#include "support/zeroed.h"
#include "support/random.h"

enum { K = 10, MOST_SEEDS = 64 };

struct pairs {
    struct sparse_columns s[2];
    uint32_t m[2];
};

/* ---- data ---- */

static uint64_t state = 1;

/* Fills d[m x n] with a diagonal of rank, rank - 1, .. 1. Then rotates pairs of rows or of columns
 * until d has this many non-zero entries. */
static void spread(double *d, uint32_t m, uint32_t n, uint32_t rank, size_t entries)
{
    for (uint32_t r = 0; r < rank; r++)
        d[(size_t)r * n + r] = rank - r;
    for (size_t there = rank, turn = 0; there < entries; turn++) {
        double angle = 2 * M_PI * uniform(&state, 0, 1), c = cos(angle), s = sin(angle);
        uint32_t lines = turn % 2 ? n : m, length = turn % 2 ? m : n;
        uint32_t a = below(&state, lines), b = below(&state, lines);
        size_t line = turn % 2 ? 1 : n, step = turn % 2 ? n : 1;
        if (a == b) continue;
        for (uint32_t i = 0; i < length; i++) {
            double *x = d + a * line + i * step, *y = d + b * line + i * step, v = *x, w = *y;
            there -= (v != 0) + (w != 0);
            *x = c * v - s * w;
            *y = s * v + c * w;
            there += (*x != 0) + (*y != 0);
        }
    }
}

static struct sparse_columns columns_of(const double *d, uint32_t m, uint32_t n)
{
    struct sparse_columns s = {.max_columns = n};
    size_t entries = 0;
    for (size_t i = 0; i < (size_t)m * n; i++)
        entries += d[i] != 0;
    s.max_entries = (uint32_t)entries;
    s.start = zeroed((n + 1) * 4u);
    s.feature = zeroed(entries * 4);
    s.value = zeroed(entries * 8);
    for (uint32_t j = 0, e = 0; j < n; j++, s.start[++s.columns] = e)
        for (uint32_t i = 0; i < m; i++)
            if (d[(size_t)i * n + j] != 0) {
                s.feature[e] = i;
                s.value[e++] = d[(size_t)i * n + j];
            }
    return s;
}

static struct pairs synthetic(bool noisy)
{
    struct pairs p = {.m = {1000, 2000}};
    for (int side = 0; side < 2; side++) {
        uint32_t m = p.m[side], n = 10000;
        double *d = calloc((size_t)m * n, sizeof *d);
        spread(d, m, n, 400, (size_t)m * n / 100);
        for (size_t i = 0; noisy && i < (size_t)m * n / 100; i++)
            d[(size_t)below(&state, m) * n + below(&state, n)] += uniform(&state, 0, 1);
        p.s[side] = columns_of(d, m, n);
        free(d);
    }
    return p;
}

/* n columns of 20 entries over n / 6 features a side: buffers of 20 columns fill six times. */
static struct pairs sized(uint32_t n)
{
    struct pairs p = {.m = {n / 6, n / 6}};
    for (int side = 0; side < 2; side++) {
        struct sparse_columns s = {.max_columns = n, .max_entries = 20 * n};
        s.start = zeroed((n + 1) * 4u);
        s.feature = zeroed(20 * n * 4u);
        s.value = zeroed(20 * n * 8u);
        for (uint32_t j = 0; j < n; j++) {
            uint32_t f[20];
            double v[20];
            for (int i = 0; i < 20; i++) {
                f[i] = below(&state, n / 120) * 20 + (uint32_t)i;
                v[i] = uniform(&state, 0, 1);
            }
            sparse_columns_append(&s, 20, f, v);
        }
        p.s[side] = s;
    }
    return p;
}

static struct pairs from_file(const char *path, uint64_t threshold)
{
    struct rows d = rows_read(path);
    struct pairs p = {0};
    for (int side = 0; side < 2; side++) {
        struct sparse_columns s = {.max_columns = (uint32_t)d.n,
                                   .max_entries = (uint32_t)d.entries};
        s.start = zeroed((d.n + 1) * 4);
        s.feature = zeroed(d.entries * 4);
        s.value = zeroed(d.entries * 8);
        uint32_t e = 0;
        for (size_t j = 0; j < d.n; j++, s.start[++s.columns] = e)
            for (size_t i = d.start[j]; i < d.start[j + 1]; i++) {
                if ((d.id[i] >= threshold) != side) continue;
                uint32_t f = (uint32_t)(side ? d.id[i] - threshold : d.id[i]);
                if (f >= p.m[side]) p.m[side] = f + 1;
                s.feature[e] = f;
                s.value[e++] = (double)d.x[i];
            }
        p.s[side] = s;
    }
    return p;
}

/* ---- runs ---- */

struct figures {
    double error, projection, bound, seconds;
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t); /* the machine may be shared */
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static uint32_t power_of_two(uint32_t n)
{
    uint32_t p = 1;
    while (p < n)
        p *= 2;
    return p;
}

struct run {
    struct product p;
    struct feature_table t[2];
    void *block, *rows[2];
};

static uint32_t max_entries(const struct pairs *d)
{
    uint32_t most = 0;
    for (int s = 0; s < 2; s++)
        for (uint32_t j = 0; j < d->s[s].columns; j++)
            if (d->s[s].start[j + 1] - d->s[s].start[j] > most)
                most = d->s[s].start[j + 1] - d->s[s].start[j];
    return most;
}

static void begin(struct run *r, const struct pairs *d, const struct product_options *o)
{
    for (int s = 0; s < 2; s++) {
        uint32_t capacity = power_of_two(d->m[s]);
        r->rows[s] = zeroed(feature_table_bytes(capacity, product_stride(o)));
        feature_table_init(&r->t[s], capacity, capacity, product_stride(o), r->rows[s]);
        for (uint32_t f = 0; f < d->m[s]; f++)
            feature_table_enroll(&r->t[s], f);
    }
    struct product_capacity capacity =
        product_capacity_for(o, r->t[0].capacity, r->t[1].capacity, max_entries(d));
    r->block = zeroed(product_bytes(o, &capacity));
    product_init(&r->p, o, &capacity, &r->t[0], &r->t[1], r->block);
}

static void learn(struct run *r, const struct pairs *d, uint32_t j)
{
    static uint32_t feature[2][1 << 16];
    static double value[2][1 << 16];
    struct product_column c[2];
    uint32_t n[2];
    for (int s = 0; s < 2; s++) {
        uint32_t from = d->s[s].start[j];
        n[s] = d->s[s].start[j + 1] - from;
        memcpy(feature[s], d->s[s].feature + from, n[s] * 4);
        memcpy(value[s], d->s[s].value + from, n[s] * 8);
        c[s] = (struct product_column){n[s], feature[s], value[s]};
    }
    if (!product_add(&r->p, c, 1)) exit(1);
}

static struct figures measure(const struct pairs *d, const struct product_evaluate *exact,
                              const struct product_options *o)
{
    struct run r;
    struct product_view v;
    struct figures f;
    struct product_evaluate_result result = {NAN, NAN};
    begin(&r, d, o);
    double start = now();
    for (uint32_t j = 0; j < d->s[0].columns; j++)
        learn(&r, d, j);
    product_flush(&r.p);
    f.seconds = now() - start;
    if (!product_look(&r.p, &v)) exit(1);
    struct product_evaluate_sketch s = {
        {product_side(&r.p, 0), product_side(&r.p, 1)}, v.columns, v.scale};
    if (exact) {
        void *work = zeroed(product_evaluate_bytes(d->m, v.columns, exact->k));
        product_evaluate_sketch(exact, &s, &result, work);
        free(work);
    }
    double FF = sqrt(r.p.sums.square[0] * r.p.sums.square[1]);
    f.error = result.error, f.projection = result.projection, f.bound = v.bound / FF;
    free(r.block), free(r.rows[0]), free(r.rows[1]);
    return f;
}

static double median(const struct figures *f, size_t n, size_t offset)
{
    double v[MOST_SEEDS];
    for (size_t i = 0; i < n; i++)
        v[i] = *(const double *)(const void *)((const char *)&f[i] + offset);
    return figures_median(v, n);
}

int main(int argc, char **argv)
{
    if (argc < 2) return fprintf(stderr, "usage: see the first lines of bench_product.c\n"), 2;
    bool file = argc > 2 && strcmp(argv[1], "low") && strcmp(argv[1], "noisy") && !atoi(argv[1]);
    char **more = argv + (file ? 3 : 2);
    int n_more = argc - (file ? 3 : 2);
    struct pairs d = file            ? from_file(argv[1], strtoull(argv[2], NULL, 10))
                     : atoi(argv[1]) ? sized((uint32_t)atoi(argv[1]))
                                     : synthetic(!strcmp(argv[1], "noisy"));
    const char *methods = n_more > 0 ? more[0] : "sVcfgRPH", *dead_letters = "scfgRPH";
    static const char *const names[] = {"scod",    "cod",        "fd",     "sfd",
                                        "columns", "projection", "hashing"};
    char sizes[256];
    snprintf(sizes, sizeof sizes, "%s", n_more > 1 ? more[1] : "20,50,100,200");
    size_t seeds = n_more > 2 ? (size_t)atoi(more[2]) : 1;
    uint32_t q = n_more > 3 ? (uint32_t)atoi(more[3]) : 2;
    struct product_evaluate exact = {&d.s[0], &d.s[1], {d.m[0], d.m[1]}, K, 0, 0, 0};
    bool evaluated = !atoi(argv[1]) || file;
    if (evaluated) {
        void *work = zeroed(product_evaluate_bytes(d.m, 0, K));
        if (!product_evaluate_exact(&exact, work)) return 1;
        free(work);
        printf(
            "%u + %u features, %u columns, %u + %u entries; |XY'|/FF %.5f, sigma_%d/sigma_1 %.4f\n",
            d.m[0], d.m[1], d.s[0].columns, sparse_columns_entries(&d.s[0]),
            sparse_columns_entries(&d.s[1]), exact.norm / exact.frobenius, K + 1,
            exact.next / exact.norm);
    }
    printf("l,method,error,projection,bound,theorem,worst,seconds\n");
    for (char *t = strtok(sizes, ","); t; t = strtok(NULL, ","))
        for (const char *m = methods; *m; m++) {
            struct figures f[MOST_SEEDS];
            struct product_options o = {0};
            double worst = 0;
            uint32_t method = *m == 'V' ? 0 : (uint32_t)(strchr(dead_letters, *m) - dead_letters);
            for (size_t i = 0; i < seeds && i < MOST_SEEDS; i++) {
                o = (struct product_options){(enum product_method)method,
                                             (uint32_t)atoi(t),
                                             q,
                                             *m == 'V' ? 0 : 0.01,
                                             i + 1,
                                             false,
                                             0};
                f[i] = measure(&d, evaluated ? &exact : NULL, &o);
                worst = fmax(worst, f[i].error / f[i].bound);
            }
#define MEDIAN(FIELD) median(f, seeds, offsetof(struct figures, FIELD))
            printf("%s,%s%s,%.6f,%.4f,%.6f,%.5f,%.2f,%.3f\n", t, names[method],
                   *m == 'V' ? " (SI)" : "", MEDIAN(error), MEDIAN(projection), MEDIAN(bound),
                   product_theorem(&o), worst, MEDIAN(seconds));
            fflush(stdout);
        }
    return 0;
}
