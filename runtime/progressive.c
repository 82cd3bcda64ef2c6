/* progressive.c -- progressive validation and the progress table.
 *
 * What it keeps: weighted sums, marks of them (last_fifth.h), sums by group (compare.h), and for
 * margins a histogram of the scores of each class (score_bins.h).
 *
 * Why not libm: glibc picks its exp by CPU (with or without fused multiply-add), and results differ
 * in the last bit; error rates of two machines could then not be compared byte by byte.
 *
 * Not here: windows and drift; metrics of ranking. */
#include "progressive.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "compare.h"
#include "last_fifth.h"
#include "score_bins.h"

/* Classes whose weights are known, for the best constant. */
enum { CLASSES = 1024 };

struct progressive {
    const char *learner;
    const struct progressive_table *table;
    enum leat_score kind;

    uint64_t examples, features, records;
    struct sums sum, held; /* held out: each counts 1 */

    double of[2], expected;     /* margin: w of each class, w * P(+1) */
    double first_label, d1, d2; /* value: w(y - y0), w(y - y0)^2      */
    double *of_class;           /* class: w of each                   */

    uint64_t next_row; /* examples at which the next row is due */
    double row_weight, row_loss;
    uint64_t start;
    struct score_bin *bins, *held_bins;
    struct last_fifth last;
    struct compare compare; /* where there are several learners */
    _Atomic double shown;   /* average loss after the last batch, for other threads */
};

/* ---- log loss ---- */

/* The functions here have no branch, no comparison and no call, so that the compiler works on
 * several examples at once (margin_losses() below), which halves the time. Rounding to an integer
 * is done by adding and subtracting 1.5 * 2^52, which leaves the nearest integer in the low bits of
 * the sum. */
#define ROUNDER 0x1.8p52
#define FAR     700.0 /* exp(-700) is nothing that log1p could tell from 0 */

/* exp(-a), 0 <= a <= FAR: 2^-k * exp(r), |r| <= ln(2) / 2, Taylor to the 12th power. The sums are
 * grouped in pairs (Estrin) because each step of a plain Horner scheme waits for the one before. */
static inline double exp_minus(double a)
{
    const double ln2_hi = 0x1.62e42fee00000p-1, ln2_lo = 0x1.a39ef35793c76p-33;
    double shifted = a * 1.4426950408889634 + ROUNDER, k = shifted - ROUNDER;
    double r = (k * ln2_hi - a) + k * ln2_lo;
    double r2 = r * r, r4 = r2 * r2, r8 = r4 * r4;
    double p0 = (1.0 + r) + r2 * (1.0 / 2 + r * (1.0 / 6));
    double p4 = (1.0 / 24 + r * (1.0 / 120)) + r2 * (1.0 / 720 + r * (1.0 / 5040));
    double p8 = (1.0 / 40320 + r * (1.0 / 362880)) + r2 * (1.0 / 3628800 + r * (1.0 / 39916800));
    double p = (p0 + r4 * p4) + r8 * (p8 + r4 * (1.0 / 479001600));
    uint64_t bits;
    memcpy(&bits, &shifted, sizeof bits);
    bits = (1023 - bits) << 52; /* the exponent of 2^-k; what lies above k's 11 bits falls off */
    double scale;
    memcpy(&scale, &bits, sizeof scale);
    return p * scale;
}

/* log(1 + t), 0 <= t <= 1: log(x) = 2 atanh((x - 1) / (x + 1)), with x halved above sqrt(2) so that
 * the argument stays below .172 and nine terms do. */
static inline double log1p_unit(double t)
{
    double upper = (t + 0.0857864376269049 + ROUNDER) - ROUNDER; /* 0, or 1 from sqrt(2) - 1 */
    double s = (t - upper) / (2.0 + upper + t);
    double z = s * s, z2 = z * z, z4 = z2 * z2;
    double p0 = (2.0 + z * (2.0 / 3)) + z2 * (2.0 / 5 + z * (2.0 / 7));
    double p4 = (2.0 / 9 + z * (2.0 / 11)) + z2 * (2.0 / 13 + z * (2.0 / 15));
    return s * (p0 + z4 * (p4 + z4 * (2.0 / 17))) + upper * 0.69314718055994531;
}

