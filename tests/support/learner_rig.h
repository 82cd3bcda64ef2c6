/* learner_rig.h -- the learners that can be saved and merged, and a rig for one.
 *
 * The rig makes a learner, lets it learn a stream, stores its state, restores and merges it. A line
 * of `learners` (learner_rig.c) puts a learner under the laws. The rig looks only at its
 * predictions, its answers to LEAT_QUERY_TOP and the bytes of its snapshots. A failure here aborts
 * the test. */
#ifndef LEAT_TESTS_SUPPORT_LEARNER_RIG_H
#define LEAT_TESTS_SUPPORT_LEARNER_RIG_H

#include "harness.h"
#include "random.h"

struct learner {
    const char *plugin, *stage;
    const char *with; /* parameters of the learner: "name=value name=value" */
    /* Parameters that each make another model, and are named in the refusal. */
    const char *differs;
    uint32_t few;     /* number of features that it can store exactly */
    double tolerance; /* for laws that hold only up to rounding, as weights are floats */
    /* True if weights follow from counts alone: a merge adds them, and averages nothing. */
    int counts_alone;
};

extern const struct learner learners[];
extern const uint32_t n_learners;

#define EACH_LEARNER(L)                                                                            \
    const struct learner *L = learners;                                                            \
    L < learners + n_learners;                                                                     \
    L++

/* BATCH: examples a batch. MANY: distinct features of a stream that no small learner can hold. */
enum { BATCH = 32, MANY = 1000 };

/* Learns n examples of a stream of `ids` features. score: NULL, or room for n predictions. */
void learner_learn(struct harness *h, uint64_t stream, uint32_t n, uint32_t ids, float *score);

/* Gives the learner n examples of weight 0. */
void learner_hold_out(struct harness *h, uint64_t stream, uint32_t n, uint32_t ids);

/* Makes a learner as its line describes. learner_fresh_with: with more parameters, "name=value
 * name=value"; seed is the host's. learner_after: after n examples of a stream. */
struct harness *learner_fresh(const struct learner *l);
struct harness *learner_fresh_with(const struct learner *l, const char *more);
struct harness *learner_after(const struct learner *l, uint64_t stream, uint32_t n, uint32_t ids);

/* A stored snapshot. */
struct kept {
    char *bytes;
    size_t n;
};

struct kept kept_from(struct harness *h);
struct kept kept_of(const struct learner *l, uint64_t stream, uint32_t n, uint32_t ids);
int kept_is_of(struct harness *h, const struct kept *s);
void kept_restore(struct harness *h, const struct kept *s);
void kept_merge(struct harness *h, const struct kept *s, double weight);
/* Returns a with b merged into it. */
struct kept kept_merged(const struct learner *l, const struct kept *a, const struct kept *b);
/* Returns the learner's features, as many as an answer holds. */
const struct harness_answer *learner_top(struct harness *h);

#endif
