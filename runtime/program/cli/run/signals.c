/* signals.c -- implementation of signals.h: the signals thread. */
#include "signals.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/time/clock.h"
#include "host/log/log.h"
#include "core/process_end.h"
#include "host/checkpoint/checkpoint.h"
#include "program/cli/command.h"
#include "host/exec/crash/crash_marks.h"
#include "host/exec/run.h"
#include "host/exec/calls.h"
#include "progress.h"
#include "program/cli/summary/summary.h"

/* timeout(1), some terminals and others send a signal to the process and then to its group. Two
 * signals within ECHO_NS count as one. */
static const uint64_t ECHO_NS = UINT64_C(100000000), WAITING_NS = UINT64_C(3000000000),
                      OPENING_NS = UINT64_C(10000000), SECOND_NS = UINT64_C(1000000000);
enum { CALL_BYTES = 256 };

static int waker(void) { return SIGRTMIN; } /* wakes the signals thread so that it ends */

bool signals_have_terminal(void)
{
    int fd = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (fd >= 0) close(fd);
    return fd >= 0;
}

/* True for a SIGHUP that requests a reload. False if it means that the terminal is gone. */
static bool is_reload(const struct signals *s, int got)
{
    return got == SIGHUP && s->state_dir && (!s->had_terminal || signals_have_terminal());
}

static bool is_stop(const struct signals *s, int got)
{
    return got == SIGINT || got == SIGTERM || (got == SIGHUP && !is_reload(s, got));
}

static bool is_ignored(int number)
{
    struct sigaction now;
    return sigaction(number, NULL, &now) == 0 && now.sa_handler == SIG_IGN;
}

void signals_hold_hang_up(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGHUP);
    if (!is_ignored(SIGHUP)) sigprocmask(SIG_BLOCK, &set, NULL);
}

static void end_now(int number) { process_end(EXIT_DEADLINE); }

void signals_block(struct signals *s)
{
    const int numbers[] = {SIGINT, SIGTERM, SIGUSR1, SIGUSR2, waker()};
    sigemptyset(&s->set);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        sigaddset(&s->set, numbers[i]);
    /* If SIGHUP is ignored at the start (nohup), it stays ignored. */
    if (!is_ignored(SIGHUP)) sigaddset(&s->set, SIGHUP);
    sigprocmask(SIG_BLOCK, &s->set, NULL);
    signal(SIGUSR1, SIG_DFL); /* main ignores it, and ignored signals may be dropped */
    signal(SIGUSR2, SIG_DFL);
    signal(SIGALRM, end_now);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); /* makes a write beyond the size limit fail, as on a full disk */
}

/* Returns the next signal; 0 if none arrives until `end` (ns). */
static int next_signal(const struct signals *s, uint64_t end)
{
    for (;;) {
        uint64_t now = clock_ns(), left = end > now ? end - now : 0;
        struct timespec t = {(time_t)(left / SECOND_NS), (long)(left % SECOND_NS)};
        int got = sigtimedwait(&s->set, NULL, &t);
        if (got > 0 || errno != EINTR) return got > 0 ? got : 0;
    }
}

static void force(void)
{
    alarm(1);
    log_bar(NULL);
    process_end(EXIT_FORCED);
}

/* Waits until the run has loaded the state of an earlier run. A run that is stopped before does not
 * know the number of earlier records. */
static void await_opening(struct signals *s)
{
    uint64_t from = clock_ns(), end = from + (uint64_t)s->timeout / 2;
    while (atomic_load(&s->continues) && clock_ns() < end) {
        int got = next_signal(s, clock_ns() + OPENING_NS);
        if (is_stop(s, got) && clock_ns() - from >= ECHO_NS) force();
    }
}

static void signals_stop(struct signals *s)
{
    pthread_mutex_lock(&s->mu);
    if (!s->over) crash_marks_over(); /* SIGKILL after a stop is no crash */
    pthread_mutex_unlock(&s->mu);
    atomic_store(&s->run->control.deadline, clock_ns() + (uint64_t)s->timeout);
    log_passing("stopping: the run finishes the records under way, for at most %.9g s "
                "(interrupt again to end at once)",
                (double)s->timeout / 1e9);
    atomic_store(&s->stopped, true);
    service_tell("STOPPING=1\n");
    await_opening(s);
    pthread_mutex_lock(&s->mu);
    if (!s->over) {
        atomic_store(&s->run->control.interrupted, true);
        checkpoint_stop(s->checkpoints);
    }
    pthread_mutex_unlock(&s->mu);
}

static void checkpoint_now(struct signals *s)
{
    pthread_mutex_lock(&s->mu);
    if (!s->over && s->state_dir) checkpoint_request(s->checkpoints);
    pthread_mutex_unlock(&s->mu);
}

/* Wakes the main thread, which owns the script's Lua state and the registry. */
static void ask_reload(struct signals *s)
{
    atomic_store(&s->reload, true);
    pthread_mutex_lock(&s->mu);
    if (!s->over) control_wake(&s->run->control);
    pthread_mutex_unlock(&s->mu);
}

