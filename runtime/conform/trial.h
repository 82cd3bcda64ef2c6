/* trial.h -- one law tried with one stage, in a process of its own. */
#ifndef LEAT_CONFORM_TRIAL_H
#define LEAT_CONFORM_TRIAL_H

#include "subject.h"

enum outcome { UNDER_WAY, PASSED, FAILED, SKIPPED };

/* What the process that tries shares with the one that waits. */
struct trial_page {
    enum outcome outcome;
    char step[160];   /* what is being done: "process, batch 3" */
    char found[1200]; /* what was found, or why it is skipped */
    char beyond[160]; /* which memory the stage went beyond; "": none */
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
/* In the child: ends the trial. */
void trial_fails(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));
void trial_skips(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));
/* In the child: lives a life in a process of its own, which is killed at its end. */
void trial_kills(void (*live)(const struct subject *s, void *of), const struct subject *s,
                 void *of);
/* In the child, and in those that it kills: a number of this trial. */
int trial_number(void);
/* Each harness of the trial, so that breaches are told to the law. */
void trial_watches(struct harness *h);
void trial_forgets(struct harness *h);

/* Tries a law. The result is in *page; found has a whole sentence, also where the process ended. */
void trial_run(const struct law *law, const struct subject *s, struct trial_page *page);

#endif
