/* call_trap.c -- implementation of call_trap.h: signal and exit handlers.
 *
 * The handlers write with write(2) only, because a signal may come while the thread holds any
 * lock. */
#include "call_trap.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "core/process_end.h"

enum { STACK_BYTES = 65536, MAX_GUARDS = 1 << 16, MAX_DEPTH = 8 };

static struct fault {
    int signal;
    const char *text;
    struct sigaction before;
} faults[] = {{.signal = SIGSEGV, .text = "crashed (SIGSEGV)"},
              {.signal = SIGABRT, .text = "aborted (SIGABRT)"},
              {.signal = SIGBUS, .text = "crashed (SIGBUS)"},
              {.signal = SIGFPE, .text = "crashed (SIGFPE)"},
              {.signal = SIGILL, .text = "crashed (SIGILL)"}};
enum { N_FAULTS = sizeof faults / sizeof *faults };

static atomic_bool is_done, is_ending;
static _Thread_local bool ends; /* this thread ends the process */
static call_trap_teller *teller;
static pid_t owner; /* process id of leat; a child that a plugin forks may call exit() */

/* Stack of the calls that this thread is in. All calls deeper than MAX_DEPTH share the last
 * frame. */
static _Thread_local struct frame {
    const char *stage, *call;
    const void *works_on;
    call_trap_describes *describe;
} frames[MAX_DEPTH];
static _Thread_local unsigned depth;
static _Thread_local bool has_stack;
/* Stack on which signal handlers run, because the thread's own stack may have overflowed. */
static _Thread_local char stack[STACK_BYTES];

/* Returns the frame of the innermost call; NULL if the thread is in no call. */
static struct frame *innermost(void)
{
    return depth ? &frames[depth < MAX_DEPTH ? depth - 1 : MAX_DEPTH - 1] : NULL;
}

static void call_trap_put(char *line, size_t cap, const char *text)
{
    size_t used = strlen(line), n = strlen(text);
    if (n > cap - 1 - used) n = cap - 1 - used;
    memcpy(line + used, text, n);
    line[used + n] = 0;
}

/* Writes the line that names stage and call. `behind`: name of the memory that the stage overran;
 * NULL if unknown. */
static void call_trap_put_line(const struct frame *in, const char *what, const char *behind)
{
    char line[1024] = "leat: error: ";
    const char *const words[] = {in->stage, " ", what, " in ", in->call};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        call_trap_put(line, sizeof line - 1, words[i]);
    if (behind) call_trap_put(line, sizeof line - 1, ": it wrote or read beyond the end of ");
    if (behind) call_trap_put(line, sizeof line - 1, behind);
    call_trap_put(line, sizeof line, "\n");
    if (write(STDERR_FILENO, line, strlen(line)) < 0) return; /* nowhere else to report to */
}

/* Writes the line that describes the data of the call. It comes after the line that names the
 * stage, so that this line is written even if `describe` crashes. */
static void put_works_on(const struct frame *in)
{
    char text[512] = "", line[640] = "leat: ";
    if (!in->describe) return;
    in->describe(in->works_on, text, sizeof text);
    call_trap_put(line, sizeof line - 1, text);
    call_trap_put(line, sizeof line, "\n");
    if (!*text || write(STDERR_FILENO, line, strlen(line)) < 0) return;
}

/* Lets one thread tell why it ends the process. Others that end it meanwhile wait for that, so that
 * neither the reason nor the exit code is lost. */
static void call_trap_turn(void)
{
    if (!ends && atomic_exchange(&is_ending, true))
        for (;;)
            pause();
    ends = true;
}

void call_trap_tells(call_trap_teller *tell) { teller = tell; }

static void tell_of(const struct frame *in, const char *fate)
{
    if (teller) teller(in->stage, in->call, fate, in->works_on);
}

/* ---- memory that nobody may touch (call_trap_guard) ---- */

static struct guard {
    uintptr_t from, n;
    const char *name;
} guards[MAX_GUARDS];
static size_t n_guards;

void call_trap_guard(const void *bytes, size_t n, const char *name)
{
    if (n_guards < MAX_GUARDS) guards[n_guards++] = (struct guard){(uintptr_t)bytes, n, name};
}

void call_trap_unguard(const void *bytes)
{
    for (size_t i = 0; i < n_guards; i++)
        if (guards[i].from == (uintptr_t)bytes) {
            guards[i] = guards[--n_guards];
            return;
        }
}

