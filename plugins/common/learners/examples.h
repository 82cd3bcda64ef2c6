/* examples.h -- which examples a learner takes: the others' records are rejected here.
 *
 * A learner goes over the examples of a batch like this:
 *
 *   if (examples_refuse(ctx, b, e, max_entries)) ... and leave out the record's other examples
 *   z = the margin;  if (!isfinite(z)) examples_reject_values(ctx, b, e), the same
 *   b->score[e] = examples_score(z);
 *   if (b->ex_weight[e] == 0) continue;                       held out: predicted, not learned
 */
#ifndef LEAT_COMMON_LEARNERS_EXAMPLES_H
#define LEAT_COMMON_LEARNERS_EXAMPLES_H

#include <math.h>
#include <stdbool.h>

#include <leat/plugin.h>

/* How many classes a stage before this one has named. (An older host knows of none.) */
uint32_t examples_named_classes(const struct leat_schema *in);

/* Whether a stage before this one makes the examples of label -1 up (feature.pairs), so that counts
 * of labels say nothing. (An older host knows of none.) */
bool examples_have_made_labels(const struct leat_schema *in);

/* negotiate() of a learner of two classes that scores by margins. */
int examples_negotiate(const void *cfg, struct leat_negotiation *n);

/* A half-life in records, or in ns of event time; 0: nothing fades. */
static inline double examples_half_life(const struct leat_interval *half_life)
{
    return (double)(half_life->ns ? half_life->ns : half_life->examples);
}
/* In negotiate: one in event time needs records that have one. */
void examples_need_time(struct leat_negotiation *n, const struct leat_interval *half_life);

/* Bytes of the longest name: `name_bytes`, or few where names are only ids in decimal. */
uint32_t examples_name_bytes(int64_t name_bytes, const struct leat_schema *in);

/* Entries of the longest example: `max_entries`, or fewer where the schema promises that. */
uint32_t examples_max_entries(int64_t max_entries, const struct leat_schema *in);

/* Reject the record of example e, whose label, weight or length the learner does not take. */
void examples_reject(struct leat_ctx *ctx, struct leat_batch *b, uint32_t e, uint32_t max_entries,
                     uint32_t classes);
/* The same of an example with a value that is not finite, or not below EXAMPLES_MAX_VALUE. */
void examples_reject_values(struct leat_ctx *ctx, struct leat_batch *b, uint32_t e);

/* The square of a larger one is no float, so a linear learner learns nothing from it, or nothing
 * else. */
#define EXAMPLES_MAX_VALUE 1e19f

/* All values are below it; a NaN is not. */
static inline bool examples_values_fit(uint32_t n, const float *x)
{
    bool fit = true;
    for (uint32_t i = 0; i < n; i++)
        fit &= fabsf(x[i]) < EXAMPLES_MAX_VALUE;
    return fit;
}

/* Labels are 0 to classes - 1; or, classes 0, -1 and 1 (0 counts as -1). */
static inline bool examples_take_label(float y, uint32_t classes)
{
    if (!classes) return y == 1 || y == -1 || y == 0;
    return y >= 0 && y < (float)classes && y == (float)(uint32_t)y;
}

/* true: the importance weight or number of entries cannot be, and the record has been rejected. */
bool examples_refuse_row(struct leat_ctx *ctx, struct leat_batch *b, uint32_t e,
                         uint32_t max_entries);

/* true: the example's label, importance weight or number of entries cannot be, and its record has
 * been rejected. */
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

/* The same for two classes. */
static inline bool examples_refuse(struct leat_ctx *ctx, struct leat_batch *b, uint32_t e,
                                   uint32_t max_entries)
{
    return examples_refuse_of(ctx, b, e, max_entries, 0);
}

/* A margin as a float that is finite. */
static inline float examples_score(double margin)
{
    return (float)(margin > 3e38 ? 3e38 : margin < -3e38 ? -3e38 : margin);
}

/* ---- importance weights: 0, or what floats can multiply ---- */

#define WEIGHTS_MIN 1e-30 /* but 0 */
#define WEIGHTS_MAX 1e15

static inline bool weights_possible(double x)
{
    return x == 0 || (x >= WEIGHTS_MIN && x <= WEIGHTS_MAX);
}

#endif
