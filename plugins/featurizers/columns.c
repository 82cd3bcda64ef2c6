/* columns.c -- feature.columns: features from the values of columns and from their combinations.
 *
 * An attribute is a column together with its value. The stage first gathers all attributes of a
 * record: it hashes them, and adds their name parts to the batch. A conjunction of attributes then
 * takes one hash of two or three words, and refers to their name parts. The number of attributes
 * determines the number of entries. So the stage rejects a record that does not fit into the batch
 * before it writes any feature.
 *
 * A column in the parameter `each` makes an attribute for each different element of its text, at
 * most `elements`.
 *
 * See kernels/base/feature_id.h for ids. */
#include <assert.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include <leat/plugin.h>

#include "examples.h"
#include "featurizers/docs.h"
#include "kernels/base/feature_id.h"
#include "kernels/base/names.h"
#include "kernels/text/tokens.h"
#include "common/cells/cell.h"
#include "common/cells/columns.h"
#include "common/cells/strings.h"

enum {
    MAX_FEATURES = 10000, /* most features of a record; more would be a mistake or too slow */
    NUMBER_TEXT = 25      /* room for "-1.7976931348623157e+308" and a NUL */
};

enum columns_numeric { NUMERIC_CATEGORY, NUMERIC_VALUE };
static const char *const columns_numerics[] = {"category", "value", NULL};

struct columns_cfg {
    struct leat_strings columns, numbers, each;
    const char *separator; /* separator of the elements in the columns of `each` */
    const char *constant;  /* name of the constant feature; NULL: none */
    int64_t cross, elements;
    int32_t explode, skip_missing;
    int32_t numeric; /* enum columns_numeric */
};

/* A column that makes attributes. Set by open. */
struct columns_attribute {
    uint64_t seed;   /* feature_id_name() of the attribute's name */
    uint32_t column; /* index of the column in the batch */
    bool as_value;
    bool each;        /* true if the column's text is split into elements */
    uint64_t missing; /* if as_value: number of records without a number */
};

/* The feature of an attribute in the current record. */
struct columns_single {
    uint64_t id, part_id;
    double value;
    uint32_t name;        /* index + 1 of its name part in the batch */
    struct leat_str text; /* text of the element, if the attribute is one of `each` */
};

struct columns_featurizer {
    uint32_t n;
    uint32_t first_field; /* field of the first attribute; the constant's is the last */
    uint64_t constant_id;
    struct columns_attribute *attribute;
    struct columns_single *single; /* features of the current record; max_singles() elements */
    struct tokens_options cut;     /* splits the texts of `each` into elements */
    uint64_t texts, overfull;      /* numbers of texts of `each`: all, and cut to `elements` */
};

static const struct leat_param columns_params[] = {
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
    LEAT_PARAM(struct columns_cfg, cross, LEAT_INT, .def = "1", .min = 1, .max = 3,
               .unit = "attributes", .doc = "also make conjunctions of up to N attributes"),
    LEAT_PARAM(struct columns_cfg, explode, LEAT_BOOL, .def = "false",
               .doc = "make an example of every feature, instead of one example with all features"),
    LEAT_PARAM(struct columns_cfg, constant, LEAT_STRING,
               .doc = "also make a feature of this name in every example, with the value 1: its "
                      "weight is the intercept of a linear model"),
    LEAT_PARAM(struct columns_cfg, skip_missing, LEAT_BOOL, .def = "true",
               .doc = "make no feature of an empty text; false: empty is a value like any other"),
    LEAT_PARAM(struct columns_cfg, numeric, LEAT_CHOICE, .flags = LEAT_ADVANCED, .def = "value",
               .choices = columns_numerics,
               .doc = "what to make of columns that arrive as numbers: value: as in `numbers`; "
                      "category: a feature column=number"),
};

static uint32_t columns_n_attributes(const struct columns_cfg *c)
{
    return c->columns.n + c->numbers.n + c->each.n;
}

