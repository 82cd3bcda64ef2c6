/* exact.h -- sink base that counts a stream's features exactly, by label, to check a learner's
 * answer.
 *
 * Features are counted by id, but an answer gives names. So the hash of a feature's name, cut as
 * the learner cuts it, is kept when the feature is first seen. Features with equal cut names cannot
 * be told apart in an answer: exact_find() gives all of them.
 *
 * Memory grows with the distinct features, so this is for evaluation, not for an endless stream.
 * Features that find no memory are ignored, and their entries counted.
 *
 * With a half-life, counts and records fade as the learner's do (kernels/linear/sgd.h), so both
 * have the same records with the same weights. They are sums of forward decay in doubles: a record
 * adds `grown`, which rises with time, and readers divide by it. */
#ifndef LEAT_EVALUATE_EXACT_H
#define LEAT_EVALUATE_EXACT_H

#include <leat/plugin.h>

#include "kernels/base/names.h"
#include "common/answers/asked.h"
#include "common/learners/growing.h"
#include "common/output/reports.h"

enum { EXACT_MAX_NAME = 511 };

/* First member of the configuration of such a sink. */
struct exact_cfg {
    struct asked asked; /* only k, of, every and clock: no conditions */
    int64_t name_bytes;
    int64_t max_features;           /* rounded up to a power of two */
    int64_t min_count;              /* least count of a feature to compare; used by the sink */
    struct leat_interval half_life; /* half-life of the counts; 0: nothing fades */
};

#define EXACT_NAME_PARAM                                                                           \
    LEAT_PARAM(struct exact_cfg, name_bytes, LEAT_INT, .flags = LEAT_ADVANCED, .def = "120",       \
               .min = NAMES_MIN_BYTES, .max = EXACT_MAX_NAME, .unit = "bytes",                     \
               .doc = "where the learner cuts names: the name_bytes of the learner")

#define EXACT_MAX_PARAM                                                                            \
    LEAT_PARAM(struct exact_cfg, max_features, LEAT_INT, .flags = LEAT_ADVANCED, .def = "4194304", \
               .min = 1, .max = FEATURE_TABLE_MAX, .unit = "features",                             \
               .doc = "the stage stops counting new features at so many, rounded up to a power "   \
                      "of two: it ignores later ones and counts them")

struct exact_name {
    uint64_t hash;
    uint32_t feature;
    uint32_t found; /* 0 at first; set by the sink */
};

static inline bool exact_fades(const struct exact_cfg *c)
{
    return c->half_life.ns || c->half_life.examples;
}

/* Records of a kind, or entries of a feature in them: { labelled -1, +1 }. */
struct exact_counts {
    double n[2];
};

/* First member of the instance. */
struct exact {
    struct reports reports;
    struct counted counted;      /* count[2f + 1]: entries of feature f in examples labelled +1 */
    struct exact_counts records; /* numbers of records, times grown */
    double grown;                /* amount that a record adds; 1 without a half-life */
    uint64_t newest;             /* latest event time of a half-life, in ns; 0: none yet */
    struct exact_name *by_name;  /* features of the current answer, sorted by hash */
};

/* ---- calls of a stage ---- */

int exact_plan(const void *config, const struct leat_schema *in, const struct leat_schema *out,
               struct leat_plan *p);
int exact_open(struct leat_ctx *ctx, void *self);
void exact_close(struct leat_ctx *ctx, void *self);
/* Counts each record once, however many examples it has. */
int exact_process(struct leat_ctx *ctx, void *self, struct leat_batch *b);

/* Reports a half-life in event time if the records have no time. */
int exact_negotiate(const void *config, struct leat_negotiation *n);

/* Members of the stage, except open and close. The stage defines `start` and `show`. */
#define EXACT_SINK(PLAN, START, ASK, SHOW)                                                         \
    .kind = LEAT_SINK, .caps = LEAT_STATEFUL, .needs = LEAT_HAS_EXAMPLES | LEAT_HAS_LABEL,         \
    .validate = asked_validate, .negotiate = exact_negotiate, .plan = PLAN, .start = START,        \
    .process = exact_process, .stop = out_stop,                                                    \
    .asker = LEAT_ROLE(leat_asker, .ask = ASK, .show = SHOW)

/* ---- calls for show() ---- */

struct exact_counts exact_records(const struct exact *e);
struct exact_counts exact_counts(const struct exact *e, uint32_t feature);

/* Begin and end the use of exact_find(). */
int exact_begin(struct leat_ctx *ctx, struct exact *e);
void exact_end(struct leat_ctx *ctx, struct exact *e);

/* Returns the *n features with the name in that row; 0 if none was counted. */
struct exact_name *exact_find(const struct exact *e, const struct leat_table *t, uint32_t row,
                              uint32_t *n);

#endif
