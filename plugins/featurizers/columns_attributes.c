/* columns_attributes.c -- implementation of columns_attributes.h. */
#include "columns_attributes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/report/text_out.h"
#include "common/cells/cell.h"
#include "common/cells/strings.h"
#include "examples.h"

enum {
    MAX_FEATURES = 10000 /* most features of a record; more would be a mistake or too slow */
};

enum columns_numeric { NUMERIC_CATEGORY, NUMERIC_VALUE };
static const char *const columns_numerics[] = {"category", "value", NULL};

const struct leat_param columns_params[COLUMNS_PARAMS] = {
    LEAT_PARAM(struct columns_cfg, columns, LEAT_STRINGS, .flags = LEAT_POSITIONAL,
               .doc = "the attributes: each text makes a feature column=text"),
    LEAT_PARAM(
        struct columns_cfg, numbers, LEAT_STRINGS,
        .doc = "attributes to read as numbers: the feature is the column, its value the number"),
    LEAT_PARAM(struct columns_cfg, each, LEAT_STRINGS,
               .doc = "attributes that hold several values: each element makes a feature "
                      "column=element"),
    LEAT_PARAM(struct columns_cfg, separator, LEAT_STRING, .def = " ",
               .doc = "text between the elements in columns of `each`"),
    LEAT_PARAM(struct columns_cfg, elements, LEAT_INT, .flags = LEAT_ADVANCED, .def = "16",
               .min = 1, .max = MAX_FEATURES, .unit = "elements",
               .doc = "most elements of a record in a column of `each`; others are left out"),
    LEAT_PARAM(struct columns_cfg, edges, LEAT_STRINGS,
               .doc = "columns of numbers and their edges, as in humid=60 70 80: each edge makes a "
                      "feature humid >= 60 or humid < 60"),
    LEAT_PARAM(struct columns_cfg, levels, LEAT_STRINGS,
               .doc =
                   "columns of texts and how to cut them, as in path=/ 3: each of up to 3 parents "
                   "of /a/b/c/d, such as /a/, makes a feature; host=. 2 right counts from the "
                   "right"),
    LEAT_PARAM(struct columns_cfg, cross_edges, LEAT_INT, .flags = LEAT_ADVANCED, .def = "3",
               .min = 0, .max = COLUMNS_EDGES, .unit = "edges",
               .doc = "of the edges of a column, how many evenly spaced ones are in conjunctions"),
    LEAT_PARAM(struct columns_cfg, cross, LEAT_INT, .def = "1", .min = 1, .max = 3,
               .unit = "attributes", .doc = "also make conjunctions of up to N attributes"),
    LEAT_PARAM(struct columns_cfg, explode, LEAT_BOOL, .def = "false",
               .doc = "make an example of every feature, instead of one example with all features"),
    LEAT_PARAM(struct columns_cfg, constant, LEAT_STRING,
               .doc = "also make a feature of this name in every example, with the value 1: its "
                      "weight is the intercept of a linear model"),
    LEAT_PARAM(struct columns_cfg, skip_missing, LEAT_BOOL, .def = "true",
               .doc = "make no feature of a missing value; false: make the feature `column is "
                      "missing`"),
    LEAT_PARAM(struct columns_cfg, numeric, LEAT_CHOICE, .flags = LEAT_ADVANCED, .def = "value",
               .choices = columns_numerics,
               .doc = "what to make of columns that arrive as numbers: value: as in `numbers`; "
                      "category: a feature column=number"),
    LEAT_PARAM(struct columns_cfg, scaled, LEAT_BOOL, .flags = LEAT_ADVANCED, .def = "true",
               .doc = "let linear learners centre and scale each number; false: they take numbers "
                      "as they are, and 0 makes no feature"),
};

/* ---- the attributes: columns, numbers, each, edges, levels, in this order ---- */

