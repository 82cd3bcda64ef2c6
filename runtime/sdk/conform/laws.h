/* laws.h -- the tables of laws, in the order of trial. */
#ifndef LEAT_SDK_CONFORM_LAWS_H
#define LEAT_SDK_CONFORM_LAWS_H

#include "trial.h"

struct law_table {
    const struct law *law;
    size_t n;
};

/* A row of a table; members from `watches` on may follow. */
#define LAW(NAME, CLAIM, APPLIES, RUN) .name = NAME, .claim = CLAIM, .applies = APPLIES, .run = RUN
#define WATCH(BREACH)                  .watches = 1u << (BREACH)

/* Laws of all stages. The law `runs` decides whether laws that open the stage are tried. */
extern const struct law_table laws_of_stages;
extern const struct law_table laws_of_batches;
extern const struct law_table laws_of_returns;
extern const struct law_table laws_of_memory;
extern const struct law_table laws_of_states;
extern const struct law_table laws_of_forgeries;
extern const struct law_table laws_of_merges;
extern const struct law_table laws_of_learners;
extern const struct law_table laws_of_waits;
extern const struct law_table laws_of_sources;
extern const struct law_table laws_of_sinks;
extern const struct law_table laws_of_commits;
extern const struct law_table laws_of_kills;
extern const struct law_table laws_of_processes;

/* Common conditions. Return NULL, or why a law does not concern the stage. */
const char *law_takes_batches(const struct subject *s);
const char *law_has_state(const struct subject *s);
const char *law_commits(const struct subject *s);

/* Fails the law if a field of the stage's state has NaN or infinity. `when`: " after …". */
void law_must_be_finite(struct harness *h, const char *when, const char *expected);

/* Shows an answer of `rows` rows, 3 at most. Returns the status of `show`. */
int law_show(struct harness *h, uint32_t rows, bool last);

/* Calls of a sink that commits. They return the first failure, or LEAT_OK. */
int law_prepare(const struct subject *s, struct harness *h, uint32_t k, uint64_t checkpoint);
int law_commit(const struct subject *s, struct harness *h, uint64_t checkpoint);
/* Gives batch k to the sink (law_prepare) and commits its checkpoint, or fails the law. */
void law_must_commit(const struct subject *s, struct harness *h, uint32_t k, uint64_t checkpoint);

#endif
