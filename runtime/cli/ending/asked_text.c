/* asked_text.c -- see asked_text.h. */
#include "asked_text.h"

#include <string.h>

#include "base/log/log.h"
#include "report/text_out.h"

/* The value of a figure that a stage has given; NULL: it has not. */
static const double *figure_of(const struct instance *i, const char *name)
{
    for (uint32_t k = 0; k < i->n_metrics; k++)
        if (!strcmp(i->metric[k].figure->name, name)) return &i->metric[k].value;
    return NULL;
}

/* The only stage that counts labels; NULL: there is none, or there are several. */
static const struct instance *labeller_of(const struct run *r)
{
    const struct instance *found = NULL;
    for (uint32_t k = 0; k < r->graph->n_nodes; k++) {
        const struct node *n = r->graph->order[k];
        const struct instance *i = n->stage ? run_instance(r, n, 0) : NULL;
        if (!i || !figure_of(i, "labelled") || !figure_of(i, "positive")) continue;
        if (found || n->lanes > 1) return NULL;
        found = i;
    }
    return found;
}

static const char *grouped(double n, struct arena *a)
{
    char text[32];
    return arena_strndup(a, text, text_format_grouped(text, (uint64_t)n));
}

/* " (7151 at the end): 862 of 2,940 records" */
static const char *counts(const struct instance *i, struct arena *a)
{
    const double *threshold = figure_of(i, "threshold");
    double labelled = *figure_of(i, "labelled");
    return arena_printf(a, "%s: %s of %s record%s",
                        threshold ? arena_printf(a, " (%.6g at the end)", *threshold) : "",
                        grouped(*figure_of(i, "positive"), a), grouped(labelled, a),
                        labelled == 1 ? "" : "s");
}

const char *asked_text(const struct run *r, struct arena *a)
{
    const char *asked = r->graph->options.asked;
    const struct instance *labeller = asked ? labeller_of(r) : NULL;
    return labeller ? arena_printf(a, "%s%s", asked, counts(labeller, a)) : asked;
}

void asked_text_tell(const struct run *r)
{
    struct arena arena = {NULL};
    if (r->graph->options.asked && labeller_of(r))
        log_line(arena_printf(&arena, "leat: %s", asked_text(r, &arena)));
    arena_free(&arena);
}
