/* columns.h -- columns of a record as CSV, TSV or JSON: the choice, the headings, the cells. */
#ifndef LEAT_COMMON_CELLS_COLUMNS_H
#define LEAT_COMMON_CELLS_COLUMNS_H

#include <assert.h>
#include <stdbool.h>
#include <string.h>

#include <leat/plugin.h>

#include "cells.h"

struct columns {
    const struct leat_column *column; /* columns of the schema */
    uint32_t n;                       /* how many are written */
    uint32_t *index;                  /* the written ones in order */
};

/* Reports, in negotiate of a sink that writes records as they arrived, that an earlier stage has
 * made these records. formats: the formats to choose instead. */
static inline void columns_check_raw(struct leat_negotiation *n, const char *formats)
{
    if (n->in->derived)
        n->diag->error(n->diag, "format",
                       "\"raw\" writes the bytes that arrived, but an earlier stage has made these "
                       "records of others: set format = %s",
                       formats);
}

/* Returns a column in open, after negotiate has asked for it as one of these types. */
static inline uint32_t columns_known(struct leat_ctx *ctx, const char *name, uint32_t types)
{
    uint32_t c = 0;
    int status = ctx->host->column(ctx, name, types, &c);
    assert(status == LEAT_OK);
    (void)status;
    return c;
}

/* Declares that column `to` of the output has the texts of column `from` of the input. */
static inline void columns_same_form(struct leat_negotiation *n, uint32_t to, uint32_t from)
{
    const struct leat_column *c = &n->in->column[from];
    if (c->type == LEAT_TEXT && c->decimal) n->number_form(n, to, c->decimal, c->thousands);
}

/* True for a column that a pipeline uses internally: "@route" and a number, the branches of a route
 * by a function (lua/leat/init.lua). Other names with an @ are the user's, such as Logstash's
 * "@timestamp". */
static inline bool columns_is_internal(const struct leat_schema *s, uint32_t column)
{
    static const char own[] = "@route";
    const char *name = s->column[column].name;
    if (strncmp(name, own, sizeof own - 1) != 0) return false;
    const char *number = name + sizeof own - 1;
    return *number && strspn(number, "0123456789") == strlen(number);
}

static inline uint32_t columns_shown(const struct leat_schema *s)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->n_columns; i++)
        n += !columns_is_internal(s, i);
    return n;
}

/* Asks, in negotiate, for the columns as some of these types. Each name must be that of a column.
 * Without names asks for all columns if `all`, else for none. */
static inline int columns_ask(struct leat_negotiation *n, const char *param,
                              const struct leat_strings *names, bool all, uint32_t types)
{
    uint32_t index;
    for (uint32_t i = 0; i < names->n; i++)
        n->column(n, param, names->v[i], types, &index);
    for (uint32_t i = 0; !names->n && all && i < n->in->n_columns; i++)
        if (!columns_is_internal(n->in, i))
            n->column(n, param, n->in->column[i].name, types, &index);
    return LEAT_OK;
}

/* Opens the columns that columns_ask asked for in negotiate. */
static inline int columns_open(struct leat_ctx *ctx, struct columns *c,
                               const struct leat_strings *names, bool all, uint32_t types)
{
    const struct leat_schema *s = ctx->in;
    c->column = s->column;
    c->n = names->n ? names->n : all ? columns_shown(s) : 0;
    if (!c->n) return LEAT_OK;
    c->index = ctx->host->alloc(ctx, c->n * sizeof *c->index);
    if (!c->index)
        return ctx->host->fail(ctx, LEAT_ENOMEM, "there is not enough memory for %u columns", c->n);
    for (uint32_t i = 0, from = 0; i < c->n; i++, from++) {
        while (!names->n && columns_is_internal(s, from))
            from++;
        c->index[i] = columns_known(ctx, names->n ? names->v[i] : s->column[from].name, types);
    }
    return LEAT_OK;
}

static inline void columns_close(struct leat_ctx *ctx, struct columns *c)
{
    ctx->host->free(ctx, c->index);
}

/* Writes text between delimiters, by the rules of TSV if the delimiter is a tab, else of CSV. */
static inline void columns_text(struct text_out *o, const char *s, size_t n, char delimiter)
{
    if (delimiter == '\t')
        text_tsv(o, s, n);
    else
        text_csv(o, s, n, delimiter);
}

static inline void columns_heading(struct text_out *o, const struct columns *c, uint32_t i,
                                   char delimiter)
{
    const char *name = c->column[c->index[i]].name;
    columns_text(o, name, strlen(name), delimiter);
}

/* Writes the i-th chosen cell of record r; nothing if its value is missing. */
static inline void columns_cell(struct text_out *o, const struct columns *c, uint32_t i,
                                const struct leat_batch *b, uint32_t r, char delimiter)
{
    union leat_cells cells = b->column[c->index[i]];
    uint32_t type = c->column[c->index[i]].type;
    if (!cells_have(cells, type, r)) return;
    if (cells_are_slices(type))
        columns_text(o, leat_text(b, cells.text[r]), cells.text[r].len, delimiter);
    else
        cells_write(o, cells, type, r);
}

static inline void columns_quoted(struct text_out *o, union leat_cells cells, uint32_t type,
                                  uint32_t r)
{
    text_char(o, '"');
    cells_write(o, cells, type, r);
    text_char(o, '"');
}

/* Writes "name":value. */
static inline void columns_member(struct text_out *o, const struct columns *c, uint32_t i,
                                  const struct leat_batch *b, uint32_t r)
{
    const struct leat_column *column = &c->column[c->index[i]];
    union leat_cells cells = b->column[c->index[i]];
    text_json(o, column->name, strlen(column->name));
    text_char(o, ':');
    if (!cells_have(cells, column->type, r))
        text_str(o, "null");
    else if (cells_are_slices(column->type))
        text_json(o, leat_text(b, cells.text[r]), cells.text[r].len);
    else if (column->type == LEAT_NUMBER)
        text_json_double(o, cells.number[r]);
    else if (column->type == LEAT_TIME)
        columns_quoted(o, cells, column->type, r);
    else
        cells_write(o, cells, column->type, r);
}

/* Writes the chosen cells of record r as {"name":value,…}. */
static inline void columns_object(struct text_out *o, const struct columns *c,
                                  const struct leat_batch *b, uint32_t r)
{
    text_char(o, '{');
    for (uint32_t i = 0; i < c->n; i++) {
        if (i) text_char(o, ',');
        columns_member(o, c, i, b, r);
    }
    text_char(o, '}');
}

#endif
