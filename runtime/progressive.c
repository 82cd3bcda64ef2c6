/* progressive.c -- progressive validation and the progress table.
 *
 * What it keeps: weighted sums, and for margins a histogram of the scores of each class.
 *
 * AUC. The area under the ROC curve is the share of (positive, negative) pairs in which the
 * positive has the higher score, ties counting half. From a histogram every pair in different bins
 * is known exactly and a pair inside a bin counts half, so the truth is within auc_error = 1/2 *
 * sum over bins (pos * neg) / (P * N) of what we say. A bin that has only ever seen one score holds
 * true ties and adds no error: a constant predictor gets .5 exactly.
 *
 * Bins are cut by the bits of the score, so their order is the scores' order and nothing needs to
 * be known of their range. Between 2^-10 and 2^6, where margins live, a bin is 0.4 % wide; outside,
 * where they rarely are, 6 %. 15,840 bins of 24 bytes, of which only those in use become resident.
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

struct bin {
    double of[2]; /* weight of the negatives, of the positives */
    float score;  /* the first that came                       */
    uint16_t used;
    uint16_t mixed; /* 1: others came too */
};

struct progressive {
    const char *learner;
    const struct progressive_table *table;
    enum leat_score kind;

    uint64_t examples, features;
    double weight, loss; /* sum of w, of w * (log loss | squared loss) */

    double wrong, of[2], expected;        /* margin: w of errors, of each class, w * P(+1) */
    double absolute, first_label, d1, d2; /* value: w|e|; w(y - y0), w(y - y0)^2           */

    uint64_t next_row; /* examples at which the next row is due */
    double row_weight, row_loss;
    uint64_t start;
    struct bin *bins;
    _Atomic double shown; /* average loss after the last batch, for other threads */
};

/* ---- log loss ---- */

/* The functions here have no branch, no comparison and no call, so that the compiler works on
 * several examples at once (losses() below), which halves the time. Rounding to an integer is done
 * by adding and subtracting 1.5 * 2^52, which leaves the nearest integer in the low bits of the
 * sum. */
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

/* ---- AUC ---- */

#define EXPONENT(e) ((uint32_t)(127 + (e)) << 23)
#define TAIL_SHIFT  19 /* 16 bins an octave outside the core  */
#define CORE_SHIFT  15 /* 256 within                          */
#define CORE_LOW    EXPONENT(-10)
#define CORE_HIGH   EXPONENT(6)
#define LOW_BINS    (CORE_LOW >> TAIL_SHIFT)
#define CORE_BINS   ((CORE_HIGH - CORE_LOW) >> CORE_SHIFT)
#define HIGH_BINS   ((EXPONENT(128) - CORE_HIGH) >> TAIL_SHIFT)
#define SIDE        (LOW_BINS + CORE_BINS + HIGH_BINS)
#define BINS        (2 * SIDE)

/* The bits of a positive float, read as an integer, ascend with its value. */
static uint32_t magnitude_bin(uint32_t bits)
{
    if (bits < CORE_LOW) return bits >> TAIL_SHIFT;
    if (bits < CORE_HIGH) return LOW_BINS + ((bits - CORE_LOW) >> CORE_SHIFT);
    return LOW_BINS + CORE_BINS + ((bits - CORE_HIGH) >> TAIL_SHIFT);
}

static uint32_t score_bin(float score)
{
    uint32_t bits;
    memcpy(&bits, &score, sizeof bits);
    uint32_t negative = 0u - (bits >> 31);
    return SIDE + (magnitude_bin(bits & 0x7fffffffu) ^ negative); /* SIDE + m, or SIDE - 1 - m */
}

static void bin_add(struct bin *bin, float score, uint32_t positive, double w)
{
    if (!bin->used) {
        bin->used = 1;
        bin->score = score;
    }
    bin->mixed |= bin->score != score;
    bin->of[positive] += w;
}

