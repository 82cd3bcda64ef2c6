/* no_answer.c -- see no_answer.h. The learner is asked again, with one condition at a time. */
#include "no_answer.h"

#include <stdio.h>
#include <string.h>

#include "host/exec/answers/answer.h"
#include "host/log/log.h"

enum {
    AGAINST = 5,    /* rows at least that are told of because all speak against label +1 */
    BYTES = 512,    /* of a message                                                      */
    SHOWN_NAME = 80 /* of a feature                                                      */
};

/* A condition of a question, and the question for the feature that is nearest to meeting it. */
struct condition {
    const char *param, *figure, *column;
    double value;
    enum leat_order order;
    double at_least; /* of min_risk_ratio: far below 1 is as far from even as far above */
};

enum { CONDITIONS = 3 };

/* Those that are set; returns how many. */
static uint32_t conditions_of(const struct leat_ask *want, struct condition c[CONDITIONS])
{
    const struct condition all[CONDITIONS] = {
        {"min_count", "most frequent one came in", "count", want->min_count, LEAT_ORDER_SUPPORT, 0},
        {"min_support", "largest share of the outliers is", "support_outliers", want->min_support,
         LEAT_ORDER_SHARE, 0},
        {"min_risk_ratio", "largest relative risk is", "relative_risk", want->min_risk_ratio,
         LEAT_ORDER_RISK, 1}};
    uint32_t n = 0;
    for (int i = 0; i < CONDITIONS; i++)
        if (all[i].value > 0) c[n++] = all[i];
    return n;
}

static bool ask_one(struct answer *a, const struct ask *of, const struct leat_ask *want,
                    struct arena *arena)
{
    return answer_take(a, of->learner, want, arena) == LEAT_OK;
}

/* Is the best feature's figure below the condition? */
static bool is_unmet(const struct ask *of, const struct condition *c, struct arena *arena,
                     char text[BYTES])
{
    struct answer a;
    const struct leat_ask want = {.size = sizeof want,
                                  .kind = LEAT_QUERY_TOP,
                                  .k = 1,
                                  .order = c->order,
                                  .min_risk_ratio = c->at_least};
    if (!ask_one(&a, of, &want, arena)) return false;
    uint32_t column = answer_column(&a, c->column);
    int n = snprintf(text, BYTES, "%s: %g leaves no feature of %s: ", c->param, c->value,
                     of->learner->node->id);
    if (column == a.n_columns || (a.n_rows && !(a.values[column] < c->value))) return false;
    if (a.n_rows)
        snprintf(text + n, BYTES - (size_t)n, "the %s %.4g (%.*s)", c->figure, a.values[column],
                 SHOWN_NAME, a.name[0]);
    else
        snprintf(text + n, BYTES - (size_t)n, "the %s below %g", c->figure, c->at_least);
    return a.n_rows || c->at_least > 0;
}

static void name_all(const struct condition *c, uint32_t n, const char *sign, const char *learner,
                     char text[BYTES])
{
    size_t at = (size_t)snprintf(text, BYTES, "no feature of %s meets all of ", learner);
    for (uint32_t i = 0; i < n && at < BYTES; i++)
        at += (size_t)snprintf(text + at, BYTES - at, "%s%s = %g", i ? ", " : "", c[i].param,
                               c[i].value);
    if (at < BYTES) snprintf(text + at, BYTES - at, "%s", sign);
}

static bool has_positive(const struct ask *of, struct arena *arena)
{
    struct answer a;
    const struct leat_ask want = {
        .size = sizeof want, .kind = LEAT_QUERY_TOP, .k = 1, .positive = 1};
    return ask_one(&a, of, &want, arena) && a.n_rows;
}

/* Does the learner show features, but none for label +1? */
static bool is_sign_alone(const struct ask *of, struct arena *arena)
{
    struct answer a;
    const struct leat_ask want = {.size = sizeof want, .kind = LEAT_QUERY_TOP, .k = 1};
    return of->want.positive && !has_positive(of, arena) && ask_one(&a, of, &want, arena) &&
           a.n_rows;
}

/* No row: which condition is it that no feature meets? false: it is none of these. */
static bool explain_none(const struct ask *of, struct arena *arena, char text[BYTES])
{
    struct condition c[CONDITIONS];
    const char *learner = of->learner->node->id;
    uint32_t n = conditions_of(&of->want, c);
    for (uint32_t i = 0; i < n; i++)
        if (is_unmet(of, &c[i], arena, text)) return true;
    if (is_sign_alone(of, arena)) {
        snprintf(text, BYTES, "sign: no feature of %s speaks for label +1 (has a positive weight)",
                 learner);
        return true;
    }
    if (!n) return false;
    name_all(c, n, of->want.positive ? ", sign = \"positive\"" : "", learner, text);
    return true;
}

static bool has_param(const struct node *n, const char *name)
{
    for (uint32_t i = 0; i < n->stage->n_params; i++)
        if (!strcmp(n->stage->params[i].name, name)) return true;
    return false;
}

/* As many rows as were asked for, all of negative weight. */
static bool is_all_against(const struct ask *of, const struct leat_table *t)
{
    if (of->want.positive || of->want.order || t->n_rows < AGAINST || t->n_rows < of->want.k)
        return false;
    if (graph_score(of->learner->node) != LEAT_SCORE_MARGIN || strcmp(t->columns[0], "weight"))
        return false;
    if (!(progressive_constant_error(of->learner->learning.progressive) > 0))
        return false; /* one label */
    for (uint32_t r = 0; r < t->n_rows; r++)
        if (!(t->values[(size_t)r * t->n_columns] < 0)) return false;
    return has_param(of->sink->node, "sign");
}

static bool explain_against(const struct ask *of, const struct leat_table *t, struct arena *arena,
                            char text[BYTES])
{
    if (!is_all_against(of, t)) return false;
    bool some = has_positive(of, arena);
    snprintf(text, BYTES,
             "all %u features shown have negative weights: they speak against label +1; %s",
             t->n_rows,
             some ? "sign = \"positive\" shows those that speak for it"
                  : "no feature that is kept speaks for it");
    return true;
}

/* Such learners say themselves why an answer is empty (contrast_chance.h). */
static bool has_bounds(const struct leat_table *t)
{
    for (uint32_t i = 0; i < t->n_columns; i++)
        if (!strcmp(t->columns[i], "relative_risk_low")) return true;
    return false;
}

/* The table of the last answer; NULL: there was none. */
static const struct leat_table *last_of(const struct ask *a)
{
    for (int i = 0; i < ASK_TABLES; i++)
        if (a->table[i].t.size && a->table[i].t.last) return &a->table[i].t;
    return NULL;
}

void no_answer_warn(const struct run *r)
{
    char text[BYTES];
    for (uint32_t i = 0; i < r->n_asks; i++) {
        const struct ask *a = &r->ask[i];
        const struct leat_table *t = a->want.kind == LEAT_QUERY_TOP ? last_of(a) : NULL;
        struct arena arena = {NULL};
        if (!t || !t->examples || has_bounds(t)) continue;
        if (t->n_rows ? explain_against(a, t, &arena, text) : explain_none(a, &arena, text))
            log_message(LEAT_WARN, "%s: %s", a->sink->node->label, text);
        arena_free(&arena);
    }
}
