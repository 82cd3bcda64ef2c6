/* progress.h -- progress of a run: a bar, or lines without a terminal; messages to systemd. */
#ifndef LEAT_PROGRAM_CLI_RUN_PROGRESS_H
#define LEAT_PROGRAM_CLI_RUN_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "host/exec/run.h"
#include "program/cli/command_line/command_line.h"

/* ---- the bar at the bottom of a terminal: progress, speed, remaining time, error rates ----
 *
 * A long run whose messages go to a file prints a line instead: after 10 s, 20 s, 40 s and so on,
 * and later every 10 min. */

struct progress {
    bool on, has_begun;
    uint64_t next_ns; /* time of the run at which the next line is due; 0: no lines */
    uint64_t last_ns, last_records;
    double rate;  /* records a second, smoothed */
    double begun; /* fraction of the input that earlier runs had read */
};

void progress_init(struct progress *p, const struct command_line *c);
/* True if a line is due after `ns` of the run. Sets when the next one is. */
bool progress_line_is_due(struct progress *p, uint64_t ns);
/* Redraws the bar, or prints a line that is due. Call it a few times a second. */
void progress_update(struct progress *p, const struct run *r);
void progress_end(struct progress *p);

/* ---- messages to a service manager: systemd's protocol, sd_notify(3) ----
 *
 * Each message is a datagram to the socket in NOTIFY_SOCKET. If that is not set, nothing is sent.
 * These functions never wait or fail, because a manager that does not listen must not stop a
 * run. */

struct run;

/* Sends a state such as "READY=1" or "STOPPING=1". May be called on any thread. */
void service_tell(const char *state);

/* Sends "RELOADING=1" with the timestamp that newer managers require. The caller must send
 * "READY=1" when the reload has ended, even if it failed. */
void service_tell_reloading(void);

/* Returns the interval of watchdog messages in ns. It is half of WATCHDOG_USEC, after which the
 * manager would kill the process. Returns 0 if the manager wants none. */
uint64_t service_watchdog_ns(void);

/* Sends "WATCHDOG=1" and the progress of the run. Omits "WATCHDOG=1" if a call of a stage has
 * lasted longer than the watchdog's time. May be called on any thread, between the start and the
 * close of the run. */
void service_alive(const struct run *r);

#endif