static void auc(const struct progressive *p, double *area, double *error)
{
    double below = 0.0, positives = 0.0, won = 0.0, open = 0.0;
    for (uint32_t i = 0; i < BINS; i++) {
        const struct bin *b = &p->bins[i];
        double tied = 0.5 * b->of[1] * b->of[0];
        won += b->of[1] * below + tied;
        if (b->mixed) open += tied;
        below += b->of[0];
        positives += b->of[1];
    }
    double pairs = below * positives;
    *area = pairs > 0.0 ? won / pairs : (double)NAN;
    *error = pairs > 0.0 ? open / pairs : (double)NAN;
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
    return p->weight > 0.0 ? sum / p->weight : (double)NAN;
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
    int margin = p->kind == LEAT_SCORE_MARGIN;
    if (has_kind(t, LEAT_SCORE_MARGIN)) {
        double area = (double)NAN, error;
        if (margin) auc(p, &area, &error);
        put_figure(x, 7, 4, margin ? mean(p, p->wrong) : (double)NAN);
        put_figure(x, 7, 4, area);
        put_figure(x, 7, 3, margin ? calibration(p) : (double)NAN);
    }
    if (has_kind(t, LEAT_SCORE_VALUE)) {
        put_figure(x, 8, 4, margin ? (double)NAN : sqrt(mean(p, p->loss)));
        put_figure(x, 8, 4, margin ? (double)NAN : mean(p, p->absolute));
    }
    uint64_t ns = now(t) - p->start;
    put_rate(x, ns ? (double)p->examples * 1e9 / (double)ns : (double)NAN);
}

