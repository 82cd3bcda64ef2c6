/* answer.h -- answers to the query LEAT_QUERY_TOP (a model's heaviest features): columns, rows,
 * conditions.
 *
 * The counts of a feature are { inliers, outliers }: how many records with label -1 and with label
 * +1 have the feature.
 */
#ifndef LEAT_COMMON_ANSWERS_ANSWER_H
#define LEAT_COMMON_ANSWERS_ANSWER_H

#include <stdbool.h>

#include <leat/plugin.h>

#include "kernels/linear/sgd.h"
#include "kernels/summaries/redundancy.h"

/* Returns a copy of the query, with 0 in fields that an older host does not know. */
struct leat_query answer_query(const struct leat_query *q);

/* Warns once (*told) if a query asks for more features than the model has room for. n: number of
 * features in the model; most: largest number that the model can hold. */
void answer_tell_k(struct leat_ctx *ctx, const struct leat_query *q, uint32_t n, uint32_t most,
                   bool *told);
/* Rounds an estimated count: to two digits if it is above 100, else to a whole number. */
double answer_about(double count);

/* Place of the column `spread`. It comes last where only merged models have it, because other
 * answers do not promise it. */
enum answer_spread { ANSWER_NO_SPREAD, ANSWER_SPREAD, ANSWER_SPREAD_LAST };

/* Sets the columns of an answer: weight; after it or last, spread; if `counts`, also relative_risk,
 * support_outliers, support_inliers and count. */
int answer_columns(struct leat_result *out, bool counts, enum answer_spread spread);
/* Returns the names that each answer begins with, and their number in *n. `spread`: with
 * ANSWER_SPREAD. */
const char *const *answer_names(bool counts, bool spread, uint32_t *n);

struct answer_weight {
    double weight, spread;
    enum answer_spread where;
};
/* Adds a row. s: the model's struct sgd, which has the numbers of records. count: counts of the
 * feature, or NULL. */
int answer_row(struct leat_result *out, const struct sgd *s, const char *name, size_t len,
               const struct answer_weight *w, const uint32_t *count);

/* Returns the bytes that a learner plans for ranking the rows of an answer, of `bytes` each. Plans
 * for ANSWER_ROWS rows, because most queries ask for no more; for fewer if there are fewer
 * features. */
enum { ANSWER_ROWS = 1000 };
static inline uint64_t answer_rows_bytes(uint64_t features, size_t bytes)
{
    return (features < ANSWER_ROWS ? features : ANSWER_ROWS) * bytes;
}

/* True if the host accepts the names of twins (features that occur in the same records). An older
 * host does not. */
bool answer_takes_twins(const struct leat_result *out);

/* True if the query has a condition or an order other than min_count and weight. */
bool answer_filters(const struct leat_query *q);
/* True if a feature with these counts meets the query's conditions. A feature without counts (NULL)
 * always meets them. */
bool answer_passes(const struct leat_query *q, const struct sgd *s, const uint32_t *count);

/* Returns the key by which a feature with counts is ranked, unless the order is by weight. */
double answer_order_key(const struct leat_query *q, const struct sgd *s, const uint32_t *count);
/* Returns this key for a feature with the counts, or masses, n1 of N1 and n0 of N0. */
double answer_order_key_of(const struct leat_query *q, double n1, double n0, double N1, double N0);

/* Returns the keys of the parts of entry i (a conjunction's single features). */
struct redundancy_parts answer_parts(const struct leat_batch *b, uint32_t i);
/* Returns the bytes that answer_redundant() allocates for n features. */
uint64_t answer_redundant_bytes(uint32_t n);
/* Finds redundant conjunctions among n features if the query has min_odds_gain. Sets *redundant to
 * n marks, which the caller frees through the host, or to NULL if min_odds_gain is 0. Returns
 * LEAT_OK or LEAT_ENOMEM. */
int answer_redundant(struct leat_ctx *ctx, const struct leat_query *q, uint32_t n,
                     const struct redundancy_parts *parts, const double *weight,
                     uint8_t **redundant);

#endif