/* True if attribute i is a column of `each`. These come after all others. */
static bool columns_is_each(const struct columns_cfg *c, uint32_t i)
{
    return i >= c->columns.n + c->numbers.n;
}

static const char *columns_name_of(const struct columns_cfg *c, uint32_t i)
{
    if (columns_is_each(c, i)) return c->each.v[i - c->columns.n - c->numbers.n];
    return i < c->columns.n ? c->columns.v[i] : c->numbers.v[i - c->columns.n];
}

static const char *columns_param_of(const struct columns_cfg *c, uint32_t i)
{
    if (columns_is_each(c, i)) return "each";
    return i < c->columns.n ? "columns" : "numbers";
}

/* Returns the largest number of attributes of a record. */
static uint64_t columns_max_singles(const struct columns_cfg *c)
{
    return c->columns.n + c->numbers.n + c->each.n * (uint64_t)c->elements;
}

/* Returns the number of features of m attributes: C(m,1) + .. + C(m,cross). */
static uint64_t columns_n_features(uint64_t m, int64_t cross)
{
    uint64_t pairs = m * (m - (m > 0)) / 2;
    uint64_t triples = m > 2 ? pairs * (m - 2) / 3 : 0;
    return m + (cross > 1 ? pairs : 0) + (cross > 2 ? triples : 0);
}

static bool columns_is_attribute(const struct columns_cfg *c, const char *name)
{
    for (uint32_t i = 0; i < columns_n_attributes(c); i++)
        if (!strcmp(columns_name_of(c, i), name)) return true;
    return false;
}

static int columns_validate(const void *cfg, struct leat_diag *d)
{
    const struct columns_cfg *c = cfg;
    uint32_t n = columns_n_attributes(c);
    if (n == 0)
        d->error(d, "columns",
                 "is empty: name at least one column, as in { \"carrier\", \"origin\" }");
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < i; j++)
            if (!strcmp(columns_name_of(c, i), columns_name_of(c, j)))
                d->error(d, columns_param_of(c, i), "column '%s' is listed twice: leave one out",
                         columns_name_of(c, i));
    uint64_t singles = columns_max_singles(c);
    uint64_t features = singles > MAX_FEATURES ? singles : columns_n_features(singles, c->cross);
    if (features > MAX_FEATURES)
        d->error(
            d, "cross",
            "%llu attributes and their conjunctions of up to %d are %llu features a record, more "
            "than %d: leave out columns%s or lower cross",
            (unsigned long long)singles, (int)c->cross, (unsigned long long)features, MAX_FEATURES,
            c->each.n ? ", lower elements" : "");
    if (c->constant && c->explode)
        d->error(d, "constant",
                 "cannot be combined with explode, which makes an example of every feature: leave "
                 "out one of the two");
    if (c->constant && columns_is_attribute(c, c->constant))
        d->error(d, "constant", "'%s' is also a column: give another name", c->constant);
    if (!c->separator[0])
        d->error(d, "separator", "is empty: give the text that stands between the elements");
    return LEAT_OK;
}

/* Returns the types of columns that attribute i accepts. An integer column is accepted as category,
 * because its text is exact. A value may be any number. */
static uint32_t columns_takes(const struct columns_cfg *c, uint32_t i)
{
    const uint32_t both = LEAT_TAKES_TEXT | LEAT_TAKES_NUMBER;
    if (columns_is_each(c, i)) return LEAT_TAKES_TEXT;
    if (i >= c->columns.n) return CELL_TAKES;
    return c->numeric == NUMERIC_CATEGORY ? both | LEAT_TAKES_INT64 : both;
}

static bool columns_is_category(const struct columns_cfg *c, const struct leat_schema *in,
                                uint32_t i, uint32_t column)
{
    if (columns_is_each(c, i)) return true;
    return i < c->columns.n &&
           (in->column[column].type == LEAT_TEXT || c->numeric == NUMERIC_CATEGORY);
}

