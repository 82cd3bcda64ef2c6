/* harness_query.c -- questions to a learner, and metrics. */
#include <stdio.h>
#include <string.h>

#include "harness_inside.h"

struct result_of {
    struct leat_result base;
    struct harness *h;
};

/* A stage that says before the run which columns it answers with keeps its word. */
static void check_promised(struct harness *h, const char *const *names, uint32_t n)
{
    uint32_t n_promised = 0;
    if (!h->stage->learner->columns) return;
    const char *const *promised = h->stage->learner->columns(h->cfg, &n_promised);
    if (n != n_promised)
        harness_breach(h, BREACH_ANSWER, "the answer has %u columns, and %u are promised", n,
                       n_promised);
    for (uint32_t i = 0; i < n && i < n_promised; i++)
        if (strcmp(names[i], promised[i]))
            harness_breach(h, BREACH_ANSWER,
                           "column %u of the answer is '%s', and '%s' is promised", i, names[i],
                           promised[i]);
}

static int result_columns(struct leat_result *r, const char *const *names, uint32_t n)
{
    struct harness *h = ((struct result_of *)r)->h;
    struct harness_answer *a = &h->impl->answer;
    check_promised(h, names, n);
    harness_must(h, n <= HARNESS_FIGURES, "an answer has more than %d columns", HARNESS_FIGURES);
    a->n_columns = n;
    memcpy(a->column, names, n * sizeof *names);
    return LEAT_OK;
}

static int result_row(struct leat_result *r, const char *name, size_t len, const double *values)
{
    struct harness_answer *a = &((struct result_of *)r)->h->impl->answer;
    if (a->n_rows == HARNESS_NOTES) return LEAT_EFULL;
    snprintf(a->name[a->n_rows], HARNESS_TEXT, "%.*s", (int)len, name);
    memcpy(a->value[a->n_rows++], values, a->n_columns * sizeof *values);
    return LEAT_OK;
}

static int result_also(struct leat_result *r, const char *name, size_t len) { return LEAT_OK; }

int harness_question(struct harness *h, const struct leat_query *q)
{
    struct result_of r = {{sizeof r.base, 0, result_columns, result_row, result_also}, h};
    memset(&h->impl->answer, 0, sizeof h->impl->answer);
    h->impl->borrows = true;
    int s = h->stage->learner->query(&h->ctx, h->self, q, &r.base);
    h->impl->borrows = false;
    return harness_returned(h, "query", s);
}

int harness_ask(struct harness *h, uint32_t kind, uint32_t k, uint32_t min_count)
{
    const struct leat_query q = {.size = sizeof q, .kind = kind, .k = k, .min_count = min_count};
    return harness_question(h, &q);
}

const struct harness_answer *harness_query(struct harness *h, uint32_t kind, uint32_t k,
                                           uint32_t min_count)
{
    int s = harness_ask(h, kind, k, min_count);
    if (s < 0) harness_breach(h, BREACH_RETURNED, "query returned %d: %s", s, h->said);
    return &h->impl->answer;
}

double harness_metric(const struct harness *h, const char *name)
{
    for (uint32_t i = 0; i < h->n_metrics; i++)
        if (!strcmp(h->metric[i].name, name)) return h->metric[i].value;
    return (double)NAN;
}
