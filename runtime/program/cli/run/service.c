/* service.c -- see service.h. */
#include "service.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "core/time/clock.h"
#include "host/exec/run.h"
#include "host/exec/calls.h"
#include "program/cli/summary/summary.h"

void service_tell(const char *state)
{
    const char *path = getenv("NOTIFY_SOCKET");
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    size_t n = path ? strlen(path) : 0;
    if ((n < 2) || n >= sizeof to.sun_path || (*path != '/' && *path != '@')) return;
    memcpy(to.sun_path, path, n);
    if (*path == '@') to.sun_path[0] = '\0'; /* an abstract socket */
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return;
    sendto(fd, state, strlen(state), MSG_DONTWAIT | MSG_NOSIGNAL, (struct sockaddr *)&to,
           (socklen_t)(offsetof(struct sockaddr_un, sun_path) + n));
    close(fd);
}

void service_tell_reloading(void)
{
    char state[64];
    snprintf(state, sizeof state, "RELOADING=1\nMONOTONIC_USEC=%" PRIu64 "\n", clock_ns() / 1000);
    service_tell(state);
}

/* WATCHDOG_USEC is meant for one process, which WATCHDOG_PID names. */
static uint64_t asked_ns(void)
{
    const char *usec = getenv("WATCHDOG_USEC"), *pid = getenv("WATCHDOG_PID");
    if (!usec || (pid && strtoll(pid, NULL, 10) != (long long)getpid())) return 0;
    uint64_t us = strtoull(usec, NULL, 10);
    return us > UINT64_MAX / 1000 ? 0 : us * 1000;
}

uint64_t service_watchdog_ns(void) { return asked_ns() / 2; }

void service_alive(const struct run *r)
{
    char state[128];
    uint64_t asked = asked_ns();
    snprintf(state, sizeof state, "%sSTATUS=%" PRIu64 " records\n",
             calls_ns(r) < asked ? "WATCHDOG=1\n" : "", run_records(r));
    service_tell(state);
}
