/* shape_rig.h -- expressions for the tests of shape: they hold commas, at which harness_set parts a
 * list. */
#ifndef LEAT_TESTS_STAGE_SHAPE_RIG_H
#define LEAT_TESTS_STAGE_SHAPE_RIG_H

#include <string.h>

#include "support/harness.h"

/* Gives a parameter of the type list one value. The text must outlive the harness. */
static inline void shape_list(struct harness *h, const char *param, const char *const *v,
                              uint32_t n)
{
    for (uint32_t i = 0; i < h->stage->n_params; i++)
        if (!strcmp(h->stage->params[i].name, param))
            *(struct leat_strings *)((char *)h->cfg + h->stage->params[i].offset) =
                (struct leat_strings){.v = v, .n = n};
}

#endif
