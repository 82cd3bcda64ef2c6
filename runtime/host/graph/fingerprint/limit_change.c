/* limit_change.c -- see limit_change.h. */
#include "limit_change.h"

#include <string.h>

#include "host/plugin/param_type.h"

static const struct leat_param *find(const struct leat_stage *s, const char *name)
{
    for (uint32_t i = 0; name && i < s->n_params; i++)
        if (!strcmp(s->params[i].name, name)) return &s->params[i];
    return NULL;
}

static bool is_limit(const char *name)
{
    return !strcmp(name, "max_features") || !strcmp(name, "names_budget") ||
           !strcmp(name, "name_bytes");
}

const struct leat_param *limit_change_param(const struct leat_stage *s, const char *name)
{
    const struct leat_param *p = find(s, name);
    bool grows = s->kind == LEAT_LEARNER && find(s, "max_features");
    bool whole = p && (p->type == LEAT_INT || p->type == LEAT_SIZE);
    return grows && whole && is_limit(name) ? p : NULL;
}

static bool reads(const struct leat_param *p, const char *shown, struct arena *a, int64_t *value)
{
    union param_cell cell = {0};
    if (!shown) return false;
    struct value v = param_unshow(shown, a);
    bool right = !param_read(p, &v, a, &cell);
    *value = cell.integer;
    return right;
}

enum limit_change limit_change(const struct leat_stage *s, const char *name, const char *from,
                               const char *to, struct arena *a)
{
    const struct leat_param *p = limit_change_param(s, name);
    int64_t before, after;
    if (!p || !reads(p, from, a, &before) || !reads(p, to, a, &after) || before == after)
        return LIMIT_OTHER;
    return after > before ? LIMIT_RAISED : LIMIT_LOWERED;
}
