/* avro_plan.h -- which values of a record the paths need: the plan of avro_plan_new() (avro.h). */
#ifndef LEAT_KERNELS_AVRO_AVRO_PLAN_H
#define LEAT_KERNELS_AVRO_AVRO_PLAN_H

#include <string.h>

#include "avro.h"

/* Value that a path needs: a node of the tree of paths, and the type of the schema to which the
 * node's path leads. Wants refer to each other by their index in plan->want. The index 0 means that
 * no path needs the value. */
struct want {
    uint32_t node; /* node of plan->paths */
    /* Indexes of other wants, or 0. RECORD, UNION: one for each member of the type. ARRAY, MAP: one
     * for each child of `node`, in order. */
    uint32_t *child;
};

struct avro_plan {
    const struct avro_type *root;
    const struct json_paths *paths;
    struct want *want; /* [n]; want[0] is not used */
    uint32_t n, cap;
};

/* True if the step is the key in text[0 .. n). */
static inline bool avro_is_key(const struct json_step *step, const char *text, size_t n)
{
    return step->kind == JSON_KEY && step->len == n && !memcmp(step->key, text, n);
}

#endif
