/* trial.c -- implementation of trial.h. */
#include "trial.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/time/clock.h"

/* ---- detection of a process that hangs ---- */

static const uint64_t LOOK_NS = 100000000, ASLEEP_NS = UINT64_C(5000000000);
/* A process sleeps if it runs for less than 1 / SHARE of the time. */
enum { SHARE = 20 };

static uint64_t time_of_task(pid_t pid, const char *task, bool *disk)
{
    unsigned long long worked = 0, queued = 0;
    char path[300], state = 0;
    snprintf(path, sizeof path, "/proc/%d/task/%s/schedstat", pid, task);
    FILE *in = fopen(path, "re");
    if (in && fscanf(in, "%llu %llu", &worked, &queued) != 2) worked = queued = 0;
    if (in) fclose(in);
    snprintf(path, sizeof path, "/proc/%d/task/%s/stat", pid, task);
    in = fopen(path, "re");
    if (in && fscanf(in, "%*d (%*[^)]) %c", &state) == 1 && state == 'D') *disk = true;
    if (in) fclose(in);
    return worked + queued;
}

/* Returns the time for which all threads of a process have run or waited for a processor. Sets
 * *disk if a thread waits for a disk. */
static uint64_t trial_time_of(pid_t pid, bool *disk)
{
    uint64_t sum = 0;
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task", pid);
    DIR *tasks = opendir(path);
    for (const struct dirent *t; tasks && (t = readdir(tasks));)
        if (t->d_name[0] != '.') sum += time_of_task(pid, t->d_name, disk);
    if (tasks) closedir(tasks);
    return sum;
}

bool sleeps(struct sleeps *s, pid_t first, pid_t second, uint64_t steps, uint64_t now)
{
    if (now - s->looked < LOOK_NS) return false;
    bool disk = false;
    uint64_t busy = trial_time_of(first, &disk);
    if (second && second != first) busy += trial_time_of(second, &disk);
    s->looked = now;
    bool moves = disk || steps != s->steps || busy < s->busy || busy - s->busy > ASLEEP_NS / SHARE;
    if (moves || !s->since) *s = (struct sleeps){steps, busy, now, now};
    return now - s->since > ASLEEP_NS;
}

/* ---- a trial ---- */

enum { MAX_HARNESSES = 64, CPU_SECONDS = 5, STACK_BYTES = 65536, LAST_LINES = 8 };
/* Time limit of a child that makes progress, or waits for a server. It is long because on a busy
 * machine a child also waits for a processor. */
static const uint64_t LIMIT_NS = UINT64_C(150000000000);

static struct trial_page *page; /* shared with the parent */
static unsigned watches;
static pid_t number;
static const char errors_file[] = "errors";
static struct harness *harnesses[MAX_HARNESSES];

void trial_step(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(page->step, sizeof page->step, format, args);
    va_end(args);
    page->at_work = getpid();
    page->steps++;
}

void trial_saw(uint64_t given, uint64_t taken)
{
    page->given += given;
    page->taken += taken;
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

/* Ends this process in the way in which a process with this wait status ended. */
static _Noreturn void end_as(int status)
{
    if (WIFSIGNALED(status)) raise(WTERMSIG(status));
    _exit(WIFSIGNALED(status) ? 1 : WEXITSTATUS(status));
}

/* Makes this process die when its parent, the process `maker`, dies. The parent may be killed. */
static void end_with(pid_t maker)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != maker) _exit(1);
}

static pid_t begin_life(void (*live)(const struct subject *s, void *of), const struct subject *s,
                        void *of)
{
    pid_t maker = getpid(), pid = fork();
    if (pid < 0) trial_skips("a process cannot be made");
    if (pid) return pid;
    end_with(maker);
    live(s, of);
    raise(SIGKILL);
    _exit(1);
}

static void must_be_killed(int status)
{
    if (page->outcome != UNDER_WAY) _exit(0); /* the process has reported its finding */
    if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL) end_as(status);
}

void trial_kills(void (*live)(const struct subject *s, void *of), const struct subject *s, void *of)
{
    int status = 0;
    waitpid(begin_life(live, s, of), &status, 0);
    must_be_killed(status);
}

void trial_within(void)
{
    if (ptrace(PTRACE_TRACEME, 0, NULL, NULL)) trial_skips("processes cannot be traced here");
    raise(SIGSTOP);
}

uint32_t trial_kills_within(void (*live)(const struct subject *s, void *of),
                            const struct subject *s, void *of, uint32_t at)
{
    pid_t pid = begin_life(live, s, of);
    int status = 0;
    uint32_t stops = 0; /* each system call stops the process twice: at its start and its end */
    while (waitpid(pid, &status, 0) == pid && WIFSTOPPED(status)) {
        int signal = WSTOPSIG(status);
        if (signal == SIGSTOP)
            ptrace(PTRACE_SETOPTIONS, pid, NULL, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL);
        bool is_call = signal == (SIGTRAP | 0x80);
        stops += is_call;
        if (stops == 2 * (at + 1)) break;
        ptrace(PTRACE_SYSCALL, pid, NULL, is_call || signal == SIGSTOP ? 0L : (long)signal);
    }
    if (WIFSTOPPED(status)) {
        kill(pid, SIGKILL);
        waitpid(pid, &status, 0);
    }
    must_be_killed(status);
    return stops / 2;
}

/* ---- the child ---- */

static void trial_on_fault(int signal, siginfo_t *info, void *context)
{
    const char *name = NULL;
    for (size_t i = 0; i < MAX_HARNESSES && !name; i++)
        if (harnesses[i]) name = harness_beyond(harnesses[i], info->si_addr);
    for (size_t i = 0; name && name[i] && i + 1 < sizeof page->beyond; i++)
        page->beyond[i] = name[i];
    raise(signal); /* the default action runs after this handler returns */
}

