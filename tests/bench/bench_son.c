/* bench_son.c -- accuracy and time of the online Newton family.
 *
 *   bench_son FILE COMMAND ...
 *
 *   one METHOD M ALPHA0 [ORDER]   one pass; ORDER: 0 for the file's (default), or a seed
 *   best METHOD M                 one pass for each alpha0 = 1e-10, 1e-9 ... 1e10, and the best
 *   robust M                      rfd over 5 random orders and alpha0 = 0, 1e-10, 1e-4, 1, 100
 *   wide M                        rfd on synthetic rows (FILE is -), ids Zipf-distributed and
 *                                 uniform over d: microseconds an example of the second half
 *
 * METHOD: adagrad full fd rfd rfd_diagonal rp oja. One pass learns the first 70 %. The weights of
 * that moment are tested on the rest. The defaults are squared loss and clip 1. */
#include <math.h>
#include <string.h>

#include "kernels/son/adagrad.h"
#include "core/mix64.h"
#include "kernels/base/feature_table.h"
#include "kernels/son/full_on.h"
#include "kernels/son/column_son.h"
#include "kernels/son/rfd_son.h"
#include "rows.h"
#include "support/zeroed.h"
#include "support/random.h"

enum method { ADAGRAD, FULL, FD, RFD, RFD_DIAGONAL, RP, OJA, METHODS };
static const char *const names[] = {"adagrad", "full", "fd", "rfd", "rfd_diagonal", "rp", "oja"};

struct setting {
    enum method method;
    uint32_t m;
    double alpha0;
    uint64_t order; /* seed; 0: order of the file */
    uint64_t seed;  /* seed of rp */
    enum son_loss loss;
    double clip;
};

struct model {
    struct setting set;
    const struct son_kernel *kernel;
    struct feature_table t;
    void *kept, *block;
};

struct outcome {
    double accuracy, online, micros;
};

static uint32_t power_above(uint64_t n)
{
    uint32_t p = 64;
    while (p < n)
        p *= 2;
    return p;
}

static struct rfd_son_options rfd_options(const struct setting *s, struct son_options o)
{
    return (struct rfd_son_options){.son = o,
                                    .m = s->m,
                                    .robust = s->method != FD,
                                    .warm = s->method == RFD ? 20 : 0,
                                    .floor = RFD_SON_FLOOR,
                                    .diagonal = s->method == RFD_DIAGONAL};
}

static const struct son_kernel *kernel_of(enum method method)
{
    switch (method) {
    case ADAGRAD:
        return &adagrad_kernel;
    case FULL:
        return &full_on_kernel;
    case RP:
        return &rp_son_kernel;
    case OJA:
        return &oja_son_kernel;
    default:
        return &rfd_son_kernel;
    }
}

static void model_open(struct model *m, const struct setting *s, uint32_t features,
                       uint32_t touched)
{
    const struct son_options o = {.loss = s->loss, .clip = s->clip, .alpha0 = s->alpha0};
    const struct rfd_son_options rfd = rfd_options(s, o);
    const struct column_son_options column = {o, s->m, s->seed};
    const struct adagrad adagrad = {o, 1};
    const struct son_kernel *k = kernel_of(s->method);
    const void *opt = s->method == ADAGRAD                  ? (const void *)&adagrad
                      : s->method == FULL                   ? (const void *)&o
                      : s->method == RP || s->method == OJA ? (const void *)&column
                                                            : (const void *)&rfd;
    uint32_t stride = SON_MARK + k->stride(opt);
    *m = (struct model){.set = *s, .kernel = k, .kept = zeroed(k->model_size)};
    feature_table_init(&m->t, features, features, stride,
                       zeroed(feature_table_bytes(features, stride)));
    if (k->bytes) m->block = zeroed(k->bytes(opt, features, touched));
    k->init(m->kept, opt, features, touched, m->block);
}

static struct son_features features_of(const struct model *m)
{
    return (struct son_features){m->t.row, m->t.stride, m->t.n};
}

static double learn(struct model *m, const struct son_row *r)
{
    struct son_features f = features_of(m);
    double z = 0;
    m->kernel->learn(m->kept, &f, r, &z);
    return z;
}