/* The loss of a margin for class `sign` (1 or -1), and the probability of +1 that it stood for.
 * t = exp(-|margin|). */
static inline double log_loss(double margin, double sign, double t)
{
    return 0.5 * (fabs(margin) - margin * sign) + log1p_unit(t); /* the first: 0, or |margin| */
}

static inline double chance(double margin, double t)
{
    double decided = 0.5 + copysign(0.5, margin);
    return (decided + (1.0 - decided) * t) / (1.0 + t);
}

static inline double capped(double margin) { return fabs(margin) < FAR ? fabs(margin) : FAR; }

double progressive_log_loss(double margin, int positive)
{
    return log_loss(margin, positive ? 1.0 : -1.0, exp_minus(capped(margin)));
}

/* ---- the table ---- */

/* VW's own widths, so that scripts which cut by column go on working. */
#define VW_HEAD_1 "average  since         example        example  current  current  current"
#define VW_HEAD_2 "loss     last          counter         weight    label  predict features"

struct text {
    char s[512];
    size_t n;
};

__attribute__((format(printf, 2, 3))) static void put(struct text *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vsnprintf(t->s + t->n, sizeof t->s - t->n, format, args);
    va_end(args);
    if (n > 0) t->n += (size_t)n;
    if (t->n >= sizeof t->s) t->n = sizeof t->s - 1;
}

static int has_kind(const struct progressive_table *t, enum leat_score kind)
{
    return (int)(t->kinds >> kind & 1u);
}

void progressive_heading(const struct progressive_table *t)
{
    if (!t->line) return;
    for (int i = 0; i < 2; i++) {
        struct text x = {.n = 0};
        if (t->learners > 1) put(&x, "%-*s ", t->id_width, i ? "" : "learner");
        put(&x, "%s", i ? VW_HEAD_2 : VW_HEAD_1);
        if (!t->vw && has_kind(t, LEAT_SCORE_MARGIN))
            put(&x, " %7s %7s %7s", i ? "rate" : "error", i ? "" : "auc", i ? "" : "calib");
        if (!t->vw && has_kind(t, LEAT_SCORE_VALUE))
            put(&x, " %8s %8s", i ? "" : "rmse", i ? "" : "mae");
        if (!t->vw) put(&x, " %7s", i ? "" : "ex/s");
        while (x.n && x.s[x.n - 1] == ' ')
            x.s[--x.n] = 0;
        t->line(t->to, x.s);
    }
}

static uint64_t now(const struct progressive_table *t) { return t->now ? t->now() : clock_ns(); }

/* Four characters that say how fast: 870, 12.3k, 1.05M. */
static void put_rate(struct text *x, double rate)
{
    const char *unit = rate >= 1e9 ? "G" : rate >= 1e6 ? "M" : rate >= 1e3 ? "k" : "";
    double v = rate >= 1e9   ? rate / 1e9
               : rate >= 1e6 ? rate / 1e6
               : rate >= 1e3 ? rate / 1e3
                             : rate;
    int decimals = v >= 99.95 ? 0 : v >= 9.995 || !*unit ? 1 : 2;
    if (!isfinite(rate))
        put(x, " %7s", "-");
    else
        put(x, " %*.*f%s", *unit ? 6 : 7, decimals, v, unit);
}

static double mean(const struct progressive *p, double sum)
{
    return p->sum.weight > 0.0 ? sum / p->sum.weight : (double)NAN;
}

static double calibration(const struct progressive *p)
{
    return p->of[1] > 0.0 ? p->expected / p->of[1] : (double)NAN;
}

static void put_figure(struct text *x, int width, int decimals, double v)
{
    if (isfinite(v))
        put(x, " %*.*f", width, decimals, v);
    else
        put(x, " %*s", width, "-");
}

