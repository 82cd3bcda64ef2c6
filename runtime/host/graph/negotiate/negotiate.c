/* negotiate.c -- walks the graph from the sources, schema by schema. */
#include "negotiate.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

#include "core/text/grouped.h"
#include "negotiate_stage.h"
#include "host/graph/column_type.h"
#include "host/graph/graph.h"
#include "host/graph/node_diag.h"
#include "host/graph/pure_calls.h"

/* Framings: ways in which a source cuts its input into records. */

static const struct {
    const char *name, *parsers;
} FRAMINGS[] = {
    [LEAT_LINES] = {"lines", "parse.lines"},
    [LEAT_CSV] = {"CSV records, whose quoted fields may have line ends", "parse.csv"},
    [LEAT_NUL_ENDED] = {"records that end with a zero byte", NULL},
    [LEAT_LENGTH_PREFIXED] = {"records that begin with their length", NULL},
    [LEAT_CHUNKS] = {"pieces of any length", NULL},
};
enum { N_FRAMINGS = sizeof FRAMINGS / sizeof *FRAMINGS };

/* Returns the records that a source cuts, and what to do, for a message: "lines: use a parser of
 * these, such as parse.lines, or another source". */
static const char *what_it_cuts(uint32_t framings, struct arena *a)
{
    for (uint32_t i = 0; i < N_FRAMINGS; i++)
        if (framings & LEAT_FRAMING(i) && FRAMINGS[i].parsers)
            return arena_printf(a, "%s: use a parser for them, such as %s, or another source",
                                FRAMINGS[i].name, FRAMINGS[i].parsers);
    return "no records out of text: use another source, such as source.file";
}

/* Checks that the source can cut records as the parser wants them. */
static void check_framing(struct graph *g, const struct node *source, const struct node *parser,
                          uint32_t kind, struct diag *d)
{
    uint32_t framings = source->stage->source->framings;
    if (kind < N_FRAMINGS && framings & LEAT_FRAMING(kind)) return;
    node_error(d, parser, NULL, "the parser wants %s, but %s (line %d) cuts %s",
               kind < N_FRAMINGS ? FRAMINGS[kind].name
                                 : arena_printf(g->arena,
                                                "framing %u, which this version of leat does "
                                                "not know",
                                                (unsigned)kind),
               source->label, source->at.line, what_it_cuts(framings, g->arena));
}

static void find_framing(struct graph *g, struct node *source, const struct node *n,
                         const struct node **parser, struct diag *d)
{
    if (n->stage && n->configured && (n->stage->caps & LEAT_PARSER) && n->stage->framing) {
        struct leat_framing f = {0};
        pure_is_kept(d, n, "framing", pure_framing(n, &f), d->errors);
        if (*parser && memcmp(&f, &source->framing, sizeof f))
            node_error(
                d, n, NULL,
                "this parser cuts the input differently from %s (line %d): give each its own "
                "source",
                (*parser)->label, (*parser)->at.line);
        check_framing(g, source, n, f.kind, d);
        source->framing = f;
        *parser = n;
        if (f.header && !source->stage->source->header) g->node[n->index].headerless = source;
        return;
    }
    for (uint32_t j = 0; j < n->n_out; j++)
        find_framing(g, source, &g->node[g->edge[n->out[j]].to], parser, d);
}

/* Sets the source's framing to what the first parser on each path wants. Reports an error if the
 * parsers disagree. */
static void negotiate_framing(struct graph *g, struct node *source, struct diag *d)
{
    const struct node *parser = NULL;
    find_framing(g, source, source, &parser, d);
}

/* ---- merges: join the schemas of their inputs ---- */

enum { SHOWN_BYTES = 100 }; /* most bytes of a header in a message */

/* Drops the scores of a merge if not all inputs have scores of one kind. */
static void merge_scores(struct leat_schema *a, const struct leat_schema *b)
{
    if (a->has & b->has & LEAT_HAS_SCORE && a->score == b->score) return;
    a->has &= ~(uint32_t)LEAT_HAS_SCORE;
    a->score = LEAT_SCORE_NONE;
}

static bool may_be_same(const struct leat_schema *a, const struct leat_schema *b)
{
    bool have = a->has == (b->has & (a->has | ~(uint32_t)LEAT_HAS_SCORE));
    if (have && (a->open || b->open)) return true; /* compared when both are known */
    if (!have || a->n_columns != b->n_columns || a->n_fields != b->n_fields) return false;
    for (uint32_t i = 0; i < a->n_columns; i++)
        if (strcmp(a->column[i].name, b->column[i].name) || a->column[i].type != b->column[i].type)
            return false;
    for (uint32_t i = 0; i < a->n_fields; i++)
        if (strcmp(a->fields[i], b->fields[i])) return false;
    return true;
}

