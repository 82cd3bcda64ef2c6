/* node_diag.c -- implementation of node_diag.h. */
#include "node_diag.h"

#include "host/plugin/describe.h"

void node_error(struct diag *d, const struct node *n, const char *param, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    diag_vadd(d, DIAG_ERROR, n->at, n->label, param, format, args);
    va_end(args);
}

static void node_diag_on_error(struct leat_diag *base, const char *param, const char *format, ...)
{
    const struct node_diag *s = (struct node_diag *)base;
    va_list args;
    va_start(args, format);
    diag_vadd(s->d, DIAG_ERROR, s->n->at, s->n->label, param, format, args);
    va_end(args);
}

static void on_warning(struct leat_diag *base, const char *param, const char *format, ...)
{
    const struct node_diag *s = (struct node_diag *)base;
    va_list args;
    va_start(args, format);
    diag_vadd(s->d, s->n->doubted ? DIAG_ERROR : DIAG_WARNING, s->n->at, s->n->label, param, format,
              args);
    va_end(args);
}

static void on_file_error(struct leat_diag *base, const char *param, const char *format, ...)
{
    const struct node_diag *s = (struct node_diag *)base;
    va_list args;
    va_start(args, format);
    diag_vadd(s->d, DIAG_FILE, s->n->at, s->n->label, param, format, args);
    va_end(args);
}

struct node_diag node_diag_of(struct diag *d, const struct node *n)
{
    return (struct node_diag){{sizeof(struct leat_diag), 0, node_diag_on_error, on_warning}, d, n};
}

struct node_diag node_diag_outside(struct diag *d, const struct node *n)
{
    return (struct node_diag){{sizeof(struct leat_diag), 0, on_file_error, on_warning}, d, n};
}

const char *node_diag_has(uint32_t has, struct arena *a)
{
    return has ? describe_has(has, a) : "nothing";
}