static void put_figures(struct text *x, const struct progressive *p)
{
    const struct progressive_table *t = p->table;
    int margin = p->kind == LEAT_SCORE_MARGIN, value = p->kind == LEAT_SCORE_VALUE;
    if (has_kind(t, LEAT_SCORE_MARGIN)) {
        double area = (double)NAN, error;
        if (margin) score_bins_auc(p->bins, &area, &error);
        put_figure(x, 7, 4, value ? (double)NAN : mean(p, p->sum.second));
        put_figure(x, 7, 4, area);
        put_figure(x, 7, 3, margin ? calibration(p) : (double)NAN);
    }
    if (has_kind(t, LEAT_SCORE_VALUE)) {
        put_figure(x, 8, 4, value ? sqrt(mean(p, p->sum.loss)) : (double)NAN);
        put_figure(x, 8, 4, value ? mean(p, p->sum.second) : (double)NAN);
    }
    uint64_t ns = now(t) - p->start;
    put_rate(x, ns ? (double)p->examples * 1e9 / (double)ns : (double)NAN);
}

static void row(struct progressive *p, double label, double score, uint32_t features)
{
    const struct progressive_table *t = p->table;
    double since = (p->sum.loss - p->row_loss) / (p->sum.weight - p->row_weight);
    struct text x = {.n = 0};
    if (t->learners > 1) put(&x, "%-*s ", t->id_width, p->learner);
    put(&x, "%-8.6f %-8.6f %12llu %14.1f %8.4f %8.4f %8u", mean(p, p->sum.loss), since,
        (unsigned long long)p->examples, p->sum.weight, label, score, features);
    if (!t->vw) put_figures(&x, p);
    t->line(t->to, x.s);
    p->row_loss = p->sum.loss;
    p->row_weight = p->sum.weight;
    p->next_row *= 2;
}

static void best_class(const struct progressive *p, double *constant, double *loss)
{
    uint32_t best = 0;
    for (uint32_t c = 1; c < CLASSES; c++)
        if (p->of_class[c] > p->of_class[best]) best = c;
    *constant = best;
    *loss = 1.0 - mean(p, p->of_class[best]);
}

/* The constant prediction that would have lost least, and its average loss. */
static void best_constant(const struct progressive *p, double *constant, double *loss)
{
    if (p->kind == LEAT_SCORE_VALUE) {
        double shift = mean(p, p->d1);
        *constant = p->first_label + shift;
        *loss = fmax(0.0, mean(p, p->d2) - shift * shift);
        return;
    }
    if (p->kind == LEAT_SCORE_CLASS) {
        best_class(p, constant, loss);
        return;
    }
    *constant = log(p->of[1] / p->of[0]);
    *loss = 0.0; /* one class alone: an infinite margin loses nothing */
    for (int c = 0; c < 2; c++)
        if (p->of[c] > 0.0) *loss -= mean(p, p->of[c]) * log(mean(p, p->of[c]));
}

__attribute__((format(printf, 2, 3))) static void say(const struct progressive *p,
                                                      const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    p->table->line(p->table->to, text);
}

/* The averages over the last fifth; how many examples that is. */
static uint64_t last_means(const struct progressive *p, double *loss, double *second)
{
    uint64_t n = p->examples;
    struct sums s = last_fifth_sums(&p->last, &p->sum, &n);
    *loss = s.weight > 0.0 ? s.loss / s.weight : (double)NAN;
    *second = s.weight > 0.0 ? s.second / s.weight : (double)NAN;
    return n;
}

static void say_figures(const struct progressive *p)
{
    double loss, second;
    last_means(p, &loss, &second);
    if (p->kind != LEAT_SCORE_VALUE)
        say(p, "error rate = %.6f (last fifth %.6f)", mean(p, p->sum.second), second);
    else
        say(p, "rmse = %.6f (last fifth %.6f), mae = %.6f (last fifth %.6f)",
            sqrt(mean(p, p->sum.loss)), sqrt(loss), mean(p, p->sum.second), second);
}

