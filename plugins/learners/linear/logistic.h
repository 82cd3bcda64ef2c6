/* logistic.h -- the models of learn.logistic with their memory: write, read, merge.
 *
 * In a state, features are in the order of their numbers. A restore first builds the models. Last,
 * it empties the live name pool and adds the saved names to it, so that each name gets the same
 * place as when it was saved. A merge does the same with the names of both sides; if there is no
 * room for a name, its feature has none. With several classes, the names of the fields of model c
 * begin with "c.". */
#ifndef LEAT_LEARNERS_LINEAR_LOGISTIC_H
#define LEAT_LEARNERS_LINEAR_LOGISTIC_H

#include <leat/plugin.h>

#include "kernels/base/names.h"
#include "kernels/linear/logistic.h"
#include "kernels/summaries/averages.h"
#include "kernels/summaries/redundancy.h"
#include "merged.h"

/* A model and its memory. The names of its features are in the stage's name pool, under a tag for
 * each feature. */
struct logistic_held {
    struct logistic model;
    struct name_pool *names;
    bool named; /* true if entries have names, so `parts` are stored */
    void *block;
    struct redundancy_parts *parts;      /* parts of each feature's name, or NULL */
    struct averages averages;            /* of the weights of the features */
    bool averaged;                       /* true if weights are averaged */
    uint32_t min_capacity, max_capacity; /* limits on the table's size, powers of two */
    struct merged *merged; /* sums of a merged model that has not learned since; or NULL */
};

/* Returns the bytes of the name parts of `capacity` features; 0 unless `named`. */
size_t logistic_parts_bytes(uint32_t capacity, bool named);

/* Allocates memory for max_capacity features in h. Does not free memory that h had before. On
 * failure, allocates nothing and returns false. */
bool logistic_take_memory(struct leat_ctx *ctx, struct logistic_held *h,
                          const struct logistic_options *opt, uint32_t max_capacity);
void logistic_release(struct leat_ctx *ctx, struct logistic_held *h);
/* Frees the n models of a stage; h may be NULL. */
void logistic_release_all(struct leat_ctx *ctx, struct logistic_held *h, uint32_t n);

/* If feature f of `first`, the stage's first model, has the same id as feature f of `l`, gives the
 * latter the name of the former. Otherwise returns false. */
bool logistic_share_name(const struct logistic_held *first, struct logistic_held *l, uint32_t f);

/* Write, restore and merge all models of a stage; classes = 0: there is one model. Restore and
 * merge replace *live when no step can fail any more. */
int logistic_write_all(const struct logistic_held *h, uint32_t classes, struct leat_writer *w);
int logistic_restore_all(struct leat_ctx *ctx, struct logistic_held **live, uint32_t classes,
                         struct leat_reader *r);
int logistic_merge_all(struct leat_ctx *ctx, struct logistic_held **live, uint32_t classes,
                       struct leat_reader *r, double weight);

#endif
