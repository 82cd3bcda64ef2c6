/* signals.h -- the thread that ends a run from outside.
 *
 *   SIGINT, SIGTERM          the sources end, what is under way is finished; after WAITING_NS
 *                            a line says what is waited for, and again when that changes;
 *                            after `timeout` the process ends without the rest:
 *                            EXIT_DEADLINE, as in a crash
 *   a second one             the process ends at once: EXIT_FORCED
 *   SIGHUP                   with --state the main thread reads the script again (reload.h),
 *                            unless the run already ends; without, or when the terminal is gone
 *                            that the process was started from, it ends the run as SIGTERM does
 *   SIGUSR1                  prints a line for each stage: its records, the call that it is in
 *   SIGUSR2                  a checkpoint is due now (with --state)
 *
 * Nothing that another thread holds can keep this one from ending the process: not even standard
 * error that nobody reads, for an alarm is set a second after the deadline. */
#ifndef LEAT_PROGRAM_CLI_RUN_SIGNALS_H
#define LEAT_PROGRAM_CLI_RUN_SIGNALS_H

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct run;
struct checkpoints;

/* The first six are the caller's. */
struct signals {
    struct run *run;
    struct checkpoints *checkpoints;
    const char *state_dir;  /* NULL: no snapshots             */
    int64_t timeout;        /* ns from the first signal on, > 0 */
    bool had_terminal;      /* when the process started: signals_have_terminal */
    _Atomic bool continues; /* it opens to continue a run of this process: a stop waits for that */
    pthread_t thread;
    sigset_t set;
    bool listening;
    pthread_mutex_t mu; /* over_: the run is over: it cannot be stopped any more */
    bool over;
    _Atomic bool ended, stopped; /* stopped: the first signal came */
    _Atomic bool reload;         /* SIGHUP came, and the main thread has not taken it yet */
};

/* Has the process a controlling terminal that is still there? When one hangs up, its processes lose
 * it before they hear of it. */
bool signals_have_terminal(void);
/* Before the script is read: a SIGHUP that comes meanwhile waits for signals_listen. */
void signals_hold_hang_up(void);

/* Before any other thread starts, so that only this one gets the signals. */
void signals_block(struct signals *s);
/* After run_init and checkpoint_init. */
void signals_listen(struct signals *s);
/* The workers have ended. What is left, closing files and stages, keeps the deadline. */
void signals_run_over(struct signals *s);
/* Joins the thread; before what it looks at is freed. */
void signals_end(struct signals *s);

#endif
