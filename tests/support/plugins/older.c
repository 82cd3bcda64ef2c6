/* older.c -- built with the headers of an earlier minor version: shorter stages and parameters.
 * Behind each lies the next one, so a host that reads its own sizes takes the neighbour for the
 * tail. */
#include "bad.h"

struct older_param {
    const char *name;
    uint32_t type, flags;
    size_t offset;
    const char *def;
    double min, max;
    const char *const *choices;
};

/* struct leat_stage up to and including process. */
struct older_stage {
    char bytes[offsetof(struct leat_stage, tick)];
};

struct cfg {
    int64_t first, second;
};

static const struct older_param params[] = {
    {"first", LEAT_INT, 0, offsetof(struct cfg, first), "1", 0, 0, 0},
    {"second", LEAT_INT, 0, offsetof(struct cfg, second), "2", 0, 0, 0}};

#define OLD(NAME)                                                                                  \
    {                                                                                              \
        .now = {                                                                                   \
            STAGE(NAME),                                                                           \
            .params = (const struct leat_param *)params,                                           \
            .n_params = 2,                                                                         \
            .param_size = sizeof(struct older_param),                                              \
            .cfg_size = sizeof(struct cfg)                                                         \
        }                                                                                          \
    }

/* A union, so that the compiler lays the stages out and the array has the old stride. */
static struct older_stage stages[2];

static const union {
    struct leat_stage now;
    struct older_stage then;
} full[2] = {OLD("feature.older_a"), OLD("feature.older_b")};

/* Only this plugin writes to its tables, because C cannot state the overlapping layout. */
static __attribute__((constructor)) void lay_out(void)
{
    stages[0] = full[0].then;
    stages[1] = full[1].then;
}

DESCRIPTOR((const struct leat_stage *)stages, .n_stages = 2,
           .stage_size = sizeof(struct older_stage));
