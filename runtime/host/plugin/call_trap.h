/* call_trap.h -- which call of which stage a thread is in, for when the process ends inside it.
 *
 * A plugin that calls exit() would end the run as if it were done, and one that crashes would not
 * be named. Between call_trap_enter and call_trap_leave exit() and _exit() are failures ("STAGE
 * ended the process in CALL"), and so is a fatal signal, which an uncaught exception ends in as
 * well: a line says the stage and the call, another what they worked on. The exit code is 1;
 * where core dumps are allowed (ulimit -c), or a sanitizer runs, the signal then does what it does
 * without the trap. exit() and _exit() are failures outside of calls, too, on a thread of a
 * plugin's own, say: leat ends by process_end.h, or by main, which says so before
 * (call_trap_done).
 */
#ifndef LEAT_HOST_PLUGIN_CALL_TRAP_H
#define LEAT_HOST_PLUGIN_CALL_TRAP_H

#include <stddef.h>

/* Once, from main, before any other thread. */
void call_trap_install(void);

/* From main, which is about to return: from now on exit() is no failure. */
void call_trap_done(void);

/* Any thread, around a call. A call in which the host calls another stage, as produce does that
 * begins an input, counts again once that has returned. Both texts are lent until
 * call_trap_leave. */
void call_trap_enter(const char *stage, const char *call);
void call_trap_leave(void);

/* What the call works on: describe(of, …) says it, in a process that may be damaged. It is called
 * at most once, and may fail. */
typedef void call_trap_describes(const void *of, char *out, size_t cap);
void call_trap_works_on(const void *of, call_trap_describes *describe);

/* Nobody may touch these bytes: who does is told that they lie behind `name`. While no other thread
 * is in a call. The name stays. */
void call_trap_guard(const void *bytes, size_t n, const char *name);
void call_trap_unguard(const void *bytes);

#endif
