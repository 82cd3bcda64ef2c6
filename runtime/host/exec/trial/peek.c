/* peek.c -- implementation of peek.h.
 *
 * To read a header, a source reads at most one record, so at most about max_record bytes. */
#include "peek.h"

#include <stdlib.h>
#include <string.h>

#include "core/time/clock.h"
#include "host/exec/worker/route.h"
#include "host/graph/negotiate/negotiate.h"
#include "host/graph/node_diag.h"
#include "host/graph/outside/files.h"
#include "host/graph/pure_calls.h"
#include "host/log/log.h"
#include "host/plugin/status_text.h"
#include "trial.h"

enum {
    ONLINE_SECONDS = 10,
    PEEK_SOURCES = 8, /* most sources of a parser                     */
    PEEK_STAGES = 16, /* most stages after a source                   */
    PEEK_PATHS = 64,  /* most ways through the tees after a parser    */
    PEEK_RECORDS = 64 /* most records for the stages after the parser */
};

static bool peek_has_header(const struct graph *g, const struct node *n)
{
    return n->configured && n->stage->kind == LEAT_SOURCE && n->stage->source->header &&
           n->framing.header && files_are_regular(g, n);
}

/* Returns the reason of the run's failure, without the label of stage n that the host has put
 * before it. */
static const char *peek_reason_of(const struct run *r, const struct node *n)
{
    const char *reason = r->control.reason;
    size_t len = strlen(n->label);
    return !strncmp(reason, n->label, len) && reason[len] == ':' ? reason + len + 2 : reason;
}

static void peek_report(const struct run *r, const struct node *n, struct diag *d)
{
    bool configured =
        atomic_load(&r->control.failed) == LEAT_EARG; /* the configuration is wrong, not a file */
    diag_add(d, configured ? DIAG_ERROR : DIAG_FILE, n->at, n->label, NULL, "%s",
             peek_reason_of(r, n));
}

static void peek_peek(struct graph *g, struct node *n, struct diag *d)
{
    struct run r;
    run_init(&r, g);
    r.heard = d;
    if (run_open_stage(&r, n) != LEAT_OK || run_read_header(&r, n) != LEAT_OK)
        peek_report(&r, n, d);
    run_close(&r);
}

void peek_headers(struct graph *g, struct diag *d)
{
    bool hushed = log_hush(true); /* the run will repeat a source's messages */
    for (uint32_t i = 0; i < g->n_nodes; i++)
        if (peek_has_header(g, &g->node[i])) peek_peek(g, &g->node[i], d);
    log_hush(hushed);
}

/* True if the stage reads a table, and uses no servers: `open` may change something on them. */
static bool peek_has_table(const struct graph *g, const struct node *n)
{
    struct file_cursor at = {.node = n->index};
    struct file_use use;
    if (!n->configured || n->stage->kind == LEAT_SOURCE || n->schema_in.open || n->stage->online)
        return false;
    while (files_next(g, LEAT_READS_FILE, &at, &use) && at.node == n->index)
        if (use.whole) return files_are_regular(g, n);
    return false;
}

static void peek_open_table(struct graph *g, struct node *n, struct diag *d)
{
    struct run r;
    run_init(&r, g);
    if (run_open_lane(&r, n, 0) != LEAT_OK) peek_report(&r, n, d);
    run_close(&r);
}

void peek_tables(struct graph *g, struct diag *d)
{
    bool hushed = log_hush(true);
    for (uint32_t i = 0; i < g->n_nodes; i++)
        if (peek_has_table(g, &g->node[i])) peek_open_table(g, &g->node[i], d);
    log_hush(hushed);
}

/* True if the stage's plan succeeds. If it fails, plan_make reports that. */
static bool peek_has_plan(const struct node *n)
{
    struct leat_plan p = {.size = sizeof p};
    return !n->stage->plan || pure_plan(n, &p) == LEAT_OK;
}

