/* progressive.c -- progressive validation: measures examples, and computes the figures.
 *
 * State: weighted sums, marks of these sums (last_fifth.h), sums by group (compare.h), and for
 * margins a histogram of the scores of each class (score_bins.h).
 *
 * Not here: the table (progressive_table.c), snapshots (progressive_state.c). There are no windows,
 * no drift and no ranking metrics. */
#include "progressive.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/wide.h"
#include "log_loss.h"
#include "progressive_inside.h"

double progressive_log_loss(double margin, int positive)
{
    return log_loss(margin, positive ? 1.0 : -1.0, exp_within(-capped(margin)));
}

/* Number of labels whose order may be tracked; 0 for values. */
static uint32_t labels_of(enum leat_score kind)
{
    return kind == LEAT_SCORE_VALUE ? 0 : kind == LEAT_SCORE_CLASS ? CLASSES : 2;
}

size_t progressive_bytes(enum leat_score kind)
{
    return sizeof(struct progressive) +
           (is_margin(kind) ? 2 * SCORE_BINS * sizeof(struct score_bin) : 0) +
           (kind == LEAT_SCORE_CLASS ? CLASS_SUMS * CLASSES * sizeof(double) : 0) +
           (kind == LEAT_SCORE_VALUE ? sizeof(struct running_mean) : 0) +
           (kind == LEAT_SCORE_NONE ? 0 : sizeof(struct order)) +
           labels_of(kind) * sizeof(uint64_t);
}

struct progressive *progressive_new(const char *learner, enum leat_score kind,
                                    struct progressive_table *table)
{
    assert(learner);
    struct progressive *p = calloc(1, sizeof *p);
    if (!p) return NULL;
    if (is_margin(kind)) p->bins = calloc(2 * SCORE_BINS, sizeof *p->bins);
    if (kind == LEAT_SCORE_CLASS) p->of_class = calloc(CLASS_SUMS * CLASSES, sizeof *p->of_class);
    if (kind == LEAT_SCORE_VALUE) p->mean = calloc(1, sizeof *p->mean);
    if (kind != LEAT_SCORE_NONE) p->watch = calloc(1, sizeof *p->watch);
    p->order.labels = labels_of(kind);
    if (p->order.labels) p->order.of = calloc(p->order.labels, sizeof *p->order.of);
    if ((is_margin(kind) && !p->bins) || (kind == LEAT_SCORE_CLASS && !p->of_class) ||
        (kind == LEAT_SCORE_VALUE && !p->mean) || (p->order.labels && !p->order.of) ||
        (kind != LEAT_SCORE_NONE && !p->watch)) {
        progressive_free(p);
        return NULL;
    }
    if (p->bins) p->held_bins = p->bins + SCORE_BINS;
    if (kind == LEAT_SCORE_NONE) p->order.labels = 0; /* progressive_count_labels() */
    p->learner = learner;
    p->kind = kind;
    p->table = table;
    if (table) {
        int width = (int)strlen(learner);
        if (table->line) p->next_row = 1; /* otherwise 0, which no count of examples reaches */
        table->kinds |= 1u << kind;
        table->learners += kind != LEAT_SCORE_NONE;
        if (width > table->id_width) table->id_width = width;
        if (table->id_width < (int)strlen("learner")) table->id_width = (int)strlen("learner");
        p->start = progressive_now(table);
    }
    return p;
}

void progressive_clear(struct progressive *p)
{
    struct score_bin *bins = p->bins;
    double *of_class = p->of_class;
    struct running_mean *mean = p->mean;
    struct order *watch = p->watch;
    uint64_t start = p->start;
    struct label_order order = {.labels = p->order.labels, .of = p->order.of};
    if (order.of) memset(order.of, 0, order.labels * sizeof *order.of);
    if (bins) memset(bins, 0, 2 * SCORE_BINS * sizeof *bins);
    if (of_class) memset(of_class, 0, CLASS_SUMS * CLASSES * sizeof *of_class);
    if (mean) memset(mean, 0, sizeof *mean);
    if (watch) memset(watch, 0, sizeof *watch);
    *p = (struct progressive){.learner = p->learner,
                              .table = p->table,
                              .kind = p->kind,
                              .start = start,
                              .order = order,
                              .mean = mean,
                              .watch = watch,
                              .of_class = of_class,
                              .bins = bins,
                              .held_bins = bins ? bins + SCORE_BINS : NULL};
}

