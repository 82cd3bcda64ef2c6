/* progressive.h -- progressive validation: quality of a learner's predictions.
 *
 * Each prediction is measured before the learner sees the label. There is one struct progressive a
 * learner. The host feeds it every batch after the learner's process(). Scores were written before
 * the update, so the figures are honest without a hold-out set.
 *
 * Only some of the selected examples are measured: their record is (still) good; score, label and
 * weight are finite; and weight >= 0. All others are skipped and not counted. An example of weight
 * 0 teaches nothing: it is held out, and measured separately.
 *
 *   LEAT_SCORE_MARGIN   log odds of label +1. A label > 0 counts as +1, any other as -1; a margin
 *                       >= 0 decides for +1.
 *   LEAT_SCORE_DECISION a margin other than log odds: labels and decisions as above, but the loss
 *                       is 0 or 1, and no figure is of a probability.
 *   LEAT_SCORE_VALUE    an estimate of the label itself.
 *   LEAT_SCORE_CLASS    the number of a class, right if it is the label. The loss is 0 or 1.
 *
 * Sums are doubles, added in the order of the stream, with leat's own exp and log1p. The same
 * stream gives the same bits whatever the number of threads, the C library or the CPU.
 *
 * Threads: one thread at a time uses a struct progressive. Different ones are independent but share
 * the table's `line`, which several threads may call at once.
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

/* Destination and format of the progress table. One for each pipeline; it must outlive the
 * learners' struct progressive. The host fills the first group, progressive_new the second. */
struct progressive_table {
    void (*line)(void *to, const char *text); /* one line, without its end; NULL: no table */
    void *to;
    uint64_t (*now)(void); /* ns, monotonic; NULL: the system's clock */
    int vw;          /* 1: only the seven columns of Vowpal Wabbit, for programs that read it */
    size_t terminal; /* columns of the terminal: table columns that do not fit are left out; 0: show
                      * all */

    unsigned kinds; /* a bit for each enum leat_score in use; decides the columns */
    int learners;   /* if more than one, a first column names the learner         */
    int id_width;
};

/* Makes a struct progressive. `learner` (not NULL) and `table` (or NULL) are borrowed. Make all of
 * a pipeline before the first progressive_add. NULL: out of memory. */
struct progressive *progressive_new(const char *learner, enum leat_score kind,
                                    struct progressive_table *table);
/* Resets it to the state after progressive_new. */
void progressive_clear(struct progressive *p);
void progressive_free(struct progressive *p);
size_t progressive_bytes(enum leat_score kind); /* size of a struct progressive with its tables */

/* Writes the two heading lines. Call it once, after the last progressive_new. */
void progressive_heading(const struct progressive_table *t);

/* Measures a batch that the learner has just processed; writes table rows at examples 1, 2, 4, 8, …
 * with the state of that moment. Allocates nothing. */
void progressive_add(struct progressive *p, const struct leat_batch *b);

/* Writes the closing block: examples, average loss, the best constant and its loss. */
void progressive_finish(const struct progressive *p);

uint64_t progressive_examples(const struct progressive *p);
/* Number of examples in this process. */
uint64_t progressive_examples_here(const struct progressive *p);
/* True if the examples have weights with a mean other than 1. All sums are weighted. */
bool progressive_is_weighted(const struct progressive *p);

/* Average loss (log loss, squared loss) after the last whole batch. Any thread. */
double progressive_loss(const struct progressive *p);

/* Describes a fault of the examples and a cure, as the predicate of a message; NULL: none. The
 * faults: the learner's records in this process have no features; all examples have one label; or,
 * with in_order (the learner learns in order), labels in this process come in long runs. text: n
 * bytes for the answer. */
const char *progressive_example_fault(const struct progressive *p, uint64_t records, bool in_order,
                                      char *text, size_t n);

/* Loss of predictions without any feature, each made before its label is known: the share of +1 so
 * far (log loss), the mean so far, at first 0 (squared loss; last_fifth.h), the most frequent class
 * (share of errors). NaN: no examples. */
double progressive_constant_loss(const struct progressive *p);
/* Error rate of always predicting the more frequent label; NaN if labels are numbers. */
double progressive_constant_error(const struct progressive *p);

/* Reports a learner that predicts worse than such a constant, or no finite numbers: as the
 * predicate of a message, with the remedy; NULL: no fault. text: n bytes for the answer. */