uint32_t columns_n_attributes(const struct columns_cfg *c)
{
    return c->columns.n + c->numbers.n + c->each.n + c->edges.n + c->levels.n;
}

/* Returns the parameter that has attribute i, and sets *k to its index there. */
static const struct leat_strings *columns_list_of(const struct columns_cfg *c, uint32_t i,
                                                  uint32_t *k)
{
    const struct leat_strings *list[] = {&c->columns, &c->numbers, &c->each, &c->edges, &c->levels};
    uint32_t of = 0;
    for (*k = i; *k >= list[of]->n; of++)
        *k -= list[of]->n;
    return list[of];
}

static bool columns_is_each(const struct columns_cfg *c, uint32_t i)
{
    uint32_t k;
    return columns_list_of(c, i, &k) == &c->each;
}

const char *columns_edges_of(const struct columns_cfg *c, uint32_t i)
{
    uint32_t k;
    return columns_list_of(c, i, &k) == &c->edges ? c->edges.v[k] : NULL;
}

const char *columns_levels_of(const struct columns_cfg *c, uint32_t i)
{
    uint32_t k;
    return columns_list_of(c, i, &k) == &c->levels ? c->levels.v[k] : NULL;
}

/* Returns the name of the column of an entry "column=…". */
static const char *columns_entry_name(const char *entry, char room[COLUMNS_EDGES_NAME])
{
    const char *sign = strrchr(entry, '=');
    snprintf(room, COLUMNS_EDGES_NAME, "%.*s", sign ? (int)(sign - entry) : 0, entry);
    return room;
}

const char *columns_name_of(const struct columns_cfg *c, uint32_t i, char room[COLUMNS_EDGES_NAME])
{
    uint32_t k;
    const struct leat_strings *list = columns_list_of(c, i, &k);
    bool is_entry = list == &c->edges || list == &c->levels;
    return is_entry ? columns_entry_name(list->v[k], room) : list->v[k];
}

static const char *columns_param_of(const struct columns_cfg *c, uint32_t i)
{
    uint32_t k;
    const struct leat_strings *list = columns_list_of(c, i, &k);
    return list == &c->columns   ? "columns"
           : list == &c->numbers ? "numbers"
           : list == &c->each    ? "each"
           : list == &c->edges   ? "edges"
                                 : "levels";
}

uint64_t columns_n_edges(const struct columns_cfg *c, bool crossed)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < c->edges.n; i++) {
        uint64_t n = columns_edges_count(c->edges.v[i]);
        sum += crossed && n > (uint64_t)c->cross_edges ? (uint64_t)c->cross_edges : n;
    }
    return sum;
}

/* Returns the largest number of parents of a record. */
static uint64_t columns_n_levels(const struct columns_cfg *c)
{
    struct columns_levels l;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < c->levels.n; i++)
        sum += columns_levels_read(c->levels.v[i], &l) ? 1 : l.depth;
    return sum;
}

uint64_t columns_max_singles(const struct columns_cfg *c)
{
    /* Without any of its edges, a column may still have the feature of a missing value. */
    uint64_t missing = c->skip_missing || c->cross_edges ? 0 : c->edges.n;
    return c->columns.n + c->numbers.n + c->each.n * (uint64_t)c->elements +
           columns_n_edges(c, true) + columns_n_levels(c) + missing;
}

bool columns_marks_numbers(const struct columns_cfg *c) { return c->scaled && !c->explode; }

uint64_t columns_max_lone(const struct columns_cfg *c)
{
    return columns_n_edges(c, false) - columns_n_edges(c, true);
}

uint64_t columns_n_features(uint64_t m, int64_t cross)
{
    uint64_t pairs = m * (m - (m > 0)) / 2;
    uint64_t triples = m > 2 ? pairs * (m - 2) / 3 : 0;
    return m + (cross > 1 ? pairs : 0) + (cross > 2 ? triples : 0);
}