/* True if peek_stages() opens the stage. peek_tables() opens those that read a table. */
static bool peek_is_opened(const struct graph *g, const struct node *n)
{
    if (!n->configured || n->schema_in.open || n->schema_out.open || n->stage->online) return false;
    return n->stage->kind == LEAT_LEARNER ||
           (n->stage->kind == LEAT_TRANSFORM && !peek_has_table(g, n));
}

void peek_stages(struct graph *g, struct diag *d)
{
    bool hushed = log_hush(true);
    struct run r;
    run_init(&r, g);
    for (uint32_t i = 0; i < g->n_nodes && !atomic_load(&r.control.failed); i++) {
        struct node *n = &g->node[i];
        if (!peek_is_opened(g, n)) continue;
        if (peek_has_plan(n) && run_open_stage(&r, n) != LEAT_OK) peek_report(&r, n, d);
    }
    run_close(&r);
    log_hush(hushed);
}

/* ---- peek_records: tries stages on the first records ---- */

/* Returns a batch for the records of an open source; NULL if there is no memory. */
static struct hbatch *peek_batch(struct run *r, const struct node *source)
{
    return trial_batch(r, source, NULL, 0);
}

int peek_produce(struct run *r, struct node *source, struct hbatch *h)
{
    struct instance *i = run_instance(r, source, 0);
    batch_reset(h);
    h->source = i;
    i->reading.filling = &h->b;
    i->reading.marks.n_closing = 0; /* a look has no clock */
    instance_enter(i, "produce", clock_ns());
    int status = source->stage->source->produce(&i->ctx, i->self, &h->b);
    return instance_return(i, "produce", status);
}

/* True if peek_records tries the stage: a transform with `process`, or a learner, that uses no
 * servers and reads no table, and whose columns are known. */
static bool peek_is_tried(const struct graph *g, const struct node *n)
{
    if (!n->configured) return false;
    bool takes = n->stage->kind == LEAT_TRANSFORM || n->stage->kind == LEAT_LEARNER;
    return takes && n->stage->process && !n->stage->online && !n->schema_in.open &&
           !n->schema_out.open && !peek_has_table(g, n);
}

/* A parser, and the stages after it, up to the first stage that is not tried (peek_is_tried). At a
 * tee one branch is followed. */
struct chain {
    struct run *r;
    struct node *node[PEEK_STAGES];
    uint32_t n;
    const struct node *route; /* the route after the chain, or NULL */
    bool *tried;              /* tried[node->index]: another chain has tried the stage */
};

/* Returns the node after n. At a tee takes branch *path % branches, and divides *path by them. */
static struct node *peek_next(struct graph *g, const struct node *n, uint32_t *path)
{
    uint32_t branches = n->kind == NODE_TEE || n->n_out == 1 ? n->n_out : 0, k;
    if (!branches) return NULL;
    k = *path % branches;
    *path /= branches;
    struct node *next = &g->node[g->edge[n->out[k]].to];
    return next->kind == NODE_TEE ? peek_next(g, next, path) : next;
}

/* Makes the chain of a path through the tees. Returns false if there is no such path. */
static bool peek_follow_chain(struct graph *g, struct chain *c, struct node *n, uint32_t path)
{
    while (n && c->n < PEEK_STAGES && n->kind == NODE_STAGE && n->n_in == 1 &&
           peek_is_tried(g, n)) {
        c->node[c->n++] = n;
        n = peek_next(g, n, &path);
    }
    c->route = n && n->kind == NODE_ROUTE && n->n_out ? n : NULL;
    return !path;
}

/* Finds the sources whose records reach node n directly or through merges and tees. Returns false
 * if another stage or a route is between, if an input is not a regular file, or if there are more
 * than PEEK_SOURCES sources. */
static bool peek_find_sources(struct graph *g, const struct node *n, struct node **source,
                              uint32_t *found)
{
    bool all = n->kind != NODE_ROUTE;
    for (uint32_t i = 0; i < n->n_in && all; i++) {
        struct node *from = &g->node[g->edge[n->in[i]].from];
        bool reads = from->stage && from->stage->kind == LEAT_SOURCE;
        if (!reads)
            all = !from->stage && peek_find_sources(g, from, source, found);
        else if ((all = *found < PEEK_SOURCES && from->configured && files_are_regular(g, from)))
            source[(*found)++] = from;
    }
    return all;
}