const char *progressive_loss_fault(const struct progressive *p, const char *remedy, char *text,
                                   size_t n);

enum leat_score progressive_kind(const struct progressive *p);

/* Labels of the records that the learner learned from in this process. `labels` 0: they are
 * numbers, which are not counted. A margin has two labels, 0 for -1. */
const struct label_order *progressive_labels(const struct progressive *p);

/* Losses by groups of records; empty unless the table has several learners. */
const struct compare *progressive_compare(const struct progressive *p);

/* Lists the figures by (static) name, always in this order. Returns their number, at most max.
 *   margin   examples, error_rate, log_loss, auc, auc_error, calibration, calibration_error, brier,
 *            average_precision, average_precision_error, f1, f1_threshold, examples_last,
 *            error_rate_last, log_loss_last, error_rate_constant, log_loss_constant
 *   value    examples, rmse, mae, squared_loss, examples_last, rmse_last, mae_last, rmse_constant,
 *            mae_constant, rmse_constant_last, mae_constant_last
 *   class    examples, error_rate, examples_last, error_rate_last, error_rate_constant
 *
 * and, once there are held-out examples, examples_held_out and
 *   margin   error_rate_held_out, log_loss_held_out, auc_held_out
 *   value    rmse_held_out, mae_held_out, rmse_constant_held_out
 *   class    error_rate_held_out
 *
 * NaN: no value yet. Figures that end in _last cover the last fifth of the stream so far
 * (last_fifth.h defines it exactly), which has examples_last examples. The true AUC lies within auc
 * ± auc_error. calibration: positives expected by the predictions divided by actual positives; 1 is
 * right. score_bins.h explains the six figures after it. Figures with _constant are of predictions
 * without features (progressive_constant_loss). */
#define PROGRESSIVE_METRICS 21
size_t progressive_metrics(const struct progressive *p, const char **names, double *values,
                           size_t max);

/* Lists the names of all figures that a learner with such scores may have, in this order. Returns
 * their number, or 0 if there is not enough memory. names: PROGRESSIVE_METRICS. */
size_t progressive_names(enum leat_score kind, const char **names);

/* Lists the reliability bins of margins. Returns their number: RELIABILITY_BINS, or 0 without
 * margins. */
size_t progressive_reliability(const struct progressive *p,
                               struct reliability out[RELIABILITY_BINS]);

/* Average losses after so many examples, and since the previous point. margin: loss is the log
 * loss, second the error rate; value: squared and absolute error; class: both the error rate. NaN:
 * no weight. */
struct progressive_point {
    uint64_t examples;
    double loss, second, loss_since, second_since;
};
enum { PROGRESSIVE_POINTS = 64 };

/* Returns the learning curve: points at equal distances, a power of two of examples, and at the
 * end. Returns the number of points; 0 without examples. */
size_t progressive_curve(const struct progressive *p,
                         struct progressive_point out[PROGRESSIVE_POINTS]);
/* Lists errors by label (label_errors.h) for values with few labels, in one process. Returns their
 * number, otherwise 0. */
uint32_t progressive_label_errors(const struct progressive *p,
                                  struct label_error out[LABEL_ERRORS]);
/* Lists the classes that came or were predicted, in one process: weight of the examples with the
 * label, of the examples predicted to have it, and of the examples for which both hold. Most
 * frequent first, at most PROGRESSIVE_CLASSES. Returns their number; 0 for other kinds. */
enum { PROGRESSIVE_CLASSES = 100 };
struct progressive_class {
    uint32_t label;
    double weight, predicted, right;
};
uint32_t progressive_classes(const struct progressive *p,
                             struct progressive_class out[PROGRESSIVE_CLASSES]);
/* For margins: the ROC curve (score_bins_roc). Returns the number of points; 0 for other kinds. */
size_t progressive_roc(const struct progressive *p, struct roc_point out[ROC_POINTS]);

/* Write and read all figures so far, as a part of a snapshot; the progress table begins a new row
 * there. On the stage's thread. */
void progressive_write(const struct progressive *p, struct leat_writer *w);
int progressive_read(struct progressive *p, struct leat_reader *r);
/* Adds the other's figures, as if both were of one stream. They must be of the same kind. */
void progressive_merge(struct progressive *p, const struct progressive *other);

/* log(1 + exp(-margin)) if positive, otherwise log(1 + exp(margin)); relative error < 1e-14. */
double progressive_log_loss(double margin, int positive);

#endif
