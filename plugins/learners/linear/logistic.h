/* logistic.h -- the models of learn.logistic with their memory: written, read, merged.
 *
 * Features are in the order of their numbers. Names go into the live pool, last of all: it is
 * emptied first on restore, which gives each name the place it had; on merge it grows, and loses
 * the names of features that find no room.
 * With classes the fields of model c have "c." before their names.
 */
#ifndef LEAT_LEARNERS_LINEAR_LOGISTIC_H
#define LEAT_LEARNERS_LINEAR_LOGISTIC_H

#include <leat/plugin.h>

#include "kernels/base/names.h"
#include "kernels/linear/logistic.h"
#include "kernels/sketch/redundancy.h"

/* A model and its memory. Its names are in the stage's pool, by tag. */
struct logistic_held {
    struct logistic model;
    struct name_pool *names;
    bool named; /* entries have names: parts are kept */
    void *block;
    struct redundancy_parts *parts;      /* of each feature's name, or NULL */
    uint32_t min_capacity, max_capacity; /* powers of two */
};

/* Bytes of the parts of that many features' names. */
size_t logistic_parts_bytes(uint32_t capacity, bool named);

/* Blocks for that many features in place of those that are there, which are not freed. false: there
 * is no memory, and nothing is held. */
bool logistic_take_memory(struct leat_ctx *ctx, struct logistic_held *h,
                          const struct logistic_options *opt, uint32_t max_capacity);
void logistic_release(struct leat_ctx *ctx, struct logistic_held *h);
/* The n models of a stage; NULL is none. */
void logistic_release_all(struct leat_ctx *ctx, struct logistic_held *h, uint32_t n);

/* Feature f of `l` shares the name that the first of all models has given to the same number;
 * false: there is none to share. */
bool logistic_share_name(const struct logistic_held *first, struct logistic_held *l, uint32_t f);

/* What snapshot, restore and merge do; classes 0: one model. *live is replaced when nothing can
 * fail any more. */
int logistic_write_all(const struct logistic_held *h, uint32_t classes, struct leat_writer *w);
int logistic_restore_all(struct leat_ctx *ctx, struct logistic_held **live, uint32_t classes,
                         struct leat_reader *r);
int logistic_merge_all(struct leat_ctx *ctx, struct logistic_held **live, uint32_t classes,
                       struct leat_reader *r, double weight);

#endif