static const char *guarded(const void *at)
{
    for (size_t i = 0; i < n_guards; i++)
        if ((uintptr_t)at - guards[i].from < guards[i].n) return guards[i].name;
    return NULL;
}

/* ---- handlers of fatal signals ---- */

/* True if the signal must still act as usual: for a core dump or a sanitizer's report. */
static bool goes_on(const struct fault *f)
{
    struct rlimit core;
    bool other = f->before.sa_handler != SIG_DFL;
    return other || getrlimit(RLIMIT_CORE, &core) || core.rlim_cur;
}

/* Tells of a fault in a call of a stage. */
static void call_trap_tell_fault(const struct fault *f, const struct frame *in, const void *at)
{
    const char *behind = f->signal == SIGSEGV ? guarded(at) : NULL;
    call_trap_put_line(in, f->text, behind);
    put_works_on(in);
    tell_of(in, f->text);
    if (!goes_on(f)) process_end(EXIT_FAILURE);
}

/* Keeps itself as handler until all is told, because other threads may have the same fault. */
static void on_fault(int signal, siginfo_t *info, void *context)
{
    const struct frame *in = innermost();
    bool own = getpid() == owner;
    if (own) call_trap_turn();
    for (int i = 0; i < N_FAULTS; i++) {
        if (faults[i].signal != signal) continue;
        if (own && in) call_trap_tell_fault(&faults[i], in, info->si_addr);
        if (own && !in && teller) teller(NULL, NULL, faults[i].text, NULL);
        sigaction(signal, &faults[i].before, NULL);
    }
    raise(signal); /* the signal is blocked until this handler returns */
}

static _Noreturn void tell_end(void)
{
    static const struct frame nowhere = {.stage = "a plugin", .call = "no call of a stage"};
    const struct frame *in = innermost();
    call_trap_turn();
    call_trap_put_line(in ? in : &nowhere, "ended the process", NULL);
    if (in) tell_of(in, "ended the process");
    process_end(EXIT_FAILURE);
}

/* Runs on an exit() within the C library. leat ends only when all is done, so an earlier call comes
 * from a plugin. */
static void on_exit_called(void)
{
    if (getpid() == owner && !atomic_load(&is_done)) tell_end();
}

/* Replaces exit(), _exit() and _Exit() for plugins and their libraries. The functions below are
 * exported, so that the dynamic linker finds them before those of the C library. The C library and
 * leat itself (process_end.h) do not call the last two. If two threads called exit() of the C
 * library, the second one would end the process with its own status. */
static _Noreturn void on_end(int status)
{
    if (!owner || getpid() != owner) process_end(status);
    tell_end();
}

__attribute__((visibility("default"))) void exit(int status)
{
    void (*end)(int);
    on_exit_called();
    *(void **)&end = dlsym(RTLD_NEXT, "exit");
    end(status);
    process_end(status); /* end() does not return, but its type does not say so */
}
__attribute__((visibility("default"))) void _exit(int status) { on_end(status); }
__attribute__((visibility("default"))) void _Exit(int status) { on_end(status); }

void call_trap_install(void)
{
    struct sigaction trap = {.sa_sigaction = on_fault, .sa_flags = SA_ONSTACK | SA_SIGINFO};
    owner = getpid();
    atexit(on_exit_called);
    (void)at_quick_exit(on_exit_called);
    for (int i = 0; i < N_FAULTS; i++)
        sigaction(faults[i].signal, &trap, &faults[i].before);
}

void call_trap_done(void) { atomic_store(&is_done, true); }

/* Gives the thread a signal stack, unless it already has one, for instance from a sanitizer. */
static void take_stack(void)
{
    stack_t own = {.ss_sp = stack, .ss_size = sizeof stack}, old;
    if (!sigaltstack(NULL, &old) && old.ss_flags & SS_DISABLE) sigaltstack(&own, NULL);
    has_stack = true;
}

void call_trap_enter(const char *of, const char *name)
{
    if (owner && !has_stack) take_stack();
    if (depth < MAX_DEPTH) frames[depth] = (struct frame){.stage = of, .call = name};
    depth++;
}

void call_trap_works_on(const void *of, call_trap_describes *with)
{
    if (!depth || depth > MAX_DEPTH) return;
    innermost()->works_on = of;
    innermost()->describe = with;
}

void call_trap_leave(void) { depth--; }
