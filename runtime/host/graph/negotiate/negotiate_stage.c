/* negotiate_stage.c -- see negotiate_stage.h. */
#include "negotiate_stage.h"

#include <stdbool.h>

#include "host/graph/column_type.h"
#include "deal.h"
#include "host/graph/node_diag.h"
#include "host/graph/pure_calls.h"
#include "host/graph/stage_columns.h"

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

/* Behind a guess nothing is missed, and without a stage before it that is reported already. */
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

/* A question by event time. */
static void check_time(const struct node *n, struct diag *d)
{
    const struct node *learner = n->asked;
    if (!n->ask.event_time || !learner || !learner->has_schema) return;
    if (!(learner->schema_in.has & LEAT_HAS_TIMESTAMP))
        node_error(d, n, "clock",
                   "\"event\" needs event times, which the records that reach %s (line %d) have "
                   "not: put parse.time before it",
                   learner->label, learner->at.line);
}

static bool may_add_columns(const struct leat_stage *s)
{
    return s->kind == LEAT_SOURCE || s->expand || s->caps & (LEAT_PARSER | LEAT_REWRITES) ||
           s->makes & LEAT_HAS_COLUMNS;
}

/* Records that a stage makes anew have what the stage gives them. */
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

/* The first parser takes the header of the source: NULL if that is n. */
static const struct node *parser_before(const struct graph *g, const struct node *n)
{
    do
        n = graph_before(g, n);
    while (n && !(n->stage && n->stage->caps & LEAT_PARSER));
    return n;
}

/* A parser that waits for a header has open columns; of a source without one none will come, and
 * none comes to a second parser. */
static void check_named(const struct graph *g, struct node *n, struct diag *d)
{
    const struct node *first = parser_before(g, n);
    if (!n->schema_out.open || n->schema_out.n_columns > n->schema_in.n_columns) return;
    if (first && asks_for_header(n))
        node_error(d, n, NULL, "nothing names the columns: %s passes no header on; set `columns`",
                   first->label);
    else if (n->headerless && !n->schema_in.open)
        node_error(d, n, NULL, "nothing names the columns: %s has no header; set `columns`",
                   n->headerless->label);
}

/* No learner has seen the examples that a stage adds: they have no scores. */
static void drop_scores(struct node *n)
{
    if (n->schema_out.examples_per_record <= n->schema_in.examples_per_record) return;
    n->schema_out.has &= ~(uint32_t)(LEAT_HAS_SCORE & ~n->stage->makes);
}

/* What its negotiate begins with. */
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

/* Converted columns lie after those that the stage adds, so these are counted first. What there is
 * to report is reported then. */
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
