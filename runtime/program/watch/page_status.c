/* page_status.c -- /status, and /report, which is the page of a summary that is not the last. */
#include <stdio.h>
#include <stdlib.h>

#include "host/log/json_text.h"
#include "core/time/clock.h"
#include "host/checkpoint/checkpoint.h"
#include "inside.h"
#include "metrics.h"
#include "program/page/page.h"

/* The figures, and what the views note of the stages of each worker. */
static void take_all(struct http *h)
{
    const struct figures_more more = {h->views->note, h->views->of};
    figures_take(&h->figures, &more, clock_ns() + HTTP_WAIT_NS);
}

/* The segments of the run, as threads: what each does, and how long it has waited. */
static json_t *threads_json(const struct figures *f)
{
    json_t *all = json_array();
    for (uint32_t k = 0; k < f->n; k++) {
        const struct worker_figures *w = &f->worker[k];
        json_t *stages = json_array(), *each = json_array();
        uint64_t busy = 0;
        for (uint32_t i = 0; i < w->n; i++) {
            json_array_append_new(stages, json_text(w->stage[i].node->id));
            json_array_append_new(each, json_real((double)w->stage[i].busy_ns / 1e9));
            busy += w->stage[i].busy_ns;
        }
        json_array_append_new(all, json_pack("{s:o, s:o, s:i, s:f, s:f, s:f, s:b}", "stages",
                                             stages, "stages_busy", each, "lane",
                                             (int)w->visit.worker->lane, "busy", (double)busy / 1e9,
                                             "blocked", (double)w->blocked_ns / 1e9, "starved",
                                             (double)w->starved_ns / 1e9, "late", w->late));
    }
    return all;
}

static json_t *edges_json(const struct graph *g)
{
    json_t *all = json_array();
    for (uint32_t k = 0; k < g->n_edges; k++)
        json_array_append_new(all, json_pack("{s:o, s:o}", "from",
                                             json_text(g->node[g->edge[k].from].id), "to",
                                             json_text(g->node[g->edge[k].to].id)));
    return all;
}

/* The snapshots of the summary, and how old the last of them is. */
static void add_snapshot_age(const struct run *r, json_t *to)
{
    struct checkpoint_counts c;
    json_t *snapshots = json_object_get(to, "snapshots");
    if (!snapshots) return;
    checkpoint_counts(r->checkpoints, &c);
    if (c.written) json_object_set_new(snapshots, "age", json_real((double)c.age_ns / 1e9));
}

struct reply page_of_status(struct http *h, const struct request *q)
{
    take_all(h);
    json_t *o = h->views->summary(h->views->of);
    json_object_set_new(o, "state", json_string(http_state(h)));
    add_snapshot_age(h->run, o);
    json_object_set_new(o, "threads", threads_json(&h->figures));
    json_object_set_new(o, "edges", edges_json(h->run->graph));
    return reply_json(200, o);
}

struct reply page_of_report(struct http *h, const struct request *q)
{
    struct reply r = {.code = 200, .type = "text/html; charset=utf-8"};
    take_all(h);
    json_t *o = json_as_printed(h->views->summary(h->views->of));
    FILE *out = open_memstream(&r.body, &r.n);
    bool failed = !out || page_write(out, PAGE_HTML, &(const json_t *){o}, 1);
    if (out) failed |= fclose(out) == EOF;
    json_decref(o);
    if (!failed) return r;
    free(r.body);
    r.body = NULL;
    return r;
}
