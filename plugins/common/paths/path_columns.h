/* path_columns.h -- columns that are paths in records of nested values: "http.status", "tags[*]".
 *
 * parse.json and parse.avro have the same parameters, the same names of columns, and the same
 * policies for values that are missing or null; only how values are found in a record differs. The
 * paths: kernels/text/json_path.h; their tree: kernels/text/json.h.
 *
 * Without `columns` the columns are those that later stages look up (leat_negotiation.asked), each
 * name read as a path. */
#ifndef LEAT_COMMON_PATHS_PATH_COLUMNS_H
#define LEAT_COMMON_PATHS_PATH_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <leat/plugin.h>

#include "kernels/text/json.h"

/* ---- the paths of the first records ----
 *
 * They say which path was meant by one that no record has. Of each lane; bounded: later paths, and
 * later records, are not noted. */

enum {
    PATH_NAMES = 512, /* the most that are noted, and their bytes */
    PATH_NAMES_BYTES = 16384,
    PATH_NAMES_RECORDS = 64, /* whose paths are noted    */
    PATH_NAMES_HINT = 400,   /* bytes of path_names_hint */
};

/* Zeroed before. */
struct path_names {
    const char *name[PATH_NAMES + 1]; /* n of them, and NULL */
    uint32_t n, n_text, records;
    char text[PATH_NAMES_BYTES];
};

/* True if the paths of this record are to be noted. Call it once for each record. */
static inline bool path_names_wanted(struct path_names *p)
{
    return p->records < PATH_NAMES_RECORDS && ++p->records;
}

/* Notes a path, unless it is noted already. `to`: the struct path_names. */
void path_names_add(void *to, const char *path, uint32_t n);

/* True if this path is noted. */
bool path_names_have(const struct path_names *, const char *path);

/* Writes the cure for a path that no record has: "; did you mean 'http.status'?". If no path is
 * near, and `list`: "; the records have a, b, c", and returns true. Numbers of elements are not
 * compared. */
bool path_names_hint(const struct path_names *, const char *path, bool list,
                     char hint[PATH_NAMES_HINT]);

/* ---- columns ---- */

struct path_columns_cfg {
    struct leat_strings columns, numbers, integers;
    const char *separator;
    int32_t missing, null, other;
};

extern const char *const path_columns_policies[];

/* The parameters, of a struct path_columns_cfg that is member FIELD of CFG. */
#define PATH_COLUMNS_PARAMS(CFG, FIELD)                                                            \
    LEAT_PARAM_AS("columns", CFG, FIELD.columns, LEAT_STRINGS, .flags = LEAT_POSITIONAL,           \
                  .doc = "paths of the columns: \"path\", or \"name=path\" for another name; "     \
                         "none: the columns that later stages name"),                              \
        LEAT_PARAM_AS("numbers", CFG, FIELD.numbers, LEAT_STRINGS,                                 \
                      .doc = "columns that hold numbers; the others hold text"),                   \
        LEAT_PARAM_AS("integers", CFG, FIELD.integers, LEAT_STRINGS,                               \
                      .doc = "columns that hold whole numbers of 64 bits, such as ids, which "     \
                             "`numbers` would round beyond 2^53"),                                 \
        LEAT_PARAM_AS("separator", CFG, FIELD.separator, LEAT_STRING, .def = " ",                  \
                      .doc = "what is put between the elements that [*] joins"),                   \
        LEAT_PARAM_AS("missing", CFG, FIELD.missing, LEAT_CHOICE, .def = "empty",                  \
                      .choices = path_columns_policies,                                            \
                      .doc = "a record without a path: the cell has no value, or the record is "   \
                             "rejected"),                                                          \
        LEAT_PARAM_AS("null", CFG, FIELD.null, LEAT_CHOICE, .def = "empty",                        \
                      .choices = path_columns_policies, .doc = "a null at a path, likewise"),      \
        LEAT_PARAM_AS("other", CFG, FIELD.other, LEAT_CHOICE, .def = "reject",                     \
                      .choices = path_columns_policies,                                            \
                      .doc = "a value of another type than the column's, likewise: an object or "  \
                             "array, or, in `numbers` and `integers`, what is none")

/* Members of a stage whose records are lines and whose columns are such paths. */
#define PATH_COLUMNS_STAGE                                                                         \
    .kind = LEAT_TRANSFORM, .caps = LEAT_PARALLEL | LEAT_PARSER | LEAT_NAMED_LATER,                \
    LEAT_FLOW(LEAT_HAS_RECORDS, LEAT_HAS_COLUMNS), .framing = path_columns_framing
int path_columns_framing(const void *config, struct leat_framing *f);

/* For validate: reports paths that are wrong. */
void path_columns_check(const struct path_columns_cfg *, struct leat_diag *);

/* For negotiate: adds the columns, or leaves the schema open until later stages name them. *joined:
 * how many of them join elements. */
int path_columns_negotiate(const struct path_columns_cfg *, struct leat_negotiation *,
                           uint32_t *joined);

/* The columns of an open stage. Zeroed before. */
struct path_columns {
    const struct path_columns_cfg *cfg;
    struct json_paths paths;  /* one a column                                             */
    uint32_t first, n;        /* of these columns, among the batch's                      */
    uint32_t *same;           /* of a column: the first text column with its path, or itself */
    bool *came;               /* of a column: a record had a value there                  */
    uint64_t records;         /* that were right                                          */
    struct path_names *names; /* of the first of them; the parser notes them               */
    struct json_step *step;
    char *keys;
};

/* Returns the bytes of n columns. */
uint64_t path_columns_bytes(uint32_t n);
/* For open. A failure is reported, and leaves nothing to close. */
int path_columns_open(struct leat_ctx *, const struct path_columns_cfg *, struct path_columns *);
void path_columns_close(struct leat_ctx *, struct path_columns *);

/* Return the name of column i, its path, its type, and whether it holds text. */
const char *path_columns_name(const struct leat_ctx *, const struct path_columns *, uint32_t i);
const char *path_columns_path(const struct leat_ctx *, const struct path_columns *, uint32_t i);
uint32_t path_columns_type(const struct leat_ctx *, const struct path_columns *, uint32_t i);
bool path_columns_is_text(const struct leat_ctx *, const struct path_columns *, uint32_t i);

/* One record on its way into the cells. */
struct path_row {
    struct leat_ctx *ctx;
    struct path_columns *columns;
    struct leat_batch *b;
    uint32_t r, i; /* the record; the column, among these */
};

/* Clears the cell of column row->i. */
void path_row_clear(const struct path_row *);
/* Handle a record that does not have the path, or is null there. These functions and the next ones
 * return false after rejecting the record. */
bool path_row_missing(const struct path_row *);
bool path_row_null(const struct path_row *);
/* Handles a record that has `what` ("an array") at an offset, and no single value; keyed: its parts
 * have names. */
bool path_row_compound(const struct path_row *, const char *what, bool keyed, uint32_t at);
/* Rejects a record if the batch has no room for the cell's text. */
bool path_row_full(const struct path_row *);
/* Read a text as a number, as an integer. A text that is none and need not be one leaves the cell
 * clear. */
bool path_row_number(const struct path_row *, const char *text, uint32_t len, double *cell);
bool path_row_integer(const struct path_row *, const char *text, uint32_t len, int64_t *cell);

/* For finish: warns of columns that no record had; such a path is misspelt, or of other data. Says
 * what the first records had instead. Warns of values of the first records that a column of a later
 * stage hides. Each lane's self has its struct path_columns at `offset`. */
void path_columns_finish(struct leat_ctx *, void *const *self, uint32_t lanes, size_t offset);

#endif
