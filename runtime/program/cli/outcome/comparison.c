/* comparison.c -- implementation of comparison.h: pairs of learners, ranking figures, sentences. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/pow10.h"
#include "core/report/byte_size.h"
#include "core/report/figure_columns.h"
#include "host/log/json_text.h"
#include "host/memory/memory.h"
#include "host/metrics/compare.h"
#include "comparison.h"

enum { FAR_APART = 100 }; /* least ratio of memory for which a sentence is printed */

struct comparison_measure {
    const char *name;
    enum compare_measure measure;
};

/* Measures for two kinds of learners. The first measure of each is for people. The second also
 * suits rare labels. */
static const struct comparison_measure margin_measures[] = {{"error_rate", COMPARE_SECOND},
                                                            {"log_loss", COMPARE_LOSS}};
static const struct comparison_measure value_measures[] = {{"rmse", COMPARE_ROOT_LOSS},
                                                           {"mae", COMPARE_SECOND}};
enum { MEASURES = 2 };
static const struct comparison_measure class_measures[MEASURES] = {{"error_rate", COMPARE_SECOND}};

static const struct progressive *measured(const struct run *r, uint32_t node)
{
    const struct node *n = r->graph->order[node];
    if (!n->stage || n->stage->kind != LEAT_LEARNER) return NULL;
    const struct progressive *p = run_instance(r, n, 0)->learning.progressive;
    return p && progressive_examples(p) ? p : NULL;
}

/* Returns the kind under which a learner is compared. Margins and log odds both decide between two
 * labels, so both have an error rate. */
static enum leat_score compared_as(enum leat_score kind)
{
    return kind == LEAT_SCORE_MARGIN ? LEAT_SCORE_DECISION : kind;
}

/* Returns the measures that both learners of a pair have. */
static const struct comparison_measure *measures(const struct progressive *p,
                                                 const struct progressive *q)
{
    if (progressive_kind(p) == LEAT_SCORE_VALUE) return value_measures;
    return progressive_kind(p) == LEAT_SCORE_MARGIN && progressive_kind(q) == LEAT_SCORE_MARGIN
               ? margin_measures
               : class_measures;
}

/* True if the examples have more than one label. Otherwise learners cannot be ranked. */
static bool has_rank(const struct progressive *p) { return !(progressive_constant_error(p) <= 0); }

/* ---- pairs ---- */

/* Bootstrap draws of a run's learners. Each is made when a pair first needs it. */
struct drawing {
    const struct run *run;
    struct compare_draws **of;     /* draws by node; NULL: not made yet */
    struct compare_draws spare[2]; /* buffers for one pair, if there is no memory for `of` */
};

static struct drawing *drawing_new(const struct run *r)
{
    struct drawing *d = memory_take(sizeof *d);
    d->run = r;
    d->of = calloc(r->graph->n_nodes, sizeof(struct compare_draws *));
    return d;
}

static void drawing_free(struct drawing *d)
{
    for (uint32_t k = 0; d->of && k < d->run->graph->n_nodes; k++)
        free(d->of[k]);
    free(d->of);
    free(d);
}

static const struct compare_draws *comparison_drawn(struct drawing *d, uint32_t node, int place)
{
    struct compare_draws *to = d->of ? d->of[node] : NULL;
    if (to) return to;
    if (d->of) to = d->of[node] = malloc(sizeof *to);
    if (!to) to = &d->spare[place];
    compare_draw(progressive_compare(measured(d->run, node)), to);
    return to;
}

/* Compares the learners of nodes i and j. Returns false if they cannot be compared. */
static bool compared(struct drawing *d, uint32_t i, uint32_t j, enum compare_measure m,
                     struct compare_result *out)
{
    const struct progressive *p = measured(d->run, i), *q = measured(d->run, j);
    const struct compare *a = progressive_compare(p), *b = progressive_compare(q);
    if (compared_as(progressive_kind(p)) != compared_as(progressive_kind(q)) ||
        !compare_alike(a, b))
        return false;
    compare_learners(a, comparison_drawn(d, i, 0), b, comparison_drawn(d, j, 1), m, out);
    return true;
}

/* ---- ranking figures ---- */

static double comparison_figure_of(const struct progressive *p, const char *name)
{
    const char *names[PROGRESSIVE_METRICS];
    double values[PROGRESSIVE_METRICS];
    size_t n = progressive_metrics(p, names, values, PROGRESSIVE_METRICS);
    for (size_t i = 0; i < n; i++)
        if (!strcmp(names[i], name)) return values[i];
    return (double)NAN;
}

bool comparison_report_by_loss(const struct run *r)
{
    double constant = 0.5, least = 1, log_loss = (double)NAN;
    for (uint32_t i = 0; i < r->graph->n_nodes; i++) {
        const struct progressive *p = measured(r, i);
        if (!p || progressive_kind(p) != LEAT_SCORE_MARGIN) continue;
        constant = fmin(constant, progressive_constant_error(p));
        least = fmin(least, comparison_figure_of(p, "error_rate"));
        log_loss = comparison_figure_of(p, "log_loss");
    }
    return figure_ranks_by_loss(constant, least, log_loss);
}

