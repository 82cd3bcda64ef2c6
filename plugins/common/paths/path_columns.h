/* path_columns.h -- columns that are paths in nested records: "http.status", "tags[*]".
 *
 * parse.json, parse.avro and parse.protobuf share the parameters, the names of columns, and the
 * policies for values that are missing or null. They differ only in how they find values in a
 * record. For paths see kernels/text/json_path.h, for their tree kernels/text/json.h.
 *
 * Without the parameter `columns`, the columns are the names that later stages look up
 * (leat_negotiation.asked), each read as a path. */
#ifndef LEAT_COMMON_PATHS_PATH_COLUMNS_H
#define LEAT_COMMON_PATHS_PATH_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <leat/plugin.h>

#include "kernels/text/json.h"

/* ---- the paths of the first records ----
 *
 * Used for a hint if no record has a path of the user. Each lane has a list of limited length:
 * paths beyond the limits are not noted. */

enum {
    PATH_NAMES = 512, /* most paths noted */
    PATH_NAMES_BYTES = 16384,
    PATH_NAMES_RECORDS = 64, /* number of first records whose paths are noted */
    PATH_NAMES_HINT = 400,   /* bytes of the hint by path_names_hint() */
};

/* Paths that the first records have. Zeroed at first. */
struct path_names {
    const char *name[PATH_NAMES + 1]; /* n names, then NULL */
    uint32_t n, n_text, records;
    char text[PATH_NAMES_BYTES];
};

/* Counts a record. Returns true if its paths are to be noted. Call this once for each record. */
static inline bool path_names_wanted(struct path_names *p)
{
    return p->records < PATH_NAMES_RECORDS && ++p->records;
}

/* Notes a path, unless it is noted already. `to`: the struct path_names. */
void path_names_add(void *to, const char *path, uint32_t n);

/* True if the list has this path. */
bool path_names_have(const struct path_names *, const char *path);

/* Writes a hint for a path that no record has: "; did you mean 'http.status'?". If no noted path is
 * similar and `list` is true, writes "; the records have a, b, c" and returns true. Indices in
 * paths do not matter. */
bool path_names_hint(const struct path_names *, const char *path, bool list,
                     char hint[PATH_NAMES_HINT]);

/* ---- columns ---- */

/* Policies for a value that a column cannot take, as in path_columns_policies. */
enum { PATH_AS_EMPTY, PATH_AS_REJECTED };

struct path_columns_cfg {
    struct leat_strings columns, numbers, integers;
    const char *separator;
    int32_t missing, null, other;
};

extern const char *const path_columns_policies[];

/* Parameters for a configuration CFG whose member FIELD is a struct path_columns_cfg. */
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
                      .doc = "text between the elements that [*] joins"),                          \
        LEAT_PARAM_AS("missing", CFG, FIELD.missing, LEAT_CHOICE, .def = "empty",                  \
                      .choices = path_columns_policies,                                            \
                      .doc = "a record without a path: the cell has no value, or the record is "   \
                             "rejected"),                                                          \
        LEAT_PARAM_AS("null", CFG, FIELD.null, LEAT_CHOICE, .def = "empty",                        \
                      .choices = path_columns_policies,                                            \
                      .doc =                                                                       \
                          "a null at a path: the cell has no value, or the record is rejected"),   \
        LEAT_PARAM_AS("other", CFG, FIELD.other, LEAT_CHOICE, .def = "reject",                     \
                      .choices = path_columns_policies,                                            \
                      .doc = "an object, an array, or in `numbers` and `integers` another type: "  \
                             "the cell has no value, or the record is rejected")

/* Members of struct leat_stage for a parser of lines with these columns. */
#define PATH_COLUMNS_STAGE                                                                         \
    .kind = LEAT_TRANSFORM, .caps = LEAT_PARALLEL | LEAT_PARSER | LEAT_NAMED_LATER,                \
    LEAT_FLOW(LEAT_HAS_RECORDS, LEAT_HAS_COLUMNS), .framing = path_columns_framing
int path_columns_framing(const void *config, struct leat_framing *f);

/* Reports wrong paths when a stage is validated. */
void path_columns_check(const struct path_columns_cfg *, struct leat_diag *);

/* Adds the columns in negotiate. Without the parameter `columns`, leaves the schema open until
 * later stages name columns. Sets *joined to the number of columns that join elements of arrays. */
int path_columns_negotiate(const struct path_columns_cfg *, struct leat_negotiation *,
                           uint32_t *joined);

/* Columns of an open stage. Zeroed at first. */
struct path_columns {
    const struct path_columns_cfg *cfg;
    struct json_paths paths;  /* one path for each column */
    uint32_t first, n;        /* index of the first column in the batch, and number of columns */
    uint32_t *same;           /* for each column: first text column with the same path, or itself */
    bool *came;               /* for each column: true if a record had a value */
    uint64_t records;         /* number of valid records */
    struct path_names *names; /* paths of the first records, noted by the parser */
    struct json_step *step;
    char *keys;
};

/* Returns the bytes that n columns take. */
uint64_t path_columns_bytes(uint32_t n);
/* Opens the columns, in open. A failure is reported to the host and leaves nothing to close. */
int path_columns_open(struct leat_ctx *, const struct path_columns_cfg *, struct path_columns *);
void path_columns_close(struct leat_ctx *, struct path_columns *);

/* Return the name of column i, its path, its type, and whether its cells are text. */
const char *path_columns_name(const struct leat_ctx *, const struct path_columns *, uint32_t i);
const char *path_columns_path(const struct leat_ctx *, const struct path_columns *, uint32_t i);
uint32_t path_columns_type(const struct leat_ctx *, const struct path_columns *, uint32_t i);
bool path_columns_is_text(const struct leat_ctx *, const struct path_columns *, uint32_t i);

/* Cell that is being filled: record r, column i. */
struct path_row {
    struct leat_ctx *ctx;
    struct path_columns *columns;
    struct leat_batch *b;
    uint32_t r, i; /* record; index of a path column */
};

/* Clears the cell. */
void path_row_clear(const struct path_row *);
/* Handle a record that lacks the path, or has null there. Like the functions below, they return
 * false if they rejected the record. */
bool path_row_missing(const struct path_row *);
bool path_row_null(const struct path_row *);
/* Handles a compound value, an object or array, whose name with article is `what` ("an array"), at
 * offset `at`, or PATH_ROW_NOWHERE. keyed: its parts have names. */
#define PATH_ROW_NOWHERE UINT32_MAX
bool path_row_compound(const struct path_row *, const char *what, bool keyed, uint32_t at);
/* Rejects the record, because the batch has no room for the cell's text. */
bool path_row_full(const struct path_row *);
/* Read a text as a number or an integer. A text of blanks is a missing value. If the text is wrong,
 * the cell stays empty if the parameter `other` allows it; otherwise the record is rejected. */
bool path_row_number(const struct path_row *, const char *text, uint32_t len, double *cell);
bool path_row_integer(const struct path_row *, const char *text, uint32_t len, int64_t *cell);

/* True if a cell stays empty when the value has another type than the column. */
bool path_columns_takes_other(const struct path_columns_cfg *cfg);

/* Warns of columns for which no record had a value: their paths may be misspelt or belong to other
 * data. Shows paths of the first records. Also warns of values in the records that are hidden by a
 * column of a later stage. Called in finish. Each lane's self has its struct path_columns at
 * `offset`. */
void path_columns_finish(struct leat_ctx *, void *const *self, uint32_t lanes, size_t offset);

#endif
