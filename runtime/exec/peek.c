/* peek.c -- see peek.h. For its header a source reads at most one record, so max_record bounds what
 * it reads. */
#include "peek.h"

#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/status_text.h"
#include "graph/files.h"
#include "graph/node_diag.h"
#include "run.h"

enum { ONLINE_SECONDS = 10, PEEK_SOURCES = 8 /* of one parser */ };

static bool has_header(const struct graph *g, const struct node *n)
{
    return n->configured && n->stage->kind == LEAT_SOURCE && n->stage->source->header &&
           n->framing.header && files_are_regular(g, n);
}

/* The host has put the stage's label before the text; the diag does that, too. */
static void report(const struct run *r, const struct node *n, struct diag *d)
{
    size_t len = strlen(n->label);
    bool labelled = !strncmp(r->reason, n->label, len) && r->reason[len] == ':';
    bool configured = atomic_load(&r->failed) == LEAT_EARG; /* wrong whatever the file holds */
    diag_add(d, configured ? DIAG_ERROR : DIAG_FILE, n->at, n->label, NULL, "%s",
             r->reason + (labelled ? len + 2 : 0));
}

static void peek(struct graph *g, struct node *n, struct diag *d)
{
    struct run r;
    run_init(&r, g);
    if (run_open_stage(&r, n) != LEAT_OK || run_read_header(&r, n) != LEAT_OK) report(&r, n, d);
    run_close(&r);
}

void peek_headers(struct graph *g, struct diag *d)
{
    int level = log_set_level(-1); /* the run will say again what a source has to say */
    for (uint32_t i = 0; i < g->n_nodes; i++)
        if (has_header(g, &g->node[i])) peek(g, &g->node[i], d);
    log_set_level(level);
}

static bool has_table(const struct graph *g, const struct node *n)
{
    struct file_cursor at = {.node = n->index};
    struct file_use use;
    if (!n->configured || n->stage->kind == LEAT_SOURCE || n->schema_in.open) return false;
    while (files_next(g, LEAT_READS_FILE, &at, &use) && at.node == n->index)
        if (use.whole) return files_are_regular(g, n);
    return false;
}

static void open_table(struct graph *g, struct node *n, struct diag *d)
{
    struct run r;
    run_init(&r, g);
    if (run_open_lane(&r, n, 0) != LEAT_OK) report(&r, n, d);
    run_close(&r);
}

void peek_tables(struct graph *g, struct diag *d)
{
    int level = log_set_level(-1);
    for (uint32_t i = 0; i < g->n_nodes; i++)
        if (has_table(g, &g->node[i])) open_table(g, &g->node[i], d);
    log_set_level(level);
}

/* ---- the first records ---- */

struct hbatch *peek_batch(struct run *r, const struct node *source, const struct node *parser)
{
    struct batch_shape shape = {.own_records = true};
    batch_shape_widen(&shape, &source->schema_out, &r->graph->options);
    if (parser) batch_shape_widen(&shape, &parser->schema_out, &r->graph->options);
    struct hbatch *h = batch_new(&shape);
    if (!h) run_fail(r, LEAT_ENOMEM, "there is not enough memory for a batch");
    return h;
}

int peek_produce(struct run *r, struct node *source, struct hbatch *h)
{
    struct instance *i = run_instance(r, source, 0);
    batch_reset(h);
    h->source = i;
    instance_enter(i, "produce", clock_ns());
    int status = source->stage->source->produce(&i->ctx, i->self, &h->b);
    instance_leave(i);
    return status;
}

/* Does the stage say something of the records that it saw, and does it need no server? */
static bool is_judge(const struct node *n)
{
    return n->configured && (n->stage->caps & LEAT_PARSER) && n->stage->process &&
           n->stage->finish && !n->stage->online;
}

/* The sources whose records reach a node as they are. false: other stages lie between, they are no
 * regular files, or too many. */
static bool find_sources(struct graph *g, const struct node *n, struct node **source,
                         uint32_t *found)
{
    bool all = n->kind != NODE_ROUTE;
    for (uint32_t i = 0; i < n->n_in && all; i++) {
        struct node *from = &g->node[g->edge[n->in[i]].from];
        bool reads = from->stage && from->stage->kind == LEAT_SOURCE;
        if (!reads)
            all = !from->stage && find_sources(g, from, source, found);
        else if ((all = *found < PEEK_SOURCES && from->configured && files_are_regular(g, from)))
            source[(*found)++] = from;
    }
    return all;
}

static void parse_batch(struct instance *parser, struct hbatch *h)
{
    struct leat_batch *b = &h->b;
    for (b->n_sel = 0; b->n_sel < b->n; b->n_sel++)
        b->sel[b->n_sel] = b->n_sel;
    batch_select(h, 0);
    b->fields = parser->ctx.out->fields;
    b->n_columns = parser->ctx.out->n_columns;
    instance_enter(parser, "process", clock_ns());
    parser->node->stage->process(&parser->ctx, parser->self, b);
    instance_leave(parser);
}

/* One batch of the source. What fails here fails in the run as well, which reports it. */
static void parse_first(struct run *r, struct node *source, struct node *parser)
{
    struct hbatch *h = NULL;
    int status = run_open_stage(r, source);
    if (status == LEAT_OK && source->framing.header) status = run_read_header(r, source);
    if (status == LEAT_OK) h = peek_batch(r, source, parser);
    if (h && peek_produce(r, source, h) >= 0) parse_batch(run_instance(r, parser, 0), h);
    if (h) batch_free(h);
}

static void judge_records(struct graph *g, struct node *parser, struct diag *d)
{
    struct node *source[PEEK_SOURCES];
    uint32_t n = 0;
    struct run r;
    if (!find_sources(g, parser, source, &n)) return;
    run_init(&r, g);
    if (run_open_lane(&r, parser, 0) == LEAT_OK) {
        for (uint32_t i = 0; i < n; i++)
            parse_first(&r, source[i], parser);
        struct instance *i = run_instance(&r, parser, 0);
        r.heard = d;
        atomic_store(&r.stopping, true); /* the records are the first, and not all */
        instance_enter(i, "finish", clock_ns());
        parser->stage->finish(&i->ctx, &i->self, 1);
        instance_leave(i);
    }
    run_close(&r);
}

void peek_records(struct graph *g, struct diag *d)
{
    int level = log_set_level(-1);
    for (uint32_t i = 0; i < g->n_nodes; i++)
        if (is_judge(&g->node[i])) judge_records(g, &g->node[i], d);
    log_set_level(level);
}

static void ask_servers(struct graph *g, struct node *n, struct diag *d)
{
    struct run r;
    struct node_diag s = node_diag_outside(d, n);
    run_init(&r, g);
    struct instance *i = run_instance(&r, n, 0);
    instance_enter(i, "online", clock_ns());
    int status = n->stage->online(&i->ctx, ONLINE_SECONDS, &s.base);
    instance_leave(i);
    if (status < 0) {
        run_fail(&r, status, "%s: the servers cannot be asked: %s", n->label, status_text(status));
        report(&r, n, d);
    }
    run_close(&r);
}

void peek_online(struct graph *g, struct diag *d)
{
    for (uint32_t i = 0; i < g->n_nodes; i++)
        if (g->node[i].configured && g->node[i].stage->online) ask_servers(g, &g->node[i], d);
}
