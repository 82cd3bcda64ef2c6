/* learner_faults.c -- see learner_faults.h. */
#include "learner_faults.h"

#include <stdio.h>
#include <string.h>

#include "host/log/log.h"
#include "host/exec/answers/answer.h"
#include "host/metrics/progressive.h"

/* ---- weights ---- */

enum { HEAVIEST = 100 }; /* of several classes each has some of them */

/* Are the heaviest weights 0, so that all are? Penalties do that, and values that are 0. */
static bool has_no_weight(struct instance *i)
{
    struct arena arena = {NULL};
    struct answer a = {.n_rows = 0};
    const struct leat_ask want = {.size = sizeof want, .kind = LEAT_QUERY_TOP, .k = HEAVIEST};
    if (!i->node->stage->learner->query || answer_take(&a, i, &want, &arena) != LEAT_OK)
        return false;
    uint32_t weight = answer_column(&a, "weight"), zeros = 0;
    bool shown = weight < a.n_columns && (a.n_rows || graph_score(i->node) != LEAT_SCORE_CLASS);
    for (uint32_t r = 0; shown && r < a.n_rows; r++)
        zeros += a.values[(size_t)r * a.n_columns + weight] == 0;
    arena_free(&arena);
    return shown && zeros == a.n_rows;
}

/* ---- what may help ---- */

enum { REMEDY_BYTES = 320, NAMES_BYTES = 64 };

/* Those of the parameters that the stage has: " (rate, eta0)"; or "". */
static const char *those_of(const struct leat_stage *s, const char *const *name,
                            char text[NAMES_BYTES])
{
    size_t at = 0;
    *text = 0;
    for (; *name; name++) {
        bool has = false;
        for (uint32_t i = 0; i < s->n_params; i++)
            has |= !strcmp(s->params[i].name, *name);
        if (has && at < NAMES_BYTES)
            at += (size_t)snprintf(text + at, NAMES_BYTES - at, at ? ", %s" : " (%s", *name);
    }
    if (at && at + 1 < NAMES_BYTES) strcpy(text + at, ")");
    return text;
}

/* Against predictions that are worse than a constant. */
static const char *remedy(const struct node *n, char text[REMEDY_BYTES])
{
    static const char *const forget[] = {"on_drift", "half_life", NULL};
    static const char *const rate[] = {"rate", "eta0", "eta", NULL};
    char forgets[NAMES_BYTES], rates[NAMES_BYTES];
    bool numbers = graph_score(n) == LEAT_SCORE_VALUE;
    those_of(n->stage, forget, forgets);
    those_of(n->stage, rate, rates);
    snprintf(text, REMEDY_BYTES,
             "%s%s%s%s%s%sscale the columns of numbers (derive)%s, and check the label",
             *forgets ? "where the stream has changed, let it forget" : "", forgets,
             *forgets ? "; else " : "", *rates ? "give another learning rate" : "", rates,
             *rates ? ", " : "", numbers ? ", labels among them" : "");
    return text;
}

/* ---- all ---- */

void learner_faults_warn(const struct run *r)
{
    char text[768], help[REMEDY_BYTES];
    for (uint32_t i = 0; i < r->graph->n_nodes; i++) {
        const struct node *n = r->graph->order[i];
        if (!n->stage || n->stage->kind != LEAT_LEARNER) continue;
        struct instance *first = run_instance(r, n, 0);
        const struct progressive *p = first->learning.progressive;
        bool in_order = !(n->stage->caps & LEAT_ANY_ORDER);
        bool has_read = run_records(r) > r->before; /* counts go on where a model was reset */
        uint64_t records =
            has_read ? atomic_load(&first->count.in) - atomic_load(&first->count.rejected) : 0;
        const char *fault = progressive_example_fault(p, records, in_order, text, sizeof text);
        if (!fault && in_order && progressive_examples(p) && has_no_weight(first))
            fault =
                "all its weights are 0, so that it predicts the same for every record: lower "
                "the penalties (l1, lambda), give more records (learn.bear steps once a batch is "
                "whole), or see whether features have values other than 0";
        if (!fault && in_order)
            fault = progressive_loss_fault(p, remedy(n, help), text, sizeof text);
        if (fault) log_message(LEAT_WARN, "%s: %s", n->label, fault);
    }
}
