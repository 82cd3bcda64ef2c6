/* examples.h -- checks the examples of a learner, and rejects the records of invalid examples.
 *
 * A learner checks each example e of a batch like this. `refused` is the record that was last
 * rejected:
 *
 *   if (b->ex_record[e] == refused) continue;
 *   if (examples_refuse(ctx, b, e, max_entries)) {
 *       refused = b->ex_record[e];
 *       continue;
 *   }
 *   double z = margin(model, b, e);
 *   if (!isfinite(z)) {
 *       examples_reject_values(ctx, b, e);
 *       refused = b->ex_record[e];
 *       continue;
 *   }
 *   b->score[e] = examples_score(z);
 *   if (b->ex_weight[e] > 0) learn(model, b, e);
 *
 * An example with importance weight 0 is held out: the learner predicts it, but does not learn it.
 */
#ifndef LEAT_COMMON_LEARNERS_EXAMPLES_H
#define LEAT_COMMON_LEARNERS_EXAMPLES_H

#include <math.h>
#include <stdbool.h>

#include <leat/plugin.h>

/* Returns the number of classes that an earlier stage has named; 0 with an older host. */
uint32_t examples_named_classes(const struct leat_schema *in);

/* True if an earlier stage makes up the examples with label -1 (feature.pairs), so counts of labels
 * mean nothing. False with an older host. */
bool examples_have_made_labels(const struct leat_schema *in);

/* For learners that count records: reports an error, in negotiate, if an earlier stage gives
 * importance weights. `advice` ends the sentence. */
void examples_count_each_once(struct leat_negotiation *n, const char *advice);
/* Rejects the record of example e if its weight is neither 1 nor 0, as a text may give weights,
 * too. Returns true if it does. For the process of such a learner. */
bool examples_refuse_weight(struct leat_ctx *ctx, struct leat_batch *b, uint32_t e,
                            const char *advice);

/* Negotiates for a learner of two classes whose score is a margin. */
int examples_negotiate(const void *cfg, struct leat_negotiation *n);
/* Negotiates for a learner of two classes that predicts nothing. */
int examples_of_two_classes(const void *cfg, struct leat_negotiation *n);

/* Returns a half-life in records, or in ns of event time. 0: old examples do not fade. */
static inline double examples_half_life(const struct leat_interval *half_life)
{
    return (double)(half_life->ns ? half_life->ns : half_life->examples);
}
/* Reports an error, in negotiate, if the half-life is in event time and the records have no
 * time. */
void examples_need_time(struct leat_negotiation *n, const struct leat_interval *half_life);

/* Returns the bytes of the longest name: `name_bytes`, or fewer if names are only ids in
 * decimal. */
uint32_t examples_name_bytes(int64_t name_bytes, const struct leat_schema *in);

/* Returns the entries of the longest example: `max_entries`, or fewer if the schema guarantees
 * it. */
uint32_t examples_max_entries(int64_t max_entries, const struct leat_schema *in);

/* Rejects the record of example e because of its label, importance weight or number of entries. */
void examples_reject(struct leat_ctx *ctx, struct leat_batch *b, uint32_t e, uint32_t max_entries,
                     uint32_t classes);
/* Rejects the record of example e because a value is not finite, or too large
 * (EXAMPLES_MAX_VALUE). */
void examples_reject_values(struct leat_ctx *ctx, struct leat_batch *b, uint32_t e);

/* Bound of values. The square of a larger value overflows a float: a linear learner would learn
 * nothing from it, or nothing else. */
#define EXAMPLES_MAX_VALUE 1e19f

/* True if the absolute value of each x[i] is below the bound. False if one is NaN. */
static inline bool examples_values_fit(uint32_t n, const float *x)
{
    bool fit = true;
    for (uint32_t i = 0; i < n; i++)
        fit &= fabsf(x[i]) < EXAMPLES_MAX_VALUE;
    return fit;
}

/* True if y is a valid label: 0 to classes - 1; or, if `classes` is 0, one of -1, 0 and 1, where 0
 * counts as -1. */
static inline bool examples_take_label(float y, uint32_t classes)
{
    if (!classes) return y == 1 || y == -1 || y == 0;
    return y >= 0 && y < (float)classes && y == (float)(uint32_t)y;
}

/* Rejects the record of example e if its importance weight or number of entries is invalid. Returns
 * true if it does. */
bool examples_refuse_row(struct leat_ctx *ctx, struct leat_batch *b, uint32_t e,
                         uint32_t max_entries);

/* Rejects the record of example e if its label, importance weight or number of entries is invalid.
 * Returns true if it does. */
static inline bool examples_refuse_of(struct leat_ctx *ctx, struct leat_batch *b, uint32_t e,
                                      uint32_t max_entries, uint32_t classes)
{
    float weight = b->ex_weight[e];
    if (examples_take_label(b->ex_label[e], classes) && weight >= 0 && isfinite(weight) &&
        b->ex_start[e + 1] - b->ex_start[e] <= max_entries)
        return false;
    examples_reject(ctx, b, e, max_entries, classes);
    return true;
}

/* Checks an example of a learner of two classes by examples_refuse_of(). */
static inline bool examples_refuse(struct leat_ctx *ctx, struct leat_batch *b, uint32_t e,
                                   uint32_t max_entries)
{
    return examples_refuse_of(ctx, b, e, max_entries, 0);
}

/* Returns a margin as a finite float. */
static inline float examples_score(double margin)
{
    return (float)(margin > 3e38 ? 3e38 : margin < -3e38 ? -3e38 : margin);
}

/* ---- importance weights: 0, or numbers that can be multiplied as floats ---- */

#define WEIGHTS_MIN 1e-30 /* 0 is allowed, too */
#define WEIGHTS_MAX 1e15

static inline bool weights_possible(double x)
{
    return x == 0 || (x >= WEIGHTS_MIN && x <= WEIGHTS_MAX);
}

#endif
