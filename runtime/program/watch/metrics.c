/* metrics.c -- /metrics: figures of a run in the format of Prometheus. */
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/time/clock.h"
#include "core/version.h"
#include "exposition.h"
#include "host/checkpoint/checkpoint.h"
#include "host/memory/process_memory.h"
#include "pages.h"

/* ---- stages ---- */

enum { STAGE_LABELS = 4, STAGE_NAME = 300 };

/* Type of functions that return a figure of a stage, for all its lanes together. */
typedef double stage_value(const struct figures *f, const struct node *n);

static void metrics_put_stages(struct exposition *e, const struct figures *f, stage_value *value)
{
    const struct graph *g = f->run->graph;
    for (uint32_t k = 0; k < g->n_nodes; k++) {
        const struct node *n = g->order[k];
        if (!n->stage) continue;
        const struct label labels[STAGE_LABELS] = {{"stage", n->id}, {"plugin", n->name}};
        exposition_sample(e, labels, value(f, n));
    }
}

#define COUNTER(NAME)                                                                              \
    static double NAME(const struct figures *f, const struct node *n)                              \
    {                                                                                              \
        uint64_t sum = 0;                                                                          \
        for (int lane = 0; lane < n->lanes; lane++)                                                \
            sum += atomic_load(&run_instance(f->run, n, (uint32_t)lane)->count.NAME);              \
        return (double)sum;                                                                        \
    }
COUNTER(in)
COUNTER(out)
COUNTER(filtered)
COUNTER(rejected)

#define OVER_LANES(NAME, VALUE)                                                                    \
    static double NAME(const struct figures *f, const struct node *n)                              \
    {                                                                                              \
        double sum = 0;                                                                            \
        for (uint32_t k = 0; k < f->n; k++)                                                        \
            for (uint32_t i = 0; i < f->worker[k].n; i++) {                                        \
                const struct worker_figures *w = &f->worker[k];                                    \
                const struct stage_figures *s = &w->stage[i];                                      \
                if (s->node == n) sum += (double)(VALUE);                                          \
            }                                                                                      \
        return sum;                                                                                \
    }
OVER_LANES(busy, (double)s->busy_ns / 1e9)
OVER_LANES(starved, (double)w->starved_ns / 1e9)
OVER_LANES(blocked, (double)w->blocked_ns / 1e9)
OVER_LANES(used, s->used_bytes)

static double metrics_planned(const struct figures *f, const struct node *n)
{
    const struct leat_plan *p = &n->plan;
    return (double)n->lanes * (double)(p->state_bytes + p->names_bytes + p->work_bytes);
}

static const struct {
    const char *name, *type, *help;
    stage_value *value;
} of_stages[] = {
    {"leat_stage_records_in_total", "counter", "Records that came to the stage.", in},
    {"leat_stage_records_out_total", "counter", "Records that went on from it.", out},
    {"leat_stage_records_filtered_total", "counter", "Records that it filtered out.", filtered},
    {"leat_stage_records_rejected_total", "counter", "Records that it rejected.", rejected},
    {"leat_stage_busy_seconds_total", "counter", "Time in calls of the stage, over all lanes.",
     busy},
    {"leat_stage_starved_seconds_total", "counter",
     "Time that threads of the stage have waited for records.", starved},
    {"leat_stage_blocked_seconds_total", "counter",
     "Time that threads of the stage have waited for the stages after it, and for their batches.",
     blocked},
    {"leat_stage_memory_planned_bytes", "gauge", "Memory that the stage may take.",
     metrics_planned},
    {"leat_stage_memory_used_bytes", "gauge", "Memory that the stage has now.", used}};

/* ---- figures of learners and stages ---- */

static void metrics_put_figure(struct exposition *e, const struct node *n, const char *name,
                               double value)
{
    const struct label labels[STAGE_LABELS] = {
        {"stage", n->id}, {"plugin", n->name}, {"figure", name}};
    exposition_sample(e, labels, value);
}

