/* call_trap.h -- names the stage and call in which a plugin ends the process.
 *
 * A plugin that calls exit() would end the run as if it were complete, and a crash would not show
 * which plugin caused it. So between call_trap_enter() and call_trap_leave(), exit() and _exit()
 * are failures. So are fatal signals, including uncaught exceptions. One line then names the stage
 * and the call, another line the data of the call. The exit code is 1. Where core dumps are allowed
 * (ulimit -c), or under a sanitizer, the signal then acts as usual.
 *
 * exit() and _exit() are failures outside of calls, too, for instance on a plugin's own thread.
 * leat itself ends by process_end.h, or by returning from main after call_trap_done(). */
#ifndef LEAT_HOST_PLUGIN_CALL_TRAP_H
#define LEAT_HOST_PLUGIN_CALL_TRAP_H

#include <stddef.h>

/* Installs the handlers. main calls it once, before any other thread starts. */
void call_trap_install(void);

/* Permits exit() from now on. main calls it just before it returns. */
void call_trap_done(void);

/* Mark the start and the end of a stage's call on any thread. Calls nest: produce may call back
 * into the host, which may enter another stage. After the inner call_trap_leave() the outer call is
 * the current one again. Both texts must stay valid until call_trap_leave(). */
void call_trap_enter(const char *stage, const char *call);
void call_trap_leave(void);

/* Registers the data of the current call. If the call crashes, describe(of, …) writes a description
 * of the data. It runs at most once, in a process that may be damaged, and may fail. */
typedef void call_trap_describes(const void *of, char *out, size_t cap);
void call_trap_works_on(const void *of, call_trap_describes *describe);

/* Registers a function that learns of a crash, after the messages. `fate` is what the stage did,
 * such as "aborted (SIGABRT)". `works_on` is the registered data, or NULL. `stage` and `call` are
 * NULL if the thread is in no call, as when a watchdog sends the signal. The function runs like
 * `describe`. */
typedef void call_trap_teller(const char *stage, const char *call, const char *fate,
                              const void *works_on);
void call_trap_tells(call_trap_teller *tell);

/* Marks n bytes that nobody may touch. If a stage touches them, the message says that it went
 * beyond the end of `name`. Call it while no other thread is in a call. `name` must stay valid. */
void call_trap_guard(const void *bytes, size_t n, const char *name);
void call_trap_unguard(const void *bytes);

#endif
