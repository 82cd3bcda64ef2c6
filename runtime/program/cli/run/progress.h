/* progress.h -- progress of a run: the bar on the terminal, and messages to systemd. */
#ifndef LEAT_PROGRAM_CLI_RUN_PROGRESS_H
#define LEAT_PROGRAM_CLI_RUN_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "host/exec/run.h"
#include "program/cli/command_line/command_line.h"

/* ---- the bar at the bottom of a terminal: progress, speed, remaining time, error rates ---- */

struct progress {
    bool on;
    uint64_t last_ns, last_records;
    double rate;  /* records a second, smoothed                         */
    double begun; /* share done at the first look, also by earlier runs */
};

void progress_init(struct progress *p, enum progress_mode mode, bool quiet);
/* Redraws the bar; call it a few times a second. */
void progress_update(struct progress *p, const struct run *r);
void progress_end(struct progress *p);

/* ---- messages to a service manager: systemd's protocol, sd_notify(3) ----
 *
 * Each message is a datagram to the socket in NOTIFY_SOCKET; if that is not set, nothing is sent.
 * Nothing here waits or fails, because a manager that does not listen must not stop a run. */

struct run;

/* Sends "READY=1", "STOPPING=1" and the like. Any thread. */
void service_tell(const char *state);

/* Sends "RELOADING=1", with the time that newer managers require. "READY=1" must follow in any
 * case. */
void service_tell_reloading(void);

/* Returns the interval of signs of life that the manager wants, in ns: half of the time after which
 * it would end the process (WATCHDOG_USEC); 0 if it wants none. */
uint64_t service_watchdog_ns(void);

/* Sends "WATCHDOG=1", unless a call of a stage has lasted longer than that interval; and the
 * progress of the run. Any thread, from the start of the run until its close. */
void service_alive(const struct run *r);

#endif