static void peek_select_first(struct leat_batch *b, uint32_t n)
{
    b->n_sel = n < b->n ? n : b->n;
    for (uint32_t k = 0; k < b->n_sel; k++)
        b->sel[k] = k;
}

/* Reports how many of the first `seen` records stage n has rejected, and the first rejection. */
static void peek_tell_rejections(struct run *r, const struct node *n, struct hbatch *h,
                                 uint32_t seen)
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

/* Reports how many records no branch of the chain's route takes. */
static void peek_try_route(struct chain *c, const struct leat_batch *b)
{
    struct graph *g = c->r->graph;
    struct route seen = {.taken = arena_alloc(g->arena, c->route->n_out * sizeof *seen.taken)};
    uint32_t lost = 0;
    for (LEAT_EACH_RECORD(b, r))
        lost += route_branch(&seen, g, c->route, b, r) == NO_BRANCH;
    if (lost)
        diag_add(c->r->heard, DIAG_WARNING, c->route->at, c->route->label, NULL,
                 "%u of the first %u records take no branch and are dropped: %s", lost, b->n_sel,
                 route_lost(&seen, g, c->route, g->arena));
}

/* Calls the stages of the chain on a batch. The parser gets all records. The later stages may be
 * slow, so they get only the first PEEK_RECORDS records. */
static void peek_try_batch(struct chain *c, struct hbatch *h)
{
    int status = LEAT_OK;
    for (uint32_t i = 0; i < c->n && status >= 0 && h->b.n; i++) {
        if (h->b.n_sel > PEEK_RECORDS && i) h->b.n_sel = PEEK_RECORDS;
        uint32_t seen = h->b.n_sel;
        if (!seen) return;
        status = trial_process(run_instance(c->r, c->node[i], 0), h);
        if (!c->tried[c->node[i]->index]) peek_tell_rejections(c->r, c->node[i], h, seen);
        if (status < 0 && atomic_load(&c->r->control.failed))
            peek_report(c->r, c->node[i], c->r->heard);
    }
    if (h->b.n_sel > PEEK_RECORDS) h->b.n_sel = PEEK_RECORDS;
    if (c->route && status >= 0 && h->b.n) peek_try_route(c, &h->b);
}

/* Opens the source and tries the chain on its first batch. */
static void peek_try_source(struct chain *c, struct node *source)
{
    struct hbatch *h = NULL;
    const size_t warnings = c->r->heard->warnings;
    int status = run_open_stage(c->r, source);
    if (status == LEAT_OK && source->framing.header) status = run_read_header(c->r, source);
    if (status == LEAT_OK) h = trial_batch(c->r, source, c->node, c->n);
    if (h && (status = peek_produce(c->r, source, h)) >= 0) {
        if (status == LEAT_EOS && !h->b.n && c->r->heard->warnings == warnings)
            diag_add(c->r->heard, DIAG_WARNING, source->at, source->label, NULL,
                     "the input has no records%s",
                     source->framing.header ? " (a header is not a record)" : "");
        peek_select_first(&h->b, h->b.n);
        batch_select(h, 0);
        peek_try_batch(c, h);
        /* A source may report an error only in the call after the last good batch. */
        if (status == LEAT_OK) status = peek_produce(c->r, source, h);
    }
    if (h && status < 0 && status != LEAT_ENOMEM && atomic_load(&c->r->control.failed))
        peek_report(c->r, source, c->r->heard);
    if (h) batch_free(h);
}

/* Opens and starts the stages of the chain. If one fails, reports it, because the run would fail,
 * too. */
static bool peek_begin_chain(struct chain *c)
{
    for (uint32_t k = 0; k < c->n; k++) {
        if (!peek_has_plan(c->node[k])) return false;
        if (!trial_begin(c->r, c->node[k])) {
            peek_report(c->r, c->node[k], c->r->heard);
            return false;
        }
    }
    return true;
}

