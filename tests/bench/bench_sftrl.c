/* bench_sftrl.c -- ratings and classification by SFTRL: figures of the paper's protocols, errors of
 * the default, time.
 *
 *     bench_sftrl ratings  u.data          user, item, rating, time in seconds; file order
 *     bench_sftrl classify ijcnn1.libsvm   the first 49,990 rows, then all
 *     bench_sftrl time     [m ...]         synthetic shapes: users, items and a third indicator
 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "tests/bench/rows.h"
#include "tests/support/sftrl_rig.h"

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

/* First 80 %: average of (z - b)^2, as its authors count (the first example left out). Then frozen.
 */
static void protocol(const struct ratings *d, uint32_t m)
{
    struct sftrl_options opt = {.m = m, .eta = 0.02, .linear = SFTRL_INSIDE};
    struct rig *g = rig_new(opt, 4096, 1024);
    size_t train = d->n / 5 * 4;
    double loss = 0, test = 0, start = rows_now();
    for (size_t t = 0; t < train; t++) {
        double e = learn(g, &d->r[t]) - d->r[t].value;
        if (t) loss += e * e;
    }
    double seconds = rows_now() - start;
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
    struct rig *g = rig_new(opt, 4096, 1024);
    double sum = 0, tenth = 0, start = rows_now();
    for (size_t t = 0; t < d->n; t++) {
        double e = hold(learn(g, &d->r[t])) - d->r[t].value;
        sum += e * e;
        if (t + 1 == d->n / 10) tenth = sqrt(sum / (double)(t + 1));
    }
    printf("%s, m %u, eta %g: progressive RMSE %.4f (first tenth %.4f), share %.2f, %.2f s\n", what,
           opt.m, opt.eta, sqrt(sum / (double)d->n), tenth, sftrl_share(&g->m), rows_now() - start);
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

/* Share of (positive, negative) pairs in the right order, ties half. Sorts. */
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

static void classify_some(const struct rows *d, size_t n, size_t train, struct sftrl_options opt,
                          const char *what)
{
    struct rig *g = rig_new(opt, 64, 64);
    struct scored *s = malloc(n * sizeof *s);
    double start = rows_now();
    for (size_t t = 0; t < n; t++) {
        uint32_t k = (uint32_t)(d->start[t + 1] - d->start[t]);
        double x[256], norm = 0;
        for (uint32_t i = 0; i < k; i++)
            norm += (double)d->x[d->start[t] + i] * (double)d->x[d->start[t] + i];
        for (uint32_t i = 0; i < k; i++)
            x[i] = (double)d->x[d->start[t] + i] / (norm > 0 ? sqrt(norm) : 1);
        const uint64_t *id = d->id + d->start[t];
        s[t].y = d->y[t];
        s[t].z = t < train ? rig_learn(g, k, id, x, d->y[t]) : rig_predict(g, k, id, x);
    }
    double seconds = rows_now() - start;
    size_t from = train < n ? train : 0;
    printf("%s: m %u, eta %g: AUC %.4f", what, opt.m, opt.eta, auc(s + from, n - from));
    if (from) printf(" frozen, %.4f progressive before", auc(s, train));
    printf(", %.1f us an example\n", seconds / (double)n * 1e6);
    free(s);
    rig_free(g);
}

static void classify(const char *path)
{
    struct rows d = rows_read(path);
    struct sftrl_options paper = {
        .m = 50, .eta = 1, .loss = FACTOR_LOGISTIC, .linear = SFTRL_INSIDE};
    struct sftrl_options small = paper, own = {.m = 50, .loss = FACTOR_LOGISTIC};
    size_t first = d.n < 49990 ? d.n : 49990;
    small.m = 5;
    classify_some(&d, first, first / 5 * 4, paper, "paper's protocol");
    classify_some(&d, first, first / 5 * 4, small, "paper's protocol");
    classify_some(&d, d.n, d.n, paper, "all, progressive");
    classify_some(&d, d.n, d.n, own, "all, progressive, default");
}

/* ---- time ---- */

static uint64_t mix(uint64_t *s)
{
    uint64_t z = *s += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* A skewed number below n: popular ones are small. */
static uint64_t popular(uint64_t *s, uint64_t n)
{
    double u = (double)(mix(s) >> 11) * 0x1p-53;
    return (uint64_t)((double)n * u * u);
}

static void shape(uint32_t m, uint64_t users, uint64_t items, size_t examples, bool linear_inside)
{
    struct sftrl_options opt = {.m = m, .linear = SFTRL_SEPARATE};
    if (linear_inside) opt.linear = SFTRL_INSIDE, opt.eta = .02;
    struct rig *g = rig_new(opt, 4096, 1024);
    uint64_t s = 1;
    double one[2] = {1, 1};
    for (uint64_t i = 0; i < users + items; i++) { /* all are known before the clock runs */
        uint64_t id = i < users ? USER(i) : ITEM(i - users);
        rig_make_room(g, 1);
        feature_table_enroll(&g->t, id);
    }
    double start = rows_now();
    for (size_t t = 0; t < examples; t++) {
        uint64_t user = popular(&s, users), item = popular(&s, items);
        uint64_t id[2] = {USER(user), ITEM(item)};
        rig_learn(g, 2, id, one, 1 + (double)((user * 7 + item * 13 + mix(&s) % 3) % 5));
    }
    double seconds = rows_now() - start;
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
