/* signals.h -- the thread that receives signals and ends a run.
 *
 *   SIGINT, SIGTERM          sources end, records under way are finished; after WAITING_NS
 *                            a line gives the reason for waiting, and again when that changes;
 *                            after `timeout` the process ends without the rest:
 *                            EXIT_DEADLINE, as in a crash
 *   a second one             the process ends at once: EXIT_FORCED
 *   SIGHUP                   with --state the main thread reads the script again (reload.h),
 *                            unless the run already ends; without --state, or if the terminal
 *                            of the process is gone, ends the run like SIGTERM
 *   SIGUSR1                  prints a line for each stage: its records, the call that it is in
 *   SIGUSR2                  makes a checkpoint due now (with --state)
 *
 * Nothing that another thread holds can stop this one from ending the process. An alarm, set a
 * second after the deadline, ends it even if standard error blocks. */
#ifndef LEAT_PROGRAM_CLI_RUN_SIGNALS_H
#define LEAT_PROGRAM_CLI_RUN_SIGNALS_H

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct run;
struct checkpoints;

/* The caller sets the first six members. */
struct signals {
    struct run *run;
    struct checkpoints *checkpoints;
    const char *state_dir;  /* NULL: no snapshots                                              */
    int64_t timeout;        /* ns after the first signal, > 0                                  */
    bool had_terminal;      /* at the start of the process (signals_have_terminal)             */
    _Atomic bool continues; /* the run opens to continue an earlier one: a stop waits for that */
    pthread_t thread;
    sigset_t set;
    bool listening;
    pthread_mutex_t mu; /* guards `over`: the run cannot be stopped any more */
    bool over;
    _Atomic bool ended, stopped; /* stopped: after the first signal */
    _Atomic bool reload;         /* SIGHUP has come, but the main thread has not taken it */
};

/* True if the process has a controlling terminal that still exists. When a terminal hangs up, its
 * processes lose it before they get the signal. */
bool signals_have_terminal(void);
/* Holds back a SIGHUP until signals_listen. Call it before the script is read. */
void signals_hold_hang_up(void);

/* Blocks the signals, so that only this thread gets them. Call it before any other thread
 * starts. */
void signals_block(struct signals *s);
/* Starts the thread. Call it after run_init and checkpoint_init. */
void signals_listen(struct signals *s);
/* Notes that the workers have ended. Closing files and stages still keeps the deadline. */
void signals_run_over(struct signals *s);
/* Joins the thread. Call it before the run is freed. */
void signals_end(struct signals *s);

#endif