/* Tries one chain of a parser. Calls only the parser's `finish`, once. In `finish` other stages may
 * warn that records are missing, but the missing records may come later in the input. */
static void peek_try_path(struct graph *g, struct node *parser, struct node **source, uint32_t n,
                          uint32_t path, bool *tried, struct diag *d)
{
    struct run r;
    struct chain c = {.r = &r, .tried = tried};
    const size_t errors = d->errors;
    if (!peek_follow_chain(g, &c, parser, path)) return;
    run_init(&r, g);
    r.heard = d;
    bool begun = peek_begin_chain(&c);
    for (uint32_t i = 0; i < n && begun; i++)
        peek_try_source(&c, source[i]);
    /* A lack of memory prevents the trial, so it is reported. */
    if (atomic_load(&r.control.failed) == LEAT_ENOMEM && d->errors == errors)
        peek_report(&r, parser, d);
    atomic_store(&r.control.stopping, true); /* tells the stages that the input has more records */
    for (uint32_t i = 0; i < c.n; i++)
        trial_end(&r, c.node[i], i == 0 && !tried[parser->index]);
    run_close(&r);
    for (uint32_t i = 0; i < c.n && begun; i++)
        tried[c.node[i]->index] = true;
}

/* Tries a parser with the stages after it, along each path through tees. */
static void peek_try_parser(struct graph *g, struct node *parser, struct diag *d)
{
    struct node *source[PEEK_SOURCES];
    uint32_t n = 0;
    bool *tried = arena_alloc(g->arena, g->n_nodes * sizeof *tried);
    const size_t errors = d->errors;
    if (!peek_find_sources(g, parser, source, &n) || !n) return;
    for (uint32_t path = 0; path < PEEK_PATHS && d->errors == errors; path++)
        peek_try_path(g, parser, source, n, path, tried, d);
}

void peek_records(struct graph *g, struct diag *d)
{
    bool hushed = log_hush(true);
    for (uint32_t i = 0; i < g->n_nodes; i++)
        if (peek_is_tried(g, &g->node[i]) && (g->node[i].stage->caps & LEAT_PARSER))
            peek_try_parser(g, &g->node[i], d);
    log_hush(hushed);
}

static void peek_ask_servers(struct graph *g, struct node *n, struct diag *d)
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
        peek_report(&r, n, d);
    }
    run_close(&r);
}

void peek_online(struct graph *g, struct diag *d)
{
    for (uint32_t i = 0; i < g->n_nodes; i++)
        if (g->node[i].configured && g->node[i].stage->online) peek_ask_servers(g, &g->node[i], d);
}

/* ---- the beginning of an input, for scripts: the source is opened, read and closed ---- */

enum { LIST_SECONDS = 30 }; /* time limit for a source other than a file */

struct graph *peek_pipeline(struct arena *a, const char *script, const char *const *stages,
                            uint32_t n, struct setting *settings, size_t n_settings)
{
    struct graph *g = arena_alloc(a, sizeof *g);
    *g = (struct graph){.arena = a,
                        .name = "head",
                        .script = script,
                        .n_nodes = n,
                        .node = arena_alloc(a, n * sizeof *g->node),
                        .edge = arena_alloc(a, n * sizeof *g->edge)};
    for (uint32_t i = 0; i < n; i++)
        g->node[i] = (struct node){
            .kind = NODE_STAGE, .index = i, .name = stages[i], .at = {.file = script}};
    g->node[0].settings = settings;
    g->node[0].n_settings = n_settings;
    for (; g->n_edges + 1 < n; g->n_edges++)
        g->edge[g->n_edges] = (struct edge){.from = g->n_edges, .to = g->n_edges + 1};
    return g;
}

