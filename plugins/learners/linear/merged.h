/* merged.h -- what linear learners know together (kernels/linear/sums.h), with names, as a state.
 *
 * A model that was merged keeps its sums until it learns again, so that a further merge adds to
 * them and does not depend on the order. Its state has the sums beside the model that they give. A
 * restore computes the model from the sums. */
#ifndef LEAT_LEARNERS_LINEAR_MERGED_H
#define LEAT_LEARNERS_LINEAR_MERGED_H

#include <leat/plugin.h>

#include "kernels/base/names.h"
#include "kernels/linear/sums.h"
#include "kernels/summaries/averages.h"
#include "kernels/summaries/redundancy.h"

struct merged {
    struct sums sums;
    void *block;                    /* of the sums */
    struct name_list names;         /* of the features, in the order of the sums */
    struct redundancy_parts *parts; /* parts of these names; NULL: there are none */
    uint64_t unnamed;               /* features without room for their names (logistic) */
    double *spread;                 /* standard error of the weight of each slot; NaN: unknown */
    double error;                   /* root mean square of them                                */
};

/* Returns sums without rows, for models with these fields and cells; NULL if there is not enough
 * memory. The caller lays out rows with merged_make_room(). */
struct merged *merged_new(struct leat_ctx *ctx, struct sums_fields fields, uint64_t cells);
/* Allocates rows, names of `name_bytes` together, and parts. Returns LEAT_OK or LEAT_ENOMEM. */
int merged_make_room(struct leat_ctx *ctx, struct merged *m, uint32_t features, uint32_t owners,
                     uint64_t name_bytes, bool parts);
void merged_free(struct leat_ctx *ctx, struct merged *m); /* m may be NULL */

/* Sets *out to the sums of a and b, where each record of b counts `count` times. */
int merged_join(struct leat_ctx *ctx, const struct merged *a, const struct merged *b, double count,
                const struct sgd_options *opt, struct merged **out);

/* Adds the average of feature f to row k, and sets average `f` of a model from row k. Both do
 * nothing if weights are not averaged. */
void merged_take_average(struct merged *m, uint32_t k, const struct averages *a, uint32_t f);
void merged_give_average(const struct merged *m, uint32_t k, struct averages *a, uint32_t f);
/* Notes the standard errors of the weights of the n features at `place`. Returns LEAT_OK or
 * LEAT_ENOMEM. */
int merged_note_spread(struct leat_ctx *ctx, struct merged *m, const struct sums_place *place,
                       uint32_t n);

/* Writes the sums; m is NULL for a model that was not merged. */
int merged_write(const struct merged *m, struct leat_writer *w);
/* Reads the sums, with the fields of `like`, which has no rows. Sets *out to NULL if the state is
 * of a model that was not merged. */
int merged_read(struct leat_ctx *ctx, struct leat_reader *r, struct sums_fields fields,
                uint64_t cells, struct merged **out);

/* Reports the figures of a merged model; m is NULL for a model that was not merged. */
void merged_report(struct leat_ctx *ctx, const struct merged *m);
#define MERGED_FIGURES                                                                             \
    {"merged_models", "models", "models that were merged; absent if none were", LEAT_GAUGE},       \
    {                                                                                              \
        "merged_error", "1",                                                                       \
            "standard error of a weight, by how far the merged models differ (root mean square)",  \
            LEAT_GAUGE                                                                             \
    }

#endif
