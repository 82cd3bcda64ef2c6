/* progressive.h -- progressive validation: how good a learner's predictions were, each measured
 * before the learner saw the label.
 *
 * One struct progressive a learner. The host feeds it every batch after the learner's process();
 * scores were written before the update, so the figures are honest with no hold-out set.
 *
 * Measured are selected examples whose record is (still) good and whose score, label and weight are
 * finite, weight >= 0. All others are skipped and not counted. An example of weight 0 teaches
 * nothing: it is held out, and measured apart from the rest.
 *
 *   LEAT_SCORE_MARGIN   log odds of label +1. A label > 0 counts as +1, any other as -1; a margin
 *                       >= 0 decides for +1.
 *   LEAT_SCORE_DECISION a margin that is no log odds: the same, but the loss is 0 or 1, and no
 *                       figure is one of a probability.
 *   LEAT_SCORE_VALUE    an estimate of the label itself.
 *   LEAT_SCORE_CLASS    the number of a class, right when it is the label. The loss is 0 or 1.
 *
 * Sums are doubles, added in the order of the stream, with our own exp and log1p: the same stream
 * gives the same bits whatever the number of threads, the C library or the CPU.
 *
 * Threads: one struct progressive is used by one thread at a time; different ones are independent
 * but share the table's `line`, which several threads may call at once.
 */
#ifndef LEAT_HOST_METRICS_PROGRESSIVE_H
#define LEAT_HOST_METRICS_PROGRESSIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <leat/batch.h>
#include <leat/schema.h>
#include <leat/state.h>

#include "label_errors.h"
#include "score_bins.h"

struct progressive;
struct compare;

/* Where the rows of the progress table go, and what it looks like. One for each pipeline; it must
 * outlive the learners' struct progressive. The host fills the first group, progressive_new the
 * second. */
struct progressive_table {
    void (*line)(void *to, const char *text); /* one line, without its end; NULL: no table */
    void *to;
    uint64_t (*now)(void); /* ns, monotonic; NULL: the system's clock */
    int vw;          /* 1: only the seven columns of Vowpal Wabbit, for programs that read it */
    size_t terminal; /* columns of the terminal that lines go to: those of the table that do not fit
                        are left out; 0: all are shown */

    unsigned kinds; /* a bit for each enum leat_score in use: which columns there are    */
    int learners;   /* more than one: a first column names the learner                  */
    int id_width;
};

/* `learner` (not NULL) and `table` (or NULL) are borrowed. Make all of a pipeline before the first
 * progressive_add. NULL: out of memory. */
struct progressive *progressive_new(const char *learner, enum leat_score kind,
                                    struct progressive_table *table);
/* Back to how progressive_new made it. */
void progressive_clear(struct progressive *p);
void progressive_free(struct progressive *p);
size_t progressive_bytes(enum leat_score kind); /* what one takes */

/* The two heading lines. Once, after the last progressive_new. */
void progressive_heading(const struct progressive_table *t);

/* Measure a batch the learner has just processed; writes table rows at examples 1, 2, 4, 8, … with
 * the state of that moment. Allocates nothing. */
void progressive_add(struct progressive *p, const struct leat_batch *b);

/* The closing block: examples, average loss, the best constant and what it would have lost. */
void progressive_finish(const struct progressive *p);

uint64_t progressive_examples(const struct progressive *p);
/* Those of this process. */
uint64_t progressive_examples_here(const struct progressive *p);
/* Have the examples weights whose mean is another than 1? All sums are weighted. */
bool progressive_is_weighted(const struct progressive *p);

/* The average loss (log loss, squared loss) as of the last whole batch. Any thread. */
double progressive_loss(const struct progressive *p);

/* What is wrong with the examples, and what to do, as the predicate of a message; NULL: nothing.
 * The records that the learner took in this process have no features; all examples have one label;
 * or, in_order (the learner learns in order), labels came in long runs in this process. text: n
 * bytes for the answer. */
const char *progressive_example_fault(const struct progressive *p, uint64_t records, bool in_order,
                                      char *text, size_t n);

/* What predictions without any feature would have lost, each made before its label was known: the
 * share of +1 so far (log loss), the mean so far, at first 0 (squared loss; running_mean.h), the
 * most frequent class (share of errors). NaN: there is no example. */
double progressive_constant_loss(const struct progressive *p);
/* Share of errors of the more frequent label; NaN where labels are numbers. */
double progressive_constant_error(const struct progressive *p);

