/* harness_param.c -- parameters of a stage from text, by the stage's own declarations. */
#include <string.h>

#include "harness_inside.h"
#include "host/plugin/param_type.h"

static void take(struct harness *h, const struct leat_param *p, const union param_cell *cell,
                 const char *wrong)
{
    harness_must(h, !wrong, "%s", wrong);
    memcpy((char *)h->cfg + p->offset, cell, param_type_size(p->type));
}

static void put(struct harness *h, const struct leat_param *p, const char *text)
{
    union param_cell cell;
    const struct value v = {.type = VALUE_TEXT, .text = text, .n = strlen(text)};
    const char *wrong = param_read(p, &v, &h->impl->arena, &cell);
    take(h, p, &cell, wrong);
}

const struct leat_param *harness_param(const struct leat_stage *s, uint32_t i)
{
    return (const struct leat_param *)(const void *)((const char *)s->params + i * s->param_size);
}

static const struct leat_param *find(const struct leat_stage *s, const char *param)
{
    for (uint32_t i = 0; i < s->n_params; i++)
        if (!strcmp(harness_param(s, i)->name, param)) return harness_param(s, i);
    return NULL;
}

static const struct leat_param *find_needed(struct harness *h, const char *param)
{
    const struct leat_param *p = find(h->stage, param);
    harness_must(h, p, "there is no parameter '%s'", param);
    h->impl->negotiated = false;
    return p;
}

bool harness_takes(const struct harness *h, const char *param)
{
    return find(h->stage, param) != NULL;
}

void harness_set(struct harness *h, const char *param, const char *text)
{
    put(h, find_needed(h, param), text);
}

void harness_set_list(struct harness *h, const char *param, const char *const *v, uint32_t n)
{
    const struct leat_param *p = find_needed(h, param);
    const struct leat_strings list = {.v = v, .n = n};
    harness_must(h, p->type == LEAT_STRINGS, "%s is no list", param);
    memcpy((char *)h->cfg + p->offset, &list, sizeof list);
}

void harness_defaults(struct harness *h)
{
    for (uint32_t i = 0; i < h->stage->n_params; i++) {
        const struct leat_param *p = harness_param(h->stage, i);
        union param_cell cell;
        if (!p->def || p->flags & LEAT_REQUIRED || p->type == LEAT_FUNCTION) continue;
        const char *wrong = param_default(p, &h->impl->arena, &cell);
        take(h, p, &cell, wrong);
    }
}
