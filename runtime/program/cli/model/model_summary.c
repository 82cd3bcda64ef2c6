/* model_summary.c -- see model_summary.h. */
#include "model_summary.h"

#include "program/cli/summary/answer_json.h"
#include "host/log/json_text.h"
#include "core/version.h"
#include "command_model.h"
#include "program/cli/summary/figures_json.h"
#include "model_question.h"
#include "program/cli/summary/settings_json.h"
#include "program/cli/summary/summary.h"

static const json_t *parameters_of(const struct model *m, const struct node *n)
{
    const json_t *stage = json_array_get(json_object_get(m->pipeline, "stages"), n->index);
    return json_object_get(stage, "parameters");
}

static json_t *stage_json(struct model *m, const struct node *n)
{
    const struct instance *first = run_instance(&m->run, n, 0);
    const struct stage_type *known = registry_find(m->known, n->name);
    json_t *o = json_pack("{s:o, s:o, s:I, s:I, s:I, s:I, s:I, s:o}", "id", json_text(n->id),
                          "plugin", json_text(n->name), SUMMARY_COUNTS(&m->run, n), "state_bytes",
                          (json_int_t)model_state_bytes(m, n), "metrics",
                          figures_json(first->learning.progressive));
    summary_add_made(&m->run, n, o);
    summary_add_learner(first, o);
    settings_json_add_saved(parameters_of(m, n), known ? known->stage : NULL, o, &m->arena);
    return o;
}

/* NULL: the learner cannot be asked. A failure has been said. */
static int ask(struct model *m, struct node *n, const struct node *sink, json_t **to)
{
    struct answer answer;
    struct model_question q;
    int status = model_restore_stage(m, n);
    *to = NULL;
    if (status != LEAT_OK || !n->stage->learner->query) return status;
    if ((status = model_question_read(m, NULL, sink, &q)) != LEAT_OK) return status;
    status = answer_ask(&answer, run_instance(&m->run, n, 0), &q.want, &m->arena);
    if (status != LEAT_OK) return model_tell(m, &m->run, n, status);
    *to = answer_json(&answer, &(struct answer_shown){.sink = sink ? sink->id : "",
                                                      .learner = n->id,
                                                      .title = q.title,
                                                      .noun = q.noun,
                                                      .columns = {q.columns.name, q.columns.n, 0},
                                                      .examples = model_examples(m, n),
                                                      .time = model_time(m, n)});
    return LEAT_OK;
}

static json_t *answer_of(struct model *m, struct node *n)
{
    json_t *answer;
    const struct node *sink = model_question_sink(m, n);
    if (ask(m, n, sink, &answer) == LEAT_OK) return answer;
    return json_pack("{s:o, s:o, s:o}", "sink", json_text(sink ? sink->id : ""), "learner",
                     json_text(n->id), "error", json_text(m->fault));
}

static json_t *answers_json(struct model *m)
{
    json_t *all = json_array();
    for (uint32_t k = 0; k < m->graph.n_nodes; k++) {
        struct node *n = &m->graph.node[k];
        json_t *o = n->stage->kind == LEAT_LEARNER ? answer_of(m, n) : NULL;
        if (o) json_array_append_new(all, o);
    }
    return all;
}

static json_t *stages_json(struct model *m)
{
    json_t *stages = json_array();
    for (uint32_t k = 0; k < m->graph.n_nodes; k++)
        json_array_append_new(stages, stage_json(m, &m->graph.node[k]));
    return stages;
}

json_t *model_summary(struct model *m)
{
    return json_pack("{s:o, s:o, s:o, s:I, s:I, s:I, s:o, s:o, s:o, s:o}", "pipeline",
                     json_text(m->graph.name), "file", json_text(m->file), "saved",
                     answer_json_time(m->run.saved_at ? (int64_t)m->run.saved_at : -1), "seed",
                     (json_int_t)m->graph.options.seed, "records", (json_int_t)run_records(&m->run),
                     "rejected", (json_int_t)m->run.rejects.count, "rejections",
                     summary_reasons(&m->run), "version", json_text(LEAT_VERSION), "stages",
                     stages_json(m), "answers", answers_json(m));
}