/* The learner predicts worse than such a constant, or no finite numbers: as the predicate of a
 * message, with the remedy; NULL: it does not. text: n bytes for the answer. */
const char *progressive_loss_fault(const struct progressive *p, const char *remedy, char *text,
                                   size_t n);

enum leat_score progressive_kind(const struct progressive *p);

/* The labels of the records that were learned from in this process; no `labels`: they are numbers,
 * which are not counted. A margin has two, 0 for -1. */
const struct label_order *progressive_labels(const struct progressive *p);

/* Its losses by groups of records; empty unless the table has several learners. */
const struct compare *progressive_compare(const struct progressive *p);

/* The figures by (static) name, always in this order; returns how many (at most max).
 *   margin   examples, error_rate, log_loss, auc, auc_error, calibration, calibration_error, brier,
 *            average_precision, average_precision_error, f1, f1_threshold, examples_last,
 *            error_rate_last, log_loss_last, error_rate_constant, log_loss_constant
 *   value    examples, rmse, mae, squared_loss, examples_last, rmse_last, mae_last, rmse_constant,
 *            mae_constant, rmse_constant_last, mae_constant_last
 *   class    examples, error_rate, examples_last, error_rate_last, error_rate_constant
 * and, once there are examples held out, examples_held_out and
 *   margin   error_rate_held_out, log_loss_held_out, auc_held_out
 *   value    rmse_held_out, mae_held_out, rmse_constant_held_out
 *   class    error_rate_held_out
 * NaN where there is none yet. Those that end in _last are over the last fifth of the stream so far
 * (last_fifth.h says how exactly), which examples_last examples are. The true AUC lies within auc ±
 * auc_error. calibration: positives expected by the predictions for each that came; 1 is right. The
 * six after it are explained in score_figures.h. Those with _constant are those of
 * predictions without features (progressive_constant_loss). */
#define PROGRESSIVE_METRICS 21
size_t progressive_metrics(const struct progressive *p, const char **names, double *values,
                           size_t max);

/* The names of all figures that a learner of such scores may have, in this order; returns how many,
 * 0 when there is not enough memory. names: PROGRESSIVE_METRICS. */
size_t progressive_names(enum leat_score kind, const char **names);

/* The reliability bins of margins; returns how many: RELIABILITY_BINS, or 0 when there are none. */
size_t progressive_reliability(const struct progressive *p,
                               struct reliability out[RELIABILITY_BINS]);

/* The average losses after so many examples, and since the point before. margin: loss is the log
 * loss, second the error rate; value: squared and absolute error; class: both the error rate.
 * NaN: no weight. */
struct progressive_point {
    uint64_t examples;
    double loss, second, loss_since, second_since;
};
enum { PROGRESSIVE_POINTS = 64 };

/* The learning curve: at equal distances, a power of two of examples, and at the end. Returns how
 * many points there are; 0: there is no example. */
size_t progressive_curve(const struct progressive *p,
                         struct progressive_point out[PROGRESSIVE_POINTS]);
/* Of values with few labels, in one process: errors by label (label_errors.h); else 0. */
uint32_t progressive_label_errors(const struct progressive *p,
                                  struct label_error out[LABEL_ERRORS]);
/* Of classes that came or were predicted, in one process: the weight of the examples that have the
 * label, of those that were predicted to have it, and of those of both. Most frequent first, and of
 * many only so many; else 0. */
enum { PROGRESSIVE_CLASSES = 100 };
struct progressive_class {
    uint32_t label;
    double weight, predicted, right;
};
uint32_t progressive_classes(const struct progressive *p,
                             struct progressive_class out[PROGRESSIVE_CLASSES]);
/* Of margins: the ROC curve (score_bins_roc); else 0 points. */
size_t progressive_roc(const struct progressive *p, struct roc_point out[ROC_POINTS]);

/* All figures so far, as a part of a snapshot; the progress table begins a new row there. On the
 * stage's thread. */
void progressive_write(const struct progressive *p, struct leat_writer *w);
int progressive_read(struct progressive *p, struct leat_reader *r);
/* Add the other's figures, as if both were of one stream. They must be of the same kind. */
void progressive_merge(struct progressive *p, const struct progressive *other);

/* log(1 + exp(-margin)) when positive, else log(1 + exp(margin)): relative error < 1e-14. */
double progressive_log_loss(double margin, int positive);

#endif