static int columns_negotiate(const void *cfg, struct leat_negotiation *n)
{
    const struct columns_cfg *c = cfg;
    uint32_t constant = c->constant != NULL;
    uint32_t features = (uint32_t)columns_n_features(columns_max_singles(c), c->cross) + constant;
    struct leat_bounds made = {.examples_per_record = c->explode ? features : 1,
                               .entries_per_record = features,
                               .parts_per_record = (uint32_t)columns_max_singles(c) + constant};
    examples_negotiate(n);
    int worst = LEAT_OK;
    for (uint32_t i = 0; i < columns_n_attributes(c); i++) {
        uint32_t column;
        int status = n->column(n, columns_param_of(c, i), columns_name_of(c, i),
                               columns_takes(c, i), &column);
        int field = n->add_field(n, columns_name_of(c, i));
        if (status == LEAT_OK && n->in->column[column].type != LEAT_TEXT &&
            columns_is_category(c, n->in, i, column))
            made.added_bytes_per_record += NUMBER_TEXT;
        worst = status < worst ? status : worst;
        worst = field < worst ? field : worst;
    }
    if (constant && n->add_field(n, c->constant) < 0) worst = LEAT_ENOMEM;
    n->add_bounds(n, &made);
    return worst;
}

static size_t columns_scratch_bytes(const struct columns_cfg *c)
{
    return columns_n_attributes(c) * sizeof(struct columns_attribute) +
           columns_max_singles(c) * sizeof(struct columns_single);
}

static int columns_plan(const void *cfg, const struct leat_schema *in,
                        const struct leat_schema *out, struct leat_plan *p)
{
    const struct columns_cfg *c = cfg;
    p->work_bytes = columns_scratch_bytes(c);
    snprintf(p->note, sizeof p->note, "at most %u features in %u example%s a record",
             out->entries_per_record, out->examples_per_record,
             out->examples_per_record == 1 ? "" : "s");
    return LEAT_OK;
}

static int columns_open_featurizer(struct leat_ctx *ctx, void *self)
{
    struct columns_featurizer *st = self;
    const struct columns_cfg *c = ctx->cfg;
    st->n = columns_n_attributes(c);
    st->first_field = ctx->in->n_fields;
    st->single = ctx->host->alloc(ctx, columns_scratch_bytes(c));
    if (!st->single)
        return ctx->host->fail(ctx, LEAT_ENOMEM, "there is not enough memory for %u attributes",
                               st->n);
    st->attribute = (struct columns_attribute *)(void *)(st->single + columns_max_singles(c));
    st->cut = (struct tokens_options){.separator = c->separator,
                                      .n_separator = (uint32_t)strlen(c->separator),
                                      .max_bytes = UINT32_MAX};
    if (c->constant) st->constant_id = feature_id_name(c->constant, strlen(c->constant));
    for (uint32_t i = 0; i < st->n; i++) {
        const char *name = columns_name_of(c, i);
        struct columns_attribute *a = &st->attribute[i];
        a->seed = feature_id_name(name, strlen(name));
        a->column = columns_known(ctx, name, columns_takes(c, i));
        a->as_value = !columns_is_category(c, ctx->in, i, a->column);
        a->each = columns_is_each(c, i);
    }
    return LEAT_OK;
}

static void columns_close_featurizer(struct leat_ctx *ctx, void *self)
{
    struct columns_featurizer *st = self;
    ctx->host->free(ctx, st->single);
}

/* Appends x to the batch's text, with 15 digits. Uses 17 digits if 15 do not read back as x. */
static bool columns_number_text(struct leat_batch *b, double x, struct leat_str *text)
{
    char digits[NUMBER_TEXT];
    x += 0.0; /* changes -0 to 0 */
    int n = snprintf(digits, sizeof digits, "%.15g", x);
    if (strtod(digits, NULL) != x) n = snprintf(digits, sizeof digits, "%.17g", x);
    return strings_append(b, digits, (size_t)n, text);
}

static bool columns_int64_text(struct leat_batch *b, int64_t x, struct leat_str *text)
{
    char digits[TEXT_NUMBER];
    return strings_append(b, digits, text_format_int(digits, x), text);
}

