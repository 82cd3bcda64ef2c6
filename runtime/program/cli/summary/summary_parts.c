/* summary_parts.c -- implementation of summary_parts.h: answers, curves, inputs, parameters. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "summary_parts.h"
#include "core/time/utc.h"
#include "host/exec/answers/ask.h"
#include "host/exec/answers/answer.h"
#include "host/exec/instance/observe.h"
#include "host/log/json_text.h"
#include "host/metrics/time_counts.h"
#include "host/params/param_type.h"
#include "host/params/params.h"

/* ---- a learner's answer as JSON ---- */

json_t *answer_json_time(int64_t ns)
{
    char text[UTC_TEXT];
    return ns < 0 ? json_null() : json_stringn(text, utc_write(text, ns));
}

json_t *answer_json_rows(const struct answer *a)
{
    json_t *rows = json_array();
    for (uint32_t r = 0; r < a->n_rows; r++) {
        json_t *o = json_pack("{s:o}", "feature", json_text_n(a->name[r], a->len[r]));
        for (uint32_t c = 0; c < a->n_columns; c++)
            json_object_set_new(o, a->column[c],
                                json_figure(a->values[(size_t)r * a->n_columns + c]));
        if (*a->also[r]) json_object_set_new(o, "also", json_text(a->also[r]));
        json_array_append_new(rows, o);
    }
    return rows;
}

static json_t *texts_json(const char *const *text, uint32_t n)
{
    json_t *all = json_array();
    for (uint32_t i = 0; i < n; i++)
        json_array_append_new(all, json_text(text[i]));
    return all;
}

json_t *answer_json(const struct answer *a, const struct answer_shown *shown)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:I, s:o, s:o, s:o, s:o}", "sink",
                     json_text(shown->sink), "learner", json_text(shown->learner), "title",
                     json_text_or_null(shown->title), "noun", json_text_or_null(shown->noun),
                     "examples", (json_int_t)shown->examples, "time", answer_json_time(shown->time),
                     "columns", texts_json(a->column, a->n_columns), "shown",
                     texts_json(shown->columns.v, shown->columns.n), "rows", answer_json_rows(a));
}

static json_t *moments_json(const struct answer_history *h)
{
    json_t *all = json_array();
    for (uint32_t i = 0, n = answer_history_moments(h); i < n; i++) {
        const struct answer_moment *m = &h->moment[i];
        json_t *features = json_array();
        for (uint32_t k = 0; k < m->n; k++)
            json_array_append_new(features, json_text(m->name[k]));
        json_array_append_new(all,
                              json_pack("{s:I, s:o, s:o}", "examples", (json_int_t)m->examples,
                                        "time", answer_json_time(m->time), "features", features));
    }
    return all;
}

static const char *summary_text_of(const struct node *n, const char *param)
{
    for (uint32_t i = 0; i < n->stage->n_params; i++)
        if (!strcmp(n->stage->params[i].name, param))
            return params_text(&n->stage->params[i], n->cfg, 0);
    return NULL;
}

static const struct ask *ask_of(const struct instance *learner, const struct node *sink)
{
    for (uint32_t i = 0; i < learner->learning.n_asks; i++)
        if (learner->learning.asks[i]->sink->node == sink) return learner->learning.asks[i];
    return NULL;
}

json_t *answer_json_of_sink(const struct run *r, const struct node *sink)
{
    struct instance *learner = run_instance(r, sink->asked, 0);
    const struct kept_answer *answer = NULL, none = {.examples = 0};
    struct leat_ask want = sink->ask;
    const struct ask *asked = ask_of(learner, sink);
    if (want.k > SUMMARY_ROWS) want.k = SUMMARY_ROWS;
    kept_answer_take(learner, &want, false, r->end != 0, &answer);
    if (!answer) answer = &none; /* the run has too many queries to keep the answer of this one */
    const struct answer_shown shown = {.sink = sink->id,
                                       .learner = sink->asked->id,
                                       .title = summary_text_of(sink, "title"),
                                       .noun = summary_text_of(sink, "noun"),
                                       .columns = want.columns,
                                       .examples = answer->examples,
                                       .time = (int64_t)answer->time_end - 1};
    json_t *o = answer_json(&answer->answer, &shown);
    if (asked && asked->history) json_object_set_new(o, "moments", moments_json(asked->history));
    return o;
}

bool answer_json_is_shown(const struct node *n)
{
    return n->stage && n->asked && n->ask.kind == LEAT_QUERY_TOP && strncmp(n->name, "eval.", 5);
}

