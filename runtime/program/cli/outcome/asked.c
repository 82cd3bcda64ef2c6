/* asked.c -- the question of a run, with counts of records (options `asked` and `counted`). */
#include <math.h>
#include <string.h>

#include "filled.h"
#include "host/metrics/progressive.h"
#include "outcome.h"

/* ---- figures of stages ---- */

/* Returns the value of a stage's figure; NULL if the stage has not set that figure. */
static const double *asked_figure(const struct instance *i, const char *name)
{
    for (uint32_t k = 0; k < i->n_metrics; k++)
        if (!strcmp(i->metric[k].figure->name, name)) return &i->metric[k].value;
    return NULL;
}

static const struct node *asked_node_of(const struct run *r, const char *id, size_t n)
{
    for (uint32_t k = 0; k < r->graph->n_nodes; k++) {
        const struct node *node = &r->graph->node[k];
        if (node->stage && strlen(node->id) == n && !memcmp(node->id, id, n)) return node;
    }
    return NULL;
}

/* Returns the value of "id.figure"; NaN if it is unknown. A learner has one model at the end of a
 * run. For other stages, adds up the lanes. */
static double asked_value_of(const struct run *r, const char *name)
{
    const char *dot = strchr(name, '.');
    const struct node *node = dot ? asked_node_of(r, name, (size_t)(dot - name)) : NULL;
    if (!node) return (double)NAN;
    name = dot + 1;
    const struct instance *first = run_instance(r, node, 0);
    if (first->learning.progressive && !strcmp(name, "examples"))
        return (double)progressive_examples(first->learning.progressive);
    double sum = 0;
    for (uint32_t lane = 0; lane < (first->learning.progressive ? 1 : (uint32_t)node->lanes);
         lane++) {
        const double *value = asked_figure(run_instance(r, node, lane), name);
        sum += value ? *value : (double)NAN;
    }
    return sum;
}

/* ---- the question and its counts ---- */

/* Returns the only stage that counts labels; NULL if there is none or more than one. */
static const struct instance *labeller_of(const struct run *r)
{
    const struct instance *found = NULL;
    for (uint32_t k = 0; k < r->graph->n_nodes; k++) {
        const struct node *n = r->graph->order[k];
        const struct instance *i = n->stage ? run_instance(r, n, 0) : NULL;
        if (!i || !asked_figure(i, "labelled") || !asked_figure(i, "positive")) continue;
        if (found || n->lanes > 1) return NULL;
        found = i;
    }
    return found;
}

/* Returns "862 of 2,940 records (29.3 %)". */
static const char *asked_share(double positive, double records, struct arena *a)
{
    const char *share = records > 0 ? arena_printf(a, " (%.3g %%)", 100 * positive / records) : "";
    return arena_printf(a, "%s of %s record%s%s", filled_grouped(positive, a),
                        filled_grouped(records, a), records == 1 ? "" : "s", share);
}

/* Returns "setosa 50, versicolor 50 and 1 more". Shows the number of a class that has no name. */
static const char *of_classes(const struct label_order *o, const struct leat_schema *s,
                              struct arena *a)
{
    enum { SHOWN = 8 };
    const char *list = "";
    uint32_t classes = o->labels; /* number of classes that have a name or were seen */
    while (classes > s->n_classes && !o->of[classes - 1])
        classes--;
    for (uint32_t c = 0; c < classes && c < SHOWN; c++) {
        const char *name = c < s->n_classes ? s->classes[c] : arena_printf(a, "class %u", c);
        list = arena_printf(a, "%s%s%s %s", list, c ? ", " : "", name,
                            filled_grouped((double)o->of[c], a));
    }
    return classes > SHOWN ? arena_printf(a, "%s and %u more", list, classes - SHOWN) : list;
}