void progressive_finish(const struct progressive *p)
{
    if (!p->table || !p->table->line) return;
    say(p, "%s", "");
    if (p->table->learners > 1)
        say(p, "finished run of %s", p->learner);
    else
        say(p, "finished run");
    say(p, "number of examples = %llu", (unsigned long long)p->examples);
    say(p, "weighted example sum = %.6f", p->sum.weight);
    if (p->kind == LEAT_SCORE_MARGIN) say(p, "weighted label sum = %.6f", p->of[1] - p->of[0]);
    if (p->kind == LEAT_SCORE_VALUE)
        say(p, "weighted label sum = %.6f", p->first_label * p->sum.weight + p->d1);
    if (p->examples && p->kind != LEAT_SCORE_NONE) {
        double constant, loss;
        best_constant(p, &constant, &loss);
        say(p, "average loss = %.6f", mean(p, p->sum.loss));
        say(p, "best constant = %.6f", constant);
        say(p, "best constant's loss = %.6f", loss);
        if (!p->table->vw) say_figures(p);
    } else {
        say(p, "average loss = n.a.");
    }
    say(p, "total feature number = %llu", (unsigned long long)p->features);
}

/* ---- measuring ---- */

size_t progressive_bytes(enum leat_score kind)
{
    return sizeof(struct progressive) +
           (kind == LEAT_SCORE_MARGIN ? 2 * SCORE_BINS * sizeof(struct score_bin) : 0) +
           (kind == LEAT_SCORE_CLASS ? CLASSES * sizeof(double) : 0);
}

struct progressive *progressive_new(const char *learner, enum leat_score kind,
                                    struct progressive_table *table)
{
    struct progressive *p = calloc(1, sizeof *p);
    if (!p) return NULL;
    if (kind == LEAT_SCORE_MARGIN) p->bins = calloc(2 * SCORE_BINS, sizeof *p->bins);
    if (kind == LEAT_SCORE_CLASS) p->of_class = calloc(CLASSES, sizeof *p->of_class);
    if ((kind == LEAT_SCORE_MARGIN && !p->bins) || (kind == LEAT_SCORE_CLASS && !p->of_class)) {
        free(p);
        return NULL;
    }
    if (p->bins) p->held_bins = p->bins + SCORE_BINS;
    p->learner = learner;
    p->kind = kind;
    p->table = table;
    if (table) {
        int width = (int)strlen(learner);
        if (table->line) p->next_row = 1; /* else 0: a count that is never reached */
        table->kinds |= 1u << kind;
        table->learners++;
        if (width > table->id_width) table->id_width = width;
        if (table->id_width < (int)strlen("learner")) table->id_width = (int)strlen("learner");
        p->start = now(table);
    }
    return p;
}

void progressive_free(struct progressive *p)
{
    if (!p) return;
    free(p->of_class);
    free(p->bins);
    free(p);
}

static int measurable(const struct leat_batch *b, uint32_t e)
{
    return b->status[b->ex_record[e]] == LEAT_ROW_OK && isfinite(b->score[e]) &&
           isfinite(b->ex_label[e]) && isfinite(b->ex_weight[e]) && b->ex_weight[e] >= 0.0f;
}

/* Examples are measured by the block: picked, their losses computed side by side, then added up one
 * by one in the order of the stream. */
#define BLOCK 64
struct block {
    uint32_t n, example[BLOCK], positive[BLOCK];
    double score[BLOCK], label[BLOCK]; /* margins: the label is 1 or -1 */
    double size[BLOCK];                /* |score|, at most FAR          */
    double loss[BLOCK], second[BLOCK], chance[BLOCK];
};

static void value_losses(struct block *k)
{
    for (uint32_t i = 0; i < k->n; i++) {
        double e = k->score[i] - k->label[i];
        k->loss[i] = e * e;
        k->second[i] = fabs(e);
    }
}

static void class_losses(struct block *k)
{
    for (uint32_t i = 0; i < k->n; i++)
        k->loss[i] = k->second[i] = k->score[i] != k->label[i];
}

/* Vectors as wide as the machine has: without contraction their results are the same bits. */
#if defined(__x86_64__) && defined(__GLIBC__) && !defined(__SANITIZE_THREAD__) &&                  \
    !defined(__SANITIZE_ADDRESS__)
#define WIDE __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define WIDE
#endif

