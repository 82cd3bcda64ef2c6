/* beginning.c -- see beginning.h. The source is opened, asked and closed, without a run. */
#include "beginning.h"

#include <stdlib.h>
#include <string.h>

#include "core/time/clock.h"
#include "host/log/log.h"
#include "host/graph/outside/files.h"
#include "host/graph/negotiate/negotiate.h"
#include "peek.h"
#include "host/exec/run.h"

enum { SECONDS = 30 }; /* the most that a source may take that is no file */

/* A pipeline of these stages, in a row, of which only the source has settings. */
static struct graph *chain_of(struct arena *a, const char *script, const char *const *stages,
                              uint32_t n, struct setting *settings, size_t n_settings)
{
    struct graph *g = arena_alloc(a, sizeof *g);
    *g = (struct graph){.arena = a,
                        .name = "beginning",
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

/* source.file | parse.lines | sink.null */
static struct graph *lines_of(struct arena *a, const char *path, const char *encoding)
{
    static const char *const stages[] = {"source.file", "parse.lines", "sink.null"};
    struct setting *s = arena_alloc(a, 2 * sizeof *s);
    s[0] = (struct setting){"path", {.type = VALUE_TEXT, .text = path, .n = strlen(path)}};
    if (encoding)
        s[1] = (struct setting){"encoding",
                                {.type = VALUE_TEXT, .text = encoding, .n = strlen(encoding)}};
    return chain_of(a, path, stages, 3, s, encoding ? 2 : 1);
}

enum { TOO_LONG = 8 }; /* records without text after which none is looked for */

struct text {
    char *bytes;
    size_t n, cap;
    uint32_t too_long; /* records */
    const char *head;  /* of the first of them */
    size_t n_head;
};

static void add_records(struct text *t, const struct leat_batch *b, struct arena *a)
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

static int read_text(struct run *r, struct node *source, size_t max, struct text *t)
{
    struct hbatch *h = peek_batch(r, source);
    int status = h ? LEAT_OK : LEAT_ENOMEM;
    while (status == LEAT_OK && t->n < max && (t->n || t->too_long < TOO_LONG)) {
        status = peek_produce(r, source, h);
        if (status == LEAT_AGAIN) { /* it looks for the end of a record that is too long */
            atomic_store(&r->control.stopping, true);
            status = peek_produce(r, source, h);
        }
        if (status >= 0) add_records(t, &h->b, r->graph->arena);
    }
    if (h) batch_free(h);
    return status < 0 ? control_fail(&r->control, status, "%s cannot be read", r->graph->script)
                      : LEAT_OK;
}

static int read_files(struct graph *g, size_t max, struct text *t, const char **why)
{
    struct run r;
    run_init(&r, g);
    int status = run_open_stage(&r, &g->node[0]);
    if (status == LEAT_OK) status = read_text(&r, &g->node[0], max, t);
    if (t->n) status = LEAT_OK; /* what is damaged further on is for the run to tell */
    *why = status != LEAT_OK ? arena_strdup(g->arena, r.control.reason)
           : !t->n && t->too_long
               ? "the first records are longer than max_record of source.file: is "
                 "it a file of lines?"
               : NULL;
    if (*why) status = LEAT_EIO;
    run_close(&r);
    return status;
}

const char *beginning_read(struct registry *known, const char *path, const char *encoding,
                           size_t max, struct arena *a, size_t *n, const char **why)
{
    struct graph *g = lines_of(a, path, encoding);
    struct diag d = {.arena = a};
    struct text t = {.bytes = ""};
    bool hushed = log_hush(true); /* the run will say again what a source has to say */
    int status = graph_link(g, known, &d);
    if (status == LEAT_OK) status = negotiate(g, &d);
    *why = status == LEAT_OK ? NULL : "its stages are missing";
    if (status == LEAT_OK) files_check(g, NULL, NULL, NULL, &d);
    if (d.first) *why = d.first->text;
    if (*why || !files_are_regular(g, &g->node[0])) status = LEAT_EIO;
    if (status == LEAT_OK) status = read_files(g, max, &t, why);
    log_hush(hushed);
    *n = status == LEAT_OK ? t.n : t.n_head;
    return status == LEAT_OK ? t.bytes : t.head;
}

/* ---- records of another source ---- */

/* With the number of their input, by which they are put in order. */
struct records {
    struct record {
        struct value text;
        uint32_t input;
        size_t n;
    } * v;
    size_t n, cap, bytes;
};

static int by_input(const void *a, const void *b)
{
    const struct record *x = a, *y = b;
    if (x->input != y->input) return x->input < y->input ? -1 : 1;
    return (x->n > y->n) - (x->n < y->n);
}

static void keep_records(struct records *all, struct hbatch *h, struct arena *a)
{
    for (uint32_t r = 0; r < h->b.n; r++) {
        if (h->b.status[r] != LEAT_ROW_OK) continue; /* too long */
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

static int read_records(struct run *r, struct node *source, size_t max, struct records *all)
{
    uint64_t until = clock_ns() + SECONDS * UINT64_C(1000000000);
    struct hbatch *h = peek_batch(r, source);
    int status = h ? LEAT_OK : LEAT_ENOMEM;
    while ((status == LEAT_OK || status == LEAT_AGAIN) && all->bytes < max && clock_ns() < until) {
        status = peek_produce(r, source, h);
        if (status >= 0) keep_records(all, h, r->graph->arena);
    }
    if (h) batch_free(h);
    return status < 0 ? control_fail(&r->control, status, "%s cannot be read", source->label)
                      : LEAT_OK;
}

/* The host has put the stage's label before the text. */
static const char *reason_of(const struct run *r, const struct node *n)
{
    size_t len = strlen(n->label);
    bool labelled = !strncmp(r->control.reason, n->label, len) && r->control.reason[len] == ':';
    return arena_strdup(r->graph->arena, r->control.reason + (labelled ? len + 2 : 0));
}

static int read_source(struct graph *g, size_t max, struct records *all, const char **why)
{
    struct run r;
    run_init(&r, g);
    int status = run_open_stage(&r, &g->node[0]);
    if (status == LEAT_OK) status = read_records(&r, &g->node[0], max, all);
    if (status != LEAT_OK) *why = reason_of(&r, &g->node[0]);
    run_close(&r);
    return status;
}

static struct value *list_of(struct records *all, struct arena *a)
{
    struct value *list = arena_alloc(a, sizeof *list);
    *list = (struct value){.type = VALUE_LIST, .n = all->n};
    list->list = arena_alloc(a, all->n * sizeof *list->list);
    if (all->n) qsort(all->v, all->n, sizeof *all->v, by_input);
    for (size_t i = 0; i < all->n; i++)
        list->list[i] = all->v[i].text;
    return list;
}

const struct value *beginning_records(struct registry *known, const char *stage,
                                      struct setting *settings, size_t n_settings, size_t max,
                                      struct arena *a, const char **why)
{
    const char *const stages[] = {stage, "sink.null"};
    struct graph *g = chain_of(a, stage, stages, 2, settings, n_settings);
    struct diag d = {.arena = a};
    struct records all = {NULL};
    bool hushed = log_hush(true);
    int status = graph_link(g, known, &d);
    if (status == LEAT_OK) status = negotiate(g, &d);
    if (status == LEAT_OK) peek_online(g, &d);
    *why = d.errors ? d.first->text : NULL;
    if (!*why) status = read_source(g, max, &all, why);
    log_hush(hushed);
    return *why || status != LEAT_OK ? NULL : list_of(&all, a);
}