/* A column may be once in `columns`, `numbers` or `each`, once in `edges` and once in `levels`. */
enum columns_use { WHOLE, CUT, PARENTS };

static enum columns_use columns_use_of(const struct columns_cfg *c, uint32_t i)
{
    return columns_edges_of(c, i) ? CUT : columns_levels_of(c, i) ? PARENTS : WHOLE;
}

/* True if an attribute of this use before attribute `end` has this column. */
static bool columns_is_before(const struct columns_cfg *c, const char *name, uint32_t end,
                              enum columns_use use)
{
    char room[COLUMNS_EDGES_NAME];
    for (uint32_t i = 0; i < end; i++)
        if (columns_use_of(c, i) == use && !strcmp(columns_name_of(c, i, room), name)) return true;
    return false;
}

bool columns_marks_missing(const struct columns_cfg *c, uint32_t i)
{
    char room[COLUMNS_EDGES_NAME];
    if (c->skip_missing || columns_is_each(c, i)) return false;
    return columns_use_of(c, i) == WHOLE ||
           !columns_is_before(c, columns_name_of(c, i, room), i, WHOLE);
}

const char *columns_missing_feature(const struct columns_cfg *c, uint32_t i,
                                    char name[COLUMNS_EDGES_NAME])
{
    char room[COLUMNS_EDGES_NAME];
    snprintf(name, COLUMNS_EDGES_NAME, "%.490s is missing", columns_name_of(c, i, room));
    return name;
}

/* ---- what is wrong with the parameters ---- */

static void columns_check_edges(const struct columns_cfg *c, struct leat_diag *d)
{
    struct columns_edges e;
    for (uint32_t i = 0; i < c->edges.n; i++) {
        const char *wrong = columns_edges_read(c->edges.v[i], &e);
        if (wrong) d->error(d, "edges", "'%s' %s", c->edges.v[i], wrong);
    }
}

static void columns_check_levels(const struct columns_cfg *c, struct leat_diag *d)
{
    struct columns_levels l;
    for (uint32_t i = 0; i < c->levels.n; i++) {
        const char *wrong = columns_levels_read(c->levels.v[i], &l);
        if (wrong) d->error(d, "levels", "'%s' %s", c->levels.v[i], wrong);
    }
}

/* Reports columns that are listed twice for the same use. */
static void columns_check_twice(const struct columns_cfg *c, struct leat_diag *d)
{
    char room[COLUMNS_EDGES_NAME];
    for (uint32_t i = 0; i < columns_n_attributes(c); i++) {
        const char *name = columns_name_of(c, i, room);
        if (columns_is_before(c, name, i, columns_use_of(c, i)))
            d->error(d, columns_param_of(c, i), "column '%s' is listed twice: leave one out", name);
    }
}

int columns_validate(const void *cfg, struct leat_diag *d)
{
    const struct columns_cfg *c = cfg;
    uint32_t n = columns_n_attributes(c);
    if (n == 0)
        d->error(d, "columns",
                 "is empty: name at least one column, as in { \"carrier\", \"origin\" }");
    columns_check_edges(c, d);
    columns_check_levels(c, d);
    columns_check_twice(c, d);
    uint64_t singles = columns_max_singles(c);
    uint64_t features = columns_max_lone(c) +
                        (singles > MAX_FEATURES ? singles : columns_n_features(singles, c->cross));
    if (features > MAX_FEATURES)
        d->error(
            d, "cross",
            "%llu attributes and their conjunctions of up to %d are %llu features a record, more "
            "than %d: leave out columns%s or lower cross",
            (unsigned long long)singles, (int)c->cross, (unsigned long long)features, MAX_FEATURES,
            c->each.n     ? ", lower elements"
            : c->edges.n  ? ", lower cross_edges"
            : c->levels.n ? ", lower the depth of levels"
                          : "");
    if (c->constant && c->explode)
        d->error(d, "constant",
                 "cannot be combined with explode, which makes an example of every feature: leave "
                 "out one of the two");
    if (c->constant && columns_is_before(c, c->constant, n, WHOLE))
        d->error(d, "constant", "'%s' is also a column: give another name", c->constant);
    if (!c->separator[0])
        d->error(d, "separator", "is empty: give the text that stands between the elements");
    return LEAT_OK;
}

