/* crash_probe.c -- implementation of crash_probe.h.
 *
 * The child sends one byte through a pipe when the trial has returned. If the pipe closes without
 * the byte, the child's exit status shows what happened. The parent kills a child that neither
 * sends the byte nor ends in time. Waiting for the pipe instead of the child needs no signal
 * handler and no sleep.
 *
 * The first limit is processor time, because on a busy machine a good plugin may wait for seconds
 * for a processor. A child that waits, for instance for a lock that nobody releases, uses none; it
 * has a limit of real time. */
#include "crash_probe.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <leat/plugin.h>

#include "core/process_end.h"
#include "core/time/clock.h"
#include "host/log/log.h"

enum {
    LOOK_MS = 50,   /* milliseconds between two checks of the child's processor time */
    TELL_MS = 3000, /* milliseconds after which a message says what is waited for    */
    LEAVE_MS = 300  /* milliseconds before the deadline when a trial is given up     */
};

static int64_t read_ms(clockid_t clock)
{
    struct timespec t;
    if (clock_gettime(clock, &t)) return 0;
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static int64_t now_ms(void) { return read_ms(CLOCK_MONOTONIC); }

/* Processor time of the child in milliseconds; 0 if it has ended. */
static int64_t worked_ms(pid_t pid)
{
    clockid_t clock;
    return clock_getcpuclockid(pid, &clock) ? 0 : read_ms(clock);
}

/* Redirects stderr to the pipe `said`, and stdin and stdout to /dev/null. */
static void silence(int said)
{
    int null = open("/dev/null", O_RDWR);
    for (int fd = 0; null >= 0 && fd <= 1; fd++)
        dup2(null, fd);
    dup2(said, 2);
}

/* Makes a fault end the child by its signal, even if the parent has a handler. Prevents a core
 * dump. */
static void child_signals(void)
{
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTERM, SIGINT};
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        signal(faults[i], SIG_DFL);
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    prctl(PR_SET_PDEATHSIG, SIGKILL);
}

/* Replaces the open files from number 3 on, except `kept`, by /dev/null. */
static void close_others(int kept)
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    DIR *all = opendir("/proc/self/fd");
    for (const struct dirent *e; null >= 0 && all && (e = readdir(all));) {
        int fd = atoi(e->d_name);
        if (fd > 2 && fd != null && fd != kept && fd != dirfd(all)) dup2(null, fd);
    }
    if (all) closedir(all);
}

/* Handlers of exit() may wait for threads that the child does not have. */
static void end_at_once(void) { process_end(EXIT_FAILURE); }

/* Makes the kernel take the child first when memory is short. */
static void offer_memory(void)
{
    int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (fd < 0) return;
    (void)!write(fd, "1000", 4);
    close(fd);
}

static _Noreturn void child(const struct probe *p, void (*trial)(void *), void *arg, int answer,
                            int said)
{
    child_signals();
    silence(said);
    if (p->alone) offer_memory();
    if (p->alone) close_others(answer);
    if (p->alone) atexit(end_at_once);
    trial(arg);
    _exit(write(answer, "k", 1) == 1 ? 0 : 1);
}

enum answer { ANSWERED, CLOSED, BUSY, IDLE, GIVEN_UP };

static bool must_leave(const struct probe *p)
{
    uint64_t deadline = p->deadline ? atomic_load(p->deadline) : 0;
    return deadline && clock_ns() + LEAVE_MS * UINT64_C(1000000) >= deadline;
}

static enum answer await(int fd, pid_t pid, const struct probe *limits)
{
    int64_t end = now_ms() + limits->wait_ms, tell = end - limits->wait_ms + TELL_MS;
    for (;;) {
        struct pollfd p = {.fd = fd, .events = POLLIN};
        int n = poll(&p, 1, LOOK_MS);
        if (n > 0) {
            char byte;
            return read(fd, &byte, 1) == 1 ? ANSWERED : CLOSED;
        }
        if (limits->waits_for && now_ms() >= tell) {
            log_message(LEAT_WARN, "%s has not loaded for 3 s: waiting for at most %g s",
                        limits->waits_for, limits->wait_ms / 1e3);
            tell = INT64_MAX;
        }
        if (must_leave(limits)) return GIVEN_UP;
        if (worked_ms(pid) >= limits->work_ms) return BUSY;
        if (now_ms() >= end) return IDLE;
    }
}

