/* logistic_inside.h -- what logistic_state.c (states written and read) and logistic_merge.c (two
 * states united) share; for no other file. */
#ifndef LEAT_LEARNERS_LINEAR_LOGISTIC_INSIDE_H
#define LEAT_LEARNERS_LINEAR_LOGISTIC_INSIDE_H

#include "logistic_state.h"

/* The names of the features of a model that was read, lent by the reader. */
struct logistic_names {
    struct name_list list;
    const struct redundancy_parts *parts; /* or NULL */
    uint64_t unnamed;
};

/* What was written: its models, without names. */
struct logistic_models_read {
    struct logistic_held *model;
    struct logistic_names *names;
    uint32_t n;
};

/* A fresh one like `live`, which lends its scratch and its pool, with room for n features. */
int logistic_make_like(struct leat_ctx *ctx, const struct logistic_held *live, uint64_t n,
                       struct logistic_held *h);

int logistic_read_all(struct leat_ctx *ctx, const struct logistic_held *live, uint32_t classes,
                      struct leat_reader *r, struct logistic_models_read *all);
void logistic_free_read(struct leat_ctx *ctx, struct logistic_models_read *all);

#define LOGISTIC_CUT UINT32_MAX

/* Give name i to feature number[i] (NULL: to feature i), where that has none; parts likewise. Names
 * that the first copy has are shared, those of features that were cut are left. */
void logistic_take_names(const struct logistic_held *first, struct logistic_held *h,
                         const struct logistic_names *names, const uint32_t *number);

/* They become the live ones, with the names that were written. */
void logistic_replace_live(struct leat_ctx *ctx, struct logistic_held **live,
                           struct logistic_models_read *all);

#endif
