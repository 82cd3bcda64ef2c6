/* peek.c -- see peek.h. For its header a source reads at most one record, so max_record bounds what
 * it reads. */
#include "peek.h"

#include <string.h>

#include "apart.h"
#include "core/time/clock.h"
#include "host/log/log.h"
#include "host/plugin/status_text.h"
#include "host/graph/outside/files.h"
#include "host/graph/node_diag.h"
#include "host/graph/pure_calls.h"
#include "host/exec/plan/plan_limit.h"
#include "host/exec/worker/route_seen.h"

enum {
    ONLINE_SECONDS = 10,
    PEEK_SOURCES = 8, /* of one parser                              */
    PEEK_STAGES = 16, /* after a source                             */
    PEEK_RECORDS = 64 /* for those after the parser, at most        */
};

static bool has_header(const struct graph *g, const struct node *n)
{
    return n->configured && n->stage->kind == LEAT_SOURCE && n->stage->source->header &&
           n->framing.header && files_are_regular(g, n);
}

/* The host has put the stage's label before the text; the diag does that, too. */
static void report(const struct run *r, const struct node *n, struct diag *d)
{
    size_t len = strlen(n->label);
    bool labelled = !strncmp(r->control.reason, n->label, len) && r->control.reason[len] == ':';
    bool configured =
        atomic_load(&r->control.failed) == LEAT_EARG; /* wrong whatever the file holds */
    diag_add(d, configured ? DIAG_ERROR : DIAG_FILE, n->at, n->label, NULL, "%s",
             r->control.reason + (labelled ? len + 2 : 0));
}

static void peek(struct graph *g, struct node *n, struct diag *d)
{
    struct run r;
    run_init(&r, g);
    r.heard = d;
    if (run_open_stage(&r, n) != LEAT_OK || run_read_header(&r, n) != LEAT_OK) report(&r, n, d);
    run_close(&r);
}

void peek_headers(struct graph *g, struct diag *d)
{
    bool hushed = log_hush(true); /* the run will say again what a source has to say */
    for (uint32_t i = 0; i < g->n_nodes; i++)
        if (has_header(g, &g->node[i])) peek(g, &g->node[i], d);
    log_hush(hushed);
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
    bool hushed = log_hush(true);
    for (uint32_t i = 0; i < g->n_nodes; i++)
        if (has_table(g, &g->node[i])) open_table(g, &g->node[i], d);
    log_hush(hushed);
}

/* What a stage cannot plan is said when all is (plan_make). */
static bool has_plan(const struct node *n)
{
    struct leat_plan p = {.size = sizeof p};
    return !n->stage->plan || pure_plan(n, &p) == LEAT_OK;
}

void peek_learners(struct graph *g, struct diag *d)
{
    bool hushed = log_hush(true);
    struct run r;
    const char *fault = plan_limit_library(g->arena);
    if (fault) diag_add(d, DIAG_FILE, g->at, "pipeline", NULL, "%s", fault);
    run_init(&r, g);
    for (uint32_t i = 0; i < g->n_nodes && !atomic_load(&r.control.failed) && !fault; i++) {
        struct node *n = &g->node[i];
        if (!n->configured || n->stage->kind != LEAT_LEARNER || n->schema_in.open) continue;
        if (has_plan(n) && run_open_stage(&r, n) != LEAT_OK) report(&r, n, d);
    }
    run_close(&r);
    log_hush(hushed);
}

/* ---- the first records ---- */

struct hbatch *peek_batch(struct run *r, const struct node *source)
{
    return apart_batch(r, source, NULL, 0);
}

int peek_produce(struct run *r, struct node *source, struct hbatch *h)
{
    struct instance *i = run_instance(r, source, 0);
    batch_reset(h);
    h->source = i;
    instance_enter(i, "produce", clock_ns());
    int status = source->stage->source->produce(&i->ctx, i->self, &h->b);
    return instance_return(i, "produce", status);
}

/* A transform of one record at a time, or a learner, that needs no server and no table. */
static bool is_tried(const struct graph *g, const struct node *n)
{
    if (!n->configured) return false;
    bool takes = n->stage->kind == LEAT_TRANSFORM || n->stage->kind == LEAT_LEARNER;
    return takes && n->stage->process && !n->stage->online && !n->schema_in.open &&
           !n->schema_out.open && !has_table(g, n);
}

/* A parser, and the transforms and learners after it, up to the first that is not tried. */
struct chain {
    struct run *r;
    struct node *node[PEEK_STAGES];
    uint32_t n;
    const struct node *route; /* the one that follows; NULL: none does */
};

