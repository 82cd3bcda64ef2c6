/* asked.c -- the question of a run (option `asked`), followed by counts of records. */
#include <math.h>
#include <string.h>

#include "core/report/text_out.h"
#include "host/log/log.h"
#include "host/metrics/progressive.h"
#include "outcome.h"

/* ---- figures of stages, in texts of the script ---- */

/* Returns the value of a stage's figure; NULL if the stage has not set that figure. */
static const double *asked_figure(const struct instance *i, const char *name)
{
    for (uint32_t k = 0; k < i->n_metrics; k++)
        if (!strcmp(i->metric[k].figure->name, name)) return &i->metric[k].value;
    return NULL;
}

/* Returns n with separators, such as 2,940. */
static const char *asked_grouped(double n, struct arena *a)
{
    char text[32];
    return arena_strndup(a, text, text_format_grouped(text, (uint64_t)n));
}

static const struct node *asked_node_of(const struct run *r, const char *id, size_t n)
{
    for (uint32_t k = 0; k < r->graph->n_nodes; k++) {
        const struct node *node = &r->graph->node[k];
        if (node->stage && strlen(node->id) == n && !memcmp(node->id, id, n)) return node;
    }
    return NULL;
}

/* Returns the value of "id.figure" (n bytes of text); NaN if it is unknown. A learner has one model
 * at the end of a run. For other stages, adds up the lanes. */
static double asked_value_of(const struct run *r, const char *text, size_t n, struct arena *a)
{
    const char *dot = memchr(text, '.', n);
    const struct node *node = dot ? asked_node_of(r, text, (size_t)(dot - text)) : NULL;
    if (!node) return (double)NAN;
    const char *name = arena_strndup(a, dot + 1, (size_t)(text + n - dot - 1));
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

/* Returns "862 of 2,940 records (29.3 %)". */
static const char *asked_share(double positive, double records, struct arena *a)
{
    const char *share = records > 0 ? arena_printf(a, " (%.3g %%)", 100 * positive / records) : "";
    return arena_printf(a, "%s of %s record%s%s", asked_grouped(positive, a),
                        asked_grouped(records, a), records == 1 ? "" : "s", share);
}

/* Returns the text of "id.figure" (n bytes), or of "id.figure/id.figure": a share. Returns NULL if
 * a figure is unknown. */
static const char *asked_filled(const struct run *r, const char *text, size_t n, struct arena *a)
{
    const char *slash = memchr(text, '/', n);
    size_t first = slash ? (size_t)(slash - text) : n;
    double value = asked_value_of(r, text, first, a);
    double of = slash ? asked_value_of(r, slash + 1, n - first - 1, a) : 0;
    if (!(value >= 0) || !(of >= 0)) return NULL;
    return slash ? asked_share(value, of, a) : asked_grouped(value, a);
}

/* Returns one part of the text (n bytes, between two commas) with its figures filled in. Returns
 * NULL if a figure is unknown. */
static const char *asked_part(const struct run *r, const char *text, size_t n, struct arena *a)
{
    const char *written = "", *end = text + n, *open;
    while ((open = memchr(text, '{', (size_t)(end - text)))) {
        const char *close = memchr(open, '}', (size_t)(end - open));
        if (!close) break;
        const char *filled = asked_filled(r, open + 1, (size_t)(close - open - 1), a);
        if (!filled) return NULL;
        written = arena_printf(a, "%s%.*s%s", written, (int)(open - text), text, filled);
        text = close + 1;
    }
    return arena_printf(a, "%s%.*s", written, (int)(end - text), text);
}

/* Returns "18,000 tokens, 45,000 pairs" for "{model.tokens} tokens, {model.pairs} pairs". Omits a
 * part between commas if one of its figures is unknown. Returns NULL if no part remains. */
static const char *asked_counts(const struct run *r, const char *counted, struct arena *a)
{
    const char *all = NULL;
    for (size_t n; *counted; counted += n + (counted[n] == ',')) {
        counted += strspn(counted, " ");
        n = strcspn(counted, ",");
        const char *one = asked_part(r, counted, n, a);
        if (one) all = all ? arena_printf(a, "%s, %s", all, one) : one;
    }
    return all;
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

/* Returns the label stage's counts, after its threshold if it has one: " (7151 at the end): 862 of
 * 2,940 records (29.3 %)". */
static const char *of_labeller(const struct instance *i, struct arena *a)
{
    const double *threshold = asked_figure(i, "threshold");
    return arena_printf(a, "%s: %s",
                        threshold ? arena_printf(a, " (%.6g at the end)", *threshold) : "",
                        asked_share(*asked_figure(i, "positive"), *asked_figure(i, "labelled"), a));
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
                            asked_grouped((double)o->of[c], a));
    }
    return classes > SHOWN ? arena_printf(a, "%s and %u more", list, classes - SHOWN) : list;
}

/* Returns the counts of the first learner that has labels: ": 589 of 3,000 records (19.6 %)" or
 * ": ham 2,411, spam 589". Returns NULL if there is no such learner, or if it saw no record. */
static const char *of_learner(const struct run *r, struct arena *a)
{
    for (uint32_t k = 0; k < r->graph->n_nodes; k++) {
        const struct node *n = r->graph->order[k];
        const struct progressive *p = n->stage ? run_instance(r, n, 0)->learning.progressive : NULL;
        if (!p) continue;
        const struct label_order *o = progressive_labels(p);
        if (progressive_kind(p) == LEAT_SCORE_VALUE && progressive_examples(p))
            return arena_printf(a, ": %s records",
                                asked_grouped((double)progressive_examples(p), a));
        if (!o->records) continue;
        bool two = progressive_kind(p) != LEAT_SCORE_CLASS;
        const char *since = r->before ? " since it continued" : "";
        if (two && n->schema_in.n_classes != 2)
            return arena_printf(a, ": %s%s", asked_share((double)o->of[1], (double)o->records, a),
                                since);
        return arena_printf(a, ": %s%s", of_classes(o, &n->schema_in, a), since);
    }
    return NULL;
}

/* Returns the counts that follow the question; NULL if nothing was counted. */
static const char *counts(const struct run *r, struct arena *a)
{
    const struct options *o = &r->graph->options;
    const struct instance *labeller = o->counted ? NULL : labeller_of(r);
    const char *counted = o->counted ? asked_counts(r, o->counted, a) : NULL;
    if (!o->asked || (o->counted && !counted)) return NULL;
    if (counted) return arena_printf(a, ": %s", counted);
    return labeller ? of_labeller(labeller, a) : of_learner(r, a);
}

const char *asked_text(const struct run *r, struct arena *a)
{
    const char *asked = r->graph->options.asked, *counted = asked ? counts(r, a) : NULL;
    return counted ? arena_printf(a, "%s%s", asked, counted) : asked;
}

void asked_text_tell(const struct run *r)
{
    struct arena arena = {0};
    if (r->graph->options.asked && counts(r, &arena))
        log_line(arena_printf(&arena, "leat: %s", asked_text(r, &arena)));
    arena_free(&arena);
}
