/* plugin.h -- THE header a plugin includes: the plugin struct, its stages, the host's services.
 *
 * A plugin is a shared object that exports one symbol, `leat_plugin`: data that lists its stages. A
 * plugin does not link against the host: the host passes its functions in struct leat_host. To
 * build a plugin:
 *
 *     cc -std=c11 -shared -fPIC -fvisibility=hidden $(pkg-config --cflags leat) -o mine.so mine.c
 *
 * To run it: `leat run --plugin-path DIR script.lua`, or set LEAT_PLUGIN_PATH to DIR.
 *
 * The calls of a stage, in order. The host finishes a step for all stages before it begins the next
 * step.
 *
 *     validate, negotiate, plan   pure: no I/O, no threads, no state; called any number of times.
 *     open                        acquire files and memory; start no threads.
 *     start                       first call on the stage's own thread.
 *     produce | process | expand, tick, query, show
 *     stop                        last call on that thread: flush the output.
 *                                 Called once after each start.
 *     close                       release files, threads and connections.
 *                                 Called once after each open that succeeded.
 *
 * After close, or after an open that failed, the host frees the memory that the stage got from
 * host->alloc.
 *
 * Threads. One thread makes all calls of an instance from `start` to `stop`. There are two
 * exceptions. Any thread may call `wake` and `progress` at any time. Any thread may call `take` and
 * `flush` of a sink for dead letters, but never during another call of the sink. stage.h states the
 * thread of each call. Instances of other stages and lanes run at the same time, so a plugin has no
 * writable globals.
 *
 * Size. leat_plugin.stage_size tells the host which members struct leat_stage had when the plugin
 * was compiled. The host treats later members as absent. The struct must have at least the members
 * up to `process`.
 *
 * Errors. If a record is bad, call host->reject and return LEAT_OK. A negative return value ends
 * the run. Give the reason with `return host->fail(ctx, LEAT_EIO, "…")`.
 *
 * A plugin must not change properties of the whole process: signal handlers, locale, umask, working
 * directory, standard input.
 */
#ifndef LEAT_PLUGIN_H
#define LEAT_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#include <leat/host.h>
#include <leat/stage.h>

#define LEAT_MAGIC     0x3174616cu /* "lat1"                                       */
#define LEAT_ABI_MAJOR 1           /* the host refuses plugins with another number */
#define LEAT_ABI_MINOR 1 /* raised when members are appended; any two minors work together */

struct leat_plugin {
    uint32_t magic; /* LEAT_MAGIC */
    uint16_t abi_major, abi_minor;
    uint32_t size;           /* sizeof(struct leat_plugin)                                 */
    uint32_t min_host_minor; /* oldest LEAT_ABI_MINOR of a host that the plugin works with */
    const char *name, *version, *license, *summary;
    uint32_t n_stages;
    uint32_t stage_size;                    /* sizeof(struct leat_stage) */
    const struct leat_stage *const *stages; /* n_stages pointers         */
};

/* Constructs that are spelt differently in C99, in C11 and in C++11. */
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

/* Defines the exported symbol: LEAT_PLUGIN("mine", "1.0", "Apache-2.0", "summary", &a, &b); where a
 * and b are stages. Hosts with an older LEAT_ABI_MINOR than these headers refuse the plugin. */
#define LEAT_PLUGIN(NAME, VERSION, LICENSE, SUMMARY, ...)                                          \
    LEAT_PLUGIN_SINCE(LEAT_ABI_MINOR, NAME, VERSION, LICENSE, SUMMARY, __VA_ARGS__)
/* Like LEAT_PLUGIN, but hosts with LEAT_ABI_MINOR >= MINOR accept the plugin. The plugin must check
 * with LEAT_HOST_HAS before it calls a newer service of the host. */
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
