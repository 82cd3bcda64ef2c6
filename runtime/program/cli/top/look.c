/* look.c -- see look.h. */
#include "look.h"

#include <string.h>

#include "program/page/fields.h"

void look_clear(struct look *l)
{
    json_decref(l->status);
    json_decref(l->top);
    *l = (struct look){.status = NULL};
}

const json_t *look_learner(const json_t *status, size_t i)
{
    const json_t *stages = field(status, "stages");
    for (size_t k = 0; k < json_array_size(stages); k++) {
        const json_t *stage = json_array_get(stages, k);
        if (field(stage, "in_order") && !i--) return stage;
    }
    return NULL;
}

size_t look_learner_index(const json_t *status, const char *id)
{
    const json_t *one;
    for (size_t i = 0; (one = look_learner(status, i)); i++)
        if (!strcmp(field_text(one, "id"), id)) return i;
    return 0;
}