/* Makes the pipeline source.file | parse.lines | sink.null. */
static struct graph *text_lines(struct arena *a, const char *path, const char *encoding)
{
    static const char *const stages[] = {"source.file", "parse.lines", "sink.null"};
    struct setting *s = arena_alloc(a, 2 * sizeof *s);
    s[0] = (struct setting){"path", {.type = VALUE_TEXT, .text = path, .n = strlen(path)}};
    if (encoding)
        s[1] = (struct setting){"encoding",
                                {.type = VALUE_TEXT, .text = encoding, .n = strlen(encoding)}};
    return peek_pipeline(a, path, stages, 3, s, encoding ? 2 : 1);
}

enum { TOO_LONG = 8 }; /* number of too long records after which the search for a record ends */

struct peek_text {
    char *bytes;
    size_t n, cap, max;
    struct arena *arena;
    uint32_t too_long; /* number of records that are too long */
    const char *head;  /* beginning of the first such record  */
    size_t n_head;
};

static void text_add(struct peek_text *t, const struct leat_batch *b, struct arena *a)
{
    for (uint32_t r = 0; r < b->n; r++) {
        if (b->status[r] != LEAT_ROW_OK) {
            if (!t->too_long++) {
                t->head = arena_strndup(a, leat_text(b, b->raw[r]), b->raw[r].len);
                t->n_head = b->raw[r].len;
            }
            continue;
        }
        while (t->cap - t->n <= b->raw[r].len)
            t->bytes = arena_grow(a, t->bytes, t->n, &t->cap, 1);
        memcpy(t->bytes + t->n, leat_text(b, b->raw[r]), b->raw[r].len);
        t->n += b->raw[r].len;
        t->bytes[t->n++] = '\n';
    }
}

/* Passes batches of the source to `take` until it returns false. */
static int text_read(struct run *r, struct node *source, peek_take *take, void *to)
{
    struct hbatch *h = peek_batch(r, source);
    int status = h ? LEAT_OK : LEAT_ENOMEM;
    bool more = true;
    while (status == LEAT_OK && more) {
        status = peek_produce(r, source, h);
        if (status == LEAT_AGAIN) { /* the source is skipping a too long record */
            atomic_store(&r->control.stopping, true);
            status = peek_produce(r, source, h);
        }
        if (status >= 0) more = take(to, &h->b);
    }
    if (h) batch_free(h);
    return status < 0 ? control_fail(&r->control, status, "%s cannot be read", r->graph->script)
                      : LEAT_OK;
}

const char *peek_batches(struct graph *g, peek_take *take, void *to)
{
    struct run r;
    run_init(&r, g);
    int status = run_open_stage(&r, &g->node[0]);
    if (status == LEAT_OK) status = text_read(&r, &g->node[0], take, to);
    const char *why = status == LEAT_OK ? NULL : arena_strdup(g->arena, r.control.reason);
    run_close(&r);
    return why;
}

static bool text_take(void *to, const struct leat_batch *b)
{
    struct peek_text *t = to;
    text_add(t, b, t->arena);
    return t->n < t->max && (t->n || t->too_long < TOO_LONG);
}

struct graph *peek_files(struct registry *known, const char *path, const char *encoding,
                         struct arena *a, const char **why)
{
    struct graph *g = text_lines(a, path, encoding);
    struct diag d = {.arena = a};
    int status = graph_link(g, known, &d);
    if (status == LEAT_OK) status = negotiate(g, &d);
    *why = status == LEAT_OK ? NULL : "the stages to read it are missing";
    if (status == LEAT_OK) files_check(g, NULL, NULL, NULL, &d);
    if (d.first) *why = d.first->text;
    return *why || !files_are_regular(g, &g->node[0]) ? NULL : g;
}

const char *peek_text(struct registry *known, const char *path, const char *encoding, size_t max,
                      struct arena *a, size_t *n, const char **why)
{
    struct peek_text t = {.bytes = "", .max = max, .arena = a};
    bool hushed = log_hush(true); /* the run will repeat a source's messages */
    struct graph *g = peek_files(known, path, encoding, a, why);
    if (g) *why = peek_batches(g, text_take, &t);
    log_hush(hushed);
    if (t.n) *why = NULL; /* the run will report errors in later records */
    if (g && !*why && !t.n && t.too_long)
        *why = "the first records are longer than max_record of source.file: is this a text file "
               "with lines?";
    bool is_read = g && !*why;
    *n = is_read ? t.n : t.n_head;
    return is_read ? t.bytes : t.head;
}

