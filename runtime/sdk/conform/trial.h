/* trial.h -- one law tried with one stage, in a process of its own; and has a process stood
 * still for long? A busy machine, on which it waits for a processor or a disk, is no sign of
 * that. */
#ifndef LEAT_SDK_CONFORM_TRIAL_H
#define LEAT_SDK_CONFORM_TRIAL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "subject.h"

enum outcome { UNDER_WAY, PASSED, FAILED, SKIPPED };

/* Memory that the process that tries shares with the one that waits. */
struct trial_page {
    enum outcome outcome;
    char step[160];        /* what is being done: "process, batch 3" */
    char found[1200];      /* what was found, or why it is skipped */
    char beyond[160];      /* which memory the stage went beyond; "": none */
    char wrote[1000];      /* the last lines that it wrote to standard error */
    uint64_t steps;        /* how many have begun */
    pid_t at_work;         /* the process that has begun the last one */
    uint64_t given, taken; /* records as they are (not HOSTILE); those that it did not reject */
};

struct law {
    const char *name, *claim;
    /* NULL: it is about this stage; else why not. */
    const char *(*applies)(const struct subject *s);
    void (*run)(const struct subject *s);
    unsigned watches; /* breaches that break this law, as bits; others are passed over */
    bool is_static;   /* it does not open the stage */
};

/* In the child: says what is being done. */
void trial_step(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* In the child, and in those that it kills: `given` records came, and it has taken so many. */
void trial_saw(uint64_t given, uint64_t taken);
/* In the child: ends the trial. */
void trial_fails(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));
void trial_skips(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));
/* In the child: lives a life in a process of its own, which is killed at its end. */
void trial_kills(void (*live)(const struct subject *s, void *of), const struct subject *s,
                 void *of);
/* Lives a life that is killed after its call of the system number `at`, from 0 on, since it called
 * trial_within, or at its end where it makes fewer. Returns how many it has made. */
uint32_t trial_kills_within(void (*live)(const struct subject *s, void *of),
                            const struct subject *s, void *of, uint32_t at);
/* In the process that trial_kills_within makes. */
void trial_within(void);
/* In the child, and in those that it kills: a number of this trial. */
int trial_number(void);
/* Each harness of the trial, so that breaches are told to the law. */
void trial_watches(struct harness *h);
void trial_forgets(struct harness *h);

/* Tries a law. The result is in *page; found has a whole sentence, also where the process ended. */
void trial_run(const struct law *law, const struct subject *s, struct trial_page *page);

/* State at the begin of the time in which nothing happens. */
struct sleeps {
    uint64_t steps, busy, since, looked;
};

/* `steps` of what `first` and `second` do (the same one, or not) have been made until `now`, in ns.
 * True: for a few seconds there was no further step, and they have hardly worked. */
bool sleeps(struct sleeps *s, pid_t first, pid_t second, uint64_t steps, uint64_t now);

#endif