static void other_signal(struct signals *s, int got)
{
    if (got == SIGHUP) ask_reload(s);
    if (got == SIGUSR1) calls_each(s->run, log_line);
    if (got == SIGUSR2) checkpoint_now(s);
}

/* Returns the next signal, like next_signal(). Sends watchdog messages while it waits. */
static int next_signal_alive(struct signals *s, uint64_t end)
{
    uint64_t every = service_watchdog_ns();
    for (;;) {
        uint64_t now = clock_ns(), due = every ? now + every : UINT64_MAX;
        int got = next_signal(s, due < end ? due : end);
        if (got || due >= end || atomic_load(&s->ended)) return got;
        pthread_mutex_lock(&s->mu);
        if (!s->over) service_alive(s->run);
        pthread_mutex_unlock(&s->mu);
    }
}

static void say_hang_up(const struct signals *s, int got)
{
    if (got == SIGHUP)
        log_message(LEAT_INFO, "SIGHUP ends the run: %s",
                    s->state_dir ? "its terminal was closed"
                                 : "it cannot reload its script without --state DIR");
}

/* Waits for the first signal that stops the run. Returns false if the run has ended by itself. */
static bool await_stop(struct signals *s)
{
    while (!atomic_load(&s->ended)) {
        int got = next_signal_alive(s, UINT64_MAX);
        if (is_stop(s, got)) {
            say_hang_up(s, got);
            return true;
        }
        other_signal(s, got);
    }
    return false;
}

static void say_waiting(const struct signals *s, uint64_t deadline)
{
    char call[CALL_BYTES], slow[CALLS_TEXT];
    uint64_t now = clock_ns();
    calls_longest(s->run, call, sizeof call);
    calls_slow(s->run, slow, sizeof slow);
    log_message(LEAT_WARN, "stopping: %s; the run ends in %.0f s at the latest%s", call,
                deadline > now ? (double)(deadline - now) / 1e9 : 0.0, slow);
}

static void end_at_deadline(const struct signals *s)
{
    char call[CALL_BYTES], slow[CALLS_TEXT];
    calls_longest(s->run, call, sizeof call);
    calls_slow(s->run, slow, sizeof slow);
    const struct instance *in = calls_longest_in(s->run);
    if (in) crash_notes_hung(in);
    log_bar(NULL);
    log_message(LEAT_ERROR,
                "the run did not end within %.9g s of the signal: %s. The records under way were "
                "not finished, and no summary is written%s%s%s",
                (double)s->timeout / 1e9, call,
                s->state_dir ? "; the last snapshot stays valid: " : "",
                s->state_dir ? s->state_dir : "", slow);
    calls_each(s->run, log_line);
    summary_line(s->run);
    process_end(EXIT_DEADLINE);
}

/* Waits for the end of a stopped run, and enforces the deadline. */
static void await_end(struct signals *s)
{
    uint64_t from = clock_ns(), deadline = from + (uint64_t)s->timeout;
    uint64_t wait = from + WAITING_NS < deadline ? from + WAITING_NS : deadline;
    while (!atomic_load(&s->ended)) {
        int got = next_signal_alive(s, wait);
        if (atomic_load(&s->ended)) return;
        if (is_stop(s, got) && clock_ns() - from >= ECHO_NS) force();
        other_signal(s, got);
        if (clock_ns() >= deadline) end_at_deadline(s);
        if (clock_ns() < wait) continue;
        say_waiting(s, deadline);
        wait = deadline;
    }
}

static void *listen(void *arg)
{
    struct signals *s = arg;
    sigset_t alarm_only;
    sigemptyset(&alarm_only);
    sigaddset(&alarm_only, SIGALRM);
    pthread_sigmask(SIG_UNBLOCK, &alarm_only, NULL);
    if (!await_stop(s)) return NULL;
    alarm((unsigned)((uint64_t)s->timeout / SECOND_NS) + 2);
    signals_stop(s);
    await_end(s);
    alarm(0);
    return NULL;
}

void signals_listen(struct signals *s)
{
    pthread_mutex_init(&s->mu, NULL);
    int failed = pthread_create(&s->thread, NULL, listen, s);
    s->listening = !failed;
    if (!failed) return;
    log_message(LEAT_WARN,
                "the system gives no thread for signals: %s. The first signal ends the process "
                "at once",
                strerror(failed));
    sigprocmask(SIG_UNBLOCK, &s->set, NULL);
}

void signals_run_over(struct signals *s)
{
    pthread_mutex_lock(&s->mu);
    s->over = true;
    pthread_mutex_unlock(&s->mu);
}

void signals_end(struct signals *s)
{
    atomic_store(&s->ended, true);
    if (s->listening) {
        pthread_kill(s->thread, waker());
        pthread_join(s->thread, NULL);
    }
    pthread_mutex_destroy(&s->mu);
}
