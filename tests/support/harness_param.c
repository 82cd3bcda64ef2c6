/* harness_param.c -- parameters of a stage from text, by the stage's own declarations. */
#include <check.h>
#include <stdlib.h>

#include "harness_impl.h"

static double scaled(const char *text, double kilo)
{
    char *end;
    double v = strtod(text, &end);
    static const char units[] = "KMGT";
    const char *u = *end ? strchr(units, *end & ~0x20) : NULL;
    for (const char *p = units; u && p <= u; p++)
        v *= end[1] == 'i' ? 1024 : kilo;
    ck_assert_msg(end != text, "'%s' is no number", text);
    return v;
}

static int64_t nanoseconds(const char *text)
{
    static const struct {
        const char *unit;
        double ns;
    } units[] = {{"ns", 1},     {"us", 1e3},   {"ms", 1e6}, {"s", 1e9},
                 {"min", 6e10}, {"h", 3.6e12}, {"", 1e9}};
    char *end;
    double v = strtod(text, &end);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (!strcmp(end, units[i].unit)) return (int64_t)(v * units[i].ns);
    ck_abort_msg("'%s' is no duration", text);
    return 0;
}

static struct leat_strings strings(struct harness *h, const char *text)
{
    struct leat_strings list = {0};
    const char **v = harness_room(h, (strlen(text) + 1) * sizeof *v);
    for (const char *p = text; *p;) {
        size_t len = strcspn(p, ",");
        v[list.n++] = harness_keep(h, p, len);
        p += len + (p[len] == ',');
    }
    list.v = v;
    return list;
}

static int32_t choice(const struct leat_param *p, const char *text)
{
    for (int32_t i = 0; p->choices[i]; i++)
        if (!strcmp(p->choices[i], text)) return i;
    ck_abort_msg("%s: '%s' is not among the choices", p->name, text);
    return 0;
}

static void put(struct harness *h, const struct leat_param *p, const char *text)
{
    void *at = (char *)h->cfg + p->offset;
    switch (p->type) {
    case LEAT_BOOL:
        *(int32_t *)at = !strcmp(text, "true");
        break;
    case LEAT_INT:
        *(int64_t *)at = (int64_t)scaled(text, 1000);
        break;
    case LEAT_SIZE:
        *(int64_t *)at = (int64_t)scaled(text, 1024);
        break;
    case LEAT_FLOAT:
        *(double *)at = strtod(text, NULL);
        break;
    case LEAT_STRING:
    case LEAT_PATH:
        *(const char **)at = harness_keep(h, text, strlen(text));
        break;
    case LEAT_CHOICE:
        *(int32_t *)at = choice(p, text);
        break;
    case LEAT_DURATION:
        *(int64_t *)at = nanoseconds(text);
        break;
    case LEAT_INTERVAL: {
        char *end;
        double v = strtod(text, &end);
        struct leat_interval i = {*end ? nanoseconds(text) : 0, *end ? 0 : (int64_t)v};
        *(struct leat_interval *)at = i;
        break;
    }
    case LEAT_STRINGS:
        *(struct leat_strings *)at = strings(h, text);
        break;
    default:
        ck_abort_msg("%s: type %u cannot be set here", p->name, p->type);
    }
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

bool harness_takes(const struct harness *h, const char *param)
{
    return find(h->stage, param) != NULL;
}

void harness_set(struct harness *h, const char *param, const char *text)
{
    const struct leat_param *p = find(h->stage, param);
    ck_assert_msg(p != NULL, "%s has no parameter '%s'", h->stage->name, param);
    put(h, p, text);
    h->impl->negotiated = 0;
}

void harness_set_list(struct harness *h, const char *param, const char *const *v, uint32_t n)
{
    const struct leat_param *p = find(h->stage, param);
    ck_assert_msg(p != NULL, "%s has no list '%s'", h->stage->name, param);
    *(struct leat_strings *)((char *)h->cfg + p->offset) = (struct leat_strings){.v = v, .n = n};
    h->impl->negotiated = 0;
}

void harness_defaults(struct harness *h)
{
    for (uint32_t i = 0; i < h->stage->n_params; i++) {
        const struct leat_param *p = harness_param(h->stage, i);
        if (p->def && !(p->flags & LEAT_REQUIRED)) put(h, p, p->def);
    }
}
