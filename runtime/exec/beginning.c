/* beginning.c -- see beginning.h. The source is opened, asked and closed, without a run. */
#include "beginning.h"

#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "graph/files.h"
#include "graph/negotiate.h"
#include "run.h"

/* source.file | parse.lines | sink.null */
static struct graph *lines_of(struct arena *a, const char *path, const char *encoding)
{
    static const char *const stages[] = {"source.file", "parse.lines", "sink.null"};
    enum { STAGES = sizeof stages / sizeof *stages };
    struct graph *g = arena_alloc(a, sizeof *g);
    struct setting *s = arena_alloc(a, 2 * sizeof *s);
    s[0] = (struct setting){"path", {.type = VALUE_TEXT, .text = path, .n = strlen(path)}};
    if (encoding)
        s[1] = (struct setting){"encoding",
                                {.type = VALUE_TEXT, .text = encoding, .n = strlen(encoding)}};
    *g = (struct graph){.arena = a,
                        .name = "beginning",
                        .script = path,
                        .n_nodes = STAGES,
                        .node = arena_alloc(a, STAGES * sizeof *g->node),
                        .edge = arena_alloc(a, STAGES * sizeof *g->edge)};
    for (uint32_t i = 0; i < STAGES; i++)
        g->node[i] =
            (struct node){.kind = NODE_STAGE, .index = i, .name = stages[i], .at = {.file = path}};
    g->node[0].settings = s;
    g->node[0].n_settings = encoding ? 2 : 1;
    for (; g->n_edges + 1 < STAGES; g->n_edges++)
        g->edge[g->n_edges] = (struct edge){.from = g->n_edges, .to = g->n_edges + 1};
    return g;
}

struct text {
    char *bytes;
    size_t n, cap;
};

static void add_records(struct text *t, const struct leat_batch *b, struct arena *a)
{
    for (uint32_t r = 0; r < b->n; r++) {
        if (b->status[r] != LEAT_ROW_OK) continue; /* too long */
        while (t->cap - t->n <= b->raw[r].len)
            t->bytes = arena_grow(a, t->bytes, t->n, &t->cap, 1);
        memcpy(t->bytes + t->n, leat_text(b, b->raw[r]), b->raw[r].len);
        t->n += b->raw[r].len;
        t->bytes[t->n++] = '\n';
    }
}

static int read_text(struct run *r, struct node *source, size_t max, struct text *t)
{
    struct batch_shape shape = {.own_records = true};
    batch_shape_widen(&shape, &source->schema_out, &r->graph->options);
    struct hbatch *h = batch_new(&shape);
    struct instance *i = run_instance(r, source, 0);
    int status = h ? LEAT_OK : run_fail(r, LEAT_ENOMEM, "there is not enough memory for a batch");
    while (status == LEAT_OK && t->n < max) {
        batch_reset(h);
        instance_enter(i, "produce", clock_ns());
        status = source->stage->produce(&i->ctx, i->self, &h->b);
        instance_leave(i);
        if (status >= 0) add_records(t, &h->b, r->graph->arena);
    }
    if (h) batch_free(h);
    return status < 0 ? run_fail(r, status, "%s cannot be read", r->graph->script) : LEAT_OK;
}

static int read_files(struct graph *g, size_t max, struct text *t, const char **why)
{
    struct run r;
    run_init(&r, g);
    int status = run_open_stage(&r, &g->node[0]);
    if (status == LEAT_OK) status = read_text(&r, &g->node[0], max, t);
    *why = status == LEAT_OK ? NULL : arena_strdup(g->arena, r.reason);
    run_close(&r);
    return status;
}

const char *beginning_read(struct registry *known, const char *path, const char *encoding,
                           size_t max, struct arena *a, size_t *n, const char **why)
{
    struct graph *g = lines_of(a, path, encoding);
    struct diag d = {.arena = a};
    struct text t = {.bytes = ""};
    int level = log_set_level(-1); /* the run will say again what a source has to say */
    int status = graph_link(g, known, &d);
    if (status == LEAT_OK) status = negotiate(g, &d);
    *why = status == LEAT_OK ? NULL : "its stages are missing";
    if (status == LEAT_OK) files_check(g, NULL, NULL, &d);
    if (d.first) *why = d.first->text;
    if (*why || !files_are_regular(g, &g->node[0])) status = LEAT_EIO;
    if (status == LEAT_OK) status = read_files(g, max, &t, why);
    log_set_level(level);
    *n = t.n;
    return status == LEAT_OK ? t.bytes : NULL;
}
