/* exact.h -- exact counts of the features of a stream by label, and the features of a learner's
 * answer found among them.
 *
 * Features are counted by id, but an answer gives names. So the hash of a feature's name, cut as
 * the learner cuts it, is kept when the feature is first seen. Features whose names are equal once
 * they are cut cannot be told apart in an answer: exact_find() gives all of them.
 *
 * Memory grows with the distinct features, EXACT_BYTES: this is for evaluation, not for a stream
 * without end. Features that find no memory are ignored, and their entries counted. */
#ifndef LEAT_EVALUATE_EXACT_H
#define LEAT_EVALUATE_EXACT_H

#include <leat/plugin.h>

#include "kernels/base/names.h"
#include "kernels/sketch/feature_counts.h"

#define EXACT_BYTES "48 to 96 bytes each"

enum { EXACT_MAX_NAME = 511 };

/* The learner's name_bytes, a member of the configuration. */
#define EXACT_NAME_PARAM(CFG)                                                                      \
    {                                                                                              \
        .name = "name_bytes", .type = LEAT_INT, .flags = LEAT_ADVANCED,                            \
        .offset = offsetof(CFG, name_bytes), .def = "120", .min = NAMES_MIN_BYTES,                 \
        .max = EXACT_MAX_NAME, .unit = "bytes",                                                    \
        .doc = "where the learner cuts names: the name_bytes of the learner"                       \
    }

struct exact_name {
    uint64_t hash;
    uint32_t feature;
};

struct exact {
    struct feature_counts counts; /* count[2f + 1]: entries of feature f in examples labelled +1 */
    uint64_t *name;               /* of each feature                                            */
    void *block;                  /* both */
    uint64_t records[2];          /* labelled -1, +1 */
    uint32_t max_capacity, name_bytes;
    struct exact_name *by_name; /* of the answer at hand: counts.n of them, by hash */
};

/* Bytes of the tables at the start. */
size_t exact_bytes(int64_t max_features);

int exact_open(struct leat_ctx *ctx, struct exact *e, int64_t max_features, int64_t name_bytes);
void exact_close(struct leat_ctx *ctx, struct exact *e);

/* In process(). A record counts once, whatever its examples. */
void exact_count(struct leat_ctx *ctx, struct exact *e, const struct leat_batch *b);

/* In show(): exact_find() works between the two. */
int exact_begin(struct leat_ctx *ctx, struct exact *e);
void exact_end(struct leat_ctx *ctx, struct exact *e);

/* The *n features with that name; 0: none was counted. */
const struct exact_name *exact_find(const struct exact *e, const char *name, size_t len,
                                    uint32_t *n);

#endif
