/* summary.c -- implementation of summary.h. Figures are added up over the lanes of a stage. */
#include "summary.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <jansson.h>

#include "core/report/private_file.h"
#include "summary_parts.h"
#include "host/exec/answers/answer.h"
#include "program/cli/outcome/outcome.h"
#include "program/cli/command_line/command_line.h"
#include "program/cli/outcome/comparison.h"
#include "core/time/clock.h"
#include "host/log/json_text.h"
#include "host/log/log.h"
#include "host/memory/process_memory.h"
#include "core/version.h"
#include "host/checkpoint/checkpoint.h"
#include "host/exec/instance/instance.h"
#include "host/exec/worker/worker.h"
#include "host/lua/script/builder.h"
#include "host/metrics/progressive_figure.h"
#include "host/plugin/stage_tables.h"

enum { TOP_ROWS = 100 };

json_int_t summary_count(const struct run *r, const struct node *n, size_t offset)
{
    json_int_t total = 0;
    for (int lane = 0; lane < n->lanes; lane++) {
        const char *i = (const char *)run_instance(r, n, (uint32_t)lane);
        total += (json_int_t)atomic_load_explicit((const _Atomic uint64_t *)(i + offset),
                                                  memory_order_relaxed);
    }
    return total;
}

/* Returns the metric number k of a stage, by its first lane. A counter is summed over all lanes. */
static double summary_metric(const struct run *r, const struct node *n, uint32_t k)
{
    const struct instance *first = run_instance(r, n, 0);
    const struct leat_figure *figure = first->metric[k].figure;
    double sum = first->metric[k].value;
    for (uint32_t lane = 1; lane < (uint32_t)n->lanes && figure->kind == LEAT_COUNTER; lane++) {
        const struct instance *i = run_instance(r, n, lane);
        for (uint32_t j = 0; j < i->n_metrics; j++)
            if (!strcmp(i->metric[j].figure->name, figure->name)) sum += i->metric[j].value;
    }
    return sum;
}

static json_t *metrics_of(const struct run *r, const struct node *n, double seconds)
{
    const struct instance *i = run_instance(r, n, 0);
    json_t *o = figures_json(i->learning.progressive);
    if (i->learning.progressive) {
        double examples = (double)progressive_examples_here(i->learning.progressive);
        json_object_set_new(o, "total_bytes", json_figure(comparison_report_total_bytes(i)));
        json_object_set_new(o, "examples_per_second",
                            json_figure(seconds > 0 ? round(examples / seconds) : (double)NAN));
    }
    for (uint32_t k = 0; k < i->n_metrics; k++)
        json_object_set_new(o, i->metric[k].figure->name, json_figure(summary_metric(r, n, k)));
    return o;
}

/* Returns the kind of each metric: {"late_records": {"kind": "counter", "unit": "records"}, …}. */
static json_t *kinds_of(const json_t *metrics, const struct leat_stage *s)
{
    json_t *o = json_object(), *value;
    const char *name;
    json_object_foreach((json_t *)metrics, name, value)
    {
        const struct leat_figure *own = stage_tables_figure(s, name);
        struct leat_figure f = own ? *own : progressive_figure(name);
        json_object_set_new(o, name,
                            json_pack("{s:s, s:s}", "kind",
                                      f.kind == LEAT_COUNTER ? "counter" : "gauge", "unit",
                                      f.unit));
    }
    return o;
}

/* Returns the learner's heaviest features. Call it on the learner's thread, or when the threads
 * have ended. */
static json_t *summary_top_of(struct instance *i)
{
    const struct kept_answer *a = NULL;
    const struct leat_ask want = {.size = sizeof want, .kind = LEAT_QUERY_TOP, .k = TOP_ROWS};
    if (i->phase == INSTANCE_STARTED) kept_answer_take(i, &want, false, i->run->end != 0, &a);
    return answer_json_rows(a ? &a->answer : &(struct answer){.n_rows = 0});
}

/* Returns [{"input": "orders/3", "lag": 90}, …], largest lag first. An unknown lag is null. */
static json_t *lags_json(const struct lag *l)
{
    json_t *inputs = json_array();
    for (uint32_t k = 0; k < l->n; k++) {
        int64_t records = l->worst[k].records;
        json_array_append_new(
            inputs, json_pack("{s:o, s:o}", "input", json_text(l->worst[k].input), "lag",
                              records < 0 ? json_null() : json_integer((json_int_t)records)));
    }
    return inputs;
}

/* Adds "planned_bytes" and "memory": {"planned", "used"}, summed over all lanes. "used" is the
 * peak. */