/* Finds the text of a category. Returns 1; 0 if there is none; -1 if the record was rejected. */
static int columns_category_text(struct leat_ctx *ctx, struct leat_batch *b, uint32_t r,
                                 uint32_t column, struct leat_str *text)
{
    const struct columns_cfg *c = ctx->cfg;
    double x;
    *text = (struct leat_str){0, 0};
    if (ctx->in->column[column].type == LEAT_TEXT) {
        struct leat_str s = b->column[column].text[r];
        if (s.len != LEAT_NULL) *text = s;
        return text->len > 0 || !c->skip_missing;
    }
    enum cell cell = cell_number(ctx, b, r, column, &x);
    if (cell == CELL_MISSING) return !c->skip_missing;
    if (cell == CELL_NUMBER && ctx->in->column[column].type == LEAT_INT64 &&
        columns_int64_text(b, b->column[column].int64[r], text))
        return 1;
    if (cell == CELL_NUMBER && columns_number_text(b, x, text)) return 1;
    if (cell == CELL_NUMBER)
        ctx->host->reject(ctx, b, r, LEAT_R_TOO_LARGE,
                          "the batch has no room for the record's numbers as text");
    return -1;
}

/* Fills g with attribute a of record r. Returns 1; 0 if the record does not have it; -1 if the
 * record was rejected. */
static int columns_gather_one(struct leat_ctx *ctx, struct leat_batch *b, uint32_t r,
                              struct columns_attribute *a, struct columns_single *g,
                              struct leat_str *text)
{
    if (a->as_value) {
        enum cell cell = cell_number(ctx, b, r, a->column, &g->value);
        *text = (struct leat_str){0, LEAT_NULL};
        g->id = a->seed;
        a->missing += cell == CELL_MISSING;
        return cell == CELL_REJECTED ? -1 : cell == CELL_NUMBER && g->value != 0.0;
    }
    int has = columns_category_text(ctx, b, r, a->column, text);
    g->id = has > 0 ? feature_id_value(a->seed, leat_text(b, *text), text->len) : 0;
    g->value = 1.0;
    return has;
}

/* Adds the name part of g, the feature of attribute i. Returns false if the record was rejected. */
static bool columns_name_single(struct leat_ctx *ctx, const struct columns_featurizer *st,
                                struct leat_batch *b, uint32_t r, uint32_t i,
                                struct columns_single *g, struct leat_str text)
{
    g->part_id = feature_id_part(g->id);
    g->name = leat_add_part(b, st->first_field + i, text);
    if (!g->name)
        ctx->host->reject(ctx, b, r, LEAT_R_TOO_LARGE, "the batch has no room for more name parts");
    return g->name != 0;
}

static bool columns_is_among(const struct columns_single *g, uint32_t n, uint64_t id)
{
    uint32_t i = 0;
    while (i < n && g[i].id != id)
        i++;
    return i < n;
}

/* Sorts elements by text, so that a pair of elements has the same name in any order. */
static void columns_sort_by_text(const struct leat_batch *b, struct columns_single *g, uint32_t n)
{
    for (uint32_t k = 1; k < n; k++) {
        struct columns_single one = g[k];
        uint32_t at = k;
        for (; at; at--) {
            const struct columns_single *before = &g[at - 1];
            if (name_preferred(leat_text(b, before->text), before->text.len, leat_text(b, one.text),
                               one.text.len))
                break;
            g[at] = *before;
        }
        g[at] = one;
    }
}

/* Fills g with the different elements of attribute i. Returns their number; -1 if the record was
 * rejected. */