static void row(struct progressive *p, double label, double score, uint32_t features)
{
    const struct progressive_table *t = p->table;
    double since = (p->loss - p->row_loss) / (p->weight - p->row_weight);
    struct text x = {.n = 0};
    if (t->learners > 1) put(&x, "%-*s ", t->id_width, p->learner);
    put(&x, "%-8.6f %-8.6f %12llu %14.1f %8.4f %8.4f %8u", mean(p, p->loss), since,
        (unsigned long long)p->examples, p->weight, label, score, features);
    if (!t->vw) put_figures(&x, p);
    t->line(t->to, x.s);
    p->row_loss = p->loss;
    p->row_weight = p->weight;
    p->next_row *= 2;
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

void progressive_finish(const struct progressive *p)
{
    if (!p->table || !p->table->line) return;
    say(p, "%s", "");
    if (p->table->learners > 1)
        say(p, "finished run of %s", p->learner);
    else
        say(p, "finished run");
    say(p, "number of examples = %llu", (unsigned long long)p->examples);
    say(p, "weighted example sum = %.6f", p->weight);
    if (p->kind == LEAT_SCORE_MARGIN) say(p, "weighted label sum = %.6f", p->of[1] - p->of[0]);
    if (p->kind == LEAT_SCORE_VALUE)
        say(p, "weighted label sum = %.6f", p->first_label * p->weight + p->d1);
    if (p->examples) {
        double constant, loss;
        best_constant(p, &constant, &loss);
        say(p, "average loss = %.6f", mean(p, p->loss));
        say(p, "best constant = %.6f", constant);
        say(p, "best constant's loss = %.6f", loss);
    } else {
        say(p, "average loss = n.a.");
    }
    say(p, "total feature number = %llu", (unsigned long long)p->features);
}

/* ---- measuring ---- */

size_t progressive_bytes(enum leat_score kind)
{
    return sizeof(struct progressive) + (kind == LEAT_SCORE_MARGIN ? BINS * sizeof(struct bin) : 0);
}

struct progressive *progressive_new(const char *learner, enum leat_score kind,
                                    struct progressive_table *table)
{
    struct progressive *p = calloc(1, sizeof *p);
    if (!p) return NULL;
    if (kind == LEAT_SCORE_MARGIN && !(p->bins = calloc(BINS, sizeof *p->bins))) {
        free(p);
        return NULL;
    }
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
    free(p->bins);
    free(p);
}

static int measurable(const struct leat_batch *b, uint32_t e)
{
    return b->status[b->ex_record[e]] == LEAT_ROW_OK && isfinite(b->score[e]) &&
           isfinite(b->ex_label[e]) && isfinite(b->ex_weight[e]) && b->ex_weight[e] > 0.0f;
}

/* Examples are measured by the block: picked, their losses computed side by side, then added up one
 * by one in the order of the stream. */
#define BLOCK 64
struct block {
    uint32_t n, example[BLOCK], positive[BLOCK];
    double score[BLOCK], label[BLOCK]; /* margins: the label is 1 or -1 */
    double size[BLOCK];                /* |score|, at most FAR          */
    double loss[BLOCK], wrong[BLOCK], chance[BLOCK];
};

/* Vectors as wide as the machine has: without contraction their results are the same bits. */
#if defined(__x86_64__) && defined(__GLIBC__) && !defined(__SANITIZE_THREAD__) &&                  \
    !defined(__SANITIZE_ADDRESS__)
#define WIDE __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define WIDE
#endif

/* All of the block, so that the length is constant; what lies behind n is zero or old. */
WIDE static void losses(struct block *restrict k)
{
    for (int i = 0; i < BLOCK; i++) {
        double t = exp_minus(k->size[i]);
        k->loss[i] = log_loss(k->score[i], k->label[i], t);
        k->wrong[i] = 0.5 - copysign(0.5, k->score[i] * k->label[i]); /* -0 where 0 is wrong */
        k->chance[i] = chance(k->score[i], t);
    }
}

static void add_margin(struct progressive *p, const struct block *k, uint32_t i, double w)
{
    p->loss += w * k->loss[i];
    p->wrong += w * k->wrong[i];
    p->expected += w * k->chance[i];
    p->of[k->positive[i]] += w;
    bin_add(&p->bins[score_bin((float)k->score[i])], (float)k->score[i], k->positive[i], w);
}

static void add_value(struct progressive *p, double score, double label, double w)
{
    /* Sums about the first label: about 0 the variance of large, close labels would cancel away. */
    if (p->examples == 0) p->first_label = label;
    double e = score - label, d = label - p->first_label;
    p->loss += w * e * e;
    p->absolute += w * fabs(e);
    p->d1 += w * d;
    p->d2 += w * d * d;
}

static void add_block(struct progressive *p, const struct leat_batch *b, struct block *k)
{
    int margin = p->kind == LEAT_SCORE_MARGIN;
    if (margin) losses(k);
    for (uint32_t i = 0; i < k->n; i++) {
        uint32_t e = k->example[i], features = b->ex_start[e + 1] - b->ex_start[e];
        double w = (double)b->ex_weight[e];
        if (margin)
            add_margin(p, k, i, w);
        else
            add_value(p, k->score[i], k->label[i], w);
        p->weight += w;
        p->features += features;
        if (++p->examples == p->next_row) row(p, k->label[i], k->score[i], features);
    }
    k->n = 0;
}

void progressive_add(struct progressive *p, const struct leat_batch *b)
{
    int margin = p->kind == LEAT_SCORE_MARGIN;
    struct block k;
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
    atomic_store_explicit(&p->shown, p->weight > 0 ? p->loss / p->weight : (double)NAN,
                          memory_order_relaxed);
}

double progressive_loss(const struct progressive *p)
{
    return atomic_load_explicit(&p->shown, memory_order_relaxed);
}

uint64_t progressive_examples(const struct progressive *p) { return p->examples; }

size_t progressive_metrics(const struct progressive *p, const char **names, double *values,
                           size_t max)
{
    static const char *const margin_names[] = {"examples", "error_rate", "log_loss",
                                               "auc",      "auc_error",  "calibration"};
    static const char *const value_names[] = {"examples", "rmse", "mae", "squared_loss"};
    double v[PROGRESSIVE_METRICS] = {(double)p->examples};
    int margin = p->kind == LEAT_SCORE_MARGIN;
    size_t n = margin ? 6 : 4;
    if (margin) {
        v[1] = mean(p, p->wrong);
        v[2] = mean(p, p->loss);
        auc(p, &v[3], &v[4]);
        v[5] = calibration(p);
    } else {
        v[1] = sqrt(mean(p, p->loss));
        v[2] = mean(p, p->absolute);
        v[3] = mean(p, p->loss);
    }
    if (n > max) n = max;
    for (size_t i = 0; i < n; i++) {
        names[i] = margin ? margin_names[i] : value_names[i];
        values[i] = v[i];
    }
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
    KEPT(weight),   KEPT(loss),     KEPT(wrong),       KEPT(of[0]), KEPT(of[1]),
    KEPT(expected), KEPT(absolute), KEPT(first_label), KEPT(d1),    KEPT(d2)};

static double *kept_at(struct progressive *p, size_t k)
{
    return (double *)((char *)p + kept[k].offset);
}

static void write_bins(const struct progressive *p, struct leat_writer *w)
{
    w->array(w, "bins", LEAT_U8, p->bins, BINS * sizeof *p->bins);
}

void progressive_write(const struct progressive *p, struct leat_writer *w)
{
    w->u64(w, "examples", p->examples);
    for (size_t k = 0; k < sizeof kept / sizeof *kept; k++)
        w->f64(w, kept[k].name, *kept_at((struct progressive *)p, k));
    if (p->bins) write_bins(p, w);
}

int progressive_read(struct progressive *p, struct leat_reader *r)
{
    const void *bins;
    uint64_t n = BINS * sizeof *p->bins;
    int s = r->u64(r, "examples", &p->examples);
    for (size_t k = 0; k < sizeof kept / sizeof *kept && s == LEAT_OK; k++)
        s = r->f64(r, kept[k].name, kept_at(p, k));
    if (s == LEAT_OK && p->bins && (s = r->array(r, "bins", LEAT_U8, &bins, &n)) == LEAT_OK)
        memcpy(p->bins, bins, n);
    while (p->next_row && p->next_row <= p->examples)
        p->next_row *= 2;
    return s;
}