json_t *answer_json_of_run(const struct run *r)
{
    json_t *all = json_array();
    for (uint32_t k = 0; k < r->graph->n_nodes; k++) {
        const struct node *n = r->graph->order[k];
        if (!answer_json_is_shown(n)) continue;
        if (run_instance(r, n->asked, 0)->phase != INSTANCE_STARTED)
            continue; /* the run ended before its stages started */
        json_array_append_new(all, answer_json_of_sink(r, n));
    }
    return all;
}

/* ---- progressive validation of a learner ---- */

json_t *figures_json(const struct progressive *p)
{
    const char *names[PROGRESSIVE_METRICS];
    double values[PROGRESSIVE_METRICS];
    json_t *o = json_object();
    size_t n = p ? progressive_metrics(p, names, values, PROGRESSIVE_METRICS) : 0;
    for (size_t i = 0; i < n; i++)
        json_object_set_new(o, names[i], json_figure(values[i]));
    return o;
}

/* Adds an array unless it is empty. Takes ownership of it. */
static void add_array(json_t *to, const char *name, json_t *array)
{
    if (json_array_size(array))
        json_object_set_new(to, name, array);
    else
        json_decref(array);
}

static json_t *reliability_json(const struct progressive *p)
{
    struct reliability r[RELIABILITY_BINS];
    size_t n = progressive_reliability(p, r);
    json_t *bins = json_array();
    for (size_t k = 0; k < n; k++)
        json_array_append_new(
            bins, json_pack("{s:f, s:f, s:o, s:o, s:o}", "from", (double)k / RELIABILITY_BINS, "to",
                            (double)(k + 1) / RELIABILITY_BINS, "weight", json_figure(r[k].weight),
                            "predicted", json_figure(r[k].predicted / r[k].weight), "observed",
                            json_figure(r[k].positives / r[k].weight)));
    return bins;
}

/* Names of the two losses of a curve, each with its name for "since the previous point". NULL:
 * there is one loss. */
static const char *const curve_names[][2][2] = {
    [LEAT_SCORE_MARGIN] = {{"log_loss", "log_loss_since"}, {"error_rate", "error_rate_since"}},
    [LEAT_SCORE_VALUE] = {{"rmse", "rmse_since"}, {"mae", "mae_since"}},
    [LEAT_SCORE_CLASS] = {{"error_rate", "error_rate_since"}, {NULL, NULL}},
    [LEAT_SCORE_DECISION] = {{"error_rate", "error_rate_since"}, {NULL, NULL}}};

static json_t *point_json(const struct progressive_point *p, enum leat_score kind)
{
    bool squares = kind == LEAT_SCORE_VALUE;
    const char *const(*name)[2] = curve_names[kind];
    json_t *o = json_pack("{s:I}", "examples", (json_int_t)p->examples);
    json_object_set_new(o, name[0][0], json_figure(squares ? sqrt(p->loss) : p->loss));
    json_object_set_new(o, name[0][1], json_figure(squares ? sqrt(p->loss_since) : p->loss_since));
    if (!name[1][0]) return o;
    json_object_set_new(o, name[1][0], json_figure(p->second));
    json_object_set_new(o, name[1][1], json_figure(p->second_since));
    return o;
}

static json_t *curve_json(const struct progressive *p)
{
    struct progressive_point point[PROGRESSIVE_POINTS];
    json_t *points = json_array();
    size_t n = progressive_kind(p) == LEAT_SCORE_NONE ? 0 : progressive_curve(p, point);
    for (size_t i = 0; i < n; i++)
        json_array_append_new(points, point_json(&point[i], progressive_kind(p)));
    return points;
}

static json_t *roc_json(const struct progressive *p)
{
    struct roc_point point[ROC_POINTS];
    json_t *points = json_array();
    size_t n = progressive_roc(p, point);
    for (size_t i = 0; i < n; i++)
        json_array_append_new(points,
                              json_pack("{s:o, s:o, s:o}", "false_positives",
                                        json_figure(point[i].false_positives), "true_positives",
                                        json_figure(point[i].true_positives), "threshold",
                                        json_real_or_null(point[i].threshold)));
    return points;
}

static json_t *by_label_json(const struct progressive *p)
{
    struct label_error e[LABEL_ERRORS];
    json_t *labels = json_array();
    for (uint32_t i = 0, n = progressive_label_errors(p, e); i < n; i++)
        json_array_append_new(labels,
                              json_pack("{s:o, s:o, s:o, s:o, s:o}", "label",
                                        json_figure(e[i].label), "weight", json_figure(e[i].weight),
                                        "rmse", json_figure(sqrt(e[i].squared / e[i].weight)),
                                        "mae", json_figure(e[i].absolute / e[i].weight),
                                        "mean_error", json_figure(e[i].signed_sum / e[i].weight)));
    return labels;
}

