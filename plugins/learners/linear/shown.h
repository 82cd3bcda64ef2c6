/* shown.h -- a linear learner's answer to LEAT_QUERY_TOP: its heaviest features.
 *
 * An answer allocates memory for the ranks of all features, and frees it at its end. */
#ifndef LEAT_LEARNERS_LINEAR_SHOWN_H
#define LEAT_LEARNERS_LINEAR_SHOWN_H

#include <leat/plugin.h>

#include "kernels/linear/sgd.h"
#include "kernels/summaries/averages.h"
#include "kernels/summaries/redundancy.h"
#include "common/learners/units.h"

/* The features 0 .. n - 1 of a linear model that an answer may contain. */
struct shown_model {
    void *of;              /* first argument of the functions */
    const char *prefix;    /* text before each name, or NULL */
    const struct sgd *sgd; /* counts and decay of the model */
    uint32_t n;
    bool counts;
    const uint32_t *count;                /* { inliers, outliers } for each feature, or NULL */
    const struct redundancy_parts *parts; /* parts of each feature's name, or NULL */
    const struct averages *averages;      /* averages of the features' weights, which are shown in
                                           * place of the last weights; NULL: there are none */
    const double *spread;                 /* of the weights of a merged model, or NULL */
    /* Writes the numbers of the k heaviest features with at least min_count examples to `top`,
     * heaviest first. Returns the number of features in `top`. Fills weight[0 .. n), which weigh()
     * reads. */
    uint32_t (*rank)(void *of, uint32_t k, uint32_t min_count, float *weight, uint32_t *top);
    /* Returns the last weight of feature f. Conjunctions are compared with their parts by the
     * weights in the answer. */
    double (*weigh)(void *of, const float *weight, uint32_t f);
    const char *(*name)(void *of, uint32_t f, size_t *len);
    /* Weights of numbers are shown in the units of their columns. NULL: there are no numbers. */
    const struct units *units;
    const uint32_t *folded_id; /* of each feature, or NULL */
    const uint64_t *id;        /* of each feature if folded_id is NULL */
};

/* Returns the model of class `copy`; 0 if there is only one model. */
typedef struct shown_model shown_of(void *self, uint32_t copy);

/* Returns the bytes that an answer allocates for n features and `classes` models. `counts`:
 * features have counts; `averaged`: they have averages; `named`: they have names. */
uint64_t shown_bytes(uint32_t n, bool counts, bool averaged, bool named, uint32_t classes);

/* Writes the answer. With several classes, each gets the same number of rows, and its names begin
 * with "CLASS: ". classes = 0: one model. Returns LEAT_OK, LEAT_ENOMEM, or the status of `out`. */
int shown_all(struct leat_ctx *ctx, const struct leat_query *question, void *self, uint32_t classes,
              shown_of *of, struct leat_result *out);

#endif
