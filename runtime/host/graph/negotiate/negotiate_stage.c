/* negotiate_stage.c -- implementation of negotiate_stage.h: needs, columns, bounds, answers. */
#include "negotiate_stage.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

#include "core/text/name_look.h"
#include "host/graph/bounds.h"
#include "host/graph/column_type.h"
#include "host/graph/node_diag.h"
#include "host/graph/pure_calls.h"
#include "host/graph/stage_columns.h"
#include "host/metrics/progressive.h"

static const struct {
    uint32_t has;
    const char *noun, *remedy;
} HAS[] = {
    {LEAT_HAS_RECORDS, "records", "a source"},
    {LEAT_HAS_COLUMNS, "columns", "a parser such as parse.csv"},
    {LEAT_HAS_KEY, "keys", "a source or parser that makes keys"},
    {LEAT_HAS_TIMESTAMP, "event times", "parse.time"},
    {LEAT_HAS_LABEL, "labels", "a label.* stage, or a parser that makes labels"},
    {LEAT_HAS_EXAMPLES, "examples", "a feature.* stage, or a parser such as parse.libsvm"},
    {LEAT_HAS_NAMES, "feature names", "a stage that names features"},
    {LEAT_HAS_SCORE, "scores", "a learner"},
    {LEAT_HAS_HEADERS, "headers of messages", "a source of messages"},
};
enum { N_HAS = sizeof HAS / sizeof *HAS };

/* Reports input that the stage needs and lacks. Says nothing if the stage before is missing or its
 * schema is a guess, because that is already reported. */
static void check_needs(const struct graph *g, const struct node *n, struct diag *d)
{
    uint32_t missing = n->stage->needs & ~n->schema_in.has;
    const struct node *before = graph_before(g, n);
    if (!before || !before->has_schema) return;
    for (int i = 0; i < N_HAS; i++)
        if (missing & HAS[i].has)
            node_error(d, n, NULL,
                       "the stage needs %s, but %s (line %d) gives only %s: put %s before it",
                       HAS[i].noun, before->label, before->at.line,
                       node_diag_has(n->schema_in.has, g->arena), HAS[i].remedy);
}

/* Checks that records have event times if the stage queries a learner by event time. */
static void check_time(const struct node *n, struct diag *d)
{
    const struct node *learner = n->asked;
    if (!n->ask.event_time || !learner || !learner->has_schema) return;
    if (!(learner->schema_in.has & LEAT_HAS_TIMESTAMP))
        node_error(d, n, "clock",
                   "\"event\" needs event times, but the records that reach %s (line %d) have "
                   "none: put parse.time before it",
                   learner->label, learner->at.line);
}

/* A stage that makes labels rewrites labels, not columns. */
static bool may_add_columns(const struct leat_stage *s)
{
    bool rewrites = s->caps & LEAT_REWRITES && !(s->makes & LEAT_HAS_LABEL);
    return s->kind == LEAT_SOURCE || s->expand || s->caps & LEAT_PARSER || rewrites ||
           s->makes & LEAT_HAS_COLUMNS;
}

/* Resets the schema for a stage that makes new records. The stage then adds the columns of the new
 * records. */
static void forget_columns(struct leat_schema *s)
{
    const uint32_t kept = LEAT_HAS_RECORDS | LEAT_HAS_KEY | LEAT_HAS_TIMESTAMP;
    *s = (struct leat_schema){.size = s->size,
                              .has = s->has & kept,
                              .max_record_bytes = s->max_record_bytes,
                              .derived = 1};
}

static bool asks_for_header(const struct node *n)
{
    struct leat_framing f = {0};
    if (!(n->stage->caps & LEAT_PARSER) || !n->configured || !n->stage->framing) return false;
    pure_framing(n, &f);
    return f.header;
}

/* Returns the first parser upstream of n, which takes the source's header; NULL if there is
 * none. */
static const struct node *parser_before(const struct graph *g, const struct node *n)
{
    do
        n = graph_before(g, n);
    while (n && !(n->stage && n->stage->caps & LEAT_PARSER));
    return n;
}

/* Reports an error if nothing names the columns of a parser. They are open while the parser waits
 * for a header. A source may have no header, and only the first parser after a source gets the
 * header. */