/* Calls see() for the first lane of each stage. */
static void each_stage(const struct figures *f, void (*see)(void *to, const struct stage_figures *),
                       void *to)
{
    for (uint32_t k = 0; k < f->n; k++) {
        const struct worker_figures *w = &f->worker[k];
        for (uint32_t i = 0; i < w->n && !w->visit.worker->lane; i++)
            see(to, &w->stage[i]);
    }
}

static void put_progressive(void *to, const struct stage_figures *s)
{
    for (uint32_t j = 0; j < s->n_progressive; j++)
        metrics_put_figure(to, s->node, s->progressive_name[j], s->progressive[j]);
}

/* A family of samples: the figures with one name and kind in all stages. */
struct family {
    struct exposition *e;
    const struct figures *f;
    const struct leat_figure *figure;
    const struct stage_figures *first; /* first stage that has the figure; NULL: none so far */
};

static bool metrics_is_of(const struct family *y, const struct leat_figure *figure)
{
    return figure->kind == y->figure->kind && !strcmp(figure->name, y->figure->name);
}

static void find_first(void *to, const struct stage_figures *s)
{
    struct family *y = to;
    for (uint32_t j = 0; j < s->n_metrics && !y->first; j++)
        if (metrics_is_of(y, s->metric[j].figure)) y->first = s;
}

/* Returns a figure of a stage that its first lane has. A counter is summed over all lanes. */
static double metrics_over_lanes(const struct family *y, const struct stage_figures *first,
                                 double value)
{
    if (y->figure->kind != LEAT_COUNTER) return value;
    for (uint32_t k = 0; k < y->f->n; k++)
        for (uint32_t i = 0; i < y->f->worker[k].n; i++) {
            const struct stage_figures *s = &y->f->worker[k].stage[i];
            for (uint32_t j = 0; j < s->n_metrics && s->node == first->node && s != first; j++)
                if (metrics_is_of(y, s->metric[j].figure)) value += s->metric[j].value;
        }
    return value;
}

static void put_of_family(void *to, const struct stage_figures *s)
{
    const struct family *y = to;
    const struct label labels[STAGE_LABELS] = {{"stage", s->node->id}, {"plugin", s->node->name}};
    for (uint32_t j = 0; j < s->n_metrics; j++)
        if (metrics_is_of(y, s->metric[j].figure))
            exposition_sample(y->e, labels, metrics_over_lanes(y, s, s->metric[j].value));
}

/* Writes the families whose figure no stage before s has. */
static void put_families(void *to, const struct stage_figures *s)
{
    const struct family *all = to;
    for (uint32_t j = 0; j < s->n_metrics; j++) {
        struct family y = {all->e, all->f, s->metric[j].figure, NULL};
        each_stage(y.f, find_first, &y);
        if (y.first != s) continue;
        char name[LEAT_WORD_MAX + sizeof "leat_figure__total"];
        bool counts = y.figure->kind == LEAT_COUNTER;
        snprintf(name, sizeof name, "leat_figure_%s%s", y.figure->name, counts ? "_total" : "");
        exposition_family(y.e, name, counts ? "counter" : "gauge", y.figure->doc);
        each_stage(y.f, put_of_family, &y);
    }
}

static void put_times(struct exposition *e, const struct figures *f)
{
    for (uint32_t k = 0; k < f->n; k++)
        for (uint32_t i = 0; i < f->worker[k].n; i++) {
            const struct stage_figures *s = &f->worker[k].stage[i];
            const struct label labels[STAGE_LABELS] = {{"stage", s->node->id},
                                                       {"plugin", s->node->name}};
            if (s->time_end) exposition_sample(e, labels, (double)(s->time_end - 1) / 1e9);
        }
}