void progressive_free(struct progressive *p)
{
    if (!p) return;
    free(p->order.of);
    free(p->of_class);
    free(p->mean);
    free(p->watch);
    free(p->bins);
    free(p);
}

static bool is_of_record(const struct leat_batch *b, uint32_t e)
{
    return b->status[b->ex_record[e]] == LEAT_ROW_OK && isfinite(b->ex_label[e]) &&
           isfinite(b->ex_weight[e]) && b->ex_weight[e] >= 0.0f;
}

static bool is_measurable(struct progressive *p, const struct leat_batch *b, uint32_t e)
{
    if (isfinite(b->score[e])) return is_of_record(b, e);
    p->nonfinite += is_of_record(b, e);
    return false;
}

/* Examples are measured in blocks. Their losses are computed side by side, and are then added one
 * by one, in the order of the stream. */
#define BLOCK 64
struct progressive_block {
    uint32_t n, example[BLOCK], positive[BLOCK];
    double score[BLOCK], label[BLOCK]; /* margins: the label is 1 or -1           */
    double size[BLOCK];                /* min(|score|, FAR); FAR is in log_loss.h */
    double loss[BLOCK], second[BLOCK], chance[BLOCK];
};

static void value_losses(struct progressive_block *k)
{
    for (uint32_t i = 0; i < k->n; i++) {
        double e = k->score[i] - k->label[i];
        k->loss[i] = e * e;
        k->second[i] = fabs(e);
    }
}

static void class_losses(struct progressive_block *k)
{
    for (uint32_t i = 0; i < k->n; i++)
        k->loss[i] = k->second[i] = k->score[i] != k->label[i];
}

static void decision_losses(struct progressive_block *k)
{
    for (uint32_t i = 0; i < k->n; i++)
        k->loss[i] = k->second[i] = (k->score[i] >= 0) != k->positive[i];
}

/* Computes all BLOCK entries, because a constant length vectorises better. The results of entries
 * from k->n on, which are zero or old, are not used. */
WIDE static void margin_losses(struct progressive_block *restrict k)
{
    for (int i = 0; i < BLOCK; i++) {
        double t = exp_within(-k->size[i]);
        k->loss[i] = log_loss(k->score[i], k->label[i], t);
        /* for score 0 the product is 0 if the label is 1 (right), and -0 if it is -1 (wrong) */
        k->second[i] = 0.5 - copysign(0.5, k->score[i] * k->label[i]);
        k->chance[i] = chance(k->score[i], t);
    }
}

/* Weighted mean of the labels so far. */
static double mean_label(const struct progressive *p)
{
    return p->sum.weight > 0 ? p->first_label + p->d1 / p->sum.weight : 0;
}

static void add_held(struct progressive *p, const struct progressive_block *k, uint32_t i)
{
    p->held.weight += 1.0;
    p->held.loss += k->loss[i];
    p->held.second += k->second[i];
    if (p->mean) running_mean_hold(p->mean, mean_label(p), k->label[i]);
    if (p->held_bins) score_bins_add(p->held_bins, (float)k->score[i], k->positive[i], 1.0);
}

static void add_margin(struct progressive *p, const struct progressive_block *k, uint32_t i,
                       double w)
{
    bool weighted = w != 1 || p->d1 > 0;
    if (weighted && p->kind == LEAT_SCORE_MARGIN) progressive_lose_share(p, k->positive[i], w);
    order_add_class(p->watch, k->positive[i], w, p->of);
    p->expected += w * k->chance[i];
    p->of[k->positive[i]] += w;
    score_bins_add(p->bins, (float)k->score[i], k->positive[i], w);
}