/* Returns the types of columns that attribute i accepts. An integer column is accepted as category,
 * because its text is exact. A value may be any number. */
uint32_t columns_takes(const struct columns_cfg *c, uint32_t i)
{
    const uint32_t both = LEAT_TAKES_TEXT | LEAT_TAKES_NUMBER;
    if (columns_edges_of(c, i)) return CELL_TAKES;
    if (columns_is_each(c, i) || columns_levels_of(c, i)) return LEAT_TAKES_TEXT;
    if (i >= c->columns.n) return CELL_TAKES;
    return c->numeric == NUMERIC_CATEGORY ? both | LEAT_TAKES_INT64 : both;
}

enum columns_kind columns_kind_of(const struct columns_cfg *c, const struct leat_schema *in,
                                  uint32_t i, uint32_t column)
{
    if (columns_edges_of(c, i)) return EDGES;
    if (columns_is_each(c, i)) return EACH;
    if (columns_levels_of(c, i)) return LEVELS;
    bool category = in->column[column].type == LEAT_TEXT || c->numeric == NUMERIC_CATEGORY;
    return i < c->columns.n && category ? CATEGORY : VALUE;
}

static bool columns_double_text(struct leat_batch *b, double x, struct leat_str *text)
{
    char digits[TEXT_NUMBER];
    return strings_append(b, digits, text_format_double(digits, x), text);
}

static bool columns_int64_text(struct leat_batch *b, int64_t x, struct leat_str *text)
{
    char digits[TEXT_NUMBER];
    return strings_append(b, digits, text_format_int(digits, x), text);
}

bool columns_number_text(struct leat_ctx *ctx, struct leat_batch *b, uint32_t r, uint32_t column,
                         struct leat_str *text)
{
    double x;
    enum cell cell = cell_number(ctx, b, r, column, &x);
    *text = (struct leat_str){0, LEAT_NULL};
    if (cell != CELL_NUMBER) return cell == CELL_MISSING;
    if (ctx->in->column[column].type == LEAT_INT64
            ? columns_int64_text(b, b->column[column].int64[r], text)
            : columns_double_text(b, x, text))
        return true;
    ctx->host->reject(ctx, b, r, LEAT_R_TOO_LARGE,
                      "the batch has no room for the record's numbers as text");
    return false;
}

/* Adds the fields of attribute i: its own, or those of its edges, then that of a missing value. */
static int columns_add_fields(const struct columns_cfg *c, struct leat_negotiation *n, uint32_t i)
{
    char name[COLUMNS_EDGES_NAME];
    struct columns_edges e = {.n = 0};
    int worst = LEAT_OK;
    if (!columns_edges_of(c, i))
        worst = n->add_field(n, columns_name_of(c, i, name));
    else if (columns_edges_read(columns_edges_of(c, i), &e))
        return LEAT_EARG;
    for (uint32_t k = 0; k < 2 * e.n && worst >= 0; k++)
        worst = n->add_field(n, columns_edges_feature(&e, k / 2, k % 2, name));
    if (worst >= 0 && columns_marks_missing(c, i))
        worst = n->add_field(n, columns_missing_feature(c, i, name));
    return worst < 0 ? worst : LEAT_OK;
}

