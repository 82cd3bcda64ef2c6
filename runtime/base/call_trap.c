/* call_trap.c -- see call_trap.h. The handlers use write(2) alone: a signal may come while the
 * thread holds any lock. */
#include "call_trap.h"

#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STACK_BYTES = 32768 };

static struct fault {
    int signal;
    const char *text;
    struct sigaction before;
} faults[] = {{.signal = SIGSEGV, .text = " crashed (SIGSEGV) in "},
              {.signal = SIGABRT, .text = " aborted (SIGABRT) in "},
              {.signal = SIGBUS, .text = " crashed (SIGBUS) in "},
              {.signal = SIGFPE, .text = " crashed (SIGFPE) in "},
              {.signal = SIGILL, .text = " crashed (SIGILL) in "}};
enum { N_FAULTS = sizeof faults / sizeof *faults };

static pid_t owner;                            /* a child that a plugin forks may end as it likes */
static _Thread_local const char *stage, *call; /* NULL: the thread is in no stage                 */
static _Thread_local bool has_stack;
static _Thread_local char stack[STACK_BYTES]; /* the thread's own may have overflowed             */

static void put(char *line, size_t cap, const char *text)
{
    size_t used = strlen(line), n = strlen(text);
    if (n > cap - 1 - used) n = cap - 1 - used;
    memcpy(line + used, text, n);
    line[used + n] = 0;
}

static void put_line(const char *what)
{
    char line[512] = "leat: error: ";
    put(line, sizeof line - 1, stage);
    put(line, sizeof line - 1, what);
    put(line, sizeof line - 1, call);
    put(line, sizeof line, "\n");
    if (write(STDERR_FILENO, line, strlen(line)) < 0) return; /* there is nobody else to tell */
}

static void on_fault(int signal)
{
    for (int i = 0; i < N_FAULTS; i++) {
        if (faults[i].signal != signal) continue;
        if (stage && getpid() == owner) put_line(faults[i].text);
        sigaction(signal, &faults[i].before, NULL);
    }
    raise(signal); /* it is blocked until this handler returns */
}

static void on_exit_called(void)
{
    if (!stage || getpid() != owner) return;
    put_line(" ended the process in ");
    _exit(EXIT_FAILURE);
}

void call_trap_install(void)
{
    struct sigaction trap = {.sa_handler = on_fault, .sa_flags = SA_ONSTACK};
    owner = getpid();
    atexit(on_exit_called);
    (void)at_quick_exit(on_exit_called);
    for (int i = 0; i < N_FAULTS; i++)
        sigaction(faults[i].signal, &trap, &faults[i].before);
}

/* A sanitizer may have given the thread one already. */
static void take_stack(void)
{
    stack_t own = {.ss_sp = stack, .ss_size = sizeof stack}, old;
    if (!sigaltstack(NULL, &old) && old.ss_flags & SS_DISABLE) sigaltstack(&own, NULL);
    has_stack = true;
}

void call_trap_enter(const char *of, const char *name)
{
    if (owner && !has_stack) take_stack();
    call = name;
    stage = of;
}

void call_trap_leave(void) { stage = NULL; }