#define WIDEN(F)                                                                                   \
    if (b->F > a->F) a->F = b->F

static void negotiate_widen(struct leat_schema *a, const struct leat_schema *b)
{
    WIDEN(examples_per_record);
    WIDEN(entries_per_record);
    WIDEN(entries_per_256_bytes);
    WIDEN(parts_per_record);
    WIDEN(added_bytes_per_record);
    WIDEN(max_record_bytes);
    WIDEN(copies_text);
    WIDEN(added_names);
    WIDEN(extents);
    a->open |= b->open;
    a->derived |= b->derived;
    if (b->n_marks < a->n_marks) a->n_marks = b->n_marks;
}

/* Joins the number formats of two schemas. Where they differ, the joint format accepts only text
 * that is a number in both. */
static void join_forms(struct graph *g, struct leat_schema *a, const struct leat_schema *b)
{
    struct leat_column *own = NULL;
    for (uint32_t i = 0; i < a->n_columns && i < b->n_columns; i++) {
        struct grouped x = column_form(&a->column[i]), y = column_form(&b->column[i]);
        if (grouped_is_same(&x, &y)) continue;
        if (!own) own = arena_alloc(g->arena, a->n_columns * sizeof *own);
        if (a->column != own) memcpy(own, a->column, a->n_columns * sizeof *own);
        a->column = own;
        own[i].decimal = LEAT_DECIMAL_UNSURE;
        own[i].thousands = '\0';
    }
}

/* True if the headers of both schemas are equal, or one has none. A parser after several sources
 * uses one header for all of them. */
static bool has_same_header(const struct leat_schema *a, const struct leat_schema *b)
{
    return !a->header || !b->header ||
           (a->header_len == b->header_len && !memcmp(a->header, b->header, a->header_len));
}

static void report_headers(const struct graph *g, const struct node *n, const struct node *other,
                           struct diag *d)
{
    const struct leat_schema *a = &n->schema_in, *b = &other->schema_out;
    node_error(
        d, n, NULL,
        "the merge's inputs have different headers: '%.*s' of %s, and '%.*s' of %s; give each "
        "input its own parser before the merge, with the same names in `columns`",
        (int)(a->header_len < SHOWN_BYTES ? a->header_len : SHOWN_BYTES), a->header,
        g->node[g->edge[n->in[0]].from].label,
        (int)(b->header_len < SHOWN_BYTES ? b->header_len : SHOWN_BYTES), b->header, other->label);
}

/* Joins the inputs of a merge. Their columns and fields must be equal; sizes become the maximum. On
 * entry, schema_in is the schema of the first input. */
static void negotiate_merge(struct graph *g, struct node *n, struct diag *d)
{
    for (uint32_t i = 1; i < n->n_in; i++) {
        const struct node *other = &g->node[g->edge[n->in[i]].from];
        merge_scores(&n->schema_in, &other->schema_out);
        if (!has_same_header(&n->schema_in, &other->schema_out)) {
            report_headers(g, n, other, d);
        } else if (may_be_same(&n->schema_in, &other->schema_out)) {
            negotiate_widen(&n->schema_in, &other->schema_out);
            join_forms(g, &n->schema_in, &other->schema_out);
        } else
            node_error(d, n, NULL,
                       "the inputs of the merge differ: %s gives %s (%u columns), %s gives %s (%u "
                       "columns)",
                       g->node[g->edge[n->in[0]].from].label,
                       node_diag_has(n->schema_in.has, g->arena), (unsigned)n->schema_in.n_columns,
                       other->label, node_diag_has(other->schema_out.has, g->arena),
                       (unsigned)other->schema_out.n_columns);
    }
}

/* ---- columns that hide a value of the records ----
 *
 * If later stages determine a parser's columns (LEAT_NAMED_LATER), the parser makes only columns
 * that no stage between them makes. So a stage that makes a column "owner" (shape.lookup) hides the
 * records' own value of "owner". After a parser that knows its columns this is an error, because no
 * stage may add a column whose name exists. Here nobody knows the names in the records before the
 * run. The parser sees them during the run, and asks the host which columns are hidden
 * (leat_host.made_later). */