/* ---- the first records of a source other than a file ---- */

/* Records of a source, each with the number of its input, by which they are sorted. */
struct records {
    struct record {
        struct value text;
        uint32_t input;
        size_t n;
    } * v;
    size_t n, cap, bytes;
};

static int records_by_input(const void *a, const void *b)
{
    const struct record *x = a, *y = b;
    if (x->input != y->input) return x->input < y->input ? -1 : 1;
    return (x->n > y->n) - (x->n < y->n);
}

static void records_keep(struct records *all, struct hbatch *h, struct arena *a)
{
    for (uint32_t r = 0; r < h->b.n; r++) {
        if (h->b.status[r] != LEAT_ROW_OK) continue; /* the record is too long */
        struct leat_str raw = h->b.raw[r];
        if (all->n == all->cap) all->v = arena_grow(a, all->v, all->n, &all->cap, sizeof *all->v);
        all->v[all->n] = (struct record){.input = batch_origin(h, r).input, .n = all->n};
        all->v[all->n++].text =
            (struct value){.type = VALUE_TEXT,
                           .text = arena_strndup(a, leat_text(&h->b, raw), raw.len),
                           .n = raw.len};
        all->bytes += raw.len;
    }
}

static int records_read(struct run *r, struct node *source, size_t max, struct records *all)
{
    uint64_t until = clock_ns() + LIST_SECONDS * UINT64_C(1000000000);
    struct hbatch *h = peek_batch(r, source);
    int status = h ? LEAT_OK : LEAT_ENOMEM;
    while ((status == LEAT_OK || status == LEAT_AGAIN) && all->bytes < max && clock_ns() < until) {
        status = peek_produce(r, source, h);
        if (status >= 0) records_keep(all, h, r->graph->arena);
    }
    if (h) batch_free(h);
    return status < 0 ? control_fail(&r->control, status, "%s cannot be read", source->label)
                      : LEAT_OK;
}

static int records_read_source(struct graph *g, size_t max, struct records *all, const char **why)
{
    struct run r;
    run_init(&r, g);
    int status = run_open_stage(&r, &g->node[0]);
    if (status == LEAT_OK) status = records_read(&r, &g->node[0], max, all);
    if (status != LEAT_OK) *why = arena_strdup(g->arena, peek_reason_of(&r, &g->node[0]));
    run_close(&r);
    return status;
}

static struct value *records_list(struct records *all, struct arena *a)
{
    struct value *list = arena_alloc(a, sizeof *list);
    *list = (struct value){.type = VALUE_LIST, .n = all->n};
    list->list = arena_alloc(a, all->n * sizeof *list->list);
    if (all->n) qsort(all->v, all->n, sizeof *all->v, records_by_input);
    for (size_t i = 0; i < all->n; i++)
        list->list[i] = all->v[i].text;
    return list;
}

const struct value *peek_list(struct registry *known, const char *stage, struct setting *settings,
                              size_t n_settings, size_t max, struct arena *a, const char **why)
{
    const char *const stages[] = {stage, "sink.null"};
    struct graph *g = peek_pipeline(a, stage, stages, 2, settings, n_settings);
    struct diag d = {.arena = a};
    struct records all = {0};
    bool hushed = log_hush(true);
    int status = graph_link(g, known, &d);
    if (status == LEAT_OK) status = negotiate(g, &d);
    if (status == LEAT_OK) peek_online(g, &d);
    *why = d.errors ? d.first->text : NULL;
    if (!*why) status = records_read_source(g, max, &all, why);
    log_hush(hushed);
    return *why || status != LEAT_OK ? NULL : records_list(&all, a);
}
