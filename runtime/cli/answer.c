/* answer.c -- see answer.h. */
#include "answer.h"

#include <string.h>

#include "exec/instance.h"
#include "exec/run.h"

static int on_columns(struct leat_result *base, const char *const *names, uint32_t n)
{
    struct answer *a = (struct answer *)base;
    if (n > ASK_COLUMNS) return LEAT_EFULL;
    memcpy(a->column, names, n * sizeof *names);
    a->n_columns = n;
    return LEAT_OK;
}

static int on_row(struct leat_result *base, const char *name, size_t len, const double *values)
{
    struct answer *a = (struct answer *)base;
    if (a->n_rows == a->cap) {
        a->cap = a->cap ? 2 * a->cap : 64;
        struct answer_row *more = arena_alloc(a->arena, a->cap * sizeof *more);
        if (a->n_rows) memcpy(more, a->row, a->n_rows * sizeof *more);
        a->row = more;
    }
    struct answer_row *r = &a->row[a->n_rows++];
    r->name = arena_strndup(a->arena, name, len);
    r->len = len;
    memcpy(r->values, values, a->n_columns * sizeof *values);
    return LEAT_OK;
}

int answer_ask(struct answer *a, struct instance *i, uint32_t k, struct arena *arena)
{
    *a = (struct answer){.base = {sizeof a->base, 0, on_columns, on_row}, .arena = arena};
    struct leat_query q = {.size = sizeof q, .kind = LEAT_QUERY_TOP, .k = k};
    int s = i->node->stage->query(&i->ctx, i->self, &q, &a->base);
    return s < 0 ? run_fail(i->run, s, "%s: the learner gave no answer (status %d)", i->node->label,
                            s)
                 : LEAT_OK;
}

uint32_t answer_column(const struct answer *a, const char *name)
{
    uint32_t c = 0;
    while (c < a->n_columns && strcmp(a->column[c], name))
        c++;
    return c;
}
