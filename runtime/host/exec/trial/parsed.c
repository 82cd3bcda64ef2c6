/* parsed.c -- implementation of parsed.h.
 *
 * The pipeline is source.null | PARSER | sink.null. The source is not opened: the records come from
 * the caller, so the parser's framing and header have no effect. */
#include "parsed.h"

#include <math.h>
#include <string.h>

#include "core/report/text_out.h"
#include "host/graph/negotiate/negotiate.h"
#include "host/log/log.h"
#include "peek.h"
#include "trial.h"

enum { SOURCE, PARSER, SINK, NODES };
/* Bounds of the longest record that the parser expects. A longer one is cut. */
enum { PARSED_SHORT = 1 << 10, PARSED_LONGEST = 1 << 20 };

struct parsed {
    struct run run;
    struct node *parser;
    struct hbatch *batch, *made; /* made: for a parser that makes other records; else NULL */
    struct arena *arena;
    struct value *list;
    size_t n, cap; /* values in the list, and its room */
};

static void parsed_add(struct parsed *p, struct value row)
{
    if (p->n == p->cap) p->list = arena_grow(p->arena, p->list, p->n, &p->cap, sizeof *p->list);
    p->list[p->n++] = row;
}

static struct value parsed_text(struct parsed *p, const char *text, size_t n)
{
    return (struct value){.type = VALUE_TEXT, .text = arena_strndup(p->arena, text, n), .n = n};
}

/* Returns the cell of column c of record r, as a text. */
static struct value parsed_cell(struct parsed *p, uint32_t c, uint32_t r)
{
    const struct leat_batch *b = &p->batch->b;
    const uint32_t type = p->parser->schema_out.column[c].type;
    const struct value none = {.type = VALUE_BOOL};
    if (type == LEAT_NUMBER && !isnan(b->column[c].number[r])) {
        char text[TEXT_NUMBER];
        return parsed_text(p, text, text_format_double(text, b->column[c].number[r]));
    }
    if (type != LEAT_TEXT || b->column[c].text[r].len == LEAT_NULL) return none;
    return parsed_text(p, leat_text(b, b->column[c].text[r]), b->column[c].text[r].len);
}

static struct value parsed_list(struct parsed *p, uint32_t n)
{
    return (struct value){
        .type = VALUE_LIST, .n = n, .list = arena_alloc(p->arena, (n + 1) * sizeof(struct value))};
}

/* Returns the cells of record r, or what became of it. */
static struct value parsed_record(struct parsed *p, uint32_t r)
{
    const uint32_t first = p->parser->schema_in.n_columns, end = p->parser->schema_out.n_columns;
    const char *reason;
    size_t n = 0;
    const char *why = trial_rejection(p->batch, r, &reason, &n);
    if (why) return parsed_text(p, why, n);
    if (p->batch->b.status[r] != LEAT_ROW_OK) return (struct value){.type = VALUE_BOOL};
    struct value cells = parsed_list(p, end - first);
    for (uint32_t c = first; c < end; c++)
        cells.list[c - first] = parsed_cell(p, c, r);
    return cells;
}

static struct value parsed_names(struct parsed *p)
{
    const uint32_t first = p->parser->schema_in.n_columns, end = p->parser->schema_out.n_columns;
    struct value names = parsed_list(p, end - first);
    for (uint32_t c = first; c < end; c++) {
        const char *name = p->parser->schema_out.column[c].name;
        names.list[c - first] = parsed_text(p, name, strlen(name));
    }
    return names;
}

/* Adds records to the empty batch until it is full. Returns their number. A record without room in
 * an empty batch is cut. */
static size_t parsed_fill(struct parsed *p, const struct value *records, size_t n)
{
    struct leat_batch *b = &p->batch->b;
    size_t k = 0;
    batch_reset(p->batch);
    for (; k < n && b->n < b->cap; k++) {
        uint32_t room = b->fill_bytes - b->n_bytes;
        if (records[k].n > room && b->n) return k;
        uint32_t len = records[k].n < room ? (uint32_t)records[k].n : room;
        uint32_t off = b->n_bytes;
        memcpy(b->bytes + off, records[k].text, len);
        b->n_bytes += len;
        if (leat_add_record_at(b, off, len, 0, k, 0) < 0) return k;
        b->sel[b->n_sel++] = b->n - 1;
    }
    return k;
}

