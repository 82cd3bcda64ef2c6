/* logistic.h -- the models of learn.logistic with their memory: write, read, merge.
 *
 * Features are in the order of their numbers. Names enter the live pool last. On restore the pool
 * is emptied first, so that each name gets its old place. On merge the pool grows, and features
 * that find no room lose their names. With classes the fields of model c have "c." before their
 * names. */
#ifndef LEAT_LEARNERS_LINEAR_LOGISTIC_H
#define LEAT_LEARNERS_LINEAR_LOGISTIC_H

#include <leat/plugin.h>

#include "kernels/base/names.h"
#include "kernels/linear/logistic.h"
#include "kernels/sketch/redundancy.h"

/* Model and its memory. Its names are in the stage's pool, by tag. */
struct logistic_held {
    struct logistic model;
    struct name_pool *names;
    bool named; /* entries have names, so parts are kept */
    void *block;
    struct redundancy_parts *parts;      /* parts of each feature's name, or NULL */
    uint32_t min_capacity, max_capacity; /* powers of two */
};

/* Returns the bytes of the parts of `capacity` features' names. */
size_t logistic_parts_bytes(uint32_t capacity, bool named);

/* Allocates blocks for max_capacity features, and does not free the previous ones. Returns false,
 * and holds nothing, if there is no memory. */
bool logistic_take_memory(struct leat_ctx *ctx, struct logistic_held *h,
                          const struct logistic_options *opt, uint32_t max_capacity);
void logistic_release(struct leat_ctx *ctx, struct logistic_held *h);
/* Releases the n models of a stage; h may be NULL. */
void logistic_release_all(struct leat_ctx *ctx, struct logistic_held *h, uint32_t n);

/* Gives feature f of `l` the name of feature f of `first`, the stage's first model, if both have
 * the same id. Returns false otherwise. */
bool logistic_share_name(const struct logistic_held *first, struct logistic_held *l, uint32_t f);

/* Write, restore and merge all models; classes 0: one model. *live is replaced when nothing can
 * fail any more. */
int logistic_write_all(const struct logistic_held *h, uint32_t classes, struct leat_writer *w);
int logistic_restore_all(struct leat_ctx *ctx, struct logistic_held **live, uint32_t classes,
                         struct leat_reader *r);
int logistic_merge_all(struct leat_ctx *ctx, struct logistic_held **live, uint32_t classes,
                       struct leat_reader *r, double weight);

#endif
