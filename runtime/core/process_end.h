/* process_end.h -- ends the process at once, as _exit() does. The program has an _exit of its own,
 * by which plugins that call it are told (call_trap.c); leat itself ends by this. */
#ifndef LEAT_CORE_PROCESS_END_H
#define LEAT_CORE_PROCESS_END_H

#include <sys/syscall.h>
#include <unistd.h>

/* Any thread, also in a signal handler. status: 0 to 255. */
static inline _Noreturn void process_end(int status)
{
    for (;;)
        syscall(SYS_exit_group, status);
}

#endif
