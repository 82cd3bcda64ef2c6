/* answered.c -- the answer of a run in a sentence of its script (option `answered`). */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "comparison.h"
#include "core/exp.h"
#include "core/report/answer_report.h"
#include "program/cli/summary/summary_parts.h"
#include "filled.h"
#include "host/metrics/progressive.h"
#include "outcome.h"

struct answered {
    const struct run *run;
    const json_t *rows, *stages; /* of the summary */
};

/* Returns a number with three digits, such as 41.9; whole and large numbers as 12,345. */
static const char *answered_number(double x, struct arena *a)
{
    if (x >= 0 && x < 1e15 && (x == floor(x) || x >= 1000)) return filled_grouped(round(x), a);
    return arena_printf(a, fabs(x) >= 1000 && fabs(x) < 1e6 ? "%.0f" : "%.3g", x);
}

/* Returns a share in per cent with one decimal, as tables have it; smaller ones with two digits. */
static const char *answered_share(double x, struct arena *a)
{
    return arena_printf(a, x != 0 && fabs(x) < 0.01 ? "%.2g" : "%.1f", 100 * x);
}

/* How a name wants its number: {exp pmi} is a power of e, {rate %} a share. */
struct answered_form {
    bool exponent, share;
};

static const char *answered_write(double x, struct answered_form f, struct arena *a)
{
    if (f.exponent) x = exp_all(x);
    return f.share ? answered_share(x, a) : answered_number(x, a);
}

/* Returns a member of a row or of metrics, as a range if it has bounds that differ. */
static const char *answered_member(const json_t *o, const char *name, struct answered_form f,
                                   struct arena *a)
{
    const json_t *is = json_object_get(o, name),
                 *low = json_object_get(o, arena_printf(a, "%s_low", name)),
                 *high = json_object_get(o, arena_printf(a, "%s_high", name));
    if (!json_is_number(is) && !(json_is_number(low) && json_is_number(high)))
        return json_is_string(is) ? json_string_value(is) : NULL;
    const char *text = answered_write(json_number_value(json_is_number(is) ? is : low), f, a);
    if (json_is_number(low) && json_is_number(high)) {
        const char *from = answered_write(json_number_value(low), f, a),
                   *to = answered_write(json_number_value(high), f, a);
        text = strcmp(from, to) ? arena_printf(a, "%s–%s", from, to) : from;
    }
    return f.share ? arena_printf(a, "%s %%", text) : text;
}

/* Returns the learner that errs least; NULL if none predicts. */
static const struct node *answered_best(const struct run *r)
{
    const struct node *best = NULL;
    bool by_loss = comparison_report_by_loss(r);
    double least = (double)INFINITY;
    for (uint32_t k = 0; k < r->graph->n_nodes; k++) {
        const struct node *n = r->graph->order[k];
        const struct progressive *p = n->stage ? run_instance(r, n, 0)->learning.progressive : NULL;
        if (!p || !progressive_examples(p)) continue;
        double error = comparison_report_error(p, by_loss);
        if (!(error < least)) continue;
        least = error;
        best = n;
    }
    return best;
}

static const json_t *answered_metrics(const json_t *stages, const char *id)
{
    for (size_t i = 0; i < json_array_size(stages); i++) {
        const json_t *s = json_array_get(stages, i), *is = json_object_get(s, "id");
        if (json_is_string(is) && !strcmp(json_string_value(is), id))
            return json_object_get(s, "metrics");
    }
    return NULL;
}

/* Returns "all 12" for the number of rows of the first answer. Returns "the first 200" if its sink
 * may have more than the summary. */
static const char *answered_rows(const struct run *r, size_t rows, struct arena *a)
{
    const struct node *sink = NULL;
    for (uint32_t k = 0; k < r->graph->n_nodes && !sink; k++)
        if (answer_json_is_shown(r->graph->order[k])) sink = r->graph->order[k];
    bool is_cut = sink && rows == SUMMARY_ROWS && sink->ask.k > SUMMARY_ROWS;
    return arena_printf(a, is_cut ? "the first %s" : "all %s", filled_grouped((double)rows, a));
}

/* A filled_value of the answer: {rate} of the first row, {last.covered} of the last one if there
 * are several, {rows}, {id.figure} of a stage, {best} learner and {best.rmse}. */
static const char *answered_value(const void *of, const char *name, struct arena *a)
{
    const struct answered *all = of;
    struct answered_form f = {.exponent = !strncmp(name, "exp ", 4)};
    size_t n = strlen(name), rows = json_array_size(all->rows);
    f.share = n > 2 && !strcmp(name + n - 2, " %");
    if (f.share) name = arena_strndup(a, name, n - 2);
    if (f.exponent) name += 4;
    if (!strcmp(name, "rows")) return rows ? answered_rows(all->run, rows, a) : NULL;
    if (!strncmp(name, "last.", 5))
        return rows > 1 ? answered_member(json_array_get(all->rows, rows - 1), name + 5, f, a)
                        : NULL;
    const char *dot = strchr(name, '.'),
               *id = dot ? arena_strndup(a, name, (size_t)(dot - name)) : name;
    if (dot && strcmp(id, "best") != 0)
        return answered_member(answered_metrics(all->stages, id), dot + 1, f, a);
    if (strncmp(name, "best", 4)) return answered_member(json_array_get(all->rows, 0), name, f, a);
    const struct node *best = answered_best(all->run);
    if (!best || !name[4]) return best ? best->id : NULL;
    return answered_member(answered_metrics(all->stages, best->id), name + 5, f, a);
}

/* True if chance alone would make rows like each of these. */
static bool answered_is_luck(const json_t *rows)
{
    for (size_t i = 0; i < json_array_size(rows); i++) {
        const json_t *luck = json_object_get(json_array_get(rows, i), ANSWER_LUCK);
        if (!(json_number_value(luck) > ANSWER_CHANCE)) return false;
    }
    return json_array_size(rows) > 0;
}

/* True if the sentence is of the learner that errs least, and all its examples have one label. */
static bool answered_is_of_one_label(const struct run *r, const char *answered)
{
    const struct node *best = strstr(answered, "{best") ? answered_best(r) : NULL;
    return best && progressive_is_one_label(run_instance(r, best, 0)->learning.progressive);
}

const char *answered_text(const struct run *r, const json_t *summary, struct arena *a)
{
    const char *answered = r->graph->options.answered;
    const json_t *answer = json_array_get(json_object_get(summary, "answers"), 0);
    const struct answered all = {r, json_object_get(answer, "rows"),
                                 json_object_get(summary, "stages")};
    if (!answered || r->control.failed) return NULL;
    if (answered_is_luck(all.rows)) return "no row of the answer is surely more than chance";
    if (answered_is_of_one_label(r, answered))
        return "all records have one label, so the errors of the learners tell nothing";
    return filled_text(answered, answered_value, &all, a);
}