static int columns_gather_each(struct leat_ctx *ctx, struct columns_featurizer *st,
                               struct leat_batch *b, uint32_t r, uint32_t i,
                               struct columns_single *g)
{
    const struct columns_cfg *c = ctx->cfg;
    const struct columns_attribute *a = &st->attribute[i];
    struct leat_str text = b->column[a->column].text[r];
    struct token t;
    size_t at = 0;
    uint32_t m = 0;
    if (text.len == LEAT_NULL || !text.len) return 0;
    st->texts++;
    while (tokens_next(&st->cut, leat_text(b, text), text.len, &at, &t)) {
        struct leat_str s = {text.off + (uint32_t)t.off, (uint32_t)t.len};
        uint64_t id = feature_id_value(a->seed, leat_text(b, s), s.len);
        if (columns_is_among(g, m, id)) continue;
        if (m == c->elements) {
            st->overfull++;
            break;
        }
        g[m] = (struct columns_single){.id = id, .value = 1.0, .text = s};
        if (!columns_name_single(ctx, st, b, r, i, &g[m], s)) return -1;
        m++;
    }
    if (c->cross > 1) columns_sort_by_text(b, g, m);
    return (int)m;
}

/* Gathers the attributes of record r in st->single, and adds their name parts. Returns their
 * number; -1 if the record was rejected. */
static int columns_gather(struct leat_ctx *ctx, struct columns_featurizer *st, struct leat_batch *b,
                          uint32_t r)
{
    uint32_t m = 0;
    for (uint32_t i = 0; i < st->n; i++) {
        struct columns_single *g = &st->single[m];
        struct leat_str text;
        bool each = st->attribute[i].each;
        int has = each ? columns_gather_each(ctx, st, b, r, i, g)
                       : columns_gather_one(ctx, b, r, &st->attribute[i], g, &text);
        if (has < 0) return -1;
        if (has && !each && !columns_name_single(ctx, st, b, r, i, g, text)) return -1;
        m += (uint32_t)has;
    }
    return (int)m;
}

/* Adds a feature. The batch must have room for it. Returns false if the value is too large for a
 * float. */
static bool columns_add_feature(struct leat_batch *b, uint32_t r, bool explode, uint64_t id,
                                double value, struct leat_name name)
{
    float v = (float)value;
    if (!isfinite(v)) return false;
    if (explode) leat_add_example(b, r);
    int i = leat_add_entry(b, id, v);
    if (b->name) b->name[i] = name;
    return true;
}

/* Adds all features of the attributes g[0 .. m): singles, then pairs, then triples. */
static bool columns_add_all(struct leat_batch *b, uint32_t r, const struct columns_cfg *c,
                            const struct columns_single *g, uint32_t m)
{
    bool fits = true, explode = c->explode != 0;
    for (uint32_t i = 0; i < m; i++)
        fits &= columns_add_feature(b, r, explode, g[i].id, g[i].value,
                                    (struct leat_name){{g[i].name}});
    for (uint32_t i = 0; c->cross > 1 && i < m; i++)
        for (uint32_t j = i + 1; j < m; j++)
            fits &= columns_add_feature(b, r, explode, feature_id_and2(g[i].part_id, g[j].part_id),
                                        g[i].value * g[j].value,
                                        (struct leat_name){{g[i].name, g[j].name}});
    for (uint32_t i = 0; c->cross > 2 && i < m; i++)
        for (uint32_t j = i + 1; j < m; j++)
            for (uint32_t l = j + 1; l < m; l++)
                fits &= columns_add_feature(
                    b, r, explode, feature_id_and3(g[i].part_id, g[j].part_id, g[l].part_id),
                    g[i].value * g[j].value * g[l].value,
                    (struct leat_name){{g[i].name, g[j].name, g[l].name}});
    return fits;
}

/* Adds the constant feature to the last example. The batch must have room for it. */
static bool columns_add_constant(struct leat_ctx *ctx, const struct columns_featurizer *st,
                                 struct leat_batch *b, uint32_t r)
{
    struct columns_single g = {.id = st->constant_id, .value = 1.0};
    if (!columns_name_single(ctx, st, b, r, st->n, &g, (struct leat_str){0, LEAT_NULL}))
        return false;
    return columns_add_feature(b, r, false, g.id, g.value, (struct leat_name){{g.name}});
}

