/* bench_explain.c -- quality of explanations by a learner's weights, against exact counts.
 *
 *     bench_explain FILE METRIC ATTRIBUTE,ATTRIBUTE,… [CROSS [BUDGET_BYTES [SEEDS]]]
 *
 * FILE is a CSV with a header. Labels, features and their order are as from label.quantile (q =
 * 0.8) and feature.columns (explode, cross = CROSS). Records without a metric are left out, and
 * empty attributes make no feature. It prints the figures of each way to learn, over SEEDS seeds of
 * the hash functions:
 *
 *   all      Pearson's correlation of the shown weights with the log relative risk from the exact
 *            counts of the whole stream, over the active set; median
 *   n >= 20  the same correlation, over the features that occur 20 times or more
 *   RR > r   share of the features with n >= 20 and a relative risk above r that are active; median
 *   ns       time to learn an example, which is one feature; median */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/odds.h"
#include "kernels/linear/awm/awm.h"
#include "kernels/text/csv.h"
#include "kernels/text/decimal.h"
#include "kernels/base/feature_id.h"
#include "core/text/framing.h"
#include "kernels/summaries/tail_quantile.h"
#include "kernels/linear/logistic.h"
#include "kernels/base/rank.h"
#include "figures.h"

enum { MOST_COLUMNS = 256, MOST_ATTRIBUTES = 16, OFTEN = 20, TOP = 2048 };

struct example {
    uint64_t id;
    signed char y;
    bool new_record;
};

/* A feature of the stream, found by its folded id, as in the sketch. */
struct feature {
    uint32_t id, count[2];
    bool used;
};

struct data {
    struct example *example;
    size_t n;
    struct feature *feature; /* open addressing; a power of two */
    size_t capacity, features;
    uint64_t records[2];
};

struct header {
    uint32_t metric, column[MOST_ATTRIBUTES], n;
    uint64_t seed[MOST_ATTRIBUTES];
};

struct labeller { /* like label.quantile */
    struct tail_quantile *sketch;
    double threshold;
    uint64_t ask_at;
};

static void fail(const char *why)
{
    fprintf(stderr, "bench_explain: %s\n", why);
    exit(1);
}

static void *checked(void *p)
{
    if (!p) fail("no memory");
    return p;
}

/* ---- the stream ---- */

static char *read_file(const char *path, size_t *n)
{
    FILE *f = fopen(path, "rb");
    if (!f || fseek(f, 0, SEEK_END)) fail("cannot read the file");
    *n = (size_t)ftell(f);
    rewind(f);
    char *text = checked(malloc(*n + 1));
    if (fread(text, 1, *n, f) != *n) fail("cannot read the file");
    fclose(f);
    return text;
}

static struct feature *seek(const struct data *d, uint32_t id)
{
    size_t at = (id * 0x9e3779b97f4a7c15u >> 20) & (d->capacity - 1);
    while (d->feature[at].used && d->feature[at].id != id)
        at = (at + 1) & (d->capacity - 1);
    return &d->feature[at];
}

static void double_features(struct data *d)
{
    struct data old = *d;
    d->capacity = old.capacity ? 2 * old.capacity : 1024;
    d->feature = checked(calloc(d->capacity, sizeof *d->feature));
    for (size_t i = 0; i < old.capacity; i++)
        if (old.feature[i].used) *seek(d, old.feature[i].id) = old.feature[i];
    free(old.feature);
}

static void add_example(struct data *d, uint64_t id, int y, bool new_record)
{
    if (2 * d->features >= d->capacity) double_features(d);
    if (!(d->n & (d->n - 1))) /* room for the next power of two */
        d->example = checked(realloc(d->example, (d->n ? 2 * d->n : 1) * sizeof *d->example));
    d->example[d->n++] = (struct example){id, (signed char)y, new_record};
    struct feature *f = seek(d, id_slots_fold(id));
    d->features += !f->used;
    f->used = true;
    f->id = id_slots_fold(id);
    f->count[y > 0]++;
}

static bool is(const char *record, const struct csv_field *f, const char *name, size_t len)
{
    return f->len == len && !memcmp(record + f->off, name, len);
}

