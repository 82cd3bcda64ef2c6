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
    uint64_t seed;   /* feature_id_name() of the attribute's name */
    uint32_t column; /* index of the column in the batch */
    enum columns_kind kind;
    uint32_t field;      /* its first field */
    uint32_t first_edge; /* its edges in columns_featurizer.edge */
    uint32_t n_edges;
    struct columns_levels levels; /* if kind is LEVELS */
    bool marks_missing;  /* true if a missing value makes a feature, whose field is the last one */
    uint64_t missing_id; /* id of this feature */
    uint64_t missing;    /* number of records without a number, if these make no feature */
    uint64_t unread;     /* if kind is EDGES: number of records with a text that is no number */
};

/* The two features of an edge: side 0 is below the edge, side 1 is not. */
struct columns_edge {
    double at;
    uint64_t id[2];
    bool crossed; /* true if they take part in conjunctions */
};

/* The feature of an attribute in the current record. */
struct columns_single {
    uint64_t id, part_id;
    double value;
    uint32_t name;        /* index + 1 of its name part in the batch */
    uint32_t joint;       /* LEAT_JOINT() of its column in the batch, and its side of an edge */
    struct leat_str text; /* text of the element, if the attribute is one of `each` */
};

struct columns_featurizer {
    uint32_t n;
    int64_t cross; /* most attributes in a feature that is written (leat_schema.joint) */
    bool rungs;    /* one entry stands for all edges of a column outside conjunctions */
    uint32_t constant_field;
    uint64_t constant_id;
    struct columns_attribute *attribute;
    struct columns_edge *edge;
    /* Features of the current record: those that take part in conjunctions, then the others. */
    struct columns_single *single, *lone;
    uint32_t n_lone;
    struct tokens_options cut; /* splits the texts of `each` into elements */
    uint64_t texts, overfull;  /* numbers of texts of `each`: all, and cut to `elements` */
};