/* Makes the examples of record r. Returns false if the record was rejected. */
static bool columns_featurize(struct leat_ctx *ctx, struct columns_featurizer *st,
                              struct leat_batch *b, uint32_t r)
{
    const struct columns_cfg *c = ctx->cfg;
    int m = columns_gather(ctx, st, b, r);
    if (m < 0) return false;
    uint64_t features = columns_n_features((uint64_t)m, c->cross) + (c->constant != NULL);
    /* A record without features makes an example, too, so that learners count the record. */
    bool single = !c->explode || !m;
    if (features > b->cap_entries - b->n_entries ||
        (single ? 1 : features) > b->cap_examples - b->n_examples) {
        ctx->host->reject(ctx, b, r, LEAT_R_TOO_LARGE,
                          "the batch has no room for the record's %llu features",
                          (unsigned long long)features);
        return false;
    }
    if (single) leat_add_example(b, r);
    if (c->constant && !columns_add_constant(ctx, st, b, r)) return false;
    if (columns_add_all(b, r, c, st->single, (uint32_t)m)) return true;
    ctx->host->reject(ctx, b, r, LEAT_R_NONFINITE,
                      "a number, or a product of numbers, exceeds %.3g",
                      (double)3.4028234663852886e38f);
    return false;
}

static int columns_process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    struct columns_featurizer *st = self;
    for (LEAT_EACH_RECORD(b, r)) {
        struct examples_mark before = examples_mark(b);
        if (!columns_featurize(ctx, st, b, r)) examples_undo(b, before);
    }
    return LEAT_OK;
}

/* Warns of columns in which records lack a number. A linear model treats a missing feature as 0,
 * which the user may not intend. */
static void columns_tell_missing(struct leat_ctx *ctx, void *const *self, uint32_t lanes)
{
    uint64_t most = 0;
    uint32_t which = 0, columns = 0;
    for (uint32_t i = 0; i < ((const struct columns_featurizer *)self[0])->n; i++) {
        uint64_t missing = 0;
        for (uint32_t lane = 0; lane < lanes; lane++)
            missing += ((const struct columns_featurizer *)self[lane])->attribute[i].missing;
        columns += missing > 0;
        if (missing > most) most = missing, which = i;
    }
    if (columns)
        ctx->host->log(ctx, LEAT_WARN,
                       "%llu of the records have no number in '%s'%s, which counts as 0: to leave "
                       "such records out, filter them before this stage",
                       (unsigned long long)most, columns_name_of(ctx->cfg, which),
                       columns > 1 ? ", and others have none in other columns" : "");
}

/* Prints the warnings for all lanes together, at the end of the run. */
static void columns_finish(struct leat_ctx *ctx, void *const *self, uint32_t lanes)
{
    uint64_t texts = 0, overfull = 0;
    for (uint32_t lane = 0; lane < lanes; lane++) {
        const struct columns_featurizer *st = self[lane];
        texts += st->texts;
        overfull += st->overfull;
    }
    int most = (int)((const struct columns_cfg *)ctx->cfg)->elements;
    if (overfull)
        ctx->host->log(ctx, LEAT_WARN,
                       "elements: %llu of %llu texts of `each` have more than %d different "
                       "elements, and only the first %d make features: raise elements",
                       (unsigned long long)overfull, (unsigned long long)texts, most, most);
    columns_tell_missing(ctx, self, lanes);
}

const struct leat_stage feature_columns = {
    .name = "feature.columns",
    .summary = "makes named features of columns, and of their conjunctions",
    .doc = columns_doc,
    .example =
        "leat.feature.columns { \"carrier\", \"origin\", \"dest\", cross = 2, explode = true }",
    .kind = LEAT_TRANSFORM,
    .caps = LEAT_PARALLEL,
    LEAT_FLOW(LEAT_HAS_COLUMNS, LEAT_HAS_EXAMPLES | LEAT_HAS_NAMES),
    LEAT_PARAMS(columns_params, struct columns_cfg),
    LEAT_INSTANCE(struct columns_featurizer, columns_open_featurizer, columns_close_featurizer),
    .validate = columns_validate,
    .negotiate = columns_negotiate,
    .plan = columns_plan,
    .process = columns_process,
    .finish = columns_finish,
};
