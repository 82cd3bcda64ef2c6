/* shown.h -- a linear learner's answer to LEAT_QUERY_TOP: the features shown, heaviest first.
 *
 * An answer takes memory for the ranks of all candidate features, and frees it at the end.
 */
#ifndef LEAT_LEARNERS_LINEAR_SHOWN_H
#define LEAT_LEARNERS_LINEAR_SHOWN_H

#include <leat/plugin.h>

#include "kernels/linear/sgd.h"
#include "kernels/sketch/redundancy.h"

/* Features 0 .. n - 1 that a linear learner can show. */
struct shown_model {
    void *of;              /* argument of the functions */
    const char *prefix;    /* text before all names, or NULL */
    const struct sgd *sgd; /* clock of the model */
    uint32_t n;
    bool counts;
    const uint32_t *count;                /* n x { inliers, outliers }, or NULL */
    const struct redundancy_parts *parts; /* parts of each name, or NULL */
    /* Ranks the k heaviest features with at least min_count examples into `top`, heaviest first.
     * Returns their number. weight: scratch of n elements, for `weigh`. */
    uint32_t (*rank)(void *of, uint32_t k, uint32_t min_count, float *weight, uint32_t *top);
    /* Returns the weight to show. Conjunctions and their parts are compared by it. */
    double (*weigh)(void *of, const float *weight, uint32_t f);
    const char *(*name)(void *of, uint32_t f, size_t *len);
};

/* Returns the model of one class, or the only model. */
typedef struct shown_model shown_of(void *self, uint32_t copy);

/* Returns the bytes of an answer over n features, which may have counts and names, and over so many
 * classes. */
uint64_t shown_bytes(uint32_t n, bool counts, bool named, uint32_t classes);

/* Answers for a learner with a model per class; each gets its share of the rows, and "CLASS: "
 * before the names. classes 0: one model. Returns LEAT_OK, LEAT_ENOMEM, or the status of `out`. */
int shown_all(struct leat_ctx *ctx, const struct leat_query *question, void *self, uint32_t classes,
              shown_of *of, struct leat_result *out);

#endif