double comparison_report_error(const struct progressive *p, bool by_loss)
{
    if (progressive_kind(p) == LEAT_SCORE_NONE) return (double)NAN;
    if (progressive_kind(p) == LEAT_SCORE_VALUE) return comparison_figure_of(p, "rmse");
    by_loss &= progressive_kind(p) == LEAT_SCORE_MARGIN;
    return comparison_figure_of(p, by_loss ? "log_loss" : "error_rate");
}

double comparison_report_model_bytes(const struct instance *learner)
{
    for (uint32_t k = 0; k < learner->n_metrics; k++)
        if (!strcmp(learner->metric[k].figure->name, "model_bytes"))
            return learner->metric[k].value;
    return (double)NAN;
}

double comparison_report_total_bytes(const struct instance *learner)
{
    return fmax((double)learner->memory.used, comparison_report_model_bytes(learner));
}

/* ---- sentences ---- */

struct sentences {
    const struct run *run;
    bool by_loss; /* true if learners that predict log odds are ranked by log loss */
    struct drawing *drawing;
    void (*say)(void *to, const char *text);
    void *to;
};

static const struct instance *learner_of(const struct sentences *s, uint32_t k)
{
    return run_instance(s->run, s->run->graph->order[k], 0);
}

/* Returns the number of decimals at which an interval of this width shows two digits. */
static int digits_for(double width)
{
    int digits = width > 0 ? 1 - pow10_exponent(width) : 2;
    return digits < 2 ? 2 : digits > 9 ? 9 : digits;
}

/* Rounds x to `digits` decimals. Returns 0 without a sign. */
static double comparison_rounded(double x, int digits)
{
    double unit = pow10_of(digits);
    return round(x * unit) / unit + 0.0;
}

/* Returns the factor by which a measure is multiplied for people. Sets *words to its unit. */
static double comparison_unit_of(enum compare_measure m, const char **words)
{
    *words = m == COMPARE_ROOT_LOSS ? "of RMSE"
             : m == COMPARE_LOSS    ? "of log loss"
                                    : "points of error";
    return m == COMPARE_SECOND ? 100 : 1;
}

/* Prints how much better `better` is. If the difference is significant, the printed interval does
 * not include 0. */
static void say_difference(const struct sentences *s, uint32_t better, uint32_t worse,
                           enum compare_measure measure, const struct compare_result *d)
{
    char text[512], interval[96] = "too few examples for an interval";
    const char *a = learner_of(s, better)->node->id, *b = learner_of(s, worse)->node->id;
    const char *unit;
    double scale = comparison_unit_of(measure, &unit);
    int digits = digits_for(isfinite(d->low) ? (d->high - d->low) * scale : 0);
    double nearest = fmin(fabs(d->low), fabs(d->high)) * scale;
    while (compare_verdict(d) && digits < 9 && nearest < 0.5 * pow10_of(-digits))
        digits++; /* an end of the interval that is not 0 must not be printed as 0 */
    if (isfinite(d->low))
        snprintf(interval, sizeof interval, "95 %% interval %.*f to %.*f", digits,
                 comparison_rounded(d->low * scale, digits), digits,
                 comparison_rounded(d->high * scale, digits));
    if (compare_verdict(d) > 0)
        snprintf(text, sizeof text, "%s is better than %s by %.*f %s (%s)", a, b, digits,
                 d->difference * scale, unit, interval);
    else
        snprintf(text, sizeof text, "no difference shown between %s and %s: %.*f %s (%s)", a, b,
                 digits, d->difference * scale, unit, interval);
    s->say(s->to, text);
}

/* Prints "logistic's model takes 320 times the memory of awm's: 2.5 MB and 8.0 KB". */
static void say_ratio(const struct sentences *s, const char *more, double most, const char *less,
                      double least, bool models)
{
    char text[512], large[BYTE_SIZE_TEXT], small[BYTE_SIZE_TEXT];
    snprintf(text, sizeof text, "%s%s takes %.0f times the memory of %s%s: %s and %s", more,
             models ? "'s model" : "", most / least, less, models ? "'s" : "",
             byte_size((uint64_t)most, large), byte_size((uint64_t)least, small));
    s->say(s->to, text);
}

/* Prints a sentence if one learner (or with `models`, its model) takes FAR_APART times the memory
 * of the other. Returns true if it did. */
