/* lookup_table.h -- a file as a table in memory: rows by the value of one column.
 *
 * All of it lies in one block. The text of the file comes first; rows point into it.
 *
 *   text    ip,owner,site\n10.0.0.1,ann,eu\n…      of CSV (lookup_file.c)
 *           10.0.0.1anneu…                         of SQLite (lookup_sqlite.h)
 *   row     key, cell, cell, …    each a struct leat_str of the text, or missing
 *   mark    place of a row's cells in the batch, if they are there (lookup.c)
 *   slot    row + 1 by the key's hash, 0: empty */
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
    uint32_t columns; /* cells of a row, without the key */
    uint32_t rows, slots;
    struct leat_str *row; /* 1 + columns for each row */
    struct lookup_mark *mark;
    uint32_t *slot;
    uint64_t repeated; /* rows whose key an earlier row has */
    uint32_t repeats;  /* first of these rows */
    uint64_t keyless;  /* rows without a key, which were left out */
    uint64_t line;     /* line that `why` is about; 0: no line */
    char why[400];
};

/* Key and columns to read from the file. */
struct lookup_names {
    const char *key;
    const struct leat_strings *columns;
};

/* Returns the row of a key, or LOOKUP_NONE. */
uint32_t lookup_table_find(const struct lookup_table *t, const char *key, size_t n);

static inline const struct leat_str *lookup_table_cells(const struct lookup_table *t, uint32_t row)
{
    return t->row + (size_t)row * (1 + t->columns) + 1;
}

/* ---- calls for files that fill it ---- */

/* List of names in t->text, such as those of columns. */
enum { LOOKUP_NAMES_MAX = 1024 };
struct lookup_list {
    const char *what; /* "column" */
    bool any_case;    /* upper and lower case of ASCII are equal */
    uint32_t n;
    struct leat_str name[LOOKUP_NAMES_MAX];
};

/* Sets t->why and returns false. */
__attribute__((format(printf, 2, 3))) bool lookup_table_fail(struct lookup_table *t,
                                                             const char *format, ...);
/* Reports that the block is too small; returns false. */
bool lookup_table_full(struct lookup_table *t);

/* Finds `name` in the list, where it must occur once. Otherwise t->why lists the names. */
bool lookup_table_named(struct lookup_table *t, const struct lookup_list *list, const char *name,
                        uint32_t *at);

/* Reports that several names are possible; returns false. */
bool lookup_table_unclear(struct lookup_table *t, const struct lookup_list *list);

size_t lookup_table_align(size_t n);
size_t lookup_table_row_bytes(const struct lookup_table *t);

/* Makes marks and slots, once t->rows rows lie at t->row, right after t->n_text bytes of text. If
 * rows have the same key, the first is found. */
bool lookup_table_place(struct lookup_table *t);

#endif