static void put_lags(struct exposition *e, const struct figures *f)
{
    for (uint32_t k = 0; k < f->n; k++)
        for (uint32_t i = 0; i < f->worker[k].n; i++) {
            const struct stage_figures *s = &f->worker[k].stage[i];
            for (uint32_t j = 0; j < s->lag.n; j++) {
                const struct label labels[STAGE_LABELS] = {{"stage", s->node->id},
                                                           {"input", s->lag.worst[j].input}};
                if (s->lag.worst[j].records >= 0)
                    exposition_sample(e, labels, (double)s->lag.worst[j].records);
            }
        }
}

/* Returns a name for a thread: the id of its first stage. A thread without stages has the id of its
 * fork or merge, or collects the lanes of another thread: "STAGE, collected". */
static const char *metrics_name_of(const struct worker_figures *w, char text[STAGE_NAME])
{
    const struct segment *s = w->visit.worker->segment, *before = s->n_in ? s->in[0]->from : s;
    if (w->n) return w->stage[0].node->id;
    if (s->fork) return s->fork->id;
    if (s->at) return s->at->id;
    snprintf(text, STAGE_NAME, "%s, collected",
             before->n_nodes ? before->node[before->n_nodes - 1]->id : "lanes");
    return text;
}

static void put_late(struct exposition *e, const struct figures *f)
{
    for (uint32_t k = 0; k < f->n; k++) {
        const struct worker_figures *w = &f->worker[k];
        char lane[16], name[STAGE_NAME];
        snprintf(lane, sizeof lane, "%u", (unsigned)w->visit.worker->lane);
        const struct label labels[STAGE_LABELS] = {{"stage", metrics_name_of(w, name)},
                                                   {"lane", lane}};
        exposition_sample(e, labels, w->late);
    }
}

static void put_all_stages(struct exposition *e, const struct figures *f)
{
    for (size_t k = 0; k < sizeof of_stages / sizeof *of_stages; k++) {
        exposition_family(e, of_stages[k].name, of_stages[k].type, of_stages[k].help);
        metrics_put_stages(e, f, of_stages[k].value);
    }
    exposition_family(
        e, "leat_learner_figure", "gauge",
        "Progressive validation of a learner; figures have the names of the summary.");
    each_stage(f, put_progressive, e);
    each_stage(f, put_families, &(struct family){.e = e, .f = f});
    exposition_family(e, "leat_stage_event_time_seconds", "gauge",
                      "The latest event time that a learner has seen, since 1970.");
    put_times(e, f);
    exposition_family(e, "leat_source_lag_records", "gauge",
                      "Records of an input that its source has not delivered yet.");
    put_lags(e, f);
    exposition_family(
        e, "leat_thread_late", "gauge",
        "1: the thread that begins with the stage has been in one call for long, so its "
        "figures are old.");
    put_late(e, f);
}

/* ---- the run ---- */

static void put_one(struct exposition *e, const char *name, const char *type, const char *help,
                    double value)
{
    exposition_family(e, name, type, help);
    exposition_sample(e, NULL, value);
}

static void put_reason(void *to, const char *word, uint64_t n)
{
    exposition_sample(to, (const struct label[2]){{"reason", word}}, (double)n);
}

static void metrics_put_rejections(struct exposition *e, const struct run *r)
{
    exposition_family(e, "leat_records_rejected_total", "counter", "Rejected records, by reason.");
    uint64_t sent = rejects_each(&((struct run *)r)->rejects, put_reason, e);
    put_one(e, "leat_dead_letters_total", "counter",
            "Dead letters that were written or passed to sinks.", (double)sent);
}

static void put_snapshots(struct exposition *e, const struct run *r)
{
    struct checkpoint_counts c;
    if (!r->checkpoint_hooks) return;
    checkpoint_counts(r->checkpoints, &c);
    put_one(e, "leat_snapshots_total", "counter", "Snapshots that were written.",
            (double)c.written);
    if (!c.written) return;
    put_one(e, "leat_snapshot_bytes", "gauge", "Size of the last snapshot.", (double)c.bytes);
    put_one(e, "leat_snapshot_age_seconds", "gauge", "Time since the last snapshot.",
            (double)c.age_ns / 1e9);
}

