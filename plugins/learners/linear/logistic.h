/* logistic.h -- the models of learn.logistic with their memory: write, read, merge.
 *
 * In a state, features are in the order of their numbers. A restore builds the models first and
 * adds the names to the live name pool last. It empties the pool before, so each name gets the same
 * place as when it was saved. A merge adds names to the pool; features for whose names there is no
 * room lose them. With several classes, the names of the fields of model c begin with "c.". */
#ifndef LEAT_LEARNERS_LINEAR_LOGISTIC_H
#define LEAT_LEARNERS_LINEAR_LOGISTIC_H

#include <leat/plugin.h>

#include "kernels/base/names.h"
#include "kernels/linear/logistic.h"
#include "kernels/summaries/redundancy.h"

/* A model and its memory. The stage's name pool has its names; a tag identifies each. */
struct logistic_held {
    struct logistic model;
    struct name_pool *names;
    bool named; /* entries have names, so `parts` are stored */
    void *block;
    struct redundancy_parts *parts;      /* parts of each feature's name, or NULL */
    uint32_t min_capacity, max_capacity; /* numbers of features, powers of two */
};

/* Returns the bytes of the name parts of `capacity` features; 0 unless `named`. */
size_t logistic_parts_bytes(uint32_t capacity, bool named);

/* Allocates memory for max_capacity features in h, without freeing previous memory. If that fails,
 * frees everything it has allocated and returns false. */
bool logistic_take_memory(struct leat_ctx *ctx, struct logistic_held *h,
                          const struct logistic_options *opt, uint32_t max_capacity);
void logistic_release(struct leat_ctx *ctx, struct logistic_held *h);
/* Frees the n models of a stage; h may be NULL. */
void logistic_release_all(struct leat_ctx *ctx, struct logistic_held *h, uint32_t n);

/* Gives feature f of `l` the name of feature f of `first`, the stage's first model. Returns false
 * if the two have different ids. */
bool logistic_share_name(const struct logistic_held *first, struct logistic_held *l, uint32_t f);

/* Write, restore and merge all models of a stage; classes = 0: one model. *live is replaced when no
 * step can fail any more. */
int logistic_write_all(const struct logistic_held *h, uint32_t classes, struct leat_writer *w);
int logistic_restore_all(struct leat_ctx *ctx, struct logistic_held **live, uint32_t classes,
                         struct leat_reader *r);
int logistic_merge_all(struct leat_ctx *ctx, struct logistic_held **live, uint32_t classes,
                       struct leat_reader *r, double weight);

#endif