/* All of the block, so that the length is constant; what lies behind n is zero or old. */
WIDE static void margin_losses(struct block *restrict k)
{
    for (int i = 0; i < BLOCK; i++) {
        double t = exp_minus(k->size[i]);
        k->loss[i] = log_loss(k->score[i], k->label[i], t);
        k->second[i] = 0.5 - copysign(0.5, k->score[i] * k->label[i]); /* -0 where 0 is wrong */
        k->chance[i] = chance(k->score[i], t);
    }
}

static void add_held(struct progressive *p, const struct block *k, uint32_t i)
{
    p->held.weight += 1.0;
    p->held.loss += k->loss[i];
    p->held.second += k->second[i];
    if (p->held_bins) score_bins_add(p->held_bins, (float)k->score[i], k->positive[i], 1.0);
}

static void add_margin(struct progressive *p, const struct block *k, uint32_t i, double w)
{
    p->expected += w * k->chance[i];
    p->of[k->positive[i]] += w;
    score_bins_add(p->bins, (float)k->score[i], k->positive[i], w);
}

static void add_value(struct progressive *p, double label, double w)
{
    /* Sums about the first label: about 0 the variance of large, close labels would cancel away. */
    if (p->examples == 0) p->first_label = label;
    double d = label - p->first_label;
    p->d1 += w * d;
    p->d2 += w * d * d;
}

static void add_class(struct progressive *p, double label, double w)
{
    if (label >= 0 && label < CLASSES) p->of_class[(uint32_t)label] += w;
}

static void add_block(struct progressive *p, const struct leat_batch *b, struct block *k)
{
    int margin = p->kind == LEAT_SCORE_MARGIN, several = p->table && p->table->learners > 1;
    if (margin)
        margin_losses(k);
    else if (p->of_class)
        class_losses(k);
    else
        value_losses(k);
    for (uint32_t i = 0; i < k->n; i++) {
        uint32_t e = k->example[i], features = b->ex_start[e + 1] - b->ex_start[e];
        double w = (double)b->ex_weight[e];
        if (w == 0.0) {
            add_held(p, k, i);
            continue;
        }
        if (margin)
            add_margin(p, k, i, w);
        else if (p->of_class)
            add_class(p, k->label[i], w);
        else
            add_value(p, k->label[i], w);
        if (several)
            compare_add(&p->compare, p->records + b->ex_record[e], b->ex_label[e], w, k->loss[i],
                        k->second[i]);
        p->sum.weight += w;
        p->sum.loss += w * k->loss[i];
        p->sum.second += w * k->second[i];
        p->features += features;
        last_fifth_add(&p->last, ++p->examples, &p->sum);
        if (p->examples == p->next_row) row(p, k->label[i], k->score[i], features);
    }
    k->n = 0;
}

/* Of a learner that does not predict, examples are only counted. */
static void count_unscored(struct progressive *p, const struct leat_batch *b)
{
    for (LEAT_EACH_EXAMPLE(b, e)) {
        if (b->status[b->ex_record[e]] != LEAT_ROW_OK) continue;
        p->examples++;
        p->sum.weight += (double)b->ex_weight[e];
        p->features += b->ex_start[e + 1] - b->ex_start[e];
    }
    p->records += b->n;
    atomic_store_explicit(&p->shown, (double)NAN, memory_order_relaxed);
}

void progressive_add(struct progressive *p, const struct leat_batch *b)
{
    int margin = p->kind == LEAT_SCORE_MARGIN;
    struct block k;
    if (p->kind == LEAT_SCORE_NONE) {
        count_unscored(p, b);
        return;
    }
    memset(&k, 0, sizeof k);
    for (LEAT_EACH_EXAMPLE(b, e)) {
        if (!measurable(b, e)) continue;
        uint32_t positive = b->ex_label[e] > 0.0f;
        k.example[k.n] = e;
        k.positive[k.n] = positive;
        k.score[k.n] = (double)b->score[e] + 0.0; /* no -0 */
        k.size[k.n] = capped(k.score[k.n]);
        k.label[k.n] = margin ? 2.0 * positive - 1.0 : (double)b->ex_label[e];
        if (++k.n == BLOCK) add_block(p, b, &k);
    }
    if (k.n) add_block(p, b, &k);
    p->records += b->n;
    atomic_store_explicit(&p->shown, p->sum.weight > 0 ? p->sum.loss / p->sum.weight : (double)NAN,
                          memory_order_relaxed);
}

