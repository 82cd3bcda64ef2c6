/* bench_sftrl.c -- ratings and classification by SFTRL: figures of the paper's protocols, errors of
 * the default, processor time.
 *
 *     bench_sftrl ratings  u.data          user, item, rating, time in seconds; file order
 *     bench_sftrl classify ijcnn1.libsvm   train file (first 49,990 rows), then all; normalised
 *     bench_sftrl time                     users and items of skewed popularity, all known
 *
 * Set OPENBLAS_NUM_THREADS=1, as leat itself does. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "rows.h"
#include "core/mix64.h"
#include "support/sftrl_rig.h"
#include "support/random.h"

/* Returns this thread's processor time, which other programs on the machine affect less. */
static double cpu_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#define USER(u) (2 * (uint64_t)(u))
#define ITEM(i) (2 * (uint64_t)(i) + 1)

/* ---- ratings ---- */

struct rating {
    uint32_t user, item;
    double value;
    long time, order;
};

struct ratings {
    struct rating *r;
    size_t n;
};

static struct ratings read_ratings(const char *path)
{
    struct ratings d = {0};
    struct rating r;
    FILE *f = fopen(path, "r");
    if (!f) {
        perror(path);
        exit(1);
    }
    while (fscanf(f, "%u %u %lf %ld", &r.user, &r.item, &r.value, &r.time) == 4) {
        r.order = (long)d.n;
        d.r = rows_grow(d.r, d.n, sizeof *d.r);
        d.r[d.n++] = r;
    }
    fclose(f);
    return d;
}

static int by_time(const void *a, const void *b)
{
    const struct rating *x = a, *y = b;
    if (x->time != y->time) return x->time < y->time ? -1 : 1;
    return x->order < y->order ? -1 : 1;
}

static double learn(struct rig *g, const struct rating *r)
{
    uint64_t id[2] = {USER(r->user), ITEM(r->item)};
    double one[2] = {1, 1};
    return rig_learn(g, 2, id, one, r->value);
}

static double frozen(struct rig *g, const struct rating *r)
{
    uint64_t id[2] = {USER(r->user), ITEM(r->item)};
    double one[2] = {1, 1};
    return rig_predict(g, 2, id, one);
}

/* First 80 %: average of (z - b)^2, as its authors count (the first example left out). Then
 * frozen. */
static void protocol(const struct ratings *d, uint32_t m)
{
    struct sftrl_options opt = {.m = m, .eta = 0.02, .linear = SFTRL_INSIDE, 0};
    struct rig *g = rig_new(opt, 4096, RIG_FEATURES);
    size_t train = d->n / 5 * 4;
    double loss = 0, test = 0, start = cpu_now();
    for (size_t t = 0; t < train; t++) {
        double e = learn(g, &d->r[t]) - d->r[t].value;
        if (t) loss += e * e;
    }
    double seconds = cpu_now() - start;
    for (size_t t = train; t < d->n; t++) {
        double e = frozen(g, &d->r[t]) - d->r[t].value;
        test += e * e;
    }
    printf("paper's protocol, m %u: average loss %.6f, frozen RMSE %.4f, %.2f s\n", m,
           loss / (double)train, sqrt(test / (double)(d->n - train)), seconds);
    rig_free(g);
}

static double hold(double z) { return z < 1 ? 1 : z > 5 ? 5 : z; }

static void progressive(const struct ratings *d, struct sftrl_options opt, const char *what)
{
    struct rig *g = rig_new(opt, 4096, RIG_FEATURES);
    double sum = 0, tenth = 0, start = cpu_now();
    for (size_t t = 0; t < d->n; t++) {
        double e = hold(learn(g, &d->r[t])) - d->r[t].value;
        sum += e * e;
        if (t + 1 == d->n / 10) tenth = sqrt(sum / (double)(t + 1));
    }
    printf("%s, m %u, eta %g: progressive RMSE %.4f (first tenth %.4f), share %.2f, %.2f s\n", what,
           opt.m, opt.eta, sqrt(sum / (double)d->n), tenth, sftrl_share(&g->m), cpu_now() - start);
    rig_free(g);
}

static void ratings(const char *path)
{
    struct ratings d = read_ratings(path);
    for (uint32_t m = 10; m <= 50; m += 10)
        protocol(&d, m);
    for (int sorted = 0; sorted < 2; sorted++) {
        printf("%s order\n", sorted ? "time" : "file");
        if (sorted) qsort(d.r, d.n, sizeof *d.r, by_time);
        for (uint32_t m = 1; m <= 50; m *= m < 10 ? 10 : 5)
            progressive(&d, (struct sftrl_options){.m = m},
                        m > 1 ? "default" : "linear part alone");
        progressive(&d, (struct sftrl_options){.m = 10, .eta = .02, .linear = SFTRL_INSIDE},
                    "linear part inside");
    }
    free(d.r);
}

/* ---- classification ---- */

struct scored {
    double z;
    int y;
};

static int by_score(const void *a, const void *b)
{
    double x = ((const struct scored *)a)->z, y = ((const struct scored *)b)->z;
    return x < y ? -1 : x > y;
}

