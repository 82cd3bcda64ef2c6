/* trace_record.c -- implementation of trace.h: JSON of a record, and of a learner's prediction. */
#include "trace.h"

#include <math.h>
#include <stdlib.h>

#include "host/exec/trial/trial.h"
#include "host/flow/convert.h"
#include "host/log/json_text.h"
#include "host/memory/memory.h"
#include "program/watch/predictor.h"

/* ---- a record of a batch as JSON ---- */

enum { USUAL_NAME = 256 };

static json_t *slice_json(const struct leat_batch *b, struct leat_str s)
{
    if (s.len == LEAT_NULL || s.off == LEAT_NULL) return json_null();
    return json_text_n(b->bytes + s.off, s.len);
}

json_t *trace_record_head(struct hbatch *h, uint32_t r)
{
    struct batch_origin o = batch_origin(h, r);
    json_t *head = json_pack("{s:o, s:o}", "source", json_text(h->source->node->id), "input",
                             json_text(instance_origin(h->source, &o)));
    json_object_set_new(head, o.line ? "line" : "number",
                        json_integer((json_int_t)(o.line ? o.line : o.offset + 1)));
    json_object_set_new(head, "raw", slice_json(&h->b, h->b.raw[r]));
    return head;
}

/* ---- the parts of a record that stages can change ---- */

static json_t *record_cell_json(const struct leat_batch *b, const struct leat_schema *schema,
                                uint32_t c, uint32_t r)
{
    char text[CONVERT_TEXT];
    size_t n;
    const uint32_t type = schema->column[c].type;
    const char *s = convert_cell(b, c, type, r, text, &n);
    if (!s) return json_null();
    if (type == LEAT_NUMBER) return json_figure(b->column[c].number[r]);
    if (type == LEAT_INT64) return json_integer((json_int_t)b->column[c].int64[r]);
    if (type == LEAT_BOOLEAN) return json_boolean(b->column[c].boolean[r]);
    return json_text_n(s, n);
}

static json_t *record_columns_json(const struct leat_batch *b, const struct leat_schema *schema,
                                   uint32_t r)
{
    json_t *all = json_array();
    for (uint32_t c = 0; c < schema->n_columns; c++)
        json_array_append_new(all,
                              json_pack("{s:o, s:o}", "name", json_text(schema->column[c].name),
                                        "value", record_cell_json(b, schema, c, r)));
    return all;
}

json_t *trace_record_feature(const struct leat_batch *b, uint32_t entry)
{
    char usual[USUAL_NAME];
    size_t n = leat_name_text(b, entry, usual, sizeof usual);
    if (n <= sizeof usual) return json_text_n(usual, n);
    char *whole = memory_take(n);
    leat_name_text(b, entry, whole, n);
    json_t *name = json_text_n(whole, n);
    free(whole);
    return name;
}

static json_t *example_json(const struct leat_batch *b, uint32_t e)
{
    json_t *features = json_array();
    for (uint32_t i = b->ex_start[e]; i < b->ex_start[e + 1]; i++)
        json_array_append_new(features, json_pack("{s:o, s:o}", "name", trace_record_feature(b, i),
                                                  "value", json_figure((double)b->value[i])));
    return json_pack("{s:o, s:o, s:o}", "label", json_figure((double)b->ex_label[e]), "weight",
                     json_figure((double)b->ex_weight[e]), "features", features);
}

static json_t *examples_json(const struct leat_batch *b, uint32_t r)
{
    json_t *all = json_array();
    for (LEAT_EACH_EXAMPLE(b, e))
        if (b->ex_record[e] == r) json_array_append_new(all, example_json(b, e));
    return all;
}

json_t *trace_record_state(const struct leat_batch *b, const struct leat_schema *schema, uint32_t r)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:o}", "raw", slice_json(b, b->raw[r]), "columns",
                     record_columns_json(b, schema, r), "label", json_figure((double)b->label[r]),
                     "weight", json_figure((double)b->weight[r]), "examples", examples_json(b, r));
}

/* ---- changes ---- */

static json_t *changed_columns(const json_t *before, const json_t *after)
{
    json_t *changed = json_array(), *column;
    size_t i;
    json_array_foreach(after, i, column) if (!json_equal(column, json_array_get(before, i)))
        json_array_append(changed, column);
    return changed;
}

void trace_record_changes(json_t *step, json_t *before, json_t *after)
{
    static const char *const kept[] = {"raw", "label", "weight", "examples"};
    json_t *columns =
        changed_columns(json_object_get(before, "columns"), json_object_get(after, "columns"));
    if (json_array_size(columns)) json_object_set(step, "columns", columns);
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        json_t *now = json_object_get(after, kept[i]);
        if (!json_equal(now, json_object_get(before, kept[i]))) json_object_set(step, kept[i], now);
    }
    json_decref(columns);
    json_decref(before);
    json_decref(after);
}

/* ---- the predictions of a learner for a record ---- */

/* A feature of an example, and its contribution to the prediction. */
struct share {
    uint32_t entry;
    double adds;
};

/* Compares contributions: largest absolute value first; equal ones in the example's order. */
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

/* Adds the contributions of the features of example e. Call it before the learner learns from
 * it. */
static void record_add_shares(struct instance *learner, const struct leat_batch *b, uint32_t e,
                              json_t *to)
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
        /* add_score() subtracts this sum from the score */
        json_object_set_new(to, "rest", json_real_or_null(base + sum));
        json_object_set_new(to, "contributions", all);
    }
    contributions_free(c);
    free(share);
    free(each);
}

/* Adds the score. Changes "rest" to the part of the score that no single feature explains. */
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
    record_add_shares(learner, b, e, o);
    return o;
}

/* Calls the learner. Unless `learns`, sets the weights of all examples to 0 for the call, so that
 * the learner does not change. */
static int record_call(struct instance *learner, struct hbatch *h, bool learns)
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
    int status = record_call(learner, h, learns);
    for (uint32_t k = 0; k < n && status >= 0 && b->status[r] == LEAT_ROW_OK; k++)
        add_score(learner->node, b->score[example[k]], json_array_get(all, k));
    if (n && b->status[r] == LEAT_ROW_OK) json_object_set(step, "predictions", all);
    if (!scores)
        json_object_set_new(step, "note", json_string("this learner makes no predictions"));
    json_decref(all);
    free(example);
    return status;
}