static uint32_t column_of(const char *record, const struct csv_field *f, uint32_t n,
                          const char *name, size_t len)
{
    for (uint32_t c = 0; c < n; c++)
        if (is(record, &f[c], name, len)) return c;
    fail("no such column");
    return 0;
}

static struct header read_header(const char *record, const struct csv_field *f, uint32_t n,
                                 const char *metric, const char *attributes)
{
    struct header h = {.metric = column_of(record, f, n, metric, strlen(metric))};
    for (const char *a = attributes; *a;) {
        size_t len = strcspn(a, ",");
        if (h.n == MOST_ATTRIBUTES) fail("too many attributes");
        h.seed[h.n] = feature_id_name(a, len);
        h.column[h.n++] = column_of(record, f, n, a, len);
        a += len + (a[len] == ',');
    }
    return h;
}

static int label(struct labeller *l, double x)
{
    tail_quantile_insert(l->sketch, x);
    if (l->sketch->n >= l->ask_at) {
        l->threshold = tail_quantile_value(l->sketch);
        l->ask_at = l->sketch->n + 1 + l->sketch->n / 256;
    }
    return x > l->threshold ? 1 : -1;
}

static void add_record(struct data *d, const struct header *h, const char *record,
                       const struct csv_field *f, int y, int cross)
{
    uint64_t id[MOST_ATTRIBUTES], part[MOST_ATTRIBUTES];
    char text[4096];
    uint32_t m = 0;
    for (uint32_t a = 0; a < h->n; a++) {
        const struct csv_field *c = &f[h->column[a]];
        if (!c->len) continue;
        if (c->len > sizeof text) fail("an attribute of more than 4096 bytes");
        const char *value = record + c->off;
        uint32_t len = c->len;
        if (c->doubled) {
            len = csv_unescape(value, len, '"', text);
            value = text;
        }
        id[m] = feature_id_value(h->seed[a], value, len);
        part[m] = feature_id_part(id[m]);
        m++;
    }
    d->records[y > 0] += m > 0;
    for (uint32_t i = 0; i < m; i++)
        add_example(d, id[i], y, !i);
    for (uint32_t i = 0; cross > 1 && i < m; i++)
        for (uint32_t j = i + 1; j < m; j++)
            add_example(d, feature_id_and2(part[i], part[j]), y, false);
}

static struct data read_data(const char *path, const char *metric, const char *attributes,
                             int cross)
{
    struct data d = {0};
    struct header h = {0};
    struct framing framing;
    struct framing_cut cut;
    struct csv_dialect dialect = {',', '"', NULL};
    struct csv_field f[MOST_COLUMNS];
    struct labeller l = {.sketch = checked(malloc(tail_quantile_bytes(0.8, 1024)))};
    size_t size, at = 0;
    uint32_t n, wrong;
    char *text = read_file(path, &size);
    tail_quantile_init(l.sketch, 0.8, 1024, 1);
    framing_init(&framing, FRAMING_CSV, ',', '"', 1u << 20);
    while (framing_next(&framing, text + at, size - at, true, &cut) == FRAMING_RECORD) {
        const char *record = text + at;
        double x;
        at += cut.used;
        if (csv_split(&dialect, record, (uint32_t)cut.len, f, MOST_COLUMNS, &n, &wrong) != CSV_OK)
            fail("a quote is not closed");
        if (!h.n) {
            h = read_header(record, f, n, metric, attributes);
            continue;
        }
        const char *m = record + f[h.metric].off;
        if (decimal_whole(m, m + f[h.metric].len, &x) == DECIMAL_OK)
            add_record(&d, &h, record, f, label(&l, x), cross);
    }
    free(l.sketch);
    free(text);
    return d;
}

/* ---- learning ---- */

/* Heaviest features in a learner's answer. */
struct shown {
    uint32_t n;
    struct point {
        uint32_t id; /* folded */
        double w;
    } * point;
    double ns; /* ns to learn an example */
};