/* Returns the row's values from feature `from` on, normalised. */
static uint32_t normalised(const struct rows *d, size_t t, uint64_t from, uint64_t *id, double *x)
{
    uint32_t n = 0;
    double norm = 0;
    for (size_t i = d->start[t]; i < d->start[t + 1]; i++)
        if (d->id[i] >= from) {
            id[n] = d->id[i];
            x[n] = (double)d->x[i];
            norm += x[n] * x[n];
            n++;
        }
    for (uint32_t i = 0; i < n && norm > 0; i++)
        x[i] /= sqrt(norm);
    return n;
}

/* Returns the share of (positive, negative) pairs in the right order; ties count half. Sorts. */
static double auc(struct scored *s, size_t n)
{
    double pairs = 0, below = 0, positive = 0;
    qsort(s, n, sizeof *s, by_score);
    for (size_t i = 0, end; i < n; i = end) {
        double of[2] = {0, 0};
        for (end = i; end < n && s[end].z == s[i].z; end++)
            of[s[end].y > 0]++;
        pairs += of[1] * (below + of[0] / 2);
        below += of[0];
        positive += of[1];
    }
    return pairs / (below * positive);
}

/* Learns the first `train` rows of n, and predicts the others. */
static void classify_some(const struct rows *d, uint64_t from, size_t n, size_t train,
                          struct sftrl_options opt, const char *what)
{
    struct rig *g = rig_new(opt, 64, RIG_FEATURES);
    struct scored *s = malloc(n * sizeof *s);
    double start = cpu_now();
    for (size_t t = 0; t < n; t++) {
        uint64_t id[256];
        double x[256];
        uint32_t k = normalised(d, t, from, id, x);
        s[t].y = d->y[t];
        s[t].z = t < train ? rig_learn(g, k, id, x, d->y[t]) : rig_predict(g, k, id, x);
    }
    double seconds = cpu_now() - start;
    printf("%s, features from %llu, m %u, eta %g:", what, (unsigned long long)from, opt.m, opt.eta);
    if (train < n) printf(" frozen AUC %.4f,", auc(s + train, n - train));
    printf(" progressive AUC %.4f, %.1f us an example\n", auc(s, train), seconds / (double)n * 1e6);
    free(s);
    rig_free(g);
}

static void classify(const char *path)
{
    struct rows d = rows_read(path);
    struct sftrl_options paper = {50, 0, 1, FM_LOGISTIC, SFTRL_INSIDE, 0};
    struct sftrl_options small = paper, own = {50, 0, 0, FM_LOGISTIC, SFTRL_SEPARATE, 0};
    size_t first = d.n < 49990 ? d.n : 49990;
    small.m = 5;
    for (uint64_t from = 1; from <= 11; from += 10) { /* 1 .. 10 are a one-hot group */
        classify_some(&d, from, first, first / 5 * 4, paper, "train file");
        classify_some(&d, from, first, first / 5 * 4, small, "train file");
        classify_some(&d, from, first, first / 5 * 4, own, "train file, default");
        classify_some(&d, from, d.n, d.n, paper, "all");
        classify_some(&d, from, d.n, d.n, own, "all, default");
    }
}

/* ---- time ---- */

/* Returns a skewed number below n; small ones are popular. */
static uint64_t popular(uint64_t *s, uint64_t n)
{
    double u = uniform(s, 0, 1);
    return (uint64_t)((double)n * u * u);
}

static void shape(uint32_t m, uint64_t users, uint64_t items, size_t examples, bool linear_inside)
{
    struct sftrl_options opt = {.m = m, .linear = SFTRL_SEPARATE, 0};
    if (linear_inside) opt.linear = SFTRL_INSIDE, opt.eta = .02;
    uint32_t features = 4096;
    while (features < users + items)
        features *= 2;
    struct rig *g = rig_new(opt, 4096, features);
    uint64_t s = 1;
    double one[2] = {1, 1};
    for (uint64_t i = 0; i < users + items; i++) { /* makes all known before the clock runs */
        uint64_t id = i < users ? USER(i) : ITEM(i - users);
        rig_make_room(g, 1);
        feature_table_enroll(&g->t, id);
    }
    double start = cpu_now();
    for (size_t t = 0; t < examples; t++) {
        uint64_t user = popular(&s, users), item = popular(&s, items);
        uint64_t id[2] = {USER(user), ITEM(item)};
        rig_learn(g, 2, id, one, 1 + (double)((user * 7 + item * 13 + mix64_next(&s) % 3) % 5));
    }
    double seconds = cpu_now() - start;
    printf("m %u, %s, d %llu, %zu examples: %.2f us an example\n", m,
           linear_inside ? "inside" : "separate", (unsigned long long)(users + items), examples,
           seconds / (double)examples * 1e6);
    rig_free(g);
}

static void times(void)
{
    for (int inside = 1; inside >= 0; inside--) {
        shape(10, 6040, 3900, 1000000, inside);
        shape(50, 71567, 10681, 300000, inside);
        shape(10, 71567, 10681, 1000000, inside);
        shape(10, 1900000, 100000, 1000000, inside);
    }
}

int main(int argc, char **argv)
{
    if (argc > 2 && !strcmp(argv[1], "ratings")) return ratings(argv[2]), 0;
    if (argc > 2 && !strcmp(argv[1], "classify")) return classify(argv[2]), 0;
    if (argc > 1 && !strcmp(argv[1], "time")) return times(), 0;
    fprintf(stderr, "bench_sftrl ratings FILE | classify FILE | time\n");
    return 2;
}
