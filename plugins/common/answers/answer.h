/* answer.h -- answers to LEAT_QUERY_TOP: their columns and rows, and the conditions of a question.
 *
 * The counts of a feature are { inliers, outliers }: the records labelled -1 and +1 that have it.
 */
#ifndef LEAT_COMMON_ANSWERS_ANSWER_H
#define LEAT_COMMON_ANSWERS_ANSWER_H

#include <stdbool.h>

#include <leat/plugin.h>

#include "kernels/linear/sgd.h"
#include "kernels/sketch/redundancy.h"

/* Returns the whole question, with 0 in the fields that an older host does not know. */
struct leat_query answer_query(const struct leat_query *q);

/* Warns once (*told) if a question asks for more features than a full model can give. n: features
 * in the model; most: its largest number. */
void answer_tell_k(struct leat_ctx *ctx, const struct leat_query *q, uint32_t n, uint32_t most,
                   bool *told);
/* Rounds an estimated count above 100 to two digits, a smaller one to a whole number. */
double answer_about(double count);

/* Sets the columns of an answer: weight; with counts also relative_risk, support_outliers,
 * support_inliers, count. */
int answer_columns(struct leat_result *out, bool counts);
/* Returns the names of these columns, and their number in *n. */
const char *const *answer_names(bool counts, uint32_t *n);
/* Adds a row. s: the clock that counted records and features. count: the feature's counts, or
 * NULL. */
int answer_row(struct leat_result *out, const struct sgd *s, const char *name, size_t len,
               double weight, const uint32_t *count);

/* Returns the bytes that a learner plans for ranking the rows of an answer, of `bytes` each. Plans
 * for ANSWER_ROWS rows, as most questions ask for no more, or for all features if these are
 * fewer. */
enum { ANSWER_ROWS = 1000 };
static inline uint64_t answer_rows_bytes(uint64_t features, size_t bytes)
{
    return (features < ANSWER_ROWS ? features : ANSWER_ROWS) * bytes;
}

/* True if the host takes the names of twins. An older host does not. */
bool answer_takes_twins(const struct leat_result *out);

/* True if the question has other conditions than min_count. */
bool answer_filters(const struct leat_query *q);
/* True if a feature with these counts meets the question's conditions. A feature without counts
 * (NULL) always does. */
bool answer_passes(const struct leat_query *q, const struct sgd *s, const uint32_t *count);

/* Returns the key that ranks a counted feature in every order except that of weights. */
double answer_order_key(const struct leat_query *q, const struct sgd *s, const uint32_t *count);

/* Returns the keys of the parts of entry i. */
struct redundancy_parts answer_parts(const struct leat_batch *b, uint32_t i);
/* Returns the bytes that answer_redundant() takes for n features. */
uint64_t answer_redundant_bytes(uint32_t n);
/* Marks the redundant ones of n features if the question has min_odds_gain. *redundant becomes n
 * bytes, which the caller frees through the host, or NULL if nothing is compared. Returns LEAT_OK
 * or LEAT_ENOMEM. */
int answer_redundant(struct leat_ctx *ctx, const struct leat_query *q, uint32_t n,
                     const struct redundancy_parts *parts, const double *weight,
                     uint8_t **redundant);

#endif
