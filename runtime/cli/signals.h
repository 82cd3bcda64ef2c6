/* signals.h -- the thread that ends a run from outside.
 *
 *   SIGINT, SIGTERM, SIGHUP  the sources end, what is under way is finished; after WAITING_NS
 *                            a line says what is waited for, and again when that changes;
 *                            after `timeout` the process ends without the rest:
 *                            EXIT_DEADLINE, as in a crash
 *   a second one             the process ends at once: EXIT_FORCED
 *   SIGUSR1                  prints a line for each stage: its records, the call that it is in
 *   SIGUSR2                  a checkpoint is due now (with --state)
 *
 * Nothing that another thread holds can keep this one from ending the process: not even standard
 * error that nobody reads, for an alarm is set a second after the deadline. */
#ifndef LEAT_CLI_SIGNALS_H
#define LEAT_CLI_SIGNALS_H

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct run;
struct checkpoints;

/* The first four are the caller's. */
struct signals {
    struct run *run;
    struct checkpoints *checkpoints;
    const char *state_dir; /* NULL: no snapshots             */
    int64_t timeout;       /* ns from the first signal on, > 0 */
    pthread_t thread;
    sigset_t set;
    bool listening;
    pthread_mutex_t mu; /* over_: the run is over: it cannot be stopped any more */
    bool over;
    _Atomic bool ended, stopped; /* stopped: the first signal came */
};

/* Before any other thread starts, so that only this one gets the signals. */
void signals_block(struct signals *s);
/* After run_init and checkpoint_init. */
void signals_listen(struct signals *s);
/* The workers have ended. What is left, closing files and stages, keeps the deadline. */
void signals_run_over(struct signals *s);
/* Joins the thread; before what it looks at is freed. */
void signals_end(struct signals *s);

#endif
