/* counted.h -- exact counts of features in tables that double up to a bound: kernels/sketch's
 * feature_counts as growing.h has it. Used by learn.frequent and by the sinks that evaluate it.
 */
#ifndef LEAT_COMMON_LEARNERS_COUNTED_H
#define LEAT_COMMON_LEARNERS_COUNTED_H

#include <stdbool.h>

#include <leat/plugin.h>

#include "kernels/sketch/feature_counts.h"

struct counted {
    struct feature_counts counts;
    void *block, *extra; /* extra: extra_bytes for each feature, the caller's */
    uint32_t extra_bytes;
    bool told; /* growing_tell() */
};

/* Features that a table holds at the start. */
uint32_t counted_first(int64_t max_features);

/* parts: of each feature's name, which only answers that leave out conjunctions read.
 * Adds to a plan what a table takes at its largest; `finding` bytes a feature are taken when it is
 * asked. The note says where its growth ends. */
void counted_plan(struct leat_plan *p, int64_t max_features, bool parts, uint32_t extra_bytes,
                  uint32_t finding);
int counted_open(struct leat_ctx *ctx, struct counted *c, int64_t max_features, bool parts,
                 uint32_t extra_bytes);
void counted_close(struct leat_ctx *ctx, struct counted *c);
/* Double the tables until n more features fit or they may not grow. */
void counted_reserve(struct leat_ctx *ctx, struct counted *c, uint32_t n);
/* Logs once that features are ignored, if there are any. */
void counted_tell(struct leat_ctx *ctx, struct counted *c);

#endif
