/* trial.c -- see trial.h. */
#include "trial.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

enum { MAX_HARNESSES = 64, CPU_SECONDS = 5, STACK_BYTES = 65536 };
/* Of a child that only waits. One that works waits for a processor, too, on a busy machine. */
static const uint64_t LIMIT_NS = UINT64_C(150000000000);

static struct trial_page *page; /* of the child */
static unsigned watches;
static pid_t number;
static struct harness *harnesses[MAX_HARNESSES];

void trial_step(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(page->step, sizeof page->step, format, args);
    va_end(args);
}

static void note_outcome(enum outcome outcome, const char *format, va_list args)
{
    vsnprintf(page->found, sizeof page->found, format, args);
    page->outcome = outcome;
}

void trial_fails(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    note_outcome(FAILED, format, args);
    va_end(args);
    _exit(0);
}

void trial_skips(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    note_outcome(SKIPPED, format, args);
    va_end(args);
    _exit(0);
}

static void on_breach(struct harness *h, enum breach what, const char *text)
{
    if (!(watches & 1u << what) && what != BREACH_MISUSE) return;
    trial_fails("%s%s%s", text, *page->step ? ", in " : "", page->step);
}

void trial_watches(struct harness *h)
{
    size_t i = 0;
    while (i < MAX_HARNESSES - 1 && harnesses[i])
        i++;
    harnesses[i] = h;
    h->impl->on_breach = on_breach;
}

void trial_forgets(struct harness *h)
{
    for (size_t i = 0; i < MAX_HARNESSES; i++)
        if (harnesses[i] == h) harnesses[i] = NULL;
}

int trial_number(void) { return number; }

/* As another process would have ended, so does this. */
static _Noreturn void end_as(int status)
{
    if (WIFSIGNALED(status)) raise(WTERMSIG(status));
    _exit(WIFSIGNALED(status) ? 1 : WEXITSTATUS(status));
}

void trial_kills(void (*live)(const struct subject *s, void *of), const struct subject *s, void *of)
{
    int status = 0;
    pid_t pid = fork();
    if (pid < 0) trial_skips("no process can be made");
    if (pid == 0) {
        live(s, of);
        raise(SIGKILL);
    }
    waitpid(pid, &status, 0);
    if (page->outcome != UNDER_WAY) _exit(0); /* it has told what was found */
    if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL) end_as(status);
}

/* ---- the child ---- */

static void on_fault(int signal, siginfo_t *info, void *context)
{
    const char *name = NULL;
    for (size_t i = 0; i < MAX_HARNESSES && !name; i++)
        if (harnesses[i]) name = harness_beyond(harnesses[i], info->si_addr);
    for (size_t i = 0; name && name[i] && i + 1 < sizeof page->beyond; i++)
        page->beyond[i] = name[i];
    raise(signal); /* with its default action, once this returns */
}

static void catch_faults(void)
{
    static char stack[STACK_BYTES];
    const stack_t own = {.ss_sp = stack, .ss_size = sizeof stack};
    const int defaults[] = {SIGABRT, SIGFPE, SIGILL, SIGXCPU};
    sigaltstack(&own, NULL);
    const struct sigaction fault = {.sa_sigaction = on_fault,
                                    .sa_flags = (int)(SA_SIGINFO | SA_ONSTACK | SA_RESETHAND)};
    sigaction(SIGSEGV, &fault, NULL);
    sigaction(SIGBUS, &fault, NULL);
    for (size_t i = 0; i < sizeof defaults / sizeof *defaults; i++)
        signal(defaults[i], SIG_DFL);
}

/* What the stage prints goes nowhere: results and messages are ours. */
static void hide_output(const struct subject *s)
{
    char path[4200];
    snprintf(path, sizeof path, "%s/output", s->dir);
    int out = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    int none = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (out < 0 || none < 0) _exit(1);
    dup2(none, STDIN_FILENO);
    dup2(out, STDOUT_FILENO);
    dup2(none, STDERR_FILENO);
}

static _Noreturn void child(const struct law *law, const struct subject *s)
{
    const struct rlimit cpu = {CPU_SECONDS, CPU_SECONDS + 1}, core = {0, 0};
    setpgid(0, 0);
    number = getpid();
    setrlimit(RLIMIT_CPU, &cpu);
    setrlimit(RLIMIT_CORE, &core);
    hide_output(s);
    catch_faults();
    watches = law->watches;
    law->run(s);
    page->outcome = PASSED;
    _exit(0);
}

/* ---- the parent ---- */

/* The child's status; 0: it has been ended at the limit. */
static bool wait_for(pid_t pid, int *status)
{
    uint64_t end = clock_ns() + LIMIT_NS;
    struct timespec pause = {0, 200000};
    while (waitpid(pid, status, WNOHANG) == 0) {
        if (clock_ns() > end) {
            kill(pid, SIGKILL);
            waitpid(pid, status, 0);
            return false;
        }
        nanosleep(&pause, NULL);
        if (pause.tv_nsec < 5000000) pause.tv_nsec *= 2;
    }
    return true;
}

/* What happened to a child that has not said it. */
static void tell_end(struct trial_page *p, bool in_time, int status)
{
    char what[128];
    if (!in_time || (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU))
        snprintf(what, sizeof what, "it did not return");
    else if (WIFSIGNALED(status))
        snprintf(what, sizeof what, "process crashed (SIG%s)", sigabbrev_np(WTERMSIG(status)));
    else
        snprintf(what, sizeof what, "it ended the process (exit status %d)", WEXITSTATUS(status));
    snprintf(p->found, sizeof p->found, "%s in %s%s%s", what, *p->step ? p->step : "the beginning",
             *p->beyond ? ": it went beyond the end of " : "", p->beyond);
    p->outcome = FAILED;
}

void trial_run(const struct law *law, const struct subject *s, struct trial_page *out)
{
    int status = 0;
    void *shared =
        mmap(NULL, sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    *out = (struct trial_page){.outcome = FAILED, .found = "no process can be made"};
    if (shared == MAP_FAILED) return;
    page = shared;
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) child(law, s);
    bool in_time = pid < 0 || wait_for(pid, &status);
    if (pid > 0) kill(-pid, SIGKILL); /* what it left behind */
    if (pid > 0) *out = *page;
    munmap(shared, sizeof *page);
    if (pid > 0 && out->outcome == UNDER_WAY) tell_end(out, in_time, status);
}