static size_t columns_scratch_bytes(const struct columns_cfg *c)
{
    return columns_n_attributes(c) * sizeof(struct columns_attribute) +
           columns_n_edges(c, false) * sizeof(struct columns_edge) +
           (columns_max_singles(c) + columns_max_lone(c)) * sizeof(struct columns_single);
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

/* Sets the edges of an attribute. Returns their number. */
static uint32_t columns_open_edges(const struct columns_cfg *c, const char *text,
                                   struct columns_edge *edge)
{
    char name[COLUMNS_EDGES_NAME];
    struct columns_edges e;
    columns_edges_read(text, &e);
    for (uint32_t i = 0; i < e.n; i++) {
        edge[i] = (struct columns_edge){
            .at = e.at[i], .crossed = columns_edges_crossed(i, e.n, (uint32_t)c->cross_edges)};
        for (int side = 0; side < 2; side++) {
            columns_edges_feature(&e, i, side, name);
            edge[i].id[side] = feature_id_name(name, strlen(name));
        }
    }
    return e.n;
}

/* Sets attribute i, whose fields begin at *field and whose edges begin at *edges. Moves both on. */
static void columns_open_attribute(struct leat_ctx *ctx, struct columns_featurizer *st, uint32_t i,
                                   uint32_t *field, uint32_t *edges)
{
    const struct columns_cfg *c = ctx->cfg;
    char room[COLUMNS_EDGES_NAME];
    const char *name = columns_name_of(c, i, room), *text = columns_edges_of(c, i);
    struct columns_attribute *a = &st->attribute[i];
    a->seed = feature_id_name(name, strlen(name));
    a->column = columns_known(ctx, name, columns_takes(c, i));
    a->kind = columns_kind_of(c, ctx->in, i, a->column);
    a->first_edge = *edges;
    a->n_edges = text ? columns_open_edges(c, text, &st->edge[*edges]) : 0;
    if (columns_levels_of(c, i)) columns_levels_read(columns_levels_of(c, i), &a->levels);
    a->marks_missing = columns_marks_missing(c, i);
    a->field = *field;
    if (a->marks_missing) {
        columns_missing_feature(c, i, room);
        a->missing_id = feature_id_name(room, strlen(room));
    }
    *edges += a->n_edges;
    *field += (text ? 2 * a->n_edges : 1) + a->marks_missing;
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
    st->attribute = (struct columns_attribute *)(void *)(st->lone + columns_max_lone(c));
    st->edge = (struct columns_edge *)(void *)(st->attribute + st->n);
    st->cut = (struct tokens_options){.separator = c->separator,
                                      .n_separator = (uint32_t)strlen(c->separator),
                                      .max_bytes = UINT32_MAX};
    if (c->constant) st->constant_id = feature_id_name(c->constant, strlen(c->constant));
    uint32_t edges = 0;
    st->constant_field = ctx->in->n_fields;
    for (uint32_t i = 0; i < st->n; i++)
        columns_open_attribute(ctx, st, i, &st->constant_field, &edges);
    return LEAT_OK;
}

static void columns_close_featurizer(struct leat_ctx *ctx, void *self)
{
    struct columns_featurizer *st = self;
    ctx->host->free(ctx, st->single);
}

/* Adds the name part of g, whose field is `field`. Returns false if the record was rejected. */
static bool columns_name_single(struct leat_ctx *ctx, struct leat_batch *b, uint32_t r,
                                uint32_t field, struct columns_single *g, struct leat_str text)
{
    g->part_id = feature_id_part(g->id);
    g->name = leat_add_part(b, field, text);
    if (!g->name)
        ctx->host->reject(ctx, b, r, LEAT_R_TOO_LARGE, "the batch has no room for more name parts");
    return g->name != 0;
}

/* Fills g with the feature of a missing value. Returns 1; 0 if it makes none; -1 if the record was
 * rejected. */
static int columns_gather_missing(struct leat_ctx *ctx, struct leat_batch *b, uint32_t r,
                                  struct columns_attribute *a, struct columns_single *g)
{
    if (!a->marks_missing) {
        a->missing += a->kind == VALUE;
        return 0;
    }
    uint32_t field = a->field + (a->kind == EDGES ? 2 * a->n_edges : 1);
    *g = (struct columns_single){
        .id = a->missing_id, .value = 1, .joint = LEAT_JOINT(a->column, LEAT_NO_SIDE)};
    return columns_name_single(ctx, b, r, field, g, (struct leat_str){0, LEAT_NULL}) ? 1 : -1;
}

/* Fills g with attribute a of record r: a category or a value. Returns 1; 0 if the record does not
 * have it; -1 if the record was rejected. */
static int columns_gather_one(struct leat_ctx *ctx, struct leat_batch *b, uint32_t r,
                              struct columns_attribute *a, struct columns_single *g)
{
    struct leat_str text = {0, LEAT_NULL};
    *g = (struct columns_single){
        .id = a->seed, .value = 1, .joint = LEAT_JOINT(a->column, LEAT_NO_SIDE)};
    if (a->kind == VALUE) {
        enum cell cell = cell_number(ctx, b, r, a->column, &g->value);
        if (cell == CELL_REJECTED) return -1;
        if (cell == CELL_MISSING) return columns_gather_missing(ctx, b, r, a, g);
        if (g->value == 0.0) return 0;
    } else {
        int has = columns_category_text(ctx, b, r, a->column, &text);
        if (has < 0) return -1;
        if (!has) return columns_gather_missing(ctx, b, r, a, g);
        g->id = feature_id_value(a->seed, leat_text(b, text), text.len);
    }
    return columns_name_single(ctx, b, r, a->field, g, text) ? 1 : -1;
}

/* Reads the number that edges cut. Unlike other numbers, a text that is none does not reject the
 * record: the columns may be chosen without looking at every record. Returns CELL_REJECTED for such
 * a text. */
static enum cell columns_edge_number(struct leat_ctx *ctx, struct leat_batch *b, uint32_t r,
                                     uint32_t column, double *x)
{
    const struct leat_column *c = &ctx->in->column[column];
    if (c->type != LEAT_TEXT) {
        if (c->type == LEAT_NUMBER && isinf(b->column[column].number[r])) return CELL_REJECTED;
        return cell_number(ctx, b, r, column, x);
    }
    struct leat_str s = b->column[column].text[r];
    if (s.len == LEAT_NULL) return CELL_MISSING;
    const char *p = leat_text(b, s), *end = p + s.len;
    if (!cell_trim(&p, &end)) return CELL_MISSING;
    return cell_decimal(c, p, end, x) == DECIMAL_OK ? CELL_NUMBER : CELL_REJECTED;
}

/* Adds the feature of one side of edge i of attribute a, to which x belongs. Returns false if the
 * record was rejected. */
static bool columns_add_side(struct leat_ctx *ctx, struct columns_featurizer *st,
                             struct leat_batch *b, uint32_t r, const struct columns_attribute *a,
                             uint32_t i, double x, struct columns_single *to)
{
    const struct columns_edge *edge = &st->edge[a->first_edge + i];
    uint32_t above = x >= edge->at;
    *to = (struct columns_single){.id = edge->id[above],
                                  .value = 1,
                                  .joint = LEAT_JOINT(a->column, above ? LEAT_ABOVE : LEAT_BELOW)};
    return columns_name_single(ctx, b, r, a->field + 2 * i + above, to,
                               (struct leat_str){0, LEAT_NULL});
}

/* Adds the features of the edges of attribute a that have x to g, or to st->lone. Of those in
 * st->lone, adds only one if it stands for all. Returns the number of those in g; -1 if the record
 * was rejected. */
static int columns_add_sides(struct leat_ctx *ctx, struct columns_featurizer *st,
                             struct leat_batch *b, uint32_t r, const struct columns_attribute *a,
                             double x, struct columns_single *g)
{
    uint32_t m = 0, rung = UINT32_MAX;
    for (uint32_t i = 0; i < a->n_edges; i++) {
        const struct columns_edge *edge = &st->edge[a->first_edge + i];
        if (st->rungs && !edge->crossed) {
            if (rung == UINT32_MAX || x >= edge->at) rung = i;
            continue;
        }
        struct columns_single *to = edge->crossed ? &g[m++] : &st->lone[st->n_lone++];
        if (!columns_add_side(ctx, st, b, r, a, i, x, to)) return -1;
    }
    if (rung != UINT32_MAX && !columns_add_side(ctx, st, b, r, a, rung, x, &st->lone[st->n_lone++]))
        return -1;
    return (int)m;
}

/* Adds the features of the edges of attribute a. Returns the number of those in g; -1 if the record
 * was rejected. */
static int columns_gather_edges(struct leat_ctx *ctx, struct columns_featurizer *st,
                                struct leat_batch *b, uint32_t r, struct columns_attribute *a,
                                struct columns_single *g)
{
    double x;
    enum cell cell = columns_edge_number(ctx, b, r, a->column, &x);
    if (cell == CELL_MISSING) return columns_gather_missing(ctx, b, r, a, g);
    if (cell == CELL_REJECTED) {
        a->unread++;
        return 0;
    }
    return columns_add_sides(ctx, st, b, r, a, x, g);
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

/* Fills g with the different elements of attribute a. Returns their number; -1 if the record was
 * rejected. */
static int columns_gather_each(struct leat_ctx *ctx, struct columns_featurizer *st,
                               struct leat_batch *b, uint32_t r, const struct columns_attribute *a,
                               struct columns_single *g)
{
    const struct columns_cfg *c = ctx->cfg;
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
        g[m] = (struct columns_single){
            .id = id, .value = 1.0, .joint = LEAT_JOINT(a->column, LEAT_NO_SIDE), .text = s};
        if (!columns_name_single(ctx, b, r, a->field, &g[m], s)) return -1;
        m++;
    }
    if (c->cross > 1) columns_sort_by_text(b, g, m);
    return (int)m;
}

/* Fills g with the parents of attribute a's text. Returns their number; -1 if the record was
 * rejected. */
static int columns_gather_levels(struct leat_ctx *ctx, struct leat_batch *b, uint32_t r,
                                 struct columns_attribute *a, struct columns_single *g)
{
    const struct leat_str text = b->column[a->column].text[r];
    const char *p = leat_text(b, text);
    size_t n = 0;
    uint32_t m = 0;
    if (text.len == LEAT_NULL || !text.len) return columns_gather_missing(ctx, b, r, a, g);
    for (; m < a->levels.depth && columns_levels_next(&a->levels, p, text.len, &n); m++) {
        uint32_t from = a->levels.right ? text.len - (uint32_t)n : 0;
        struct leat_str s = {text.off + from, (uint32_t)n};
        uint64_t id = feature_id_value(a->seed, leat_text(b, s), n);
        g[m] = (struct columns_single){
            .id = id, .value = 1, .joint = LEAT_JOINT(a->column, LEAT_PARENT)};
        if (!columns_name_single(ctx, b, r, a->field, &g[m], s)) return -1;
    }
    return (int)m;
}

/* Gathers the attributes of record r in st->single and st->lone, and adds their name parts. Returns
 * the number of those in st->single; -1 if the record was rejected. */
static int columns_gather(struct leat_ctx *ctx, struct columns_featurizer *st, struct leat_batch *b,
                          uint32_t r)
{
    uint32_t m = 0;
    st->n_lone = 0;
    for (uint32_t i = 0; i < st->n; i++) {
        struct columns_single *g = &st->single[m];
        struct columns_attribute *a = &st->attribute[i];
        int has = a->kind == EACH     ? columns_gather_each(ctx, st, b, r, a, g)
                  : a->kind == EDGES  ? columns_gather_edges(ctx, st, b, r, a, g)
                  : a->kind == LEVELS ? columns_gather_levels(ctx, b, r, a, g)
                                      : columns_gather_one(ctx, b, r, a, g);
        if (has < 0) return -1;
        m += (uint32_t)has;
    }
    return (int)m;
}

/* Adds an entry, which has room. Returns false if the value is too large for a float. */
static inline bool columns_add_entry(struct leat_batch *b, uint64_t id, double value, uint32_t n1,
                                     uint32_t n2, uint32_t n3)
{
    uint32_t i = b->n_entries++, *part = b->name[i].part;
    b->id[i] = id;
    b->value[i] = (float)value;
    part[0] = n1;
    part[1] = n2;
    part[2] = n3;
    return isfinite(b->value[i]);
}

static bool columns_add_singles(struct leat_batch *b, const struct columns_single *g, uint32_t n)
{
    bool fits = true;
    for (uint32_t i = 0; i < n; i++)
        fits &= columns_add_entry(b, g[i].id, g[i].value, g[i].name, 0, 0);
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
                    leat_joins(g[j].joint, g[l].joint))
                    fits &= columns_add_entry(
                        b, feature_id_and3(g[i].part_id, g[j].part_id, g[l].part_id),
                        g[i].value * g[j].value * g[l].value, g[i].name, g[j].name, g[l].name);
    return fits;
}

