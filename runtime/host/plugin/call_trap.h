/* call_trap.h -- names the stage and call in which a plugin ends the process.
 *
 * A plugin that calls exit() would end the run as if it were complete, and one that crashes would
 * not be named. Between call_trap_enter and call_trap_leave, exit() and _exit() are failures
 * ("STAGE ended the process in CALL"). So are fatal signals, which include uncaught exceptions: one
 * line names the stage and the call, another the data that they worked on. The exit code is 1.
 * Where core dumps are allowed (ulimit -c), or a sanitizer runs, the signal then acts as without
 * the trap.
 *
 * exit() and _exit() are failures outside of calls, too, for instance on a plugin's own thread.
 * leat itself ends by process_end.h, or by main after call_trap_done.
 */
#ifndef LEAT_HOST_PLUGIN_CALL_TRAP_H
#define LEAT_HOST_PLUGIN_CALL_TRAP_H

#include <stddef.h>

/* Installs the handlers. Called once, from main, before any other thread starts. */
void call_trap_install(void);

/* Called by main before it returns: from then on exit() is not a failure. */
void call_trap_done(void);

/* Mark a call; any thread. Calls nest: when a call of the host enters another stage (produce, when
 * it begins an input), the outer call counts again afterwards. Both texts are lent until
 * call_trap_leave. */
void call_trap_enter(const char *stage, const char *call);
void call_trap_leave(void);

/* Registers the data of the call: describe(of, …) describes it, in a process that may be damaged.
 * It is called at most once, and may fail. */
typedef void call_trap_describes(const void *of, char *out, size_t cap);
void call_trap_works_on(const void *of, call_trap_describes *describe);

/* Marks bytes that nobody may touch: a stage that touches them is told that they lie behind `name`.
 * Call it while no other thread is in a call. The caller keeps the name. */
void call_trap_guard(const void *bytes, size_t n, const char *name);
void call_trap_unguard(const void *bytes);

#endif
