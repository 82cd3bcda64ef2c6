/* lookup_table.h -- a file as a table in memory, in which rows are found by their key.
 *
 * Everything is in one block of memory. The file's text comes first; rows refer to it.
 *
 *   text    ip,owner,site\n10.0.0.1,ann,eu\n…      of CSV (lookup_file.c)
 *           10.0.0.1anneu…                         of SQLite (lookup_sqlite.h)
 *   row     key, cell, cell, …    each a struct leat_str in the text, or missing
 *   mark    batch to which a row's cells have been copied, and the place there (lookup.c)
 *   slot    hash table by key: index of a row + 1; 0: empty */
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
    char *text; /* start of the block of memory */
    size_t n_text, bytes;
    uint32_t columns; /* number of cells in a row, not counting the key */
    uint32_t rows, slots;
    struct leat_str *row; /* for each row, its key and its `columns` cells */
    struct lookup_mark *mark;
    uint32_t *slot;
    uint64_t repeated;     /* number of rows whose key occurs in an earlier row */
    uint32_t repeats;      /* index of the first row that repeats a key */
    uint64_t keyless;      /* number of rows without a key, which are omitted */
    uint64_t foreign_line; /* line of CSV with the first byte that is not UTF-8; 0: none */
    uint8_t foreign_byte;  /* this byte */
    uint64_t line;         /* line to which `why` refers; 0: none */
    char why[400];
};

/* Names of the columns to read from the file. */
struct lookup_names {
    const char *key;
    const struct leat_strings *columns;
};

/* Returns the row with a key; LOOKUP_NONE if there is none. */
uint32_t lookup_table_find(const struct lookup_table *t, const char *key, size_t n);

static inline const struct leat_str *lookup_table_cells(const struct lookup_table *t, uint32_t row)
{
    return t->row + (size_t)row * (1 + t->columns) + 1;
}

/* ---- functions for the files that fill a table ---- */

/* List of names, for example of columns. The names are in t->text. */
enum { LOOKUP_NAMES_MAX = 1024 };
struct lookup_list {
    const char *what; /* word for the named things in messages, such as "column" */
    bool any_case;    /* true if case is ignored (ASCII only) */
    uint32_t n;
    struct leat_str name[LOOKUP_NAMES_MAX];
};

/* Writes a message to t->why. Returns false. */
__attribute__((format(printf, 2, 3))) bool lookup_table_fail(struct lookup_table *t,
                                                             const char *format, ...);
/* Writes to t->why that the block (t->bytes) is too small for the file. Returns false. */
bool lookup_table_full(struct lookup_table *t);

/* Finds `name`, which must occur exactly once in the list, and sets *at. Otherwise returns false,
 * with a message that lists the names in t->why. */
bool lookup_table_named(struct lookup_table *t, const struct lookup_list *list, const char *name,
                        uint32_t *at);

/* Writes to t->why that the user must choose one of the names in the list. Returns false. */
bool lookup_table_unclear(struct lookup_table *t, const struct lookup_list *list);

size_t lookup_table_align(size_t n);
size_t lookup_table_row_bytes(const struct lookup_table *t);

/* Builds the marks and slots. t->row must have t->rows rows, directly behind the n_text bytes of
 * text. If several rows have the same key, the first is found. */
bool lookup_table_place(struct lookup_table *t);

#endif
