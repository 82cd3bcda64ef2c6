/* service.h -- what a service manager is told: systemd's protocol, sd_notify(3).
 *
 * A datagram a message, to the socket that NOTIFY_SOCKET names; where it is not set nothing is
 * sent. Nothing here waits or fails: a manager that does not listen must not stop a run. */
#ifndef LEAT_PROGRAM_CLI_RUN_SERVICE_H
#define LEAT_PROGRAM_CLI_RUN_SERVICE_H

#include <stdint.h>

struct run;

/* Sends "READY=1", "STOPPING=1" and the like. Any thread. */
void service_tell(const char *state);

/* "RELOADING=1", with the time that newer managers ask for. "READY=1" follows,
 * whatever came of it. */
void service_tell_reloading(void);

/* How often the manager wants to hear that the run is alive, in ns: half of the time after which it
 * would end the process (WATCHDOG_USEC); 0: it does not ask. */
uint64_t service_watchdog_ns(void);

/* "WATCHDOG=1", unless a call of a stage has lasted longer than that time; and how far the run is.
 * Any thread, from the start of the run until its close. */
void service_alive(const struct run *r);

#endif
