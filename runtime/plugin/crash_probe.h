/* crash_probe.h -- trying something that may crash or hang in a process of its own. */
#ifndef LEAT_PLUGIN_CRASH_PROBE_H
#define LEAT_PLUGIN_CRASH_PROBE_H

#include "base/arena.h"

/* Call trial(arg) in a forked child and wait at most limit_ms. Returns NULL when it came back, or
 * what happened instead: "crashed while loading (SIGSEGV)", "did not answer within 2 s". The child
 * can change nothing here and neither reads stdin nor writes to stdout or stderr.
 * Only before any thread was started: a fork copies locks that other threads hold. */
const char *probe(void (*trial)(void *arg), void *arg, unsigned limit_ms, struct arena *a);

#endif