static void add_stage_memory(const struct run *r, const struct node *n, json_t *to)
{
    const struct leat_plan *p = &n->plan;
    uint64_t planned = (uint64_t)n->lanes * (p->state_bytes + p->names_bytes + p->work_bytes),
             used = 0;
    for (int lane = 0; lane < n->lanes; lane++)
        used += run_instance(r, n, (uint32_t)lane)->memory.most_used;
    json_object_set_new(to, "planned_bytes", json_integer((json_int_t)planned));
    json_object_set_new(
        to, "memory",
        json_pack("{s:I, s:I}", "planned", (json_int_t)planned, "used", (json_int_t)used));
}

/* Returns the bytes of the process: planned, resident now ("used"), and "peak". The system updates
 * its peak less often, so "used" replaces a smaller peak. */
json_t *summary_memory(const struct run *r)
{
    uint64_t used = process_memory_resident(), peak = process_memory_peak();
    return json_pack("{s:I, s:I, s:I}", "planned", (json_int_t)r->plan.bytes, "used",
                     (json_int_t)used, "peak", (json_int_t)(peak > used ? peak : used));
}

void summary_add_learner(const struct instance *i, json_t *to)
{
    const struct leat_stage *s = i->node->stage;
    if (!i->learning.progressive) return;
    bool in_order = !(s->caps & LEAT_ANY_ORDER);
    json_object_set_new(to, "in_order", json_boolean(in_order));
    figures_json_add_curves(i->learning.progressive, &i->node->schema_in, in_order, to);
}

/* Returns in - rejected - out. It is negative for a stage that creates more records than it
 * removes. */
static json_int_t not_passed(const struct run *r, const struct node *n)
{
    return summary_count(r, n, offsetof(struct instance, count.in)) -
           summary_count(r, n, offsetof(struct instance, count.rejected)) -
           summary_count(r, n, offsetof(struct instance, count.out));
}

json_int_t summary_filtered(const struct run *r, const struct node *n)
{
    json_int_t told = summary_count(r, n, offsetof(struct instance, count.filtered));
    json_int_t rest = n->stage->expand ? not_passed(r, n) : told;
    return rest > told ? rest : told;
}

void summary_add_made(const struct run *r, const struct node *n, json_t *to)
{
    json_int_t made = n->stage->expand ? summary_filtered(r, n) - not_passed(r, n) : 0;
    if (made > 0) json_object_set_new(to, "made", json_integer(made));
}

json_t *summary_stage(const struct run *r, const struct node *n, struct arena *a)
{
    struct instance *first = run_instance(r, n, 0);
    uint64_t ns = 0;
    for (int lane = 0; lane < n->lanes; lane++)
        ns += run_instance(r, n, (uint32_t)lane)->count.ns;
    double seconds = (double)ns / 1e9;
    json_t *o =
        json_pack("{s:s, s:s, s:I, s:I, s:I, s:I, s:f, s:o}", "id", n->id, "plugin", n->name,
                  SUMMARY_COUNTS(r, n), "seconds", seconds, "metrics", metrics_of(r, n, seconds));
    json_object_set_new(o, "figures", kinds_of(json_object_get(o, "metrics"), n->stage));
    summary_add_made(r, n, o);
    summary_add_learner(first, o);
    last_rows_json_add(first, o);
    if (n->stage->kind == LEAT_LEARNER && n->stage->learner->query)
        json_object_set_new(o, "top", summary_top_of(first));
    add_stage_memory(r, n, o);
    settings_json_add(n, o, a);
    if (first->reading.lag) json_object_set_new(o, "lags", lags_json(first->reading.lag));
    return o;
}

/* Returns the counts of a route. Records that match no branch count as filtered. */
json_t *summary_route(const struct run *r, const struct node *n)
{
    for (uint32_t k = 0; k < r->n_workers; k++) {
        const struct worker *w = &r->worker[k];
        if (w->segment->fork != n) continue;
        uint64_t in = atomic_load(&w->fork_in), lost = atomic_load(&w->fork_filtered);
        return json_pack("{s:s, s:s, s:I, s:I, s:I, s:I}", "id", n->id, "plugin", n->name, "in",
                         (json_int_t)in, "out", (json_int_t)(in - lost), "filtered",
                         (json_int_t)lost, "rejected", (json_int_t)0);
    }
    return NULL;
}

json_t *summary_reasons(const struct run *r)
{
    json_t *o = json_object();
    const struct reject_counts *c = &r->rejects.counts;
    for (uint32_t k = 0; k < c->n; k++)
        if (c->reason[k].n)
            json_object_set_new(o, c->reason[k].word, json_integer((json_int_t)c->reason[k].n));
    return o;
}