/* Parses the records in the batch. Returns the parser's status. */
static int parsed_process(struct parsed *p)
{
    int status = trial_process(run_instance(&p->run, p->parser, 0), p->batch);
    for (uint32_t r = 0; r < p->batch->b.n && status >= 0; r++)
        parsed_add(p, parsed_record(p, r));
    return status;
}

/* Makes other records from those in the batch, and adds their texts. */
static int parsed_expand(struct parsed *p)
{
    struct instance *i = run_instance(&p->run, p->parser, 0);
    const struct leat_batch *b = &p->made->b;
    int status = LEAT_AGAIN;
    for (bool again = false; status == LEAT_AGAIN; again = true) {
        status = trial_expand(i, p->batch, p->made, again);
        if (status == LEAT_AGAIN && !b->n) return LEAT_EDATA;
        for (uint32_t r = 0; r < b->n && status >= 0; r++)
            parsed_add(p, parsed_text(p, leat_text(b, b->raw[r]), b->raw[r].len));
    }
    return status;
}

/* Parses all records, a batch at a time. Returns the parser's status. */
static int parsed_take(struct parsed *p, const struct value *records, size_t n)
{
    int status = LEAT_OK;
    parsed_add(p, parsed_names(p));
    for (size_t k = 0; k < n && status >= 0;) {
        k += parsed_fill(p, records + k, n - k);
        batch_select(p->batch, 0);
        status = p->made ? parsed_expand(p) : parsed_process(p);
    }
    return status;
}

/* Makes the batches. Returns false if there is no memory for them. */
static bool parsed_begin(struct parsed *p, const struct node *source)
{
    const bool expands = p->parser->stage->expand;
    p->batch = trial_batch(&p->run, source, &p->parser, 1);
    if (expands) p->made = trial_batch(&p->run, source, &p->parser, 1);
    return p->batch && (p->made || !expands);
}

/* Opens the parser, and parses the records. Returns NULL, or the reason of a failure. */
static const char *parsed_run(struct parsed *p, struct graph *g, const struct value *records,
                              size_t n)
{
    struct diag heard = {.arena = p->arena};
    run_init(&p->run, g);
    p->run.heard = &heard;
    p->parser = &g->node[PARSER];
    bool good = trial_begin(&p->run, p->parser) && parsed_begin(p, &g->node[SOURCE]);
    good = good && parsed_take(p, records, n) >= 0;
    if (p->made) batch_free(p->made);
    if (p->batch) batch_free(p->batch);
    const char *why = good ? NULL : arena_strdup(p->arena, p->run.control.reason);
    run_close(&p->run);
    return why;
}

/* Returns the settings of a source whose records are as long as these. */
static struct setting *parsed_source(const struct value *records, size_t n, struct arena *a)
{
    struct setting *longest = arena_alloc(a, sizeof *longest);
    int64_t most = PARSED_SHORT;
    for (size_t i = 0; i < n; i++)
        if ((int64_t)records[i].n > most) most = (int64_t)records[i].n;
    if (most > PARSED_LONGEST) most = PARSED_LONGEST;
    *longest = (struct setting){
        .key = "max_record", .value = {.type = VALUE_INT, .integer = most, .number = (double)most}};
    return longest;
}

const struct value *parsed_records(struct registry *known, const char *parser,
                                   struct setting *settings, size_t n_settings,
                                   const struct value *records, size_t n, struct arena *a,
                                   const char **why)
{
    const char *const stages[NODES] = {"source.null", parser, "sink.null"};
    struct graph *g = peek_pipeline(a, parser, stages, NODES, parsed_source(records, n, a), 1);
    struct diag d = {.arena = a};
    struct parsed p = {.arena = a};
    bool hushed = log_hush(true);
    g->shows_all = true;
    g->node[PARSER].settings = settings;
    g->node[PARSER].n_settings = n_settings;
    if (graph_link(g, known, &d) == LEAT_OK) negotiate(g, &d);
    *why = d.errors ? d.first->text : NULL;
    if (!*why) *why = parsed_run(&p, g, records, n);
    log_hush(hushed);
    if (*why) return NULL;
    struct value *all = arena_alloc(a, sizeof *all);
    *all = (struct value){.type = VALUE_LIST, .list = p.list, .n = p.n};
    return all;
}
