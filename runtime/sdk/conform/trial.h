/* trial.h -- tries one law with one stage in a child process, and detects a child that hangs.
 *
 * A child that waits for a processor or a disk, as on a busy machine, does not count as hanging. */
#ifndef LEAT_SDK_CONFORM_TRIAL_H
#define LEAT_SDK_CONFORM_TRIAL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "subject.h"

enum outcome { UNDER_WAY, PASSED, FAILED, SKIPPED };

/* Memory shared by the child that tries the law and the parent that waits for it. */
struct trial_page {
    enum outcome outcome;
    char step[160];        /* current step, such as "process, batch 3" */
    char found[1200];      /* fault, or reason for skipping the law */
    char beyond[160];      /* memory whose end the stage overran (a name); "" if none */
    char wrote[1000];      /* end of the child's output to standard error */
    uint64_t steps;        /* number of steps begun so far */
    pid_t at_work;         /* process that began the current step */
    uint64_t given, taken; /* ordinary records (not HOSTILE): passed to the stage; not rejected */
};

struct law {
    const char *name, *claim;
    /* Returns NULL if the law concerns the stage; otherwise the reason why not. */
    const char *(*applies)(const struct subject *s);
    void (*run)(const struct subject *s);
    unsigned watches; /* bits of enum breach that break this law; other breaches are ignored */
    bool is_static;   /* the law does not open the stage */
};

/* Names the current step, for messages. Called in the child. */
void trial_step(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Adds to the counts of ordinary records: `given`, and `taken` by the stage. Called in the child,
 * and in processes that the child kills. */
void trial_saw(uint64_t given, uint64_t taken);
/* End the child. trial_fails() reports that the law is broken, trial_skips() that it is skipped. */
void trial_fails(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));
void trial_skips(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));
/* Runs `live` in a separate process and kills the process afterwards. Called in the child. */
void trial_kills(void (*live)(const struct subject *s, void *of), const struct subject *s,
                 void *of);
/* Runs `live` in a separate process and kills the process after system call number `at`. Calls are
 * counted from 0, beginning at trial_within(). If `live` makes fewer calls, kills the process when
 * `live` returns. Returns the number of system calls. */
uint32_t trial_kills_within(void (*live)(const struct subject *s, void *of),
                            const struct subject *s, void *of, uint32_t at);
/* Starts to count system calls. Called in the process of trial_kills_within(). */
void trial_within(void);
/* Returns a number that is unique to this trial. Called in the child, and in processes that the
 * child kills. */
int trial_number(void);
/* Register and unregister a harness whose breaches count for the law. */
void trial_watches(struct harness *h);
void trial_forgets(struct harness *h);

/* Tries the law in a child process and writes the result to *page. `found` is then a whole
 * sentence, even if the child crashed. */
void trial_run(const struct law *law, const struct subject *s, struct trial_page *page);

/* Progress of a process when it was last seen to make some. */
struct sleeps {
    uint64_t steps, busy, since, looked;
};

/* Updates s at time `now` (ns). `steps` is the number of steps that the processes `first` and
 * `second` (which may be equal) have begun so far. Returns true if they hang: for a few seconds
 * they have begun no further step and hardly used a processor. */
bool sleeps(struct sleeps *s, pid_t first, pid_t second, uint64_t steps, uint64_t now);

#endif