json_t *summary_snapshots(const struct checkpoints *e)
{
    json_t *o =
        json_pack("{s:I, s:I, s:I, s:f, s:f}", "written", (json_int_t)e->written, "checkpoint",
                  (json_int_t)e->checkpoint, "bytes", (json_int_t)e->bytes, "longest_stall",
                  (double)e->stall_ns / 1e9, "longest_write", (double)e->write_ns / 1e9);
    if (!e->commit.sink) return o;
    json_object_set_new(o, "committed", json_integer((json_int_t)e->commit.done));
    json_object_set_new(o, "longest_commit", json_real((double)e->commit.stall_ns / 1e9));
    json_object_set_new(o, "went_back", json_integer(e->rollbacks));
    return o;
}

json_t *summary_examples_of_rejections(const struct run *r)
{
    json_t *o = json_object();
    const struct reject_counts *c = &r->rejects.counts;
    for (uint32_t k = 0; k < c->n; k++)
        if (c->reason[k].n && c->reason[k].first[0])
            json_object_set_new(o, c->reason[k].word, json_text(c->reason[k].first));
    return o;
}

static json_t *summary_stages_json(const struct run *r)
{
    json_t *stages = json_array();
    for (uint32_t k = 0; k < r->graph->n_nodes; k++) {
        const struct node *n = r->graph->order[k];
        json_t *s = n->stage                ? summary_stage(r, n, r->graph->arena)
                    : n->kind == NODE_ROUTE ? summary_route(r, n)
                                            : NULL;
        if (s) json_array_append_new(stages, s);
    }
    return stages;
}

json_t *summary_plan(const struct plan *p)
{
    return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "bytes", (json_int_t)p->bytes,
                     "process_bytes", (json_int_t)p->process_bytes, "pool_bytes",
                     (json_int_t)p->pool_bytes, "ring_bytes", (json_int_t)p->ring_bytes,
                     "stage_bytes", (json_int_t)p->stage_bytes, "answer_bytes",
                     (json_int_t)p->answer_bytes, "shard_bytes", (json_int_t)p->shard_bytes,
                     "snapshot_bytes", (json_int_t)p->snapshot_bytes);
}

json_t *summary_warnings(void)
{
    const char *text[LOG_WARNINGS];
    json_t *all = json_array();
    for (size_t i = 0, n = log_warnings(text); i < n; i++)
        json_array_append_new(all, json_text(text[i]));
    return all;
}

/* Adds the script's question and the command line of the run. */
void summary_add_question(const struct run *r, const struct command_line *c, json_t *to)
{
    char question[400];
    lua_script_question(r->graph->script, question, sizeof question);
    if (*question) json_object_set_new(to, "question", json_text(question));
    json_object_set_new(to, "command", json_text(command_text(c, r->graph->arena)));
    if (r->graph->options.asked)
        json_object_set_new(to, "asked", json_text(r->graph->options.asked));
    if (r->rejects.places) json_object_set_new(to, "dead_letters_to", json_text(r->rejects.places));
    bool figures = r->graph->options.figures != FIGURES_NONE;
    json_object_set_new(to, "figures", json_boolean(figures));
    json_object_set_new(to, "seed", json_integer((json_int_t)r->graph->options.seed));
}

static void add_results(const struct run *r, json_t *to)
{
    const char *asked = asked_text(r, r->graph->arena);
    if (asked) json_object_set_new(to, "asked", json_text(asked));
    json_object_set_new(to, "rejection_examples", summary_examples_of_rejections(r));
    json_object_set_new(to, "inputs", inputs_json(r));
    json_object_set_new(to, "answers", answer_json_of_run(r));
    const char *answered = answered_text(r, to, r->graph->arena);
    if (answered) json_object_set_new(to, "answered", json_text(answered));
    json_object_set_new(to, "plan", summary_plan(&r->plan));
    json_object_set_new(to, "memory", summary_memory(r));
    json_object_set_new(to, "warnings", summary_warnings());
    json_t *times = inputs_json_times(r), *comparisons = comparison_report_json(r);
    if (times) json_object_set_new(to, "event_time", times);
    json_t *over_time = over_time_json(r);
    if (over_time) json_object_set_new(to, "over_time", over_time);
    if (r->checkpoints->written || r->checkpoints->commit.sink)
        json_object_set_new(to, "snapshots", summary_snapshots(r->checkpoints));
    if (comparisons) json_object_set_new(to, "comparisons", comparisons);
    if (r->control.failed) json_object_set_new(to, "error", json_text(r->control.reason));
    if (r->control.interrupted) json_object_set_new(to, "interrupted", json_true());
}