static void check_named(const struct graph *g, struct node *n, struct diag *d)
{
    const struct node *first = parser_before(g, n);
    if (!n->schema_out.open || n->schema_out.n_columns > n->schema_in.n_columns) return;
    if (first && asks_for_header(n))
        node_error(d, n, NULL,
                   "the columns have no names, because %s passes no header on: set `columns`",
                   first->label);
    else if (n->headerless && !n->schema_in.open)
        node_error(d, n, NULL, "the columns have no names, because %s has no header: set `columns`",
                   n->headerless->label);
}

/* Drops the scores if the stage adds examples, because no learner has scored these. */
static void drop_scores(struct node *n)
{
    if (n->schema_out.examples_per_record <= n->schema_in.examples_per_record) return;
    n->schema_out.has &= ~(uint32_t)(LEAT_HAS_SCORE & ~n->stage->makes);
}

/* Sets the schemas with which the stage's negotiate() starts. */
static void begin_schemas(struct graph *g, struct node *n, uint32_t first_converted)
{
    struct leat_schema *out = &n->shown_out;
    stage_columns_begin(n, g->arena, first_converted);
    *out = n->shown_in;
    if (n->stage->expand) forget_columns(out);
    out->has |= n->stage->makes;
    if (n->stage->kind != LEAT_SOURCE) return;
    out->has |= LEAT_HAS_RECORDS;
    out->extents = LEAT_EXTENTS;
    out->header = n->schema_out.header;
    out->header_len = n->schema_out.header_len;
}

static int negotiate_once(struct graph *g, struct node *n, uint32_t first_converted, struct diag *d)
{
    struct deal deal;
    begin_schemas(g, n, first_converted);
    deal_init(&deal, g, n, d);
    if (!n->configured || n->stage->needs & ~n->schema_in.has || !n->stage->negotiate)
        return LEAT_OK;
    return pure_negotiate(n, &deal.base);
}

/* Negotiates once; twice if columns are converted. Converted columns lie after the columns that the
 * stage adds, so their place is known only after a first call. Only the first call reports
 * problems. */
static int negotiate_columns(struct graph *g, struct node *n, struct diag *d)
{
    struct diag again = {.arena = g->arena};
    int status = negotiate_once(g, n, n->schema_in.n_columns, d);
    uint32_t columns = n->shown_out.n_columns;
    if (n->n_conversions && !n->stage->expand && columns > n->first_converted)
        status = negotiate_once(g, n, columns, &again);
    stage_columns_take(n, g->arena);
    for (uint32_t k = 0; k < n->n_conversions && !n->stage->expand; k++)
        n->schema_out.added_bytes_per_record +=
            column_type_text_bytes(n->conversion[k].from_type, n->conversion[k].to_type);
    return status;
}

void negotiate_stage(struct graph *g, struct node *n, struct diag *d)
{
    size_t before = d->errors, warned = d->warnings;
    if (n->stage->kind != LEAT_SOURCE) check_needs(g, n, d);
    check_time(n, d);
    int status = negotiate_columns(g, n, d);
    if (status < 0 && d->errors == before)
        node_error(d, n, NULL,
                   status == LEAT_ENOMEM ? "there is not enough memory to prepare this stage"
                                         : "the stage refuses the records that reach it");
    n->warned = d->warnings > warned;
    pure_is_kept(d, n, "negotiate", status, before);
    if (d->errors == before) check_named(g, n, d);
    if (n->stage->caps & LEAT_NAMED_LATER && !n->n_wanted)
        n->named_later = n->schema_out.open && !n->schema_in.open;
    drop_scores(n);
    if (n->stage->caps & LEAT_PARSER) {
        n->schema_out.header = NULL;
        n->schema_out.header_len = 0;
    }
    n->has_schema &= n->configured && d->errors == before;
    if (!n->has_schema && may_add_columns(n->stage)) n->schema_out.open = 1;
    stage_columns_show(n);
}

enum { NAMES_SHOWN = 40 }; /* most column names in a message */

static const char *name_shown(struct arena *a, const char *name)
{
    return name_looks_plain(name) ? name : arena_printf(a, "'%s'", name);
}

/* Returns the names as a text "a, b, c". If there are many, lists the first ones and the number of
 * the others. */
static const char *list_names(struct arena *a, const char *const *name, uint32_t n)
{
    uint32_t shown = n < NAMES_SHOWN ? n : NAMES_SHOWN;
    const char *list = n ? name_shown(a, name[0]) : "none";
    for (uint32_t i = 1; i < shown; i++)
        list = arena_printf(a, "%s, %s", list, name_shown(a, name[i]));
    return shown < n ? arena_printf(a, "%s and %u more", list, (unsigned)(n - shown)) : list;
}

