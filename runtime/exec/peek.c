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

enum { ONLINE_SECONDS = 10 };

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
