/* frequent.h -- the counts of learn.frequent, their state and their merges. */
#ifndef LEAT_LEARNERS_COUNTING_FREQUENT_H
#define LEAT_LEARNERS_COUNTING_FREQUENT_H

#include <leat/plugin.h>

#include "common/learners/amounts.h"
#include "common/learners/growing.h"
#include "kernels/base/names.h"
#include "kernels/linear/sgd.h"

enum { FREQUENT_STATE_VERSION = 2 };

struct frequent {
    struct counted counted;
    struct sgd seen; /* only its counts of records are used */
    struct name_pool names;
    uint64_t *sum; /* [features][2], by kind; NULL: there are no amounts */
    uint64_t total[2];
};

int frequent_write(const struct frequent *m, const struct amounts_cfg *amounts,
                   struct leat_writer *w);
int frequent_restore(struct leat_ctx *ctx, struct frequent *m, const struct amounts_cfg *amounts,
                     struct leat_reader *r);
/* After a merge of two models that learned something, features are in the order of their ids. */
int frequent_merge(struct leat_ctx *ctx, struct frequent *m, const struct amounts_cfg *amounts,
                   struct leat_reader *r, double weight);

#endif
