/* columns.c -- feature.columns: features from the values of columns and from their combinations.
 *
 * An attribute is a column together with its value. The stage first gathers all attributes of a
 * record: it hashes them, and adds their name parts to the batch. A conjunction of attributes then
 * takes one hash of two or three words, and refers to their name parts. The number of attributes
 * determines the number of entries. So the stage rejects a record that does not fit into the batch
 * before it writes any feature.
 *
 * A column in the parameter `each` makes an attribute for each different element of its text, at
 * most `elements`. A column in `edges` makes one for each of its edges (columns_edges.h). A column
 * in `levels` makes one for each parent of its text (columns_levels.h). Attributes outside
 * conjunctions have their own list, so the loops over pairs never see them.
 * See kernels/base/feature_id.h for ids. */
#include <assert.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include <leat/plugin.h>

#include "columns_attributes.h"
#include "examples.h"
#include "featurizers/docs.h"
#include "kernels/base/feature_id.h"
#include "kernels/base/names.h"
#include "kernels/text/tokens.h"
#include "common/cells/cell.h"
#include "common/cells/columns.h"
#include "common/cells/strings.h"

/* A column that makes attributes. Set by open. */
struct columns_attribute {
    struct columns_feature feature; /* its id is the seed of the ids of texts */
    uint32_t column;                /* index of the column in the batch */
    uint32_t type;                  /* enum leat_column_type of this column */
    enum columns_kind kind;
    bool marks_missing;             /* true if a missing value makes a feature */
    struct columns_feature missing; /* this feature */
    struct columns_ladder *ladder;  /* if kind is EDGES */
    struct columns_levels levels;   /* if kind is LEVELS */
    uint64_t missed; /* number of records without a number, if these make no feature */
    uint64_t unread; /* if kind is EDGES: number of records with a text that is no number */
};

/* The feature of an attribute in the current record. */
struct columns_single {
    uint64_t id, part_id; /* part_id: set only if conjunctions are made */
    double value;
    uint32_t name;        /* index + 1 of its name part in the batch */
    uint32_t joint;       /* copy of columns_feature.joint */
    struct leat_str text; /* text of the element; set only if the attribute is one of `each` */
};

struct columns_featurizer {
    uint32_t n;
    int64_t cross; /* most attributes in a feature that is written (leat_schema.joint) */
    bool rungs;    /* one entry stands for all edges of a column (leat_schema.joint) */
    struct columns_feature constant_feature;
    struct columns_attribute *attribute;
    /* Features of the current record: those that take part in conjunctions, and the others. */
    struct columns_single *single, *lone, constant;
    uint32_t n_lone;
    struct tokens_options cut; /* splits the texts of `each` into elements */
    uint64_t texts, overfull;  /* numbers of texts of `each`: all, and cut to `elements` */
};

static size_t columns_scratch_bytes(const struct columns_cfg *c)
{
    return columns_n_attributes(c) * sizeof(struct columns_attribute) +
           c->edges.n * sizeof(struct columns_ladder) +
           (columns_max_singles(c) + columns_max_lone(c) + columns_n_attributes(c)) *
               sizeof(struct columns_single);
}

static int columns_plan(const void *cfg, const struct leat_schema *in,
                        const struct leat_schema *out, struct leat_plan *p)
{
    const struct columns_cfg *c = cfg;
    p->work_bytes = columns_scratch_bytes(c);
    snprintf(p->note, sizeof p->note, "at most %u features%s in %u example%s a record",
             out->entries_per_record, out->joint ? ", and their pairs," : "",
             out->examples_per_record, out->examples_per_record == 1 ? "" : "s");
    return LEAT_OK;
}

/* Sets attribute i, whose fields begin at *field, and its ladder, if any. Moves both on. */
static void columns_open_attribute(struct leat_ctx *ctx, struct columns_featurizer *st, uint32_t i,
                                   uint32_t *field, struct columns_ladder **ladder)
{
    const struct columns_cfg *c = ctx->cfg;
    char room[COLUMNS_EDGES_NAME];
    const char *name = columns_name_of(c, i, room), *edges = columns_edges_of(c, i);
    struct columns_attribute *a = &st->attribute[i];
    a->column = columns_known(ctx, name, columns_takes(c, i));
    a->type = ctx->in->column[a->column].type;
    a->kind = columns_kind_of(c, ctx->in, i, a->column);
    a->feature = columns_feature_of(name, LEAT_JOINT(a->column, LEAT_NO_SIDE), *field);
    if (a->kind == EDGES) {
        a->ladder = (*ladder)++;
        columns_ladder_open(a->ladder, edges, &a->feature, (uint32_t)c->cross_edges, st->rungs);
    }
    if (a->kind == LEVELS) {
        columns_levels_read(columns_levels_of(c, i), &a->levels);
        a->feature.joint = LEAT_JOINT(a->column, LEAT_PARENT);
    }
    *field += edges ? 2 * a->ladder->n : 1;
    a->marks_missing = columns_marks_missing(c, i);
    if (!a->marks_missing) return;
    name = columns_missing_feature(c, i, room);
    a->missing = columns_feature_of(name, LEAT_JOINT(a->column, LEAT_NO_SIDE), (*field)++);
}