/* Returns a class's name, or its number if it has none. */
static json_t *name_of_class(const struct leat_schema *s, uint32_t label)
{
    return label < s->n_classes ? json_text(s->classes[label]) : json_sprintf("class %u", label);
}

static json_t *by_class_json(const struct progressive *p, const struct leat_schema *s)
{
    struct progressive_class c[PROGRESSIVE_CLASSES];
    json_t *classes = json_array();
    for (uint32_t i = 0, n = progressive_classes(p, c); i < n; i++)
        json_array_append_new(
            classes,
            json_pack(
                "{s:o, s:o, s:o, s:o, s:o}", "label", name_of_class(s, c[i].label), "weight",
                json_figure(c[i].weight), "predicted", json_figure(c[i].predicted), "recall",
                json_real_or_null(c[i].weight > 0 ? c[i].right / c[i].weight : (double)NAN),
                "precision",
                json_real_or_null(c[i].predicted > 0 ? c[i].right / c[i].predicted : (double)NAN)));
    return classes;
}

void figures_json_add_curves(const struct progressive *p, const struct leat_schema *s,
                             bool in_order, json_t *to)
{
    add_array(to, "reliability", reliability_json(p));
    if (!in_order) return;
    add_array(to, "curve", curve_json(p));
    add_array(to, "roc", roc_json(p));
    add_array(to, "by_label", by_label_json(p));
    add_array(to, "by_class", by_class_json(p, s));
}

/* ---- the inputs of a run ---- */

enum { MOST_NAMES = 100 };

/* Returns the first names of a source's inputs. Sets *more to the number of further ones. */
static json_t *names_json(const struct instance *source, json_int_t *more)
{
    json_t *names = json_array();
    *more = 0;
    for (uint32_t i = 0; i < source->reading.n_inputs; i++) {
        const char *name = instance_input_name(source, i);
        if (name && json_array_size(names) < MOST_NAMES)
            json_array_append_new(names, json_text(name));
        else
            *more += name != NULL;
    }
    return names;
}

json_t *inputs_json_source(const struct run *r, const struct node *n)
{
    const struct instance *source = run_instance(r, n, 0);
    uint64_t done = 0, total = 0;
    json_int_t more;
    json_t *names = names_json(source, &more);
    if (source->phase == INSTANCE_STARTED) instance_progress(source, &done, &total);
    json_t *o = json_pack("{s:o, s:s, s:I, s:o, s:o}", "source", json_text(n->id), "plugin",
                          n->name, "records", (json_int_t)atomic_load(&source->count.out), "bytes",
                          done ? json_integer((json_int_t)done) : json_null(), "names", names);
    if (more) json_object_set_new(o, "more", json_integer(more));
    return o;
}

json_t *inputs_json(const struct run *r)
{
    json_t *all = json_array();
    for (uint32_t k = 0; k < r->graph->n_nodes; k++) {
        const struct node *n = r->graph->order[k];
        if (n->stage && n->stage->kind == LEAT_SOURCE)
            json_array_append_new(all, inputs_json_source(r, n));
    }
    return all;
}

json_t *inputs_json_times(const struct run *r)
{
    uint64_t first = 0, last = 0;
    for (uint32_t k = 0; k < r->graph->n_nodes; k++) {
        const struct node *n = r->graph->order[k];
        if (!n->stage || n->stage->kind != LEAT_LEARNER) continue;
        const struct instance *i = run_instance(r, n, 0);
        if (i->learning.time_begin && (!first || i->learning.time_begin < first))
            first = i->learning.time_begin;
        if (i->learning.time_end > last) last = i->learning.time_end;
    }
    if (!last) return NULL;
    return json_pack("{s:o, s:o}", "first", answer_json_time(r->before ? -1 : (int64_t)first - 1),
                     "last", answer_json_time((int64_t)last - 1));
}

static json_t *over_time_json_span(const struct time_counts *t, uint32_t i, enum leat_score kind)
{
    const struct time_span *s = &t->span[i];
    int64_t begin = time_counts_begin(t, i);
    json_t *o = json_pack("{s:o, s:I}", "from", answer_json_time(begin < 0 ? 0 : begin), "records",
                          (json_int_t)s->records);
    bool two = kind == LEAT_SCORE_NONE || kind == LEAT_SCORE_MARGIN || kind == LEAT_SCORE_DECISION;
    if (two && s->labelled)
        json_object_set_new(o, "positive", json_integer((json_int_t)s->positive));
    if (kind == LEAT_SCORE_VALUE && s->labelled)
        json_object_set_new(o, "mean", json_figure(s->sum / (double)s->labelled));
    return o;
}

