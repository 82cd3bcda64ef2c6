/* crash_probe.h -- runs a function that may crash or hang, in a child process. */
#ifndef LEAT_HOST_PLUGIN_CRASH_PROBE_H
#define LEAT_HOST_PLUGIN_CRASH_PROBE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "host/memory/arena.h"

struct probe {
    unsigned work_ms, wait_ms; /* most processor time and most real time of the child */
    const char *waits_for;     /* named by a message if the trial takes long, or NULL */
    const char *doing;         /* for the description, such as "while loading"        */
    bool alone;                /* open files become /dev/null; stderr is not shown    */
    /* Time (clock_ns) shortly before which the trial is given up; NULL or 0: never. */
    const _Atomic uint64_t *deadline;
    bool timed_out; /* set by probe(): the child took too long                       */
    bool stopped;   /* set by probe(): the trial was given up, for the deadline      */
};

/* Calls trial(arg) in a forked child. Returns NULL if trial() returned. Otherwise returns a
 * description such as "crashed while loading (SIGSEGV)", followed by the first line of the child's
 * stderr. The child cannot change this process; its stdin and stdout are /dev/null. A fork copies
 * locks that other threads hold, so once there are threads, a trial that takes too long may be
 * sound. */
const char *probe(struct probe *p, void (*trial)(void *arg), void *arg, struct arena *a);

#endif
