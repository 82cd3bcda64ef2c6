/* watched.c -- implementation of watched.h: JSON of the stages, from their workers. */
#include "watched.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/log/log.h"
#include "host/memory/memory.h"
#include "host/log/json_text.h"
#include "core/time/clock.h"
#include "core/version.h"
#include "program/cli/summary/summary_parts.h"
#include "program/cli/summary/summary.h"
#include "host/exec/instance/instance.h"
#include "host/exec/worker/worker.h"

/* ---- on the workers' threads ---- */

static void watched_replace(json_t **part, json_t *with)
{
    json_decref(*part);
    *part = with;
}

static void note_learner(struct watched *w, const struct node *learner)
{
    const struct instance *i = run_instance(w->run, learner, 0);
    const struct graph *g = w->run->graph;
    w->time_begin[learner->index] = i->learning.time_begin;
    w->time_end[learner->index] = i->learning.time_end;
    for (uint32_t k = 0; k < g->n_nodes; k++)
        if (g->node[k].asked == learner && answer_json_is_shown(&g->node[k]))
            watched_replace(&w->answer[k], answer_json_of_sink(w->run, &g->node[k]));
}

static void watched_note(void *of, struct worker *worker)
{
    struct watched *w = of;
    struct arena arena = {0};
    for (uint32_t k = 0; k < worker->segment->n_nodes && !worker->lane; k++) {
        const struct node *n = worker->segment->node[k];
        watched_replace(&w->stage[n->index], summary_stage(w->run, n, &arena));
        if (n->stage->kind == LEAT_SOURCE)
            watched_replace(&w->input[n->index], inputs_json_source(w->run, n));
        if (n->stage->kind == LEAT_LEARNER) note_learner(w, n);
    }
    arena_free(&arena);
}

/* ---- on the server's thread ---- */

/* Returns the elements of `part` that are not NULL, in the order of the graph. */
static json_t *watched_parts(const struct watched *w, json_t *const *part)
{
    json_t *all = json_array();
    for (uint32_t k = 0; k < w->run->graph->n_nodes; k++) {
        const struct node *n = w->run->graph->order[k];
        json_t *route = part == w->stage && n->kind == NODE_ROUTE ? summary_route(w->run, n) : NULL;
        if (part[n->index]) json_array_append(all, part[n->index]);
        if (route) json_array_append_new(all, route);
    }
    return all;
}

static void add_rejections(const struct run *r, json_t *to)
{
    struct rejects *rejects = (struct rejects *)&r->rejects;
    pthread_mutex_lock(&rejects->mu);
    json_object_set_new(to, "rejected", json_integer((json_int_t)rejects->count));
    json_object_set_new(to, "dead_letters", json_integer((json_int_t)rejects->sent));
    json_object_set_new(to, "rejections", summary_reasons(r));
    json_object_set_new(to, "rejection_examples", summary_examples_of_rejections(r));
    pthread_mutex_unlock(&rejects->mu);
}

static void add_snapshots(const struct run *r, json_t *to)
{
    struct checkpoints *c = r->checkpoints;
    if (!r->checkpoint_hooks) return;
    pthread_mutex_lock(&c->mu);
    if (c->written || c->commit.sink) json_object_set_new(to, "snapshots", summary_snapshots(c));
    pthread_mutex_unlock(&c->mu);
}

static void watched_add_times(const struct watched *w, json_t *to)
{
    uint64_t first = 0, last = 0;
    for (uint32_t k = 0; k < w->run->graph->n_nodes; k++) {
        uint64_t begin = w->time_begin[k];
        if (begin && (!first || begin < first)) first = begin;
        if (w->time_end[k] > last) last = w->time_end[k];
    }
    if (!last) return;
    json_object_set_new(to, "event_time",
                        json_pack("{s:o, s:o}", "first",
                                  answer_json_time(w->run->before ? -1 : (int64_t)first - 1),
                                  "last", answer_json_time((int64_t)last - 1)));
}

static json_t *summary(void *of)
{
    const struct watched *w = of;
    const struct run *r = w->run;
    json_t *o = json_copy(w->head);
    int64_t lag = run_lag(r);
    json_object_set_new(o, "records", json_integer((json_int_t)run_records(r)));
    json_object_set_new(o, "records_before", json_integer((json_int_t)r->before));
    json_object_set_new(o, "seconds", json_real((double)(clock_ns() - r->start) / 1e9));
    if (lag != LAG_NONE)
        json_object_set_new(o, "lag", lag < 0 ? json_null() : json_integer((json_int_t)lag));
    add_rejections(r, o);
    json_object_set_new(o, "stages", watched_parts(w, w->stage));
    json_object_set_new(o, "inputs", watched_parts(w, w->input));
    json_object_set_new(o, "answers", watched_parts(w, w->answer));
    json_object_set_new(o, "memory", summary_memory(r));
    json_object_set_new(o, "warnings", summary_warnings());
    watched_add_times(w, o);
    add_snapshots(r, o);
    return o;
}

/* ---- begin and end ---- */

int watched_open(const struct command_line *c, struct http **h)
{
    char why[HTTP_WHY], text[HTTP_ADDRESS_TEXT + 40];
    *h = NULL;
    if (!c->http) return EXIT_DONE;
    *h = http_open(c->http, c->http_token, why);
    if (!*h) {
        log_message(LEAT_ERROR, "--http%s%s%s", *why == '-' ? "" : " ", *why == '-' ? "" : c->http,
                    why);
        return EXIT_CONFIG;
    }
    snprintf(text, sizeof text, "leat: watch this run at %s", http_url(*h));
    log_line(text);
    return EXIT_DONE;
}

static void *zeroed(struct arena *a, uint32_t n, size_t size) { return arena_alloc(a, n * size); }

void watched_begin(struct watched *w, struct http *h, struct run *r, const struct command_line *c)
{
    uint32_t n = r->graph->n_nodes + 1;
    *w = (struct watched){
        .run = r, .line = c, .views = {w, watched_note, summary, answer_json_rows}};
    if (!h) return;
    w->stage = zeroed(&w->arena, n, sizeof *w->stage);
    w->answer = zeroed(&w->arena, n, sizeof *w->answer);
    w->input = zeroed(&w->arena, n, sizeof *w->input);
    w->time_begin = zeroed(&w->arena, n, sizeof *w->time_begin);
    w->time_end = zeroed(&w->arena, n, sizeof *w->time_end);
    w->head = json_pack("{s:o, s:s, s:o}", "pipeline", json_text(r->graph->name), "version",
                        LEAT_VERSION, "plan", summary_plan(&r->plan));
    summary_add_question(r, c, w->head);
    http_watch(h, r, &w->views);
}

void watched_end(struct watched *w, struct http *h)
{
    if (h) http_leave(h);
    for (uint32_t k = 0; w->head && k < w->run->graph->n_nodes; k++) {
        json_decref(w->stage[k]);
        json_decref(w->answer[k]);
        json_decref(w->input[k]);
    }
    json_decref(w->head);
    arena_free(&w->arena);
    *w = (struct watched){.head = NULL};
}
