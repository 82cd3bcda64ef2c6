/* control.c -- implementation of control.h. */
#include "control.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <leat/host.h>

#include "core/time/clock.h"
#include "core/time/steady_cond.h"
#include "host/log/log.h"

void control_init(struct control *c, void (*wake)(struct control *control))
{
    *c = (struct control){.wake = wake, .stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
    pthread_mutex_init(&c->mu, NULL);
    steady_cond_init(&c->finished);
}

void control_fini(struct control *c)
{
    if (c->stop_fd >= 0) close(c->stop_fd);
    pthread_cond_destroy(&c->finished);
    pthread_mutex_destroy(&c->mu);
}

void control_stop(struct control *c)
{
    uint64_t one = 1;
    if (atomic_exchange(&c->stopping, 1)) return;
    if (c->stop_fd >= 0 && write(c->stop_fd, &one, sizeof one) < 0)
        log_message(LEAT_DEBUG, "stop: %s", strerror(errno));
    if (c->wake) c->wake(c);
}

int control_fail(struct control *c, int status, const char *format, ...)
{
    pthread_mutex_lock(&c->mu);
    if (!atomic_load(&c->failed)) {
        va_list args;
        va_start(args, format);
        vsnprintf(c->reason, sizeof c->reason, format, args);
        va_end(args);
        atomic_store(&c->failed, status);
    }
    pthread_mutex_unlock(&c->mu);
    control_stop(c);
    return status;
}

void control_halt(struct control *c) { atomic_store(&c->halted, 1); }

void control_worker_ended(struct control *c)
{
    pthread_mutex_lock(&c->mu);
    if (atomic_fetch_sub(&c->at_work, 1) == 1) pthread_cond_broadcast(&c->finished);
    pthread_mutex_unlock(&c->mu);
}

bool control_await(struct control *c, uint64_t until)
{
    pthread_mutex_lock(&c->mu);
    while (atomic_load(&c->at_work) && !c->woken && clock_ns() < until)
        steady_cond_wait(&c->finished, &c->mu, until);
    c->woken = false;
    pthread_mutex_unlock(&c->mu);
    return !atomic_load(&c->at_work);
}

void control_wake(struct control *c)
{
    pthread_mutex_lock(&c->mu);
    c->woken = true;
    pthread_cond_broadcast(&c->finished);
    pthread_mutex_unlock(&c->mu);
}