/* Adds all features of the current record: singles, then pairs, then triples. */
static bool columns_add_all(struct leat_batch *b, const struct columns_featurizer *st, uint32_t m)
{
    bool fits = columns_add_singles(b, st->single, m);
    fits &= columns_add_singles(b, st->lone, st->n_lone);
    if (st->cross > 1) fits &= columns_add_pairs(b, st->single, m);
    if (st->cross > 2) fits &= columns_add_triples(b, st->single, m);
    return fits;
}

/* Adds the constant feature. The batch must have room for it. */
static bool columns_add_constant(struct leat_ctx *ctx, const struct columns_featurizer *st,
                                 struct leat_batch *b, uint32_t r)
{
    struct columns_single g = {.id = st->constant_id, .value = 1.0};
    bool fits =
        columns_name_single(ctx, b, r, st->constant_field, &g, (struct leat_str){0, LEAT_NULL});
    return fits && columns_add_singles(b, &g, 1);
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
    int m = columns_gather(ctx, st, b, r);
    if (m < 0) return false;
    uint64_t features =
        columns_n_features((uint64_t)m, st->cross) + st->n_lone + (c->constant != NULL);
    /* A record without features makes an example, too, so that learners count the record. */
    bool single = !c->explode || (!m && !st->n_lone);
    if (features > b->cap_entries - b->n_entries ||
        (single ? 1 : features) > b->cap_examples - b->n_examples) {
        ctx->host->reject(ctx, b, r, LEAT_R_TOO_LARGE,
                          "the batch has no room for the record's %llu features",
                          (unsigned long long)features);
        return false;
    }
    uint32_t first = b->n_entries;
    if (c->constant && !columns_add_constant(ctx, st, b, r)) return false;
    bool fits = columns_add_all(b, st, (uint32_t)m);
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

/* Warns of columns in which records lack a number. A linear model treats a missing feature as 0,
 * which the user may not intend. */
static void columns_tell_missing(struct leat_ctx *ctx, void *const *self, uint32_t lanes)
{
    uint64_t most = 0;
    uint32_t which = 0, columns = 0;
    char room[COLUMNS_EDGES_NAME];
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
                       (unsigned long long)most, columns_name_of(ctx->cfg, which, room),
                       columns > 1 ? ", and others have none in other columns" : "");
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
