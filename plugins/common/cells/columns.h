/* columns.h -- columns that a sink writes as CSV, TSV or JSON: their choice, headings and cells. */
#ifndef LEAT_COMMON_CELLS_COLUMNS_H
#define LEAT_COMMON_CELLS_COLUMNS_H

#include <assert.h>
#include <stdbool.h>
#include <string.h>

#include <leat/plugin.h>

#include "cells.h"

struct columns {
    const struct leat_column *column; /* columns of the schema */
    uint32_t n;                       /* number of columns to write */
    uint32_t *index;                  /* indices of the columns to write, in order */
};

/* Reports an error, in negotiate, if an earlier stage has made the records: format = "raw" then has
 * no original bytes to write. formats: other formats that the message suggests. */
static inline void columns_check_raw(struct leat_negotiation *n, const char *formats)
{
    if (n->in->derived)
        n->diag->error(n->diag, "format",
                       "\"raw\" writes the bytes that arrived, but these records were made by an "
                       "earlier stage: set format = %s",
                       formats);
}

/* Returns the index of a column. Called in open, after negotiate has asked for the column with the
 * same types. */
static inline uint32_t columns_known(struct leat_ctx *ctx, const char *name, uint32_t types)
{
    uint32_t c = 0;
    int status = ctx->host->column(ctx, name, types, &c);
    assert(status == LEAT_OK);
    (void)status;
    return c;
}

/* Declares that column `to` of the output contains the texts of column `from` of the input. */
static inline void columns_same_form(struct leat_negotiation *n, uint32_t to, uint32_t from)
{
    const struct leat_column *c = &n->in->column[from];
    if (c->type == LEAT_TEXT && c->decimal) n->number_form(n, to, c->decimal, c->thousands);
}

/* True for an internal column, named "@route" and a number. leat.route with a function makes it, to
 * name the branch of each record (lua/leat/init.lua). Other names with an @ belong to the user,
 * such as Logstash's "@timestamp". */
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

/* Reports names that are listed before. */
static inline void columns_check_names(struct leat_negotiation *n, const char *param,
                                       const struct leat_strings *names)
{
    for (uint32_t i = 0; i < names->n; i++)
        for (uint32_t j = 0; j < i; j++)
            if (!strcmp(names->v[i], names->v[j])) {
                n->diag->error(n->diag, param, "column '%s' is listed twice: leave one out",
                               names->v[i]);
                break;
            }
}

/* Asks for the columns `names`, as some of the types. If there are no names, asks for all columns
 * if `all`, else for none. Called in negotiate. A name that is not a column, or is listed
 * twice, is an error. */
static inline int columns_ask(struct leat_negotiation *n, const char *param,
                              const struct leat_strings *names, bool all, uint32_t types)
{
    uint32_t index;
    columns_check_names(n, param, names);
    for (uint32_t i = 0; i < names->n; i++)
        n->column(n, param, names->v[i], types, &index);
    for (uint32_t i = 0; !names->n && all && i < n->in->n_columns; i++)
        if (!columns_is_internal(n->in, i))
            n->column(n, param, n->in->column[i].name, types, &index);
    return LEAT_OK;
}

/* Opens the columns. Called in open, with the same arguments as columns_ask(). */
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

/* Writes a text as a cell: as TSV if the delimiter is a tab, else as CSV. */
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

/* Writes the cell of record r in column c->index[i]. Writes nothing if the value is missing. */
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

/* Writes the cell of record r in column c->index[i] as "name":value. */
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

/* Writes record r as a JSON object {"name":value,…}. */
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