/* Returns the first learner that predicts numbers or has labels; NULL if there is none. */
static const struct node *asked_learner(const struct run *r)
{
    for (uint32_t k = 0; k < r->graph->n_nodes; k++) {
        const struct node *n = r->graph->order[k];
        const struct progressive *p = n->stage ? run_instance(r, n, 0)->learning.progressive : NULL;
        if (!p) continue;
        if (progressive_kind(p) == LEAT_SCORE_VALUE && progressive_examples(p)) return n;
        if (progressive_labels(p)->records) return n;
    }
    return NULL;
}

/* Returns "862 of 2,940 records (29.3 %)": the records with a label above 0, by the label stage,
 * otherwise by the first learner. NULL if nobody has counted them, or if labels are something
 * else. */
static const char *asked_positives(const struct run *r, struct arena *a)
{
    const struct instance *i = labeller_of(r);
    if (i) return asked_share(*asked_figure(i, "positive"), *asked_figure(i, "labelled"), a);
    const struct node *n = asked_learner(r);
    const struct progressive *p = n ? run_instance(r, n, 0)->learning.progressive : NULL;
    if (!p || progressive_kind(p) == LEAT_SCORE_VALUE || progressive_kind(p) == LEAT_SCORE_CLASS ||
        n->schema_in.n_classes == 2)
        return NULL;
    const struct label_order *o = progressive_labels(p);
    return arena_printf(a, "%s%s", asked_share((double)o->of[1], (double)o->records, a),
                        r->before ? " since it continued" : "");
}

/* Returns the counts of the first learner: "3,000 records" or "ham 2,411, spam 589". */
static const char *of_learner(const struct run *r, struct arena *a)
{
    const struct node *n = asked_learner(r);
    if (!n) return NULL;
    const struct progressive *p = run_instance(r, n, 0)->learning.progressive;
    if (progressive_kind(p) == LEAT_SCORE_VALUE)
        return arena_printf(a, "%s records", filled_grouped((double)progressive_examples(p), a));
    return arena_printf(a, "%s%s", of_classes(progressive_labels(p), &n->schema_in, a),
                        r->before ? " since it continued" : "");
}

/* Returns the counts that follow the question, such as " (7151 at the end): 862 of 2,940 records
 * (29.3 %)"; NULL if nothing was counted. */
static const char *asked_counts(const struct run *r, struct arena *a)
{
    const struct instance *i = labeller_of(r);
    const double *threshold = i ? asked_figure(i, "threshold") : NULL;
    const char *counts = asked_positives(r, a);
    if (!counts) counts = of_learner(r, a);
    const char *end = threshold ? arena_printf(a, " (%.6g at the end)", *threshold) : "";
    return counts ? arena_printf(a, "%s: %s", end, counts) : NULL;
}

/* ---- the sentence of the script ---- */

/* A filled_value of a run: {positives}, {threshold} of the label stage, {id.figure}, or a share,
 * {id.figure/id.figure}. */
static const char *asked_value(const void *of, const char *name, struct arena *a)
{
    const struct run *r = of;
    const struct instance *i = labeller_of(r);
    const double *threshold = i ? asked_figure(i, "threshold") : NULL;
    if (!strcmp(name, "positives")) return asked_positives(r, a);
    if (!strcmp(name, "threshold")) return threshold ? arena_printf(a, "%.6g", *threshold) : NULL;
    const char *slash = strchr(name, '/');
    double value = asked_value_of(r, slash ? arena_strndup(a, name, (size_t)(slash - name)) : name);
    double all = slash ? asked_value_of(r, slash + 1) : 0;
    if (!(value >= 0) || !(all >= 0)) return NULL;
    return slash ? asked_share(value, all, a) : filled_grouped(value, a);
}

const char *asked_text(const struct run *r, struct arena *a)
{
    const struct options *o = &r->graph->options;
    const char *sentence = o->counted ? filled_text(o->counted, asked_value, r, a) : NULL;
    if (sentence || !o->asked) return sentence;
    const char *counts = asked_counts(r, a);
    return counts ? arena_printf(a, "%s%s", o->asked, counts) : o->asked;
}