double progressive_loss(const struct progressive *p)
{
    return atomic_load_explicit(&p->shown, memory_order_relaxed);
}

uint64_t progressive_examples(const struct progressive *p) { return p->examples; }

const struct compare *progressive_compare(const struct progressive *p) { return &p->compare; }

enum leat_score progressive_kind(const struct progressive *p) { return p->kind; }

/* Those of the examples held out, to names[n] and values[n] and on; the new n. */
static size_t held_metrics(const struct progressive *p, size_t n, const char **names,
                           double *values)
{
    double w = p->held.weight, area, error;
    if (w == 0.0) return n;
    names[n] = "examples_held_out";
    values[n++] = w;
    if (p->kind == LEAT_SCORE_MARGIN) {
        score_bins_auc(p->held_bins, &area, &error);
        names[n] = "error_rate_held_out";
        values[n++] = p->held.second / w;
        names[n] = "log_loss_held_out";
        values[n++] = p->held.loss / w;
        names[n] = "auc_held_out";
        values[n++] = area;
    } else if (p->kind == LEAT_SCORE_CLASS) {
        names[n] = "error_rate_held_out";
        values[n++] = p->held.loss / w;
    } else {
        names[n] = "rmse_held_out";
        values[n++] = sqrt(p->held.loss / w);
        names[n] = "mae_held_out";
        values[n++] = p->held.second / w;
    }
    return n;
}

/* Those of the whole stream and of its last fifth; how many there are. */
static size_t class_metrics(const struct progressive *p, const char **names, double *values)
{
    static const char *const name[] = {"examples", "error_rate", "examples_last",
                                       "error_rate_last"};
    double loss, second;
    values[0] = (double)p->examples;
    values[1] = mean(p, p->sum.loss);
    values[2] = (double)last_means(p, &loss, &second);
    values[3] = loss;
    memcpy(names, name, sizeof name);
    return 4;
}

static size_t other_metrics(const struct progressive *p, const char **names, double *v)
{
    static const char *const margin_names[] = {"examples",      "error_rate",      "log_loss",
                                               "auc",           "auc_error",       "calibration",
                                               "examples_last", "error_rate_last", "log_loss_last"};
    static const char *const value_names[] = {
        "examples", "rmse", "mae", "squared_loss", "examples_last", "rmse_last", "mae_last"};
    double loss, second, examples_last = (double)last_means(p, &loss, &second);
    int margin = p->kind == LEAT_SCORE_MARGIN;
    size_t n = margin ? 9 : 7;
    v[0] = (double)p->examples;
    if (margin) {
        v[1] = mean(p, p->sum.second);
        v[2] = mean(p, p->sum.loss);
        score_bins_auc(p->bins, &v[3], &v[4]);
        v[5] = calibration(p);
    } else {
        v[1] = sqrt(mean(p, p->sum.loss));
        v[2] = mean(p, p->sum.second);
        v[3] = mean(p, p->sum.loss);
    }
    v[n - 3] = examples_last;
    v[n - 2] = margin ? second : sqrt(loss);
    v[n - 1] = margin ? loss : second;
    memcpy(names, margin ? margin_names : value_names, n * sizeof *names);
    return n;
}

size_t progressive_metrics(const struct progressive *p, const char **names, double *values,
                           size_t max)
{
    const char *name[PROGRESSIVE_METRICS];
    double v[PROGRESSIVE_METRICS];
    size_t n = p->of_class ? class_metrics(p, name, v) : other_metrics(p, name, v);
    n = held_metrics(p, n, name, v);
    if (n > max) n = max;
    memcpy(names, name, n * sizeof *name);
    memcpy(values, v, n * sizeof *v);
    return n;
}

/* ---- snapshots ---- */