static int columns_open_featurizer(struct leat_ctx *ctx, void *self)
{
    struct columns_featurizer *st = self;
    const struct columns_cfg *c = ctx->cfg;
    st->n = columns_n_attributes(c);
    st->rungs = ctx->out->joint != NULL;
    st->cross = st->rungs ? 1 : c->cross;
    st->single = ctx->host->alloc(ctx, columns_scratch_bytes(c));
    if (!st->single)
        return ctx->host->fail(ctx, LEAT_ENOMEM, "there is not enough memory for %u attributes",
                               st->n);
    st->lone = st->single + columns_max_singles(c);
    st->attribute = (struct columns_attribute *)(void *)(st->lone + columns_max_lone(c) + st->n);
    struct columns_ladder *ladder = (struct columns_ladder *)(void *)(st->attribute + st->n);
    st->cut = (struct tokens_options){.separator = c->separator,
                                      .n_separator = (uint32_t)strlen(c->separator),
                                      .max_bytes = UINT32_MAX};
    uint32_t field = ctx->in->n_fields;
    for (uint32_t i = 0; i < st->n; i++)
        columns_open_attribute(ctx, st, i, &field, &ladder);
    if (c->constant) st->constant_feature = columns_feature_of(c->constant, LEAT_ALONE, field);
    return LEAT_OK;
}

static void columns_close_featurizer(struct leat_ctx *ctx, void *self)
{
    struct columns_featurizer *st = self;
    ctx->host->free(ctx, st->single);
}

/* Sets g to feature f with the value 1, and adds its name part. If the batch has no room for the
 * part, columns_featurize() rejects the record. */
static inline void columns_set_single(struct leat_batch *b, const struct columns_feature *f,
                                      struct leat_str text, struct columns_single *g)
{
    g->id = f->id;
    g->value = 1;
    g->joint = f->joint;
    g->name = leat_add_part(b, f->field, text);
}

/* Sets g to a feature without a text. */
static inline void columns_set_plain(struct leat_batch *b, const struct columns_feature *f,
                                     struct columns_single *g)
{
    columns_set_single(b, f, (struct leat_str){0, LEAT_NULL}, g);
}

/* Sets g to the feature of attribute a with a text. */
static inline void columns_set_text(struct leat_batch *b, const struct columns_attribute *a,
                                    struct leat_str text, struct columns_single *g)
{
    columns_set_single(b, &a->feature, text, g);
    g->id = feature_id_value(a->feature.id, leat_text(b, text), text.len);
}

/* Fills g with the feature of a missing value. Returns 1; 0 if it makes none. */
static int columns_gather_missing(struct leat_batch *b, struct columns_attribute *a,
                                  struct columns_single *g)
{
    a->missed += !a->marks_missing && a->kind == VALUE;
    if (a->marks_missing) columns_set_plain(b, &a->missing, g);
    return a->marks_missing;
}

/* Fills g with attribute a of record r: a number. Returns 1; 0 if the record does not have it; -1
 * if the record was rejected. The number 0 goes to st->lone, or makes nothing. */
static int columns_gather_value(struct leat_ctx *ctx, struct columns_featurizer *st,
                                struct leat_batch *b, uint32_t r, struct columns_attribute *a,
                                struct columns_single *g)
{
    double x;
    enum cell cell = cell_number(ctx, b, r, a->column, &x);
    if (cell == CELL_REJECTED) return -1;
    if (cell == CELL_MISSING) return columns_gather_missing(b, a, g);
    if (x == 0.0 && !columns_marks_numbers(ctx->cfg)) return 0;
    if (x == 0.0) g = &st->lone[st->n_lone++];
    columns_set_plain(b, &a->feature, g);
    g->value = x;
    return x != 0.0;
}