/* A way to learn: within the budget, or with a weight for every feature, of which TOP are shown. */
static const struct variant {
    const char *name;
    struct linear_options opt;
    bool uncompressed;
} variants[] = {
    {"bias sgd, shared rate", {.sgd = {.bias = SGD_BIAS_SGD}}, false},
    {"bias prior, shared rate", {.sgd = {.bias = SGD_BIAS_PRIOR}}, false},
    {"bias prior, adagrad", {.sgd = {.bias = SGD_BIAS_PRIOR, .rates = SGD_ADAGRAD}}, false},
    {"bias prior, newton", {.sgd = {.bias = SGD_BIAS_PRIOR, .rates = SGD_NEWTON}}, false},
    {"bias prior, newton, counts",
     {.sgd = {.bias = SGD_BIAS_PRIOR, .rates = SGD_NEWTON}, .counts = true},
     false},
    {"uncompressed, newton", {.sgd = {.bias = SGD_BIAS_PRIOR, .rates = SGD_NEWTON}}, true},
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void learn_in_budget(const struct linear_options *opt, const struct linear_shape *shape,
                            const struct data *d, struct shown *out)
{
    const float one = 1;
    size_t bytes = store_block_bytes(&awm_kernel, shape, opt);
    void *block = checked(aligned_alloc(64, bytes));
    struct awm m;
    memset(block, 0, bytes);
    store_init(&m.s, &awm_kernel, shape, opt, block);
    double margin, start = now();
    for (size_t i = 0; i < d->n; i++) {
        const struct example *e = &d->example[i];
        struct linear_row row = {&e->id, &one, 1, e->y, 1, e->new_record};
        if (store_learn(&m.s, &row, &margin) != LINEAR_OK) fail("an example was refused");
    }
    out->ns = 1e9 * (now() - start) / (double)d->n;
    out->n = m.s.set.n;
    for (uint32_t s = 0; s < m.s.set.n; s++)
        out->point[s] = (struct point){m.s.set.id[s], store_slot_weight(&m.s, s)};
    free(block);
}

static void learn_uncompressed(const struct linear_options *opt, const struct data *d,
                               struct shown *out)
{
    const float one = 1;
    struct logistic_options o = {.sgd = opt->sgd};
    size_t bytes = logistic_block_bytes((uint32_t)d->capacity, &o);
    void *block = checked(aligned_alloc(64, (bytes + 63) & ~(size_t)63));
    void *scratch = checked(calloc(1, logistic_scratch_bytes(1)));
    struct logistic m;
    uint32_t top[TOP];
    memset(block, 0, bytes);
    logistic_init(&m, &o, (uint32_t)d->capacity, (uint32_t)d->capacity, block, 1, scratch);
    double margin, start = now();
    for (size_t i = 0; i < d->n; i++) {
        const struct example *e = &d->example[i];
        struct linear_row row = {&e->id, &one, 1, e->y, 1, e->new_record};
        if (logistic_learn(&m, &row, &margin) != LINEAR_OK) fail("an example was refused");
    }
    out->ns = 1e9 * (now() - start) / (double)d->n;
    out->n = rank_heaviest(m.n, m.weight, NULL, 0, TOP, top);
    for (uint32_t k = 0; k < out->n; k++)
        out->point[k] =
            (struct point){id_slots_fold(m.id[top[k]]), (double)m.weight[top[k]] * m.sgd.alpha};
    free(scratch);
    free(block);
}

/* ---- looking ---- */

struct moments {
    double n, x, y, xx, yy, xy;
};

static void add_point(struct moments *p, double x, double y)
{
    p->n++, p->x += x, p->y += y, p->xx += x * x, p->yy += y * y, p->xy += x * y;
}

static double pearson(const struct moments *p)
{
    double cov = p->xy - p->x * p->y / p->n;
    return cov / sqrt((p->xx - p->x * p->x / p->n) * (p->yy - p->y * p->y / p->n));
}

static bool is_often(const struct feature *f) { return f->count[0] + f->count[1] >= OFTEN; }

static double risk(const struct data *d, const struct feature *f)
{
    return odds_relative_risk(f->count[1], f->count[0], d->records[1], d->records[0], false);
}

enum figure { ALL, FREQUENT, FREQUENT_MEMBERS, ABOVE_3, ABOVE_2, NS, FIGURES };

static void look(const struct shown *shown, const struct data *d, const double above[2],
                 double figure[FIGURES])
{
    struct moments all = {0}, often = {0};
    double found[2] = {0};
    for (uint32_t k = 0; k < shown->n; k++) {
        const struct feature *f = seek(d, shown->point[k].id);
        double rr = risk(d, f), w = shown->point[k].w;
        add_point(&all, w, log(rr));
        if (!is_often(f)) continue;
        add_point(&often, w, log(rr));
        found[0] += rr > 3;
        found[1] += rr > 2;
    }
    figure[ALL] = pearson(&all);
    figure[FREQUENT] = pearson(&often);
    figure[FREQUENT_MEMBERS] = often.n;
    figure[ABOVE_3] = found[0] / above[0];
    figure[ABOVE_2] = found[1] / above[1];
    figure[NS] = shown->ns;
}

/* ---- the table ---- */

static void measure(const struct variant *v, const struct data *d, uint64_t budget, size_t seeds,
                    const double above[2])
{
    struct linear_options opt = v->opt;
    struct linear_shape shape = {0};
    double *figure = checked(calloc(FIGURES * seeds, 8));
    opt.sgd.lambda = 1e-6, opt.sgd.eta0 = 0.1, opt.max_row = 1;
    if (!awm_kernel.shape_for(budget, &opt, &shape)) fail("nothing fits that budget");
    if (v->uncompressed) shape.active = TOP, shape.width = 0;
    struct shown shown = {.point = checked(calloc(shape.active, sizeof *shown.point))};
    for (size_t s = 0; s < seeds; s++) {
        double one[FIGURES];
        opt.seed = (s + 1) * 0x9e3779b97f4a7c15u;
        if (v->uncompressed)
            learn_uncompressed(&opt, d, &shown);
        else
            learn_in_budget(&opt, &shape, d, &shown);
        look(&shown, d, above, one);
        for (int k = 0; k < FIGURES; k++)
            figure[(size_t)k * seeds + s] = one[k];
    }
    for (size_t k = 0; k < FIGURES; k++)
        qsort(figure + k * seeds, seeds, 8, figures_order);
    const double *mid = figure + seeds / 2;
    printf("| %-27s | %4u | %4u | %.3f | %.3f (%4.0f) | %.3f | %.3f | %.1f |\n", v->name,
           shape.active, shape.width, mid[ALL * seeds], mid[FREQUENT * seeds],
           mid[FREQUENT_MEMBERS * seeds], mid[ABOVE_3 * seeds], mid[ABOVE_2 * seeds],
           mid[NS * seeds]);
    free(shown.point);
    free(figure);
}

int main(int argc, char **argv)
{
    if (argc < 4) {
        fprintf(stderr, "usage: bench_explain FILE METRIC ATTRIBUTE,… [CROSS [BUDGET [SEEDS]]]\n");
        return 2;
    }
    struct data d = read_data(argv[1], argv[2], argv[3], argc > 4 ? atoi(argv[4]) : 1);
    uint64_t budget = argc > 5 ? strtoull(argv[5], NULL, 10) : 32768;
    size_t seeds = argc > 6 ? strtoull(argv[6], NULL, 10) : 5, often = 0;
    double above[2] = {0};
    for (size_t i = 0; i < d.capacity; i++) {
        if (!d.feature[i].used || !is_often(&d.feature[i])) continue;
        often++;
        above[0] += risk(&d, &d.feature[i]) > 3;
        above[1] += risk(&d, &d.feature[i]) > 2;
    }
    printf("%zu examples of %zu features; %zu of them 20 times or more, %.0f with RR > 3, %.0f "
           "with RR > 2; %llu bytes, %zu seeds\n\n",
           d.n, d.features, often, above[0], above[1], (unsigned long long)budget, seeds);
    puts("| variant | S | cells | all | n >= 20 (how many) | RR > 3 | RR > 2 | ns |");
    puts("| --- | --- | --- | --- | --- | --- | --- | --- |");
    for (size_t v = 0; seeds && v < sizeof variants / sizeof *variants; v++)
        measure(&variants[v], &d, budget, seeds, above);
    free(d.example);
    free(d.feature);
    return 0;
}
