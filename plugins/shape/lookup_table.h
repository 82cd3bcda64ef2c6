/* lookup_table.h -- a CSV file with a heading as a table in memory: the rows by the value of one
 * column.
 *
 * All of it lies in one block. The text of the file comes first and stays; rows point into it.
 *
 *   text    ip,owner,site\n10.0.0.1,ann,eu\n…
 *   row     key, cell, cell, …    each a struct leat_str of the text; an empty cell is missing
 *   mark    where a row's cells lie in the batch, if they are there (lookup.c)
 *   slot    row + 1 by the key's hash, 0: none */
#ifndef LEAT_SHAPE_LOOKUP_TABLE_H
#define LEAT_SHAPE_LOOKUP_TABLE_H

#include <stdbool.h>

#include <leat/plugin.h>

#define LOOKUP_NONE UINT32_MAX

struct lookup_mark {
    uint64_t batch;
    uint32_t off;
};

struct lookup_table {
    char *text; /* the block */
    size_t n_text, bytes;
    uint32_t columns; /* of each row, beside its key */
    uint32_t rows, slots;
    struct leat_str *row; /* (1 + columns) for each */
    struct lookup_mark *mark;
    uint32_t *slot;
    uint64_t repeated; /* rows whose key an earlier one has */
    uint64_t line;     /* of what `why` says; 0: of no line */
    char why[400];
};

struct lookup_names {
    const char *key;
    const struct leat_strings *columns;
    char delimiter;
};

/* Fills the table from the file's text, which lies in t->text[0 .. n_text) of t->bytes. false:
 * `why` says why, and what to do. */
bool lookup_table_fill(struct lookup_table *t, const struct lookup_names *names);

/* The row of a key; LOOKUP_NONE: there is none. */
uint32_t lookup_table_find(const struct lookup_table *t, const char *key, size_t n);

static inline const struct leat_str *lookup_table_cells(const struct lookup_table *t, uint32_t row)
{
    return t->row + (size_t)row * (1 + t->columns) + 1;
}

#endif