/* Fills g with attribute a of record r: a category. Returns as columns_gather_value() does. */
static int columns_gather_category(struct leat_ctx *ctx, struct leat_batch *b, uint32_t r,
                                   struct columns_attribute *a, struct columns_single *g)
{
    struct leat_str text;
    if (a->type == LEAT_TEXT)
        text = b->column[a->column].text[r];
    else if (!columns_number_text(ctx, b, r, a->column, &text))
        return -1;
    if (text.len == LEAT_NULL || !text.len) return columns_gather_missing(b, a, g);
    columns_set_text(b, a, text, g);
    return 1;
}

/* Reads the number that edges cut. Unlike other numbers, a text that is none does not reject the
 * record: the columns may be chosen without looking at every record. Returns CELL_REJECTED for such
 * a text. */
static enum cell columns_edge_number(struct leat_ctx *ctx, struct leat_batch *b, uint32_t r,
                                     const struct columns_attribute *a, double *x)
{
    if (a->type != LEAT_TEXT) {
        if (a->type == LEAT_NUMBER && isinf(b->column[a->column].number[r])) return CELL_REJECTED;
        return cell_number(ctx, b, r, a->column, x);
    }
    struct leat_str s = b->column[a->column].text[r];
    if (s.len == LEAT_NULL) return CELL_MISSING;
    const char *p = leat_text(b, s), *end = p + s.len;
    if (!cell_trim(&p, &end)) return CELL_MISSING;
    /* A short number may be followed by 8 other bytes, as decimal_short() demands. */
    if (b->n_bytes - s.off > s.len + 8 && decimal_short(p, (size_t)(end - p), x))
        return CELL_NUMBER;
    const struct leat_column *c = &ctx->in->column[a->column];
    return cell_decimal(c, p, end, x) == DECIMAL_OK ? CELL_NUMBER : CELL_REJECTED;
}

/* Returns the step of the number x in record r. Beyond 2^53, reads the integer again. */
static uint32_t columns_step_of(const struct leat_ctx *ctx, const struct leat_batch *b, uint32_t r,
                                const struct columns_attribute *a, double x)
{
    const union leat_cells cells = b->column[a->column];
    const struct leat_column *c = &ctx->in->column[a->column];
    const struct grouped form = {c->decimal, c->thousands};
    if (!a->ladder->large || !columns_is_large(x)) return columns_ladder_step(a->ladder, x);
    if (a->type == LEAT_INT64)
        return columns_ladder_exact_step(a->ladder, exact_integer(cells.int64[r]));
    if (a->type != LEAT_TEXT) return columns_ladder_exact_step(a->ladder, exact_double(x));
    const char *p = leat_text(b, cells.text[r]), *end = p + cells.text[r].len;
    return columns_ladder_exact_step(a->ladder, columns_exact_number(&form, p, end, x));
}

/* Adds the features of attribute a's edges to g, or to st->lone if they join no others. One may
 * stand for all edges. Returns the number of those in g. */
