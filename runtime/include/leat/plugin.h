/* plugin.h -- THE header a plugin includes: the plugin struct, its stages, the host's services.
 *
 * A plugin is a shared object that exports one symbol, `leat_plugin`: data that lists its stages.
 * It links nothing of the host: the host passes its services in struct leat_host. Build one with
 *
 *     cc -std=c11 -shared -fPIC -fvisibility=hidden $(pkg-config --cflags leat) -o mine.so mine.c
 *
 * and run it with `leat run --plugin-path DIR script.lua`, or LEAT_PLUGIN_PATH.
 *
 * A stage's life (the host takes each step for all stages before the next one):
 *
 *     validate, negotiate, plan   pure: no I/O, no threads, no state. Any number of times.
 *     open                        acquire files and memory; no threads.
 *     start                       first call on the stage's own thread.
 *     produce | process | expand, tick, query, show
 *     stop                        last call on that thread: flush. Called once after each start.
 *     close                       release files, threads, connections; not the host's memory.
 *                                 Called once after each open that succeeded.
 *
 * The host frees memory of its alloc after close, and after an open that failed.
 *
 * Threads. Only one thread at a time calls an instance, and from `start` to `stop` it is always the
 * same one. Other threads call only `wake` and `progress`, at any time. They also call `take` and
 * `flush` of a sink for dead letters, while no other call is in progress. The contracts in stage.h
 * state this for each call. Different instances (other stages, other lanes) run at the same time,
 * so a plugin has no writable globals.
 *
 * Size. A stage's struct may end after `process`; stage_size is its size. The host treats the
 * members beyond it as absent. No version accepts a shorter struct.
 *
 * Errors. For a bad record, mark it (host->reject) and return LEAT_OK. A negative return ends the
 * run; report the reason first with `return host->fail(ctx, LEAT_EIO, "…")`.
 *
 * A plugin leaves the properties of the whole process alone: signal handlers, locale, umask,
 * working directory, standard input.
 */
#ifndef LEAT_PLUGIN_H
#define LEAT_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#include <leat/host.h>
#include <leat/stage.h>

#define LEAT_MAGIC     0x3174616cu /* "lat1" */
#define LEAT_ABI_MAJOR 1 /* the host refuses any other                                            */
#define LEAT_ABI_MINOR 1 /* grows when fields are appended; older and newer versions fit together */

struct leat_plugin {
    uint32_t magic; /* LEAT_MAGIC */
    uint16_t abi_major, abi_minor;
    uint32_t size;           /* sizeof(struct leat_plugin)     */
    uint32_t min_host_minor; /* oldest host that it works with */
    const char *name, *version, *license, *summary;
    uint32_t n_stages;
    uint32_t stage_size;                    /* sizeof(struct leat_stage) */
    const struct leat_stage *const *stages; /* n_stages pointers         */
};

/* Constructs that C99, later C and C++ (from C++11 on) spell differently. */
#ifdef __cplusplus
#define LEAT_ASSERT(COND, TEXT) static_assert(COND, TEXT)
#define LEAT_SYMBOL             extern "C" __attribute__((visibility("default")))
#else
#if __STDC_VERSION__ >= 201112L
#define LEAT_ASSERT(COND, TEXT) _Static_assert(COND, TEXT)
#else
#define LEAT_ASSERT(COND, TEXT) extern const char leat_asserted[(COND) ? 1 : -1]
#endif
#define LEAT_SYMBOL extern __attribute__((visibility("default")))
#endif

/* Defines the exported symbol: LEAT_PLUGIN("mine", "1.0", "Apache-2.0", "summary", &a, &b); with
 * the addresses of its stages. The plugin needs a host with everything that these headers
 * declare. */
#define LEAT_PLUGIN(NAME, VERSION, LICENSE, SUMMARY, ...)                                          \
    LEAT_PLUGIN_SINCE(LEAT_ABI_MINOR, NAME, VERSION, LICENSE, SUMMARY, __VA_ARGS__)
/* Defines a plugin that works with hosts from this minor version on. It checks for a newer service
 * before it uses it (LEAT_HOST_HAS). */
#define LEAT_PLUGIN_SINCE(MINOR, NAME, VERSION, LICENSE, SUMMARY, ...)                             \
    static const struct leat_stage *const leat_stages[] = {__VA_ARGS__};                           \
    LEAT_SYMBOL const struct leat_plugin leat_plugin;                                              \
    const struct leat_plugin leat_plugin = {LEAT_MAGIC,                                            \
                                            LEAT_ABI_MAJOR,                                        \
                                            LEAT_ABI_MINOR,                                        \
                                            sizeof(struct leat_plugin),                            \
                                            (MINOR),                                               \
                                            NAME,                                                  \
                                            VERSION,                                               \
                                            LICENSE,                                               \
                                            SUMMARY,                                               \
                                            sizeof leat_stages / sizeof *leat_stages,              \
                                            sizeof(struct leat_stage),                             \
                                            leat_stages}

LEAT_ASSERT(sizeof(struct leat_str) == 8, "slices are 8 bytes");
LEAT_ASSERT(sizeof(union leat_cells) == sizeof(void *), "columns are pointers");
LEAT_ASSERT(sizeof(struct leat_extent) == 32, "extents are 32 bytes");
LEAT_ASSERT(offsetof(struct leat_plugin, size) == 8, "checked before anything else is read");

#endif