static const char *signal_name(int number, struct arena *a)
{
    static const struct {
        int number;
        const char *name;
    } names[] = {{SIGSEGV, "SIGSEGV"}, {SIGBUS, "SIGBUS"},   {SIGFPE, "SIGFPE"},
                 {SIGILL, "SIGILL"},   {SIGABRT, "SIGABRT"}, {SIGTRAP, "SIGTRAP"},
                 {SIGKILL, "SIGKILL"}, {SIGSYS, "SIGSYS"},   {SIGTERM, "SIGTERM"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].number == number) return names[i].name;
    return arena_printf(a, "signal %d", number);
}

/* Waits for the child and describes how it ended. If SIGCHLD is ignored, there is no status to
 * describe. */
static const char *how_it_ended(pid_t pid, const struct probe *p, struct arena *a)
{
    int status = 0;
    pid_t waited;
    do
        waited = waitpid(pid, &status, 0);
    while (waited < 0 && errno == EINTR);
    if (waited == pid && WIFSIGNALED(status))
        return arena_printf(a, "crashed %s (%s)", p->doing, signal_name(WTERMSIG(status), a));
    if (waited == pid && WIFEXITED(status) && !p->alone)
        return arena_printf(a, "ended the process %s (exit status %d)", p->doing,
                            WEXITSTATUS(status));
    return arena_printf(a, "ended the process %s", p->doing);
}

static const char *verdict(pid_t pid, enum answer answer, struct probe *p, struct arena *a)
{
    p->timed_out = answer == BUSY || answer == IDLE;
    p->stopped = answer == GIVEN_UP;
    if (p->timed_out || p->stopped) kill(pid, SIGKILL);
    const char *end = how_it_ended(pid, p, a);
    switch (answer) {
    case ANSWERED:
        return NULL;
    case CLOSED:
    case GIVEN_UP:
        return end;
    case BUSY:
        return arena_printf(a, "did not answer within %g s of work", p->work_ms / 1e3);
    case IDLE:
        return arena_printf(a, "did not answer within %g s", p->wait_ms / 1e3);
    }
    return end;
}

/* Appends the first line of the child's stderr, if there is one: "why: line". */
static const char *with_first_line(const char *why, int said, struct arena *a)
{
    char text[201];
    ssize_t n = read(said, text, sizeof text - 1);
    text[n > 0 ? n : 0] = 0;
    text[strcspn(text, "\n")] = 0;
    return *text ? arena_printf(a, "%s: %s", why, text) : why;
}

const char *probe(struct probe *p, void (*trial)(void *arg), void *arg, struct arena *a)
{
    assert(trial && p->work_ms && p->wait_ms);
    p->timed_out = p->stopped = false;
    int ends[2], said[2]; /* output beyond the capacity of `said` is lost */
    if (pipe2(said, O_CLOEXEC | O_NONBLOCK) < 0)
        return arena_printf(a, "leat could not try to load it: %s", strerror(errno));
    if (pipe2(ends, O_CLOEXEC) < 0) {
        int why = errno;
        close(said[0]);
        close(said[1]);
        return arena_printf(a, "leat could not try to load it: %s", strerror(why));
    }
    fflush(NULL); /* otherwise a child that calls exit() would write buffered output again */
    pid_t pid = fork();
    if (pid == 0) {
        close(ends[0]);
        child(p, trial, arg, ends[1], said[1]);
    }
    const char *wrong =
        pid < 0 ? arena_printf(a, "leat could not try to load it: %s", strerror(errno)) : NULL;
    close(ends[1]);
    close(said[1]);
    if (pid > 0) wrong = verdict(pid, await(ends[0], pid, p), p, a);
    if (pid > 0 && wrong && !p->alone) wrong = with_first_line(wrong, said[0], a);
    close(ends[0]);
    close(said[0]);
    return wrong;
}
