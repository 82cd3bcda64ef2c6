/* progress.h -- what is told of a run at work: the bar, and what systemd hears. */
#ifndef LEAT_PROGRAM_CLI_RUN_PROGRESS_H
#define LEAT_PROGRAM_CLI_RUN_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "host/exec/run.h"
#include "program/cli/command_line/command_line.h"

/* The bar at the bottom of a terminal: progress, speed, remaining time, error
 * rates. */

struct progress {
    bool on;
    uint64_t last_ns, last_records;
    double rate;  /* records a second, smoothed                        */
    double begun; /* share that was done at the first look, by earlier runs, too */
};

void progress_init(struct progress *p, enum progress_mode mode, bool quiet);
/* Redraws the bar; call it a few times a second. */
void progress_update(struct progress *p, const struct run *r);
void progress_end(struct progress *p);

/* What a service manager is told: systemd's protocol, sd_notify(3).
 *
 * A datagram a message, to the socket that NOTIFY_SOCKET names; where it is not set nothing is
 * sent. Nothing here waits or fails: a manager that does not listen must not stop a run. */

struct run;

/* Sends "READY=1", "STOPPING=1" and the like. Any thread. */
void service_tell(const char *state);

/* "RELOADING=1", with the time that newer managers ask for. "READY=1" follows,
 * whatever came of it. */
void service_tell_reloading(void);

/* How often the manager wants to hear that the run is alive, in ns: half of the time after which it
 * would end the process (WATCHDOG_USEC); 0 if it does not ask. */
uint64_t service_watchdog_ns(void);

/* "WATCHDOG=1", unless a call of a stage has lasted longer than that time; and how far the run is.
 * Any thread, from the start of the run until its close. */
void service_alive(const struct run *r);

#endif