static void add_value(struct progressive *p, double label, double score, double w)
{
    label_errors_add(&p->by_label, label, score, w);
    order_add_number(p->watch, label, w);
    running_mean_add(p->mean, mean_label(p), label, w);
    p->expected += w;
    /* The sums are of differences from the first label. Otherwise, large labels with small
     * differences would make the variance cancel out. */
    if (p->examples == 0) p->first_label = label;
    double d = label - p->first_label;
    p->d1 += w * d;
    p->d2 += w * d * d;
}

/* Returns the label as the number of a class; CLASSES if the label is not counted. */
static uint32_t label_number(double label)
{
    return label >= 0 && label < CLASSES ? (uint32_t)label : CLASSES;
}

static void add_class(struct progressive *p, double label, double score, double w)
{
    uint32_t came = label_number(label), predicted = label_number(score);
    if (came < CLASSES) order_add_class(p->watch, came, w, p->of_class);
    if (came < CLASSES) p->of_class[came] += w;
    if (predicted < CLASSES) p->of_class[CLASSES + predicted] += w;
    if (came < CLASSES && label == score) p->of_class[2 * CLASSES + came] += w;
}

static void add_block(struct progressive *p, const struct leat_batch *b,
                      struct progressive_block *k)
{
    bool margin = is_margin(p->kind), several = p->table && p->table->learners > 1;
    if (p->kind == LEAT_SCORE_MARGIN)
        margin_losses(k);
    else if (margin)
        decision_losses(k);
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
        label_order_add(&p->order, p->records + b->ex_record[e] + 1,
                        margin ? k->positive[i] : label_number(k->label[i]));
        if (order_is_sampled(p->records + b->ex_record[e])) progressive_note(p, b, e);
        if (margin)
            add_margin(p, k, i, w);
        else if (p->of_class)
            add_class(p, k->label[i], k->score[i], w);
        else
            add_value(p, k->label[i], k->score[i], w);
        if (several)
            compare_add(&p->compare, p->records + b->ex_record[e], b->ex_label[e], w, k->loss[i],
                        k->second[i]);
        p->sum.weight += w;
        p->sum.loss += w * k->loss[i];
        p->sum.second += w * k->second[i];
        p->features += features;
        last_fifth_add(&p->last, ++p->examples, &p->sum);
        if (p->examples == p->next_row) progressive_row(p, k->label[i], k->score[i], features);
    }
    k->n = 0;
}

/* Only counts the examples and their labels, for a learner that does not predict. */
static void count_unscored(struct progressive *p, const struct leat_batch *b)
{
    for (LEAT_EACH_EXAMPLE(b, e)) {
        if (b->status[b->ex_record[e]] != LEAT_ROW_OK) continue;
        p->examples++;
        label_order_add(&p->order, p->records + b->ex_record[e] + 1, b->ex_label[e] > 0);
        p->sum.weight += (double)b->ex_weight[e];
        p->features += b->ex_start[e + 1] - b->ex_start[e];
    }
    atomic_store_explicit(&p->shown, (double)NAN, memory_order_relaxed);
}

static void count_scored(struct progressive *p, const struct leat_batch *b)
{
    bool margin = is_margin(p->kind);
    struct progressive_block k;
    memset(&k, 0, sizeof k);
    for (LEAT_EACH_EXAMPLE(b, e)) {
        if (!is_measurable(p, b, e)) continue;
        uint32_t positive = b->ex_label[e] > 0.0f;
        k.example[k.n] = e;
        k.positive[k.n] = positive;
        k.score[k.n] = (double)b->score[e] + 0.0; /* turns -0 into 0 */
        k.size[k.n] = capped(k.score[k.n]);
        k.label[k.n] = margin ? 2.0 * positive - 1.0 : (double)b->ex_label[e];
        if (++k.n == BLOCK) add_block(p, b, &k);
    }
    if (k.n) add_block(p, b, &k);
    atomic_store_explicit(&p->shown, p->sum.weight > 0 ? p->sum.loss / p->sum.weight : (double)NAN,
                          memory_order_relaxed);
}

