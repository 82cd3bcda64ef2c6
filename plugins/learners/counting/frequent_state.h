/* frequent_state.h -- the state of learn.frequent: written, read, merged.
 *
 * Features are in the order of their numbers. Only what was counted is state; by and over say what
 * is shown of it, so sides that differ in them may merge.
 *
 * Names go into the live pool, last of all: it is emptied first on restore; on merge it only grows.
 */
#ifndef LEAT_LEARNERS_COUNTING_FREQUENT_STATE_H
#define LEAT_LEARNERS_COUNTING_FREQUENT_STATE_H

#include <leat/plugin.h>

#include "kernels/base/names.h"
#include "kernels/linear/sgd.h"
#include "common/learners/counted.h"

enum { FREQUENT_STATE_VERSION = 1 };

struct frequent {
    struct counted counted;
    struct sgd seen; /* only its counts of records are used */
    struct name_pool names;
};

int frequent_write(const struct frequent *m, struct leat_writer *w);
/* Nothing has changed unless they return LEAT_OK. */
int frequent_restore(struct leat_ctx *ctx, struct frequent *m, struct leat_reader *r);
int frequent_merge(struct leat_ctx *ctx, struct frequent *m, struct leat_reader *r, double weight);

#endif