/* Sets the joints of the fields of attribute i, the first of which is *joint. Moves joint on. */
static void columns_set_joints(const struct columns_cfg *c, uint32_t i, uint32_t column,
                               uint32_t **joint)
{
    struct columns_edges e = {.n = 0};
    bool parents = columns_levels_of(c, i) != NULL;
    if (!columns_edges_of(c, i))
        *(*joint)++ = LEAT_JOINT(column, parents ? LEAT_PARENT : LEAT_NO_SIDE);
    else
        columns_edges_read(columns_edges_of(c, i), &e);
    for (uint32_t k = 0; k < e.n; k++) {
        bool crossed = columns_edges_crossed(k, e.n, (uint32_t)c->cross_edges);
        for (int side = 0; side < 2; side++)
            *(*joint)++ = LEAT_JOINT(column, crossed ? LEAT_CROSSED : LEAT_RUNG);
    }
    if (columns_marks_missing(c, i)) *(*joint)++ = LEAT_JOINT(column, LEAT_NO_SIDE);
}

/* Adds attribute i, the text that it makes of a number, and the joints of its fields. Moves *joint
 * on. Sets *values if its features have values other than 1. */
static int columns_add_attribute(const struct columns_cfg *c, struct leat_negotiation *n,
                                 uint32_t i, struct leat_bounds *made, uint32_t **joint,
                                 bool *values)
{
    uint32_t column = 0;
    char room[COLUMNS_EDGES_NAME];
    int status = n->column(n, columns_param_of(c, i), columns_name_of(c, i, room),
                           columns_takes(c, i), &column);
    enum columns_kind kind = status == LEAT_OK ? columns_kind_of(c, n->in, i, column) : CATEGORY;
    if (status == LEAT_OK && kind == CATEGORY && n->in->column[column].type != LEAT_TEXT)
        made->added_bytes_per_record += COLUMNS_NUMBER;
    uint32_t own = n->out->n_fields;
    int field = columns_add_fields(c, n, i);
    *values |= kind == VALUE;
    if (kind == VALUE && columns_marks_numbers(c) && field == LEAT_OK)
        field = n->mark(n, own, LEAT_MARK_NUMBER);
    columns_set_joints(c, i, column, joint);
    return field < status ? field : status;
}

int columns_negotiate(const void *cfg, struct leat_negotiation *n)
{
    const struct columns_cfg *c = cfg;
    uint32_t attributes = columns_n_attributes(c), before = n->in->n_fields;
    uint64_t edges = columns_n_edges(c, false);
    bool values = false;
    uint64_t singles = columns_max_singles(c), others = columns_max_lone(c) + (c->constant != NULL);
    uint32_t *joint = malloc((before + 2 * (edges + attributes) + 1) * sizeof *joint);
    uint32_t *at = joint;
    struct leat_bounds made = {0};
    int worst = LEAT_OK;
    if (!joint) return LEAT_ENOMEM;
    examples_negotiate(n);
    while (at < joint + before)
        *at++ = LEAT_ALONE;
    for (uint32_t i = 0; i < attributes; i++) {
        int status = columns_add_attribute(c, n, i, &made, &at, &values);
        worst = status < worst ? status : worst;
    }
    if (c->constant) *at = LEAT_ALONE;
    int constant = c->constant ? n->add_field(n, c->constant) : -1;
    if (c->constant &&
        (constant < 0 || n->mark(n, (uint32_t)constant, LEAT_MARK_CONSTANT) != LEAT_OK))
        worst = LEAT_ENOMEM;
    /* The values of pairs of numbers are products, which only this stage makes. */
    bool leaves = worst == LEAT_OK && c->cross == 2 && !c->explode && !values &&
                  n->leave_pairs(n, joint) == LEAT_OK;
    uint64_t saved = leaves ? edges - c->edges.n : 0; /* one entry for all edges of a column */
    free(joint);
    made.entries_per_record =
        (uint32_t)(columns_n_features(singles, leaves ? 1 : c->cross) + others - saved);
    made.examples_per_record = c->explode ? made.entries_per_record : 1;
    made.parts_per_record = (uint32_t)(singles + others - saved);
    n->add_bounds(n, &made);
    return worst;
}
