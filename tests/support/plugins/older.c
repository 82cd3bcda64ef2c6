/* older.c -- built with the headers of an earlier minor version: shorter stages and parameters.
 *
 * They lie next to each other. A host that reads with its own sizes takes the neighbour for the
 * tail. */
#include "bad.h"

struct older_param {
    const char *name;
    size_t offset;
    uint32_t type, flags;
    const char *def;
    double min, max;
    const char *const *choices;
};

/* struct leat_stage up to `process`. */
struct older_stage {
    const char *name, *summary, *doc, *example;
    uint32_t kind, caps, needs, makes;
    const struct older_param *params;
    uint32_t n_params, param_size;
    size_t cfg_size;
    const void *reasons;
    uint32_t n_reasons, reason_size;
    const void *figures;
    uint32_t n_figures, figure_size;
    size_t instance_size;
    void (*from_validate_to_stop[9])(void);
    int (*process)(struct leat_ctx *, void *, struct leat_batch *);
};
_Static_assert(sizeof(struct older_stage) == offsetof(struct leat_stage, expand),
               "ends at process");

struct cfg {
    int64_t first, second;
};

static const struct older_param params[] = {
    {"first", offsetof(struct cfg, first), LEAT_INT, 0, "1", 0, 0, 0},
    {"second", offsetof(struct cfg, second), LEAT_INT, 0, "2", 0, 0, 0}};

#define OLD(NAME)                                                                                  \
    {                                                                                              \
        STAGE(NAME), .params = params, .n_params = 2, .param_size = sizeof(struct older_param),    \
                     .cfg_size = sizeof(struct cfg)                                                \
    }

static const struct older_stage stages[] = {OLD("feature.older_a"), OLD("feature.older_b")};

static const struct older_stage *const pointers[] = {&stages[0], &stages[1]};

DESCRIPTOR((const struct leat_stage *const *)pointers, .n_stages = 2, .abi_minor = 0,
           .stage_size = sizeof(struct older_stage));
