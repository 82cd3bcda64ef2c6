/* figures.c -- implementation of figures.h: visits the workers. */
#include "figures.h"

#include <stdlib.h>
#include <string.h>

#include "host/memory/memory.h"

static void copy_metrics(struct stage_figures *to, const struct instance *i)
{
    to->n_metrics = i->n_metrics;
    for (uint32_t k = 0; k < i->n_metrics; k++) {
        to->metric[k].figure = i->metric[k].figure;
        to->metric[k].value = i->metric[k].value;
    }
    if (i->learning.progressive)
        to->n_progressive = (uint32_t)progressive_metrics(
            i->learning.progressive, to->progressive_name, to->progressive, PROGRESSIVE_METRICS);
}

static void copy_stage(struct stage_figures *to, struct instance *i)
{
    const struct lag *lag = atomic_load_explicit(&i->reading.lag, memory_order_acquire);
    to->busy_ns = atomic_load(&i->count.ns);
    to->used_bytes = instance_memory_used(i);
    to->time_end = i->learning.time_end;
    copy_metrics(to, i);
    if (lag) memcpy(&to->lag, lag, sizeof to->lag);
    if (!i->reading.group) return;
    if (!to->group) to->group = memory_take(sizeof *to->group);
    memcpy(to->group, i->reading.group, sizeof *to->group);
}

/* Copies the figures of a worker's stages, on the worker's thread. The time that a source spends
 * waiting within its calls counts as starved, not as busy. */
static void copy_all(struct visit *v)
{
    struct worker_figures *to = (struct worker_figures *)v;
    const struct worker *w = v->worker;
    const uint64_t waited =
        w->source_pool ? atomic_load(&w->step[0]->reading.waited_ns) : UINT64_C(0);
    to->starved_ns = w->idle.starved_ns + waited;
    to->blocked_ns = w->idle.blocked_ns;
    for (uint32_t k = 0; k < to->n; k++)
        copy_stage(&to->stage[k], run_instance(w->run, w->segment->node[k], w->lane));
    if (w->source_pool) to->stage[0].busy_ns -= waited;
    const struct figures_more *more = to->all->more;
    if (more && !control_halted(&w->run->control)) more->note(more->of, v->worker);
}

static void init_worker(struct worker_figures *to, struct worker *w, const struct figures *all)
{
    *to = (struct worker_figures){
        .visit = {w, copy_all, VISIT_WAITS}, .all = all, .n = w->segment->n_nodes};
    to->stage = memory_take((to->n + 1) * sizeof *to->stage);
    memset(to->stage, 0, (to->n + 1) * sizeof *to->stage);
    for (uint32_t k = 0; k < to->n; k++)
        to->stage[k].node = w->segment->node[k];
}

void figures_init(struct figures *f, const struct run *r)
{
    *f = (struct figures){.run = r, .n = r->n_workers};
    f->worker = memory_take(f->n * sizeof *f->worker);
    f->visit = memory_take(f->n * sizeof *f->visit);
    for (uint32_t k = 0; k < f->n; k++) {
        init_worker(&f->worker[k], &r->worker[k], f);
        f->visit[k] = &f->worker[k].visit;
    }
}

void figures_free(struct figures *f)
{
    for (uint32_t k = 0; k < f->n; k++) {
        for (uint32_t i = 0; i < f->worker[k].n; i++)
            free(f->worker[k].stage[i].group);
        free(f->worker[k].stage);
    }
    free(f->worker);
    free(f->visit);
    *f = (struct figures){.n = 0};
}

void figures_take(struct figures *f, const struct figures_more *more, uint64_t until)
{
    f->more = more;
    visits_ask((struct run *)f->run, f->visit, f->n, until);
    f->more = NULL;
    for (uint32_t k = 0; k < f->n; k++)
        f->worker[k].late = f->worker[k].visit.state != VISIT_DONE;
}