/* True if `name` looks like several column names in one text: "a,b". */
static bool is_list(const struct deal *deal, const char *name)
{
    size_t len = strcspn(name, ",");
    return name[len] && column_index_find(&deal->node->column_index, deal->node->schema_in.column,
                                          name, len) != COLUMN_NONE;
}

static void negotiate_stage_report_missing(struct deal *deal, const char *param, const char *name)
{
    const struct leat_schema *in = &deal->node->schema_in;
    struct leat_diag *d = &deal->diag.base;
    const char **names = arena_alloc(deal->arena, (in->n_columns + 1) * sizeof *names);
    for (uint32_t i = 0; i < in->n_columns; i++)
        names[i] = in->column[i].name;
    const char *near = diag_suggest(name, names, in->n_columns);
    const char *list = list_names(deal->arena, names, in->n_columns);
    const char *blanks =
        near && name_has_blanks_more(name, near)
            ? "; blanks around a name are part of it (set other names with `columns` of the parser)"
            : "";
    if (is_list(deal, name))
        d->error(d, param,
                 "there is no column '%s': give each name its own quotes, { \"a\", \"b\" } and not "
                 "{ \"a,b\" } (columns: %s)",
                 name, list);
    else if (near)
        d->error(d, param, "there is no column '%s': did you mean '%s'? (columns: %s)%s", name,
                 near, list, blanks);
    else
        d->error(d, param, "there is no column '%s' (columns: %s)", name, list);
}

/* ---- columns that later stages name ---- */

static void add_wanted(struct node *n, const char *name, struct arena *a)
{
    uint32_t i = 0;
    while (i < n->n_wanted && strcmp(n->wanted[i], name) < 0)
        i++;
    if (i < n->n_wanted && !strcmp(n->wanted[i], name)) return;
    if (n->n_wanted == n->wanted_cap)
        n->wanted = arena_grow(a, n->wanted, n->n_wanted, &n->wanted_cap, sizeof *n->wanted);
    memmove(n->wanted + i + 1, n->wanted + i, (n->n_wanted - i) * sizeof *n->wanted);
    n->wanted[i] = arena_strdup(a, name);
    n->n_wanted++;
}

/* Asks parsers upstream of `from` that have LEAT_NAMED_LATER to make column `name`, which `from`
 * looks up and no stage between them makes. */
static void ask_parsers(const struct graph *g, const struct node *from, const char *name)
{
    bool *reached = arena_alloc(g->arena, g->n_nodes * sizeof *reached);
    reached[from->index] = true;
    for (uint32_t i = g->n_nodes; i-- > 0;) {
        struct node *n = g->order[i];
        if (!reached[n->index]) continue;
        if (n != from && n->named_later) {
            add_wanted(n, name, g->arena);
            continue;
        }
        for (uint32_t j = 0; j < n->n_in; j++)
            reached[g->edge[n->in[j]].from] = true;
    }
}

static void note_found(struct node *n, uint32_t index, struct arena *a)
{
    if (n->n_found == n->found_cap)
        n->found = arena_grow(a, n->found, n->n_found, &n->found_cap, sizeof *n->found);
    n->found[n->n_found++] = index;
}

int deal_find_column(struct deal *deal, const char *param, const char *name, uint32_t *index)
{
    const struct leat_schema *in = &deal->node->schema_in;
    struct column_index *by_name = &deal->node->column_index;
    column_index_extend(by_name, deal->arena, in->column, in->n_columns);
    *index = column_index_find(by_name, in->column, name, strlen(name));
    if (*index != COLUMN_NONE) {
        note_found(deal->node, *index, deal->arena);
        return LEAT_OK;
    }
    if (in->open) {
        ask_parsers(deal->graph, deal->node, name);
        return LEAT_LATER;
    }
    negotiate_stage_report_missing(deal, param, name);
    return LEAT_EARG;
}

static int refuse_type(struct deal *deal, const char *param, const struct leat_column *column,
                       uint32_t types)
{
    struct leat_diag *d = &deal->diag.base;
    d->error(d, param, "column '%s' holds %s, but the stage takes %s: %s", column->name,
             column_type_plural(column->type), column_types_text(types, deal->arena),
             column->type == LEAT_BYTES ? "decode them in the stage that makes the column, or by "
                                          "leat.map"
                                        : "name another column, or convert it by leat.map");
    return LEAT_EARG;
}