static double threads(void)
{
    double n = 0;
    DIR *d = opendir("/proc/self/task");
    for (struct dirent *one; d && (one = readdir(d));)
        n += one->d_name[0] != '.';
    if (d) closedir(d);
    return n;
}

/* Writes the figures of a started run. `f` must have been updated just before. */
static void metrics_of_run(struct text_out *out_, const struct figures *f)
{
    struct exposition e = {.out = out_};
    const struct run *r = f->run;
    int64_t lag = run_lag(r);
    exposition_family(&e, "leat_info", "gauge", "The pipeline and the version of leat; always 1.");
    exposition_sample(
        &e, (const struct label[3]){{"pipeline", r->graph->name}, {"version", LEAT_VERSION}}, 1);
    put_one(&e, "leat_run_seconds", "gauge", "Time since the start.",
            (double)(clock_ns() - r->start) / 1e9);
    put_one(&e, "leat_records_total", "counter", "Records that sources have delivered.",
            (double)run_records(r));
    metrics_put_rejections(&e, r);
    put_one(&e, "leat_memory_planned_bytes", "gauge", "Memory that the run may take.",
            (double)r->plan.bytes);
    put_one(&e, "leat_memory_used_bytes", "gauge", "Memory of the process.",
            (double)process_memory_resident());
    put_one(&e, "leat_threads", "gauge", "Threads of the process.", threads());
    put_snapshots(&e, r);
    if (lag >= 0)
        put_one(&e, "leat_lag_records", "gauge",
                "Records of all inputs that their sources have not delivered yet.", (double)lag);
    put_all_stages(&e, f);
}

/* Writes the figures of the server, and whether the run is ready. May be called at any time. */
static void metrics_of_server(struct text_out *out_, const struct server *s, bool ready)
{
    static const char *const codes[] = {"0xx", "1xx", "2xx", "3xx", "4xx", "5xx"};
    struct exposition e = {.out = out_};
    put_one(&e, "leat_ready", "gauge",
            "1: the sources run, no stage waits for a server, and the run is not ending.", ready);
    exposition_family(&e, "leat_http_requests_total", "counter",
                      "Answers before this one, by the class of their code.");
    for (int k = 2; k < 6; k++)
        exposition_sample(&e, (const struct label[2]){{"code", codes[k]}},
                          (double)atomic_load(&s->requests[k]));
}

/* Writes the numbers of reloads. May be called at any time. */
static void metrics_of_reloads(struct text_out *out_, const struct reloads *r)
{
    static const char *const results[HTTP_RELOADS] = {"done", "refused", "undone"};
    struct exposition e = {.out = out_};
    exposition_family(&e, "leat_reloads_total", "counter",
                      "Reloads of the script: done, refused by its check, or undone because it "
                      "could not be started.");
    for (int k = 0; k < HTTP_RELOADS; k++)
        exposition_sample(&e, (const struct label[2]){{"result", results[k]}}, (double)r->n[k]);
    if (r->last > 0)
        put_one(&e, "leat_reload_time_seconds", "gauge",
                "Time of the last reload's result, since 1970.", r->last);
}

/* ---- /metrics ---- */

struct reply page_of_metrics(struct http *h, const struct request *q)
{
    char buffer[4096], state[HTTP_STATE];
    struct reply r = {.code = 200, .type = "text/plain; version=0.0.4; charset=utf-8"};
    FILE *to = open_memstream(&r.body, &r.n);
    struct text_out out = {.buf = buffer, .cap = sizeof buffer, .drain = text_to_file, .to = to};
    if (!to) return r;
    bool ready = http_ready(h, state);
    if (h->run) {
        figures_take(&h->figures, NULL, clock_ns() + HTTP_WAIT_NS);
        metrics_of_run(&out, &h->figures);
    }
    metrics_of_server(&out, &h->server, ready);
    metrics_of_reloads(&out, &h->reloads);
    return reply_end(&r, to, text_flush(&out));
}
