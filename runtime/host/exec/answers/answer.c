/* answer.c -- see answer.h. */
#include "answer.h"

#include <stdio.h>
#include <string.h>

#include "host/plugin/status_text.h"
#include "host/exec/instance/instance.h"
#include "host/exec/run.h"

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
        size_t cap = a->cap;
        a->name = arena_grow(a->arena, a->name, a->n_rows, &cap, sizeof *a->name);
        cap = a->cap;
        a->also = arena_grow(a->arena, a->also, a->n_rows, &cap, sizeof *a->also);
        cap = a->cap;
        a->len = arena_grow(a->arena, a->len, a->n_rows, &cap, sizeof *a->len);
        a->values =
            arena_grow(a->arena, a->values, a->n_rows, &a->cap, a->n_columns * sizeof *a->values);
    }
    a->name[a->n_rows] = arena_strndup(a->arena, name, len);
    a->len[a->n_rows] = (uint32_t)len;
    a->also[a->n_rows] = "";
    memcpy(a->values + (size_t)a->n_rows++ * a->n_columns, values, a->n_columns * sizeof *values);
    return LEAT_OK;
}

static int on_also(struct leat_result *base, const char *name, size_t len)
{
    struct answer *a = (struct answer *)base;
    if (!a->n_rows) return LEAT_EARG;
    char *text = arena_alloc(a->arena, ASK_NAME_BYTES);
    snprintf(text, ASK_NAME_BYTES, "%s", a->also[a->n_rows - 1]);
    ask_join_name(text, ASK_NAME_BYTES, name, len);
    a->also[a->n_rows - 1] = text;
    return LEAT_OK;
}

static int take(struct answer *a, struct instance *i, const struct leat_ask *want, bool beside,
                struct arena *arena)
{
    *a = (struct answer){.base = {sizeof a->base, 0, on_columns, on_row, on_also}, .arena = arena};
    struct leat_query q = ask_query(want);
    q.beside = beside;
    return instance_query(i, &q, &a->base);
}

int answer_take(struct answer *a, struct instance *i, const struct leat_ask *want,
                struct arena *arena)
{
    return take(a, i, want, true, arena);
}

int answer_ask(struct answer *a, struct instance *i, const struct leat_ask *want,
               struct arena *arena)
{
    int status = take(a, i, want, false, arena);
    return status < 0
               ? instance_fail(i, status, "the learner gave no answer: %s", status_text(status))
               : LEAT_OK;
}

uint32_t answer_column(const struct answer *a, const char *name)
{
    uint32_t c = 0;
    while (c < a->n_columns && strcmp(a->column[c], name))
        c++;
    return c;
}
