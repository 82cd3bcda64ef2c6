/* trial.h -- tries one law with one stage, in a separate process; detects a process that hangs.
 *
 * A busy machine, on which the process waits for a processor or a disk, does not count as a
 * hang. */
#ifndef LEAT_SDK_CONFORM_TRIAL_H
#define LEAT_SDK_CONFORM_TRIAL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "subject.h"

enum outcome { UNDER_WAY, PASSED, FAILED, SKIPPED };

/* Memory that the trying process and the waiting one share. */
struct trial_page {
    enum outcome outcome;
    char step[160];        /* current step, such as "process, batch 3" */
    char found[1200];      /* the finding, or why the law is skipped */
    char beyond[160];      /* name of the memory that the stage overran; "": none */
    char wrote[1000];      /* last lines that it wrote to standard error */
    uint64_t steps;        /* number of steps begun */
    pid_t at_work;         /* process that has begun the last step */
    uint64_t given, taken; /* ordinary records (not HOSTILE); those not rejected */
};

struct law {
    const char *name, *claim;
    /* Returns NULL if the law concerns this stage; else why not. */
    const char *(*applies)(const struct subject *s);
    void (*run)(const struct subject *s);
    unsigned watches; /* breaches that break this law, as bits; others are ignored */
    bool is_static;   /* the law does not open the stage */
};

/* Names the current step. Called in the child. */
void trial_step(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Notes that `given` records came, `taken` of which the stage has taken. Called in the child, and
 * in processes that it kills. */
void trial_saw(uint64_t given, uint64_t taken);
/* End the trial. Called in the child. */
void trial_fails(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));
void trial_skips(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));
/* Runs `live` in a separate process, which is killed at its end. Called in the child. */
void trial_kills(void (*live)(const struct subject *s, void *of), const struct subject *s,
                 void *of);
/* Runs `live`, and kills it after system call number `at` (from 0) since it called trial_within; or
 * at its end if it makes fewer. Returns the number of its system calls. */
uint32_t trial_kills_within(void (*live)(const struct subject *s, void *of),
                            const struct subject *s, void *of, uint32_t at);
/* Begins to count system calls. Called in the process that trial_kills_within makes. */
void trial_within(void);
/* Returns a number of this trial. Called in the child, and in processes that it kills. */
int trial_number(void);
/* Register and forget a harness of the trial, whose breaches count for the law. */
void trial_watches(struct harness *h);
void trial_forgets(struct harness *h);

/* Tries a law. The result is in *page; `found` has a whole sentence, even if the process ended. */
void trial_run(const struct law *law, const struct subject *s, struct trial_page *page);

/* State at the beginning of a time without progress. */
struct sleeps {
    uint64_t steps, busy, since, looked;
};

/* Notes that `first` and `second` (perhaps the same process) have made `steps` steps until `now`,
 * in ns. Returns true if for a few seconds they made no further step and hardly worked. */
bool sleeps(struct sleeps *s, pid_t first, pid_t second, uint64_t steps, uint64_t now);

#endif
