/* shown.h -- the answer of a linear learner to LEAT_QUERY_TOP: which of its features it shows,
 * heaviest first.
 *
 * Asking takes memory for the ranks of all features that are looked at, until it is answered.
 */
#ifndef LEAT_LEARNERS_LINEAR_SHOWN_H
#define LEAT_LEARNERS_LINEAR_SHOWN_H

#include <leat/plugin.h>

#include "kernels/linear/sgd.h"
#include "kernels/sketch/redundancy.h"

/* What a linear learner has to show: features 0 .. n - 1. */
struct shown_model {
    void *of;              /* for the functions */
    const char *prefix;    /* before all names, or NULL */
    const struct sgd *sgd; /* its clock         */
    uint32_t n;
    bool counts;
    const uint32_t *count;                /* n x { inliers, outliers }, or NULL */
    const struct redundancy_parts *parts; /* of each name, or NULL              */
    /* The k heaviest of at least min_count examples, into top, heaviest first; how many. weight:
     * n elements, scratch, for weigh to look at. */
    uint32_t (*rank)(void *of, uint32_t k, uint32_t min_count, float *weight, uint32_t *top);
    /* The weight shown, by which conjunctions are compared with their parts. */
    double (*weigh)(void *of, const float *weight, uint32_t f);
    const char *(*name)(void *of, uint32_t f, size_t *len);
};

/* The model of one class, or the only one. */
typedef struct shown_model shown_of(void *self, uint32_t copy);

/* What an answer takes of n features, which may have counts and names, and of so many classes. */
uint64_t shown_bytes(uint32_t n, bool counts, bool named, uint32_t classes);

/* Answer for a learner with a model a class, each with its share of the rows and "CLASS: " before
 * the names; classes 0: with one model. LEAT_OK or LEAT_ENOMEM, or what `out` returned. */
int shown_all(struct leat_ctx *ctx, const struct leat_query *question, void *self, uint32_t classes,
              shown_of *of, struct leat_result *out);

#endif
