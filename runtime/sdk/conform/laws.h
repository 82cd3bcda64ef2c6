/* laws.h -- the tables of laws, in the order in which they are tried. */
#ifndef LEAT_SDK_CONFORM_LAWS_H
#define LEAT_SDK_CONFORM_LAWS_H

#include "trial.h"

struct law_table {
    const struct law *law;
    size_t n;
};

/* Begins a row of a table of laws. `.watches` and `.is_static` may follow. */
#define LAW(NAME, CLAIM, APPLIES, RUN) .name = NAME, .claim = CLAIM, .applies = APPLIES, .run = RUN
#define WATCH(BREACH)                  .watches = 1u << (BREACH)

/* The table has the law `runs`. If a stage breaks it, the laws that open the stage are not
 * tried. */
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

/* Functions for law.applies. Return NULL if the law concerns the stage; otherwise the reason why
 * not. */
const char *law_takes_batches(const struct subject *s);
const char *law_has_state(const struct subject *s);
const char *law_commits(const struct subject *s);

/* Fails the law if the stage's state contains NaN or infinity. `when` is "" or a phrase for the
 * message, such as ", after a restore". */
void law_must_be_finite(struct harness *h, const char *when, const char *expected);

/* Shows the stage an answer of `rows` rows, at most 3. Returns the status of show(). */
int law_show(struct harness *h, uint32_t rows, bool last);

/* Call a sink that commits. law_prepare() gives the sink batch k and calls its barrier() for the
 * checkpoint. law_commit() makes the sink commit the checkpoint. Both return LEAT_OK or the first
 * failure. */
int law_prepare(const struct subject *s, struct harness *h, uint32_t k, uint64_t checkpoint);
int law_commit(const struct subject *s, struct harness *h, uint64_t checkpoint);
/* Calls law_prepare() and law_commit(). Fails the law if the sink fails. */
void law_must_commit(const struct subject *s, struct harness *h, uint32_t k, uint64_t checkpoint);

#endif