static void catch_faults(void)
{
    static char stack[STACK_BYTES];
    const stack_t own = {.ss_sp = stack, .ss_size = sizeof stack};
    const int defaults[] = {SIGABRT, SIGFPE, SIGILL, SIGXCPU};
    sigaltstack(&own, NULL);
    const struct sigaction fault = {.sa_sigaction = trial_on_fault,
                                    .sa_flags = (int)(SA_SIGINFO | SA_ONSTACK | SA_RESETHAND)};
    sigaction(SIGSEGV, &fault, NULL);
    sigaction(SIGBUS, &fault, NULL);
    for (size_t i = 0; i < sizeof defaults / sizeof *defaults; i++)
        signal(defaults[i], SIG_DFL);
}

static int open_output(const struct subject *s, const char *name)
{
    char path[4200];
    snprintf(path, sizeof path, "%s/%s", s->dir, name);
    return open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

/* Redirects the stage's output to files, so that it does not mix with results and messages. */
static void hide_output(const struct subject *s)
{
    int out = open_output(s, "output"), errors = open_output(s, errors_file);
    int none = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (out < 0 || errors < 0 || none < 0) _exit(1);
    dup2(none, STDIN_FILENO);
    dup2(out, STDOUT_FILENO);
    dup2(errors, STDERR_FILENO);
}

static _Noreturn void trial_child(pid_t maker, const struct law *law, const struct subject *s)
{
    const struct rlimit cpu = {CPU_SECONDS, CPU_SECONDS + 1}, core = {0, 0};
    setpgid(0, 0);
    end_with(maker);
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

/* True if the stage may wait for something outside of the process, such as a server or the lock of
 * a database. */
static bool may_sleep(const struct subject *s)
{
    return s->stage->online || s->stage->transaction->fence;
}

/* Waits for the child. Returns false if the child was killed because it hung or reached the time
 * limit. */
static bool trial_wait_for(pid_t pid, const struct subject *of, int *status)
{
    uint64_t end = clock_ns() + LIMIT_NS;
    struct timespec pause = {0, 200000};
    struct sleeps s = {0};
    while (waitpid(pid, status, WNOHANG) == 0) {
        uint64_t now = clock_ns();
        if (now > end || (!may_sleep(of) && sleeps(&s, pid, page->at_work, page->steps, now))) {
            kill(pid, SIGKILL);
            waitpid(pid, status, 0);
            return false;
        }
        nanosleep(&pause, NULL);
        if (pause.tv_nsec < 5000000) pause.tv_nsec *= 2;
    }
    return true;
}

/* Returns the start of the last LAST_LINES lines of a text. */
static const char *last_lines(const char *text, size_t n)
{
    size_t lines = 0;
    while (n && text[n - 1] == '\n')
        n--;
    while (n && (text[n - 1] != '\n' || ++lines < LAST_LINES))
        n--;
    return text + n;
}

/* Reads the last lines that the child wrote to standard error. Cuts only a line that is too
 * long. */
static void read_errors(struct trial_page *p, const struct subject *s)
{
    char text[sizeof p->wrote];
    int fd = open_output(s, errors_file);
    off_t all = fd < 0 ? 0 : lseek(fd, 0, SEEK_END), most = (off_t)sizeof text - 1;
    ssize_t n = all > 0 ? pread(fd, text, sizeof text - 1, all > most ? all - most : 0) : 0;
    if (fd >= 0) close(fd);
    text[n > 0 ? n : 0] = '\0';
    for (ssize_t i = 0; i < n; i++)
        if (!text[i]) text[i] = ' ';
    const char *from = all > most ? strchr(text, '\n') : NULL;
    from = from && from[1] ? from + 1 : text;
    snprintf(p->wrote, sizeof p->wrote, "%s", last_lines(from, strlen(from)));
}

/* Stores how the child ended, if it has not reported a result. */
static void trial_tell_end(struct trial_page *p, bool in_time, int status)
{
    char what[128];
    if (!in_time || (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU))
        snprintf(what, sizeof what, "it did not return");
    else if (WIFSIGNALED(status))
        snprintf(what, sizeof what, "process crashed (SIG%s)", sigabbrev_np(WTERMSIG(status)));
    else
        snprintf(what, sizeof what, "it ended the process (exit status %d)", WEXITSTATUS(status));
    snprintf(p->found, sizeof p->found, "%s in %s%s%s", what, *p->step ? p->step : "the beginning",
             *p->beyond ? ": it wrote or read beyond the end of " : "", p->beyond);
    p->outcome = FAILED;
}

void trial_run(const struct law *law, const struct subject *s, struct trial_page *out)
{
    int status = 0;
    void *shared =
        mmap(NULL, sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    *out = (struct trial_page){.outcome = FAILED, .found = "a process cannot be made"};
    if (shared == MAP_FAILED) return;
    page = shared;
    fflush(stdout);
    pid_t maker = getpid(), pid = fork();
    if (pid == 0) trial_child(maker, law, s);
    bool in_time = pid < 0 || trial_wait_for(pid, s, &status);
    if (pid > 0) kill(-pid, SIGKILL); /* ends processes that the child left behind */
    if (pid > 0) *out = *page;
    munmap(shared, sizeof *page);
    if (pid > 0 && out->outcome == UNDER_WAY) trial_tell_end(out, in_time, status);
    if (pid > 0 && out->outcome == FAILED) read_errors(out, s);
}