void progressive_add(struct progressive *p, const struct leat_batch *b, bool later_piece)
{
    if (later_piece) p->records -= b->n;
    if (p->kind == LEAT_SCORE_NONE)
        count_unscored(p, b);
    else
        count_scored(p, b);
    p->records += b->n;
}

double progressive_loss(const struct progressive *p)
{
    return atomic_load_explicit(&p->shown, memory_order_relaxed);
}

uint64_t progressive_examples(const struct progressive *p) { return p->examples + p->unmeasured; }

uint64_t progressive_examples_here(const struct progressive *p)
{
    return p->examples - p->continued;
}

bool progressive_is_weighted(const struct progressive *p)
{
    return p->sum.weight != (double)p->examples;
}

const struct compare *progressive_compare(const struct progressive *p) { return &p->compare; }

enum leat_score progressive_kind(const struct progressive *p) { return p->kind; }

const struct label_order *progressive_labels(const struct progressive *p) { return &p->order; }

/* ---- computing the figures ---- */

struct figures {
    const char *name[PROGRESSIVE_METRICS];
    double value[PROGRESSIVE_METRICS];
    size_t n;
};

static void progressive_put(struct figures *f, const char *name, double value)
{
    f->name[f->n] = name;
    f->value[f->n++] = value;
}

static void put_scores(struct figures *f, const struct progressive *p)
{
    struct score_figures s;
    score_figures_of(p->bins, &s);
    if (p->kind == LEAT_SCORE_MARGIN) {
        progressive_put(f, "calibration_error", s.calibration_error);
        progressive_put(f, "brier", s.brier);
    }
    progressive_put(f, "average_precision", s.average_precision);
    progressive_put(f, "average_precision_error", s.average_precision_error);
    progressive_put(f, "f1", s.f1);
    progressive_put(f, "f1_threshold", s.f1_threshold);
}

static void put_whole(struct figures *f, const struct progressive *p)
{
    double area, error;
    progressive_put(f, "examples", (double)progressive_examples(p));
    if (p->of_class) {
        progressive_put(f, "error_rate", mean(p, p->sum.loss));
    } else if (is_margin(p->kind)) {
        bool odds = p->kind == LEAT_SCORE_MARGIN;
        score_bins_auc(p->bins, &area, &error);
        progressive_put(f, "error_rate", mean(p, p->sum.second));
        if (odds) progressive_put(f, "log_loss", mean(p, p->sum.loss));
        progressive_put(f, "auc", area);
        progressive_put(f, "auc_error", error);
        if (odds) progressive_put(f, "calibration", calibration(p));
        put_scores(f, p);
    } else if (p->kind == LEAT_SCORE_VALUE) {
        progressive_put(f, "rmse", sqrt(mean(p, p->sum.loss)));
        progressive_put(f, "mae", mean(p, p->sum.second));
        progressive_put(f, "squared_loss", mean(p, p->sum.loss));
    }
}

static void put_last_fifth(struct figures *f, const struct progressive *p)
{
    double loss, second;
    double n = (double)last_means(p, &loss, &second);
    progressive_put(f, "examples_last", p->unmeasured && !p->examples ? (double)NAN : n);
    if (p->of_class) {
        progressive_put(f, "error_rate_last", loss);
    } else if (is_margin(p->kind)) {
        progressive_put(f, "error_rate_last", second);
        if (p->kind == LEAT_SCORE_MARGIN) progressive_put(f, "log_loss_last", loss);
    } else {
        progressive_put(f, "rmse_last", sqrt(loss));
        progressive_put(f, "mae_last", second);
    }
}

static void put_constant(struct figures *f, const struct progressive *p)
{
    if (p->kind == LEAT_SCORE_VALUE) {
        struct mean_errors whole = running_mean_errors(p->mean), last = running_mean_last(p->mean);
        progressive_put(f, "rmse_constant", whole.rmse);
        progressive_put(f, "mae_constant", whole.mae);
        progressive_put(f, "rmse_constant_last", last.rmse);
        progressive_put(f, "mae_constant_last", last.mae);
        return;
    }
    progressive_put(f, "error_rate_constant", progressive_constant_error(p));
    if (p->kind == LEAT_SCORE_MARGIN)
        progressive_put(f, "log_loss_constant", progressive_constant_loss(p));
}

