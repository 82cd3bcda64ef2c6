/* crash_probe.h -- runs a function that may crash or hang in a process of its own. */
#ifndef LEAT_HOST_PLUGIN_CRASH_PROBE_H
#define LEAT_HOST_PLUGIN_CRASH_PROBE_H

#include "host/memory/arena.h"

/* Calls trial(arg) in a forked child, which may work for limit_ms milliseconds of processor time,
 * and take 30 times as long by the clock. Returns NULL when the trial returned, or what happened
 * instead: "crashed while loading (SIGSEGV)", "did not answer within 2 s of work". The child cannot
 * change this process; its stdin and stdout are /dev/null, and the first line of its stderr is
 * added to what happened.
 * Call it before any thread is started: a fork copies locks that other threads hold. */
const char *probe(void (*trial)(void *arg), void *arg, unsigned limit_ms, struct arena *a);

#endif
