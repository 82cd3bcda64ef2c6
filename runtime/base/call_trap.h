/* call_trap.h -- which call of which stage a thread is in, for when the process ends inside it.
 *
 * A plugin that calls exit() would end the run as if it were done, and one that crashes would not
 * be named. Between call_trap_enter and call_trap_leave exit() is a failure ("STAGE ended the
 * process in CALL", exit code 1), and a fatal signal writes one line before it does what it did
 * without the trap: a core dump, or a sanitizer's report.
 */
#ifndef LEAT_BASE_CALL_TRAP_H
#define LEAT_BASE_CALL_TRAP_H

/* Once, from main, before any other thread. */
void call_trap_install(void);

/* Any thread, around a call; calls do not nest. Both texts are lent until call_trap_leave. */
void call_trap_enter(const char *stage, const char *call);
void call_trap_leave(void);

#endif
