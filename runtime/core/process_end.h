/* process_end.h -- ends the process at once, like _exit().
 *
 * The program defines its own _exit to catch plugins that call it (call_trap.c), so leat itself
 * ends with process_end(). */
#ifndef LEAT_CORE_PROCESS_END_H
#define LEAT_CORE_PROCESS_END_H

#include <sys/syscall.h>
#include <unistd.h>

/* Ends the process with `status`, 0 to 255. May be called from any thread and from signal
 * handlers. */
static inline _Noreturn void process_end(int status)
{
    for (;;)
        syscall(SYS_exit_group, status);
}

#endif