static void follow_chain(struct chain *c, struct node *n)
{
    struct graph *g = c->r->graph;
    while (n && c->n < PEEK_STAGES && n->kind == NODE_STAGE && n->n_in == 1 && is_tried(g, n)) {
        c->node[c->n++] = n;
        n = n->n_out == 1 ? &g->node[g->edge[n->out[0]].to] : NULL;
    }
    c->route = n && n->kind == NODE_ROUTE && n->n_out ? n : NULL;
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

static void select_first(struct leat_batch *b, uint32_t n)
{
    b->n_sel = n < b->n ? n : b->n;
    for (uint32_t k = 0; k < b->n_sel; k++)
        b->sel[k] = k;
}

/* What each of the records' stages has rejected, with the first of them. */
static void tell_rejections(struct run *r, const struct node *n, struct hbatch *h, uint32_t seen)
{
    const struct rejection *first = NULL;
    uint32_t rejected = 0;
    for (uint32_t k = 0; k < h->n_rejections; k++) {
        if (h->rejection[k].by->node != n) continue;
        if (!rejected++) first = &h->rejection[k];
    }
    if (!first) return;
    struct batch_origin o = batch_origin(h, first->record);
    diag_add(r->heard, DIAG_WARNING, n->at, n->label, NULL,
             "%u of the first %u record%s rejected, such as %s:%llu: %.*s", rejected, seen,
             seen == 1 ? " is" : "s are", instance_origin(h->source, &o),
             (unsigned long long)o.line, (int)first->text_len, h->reject_text + first->text_off);
}

/* Of the records that come to the route, those that no branch takes. */
static void try_route(struct chain *c, const struct leat_batch *b)
{
    struct graph *g = c->r->graph;
    struct route_seen seen = {.taken = arena_alloc(g->arena, c->route->n_out * sizeof *seen.taken)};
    uint32_t lost = 0;
    for (LEAT_EACH_RECORD(b, r))
        lost += route_seen_branch(&seen, g, c->route, b, r) == NO_BRANCH;
    if (lost)
        diag_add(c->r->heard, DIAG_WARNING, c->route->at, c->route->label, NULL,
                 "%u of the first %u records take no branch and are dropped: %s", lost, b->n_sel,
                 route_seen_lost(&seen, g, c->route, g->arena));
}

/* All records for the parser, and some for the stages after it, which may take long for one. */
static void try_batch(struct chain *c, struct hbatch *h)
{
    int status = LEAT_OK;
    for (uint32_t i = 0; i < c->n && status >= 0 && h->b.n; i++) {
        if (h->b.n_sel > PEEK_RECORDS && i) h->b.n_sel = PEEK_RECORDS;
        uint32_t seen = h->b.n_sel;
        if (!seen) return;
        status = apart_process(run_instance(c->r, c->node[i], 0), h);
        tell_rejections(c->r, c->node[i], h, seen);
        if (status < 0 && atomic_load(&c->r->control.failed)) report(c->r, c->node[i], c->r->heard);
    }
    if (h->b.n_sel > PEEK_RECORDS) h->b.n_sel = PEEK_RECORDS;
    if (c->route && status >= 0 && h->b.n) try_route(c, &h->b);
}

/* A batch of the source. */
static void try_source(struct chain *c, struct node *source)
{
    struct hbatch *h = NULL;
    const size_t warnings = c->r->heard->warnings;
    int status = run_open_stage(c->r, source);
    if (status == LEAT_OK && source->framing.header) status = run_read_header(c->r, source);
    if (status == LEAT_OK) h = apart_batch(c->r, source, c->node, c->n);
    if (h && (status = peek_produce(c->r, source, h)) >= 0) {
        if (status == LEAT_EOS && !h->b.n && c->r->heard->warnings == warnings)
            diag_add(c->r->heard, DIAG_WARNING, source->at, source->label, NULL,
                     "the input has no records%s",
                     source->framing.header ? " (a header is no record)" : "");
        select_first(&h->b, h->b.n);
        batch_select(h, 0);
        try_batch(c, h);
        /* What keeps a source from reading on is said with the batch after the last good one. */
        if (status == LEAT_OK) status = peek_produce(c->r, source, h);
    }
    if (h && status < 0 && status != LEAT_ENOMEM && atomic_load(&c->r->control.failed))
        report(c->r, source, c->r->heard);
    if (h) batch_free(h);
}

/* The stages of the chain; the run cannot start, either, when one of them does not. */
static bool begin_chain(struct chain *c)
{
    for (uint32_t k = 0; k < c->n; k++) {
        if (!has_plan(c->node[k])) return false;
        if (!apart_begin(c->r, c->node[k])) {
            report(c->r, c->node[k], c->r->heard);
            return false;
        }
    }
    return true;
}

/* Only the parser judges: what others miss in the first records may come. */
static void try_parser(struct graph *g, struct node *parser, struct diag *d)
{
    struct node *source[PEEK_SOURCES];
    uint32_t n = 0;
    struct run r;
    struct chain c = {.r = &r};
    const size_t errors = d->errors;
    if (!find_sources(g, parser, source, &n) || !n) return;
    run_init(&r, g);
    r.heard = d;
    follow_chain(&c, parser);
    bool begun = begin_chain(&c);
    for (uint32_t i = 0; i < n && begun; i++)
        try_source(&c, source[i]);
    /* With memory the run will not fail so, and what would have been found is not known. */
    if (atomic_load(&r.control.failed) == LEAT_ENOMEM && d->errors == errors) report(&r, parser, d);
    atomic_store(&r.control.stopping, true); /* the records are the first, and not all */
    for (uint32_t i = 0; i < c.n; i++)
        apart_end(&r, c.node[i], i == 0);
    run_close(&r);
}

void peek_records(struct graph *g, struct diag *d)
{
    bool hushed = log_hush(true);
    for (uint32_t i = 0; i < g->n_nodes; i++)
        if (is_tried(g, &g->node[i]) && (g->node[i].stage->caps & LEAT_PARSER))
            try_parser(g, &g->node[i], d);
    log_hush(hushed);
}

static void ask_servers(struct graph *g, struct node *n, struct diag *d)
{
    struct run r;
    struct node_diag s = node_diag_outside(d, n);
    run_init(&r, g);
    struct instance *i = run_instance(&r, n, 0);
    instance_enter(i, "online", clock_ns());
    int status = n->stage->online(&i->ctx, ONLINE_SECONDS, &s.base);
    status = instance_return(i, "online", status);
    if (status < 0) {
        control_fail(&r.control, status, "%s: the servers cannot be asked: %s", n->label,
                     status_text(status));
        report(&r, n, d);
    }
    run_close(&r);
}

void peek_online(struct graph *g, struct diag *d)
{
    for (uint32_t i = 0; i < g->n_nodes; i++)
        if (g->node[i].configured && g->node[i].stage->online) ask_servers(g, &g->node[i], d);
}
