/* signals.h -- the thread that receives signals and ends a run.
 *
 *   SIGINT, SIGTERM          sources end, and batches under way are finished. If that takes longer
 *                            than WAITING_NS, prints the reason, and each new reason. After
 *                            `timeout` the process ends with EXIT_DEADLINE, without finishing,
 *                            as in a crash
 *   a second SIGINT/SIGTERM  the process ends at once: EXIT_FORCED
 *   SIGHUP                   with --state, the main thread reads the script again (reload.h),
 *                            unless the run is ending. Without --state, or if the terminal
 *                            of the process is gone, SIGHUP ends the run like SIGTERM
 *   SIGUSR1                  prints a line for each stage: its records and its current call
 *   SIGUSR2                  makes a checkpoint now (with --state)
 *
 * This thread takes no lock that could stop it from ending the process. An alarm, one second after
 * the deadline, ends the process even if standard error blocks. */
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
    const char *state_dir; /* directory of the snapshots; NULL: none */
    int64_t timeout;       /* ns from the first signal to EXIT_DEADLINE, > 0 */
    bool had_terminal; /* true if the process had a terminal at its start (signals_have_terminal) */
    _Atomic bool continues; /* true while an earlier run's state is being loaded; a stop waits until
                             * it is loaded */
    pthread_t thread;
    sigset_t set;
    bool listening;
    pthread_mutex_t mu; /* guards `over`, which is true when the run can no longer be stopped */
    bool over;
    _Atomic bool ended, stopped; /* stopped: a signal has stopped the run */
    _Atomic bool reload; /* true if SIGHUP has come and the main thread has not yet handled it */
};

/* True if the process has a controlling terminal that still exists. A process loses its terminal
 * before it receives the SIGHUP of a hang-up. */
bool signals_have_terminal(void);
/* Blocks SIGHUP until signals_listen(). Call it before the script is read. */
void signals_hold_hang_up(void);

/* Blocks the signals in the calling thread and in threads that it starts later. So only the signals
 * thread receives them. Call it before any other thread starts. */
void signals_block(struct signals *s);
/* Starts the signals thread. Call it after run_init() and checkpoint_init(). */
void signals_listen(struct signals *s);
/* Notes that the workers have ended. The deadline still applies to closing files and stages. */
void signals_run_over(struct signals *s);
/* Joins the signals thread. Call it before the run is freed. */
void signals_end(struct signals *s);

#endif
