/* younger.c -- built with the headers of a later minor version, whose structs are longer; fits this
 * host. */
#include "bad.h"

struct younger_stage {
    struct leat_stage known;
    const void *unknown[3];
};

static const struct younger_stage stages[] = {{{STAGE("feature.younger_a")}, {stages, 0, 0}},
                                              {{STAGE("feature.younger_b")}, {stages, 0, 0}}};
static const struct leat_stage *const pointers[] = {&stages[0].known, &stages[1].known};

struct younger_plugin {
    struct leat_plugin known;
    const void *unknown;
};

__attribute__((visibility("default"))) extern const struct younger_plugin leat_plugin;
const struct younger_plugin leat_plugin = {{.magic = LEAT_MAGIC,
                                            .abi_major = LEAT_ABI_MAJOR,
                                            .abi_minor = LEAT_ABI_MINOR + 5,
                                            .size = sizeof(struct younger_plugin),
                                            .name = "younger",
                                            .n_stages = 2,
                                            .stage_size = sizeof(struct younger_stage),
                                            .stages = pointers},
                                           stages};