static double weight_of(const struct model *m, uint32_t feature)
{
    struct son_features f = features_of(m);
    return m->kernel->weight ? m->kernel->weight(m->kept, &f, feature) : *son_feature(&f, feature);
}

static size_t *order_of(size_t n, uint64_t seed)
{
    size_t *o = malloc(n * sizeof *o);
    for (size_t i = 0; i < n; i++)
        o[i] = i;
    for (size_t i = n; seed && i > 1; i--) {
        size_t j = mix64_next(&seed) % i, t = o[i - 1];
        o[i - 1] = o[j];
        o[j] = t;
    }
    return o;
}

static double test(const struct model *m, const struct rows *d, const size_t *order, size_t from)
{
    double *w = malloc((m->t.n + 1) * sizeof *w);
    size_t right = 0;
    for (uint32_t j = 0; j < m->t.n; j++)
        w[j] = weight_of(m, j);
    for (size_t k = from; k < d->n; k++) {
        double s = 0;
        for (size_t i = d->start[order[k]]; i < d->start[order[k] + 1]; i++) {
            uint32_t f = feature_table_find(&m->t, d->id[i]);
            if (f != FEATURE_TABLE_NONE) s += w[f] * (double)d->x[i];
        }
        right += (s > 0) == (d->y[order[k]] > 0);
    }
    free(w);
    return 100.0 * (double)right / (double)(d->n - from);
}

static struct outcome run(const struct rows *d, const struct setting *s, uint32_t features)
{
    struct model m;
    struct son_row r = {
        .feature = malloc(4 * (d->longest + 1)), .x = malloc(8 * (d->longest + 1)), .weight = 1};
    size_t *order = order_of(d->n, s->order), n = d->n * 7 / 10, wrong = 0;
    model_open(&m, s, features, power_above(2ull * (s->m + 2) * d->longest));
    double begin = rows_now();
    for (size_t k = 0; k < n; k++) {
        size_t e = order[k];
        r.n = 0;
        r.y = d->y[e];
        for (size_t i = d->start[e]; i < d->start[e + 1]; i++) {
            uint32_t f = feature_table_enroll(&m.t, d->id[i]);
            struct son_features all = features_of(&m);
            son_row_add(&r, &all, f, (double)d->x[i]);
        }
        son_row_finish(&r);
        wrong += (learn(&m, &r) > 0) != (r.y > 0);
    }
    double seconds = rows_now() - begin;
    struct outcome out = {test(&m, d, order, n), 100.0 * (double)wrong / (double)n,
                          1e6 * seconds / (double)n};
    free(m.t.id);
    free(m.kept);
    free(m.block);
    free(order);
    free(r.feature);
    free(r.x);
    return out;
}

static uint32_t distinct(const struct rows *d)
{
    uint64_t most = 0;
    for (size_t i = 0; i < d->entries; i++)
        most = d->id[i] > most ? d->id[i] : most;
    return power_above(most + 1);
}

static void say(const struct setting *s, struct outcome o)
{
    printf("%-12s m %3u  alpha0 %-6g order %llu: test accuracy %.2f %%, online error %.2f %%, "
           "%.2f us an example\n",
           names[s->method], s->m, s->alpha0, (unsigned long long)s->order, o.accuracy, o.online,
           o.micros);
}

static struct outcome mean_of_seeds(const struct rows *d, struct setting s)
{
    struct outcome sum = {0};
    uint64_t seeds = s.method == RP ? 5 : 1;
    for (s.seed = 1; s.seed <= seeds; s.seed++) {
        struct outcome o = run(d, &s, distinct(d));
        sum.accuracy += o.accuracy / (double)seeds;
        sum.online += o.online / (double)seeds;
        sum.micros += o.micros / (double)seeds;
    }
    return sum;
}

static void best(const struct rows *d, struct setting s)
{
    struct setting top = s;
    struct outcome o = {0};
    for (int e = -10; e <= 10; e++) {
        s.alpha0 = pow(10, e);
        struct outcome now = mean_of_seeds(d, s);
        say(&s, now);
        if (now.accuracy > o.accuracy) o = now, top = s;
    }
    printf("best: ");
    say(&top, o);
}

