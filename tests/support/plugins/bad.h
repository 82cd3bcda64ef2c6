/* bad.h -- the correct parts of plugins that each have one fault. */
#ifndef LEAT_TESTS_SUPPORT_PLUGINS_BAD_H
#define LEAT_TESTS_SUPPORT_PLUGINS_BAD_H

#include <leat/plugin.h>

static inline int process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    return LEAT_OK;
}

#define STAGE(NAME) .name = NAME, .summary = "for tests", .kind = LEAT_TRANSFORM, .process = process

/* A descriptor whose members the arguments may replace. */
#define DESCRIPTOR(STAGES, ...)                                                                    \
    __attribute__((visibility("default"))) extern const struct leat_plugin leat_plugin;            \
    _Pragma("GCC diagnostic ignored \"-Woverride-init\"")                                          \
        const struct leat_plugin leat_plugin = {.magic = LEAT_MAGIC,                               \
                                                .abi_major = LEAT_ABI_MAJOR,                       \
                                                .abi_minor = LEAT_ABI_MINOR,                       \
                                                .size = sizeof(struct leat_plugin),                \
                                                .name = "bad",                                     \
                                                .version = "1",                                    \
                                                .n_stages = 1,                                     \
                                                .stage_size = sizeof(struct leat_stage),           \
                                                .stages = STAGES,                                  \
                                                __VA_ARGS__}

#endif