static int ask_column(struct leat_negotiation *base, const char *param, const char *name,
                      uint32_t types, uint32_t *index)
{
    struct deal *deal = (struct deal *)base;
    uint32_t column;
    int status = deal_find_column(deal, param, name, &column);
    *index = column;
    if (status != LEAT_OK) return status;
    status = stage_columns_ask(deal->node, deal->arena, column, types, index);
    if (status == LEAT_EARG)
        return refuse_type(deal, param, &deal->node->schema_in.column[column], types);
    if (status == LEAT_EFULL)
        deal->diag.base.error(
            &deal->diag.base, param,
            "the stage asks for one column as several types: it must ask for one type");
    if (!deal->node->stage->expand && deal->column) /* the output has its own array of columns */
        deal->column[column].type = deal->node->shown_column[column].type;
    return status;
}

/* True if the name has a carriage return without a line feed after it. A quoted field may contain
 * both. */
static bool has_lone_return(const char *name, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (name[i] == '\r' && (i + 1 == len || name[i + 1] != '\n')) return true;
    return false;
}

/* True if a column with this name may be added. Otherwise reports the reason and returns false. */
static bool check_new(struct deal *deal, const char *name, size_t len)
{
    const struct leat_schema *out = deal->base.out;
    struct leat_diag *d = &deal->diag.base;
    column_index_extend(&deal->out, deal->arena, out->column, out->n_columns);
    if (memchr(name, '\0', len))
        d->error(
            d, NULL,
            "the name of column %u has a zero byte, so the input is not UTF-8 text: if it is "
            "UTF-16, set encoding = \"utf-16le\" of source.file, or convert it (iconv -t UTF-8)",
            (unsigned)out->n_columns + 1);
    else if (has_lone_return(name, len))
        d->error(d, NULL,
                 "the name of column %u has a carriage return, so lines may end with CR alone: "
                 "convert them (tr '\\r' '\\n')",
                 (unsigned)out->n_columns + 1);
    else if (out->n_columns >= LEAT_MAX_COLUMNS)
        d->error(d, NULL, "there are more than %d columns: leave some out before leat reads them",
                 LEAT_MAX_COLUMNS);
    else if (column_index_find(&deal->out, out->column, name, len) != COLUMN_NONE)
        d->error(d, NULL,
                 "there are two columns named '%.*s': give them different names in the parser's "
                 "`columns`",
                 (int)len, name);
    else
        return true;
    return false;
}

static bool check_type(struct deal *deal, const char *name, size_t len, uint32_t type)
{
    if (column_type_is_known(type)) return true;
    deal->diag.base.error(
        &deal->diag.base, NULL,
        "column '%.*s' has type %u, which this version of leat does not know: use a newer leat",
        (int)len, name, (unsigned)type);
    return false;
}

/* Makes sure that the output schema has its own array of columns, with space for one more. */
static void grow_columns(struct deal *deal)
{
    struct leat_schema *out = deal->base.out;
    if (!deal->column) deal->cap = out->n_columns;
    if (!deal->column || out->n_columns == deal->cap)
        deal->column =
            arena_grow(deal->arena, out->column, out->n_columns, &deal->cap, sizeof *deal->column);
    out->column = deal->column;
}

static int negotiate_stage_add_column(struct leat_negotiation *base, const char *name, size_t len,
                                      uint32_t type, uint32_t *index)
{
    struct deal *deal = (struct deal *)base;
    struct leat_schema *out = base->out;
    if (index) *index = out->n_columns;
    if (!check_new(deal, name, len) || !check_type(deal, name, len, type)) return LEAT_EARG;
    grow_columns(deal);
    deal->column[out->n_columns++] =
        (struct leat_column){.name = arena_strndup(deal->arena, name, len), .type = type};
    out->has |= LEAT_HAS_COLUMNS;
    return LEAT_OK;
}

static void set_number_form(struct leat_negotiation *base, uint32_t index, char decimal,
                            char thousands)
{
    struct deal *deal = (struct deal *)base;
    assert(index < base->out->n_columns);
    const struct leat_column *c = &base->out->column[index];
    if (c->decimal == decimal && c->thousands == thousands) return;
    if (!deal->column) grow_columns(deal);
    deal->column[index].decimal = decimal;
    deal->column[index].thousands = thousands;
}