static void robust(const struct rows *d, uint32_t m)
{
    const double alpha0[] = {0, 1e-10, 1e-4, 1, 100};
    for (int a = 0; a < 5; a++) {
        double sum = 0, worst = 100;
        for (uint64_t order = 1; order <= 5; order++) {
            struct setting s = {RFD, m, alpha0[a], order, 1, SON_SQUARED, 1};
            double accuracy = run(d, &s, distinct(d)).accuracy;
            sum += accuracy;
            worst = accuracy < worst ? accuracy : worst;
        }
        printf("rfd m %u alpha0 %g: mean of 5 orders %.2f %%, worst %.2f %%\n", m, alpha0[a],
               sum / 5, worst);
    }
}

enum { WIDE_ROWS = 40000, WIDE_ENTRIES = 75 };

/* Returns one of d ids. Under Zipf, its logarithm is uniform. */
static uint64_t wide_id(uint64_t *s, double d, int zipf)
{
    double u = uniform(s, 0, 1);
    return (uint64_t)(zipf ? exp(u * log(d)) : u * d);
}

static double wide_one(uint32_t m, uint64_t d, int zipf)
{
    struct setting s = {.method = RFD, .m = m, .alpha0 = 1, .clip = 1};
    struct model t;
    uint32_t feature[WIDE_ENTRIES];
    double x[WIDE_ENTRIES], begin = 0;
    uint64_t seed = 1;
    model_open(&t, &s, power_above(d), power_above(2ull * (m + 2) * WIDE_ENTRIES));
    for (uint32_t k = 0; k < WIDE_ROWS; k++) {
        struct son_row r = {
            .feature = feature, .x = x, .y = mix64_next(&seed) % 2 ? 1 : -1, .weight = 1};
        if (k == WIDE_ROWS / 2) begin = rows_now();
        for (int i = 0; i < WIDE_ENTRIES; i++) {
            uint64_t id = wide_id(&seed, (double)d, zipf);
            uint32_t f = feature_table_enroll(&t.t, id);
            struct son_features all = features_of(&t);
            son_row_add(&r, &all, f, (id & 1) == (r.y > 0) ? 0.12 : 0.1);
        }
        son_row_finish(&r);
        learn(&t, &r);
    }
    double micros = 1e6 * (rows_now() - begin) / (WIDE_ROWS / 2);
    printf("%s over %llu ids, m %u: %u seen, %.2f us an example\n", zipf ? "Zipf" : "uniform",
           (unsigned long long)d, m, t.t.n, micros);
    free(t.t.id);
    free(t.block);
    return micros;
}

static void wide(uint32_t m)
{
    for (int zipf = 1; zipf >= 0; zipf--) {
        double ratio[3];
        for (int round = 0; round < 3; round++)
            ratio[round] = 1 / wide_one(m, 82000, zipf) * wide_one(m, 2000000, zipf);
        printf("%s: ratios %.2f %.2f %.2f\n", zipf ? "Zipf" : "uniform", ratio[0], ratio[1],
               ratio[2]);
    }
}

int main(int argc, char **argv)
{
    struct setting s = {.method = METHODS, .seed = 1, .clip = 1};
    if (argc < 4) goto usage;
    if (!strcmp(argv[2], "wide")) {
        wide((uint32_t)atoi(argv[3]));
        return 0;
    }
    struct rows d = rows_read(argv[1]);
    for (int i = 0; i < METHODS; i++)
        if (!strcmp(argv[3], names[i])) s.method = (enum method)i;
    if (s.method < METHODS && argc > 4) s.m = (uint32_t)atoi(argv[4]);
    if (!strcmp(argv[2], "one") && s.method < METHODS && argc > 5) {
        s.alpha0 = atof(argv[5]);
        if (argc > 6) s.order = (uint64_t)atoll(argv[6]);
        if (argc > 8) s.loss = (enum son_loss)atoi(argv[7]), s.clip = atof(argv[8]);
        say(&s, run(&d, &s, distinct(&d)));
    } else if (!strcmp(argv[2], "best") && s.method < METHODS && argc > 4) {
        best(&d, s);
    } else if (!strcmp(argv[2], "robust")) {
        robust(&d, (uint32_t)atoi(argv[3]));
    } else {
        goto usage;
    }
    return 0;
usage:
    fprintf(stderr, "usage: see the head of tests/bench/bench_son.c\n");
    return 2;
}
