/* learner_rig.h -- the learners that can be saved and merged, and what tests do with one: make it,
 * let it learn a stream, keep its state, restore, merge.
 *
 * A learner comes under the laws by a line of `learners` (learner_rig.c). What it is made of is
 * nowhere looked at: only its predictions, its answers to LEAT_QUERY_TOP and the bytes of its
 * snapshots. Whatever fails here aborts the test.
 */
#ifndef LEAT_TESTS_SUPPORT_LEARNER_RIG_H
#define LEAT_TESTS_SUPPORT_LEARNER_RIG_H

#include "harness.h"
#include "random.h"

struct learner {
    const char *plugin, *stage;
    const char *with;    /* its parameters: "name=value name=value"                        */
    const char *differs; /* each of these alone: another model, to be refused by this name */
    uint32_t few;        /* features that it keeps exactly, all of them                    */
    double tolerance;    /* of laws that hold but for rounding: weights are floats          */
    int counts_alone;    /* weights follow from counts: a merge adds up and mixes nothing    */
};

extern const struct learner learners[];
extern const uint32_t n_learners;

#define EACH_LEARNER(L)                                                                            \
    const struct learner *L = learners;                                                            \
    L < learners + n_learners;                                                                     \
    L++

/* Examples a batch; distinct features of a stream that none of the small ones can hold. */
enum { BATCH = 32, MANY = 1000 };

/* Learn n examples of a stream of `ids` features; score: NULL, or room for as many predictions. */
void learner_learn(struct harness *h, uint64_t stream, uint32_t n, uint32_t ids, float *score);

/* Give it n examples of weight 0. */
void learner_hold_out(struct harness *h, uint64_t stream, uint32_t n, uint32_t ids);

/* A learner as its line says; with some parameters changed ("name=value name=value", seed is the
 * host's); one that has learned a stream. */
struct harness *learner_fresh(const struct learner *l);
struct harness *learner_fresh_with(const struct learner *l, const char *more);
struct harness *learner_after(const struct learner *l, uint64_t stream, uint32_t n, uint32_t ids);

/* A snapshot that is kept. */
struct kept {
    char *bytes;
    size_t n;
};

struct kept kept_from(struct harness *h);
struct kept kept_of(const struct learner *l, uint64_t stream, uint32_t n, uint32_t ids);
int kept_is_of(struct harness *h, const struct kept *s);
void kept_restore(struct harness *h, const struct kept *s);
void kept_merge(struct harness *h, const struct kept *s, double weight);
/* a with b merged into it. */
struct kept kept_merged(const struct learner *l, const struct kept *a, const struct kept *b);
/* Its features, as many as an answer holds. */
const struct harness_answer *learner_top(struct harness *h);

#endif