static int negotiate_stage_add_field(struct leat_negotiation *base, const char *name)
{
    struct deal *deal = (struct deal *)base;
    struct leat_schema *out = base->out;
    if (!deal->field) deal->field_cap = out->n_fields;
    if (!deal->field || out->n_fields == deal->field_cap)
        deal->field = arena_grow(deal->arena, out->fields, out->n_fields, &deal->field_cap,
                                 sizeof *deal->field);
    out->fields = deal->field;
    deal->field[out->n_fields] = arena_strdup(deal->arena, name);
    return (int)out->n_fields++;
}

static void add_bounds(struct leat_negotiation *base, const struct leat_bounds *made)
{
    bounds_add(base->out, base->in, made);
}

/* True if each stage after n that takes examples makes their pairs. Sets *some if one does. Where
 * branches merge, examples of one branch may be whole. */
static bool negotiate_stage_makes_pairs(const struct graph *g, const struct node *n, bool *some)
{
    bool makes = n->kind != NODE_MERGE && (n->kind != NODE_STAGE || n->stage);
    for (uint32_t j = 0; j < n->n_out && makes; j++) {
        const struct node *next = &g->node[g->edge[n->out[j]].to];
        bool takes = next->stage && next->stage->needs & LEAT_HAS_EXAMPLES;
        *some |= takes;
        makes = (!takes || next->stage->caps & LEAT_PAIRS) &&
                negotiate_stage_makes_pairs(g, next, some);
    }
    return makes;
}

static int negotiate_stage_leave_pairs(struct leat_negotiation *base, const uint32_t *joint)
{
    struct deal *deal = (struct deal *)base;
    bool some = false;
    if (deal->graph->shows_all || base->in->has & LEAT_HAS_EXAMPLES ||
        !negotiate_stage_makes_pairs(deal->graph, deal->node, &some) || !some)
        return LEAT_LATER;
    uint32_t *copy = arena_alloc(deal->arena, (base->out->n_fields + 1) * sizeof *copy);
    memcpy(copy, joint, base->out->n_fields * sizeof *copy);
    base->out->joint = copy;
    base->out->n_joints = base->out->n_fields;
    return LEAT_OK;
}

static int negotiate_stage_mark(struct leat_negotiation *base, uint32_t field, enum leat_mark mark)
{
    struct deal *deal = (struct deal *)base;
    struct leat_schema *out = base->out;
    uint8_t *copy = arena_alloc(deal->arena, out->n_fields + 1);
    if (out->n_marks) memcpy(copy, out->mark, out->n_marks);
    copy[field] = (uint8_t)mark;
    out->mark = copy;
    out->n_marks = out->n_fields;
    return LEAT_OK;
}

static int name_figures(struct deal *deal, const char *const **names, uint32_t *n)
{
    const char **figure = arena_alloc(deal->arena, PROGRESSIVE_METRICS * sizeof *figure);
    *names = figure;
    *n = (uint32_t)progressive_names(graph_score(deal->node->asked), figure);
    return *n ? LEAT_OK : LEAT_ENOMEM;
}

static int name_answer(struct leat_negotiation *base, const char *const **names, uint32_t *n)
{
    struct deal *deal = (struct deal *)base;
    const struct node *learner = deal->node->asked;
    *n = 0;
    if (!learner || !learner->configured) return LEAT_LATER;
    if (deal->node->ask.kind == LEAT_QUERY_METRICS) return name_figures(deal, names, n);
    if (learner->stage->learner->columns) {
        *names = pure_columns(learner, n);
        return LEAT_OK;
    }
    deal->diag.base.error(&deal->diag.base, "of",
                          "the columns of the answers of %s are not known before the run, so "
                          "they cannot become records: show them by a sink, such as sink.top",
                          learner->label);
    return LEAT_EARG;
}

void deal_init(struct deal *deal, const struct graph *g, struct node *n, struct diag *d)
{
    *deal = (struct deal){.diag = node_diag_of(d, n), .arena = g->arena, .graph = g, .node = n};
    deal->base = (struct leat_negotiation){.size = sizeof deal->base,
                                           .in = &n->shown_in,
                                           .out = &n->shown_out,
                                           .diag = &deal->diag.base,
                                           .column = ask_column,
                                           .add_column = negotiate_stage_add_column,
                                           .add_field = negotiate_stage_add_field,
                                           .asked = n->wanted,
                                           .n_asked = n->n_wanted,
                                           .answer = name_answer,
                                           .framing = &n->framing,
                                           .add_bounds = add_bounds,
                                           .number_form = set_number_form,
                                           .leave_pairs = negotiate_stage_leave_pairs,
                                           .mark = negotiate_stage_mark};
}