static void put_held_out(struct figures *f, const struct progressive *p)
{
    double w = p->held.weight, area, error;
    progressive_put(f, "examples_held_out", w);
    if (p->kind == LEAT_SCORE_CLASS) {
        progressive_put(f, "error_rate_held_out", p->held.loss / w);
    } else if (is_margin(p->kind)) {
        score_bins_auc(p->held_bins, &area, &error);
        progressive_put(f, "error_rate_held_out", p->held.second / w);
        if (p->kind == LEAT_SCORE_MARGIN) progressive_put(f, "log_loss_held_out", p->held.loss / w);
        progressive_put(f, "auc_held_out", area);
        progressive_put(f, "auc_error_held_out", error);
    } else {
        progressive_put(f, "rmse_held_out", sqrt(p->held.loss / w));
        progressive_put(f, "mae_held_out", p->held.second / w);
        progressive_put(f, "rmse_constant_held_out", running_mean_held(p->mean).rmse);
    }
}

size_t progressive_reliability(const struct progressive *p,
                               struct reliability out[RELIABILITY_BINS])
{
    struct score_figures s;
    if (p->kind != LEAT_SCORE_MARGIN || !p->examples) return 0;
    score_figures_of(p->bins, &s);
    memcpy(out, s.reliability, sizeof s.reliability);
    return RELIABILITY_BINS;
}

size_t progressive_metrics(const struct progressive *p, const char **names, double *values,
                           size_t max)
{
    struct figures f = {.n = 0};
    /* a learner whose plugin is missing has LEAT_SCORE_NONE, too */
    bool predicts = p->kind != LEAT_SCORE_NONE;
    put_whole(&f, p);
    if (predicts) put_last_fifth(&f, p);
    if (predicts) put_constant(&f, p);
    if (predicts && p->held.weight != 0.0) put_held_out(&f, p);
    if (f.n > max) f.n = max;
    memcpy(names, f.name, f.n * sizeof *names);
    memcpy(values, f.value, f.n * sizeof *values);
    return f.n;
}

/* ---- examples from which nothing can be learned ----
 *
 * They have no features, only one label, or labels in long runs. */

enum { FEWEST_EXAMPLES = 10 }; /* with fewer examples there is no message */

/* Sets *label if all weight so far is on one class, and returns true. Returns false if there are
 * several classes, or a class that is not counted. */
static bool is_one_class(const struct progressive *p, double *label)
{
    for (uint32_t c = 0; c < CLASSES; c++) {
        if (!(p->of_class[c] > 0)) continue;
        *label = c;
        return p->of_class[c] >= p->sum.weight;
    }
    return false;
}

static bool is_one_label(const struct progressive *p, double *label)
{
    switch (p->kind) {
    case LEAT_SCORE_MARGIN:
    case LEAT_SCORE_DECISION:
        *label = p->of[1] > 0 ? 1 : -1;
        return !(p->of[0] > 0 && p->of[1] > 0);
    case LEAT_SCORE_VALUE:
        *label = p->first_label;
        return !(p->d2 > 0);
    case LEAT_SCORE_CLASS:
        return is_one_class(p, label);
    case LEAT_SCORE_NONE:
        *label = p->order.labels && p->order.of[1] ? 1 : -1;
        return p->order.labels && !(p->order.of[0] && p->order.of[1]) && !p->continued;
    }
    return false;
}

bool progressive_is_one_label(const struct progressive *p)
{
    double label;
    return is_one_label(p, &label);
}

/* Writes the message about examples that all have one label. The two labels of a margin are +1 and
 * -1. */