static int columns_gather_edges(struct leat_ctx *ctx, struct columns_featurizer *st,
                                struct leat_batch *b, uint32_t r, struct columns_attribute *a,
                                struct columns_single *g)
{
    const struct columns_ladder *l = a->ladder;
    double x;
    uint32_t m = 0;
    enum cell cell = columns_edge_number(ctx, b, r, a, &x);
    if (cell == CELL_MISSING) return columns_gather_missing(b, a, g);
    if (cell == CELL_REJECTED) {
        a->unread++;
        return 0;
    }
    const uint32_t step = columns_step_of(ctx, b, r, a, x);
    for (const struct columns_edge *edge = l->own; edge < l->own + l->n_own; edge++)
        columns_set_plain(b, &edge->side[step >= edge->step],
                          edge->crossed ? &g[m++] : &st->lone[st->n_lone++]);
    if (!l->n_own)
        columns_set_plain(b, &l->rung[step], l->crossed ? &g[m++] : &st->lone[st->n_lone++]);
    return (int)m;
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

/* Fills g with the different elements of attribute a. Returns their number. */
static int columns_gather_each(const struct columns_cfg *c, struct columns_featurizer *st,
                               struct leat_batch *b, uint32_t r, const struct columns_attribute *a,
                               struct columns_single *g)
{
    struct leat_str text = b->column[a->column].text[r];
    struct token t;
    size_t at = 0;
    uint32_t m = 0;
    if (text.len == LEAT_NULL || !text.len) return 0;
    st->texts++;
    while (tokens_next(&st->cut, leat_text(b, text), text.len, &at, &t)) {
        struct leat_str s = {text.off + (uint32_t)t.off, (uint32_t)t.len};
        uint64_t id = feature_id_value(a->feature.id, leat_text(b, s), s.len);
        if (columns_is_among(g, m, id)) continue;
        if (m == c->elements) {
            st->overfull++;
            break;
        }
        columns_set_single(b, &a->feature, s, &g[m]);
        g[m].id = id;
        g[m++].text = s;
    }
    if (c->cross > 1) columns_sort_by_text(b, g, m);
    return (int)m;
}

/* Fills g with the parents of attribute a's text. Returns their number. */
static int columns_gather_levels(struct leat_batch *b, uint32_t r, struct columns_attribute *a,
                                 struct columns_single *g)
{
    const struct leat_str text = b->column[a->column].text[r];
    const char *p = leat_text(b, text);
    size_t n = 0;
    uint32_t m = 0;
    if (text.len == LEAT_NULL || !text.len) return columns_gather_missing(b, a, g);
    for (; m < a->levels.depth && columns_levels_next(&a->levels, p, text.len, &n); m++) {
        uint32_t from = a->levels.right ? text.len - (uint32_t)n : 0;
        struct leat_str s = {text.off + from, (uint32_t)n};
        columns_set_text(b, a, s, &g[m]);
    }
    return (int)m;
}

/* Gathers the attributes of record r in st->single and st->lone, and adds their name parts. Returns
 * the number of those in st->single; -1 if the record was rejected. */
static int columns_gather(struct leat_ctx *ctx, struct columns_featurizer *st, struct leat_batch *b,
                          uint32_t r)
{
    const struct columns_cfg *c = ctx->cfg;
    uint32_t m = 0;
    st->n_lone = 0;
    for (struct columns_attribute *a = st->attribute; a < st->attribute + st->n; a++) {
        struct columns_single *g = &st->single[m];
        int has = a->kind == CATEGORY ? columns_gather_category(ctx, b, r, a, g)
                  : a->kind == EDGES  ? columns_gather_edges(ctx, st, b, r, a, g)
                  : a->kind == EACH   ? columns_gather_each(c, st, b, r, a, g)
                  : a->kind == LEVELS ? columns_gather_levels(b, r, a, g)
                                      : columns_gather_value(ctx, st, b, r, a, g);
        if (has < 0) return -1;
        m += (uint32_t)has;
    }
    if (c->constant) columns_set_plain(b, &st->constant_feature, &st->constant);
    return (int)m;
}

static inline bool columns_add_singles(struct leat_batch *b, const struct columns_single *g,
                                       uint32_t n)
{
    uint32_t to = b->n_entries;
    bool fits = true;
    b->n_entries += n;
    for (const struct columns_single *end = g + n; g < end; g++, to++) {
        b->id[to] = g->id;
        b->value[to] = (float)g->value;
        b->name[to] = (struct leat_name){{g->name}};
        fits &= isfinite(b->value[to]) != 0;
    }
    return fits;
}

/* Adds all pairs of the attributes g[0 .. m). Most entries of a record are pairs. */
static bool columns_add_pairs(struct leat_batch *b, const struct columns_single *g, uint32_t m)
{
    uint64_t *restrict id = b->id + b->n_entries;
    float *restrict value = b->value + b->n_entries;
    struct leat_name *restrict name = b->name + b->n_entries;
    uint32_t n = 0;
    bool fits = true;
    for (uint32_t i = 0; i < m; i++)
        for (uint32_t j = i + 1; j < m; j++) {
            if (!leat_joins(g[i].joint, g[j].joint)) continue;
            id[n] = feature_id_and2(g[i].part_id, g[j].part_id);
            value[n] = (float)(g[i].value * g[j].value);
            name[n] = (struct leat_name){{g[i].name, g[j].name}};
            fits &= isfinite(value[n++]) != 0;
        }
    b->n_entries += n;
    return fits;
}

/* Adds all triples of the attributes g[0 .. m). */
static bool columns_add_triples(struct leat_batch *b, const struct columns_single *g, uint32_t m)
{
    bool fits = true;
    for (uint32_t i = 0; i < m; i++)
        for (uint32_t j = i + 1; j < m; j++)
            for (uint32_t l = j + 1; l < m; l++)
                if (leat_joins(g[i].joint, g[j].joint) && leat_joins(g[i].joint, g[l].joint) &&
                    leat_joins(g[j].joint, g[l].joint)) {
                    uint32_t n = b->n_entries++;
                    b->id[n] = feature_id_and3(g[i].part_id, g[j].part_id, g[l].part_id);
                    b->value[n] = (float)(g[i].value * g[j].value * g[l].value);
                    b->name[n] = (struct leat_name){{g[i].name, g[j].name, g[l].name}};
                    fits &= isfinite(b->value[n]) != 0;
                }
    return fits;
}

/* Adds all features of the current record: the constant, singles, pairs, then triples. */
static bool columns_add_all(struct leat_batch *b, const struct columns_featurizer *st, uint32_t m,
                            bool constant)
{
    bool fits = columns_add_singles(b, &st->constant, constant);
    fits &= columns_add_singles(b, st->single, m);
    fits &= columns_add_singles(b, st->lone, st->n_lone);
    for (uint32_t i = 0; st->cross > 1 && i < m; i++)
        st->single[i].part_id = feature_id_part(st->single[i].id);
    if (st->cross > 1) fits &= columns_add_pairs(b, st->single, m);
    if (st->cross > 2) fits &= columns_add_triples(b, st->single, m);
    return fits;
}

/* Makes examples of record r of the entries from `first` on: one, or one of each entry. */
static void columns_add_examples(struct leat_batch *b, uint32_t r, uint32_t first, bool single)
{
    uint32_t end = b->n_entries;
    b->n_entries = first;
    do {
        leat_add_example(b, r);
        b->n_entries = single ? end : b->n_entries + 1;
        b->ex_start[b->n_examples] = b->n_entries;
    } while (b->n_entries < end);
}

/* Makes the examples of record r. Returns false if the record was rejected. */
static bool columns_featurize(struct leat_ctx *ctx, struct columns_featurizer *st,
                              struct leat_batch *b, uint32_t r)
{
    const struct columns_cfg *c = ctx->cfg;
    bool constant = c->constant != NULL;
    uint32_t first = b->n_entries, parts = b->n_parts;
    int m = columns_gather(ctx, st, b, r);
    if (m < 0) return false;
    if (b->n_parts - parts < (uint32_t)m + st->n_lone + constant) {
        ctx->host->reject(ctx, b, r, LEAT_R_TOO_LARGE, "the batch has no room for more name parts");
        return false;
    }
    uint64_t features = columns_n_features((uint64_t)m, st->cross) + st->n_lone + constant;
    /* A record without features makes an example, too, so that learners count the record. */
    bool single = !c->explode || (!m && !st->n_lone);
    if (features > b->cap_entries - b->n_entries ||
        (single ? 1 : features) > b->cap_examples - b->n_examples) {
        ctx->host->reject(ctx, b, r, LEAT_R_TOO_LARGE,
                          "the batch has no room for the record's %llu features",
                          (unsigned long long)features);
        return false;
    }
    bool fits = columns_add_all(b, st, (uint32_t)m, constant);
    columns_add_examples(b, r, first, single);
    if (fits) return true;
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

/* Warns of columns in which records lack a number. A linear model treats a missing feature as 0, or
 * as the column's centre, which the user may not intend. */
static void columns_tell_missing(struct leat_ctx *ctx, void *const *self, uint32_t lanes)
{
    uint64_t most = 0;
    uint32_t which = 0, columns = 0;
    char room[COLUMNS_EDGES_NAME];
    for (uint32_t i = 0; i < ((const struct columns_featurizer *)self[0])->n; i++) {
        uint64_t missing = 0;
        for (uint32_t lane = 0; lane < lanes; lane++)
            missing += ((const struct columns_featurizer *)self[lane])->attribute[i].missed;
        columns += missing > 0;
        if (missing > most) most = missing, which = i;
    }
    if (columns)
        ctx->host->log(ctx, LEAT_WARN,
                       "%llu of the records have no number in '%s'%s, which counts as %s: to leave "
                       "such records out, filter them before this stage",
                       (unsigned long long)most, columns_name_of(ctx->cfg, which, room),
                       columns > 1 ? ", and others have none in other columns" : "",
                       columns_marks_numbers(ctx->cfg) ? "the column's centre" : "0");
}

/* Warns of columns with edges whose texts are no numbers in some records. */
static void columns_tell_unread(struct leat_ctx *ctx, void *const *self, uint32_t lanes)
{
    char room[COLUMNS_EDGES_NAME];
    for (uint32_t i = 0; i < ((const struct columns_featurizer *)self[0])->n; i++) {
        uint64_t unread = 0;
        for (uint32_t lane = 0; lane < lanes; lane++)
            unread += ((const struct columns_featurizer *)self[lane])->attribute[i].unread;
        if (unread)
            ctx->host->log(ctx, LEAT_WARN,
                           "%llu of the records have a text in '%s' that is no number: they have "
                           "no feature of its edges",
                           (unsigned long long)unread, columns_name_of(ctx->cfg, i, room));
    }
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
    columns_tell_unread(ctx, self, lanes);
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