json_t *over_time_json(const struct run *r)
{
    for (uint32_t k = 0; k < r->graph->n_nodes; k++) {
        const struct node *n = r->graph->order[k];
        struct time_counts *t = n->stage ? run_instance(r, n, 0)->learning.times : NULL;
        if (!t || !t->n) continue;
        time_counts_settle(t);
        json_t *spans = json_array();
        for (uint32_t i = 0; i < t->n; i++)
            json_array_append_new(spans, over_time_json_span(t, i, graph_score(n)));
        return json_pack("{s:o, s:I, s:o}", "learner", json_text(n->id), "seconds",
                         (json_int_t)time_counts_seconds(t), "spans", spans);
    }
    return NULL;
}

/* ---- the last records of a sink ---- */

static json_t *summary_columns_json(const struct last_rows *l, const struct leat_schema *in)
{
    json_t *all = json_array();
    for (uint32_t c = 0; c < l->n_columns; c++)
        json_array_append_new(all, json_text(in->column[c].name));
    return all;
}

static json_t *summary_cell_json(const struct last_cell *c)
{
    char text[LAST_TEXT + sizeof "…"];
    if (!c->has) return json_null();
    int n = snprintf(text, sizeof text, "%.*s%s", (int)c->len, c->text, c->cut ? "…" : "");
    return json_text_n(text, (size_t)n);
}

void last_rows_json_add(const struct instance *sink, json_t *to)
{
    const struct last_rows *l = sink->writing.last_rows;
    if (!l || !l->n) return;
    json_t *rows = json_array();
    for (uint64_t r = l->n > LAST_ROWS ? l->n - LAST_ROWS : 0; r < l->n; r++) {
        json_t *row = json_array();
        for (uint32_t c = 0; c < l->n_columns; c++)
            json_array_append_new(row, summary_cell_json(&l->cell[r % LAST_ROWS][c]));
        json_array_append_new(rows, row);
    }
    const struct leat_schema *in = &sink->node->schema_in;
    json_object_set_new(to, "last_rows",
                        json_pack("{s:o, s:o, s:I}", "columns", summary_columns_json(l, in), "rows",
                                  rows, "more_columns",
                                  (json_int_t)(in->n_columns - l->n_columns)));
}

/* ---- the parameters of a stage as JSON ---- */

/* Returns a parameter's default as param_show() prints it; NULL if there is none. */
static const char *default_of(const struct leat_stage *s, const struct leat_param *p,
                              struct arena *a)
{
    union param_cell cell;
    size_t size = param_type_size(p->type);
    char *cfg = arena_alloc(a, s->cfg_size + sizeof cell);
    if (p->type == LEAT_FUNCTION || p->flags & LEAT_REQUIRED) return NULL;
    if (param_default(p, a, &cell)) return NULL;
    memcpy(cfg + p->offset, &cell, size);
    return param_show(p, cfg, a);
}

static void add_default(const struct leat_stage *s, const struct leat_param *p, const char *value,
                        json_t *defaults, struct arena *a)
{
    const char *text = default_of(s, p, a);
    if (value && text && !strcmp(value, text)) return;
    if (!value && !text) return;
    json_object_set_new(defaults, p->name, json_text_or_null(text));
}

static void summary_add(json_t *parameters, const struct leat_stage *declared, json_t *to,
                        struct arena *a)
{
    json_t *defaults = json_object();
    for (uint32_t i = 0; declared && i < declared->n_params; i++) {
        const struct leat_param *p = &declared->params[i];
        const char *value = json_string_value(json_object_get(parameters, p->name));
        if (p->type != LEAT_FUNCTION) add_default(declared, p, value, defaults, a);
    }
    json_object_set_new(to, "parameters", parameters);
    json_object_set_new(to, "defaults", defaults);
}

void settings_json_add(const struct node *n, json_t *to, struct arena *a)
{
    json_t *parameters = json_object();
    for (uint32_t i = 0; n->configured && i < n->stage->n_params; i++) {
        const struct leat_param *p = &n->stage->params[i];
        const char *text = p->type == LEAT_FUNCTION ? NULL : param_show(p, n->cfg, a);
        if (text) json_object_set_new(parameters, p->name, json_text(text));
    }
    summary_add(parameters, n->configured ? n->stage : NULL, to, a);
}

void settings_json_add_saved(const json_t *parameters, const struct leat_stage *declared,
                             json_t *to, struct arena *a)
{
    summary_add(json_is_object(parameters) ? json_deep_copy(parameters) : json_object(), declared,
                to, a);
}
