/* comparison_report.c -- see comparison_report.h. */
#include "comparison_report.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>

#include "metrics/compare.h"
#include "base/json_text.h"
#include "base/log.h"

struct measure {
    const char *name;
    enum compare_measure measure;
};

/* The first of each is the one for people. */
static const struct measure margin_measures[] = {{"error_rate", COMPARE_SECOND},
                                                 {"log_loss", COMPARE_LOSS}};
static const struct measure value_measures[] = {{"rmse", COMPARE_ROOT_LOSS},
                                                {"mae", COMPARE_SECOND}};
enum { MEASURES = 2 };
static const struct measure class_measures[MEASURES] = {{"error_rate", COMPARE_SECOND}};

static const struct progressive *measured(const struct run *r, uint32_t node)
{
    const struct node *n = r->graph->order[node];
    if (!n->stage || n->stage->kind != LEAT_LEARNER) return NULL;
    const struct progressive *p = run_instance(r, n, 0)->progressive;
    return p && progressive_examples(p) ? p : NULL;
}

static const struct measure *measures(const struct progressive *p)
{
    if (progressive_kind(p) == LEAT_SCORE_CLASS) return class_measures;
    return progressive_kind(p) == LEAT_SCORE_MARGIN ? margin_measures : value_measures;
}

static bool compared(const struct progressive *a, const struct progressive *b,
                     enum compare_measure m, struct compare_result *out)
{
    return progressive_kind(a) == progressive_kind(b) &&
           compare_learners(progressive_compare(a), progressive_compare(b), m, out);
}

/* ---- lines ---- */

/* So many that an interval of this width shows two of them. */
static int digits_for(double width)
{
    double digits = width > 0 ? 1 - floor(log10(width)) : 2;
    return digits < 2 ? 2 : digits > 9 ? 9 : (int)digits;
}

/* Better by `by` > 0; the interval is of the same sign where a difference is shown. */
static void line(const char *better, const char *worse, bool errors, double by, double low,
                 double high, bool shown)
{
    char text[512], interval[96] = "too few examples for an interval";
    double scale = errors ? 100 : 1;
    int digits = digits_for(isfinite(low) ? (high - low) * scale : 0);
    const char *unit = errors ? "points of error" : "of RMSE";
    if (isfinite(low))
        snprintf(interval, sizeof interval, "95 %% interval %.*f to %.*f", digits, low * scale,
                 digits, high * scale);
    if (shown)
        snprintf(text, sizeof text, "%s is better than %s by %.*f %s (%s)", better, worse, digits,
                 by * scale, unit, interval);
    else
        snprintf(text, sizeof text, "no difference shown between %s and %s: %.*f %s (%s)", better,
                 worse, digits, by * scale, unit, interval);
    log_line(text);
}

static double figure(const struct progressive *p)
{
    const char *names[PROGRESSIVE_METRICS];
    double values[PROGRESSIVE_METRICS];
    progressive_metrics(p, names, values, PROGRESSIVE_METRICS);
    return values[1]; /* error_rate, rmse */
}

/* The first of those of the same kind as learner k that have the smallest figure. */
static uint32_t best_like(const struct run *r, uint32_t k)
{
    uint32_t best = k;
    for (uint32_t i = 0; i < r->graph->n_nodes; i++) {
        const struct progressive *p = measured(r, i), *b = measured(r, best);
        if (!p || progressive_kind(p) != progressive_kind(b)) continue;
        if (figure(p) < figure(b) || (figure(p) == figure(b) && i < best)) best = i;
    }
    return best;
}

void comparison_report_lines(const struct run *r)
{
    struct compare_result d;
    for (uint32_t i = 0; i < r->graph->n_nodes; i++) {
        const struct progressive *p = measured(r, i);
        if (!p) continue;
        uint32_t best = best_like(r, i);
        const struct progressive *b = measured(r, best);
        if (best == i || !compared(p, b, measures(p)->measure, &d)) continue;
        line(r->graph->order[best]->id, r->graph->order[i]->id,
             progressive_kind(p) != LEAT_SCORE_VALUE, d.difference, d.low, d.high,
             compare_verdict(&d) > 0);
    }
}

/* ---- summary ---- */

static void add_pair(const struct run *r, uint32_t i, uint32_t j, json_t *to)
{
    const struct progressive *a = measured(r, i), *b = measured(r, j);
    const char *name_a = r->graph->order[i]->id, *name_b = r->graph->order[j]->id;
    struct compare_result d;
    for (int k = 0; k < MEASURES && measures(a)[k].name; k++) {
        const struct measure *m = &measures(a)[k];
        if (!compared(a, b, m->measure, &d)) return;
        int verdict = compare_verdict(&d);
        json_array_append_new(
            to, json_pack("{s:s, s:s, s:s, s:f, s:o, s:o, s:o}", "a", name_a, "b", name_b,
                          "measure", m->name, "difference", d.difference, "low",
                          json_real_or_null(d.low), "high", json_real_or_null(d.high), "better",
                          verdict ? json_string(verdict < 0 ? name_a : name_b) : json_null()));
    }
}

json_t *comparison_report_json(const struct run *r)
{
    json_t *pairs = json_array();
    for (uint32_t i = 0; i < r->graph->n_nodes; i++)
        for (uint32_t j = i + 1; j < r->graph->n_nodes && measured(r, i); j++)
            if (measured(r, j)) add_pair(r, i, j, pairs);
    if (json_array_size(pairs)) return pairs;
    json_decref(pairs);
    return NULL;
}
