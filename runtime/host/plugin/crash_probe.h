/* crash_probe.h -- runs a function that may crash or hang, in a child process. */
#ifndef LEAT_HOST_PLUGIN_CRASH_PROBE_H
#define LEAT_HOST_PLUGIN_CRASH_PROBE_H

#include "host/memory/arena.h"

/* Calls trial(arg) in a forked child. The child may use limit_ms milliseconds of processor time and
 * 30 times as much real time. Returns NULL if trial() returned. Otherwise returns a description
 * such as "crashed while loading (SIGSEGV)", followed by the first line of the child's stderr. The
 * child cannot change this process; its stdin and stdout are /dev/null. Call it before any thread
 * is started, because a fork copies locks that other threads hold. */
const char *probe(void (*trial)(void *arg), void *arg, unsigned limit_ms, struct arena *a);

#endif
