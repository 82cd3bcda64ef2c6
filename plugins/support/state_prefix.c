/* state_prefix.c -- a writer and a reader of fields with a prefix; see state_prefix.h. */
#include "state_prefix.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *prefixed(char to[STATE_PREFIX_NAME], const char *prefix, const char *name)
{
    snprintf(to, STATE_PREFIX_NAME, "%s%s", prefix, name);
    return to;
}

/* ---- writing ---- */

static int write_u64(struct leat_writer *base, const char *name, uint64_t v)
{
    struct state_prefix_writer *p = (struct state_prefix_writer *)base;
    return p->to->u64(p->to, prefixed(p->name, p->prefix, name), v);
}

static int write_f64(struct leat_writer *base, const char *name, double v)
{
    struct state_prefix_writer *p = (struct state_prefix_writer *)base;
    return p->to->f64(p->to, prefixed(p->name, p->prefix, name), v);
}

static int write_array(struct leat_writer *base, const char *name, uint32_t element, const void *v,
                       uint64_t n)
{
    struct state_prefix_writer *p = (struct state_prefix_writer *)base;
    return p->to->array(p->to, prefixed(p->name, p->prefix, name), element, v, n);
}

static void *write_reserved(struct leat_writer *base, const char *name, uint32_t element,
                            uint64_t n)
{
    struct state_prefix_writer *p = (struct state_prefix_writer *)base;
    return p->to->reserve(p->to, prefixed(p->name, p->prefix, name), element, n);
}

struct leat_writer *state_prefix_writer(struct state_prefix_writer *p, struct leat_writer *to,
                                        const char *prefix)
{
    assert(strlen(prefix) < STATE_PREFIX_MAX);
    *p = (struct state_prefix_writer){.base = {.size = sizeof p->base,
                                               .u64 = write_u64,
                                               .f64 = write_f64,
                                               .array = write_array,
                                               .reserve = write_reserved},
                                      .to = to};
    snprintf(p->prefix, sizeof p->prefix, "%s", prefix);
    return &p->base;
}

/* ---- reading ---- */

static int read_u64(struct leat_reader *base, const char *name, uint64_t *v)
{
    struct state_prefix_reader *p = (struct state_prefix_reader *)base;
    return p->from->u64(p->from, prefixed(p->name, p->prefix, name), v);
}

static int read_f64(struct leat_reader *base, const char *name, double *v)
{
    struct state_prefix_reader *p = (struct state_prefix_reader *)base;
    return p->from->f64(p->from, prefixed(p->name, p->prefix, name), v);
}

static int read_array(struct leat_reader *base, const char *name, uint32_t element, const void **v,
                      uint64_t *n)
{
    struct state_prefix_reader *p = (struct state_prefix_reader *)base;
    return p->from->array(p->from, prefixed(p->name, p->prefix, name), element, v, n);
}

static int same_u64(struct leat_reader *base, const char *name, uint64_t v)
{
    struct state_prefix_reader *p = (struct state_prefix_reader *)base;
    return p->from->same_u64(p->from, prefixed(p->name, p->prefix, name), v);
}

static int same_f64(struct leat_reader *base, const char *name, double v)
{
    struct state_prefix_reader *p = (struct state_prefix_reader *)base;
    return p->from->same_f64(p->from, prefixed(p->name, p->prefix, name), v);
}

__attribute__((format(printf, 2, 3))) static int refuse(struct leat_reader *base,
                                                        const char *format, ...)
{
    struct state_prefix_reader *p = (struct state_prefix_reader *)base;
    char text[256];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return p->from->refuse(p->from, "%s: %s", p->model, text);
}

struct leat_reader *state_prefix_reader(struct state_prefix_reader *p, struct leat_reader *from,
                                        const char *prefix, const char *model)
{
    assert(strlen(prefix) < STATE_PREFIX_MAX && strlen(model) < STATE_PREFIX_MAX);
    *p = (struct state_prefix_reader){.base = {.size = sizeof p->base,
                                               .u64 = read_u64,
                                               .f64 = read_f64,
                                               .array = read_array,
                                               .same_u64 = same_u64,
                                               .same_f64 = same_f64,
                                               .refuse = refuse},
                                      .from = from};
    snprintf(p->model, sizeof p->model, "%s", model);
    snprintf(p->prefix, sizeof p->prefix, "%s", prefix);
    return &p->base;
}