static bool say_memory(const struct sentences *s, uint32_t i, uint32_t j, bool models)
{
    const struct instance *a = learner_of(s, i), *b = learner_of(s, j);
    double x = models ? comparison_report_model_bytes(a) : comparison_report_total_bytes(a);
    double y = models ? comparison_report_model_bytes(b) : comparison_report_total_bytes(b);
    if (!(fmin(x, y) > 0 && fmax(x, y) >= FAR_APART * fmin(x, y))) return false;
    say_ratio(s, x > y ? a->node->id : b->node->id, fmax(x, y), x > y ? b->node->id : a->node->id,
              fmin(x, y), models);
    return true;
}

static void say_not_alike(const struct sentences *s, uint32_t i, uint32_t j)
{
    char text[512];
    snprintf(text, sizeof text,
             "%s and %s are not compared: they did not learn from the same examples",
             learner_of(s, i)->node->id, learner_of(s, j)->node->id);
    s->say(s->to, text);
}

/* Prints the difference between two learners. With `neighbours`, prints it only if it is not
 * significant. */
static void say_pair(const struct sentences *s, uint32_t better, uint32_t worse, bool neighbours)
{
    const struct progressive *a = measured(s->run, better), *b = measured(s->run, worse);
    struct compare_result d;
    bool margins =
        progressive_kind(a) == LEAT_SCORE_MARGIN && progressive_kind(b) == progressive_kind(a);
    enum compare_measure measure = measures(a, b)[margins && s->by_loss].measure;
    bool known = compared(s->drawing, worse, better, measure, &d);
    if (neighbours && (!known || compare_verdict(&d))) return;
    if (!known) {
        say_not_alike(s, better, worse);
        return;
    }
    say_difference(s, better, worse, measure, &d);
    if (!say_memory(s, better, worse, true)) say_memory(s, better, worse, false);
}

/* Returns the kind of learners with which this one is ranked. If s->by_loss, learners that predict
 * log odds form a kind of their own. */
static enum leat_score ranked_as(const struct sentences *s, const struct progressive *p)
{
    return s->by_loss ? progressive_kind(p) : compared_as(progressive_kind(p));
}

/* Returns the node that follows `from` in the ranking of its kind. If `from` is negative, returns
 * the best node. Returns n_nodes if there is none. */
static uint32_t next_best(const struct sentences *s, enum leat_score kind, int64_t from)
{
    uint32_t n = s->run->graph->n_nodes, best = n;
    double least = 0, past = 0;
    if (from >= 0) past = comparison_report_error(measured(s->run, (uint32_t)from), s->by_loss);
    for (uint32_t i = 0; i < n; i++) {
        const struct progressive *p = measured(s->run, i);
        if (!p || ranked_as(s, p) != kind || !has_rank(p)) continue;
        double error = comparison_report_error(p, s->by_loss);
        if (from >= 0 && !(error > past || (error == past && i > from))) continue;
        if (best == n || error < least) best = i, least = error;
    }
    return best;
}

static void compare_kind(const struct sentences *s, enum leat_score kind)
{
    uint32_t n = s->run->graph->n_nodes, best = next_best(s, kind, -1), i = best;
    while (i < n && (i = next_best(s, kind, i)) < n)
        say_pair(s, best, i, false);
    if (best == n) return;
    i = next_best(s, kind, best);
    for (uint32_t next; i < n && (next = next_best(s, kind, i)) < n; i = next)
        say_pair(s, i, next, true);
}

void comparison_report_sentences(const struct run *r, void (*say)(void *to, const char *text),
                                 void *to)
{
    const struct sentences s = {r, comparison_report_by_loss(r), drawing_new(r), say, to};
    compare_kind(&s, LEAT_SCORE_MARGIN);
    compare_kind(&s, LEAT_SCORE_DECISION);
    compare_kind(&s, LEAT_SCORE_CLASS);
    compare_kind(&s, LEAT_SCORE_VALUE);
    drawing_free(s.drawing);
}

/* ---- the comparison as JSON ---- */

static void comparison_add_pair(struct drawing *drawing, uint32_t i, uint32_t j, json_t *to)
{
    const struct graph *g = drawing->run->graph;
    const struct progressive *a = measured(drawing->run, i), *b = measured(drawing->run, j);
    const char *name_a = g->order[i]->id, *name_b = g->order[j]->id;
    struct compare_result d;
    for (int k = 0; k < MEASURES && measures(a, b)[k].name; k++) {
        const struct comparison_measure *m = &measures(a, b)[k];
        if (!compared(drawing, i, j, m->measure, &d)) return;
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
    struct drawing *drawing = drawing_new(r);
    for (uint32_t i = 0; i < r->graph->n_nodes; i++)
        for (uint32_t j = i + 1; j < r->graph->n_nodes && measured(r, i); j++)
            if (measured(r, j) && has_rank(measured(r, i)) && has_rank(measured(r, j)))
                comparison_add_pair(drawing, i, j, pairs);
    drawing_free(drawing);
    if (json_array_size(pairs)) return pairs;
    json_decref(pairs);
    return NULL;
}