static void say_one_label(const struct progressive *p, double label, char *text, size_t n)
{
    snprintf(text, n,
             is_margin(p->kind) || p->kind == LEAT_SCORE_NONE
                 ? "all %llu examples%s have the label %+g, and nothing can be learned from one "
                   "label: look at the stage that makes the labels"
                 : "all %llu examples%s have the label %g, and nothing can be learned from one "
                   "label: look at the stage that makes the labels",
             (unsigned long long)p->examples, p->held.weight > 0 ? " that were not held out" : "",
             label);
}

/* Writes a message if the records have no features, so that they make no examples or empty ones.
 * Returns true in that case. */
static bool say_no_features(const struct progressive *p, uint64_t records, char *text, size_t n)
{
    static const char see[] = "look at the stage that makes the features";
    uint64_t examples = p->examples - p->continued;
    if (!p->examples && !(p->held.weight > 0) && !p->nonfinite && records >= FEWEST_EXAMPLES)
        snprintf(text, n,
                 "none of its %llu records made an example, because they have no feature "
                 "(neither 0 nor an empty cell makes one): %s",
                 (unsigned long long)records, see);
    else if (examples >= FEWEST_EXAMPLES && p->kind != LEAT_SCORE_NONE && !p->features)
        snprintf(text, n, "none of its %llu examples has a feature: %s",
                 (unsigned long long)examples, see);
    else
        return false;
    return true;
}

/* Writes the message that all examples are held out, as with a column of weights that are all 0. */
static void say_held_out(const struct progressive *p, char *text, size_t n)
{
    snprintf(text, n,
             "all %.0f examples have the weight 0, so they were predicted but not learned: look at "
             "the stage that makes the weights",
             p->held.weight);
}

static void say_runs(const struct progressive *p, char *text, size_t n)
{
    snprintf(text, n,
             "the labels came in long runs (%llu changes in %llu records; in random order some "
             "%.0f), and the learner follows the last run: shuffle the file, join one input for "
             "each label by leat.merge, or count (learn.contrast); shuffle = true of source.file "
             "(--set shuffle=true) reads a plain file in a random order",
             (unsigned long long)p->order.changes, (unsigned long long)p->order.records,
             label_order_expected(&p->order));
}

const char *progressive_example_fault(const struct progressive *p, uint64_t records, bool in_order,
                                      char *text, size_t n)
{
    double label;
    if (say_no_features(p, records, text, n)) return text;
    if (p->examples >= FEWEST_EXAMPLES && p->sum.weight > 0 && is_one_label(p, &label))
        say_one_label(p, label, text, n);
    else if (!p->examples && p->held.weight >= FEWEST_EXAMPLES)
        say_held_out(p, text, n);
    else if (in_order && label_order_in_runs(&p->order))
        say_runs(p, text, n);
    else
        return NULL;
    return text;
}

/* ---- classes (progressive_classes) ---- */

/* True if a comes before b: by weight, then by number. */
static bool comes_before(const struct progressive_class *a, const struct progressive_class *b)
{
    return a->weight != b->weight ? a->weight > b->weight : a->label < b->label;
}

static uint32_t progressive_insert(struct progressive_class *out, uint32_t n,
                                   const struct progressive_class *c)
{
    uint32_t at = n < PROGRESSIVE_CLASSES ? n : n - 1;
    if (at < n && !comes_before(c, &out[at])) return n;
    for (; at && comes_before(c, &out[at - 1]); at--)
        out[at] = out[at - 1];
    out[at] = *c;
    return n < PROGRESSIVE_CLASSES ? n + 1 : n;
}

uint32_t progressive_classes(const struct progressive *p,
                             struct progressive_class out[PROGRESSIVE_CLASSES])
{
    uint32_t n = 0;
    if (!p->of_class || label_errors_given_up(&p->by_label)) return 0;
    for (uint32_t k = 0; k < CLASSES; k++) {
        const struct progressive_class c = {k, p->of_class[k], p->of_class[CLASSES + k],
                                            p->of_class[2 * CLASSES + k]};
        if (c.weight > 0 || c.predicted > 0) n = progressive_insert(out, n, &c);
    }
    return n;
}
