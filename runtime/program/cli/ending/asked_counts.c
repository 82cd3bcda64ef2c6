/* asked_counts.c -- see asked_counts.h. */
#include "asked_counts.h"

#include <math.h>
#include <string.h>

#include "host/metrics/progressive.h"
#include "core/report/text_out.h"

const double *asked_figure(const struct instance *i, const char *name)
{
    for (uint32_t k = 0; k < i->n_metrics; k++)
        if (!strcmp(i->metric[k].figure->name, name)) return &i->metric[k].value;
    return NULL;
}

const char *asked_grouped(double n, struct arena *a)
{
    char text[32];
    return arena_strndup(a, text, text_format_grouped(text, (uint64_t)n));
}

static const struct node *node_of(const struct run *r, const char *id, size_t n)
{
    for (uint32_t k = 0; k < r->graph->n_nodes; k++) {
        const struct node *node = &r->graph->node[k];
        if (node->stage && strlen(node->id) == n && !memcmp(node->id, id, n)) return node;
    }
    return NULL;
}

/* Of "id.figure", n bytes: learners have one model at the end, the other stages count in each lane.
 * NaN: it is not known. */
static double value_of(const struct run *r, const char *text, size_t n, struct arena *a)
{
    const char *dot = memchr(text, '.', n);
    const struct node *node = dot ? node_of(r, text, (size_t)(dot - text)) : NULL;
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

/* One of the parts between commas, n bytes; NULL: a figure of it is not known. */
static const char *part(const struct run *r, const char *text, size_t n, struct arena *a)
{
    const char *written = "", *end = text + n, *open;
    while ((open = memchr(text, '{', (size_t)(end - text)))) {
        const char *close = memchr(open, '}', (size_t)(end - open));
        if (!close) break;
        double value = value_of(r, open + 1, (size_t)(close - open - 1), a);
        if (!(value >= 0)) return NULL;
        written =
            arena_printf(a, "%s%.*s%s", written, (int)(open - text), text, asked_grouped(value, a));
        text = close + 1;
    }
    return arena_printf(a, "%s%.*s", written, (int)(end - text), text);
}

const char *asked_counts(const struct run *r, const char *counted, struct arena *a)
{
    const char *all = NULL;
    for (size_t n; *counted; counted += n + (counted[n] == ',')) {
        counted += strspn(counted, " ");
        n = strcspn(counted, ",");
        const char *one = part(r, counted, n, a);
        if (one) all = all ? arena_printf(a, "%s, %s", all, one) : one;
    }
    return all;
}