/* What is summed, by name: one table for both ways. */
static const struct {
    const char *name;
    size_t offset;
} kept[] = {
#define KEPT(F)                                                                                    \
    {                                                                                              \
#F, offsetof(struct progressive, F)                                                        \
    }
    KEPT(sum.weight), KEPT(sum.loss),    KEPT(sum.second), KEPT(held.weight),
    KEPT(held.loss),  KEPT(held.second), KEPT(of[0]),      KEPT(of[1]),
    KEPT(expected),   KEPT(first_label), KEPT(d1),         KEPT(d2)};

static double *kept_at(struct progressive *p, size_t k)
{
    return (double *)(void *)((char *)p + kept[k].offset);
}

static void write_bins(struct leat_writer *w, const char *name, const struct score_bin *bins)
{
    w->array(w, name, LEAT_U8, bins, SCORE_BINS * sizeof *bins);
}

static int read_classes(struct leat_reader *r, double *of_class)
{
    const void *read;
    uint64_t n = CLASSES;
    int s = r->array(r, "classes", LEAT_F64, &read, &n);
    if (s == LEAT_OK) memcpy(of_class, read, n * sizeof *of_class);
    return s;
}

static int read_bins(struct leat_reader *r, const char *name, struct score_bin *bins)
{
    const void *read;
    uint64_t n = SCORE_BINS * sizeof *bins;
    int s = r->array(r, name, LEAT_U8, &read, &n);
    if (s == LEAT_OK) memcpy(bins, read, n);
    return s;
}

void progressive_write(const struct progressive *p, struct leat_writer *w)
{
    w->u64(w, "examples", p->examples);
    w->u64(w, "records", p->records);
    for (size_t k = 0; k < sizeof kept / sizeof *kept; k++)
        w->f64(w, kept[k].name, *kept_at((struct progressive *)p, k));
    last_fifth_write(&p->last, w);
    compare_write(&p->compare, w);
    if (p->of_class) w->array(w, "classes", LEAT_F64, p->of_class, CLASSES);
    if (p->bins) write_bins(w, "bins", p->bins);
    if (p->bins && p->held.weight > 0.0) write_bins(w, "held_bins", p->held_bins);
}

int progressive_read(struct progressive *p, struct leat_reader *r)
{
    int s = r->u64(r, "examples", &p->examples);
    if (s == LEAT_OK) s = r->u64(r, "records", &p->records);
    for (size_t k = 0; k < sizeof kept / sizeof *kept && s == LEAT_OK; k++)
        s = r->f64(r, kept[k].name, kept_at(p, k));
    if (s == LEAT_OK) s = last_fifth_read(&p->last, r, p->examples);
    if (s == LEAT_OK) s = compare_read(&p->compare, r);
    if (s == LEAT_OK && p->of_class) s = read_classes(r, p->of_class);
    if (s == LEAT_OK && p->bins) s = read_bins(r, "bins", p->bins);
    if (s == LEAT_OK && p->bins && p->held.weight > 0.0)
        s = read_bins(r, "held_bins", p->held_bins);
    while (p->next_row && p->next_row <= p->examples)
        p->next_row *= 2;
    return s;
}

/* The other's sums about this one's first label. */
static void join_labels(struct progressive *p, const struct progressive *other)
{
    if (!p->examples) p->first_label = other->first_label;
    double shift = other->first_label - p->first_label, weight = other->sum.weight;
    p->d1 += other->d1 + weight * shift;
    p->d2 += other->d2 + shift * (2 * other->d1 + weight * shift);
}

void progressive_merge(struct progressive *p, const struct progressive *other)
{
    join_labels(p, other);
    last_fifth_merge(&p->last, &p->sum, p->examples, &other->last, other->examples);
    compare_merge(&p->compare, &other->compare);
    p->examples += other->examples;
    p->records += other->records;
    sums_add(&p->sum, &other->sum);
    sums_add(&p->held, &other->held);
    p->of[0] += other->of[0];
    p->of[1] += other->of[1];
    p->expected += other->expected;
    for (uint32_t c = 0; p->of_class && c < CLASSES; c++)
        p->of_class[c] += other->of_class[c];
    if (!p->bins) return;
    score_bins_merge(p->bins, other->bins);
    score_bins_merge(p->held_bins, other->held_bins);
}