static bool is_noted(const struct node *parser, const char *name)
{
    for (uint32_t i = 0; i < parser->n_made; i++)
        if (!strcmp(parser->made[i].name, name)) return true;
    return false;
}

static void negotiate_note(struct node *parser, const char *name, const struct node *by,
                           struct arena *a)
{
    if (is_noted(parser, name)) return;
    if (parser->n_made == parser->made_cap)
        parser->made =
            arena_grow(a, parser->made, parser->n_made, &parser->made_cap, sizeof *parser->made);
    parser->made[parser->n_made++] = (struct made_column){name, by};
}

static void note_columns(struct node *parser, const struct node *by, struct arena *a)
{
    const struct leat_schema *out = &by->schema_out;
    if (by->stage->caps & LEAT_REPLACES) return;
    for (uint32_t i = by->schema_in.n_columns; i < out->n_columns; i++)
        negotiate_note(parser, out->column[i].name, by, a);
}

static bool is_fed_by_one(const struct graph *g, const struct node *n, const bool *reached)
{
    for (uint32_t i = 0; i < n->n_in; i++)
        if (reached[g->edge[n->in[i]].from]) return true;
    return false;
}

static void note_later(struct graph *g, struct node *parser)
{
    bool *reached = arena_alloc(g->arena, g->n_nodes * sizeof *reached);
    parser->n_made = 0;
    reached[parser->index] = true;
    for (uint32_t i = 0; i < g->n_nodes; i++) {
        const struct node *n = g->order[i];
        if (n == parser || !is_fed_by_one(g, n, reached) || (n->stage && n->stage->expand))
            continue;
        reached[n->index] = true;
        if (n->stage) note_columns(parser, n, g->arena);
    }
}

/* For each parser with LEAT_NAMED_LATER, notes the columns that later stages make, with the stage
 * that makes each. Stops at stages that make new records. Skips stages with LEAT_REPLACES, which
 * may replace a column on purpose. Needs negotiated schemas. May be called again. */
static void note_hidden_columns(struct graph *g)
{
    for (uint32_t i = 0; i < g->n_nodes; i++)
        if (g->node[i].named_later) note_later(g, &g->node[i]);
}

/* ---- headers that are probably misread ---- */

/* True if the stage looks up columns by name. A stage that takes all columns, such as a sink, does
 * not. */
static bool negotiate_is_named(const struct node *n)
{
    return n->n_found && n->n_found < n->schema_in.n_columns;
}

static bool is_found_after(const struct graph *g, const struct node *n, const bool *found)
{
    for (uint32_t j = 0; j < n->n_out; j++)
        if (found[g->edge[n->out[j]].to]) return true;
    return false;
}

/* After a negotiation, marks each parser that has warned about its header if no later stage has
 * found a column by name. The next negotiation counts the warning of a marked parser as an error
 * and its columns as a guess. Returns true if any parser is marked. */
static bool mark_wrong_headers(struct graph *g)
{
    bool some = false;
    /* found[node->index]: the node or a later one looks up columns by name, and finds them */
    bool *found = arena_alloc(g->arena, g->n_nodes * sizeof *found);
    for (uint32_t i = g->n_nodes; i-- > 0;) {
        struct node *n = g->order[i];
        const bool after = is_found_after(g, n, found);
        bool parser = n->stage && n->stage->caps & LEAT_PARSER;
        n->doubted = parser && n->warned && !after;
        found[n->index] = after || negotiate_is_named(n);
        some |= n->doubted;
    }
    return some;
}

/* Removes the marks of mark_wrong_headers(). */
static void clear_wrong_headers(struct graph *g)
{
    for (uint32_t i = 0; i < g->n_nodes; i++)
        g->node[i].doubted = false;
}

static void negotiate_route(struct graph *g, struct node *n, struct diag *d)
{
    n->column_index = (struct column_index){0};
    for (uint32_t j = 0; j < n->n_out; j++) {
        struct edge *e = &g->edge[n->out[j]];
        struct deal deal;
        deal_init(&deal, g, n, d);
        int status = deal_find_column(&deal, NULL, n->by, &e->by_column);
        if (status == LEAT_OK && n->schema_in.column[e->by_column].type == LEAT_NUMBER)
            node_error(d, n, NULL, "column '%s' holds numbers; a route needs a text column", n->by);
        if (status != LEAT_OK) return;
    }
}

static bool inputs_have_schemas(const struct graph *g, const struct node *n)
{
    for (uint32_t i = 0; i < n->n_in; i++)
        if (!g->node[g->edge[n->in[i]].from].has_schema) return false;
    return true;
}

