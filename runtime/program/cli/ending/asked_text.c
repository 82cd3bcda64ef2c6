/* asked_text.c -- see asked_text.h. */
#include "asked_text.h"

#include <string.h>

#include "asked_counts.h"
#include "host/log/log.h"
#include "host/metrics/progressive.h"

/* The only stage that counts labels; NULL: there is none, or there are several. */
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

/* "862 of 2,940 records" */
static const char *share(double positive, double records, struct arena *a)
{
    return arena_printf(a, "%s of %s record%s", asked_grouped(positive, a),
                        asked_grouped(records, a), records == 1 ? "" : "s");
}

/* " (7151 at the end): 862 of 2,940 records" */
static const char *of_labeller(const struct instance *i, struct arena *a)
{
    const double *threshold = asked_figure(i, "threshold");
    return arena_printf(a, "%s: %s",
                        threshold ? arena_printf(a, " (%.6g at the end)", *threshold) : "",
                        share(*asked_figure(i, "positive"), *asked_figure(i, "labelled"), a));
}

/* "setosa 50, versicolor 50 and 1 more"; classes without a name have their number. */
static const char *of_classes(const struct label_order *o, const struct leat_schema *s,
                              struct arena *a)
{
    enum { SHOWN = 8 };
    const char *list = "";
    uint32_t classes = o->labels; /* that have a name, or came */
    while (classes > s->n_classes && !o->of[classes - 1])
        classes--;
    for (uint32_t c = 0; c < classes && c < SHOWN; c++) {
        const char *name = c < s->n_classes ? s->classes[c] : arena_printf(a, "class %u", c);
        list = arena_printf(a, "%s%s%s %s", list, c ? ", " : "", name,
                            asked_grouped((double)o->of[c], a));
    }
    return classes > SHOWN ? arena_printf(a, "%s and %u more", list, classes - SHOWN) : list;
}

/* ": 589 of 3,000 records", ": ham 2,411, spam 589"; NULL: there is no learner of labels, or it saw
 * no record. */
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
            return arena_printf(a, ": %s%s", share((double)o->of[1], (double)o->records, a), since);
        return arena_printf(a, ": %s%s", of_classes(o, &n->schema_in, a), since);
    }
    return NULL;
}

/* What follows the question; NULL: nothing was counted. */
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
    struct arena arena = {NULL};
    if (r->graph->options.asked && counts(r, &arena))
        log_line(arena_printf(&arena, "leat: %s", asked_text(r, &arena)));
    arena_free(&arena);
}
