/* progressive.h -- progressive validation: quality of a learner's predictions.
 *
 * Each prediction is measured before the learner sees the label. There is one struct progressive
 * per learner. The host passes it every batch after the learner's process(). The learner writes its
 * scores before it learns from them, so the figures are honest without a hold-out set.
 *
 * Not every selected example is measured. An example counts if its record is good after process(),
 * its score, label and weight are finite, and its weight is not negative. An example of weight 0 is
 * held out: the learner does not learn from it, and it is measured separately.
 *
 *     LEAT_SCORE_MARGIN   log odds of label +1. A label > 0 counts as +1, any other as -1; a margin
 *                         >= 0 decides for +1.
 *     LEAT_SCORE_DECISION a margin that is not log odds. Labels and decisions are as above, but the
 *                         loss is 0 or 1, and there are no figures of probabilities.
 *     LEAT_SCORE_VALUE    an estimate of the label itself.
 *     LEAT_SCORE_CLASS    the number of a class, right if it equals the label. The loss is 0 or 1.
 *
 * Sums are doubles, added in the order of the stream, with leat's own exp and log1p. The same
 * stream gives the same bits whatever the number of threads, the C library or the CPU.
 *
 * Threads: one thread at a time uses a struct progressive. Different structs are independent but
 * share the table's `line`, which several threads may call at once. */
#ifndef LEAT_HOST_METRICS_PROGRESSIVE_H
#define LEAT_HOST_METRICS_PROGRESSIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <leat/batch.h>
#include <leat/schema.h>
#include <leat/state.h>

#include "label_errors.h"
#include "order.h"
#include "score_bins.h"

struct progressive;
struct compare;

/* Destination and format of the progress table. There is one per pipeline; it must outlive all
 * struct progressive. The host fills the first group of members, progressive_new() the second. */
struct progressive_table {
    /* writes one line, without a line end; NULL: no table */
    void (*line)(void *to, const char *text);
    void *to;
    uint64_t (*now)(void); /* clock in ns, monotonic; NULL: the system's clock */
    int vw; /* 1: only the seven columns of Vowpal Wabbit, for programs that parse its output */
    /* width of the terminal: table columns that do not fit are left out; 0: show all */
    size_t terminal;

    unsigned kinds; /* a bit per enum leat_score in use; determines the table's columns */
    int learners;   /* number of learners that predict; if several, a first column names them */
    int id_width;
};

/* Makes a struct progressive; NULL if memory is lacking. `learner` (not NULL) and `table` (may be
 * NULL) must outlive it. Make all structs of a pipeline before the first progressive_add(). */
struct progressive *progressive_new(const char *learner, enum leat_score kind,
                                    struct progressive_table *table);
/* For a learner of labels -1 and +1 that predicts nothing: also counts the labels. */
void progressive_count_labels(struct progressive *p);
/* Resets p to its state after progressive_new(). */
void progressive_clear(struct progressive *p);
void progressive_free(struct progressive *p);
size_t progressive_bytes(enum leat_score kind); /* size of a struct progressive with its tables */

/* Writes the two heading lines of the table. Call it once, after the last progressive_new(). */
void progressive_heading(const struct progressive_table *t);

/* Measures a batch that the learner has just processed. `later_piece`: the batch has the rows of
 * the one before it, of which other records are selected. Writes table rows after examples 1, 2, 4,
 * 8, …, with the figures at that moment. Allocates nothing. */
void progressive_add(struct progressive *p, const struct leat_batch *b, bool later_piece);

/* Writes the closing block: examples, average loss, the best constant and its loss. */
void progressive_finish(const struct progressive *p);

/* Number of examples that were learned: those with figures, and those without. */
uint64_t progressive_examples(const struct progressive *p);
/* Number of examples without figures: those of models that were merged. */
uint64_t progressive_unmeasured(const struct progressive *p);
void progressive_set_unmeasured(struct progressive *p, uint64_t examples);
/* Number of examples measured in this process. */
uint64_t progressive_examples_here(const struct progressive *p);
/* True if the mean weight of the examples is not 1. All sums are weighted. */
bool progressive_is_weighted(const struct progressive *p);

/* Returns the average loss (log loss or squared loss) after the last whole batch. For any
 * thread. */
double progressive_loss(const struct progressive *p);

/* Returns a message about faulty examples, with a cure; NULL if they are fine. Faults: the
 * learner's `records` in this process have no features; all examples have one label; or, if the
 * learner learns in order (`in_order`), labels in this process come in long runs. The message has
 * the form of a predicate and is written to text[n]. */
const char *progressive_example_fault(const struct progressive *p, uint64_t records, bool in_order,
                                      char *text, size_t n);

/* True if all examples have one label, so that errors tell nothing. */
bool progressive_is_one_label(const struct progressive *p);

/* Returns the average loss of predictions without any feature, each made before its label is known.
 * Margin: log loss of the share of +1 so far. Value: squared loss of the mean so far, at first 0
 * (last_fifth.h). Class: share of errors of the most frequent class. NaN without examples. */
double progressive_constant_loss(const struct progressive *p);
/* Returns the error rate of always predicting the more frequent label; NaN for values. */
double progressive_constant_error(const struct progressive *p);

/* Returns a message if the learner predicts worse than the constant of progressive_constant_loss(),
 * or predicts values that are not finite; otherwise NULL. The message has the form of a predicate,
 * ends with `remedy` and is written to text[n]. */
const char *progressive_loss_fault(const struct progressive *p, const char *remedy, char *text,
                                   size_t n);

/* Errors of predictions from labels alone. The first two are of the last fifth, `recent` of the
 * whole stream. `constant_last`: of the most frequent label so far (classes). `recent`: of the mean
 * of the recent labels (RMSE and MAE), or of the label before (error rate). NaN: not known, as in a
 * run that continues from a snapshot. */
