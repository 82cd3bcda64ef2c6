/* answer.h -- answers to LEAT_QUERY_TOP: their columns and rows, and the conditions of a question.
 *
 * Counts of a feature are { inliers, outliers }: records labelled -1 and +1 that have it.
 */
#ifndef LEAT_COMMON_ANSWERS_ANSWER_H
#define LEAT_COMMON_ANSWERS_ANSWER_H

#include <stdbool.h>

#include <leat/plugin.h>

#include "kernels/linear/sgd.h"
#include "kernels/sketch/redundancy.h"

/* The question in full: fields that an older host does not know are 0. */
struct leat_query answer_query(const struct leat_query *q);

/* Says once that a question asks for more features than the model, which holds as many as it can,
 * keeps: n of `most`. */
void answer_tell_k(struct leat_ctx *ctx, const struct leat_query *q, uint32_t n, uint32_t most,
                   bool *told);
/* A count that is an estimate, to two digits. */
double answer_about(double count);

/* The column weight; with counts also relative_risk, support_outliers, support_inliers, count. */
int answer_columns(struct leat_result *out, bool counts);
/* Their n names. */
const char *const *answer_names(bool counts, uint32_t *n);
/* s: the clock that counted records and features. count: of the feature, or NULL. */
int answer_row(struct leat_result *out, const struct sgd *s, const char *name, size_t len,
               double weight, const uint32_t *count);

/* Returns the bytes that learners plan to rank the rows of an answer, of `bytes` each: for as
 * many as most ask for, or of all features where these are fewer. */
enum { ANSWER_ROWS = 1000 };
static inline uint64_t answer_rows_bytes(uint64_t features, size_t bytes)
{
    return (features < ANSWER_ROWS ? features : ANSWER_ROWS) * bytes;
}

/* Does the host take the names of twins? (An older one does not.) */
bool answer_takes_twins(const struct leat_result *out);

/* Does the question have conditions besides min_count? */
bool answer_filters(const struct leat_query *q);
/* A feature with these counts meets the question's conditions; so does any that is not counted. */
bool answer_passes(const struct leat_query *q, const struct sgd *s, const uint32_t *count);

/* By whose size a counted feature ranks in any order but that of weights. */
double answer_order_key(const struct leat_query *q, const struct sgd *s, const uint32_t *count);

/* The parts of entry i, by their names. */
struct redundancy_parts answer_parts(const struct leat_batch *b, uint32_t i);
/* Returns the bytes that marking n features takes. */
uint64_t answer_redundant_bytes(uint32_t n);
/* Marks the redundant ones of n features, where the question asks for that. *redundant is NULL when
 * it does not, or n bytes of the host's memory, to be freed. LEAT_OK or LEAT_ENOMEM. */
int answer_redundant(struct leat_ctx *ctx, const struct leat_query *q, uint32_t n,
                     const struct redundancy_parts *parts, const double *weight,
                     uint8_t **redundant);

#endif
