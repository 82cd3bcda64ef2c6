/* lookup_table.h -- a file as a table in memory: its rows by the value of one column.
 *
 * All of it lies in one block. What the file holds as text comes first; rows point into it.
 *
 *   text    ip,owner,site\n10.0.0.1,ann,eu\n…      of CSV (lookup_file.c)
 *           10.0.0.1anneu…                         of SQLite (lookup_sqlite.h)
 *   row     key, cell, cell, …    each a struct leat_str of the text, or missing
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
    uint32_t repeats;  /* the first of them                 */
    uint64_t keyless;  /* rows without a key, which were left out */
    uint64_t line;     /* of what `why` says; 0: of no line */
    char why[400];
};

/* What of the file is wanted. */
struct lookup_names {
    const char *key;
    const struct leat_strings *columns;
};

/* The row of a key; LOOKUP_NONE: there is none. */
uint32_t lookup_table_find(const struct lookup_table *t, const char *key, size_t n);

static inline const struct leat_str *lookup_table_cells(const struct lookup_table *t, uint32_t row)
{
    return t->row + (size_t)row * (1 + t->columns) + 1;
}

/* ---- for those that fill it ---- */

/* Names that lie in t->text: of columns, say. */
enum { LOOKUP_NAMES_MAX = 1024 };
struct lookup_list {
    const char *what; /* "column" */
    bool any_case;    /* upper and lower case of ASCII are the same */
    uint32_t n;
    struct leat_str name[LOOKUP_NAMES_MAX];
};

/* Sets t->why; returns false. */
__attribute__((format(printf, 2, 3))) bool lookup_table_fail(struct lookup_table *t,
                                                             const char *format, ...);
/* The same: the block is too small. */
bool lookup_table_full(struct lookup_table *t);

/* The index of `name` in the list, where it must stand once; else t->why lists what is there. */
bool lookup_table_named(struct lookup_table *t, const struct lookup_list *list, const char *name,
                        uint32_t *at);

/* t->why: which of them? Returns false. */
bool lookup_table_unclear(struct lookup_table *t, const struct lookup_list *list);

size_t lookup_table_align(size_t n);
size_t lookup_table_row_bytes(const struct lookup_table *t);

/* Once t->rows rows lie at t->row, right behind t->n_text bytes of text: makes marks and slots.
 * Of rows with one key the first is found. */
bool lookup_table_place(struct lookup_table *t);

#endif