json_t *summary_json(const struct run *r, const struct command_line *c, int exit_code)
{
    json_t *o =
        json_pack("{s:s, s:s, s:I, s:I, s:I, s:o, s:f, s:o, s:i, s:o}", "pipeline", r->graph->name,
                  "version", LEAT_VERSION, "records", (json_int_t)run_records(r), "records_before",
                  (json_int_t)r->before, "rejected", (json_int_t)r->rejects.count, "rejections",
                  summary_reasons(r), "seconds", (double)(r->end - r->start) / 1e9, "finished",
                  answer_json_time((int64_t)clock_unix_ns()), "exit", exit_code, "stages",
                  summary_stages_json(r));
    summary_add_question(r, c, o);
    add_results(r, o);
    return o;
}

int summary_write(const json_t *o, const char *path)
{
    FILE *out = private_file_open(path);
    if (!out) {
        log_message(LEAT_ERROR, "--summary %s: %s", path, strerror(errno));
        return LEAT_EIO;
    }
    int failed = json_print(json_incref((json_t *)o), JSON_COMPACT, out);
    failed |= fflush(out) == EOF;
    if (out != stdout) failed |= fclose(out) == EOF;
    if (failed) log_message(LEAT_ERROR, "--summary %s: %s", path, strerror(errno));
    return failed ? LEAT_EIO : LEAT_OK;
}

/* Writes the total lag, and the input with the largest lag. Call it when the threads have ended. */
static void summary_lag_text(const struct run *r, char *text, size_t cap)
{
    int64_t total = run_lag(r);
    const struct lag *worst = NULL;
    *text = 0;
    if (!r->end || total == LAG_NONE) return;
    for (uint32_t k = 0; k < r->graph->n_nodes; k++) {
        const struct node *n = &r->graph->node[k];
        const struct lag *l = n->stage ? run_instance(r, n, 0)->reading.lag : NULL;
        if (l && l->n && (!worst || l->worst[0].records > worst->worst[0].records)) worst = l;
    }
    int at = total < 0 ? snprintf(text, cap, ", lag n.a.")
                       : snprintf(text, cap, ", lag %lld", (long long)total);
    if (worst && worst->worst[0].records > 0)
        snprintf(text + at, cap - (size_t)at, " (most: %s, %lld)", worst->worst[0].input,
                 (long long)worst->worst[0].records);
}

/* True if a run has ended that should have had records. A source that shows states has none. */
static bool summary_lacks_records(const struct run *r)
{
    return !run_records(r) && !r->plan.shows_states && r->end && !r->control.failed &&
           !r->continues && !atomic_load(&r->control.stopping);
}

void summary_quiet(const struct run *r)
{
    char text[200], unshown[300];
    if (summary_lacks_records(r))
        log_message(LEAT_WARN, "the input has no records (a header is not a record)");
    if (!r->rejects.count || r->control.failed) return; /* a failed run prints another reason */
    rejects_sentence(&r->rejects, text, sizeof text);
    rejects_unshown(&r->rejects, unshown, sizeof unshown);
    log_message(LEAT_WARN, "%s%s%s", text, *unshown ? ": " : "", unshown);
}

/* Writes "1000 records", the total. If the run continues earlier runs, writes "1000 records, 20 of
 * them": the text before the run's time, with the number of this run. */
static void records_text(const struct run *r, char text[64])
{
    uint64_t n = run_records(r);
    int len = snprintf(text, 64, "%llu record%s", (unsigned long long)n, n == 1 ? "" : "s");
    if (r->before)
        snprintf(text + len, 64 - (size_t)len, ", %llu of them",
                 (unsigned long long)(n - r->before));
}

void summary_line(const struct run *r)
{
    char text[1024], records[64], rejected[520] = "", reasons[120], unshown[300], lag[360];
    uint64_t n = run_records(r), end = r->end ? r->end : clock_ns();
    double seconds = (double)(end - r->start) / 1e9;
    if (r->end && r->rejects.count) { /* before the end, other threads still change the count */
        rejects_unshown(&r->rejects, unshown, sizeof unshown);
        rejects_by_reason(&r->rejects, reasons, sizeof reasons);
        snprintf(rejected, sizeof rejected, ", %llu rejected%s%s%s%s",
                 (unsigned long long)r->rejects.count, reasons, *unshown ? " (" : "", unshown,
                 *unshown ? ")" : "");
    }
    summary_lag_text(r, lag, sizeof lag);
    records_text(r, records);
    snprintf(text, sizeof text, "leat: %s in %.2f s (%.0f/s)%s%s%s%s", records, seconds,
             seconds > 0 ? (double)(n - r->before) / seconds : 0.0, rejected, lag,
             summary_lacks_records(r) ? ": the input has no records (a header is not a record)"
                                      : "",
             !r->end                  ? ", not finished"
             : r->control.interrupted ? ", stopped by a signal"
                                      : "");
    log_line(text);
}
