/* trace_score.c -- see trace_score.h. */
#include "trace_score.h"

#include <math.h>
#include <stdlib.h>

#include "host/memory/memory.h"
#include "host/log/json_text.h"
#include "host/exec/trial/trial.h"
#include "trace_record.h"
#include "program/watch/score_json.h"

/* One feature of an example. */
struct share {
    uint32_t entry;
    double adds;
};

/* Largest first; of equal ones in the order of the example. */
static int by_size(const void *x, const void *y)
{
    const struct share *a = x, *b = y;
    int less = (fabs(a->adds) < fabs(b->adds)) - (fabs(a->adds) > fabs(b->adds));
    return less ? less : (a->entry > b->entry) - (a->entry < b->entry);
}

static json_t *share_json(const struct leat_batch *b, const struct share *s)
{
    double value = (double)b->value[s->entry];
    return json_pack("{s:o, s:o, s:o, s:o}", "feature", trace_record_feature(b, s->entry), "value",
                     json_figure(value), "weight",
                     json_real_or_null(value != 0 ? s->adds / value : (double)NAN), "contribution",
                     json_real_or_null(s->adds));
}

/* Before it learns from the example. */
static void add_shares(struct instance *learner, const struct leat_batch *b, uint32_t e, json_t *to)
{
    const uint32_t first = b->ex_start[e], n = b->ex_start[e + 1] - first;
    struct contributions *c = contributions_new(learner->node, n);
    double base, *each = memory_take((n + 1) * sizeof *each), sum = 0;
    struct share *share = memory_take((n + 1) * sizeof *share);
    if (c && contributions_take(c, learner, b->id + first, b->value + first, n, &base, each)) {
        json_t *all = json_array();
        for (uint32_t i = 0; i < n; i++) {
            share[i] = (struct share){first + i, each[i]};
            sum += each[i];
        }
        qsort(share, n, sizeof *share, by_size);
        for (uint32_t i = 0; i < n; i++)
            json_array_append_new(all, share_json(b, &share[i]));
        json_object_set_new(to, "base", json_real_or_null(base));
        json_object_set_new(to, "rest", json_real_or_null(base + sum)); /* until there is a score */
        json_object_set_new(to, "contributions", all);
    }
    contributions_free(c);
    free(share);
    free(each);
}

/* The score, and what of it no feature alone accounts for. */
static void add_score(const struct node *learner, float score, json_t *to)
{
    json_t *explained = json_object_get(to, "rest");
    if (explained)
        json_object_set_new(to, "rest",
                            json_real_or_null((double)score - json_real_value(explained)));
    json_object_set_new(to, "score", score_json(learner, score));
}

static json_t *prediction_json(struct instance *learner, const struct leat_batch *b, uint32_t e)
{
    json_t *o = json_pack("{s:n, s:o, s:o}", "score", "label", json_figure((double)b->ex_label[e]),
                          "weight", json_figure((double)b->ex_weight[e]));
    add_shares(learner, b, e, o);
    return o;
}

/* Weights of 0 while it is called, which teach nothing; then the examples' own again. */
static int call(struct instance *learner, struct hbatch *h, bool learns)
{
    struct leat_batch *b = &h->b;
    float *kept = memory_take((b->n_examples + 1) * sizeof *kept);
    for (uint32_t e = 0; e < b->n_examples; e++) {
        kept[e] = b->ex_weight[e];
        if (!learns) b->ex_weight[e] = 0;
    }
    int status = trial_process(learner, h);
    for (uint32_t e = 0; e < b->n_examples && !learns; e++)
        b->ex_weight[e] = kept[e];
    free(kept);
    return status;
}

int trace_score(struct instance *learner, struct hbatch *h, uint32_t r, bool learns, json_t *step)
{
    struct leat_batch *b = &h->b;
    const bool scores = graph_score(learner->node) != LEAT_SCORE_NONE;
    json_t *all = json_array();
    uint32_t *example = memory_take((b->n_ex_sel + 1) * sizeof *example), n = 0;
    for (LEAT_EACH_EXAMPLE(b, e)) {
        if (b->ex_record[e] != r || !scores) continue;
        json_array_append_new(all, prediction_json(learner, b, e));
        example[n++] = e;
    }
    int status = call(learner, h, learns);
    for (uint32_t k = 0; k < n && status >= 0 && b->status[r] == LEAT_ROW_OK; k++)
        add_score(learner->node, b->score[example[k]], json_array_get(all, k));
    if (n && b->status[r] == LEAT_ROW_OK) json_object_set(step, "predictions", all);
    if (!scores) json_object_set_new(step, "note", json_string("it makes no predictions"));
    json_decref(all);
    free(example);
    return status;
}
