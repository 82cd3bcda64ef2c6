/* predictor.c -- see predictor.h. */
#include "predictor.h"

#include <stdio.h>
#include <string.h>

#include "host/plugin/status_text.h"
#include "core/text/framing.h"
#include "host/exec/trial/trial.h"
#include "mirror.h"
#include "record_cutter.h"

enum { TEXT_BYTES = 1 << 20 }; /* of a batch, as of a request */

void predictor_init(struct predictor *p, const struct run *r, struct node *learner)
{
    *p = (struct predictor){.run = r, .learner = learner};
}

/* ---- opening ---- */

static enum predict_result say(char why[PREDICT_WHY], enum predict_result result, const char *text)
{
    snprintf(why, PREDICT_WHY, "%s", text);
    return result;
}

static enum predict_result failed(const struct predictor *p, char why[PREDICT_WHY], int status)
{
    const struct run *r = &p->apart;
    return say(why, PREDICT_FAILED, *r->control.reason ? r->control.reason : status_text(status));
}

static enum predict_result open_steps(struct predictor *p, char why[PREDICT_WHY])
{
    struct predict_path *path = &p->path;
    for (uint32_t i = 0; i < path->n_steps; i++)
        if (!trial_begin(&p->apart, path->step[i])) return failed(p, why, LEAT_ENOMEM);
    path->step[path->n_steps] = p->learner; /* the batch has room for its scores, too */
    p->batch = trial_batch(&p->apart, path->source, path->step, path->n_steps + 1);
    return p->batch ? PREDICT_OK : failed(p, why, LEAT_ENOMEM);
}

static enum predict_result open_all(struct predictor *p, char why[PREDICT_WHY])
{
    p->graph = *p->run->graph;
    p->graph.arena = &p->arena;
    p->graph.inspects = false;
    p->graph.options.batch_rows = PREDICT_RECORDS;
    p->graph.options.batch_bytes = TEXT_BYTES;
    p->begun = true;
    run_init(&p->apart, &p->graph);
    p->apart.mute = true;
    const char *never = predict_path_find(&p->path, &p->graph, p->learner, &p->arena);
    if (graph_score(p->learner) == LEAT_SCORE_NONE)
        never = arena_printf(&p->arena, "%s makes no predictions", p->learner->label);
    if (never) return say(why, PREDICT_NEVER, never);
    p->mirror = mirror_new(&p->path, p->run, &p->apart);
    return open_steps(p, why);
}

void predictor_close(struct predictor *p)
{
    if (!p->begun) return;
    for (uint32_t i = 0; i < p->path.n_steps; i++)
        trial_end(&p->apart, p->path.step[i], false);
    run_close(&p->apart);
    if (p->batch) batch_free(p->batch);
    mirror_free(p->mirror);
    arena_free(&p->arena);
    predictor_init(p, p->run, p->learner);
}

/* ---- predicting ---- */

/* Labels and weights are those that a learner takes and that teach it nothing. */
static void fill(struct predictor *p)
{
    struct leat_batch *b = &p->batch->b;
    for (uint32_t r = 0; r < b->n; r++) {
        b->label[r] = 0;
        b->sel[r] = r;
    }
    b->n_sel = b->n;
    batch_select(p->batch, 0);
}

static int make_examples(struct predictor *p)
{
    int status = LEAT_OK;
    for (uint32_t i = 0; i < p->path.n_steps && status >= 0; i++) {
        struct instance *step = run_instance(&p->apart, p->path.step[i], 0);
        if (step->node->stage->process) status = trial_process(step, p->batch);
    }
    struct leat_batch *b = &p->batch->b;
    for (uint32_t e = 0; e < b->n_examples; e++) {
        b->ex_label[e] = 0;
        b->ex_weight[e] = 0;
    }
    return status;
}

struct scoring {
    struct visit visit; /* first */
    struct hbatch *batch;
    struct instance *learner;
    bool over;
    int status;
};

/* On the learner's worker. Of several models the learner's own is made their merge first, as for
 * other questions. */
static void score(struct visit *v)
{
    struct scoring *s = (struct scoring *)v;
    const struct shard_hooks *shards = s->learner->run->shard_hooks;
    s->over = v->worker->visits_over || control_halted(&s->learner->run->control);
    if (s->over) return;
    s->status = shards ? shards->gather(s->learner) : LEAT_OK;
    if (s->status == LEAT_OK) s->status = trial_process(s->learner, s->batch);
}

static enum predict_result ask_learner(struct predictor *p, uint64_t until, char why[PREDICT_WHY])
{
    struct instance *learner = run_instance(p->run, p->learner, 0);
    struct scoring s = {.visit = {visits_worker(p->run, learner), score, VISIT_WAITS},
                        .batch = p->batch,
                        .learner = learner};
    visits_ask((struct run *)p->run, &(struct visit *){&s.visit}, 1, until);
    if (s.visit.state != VISIT_DONE)
        return say(why, PREDICT_LATE, "the learner is busy and did not answer in time");
    if (s.over) return say(why, PREDICT_LATE, "the run is ending");
    return s.status < 0 ? say(why, PREDICT_FAILED, status_text(s.status)) : PREDICT_OK;
}

static enum predict_result predict(struct predictor *p, const char *text, size_t n, uint64_t until,
                                   char why[PREDICT_WHY])
{
    struct instance *source = run_instance(&p->apart, p->path.source, 0);
    const char *fault = record_cutter_fill(p->batch, p->path.source, &source->ctx, text, n);
    p->batch->source = source;
    if (fault) return say(why, PREDICT_REFUSED, fault);
    fill(p);
    int status = mirror_take(p->mirror, until);
    if (status == LEAT_AGAIN)
        return say(why, PREDICT_LATE, "a stage is busy and did not answer in time");
    if (status >= 0) status = make_examples(p);
    if (status < 0) return failed(p, why, status);
    return p->batch->b.n_ex_sel ? ask_learner(p, until, why) : PREDICT_OK;
}

enum predict_result predictor_run(struct predictor *p, const char *text, size_t n, uint64_t until,
                                  char why[PREDICT_WHY])
{
    enum predict_result result = p->begun ? PREDICT_OK : open_all(p, why);
    if (result == PREDICT_OK) result = predict(p, text, n, until, why);
    if (result == PREDICT_FAILED || result == PREDICT_NEVER) predictor_close(p);
    return result;
}

const char *predictor_rejection(const struct predictor *p, uint32_t record, const char **reason,
                                size_t *n)
{
    const char *text = trial_rejection(p->batch, record, reason, n);
    if (text) return text;
    *n = 0;
    return *reason = "";
}