/* Negotiates one node: takes the schema of its inputs and sets its output. After an error the
 * output is a guess that causes no further errors, so that later stages report only their own. */
static void negotiate_node(struct graph *g, struct node *n, struct diag *d)
{
    const struct node *before = graph_before(g, n);
    size_t errors = d->errors;
    n->n_found = 0;
    /* any other stage without an input is an error */
    bool begins = n->stage && n->stage->kind == LEAT_SOURCE;
    n->has_schema = inputs_have_schemas(g, n) && (n->n_in || begins);
    n->schema_in = before ? before->schema_out
                          : (struct leat_schema){.size = sizeof n->schema_in, .open = !begins};
    if (n->kind == NODE_STAGE && n->stage) {
        negotiate_stage(g, n, d);
        return;
    }
    if (n->kind == NODE_MERGE && n->has_schema) negotiate_merge(g, n, d);
    if (n->kind == NODE_ROUTE) negotiate_route(g, n, d);
    n->schema_out = n->schema_in;
    n->has_schema &= n->kind != NODE_STAGE && d->errors == errors;
    if (!n->has_schema && n->kind != NODE_ROUTE) n->schema_out.open = 1;
}

/* Negotiates all nodes. If `asking`, parsers with LEAT_NAMED_LATER keep their schemas open, so that
 * later stages can look up more names. */
static void negotiate_all(struct graph *g, bool asking, struct diag *d)
{
    for (uint32_t i = 0; i < g->n_nodes; i++) {
        struct node *n = g->order[i];
        if (n->stage && n->stage->kind == LEAT_SOURCE) negotiate_framing(g, n, d);
        negotiate_node(g, n, d);
        if (asking && n->named_later) n->schema_out.open = 1;
    }
}

static bool has_named_later(const struct graph *g)
{
    bool has = false;
    for (uint32_t i = 0; i < g->n_nodes; i++)
        has |= g->node[i].stage && g->node[i].stage->caps & LEAT_NAMED_LATER;
    return has;
}

static size_t count_wanted(const struct graph *g)
{
    size_t n = 0;
    for (uint32_t i = 0; i < g->n_nodes; i++)
        n += g->node[i].n_wanted;
    return n;
}

/* Negotiates until no stage looks up further columns: a stage may look up its second column only
 * after it has found the first. */
static void ask_later_stages(struct graph *g)
{
    size_t before;
    do {
        struct diag draft = {.arena = g->arena};
        before = count_wanted(g);
        negotiate_all(g, true, &draft);
    } while (count_wanted(g) > before);
}

/* True if all stages are configured. Only then are all the column names that stages need known. */
static bool are_all_configured(const struct graph *g)
{
    bool all = true;
    for (uint32_t i = 0; i < g->n_nodes; i++)
        all &= g->node[i].kind != NODE_STAGE || g->node[i].configured;
    return all;
}

static void check_wanted(struct graph *g, struct diag *d)
{
    for (uint32_t i = 0; are_all_configured(g) && i < g->n_nodes; i++)
        if (g->node[i].named_later && !g->node[i].n_wanted)
            node_error(d, &g->node[i], NULL,
                       "the columns have no names, because no later stage uses one: set `columns`");
}

/* Negotiates and reports the problems. If a parser has warned about its header and no later stage
 * finds a column, the warning explains the errors of the later stages. Then only the warning is
 * reported. */
static void negotiate_for(struct graph *g, struct diag *d)
{
    struct diag sure = {.arena = g->arena}, guess = {.arena = g->arena}, *said = &sure;
    clear_wrong_headers(g);
    negotiate_all(g, false, &sure);
    if (sure.errors && mark_wrong_headers(g)) {
        negotiate_all(g, false, &guess);
        if (guess.errors + guess.warnings < sure.errors + sure.warnings) said = &guess;
        clear_wrong_headers(g);
    }
    for (const struct problem *p = said->first; p; p = p->next)
        diag_add(d, p->severity, p->at, p->stage, p->param, "%s", p->text);
}

int negotiate(struct graph *g, struct diag *d)
{
    size_t before = d->errors;
    assert(!graph_has_cycle(g));
    if (has_named_later(g)) ask_later_stages(g);
    negotiate_for(g, d);
    if (d->errors == before) check_wanted(g, d);
    note_hidden_columns(g);
    return d->errors > before ? LEAT_EARG : LEAT_OK;
}