struct progressive_recent {
    double constant_last, recent_last, recent, recent_absolute_last, recent_absolute;
};
struct progressive_recent progressive_recent(const struct progressive *p);
/* Returns true if labels are like those before (order_is_found). Sets *likeness. */
bool progressive_in_order(const struct progressive *p, struct order_likeness *likeness);
/* Returns the records of a feature, if they come in one block (order_find_block). */
const struct order_block *progressive_block(const struct progressive *p, uint64_t id);

enum leat_score progressive_kind(const struct progressive *p);

/* Returns the order of the labels that the learner has learned from in this process. `labels` is 0
 * for values, which are not counted. A margin has two labels; label -1 counts as 0. */
const struct label_order *progressive_labels(const struct progressive *p);

/* Returns the losses by groups of records; empty unless the table has several learners. */
const struct compare *progressive_compare(const struct progressive *p);

/* Lists the figures by name, always in this order. Returns their number, at most `max`. The names
 * are constants.
 *   margin   examples, error_rate, log_loss, auc, auc_error, calibration, calibration_error, brier,
 *            average_precision, average_precision_error, f1, f1_threshold, examples_last,
 *            error_rate_last, log_loss_last, error_rate_constant, log_loss_constant
 *   value    examples, rmse, mae, squared_loss, examples_last, rmse_last, mae_last, rmse_constant,
 *            mae_constant, rmse_constant_last, mae_constant_last
 *   class    examples, error_rate, examples_last, error_rate_last, error_rate_constant
 *
 * and, if there are held-out examples, examples_held_out and
 *   margin   error_rate_held_out, log_loss_held_out, auc_held_out, auc_error_held_out
 *   value    rmse_held_out, mae_held_out, rmse_constant_held_out
 *   class    error_rate_held_out
 *
 * NaN: no value yet. Figures that end in _last cover the last fifth of the stream so far
 * (last_fifth.h), which has examples_last examples. The true AUC lies within auc ± auc_error, and
 * that of held-out examples within auc_held_out ± auc_error_held_out. calibration is the number of
 * positives that the predictions expect, divided by the actual number; 1 is right. score_bins.h
 * explains the six figures from calibration_error to f1_threshold. Figures with _constant are of
 * predictions without features (progressive_constant_loss). */
#define PROGRESSIVE_METRICS 22
size_t progressive_metrics(const struct progressive *p, const char **names, double *values,
                           size_t max);

/* Lists the names of all figures that a learner with scores of this kind may have, in the order of
 * progressive_metrics(). Returns their number; 0 if memory is lacking. `names` needs space for
 * PROGRESSIVE_METRICS. */
size_t progressive_names(enum leat_score kind, const char **names);

/* Fills the reliability bins of a learner with margins. Returns their number: RELIABILITY_BINS, or
 * 0 for other scores. */
size_t progressive_reliability(const struct progressive *p,
                               struct reliability out[RELIABILITY_BINS]);

/* Average losses after `examples` examples, and since the previous point. Margin: `loss` is the log
 * loss, `second` the error rate. Value: squared and absolute error. Class: both are the error rate.
 * NaN if the weights sum to 0. */
struct progressive_point {
    uint64_t examples;
    double loss, second, loss_since, second_since;
};
enum { PROGRESSIVE_POINTS = 64 };

/* Fills the learning curve: points at equal distances, a power of two of examples, and one at the
 * end. Returns the number of points; 0 without examples. */
size_t progressive_curve(const struct progressive *p,
                         struct progressive_point out[PROGRESSIVE_POINTS]);
/* Lists the errors by label (label_errors.h). Returns their number; 0 if the scores are not values,
 * if there are too many labels, or if the table was given up. */
uint32_t progressive_label_errors(const struct progressive *p,
                                  struct label_error out[LABEL_ERRORS]);
/* Lists the classes that occurred as label or prediction in this process, most frequent first, at
 * most PROGRESSIVE_CLASSES. `weight` is the weight of the examples with the label, `predicted` of
 * the examples with this prediction, `right` of the examples with both. Returns the number of
 * classes; 0 for other kinds of scores. */
enum { PROGRESSIVE_CLASSES = 100 };
struct progressive_class {
    uint32_t label;
    double weight, predicted, right;
};
uint32_t progressive_classes(const struct progressive *p,
                             struct progressive_class out[PROGRESSIVE_CLASSES]);
/* Fills the ROC curve of a learner with margins (score_bins_roc). Returns the number of points; 0
 * for other kinds of scores. */
size_t progressive_roc(const struct progressive *p, struct roc_point out[ROC_POINTS]);

/* Write and read all figures so far as part of a snapshot. After reading, the progress table starts
 * a new row. Call them on the stage's thread. */
void progressive_write(const struct progressive *p, struct leat_writer *w);
int progressive_read(struct progressive *p, struct leat_reader *r);
/* Adds the figures of `other`, as if its stream continued this one. Both must have the same kind of
 * scores. */
void progressive_merge(struct progressive *p, const struct progressive *other);

/* Makes p the figures of a model that counts `weight` times: its examples. Other figures are those
 * of the model that counted once. Without effect if the weight is 1. */
void progressive_weigh(struct progressive *p, double weight);
/* Adds the examples of `other`, whose model is merged into that of p, and forgets all figures of
 * predictions. They measured the models before the merge, and nobody has measured the result. For a
 * learner that predicts nothing, adds the figures. */
void progressive_merge_models(struct progressive *p, const struct progressive *other);

/* Returns log(1 + exp(-margin)) if positive, otherwise log(1 + exp(margin)). The relative error is
 * below 1e-14. */
double progressive_log_loss(double margin, int positive);

#endif
