/* predictor.c -- implementation of predictor.h: the path, the copies of states, the scores. */
#include "predictor.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/exp.h"
#include "core/text/framing.h"
#include "core/time/clock.h"
#include "host/exec/trial/trial.h"
#include "host/log/json_text.h"
#include "host/memory/memory.h"
#include "host/plugin/status_text.h"
#include "host/store/state_codec.h"
#include "pages.h"
#include "record_cutter.h"

/* ---- the stages from a source to a learner ---- */

/* Returns the parts that the stage adds to a batch (labels, features and so on), as bits. */
static uint32_t added(const struct node *n)
{
    return (n->schema_out.has & ~n->schema_in.has) | n->stage->makes;
}

/* True if a prediction can skip the stage, because the stage changes neither columns nor features.
 * It only labels, sets weights, creates examples, or filters records depending on earlier
 * records. */
static bool is_left_out(const struct node *n)
{
    const struct leat_stage *s = n->stage;
    if (s->kind != LEAT_TRANSFORM) return true;
    if (n->schema_out.n_columns != n->schema_in.n_columns || added(n) & ~(uint32_t)LEAT_HAS_LABEL)
        return false;
    if (s->makes & LEAT_HAS_LABEL || s->caps & LEAT_LEARNS) return true;
    return (s->caps & (LEAT_STATEFUL | LEAT_REWRITES)) == LEAT_STATEFUL;
}

static struct node *predictor_before(const struct graph *g, const struct node *n)
{
    return n->n_in ? &g->node[g->edge[n->in[0]].from] : NULL;
}

/* Finds the path from a source to the learner, in arena a. At a merge, follows the first input.
 * Leaves out stages that only label, weigh or filter records, because every requested record is
 * predicted. Returns NULL, or the reason why there is no path: one of its stages replaces the
 * records. */
static const char *predict_path_find(struct predict_path *p, const struct graph *g,
                                     struct node *learner, struct arena *a)
{
    *p = (struct predict_path){.step = arena_alloc(a, (g->n_nodes + 1) * sizeof *p->step)};
    for (struct node *n = predictor_before(g, learner); n; n = predictor_before(g, n)) {
        if (!n->stage) continue;
        if (n->stage->kind == LEAT_SOURCE) {
            p->source = n;
        } else if (n->stage->expand) {
            return arena_printf(a,
                                "%s makes new records out of its input, so a single record has "
                                "no prediction",
                                n->label);
        } else if (!is_left_out(n)) {
            p->step[p->n_steps++] = n;
        }
    }
    for (uint32_t i = 0; i < p->n_steps / 2; i++) {
        struct node *first = p->step[i];
        p->step[i] = p->step[p->n_steps - 1 - i];
        p->step[p->n_steps - 1 - i] = first;
    }
    return NULL;
}

/* ---- states of stages that depend on earlier records ---- */

struct mirrored {
    struct visit visit; /* must be the first member */
    struct instance *from, *to;
    struct state_writer writer;
    int status;
};

struct mirror {
    struct run *run;
    uint32_t n;
    struct state_reader reader;
    struct mirrored one[];
};

static bool is_mirrored(const struct node *n)
{
    return !(n->stage->caps & LEAT_PARALLEL) && n->stage->state->snapshot &&
           n->stage->state->restore;
}

/* Saves the state of m->from, on its worker's thread. */
static void save(struct visit *v)
{
    struct mirrored *m = (struct mirrored *)v;
    const struct leat_stage *s = m->from->node->stage;
    bool ended = v->worker->visits_over || control_halted(&m->from->run->control);
    m->status =
        ended ? LEAT_AGAIN : state_writer_begin(&m->writer, m->from->node->name, s->state->version);
    if (m->status == LEAT_OK)
        m->status = s->state->snapshot(&m->from->ctx, m->from->self, &m->writer.base);
    if (m->status == LEAT_OK) m->status = state_writer_finish(&m->writer);
}

/* Prepares the copying of states for the stages of a path that depend on earlier records and can
 * save their state. Returns NULL if there are none. The instances of `apart` receive the states. */
static struct mirror *mirror_new(const struct predict_path *p, const struct run *from,
                                 struct run *apart)
{
    struct mirror *m = NULL;
    uint32_t n = 0;
    for (uint32_t i = 0; i < p->n_steps; i++)
        n += is_mirrored(p->step[i]);
    if (!n) return NULL;
    m = memory_take(sizeof *m + n * sizeof *m->one);
    m->run = (struct run *)from;
    m->n = 0;
    for (uint32_t i = 0; i < p->n_steps; i++) {
        if (!is_mirrored(p->step[i])) continue;
        struct mirrored *one = &m->one[m->n++];
        *one = (struct mirrored){.from = run_instance(from, p->step[i], 0),
                                 .to = run_instance(apart, p->step[i], 0)};
        one->visit = (struct visit){.worker = visits_worker(from, one->from), .call = save};
    }
    return m;
}

static void mirror_free(struct mirror *m)
{
    for (uint32_t i = 0; m && i < m->n; i++)
        state_writer_free(&m->one[i].writer);
    free(m);
}

static int predictor_restore(struct state_reader *r, struct mirrored *m)
{
    const struct leat_stage *s = m->to->node->stage;
    int status = state_reader_init(r, m->writer.bytes, m->writer.n);
    if (status == LEAT_OK)
        status = s->state->restore(&m->to->ctx, m->to->self, &r->base, s->state->version);
    state_reader_free(r);
    return status;
}

/* Copies the states; does nothing if m is NULL. Returns LEAT_OK; LEAT_AGAIN if a worker did not
 * respond before `until`; or another error. */
static int mirror_take(struct mirror *m, uint64_t until)
{
    int status = LEAT_OK;
    for (uint32_t i = 0; m && i < m->n && status == LEAT_OK; i++) {
        struct mirrored *one = &m->one[i];
        visits_ask(m->run, &(struct visit *){&one->visit}, 1, until);
        status = one->visit.state == VISIT_DONE ? one->status : LEAT_AGAIN;
        if (status == LEAT_OK) status = predictor_restore(&m->reader, one);
    }
    return status;
}

/* ---- a prediction as JSON ---- */

json_t *score_json(const struct node *learner, float score)
{
    const struct leat_schema *in = &learner->schema_in;
    const double z = (double)score;
    switch (graph_score(learner)) {
    case LEAT_SCORE_VALUE:
        return json_pack("{s:o}", "value", json_real_or_null(z));
    case LEAT_SCORE_CLASS:
        return z >= 0 && z < in->n_classes ? json_pack("{s:o, s:o}", "class", json_figure(z),
                                                       "name", json_text(in->classes[(uint32_t)z]))
                                           : json_pack("{s:o}", "class", json_figure(z));
    case LEAT_SCORE_MARGIN:
        return json_pack("{s:o, s:o, s:i}", "margin", json_real_or_null(z), "probability",
                         json_real_or_null(1 / (1 + exp_all(-z))), "label", z >= 0 ? 1 : -1);
    default:
        return json_pack("{s:o, s:i}", "margin", json_real_or_null(z), "label", z >= 0 ? 1 : -1);
    }
}

enum { TEXT_BYTES = 1 << 20 }; /* most bytes of text in a batch, and so in a request */

void predictor_init(struct predictor *p, const struct run *r, struct node *learner)
{
    *p = (struct predictor){.run = r, .learner = learner};
}

enum predict_result {
    PREDICT_OK,
    PREDICT_NEVER,   /* this pipeline cannot predict single records */
    PREDICT_REFUSED, /* the text cannot be read as records */
    PREDICT_LATE,    /* a worker did not answer in time */
    PREDICT_FAILED   /* a stage has failed; the next call opens the stages again */
};

/* ---- opening ---- */

static enum predict_result predictor_say(char why[PREDICT_WHY], enum predict_result result,
                                         const char *text)
{
    snprintf(why, PREDICT_WHY, "%s", text);
    return result;
}

static enum predict_result predictor_failed(const struct predictor *p, char why[PREDICT_WHY],
                                            int status)
{
    const struct run *r = &p->apart;
    return predictor_say(why, PREDICT_FAILED,
                         *r->control.reason ? r->control.reason : status_text(status));
}

static enum predict_result open_steps(struct predictor *p, char why[PREDICT_WHY])
{
    struct predict_path *path = &p->path;
    for (uint32_t i = 0; i < path->n_steps; i++)
        if (!trial_begin(&p->apart, path->step[i])) return predictor_failed(p, why, LEAT_ENOMEM);
    path->step[path->n_steps] = p->learner; /* trial_batch() makes room for its scores */
    p->batch = trial_batch(&p->apart, path->source, path->step, path->n_steps + 1);
    return p->batch ? PREDICT_OK : predictor_failed(p, why, LEAT_ENOMEM);
}

static enum predict_result predictor_open_all(struct predictor *p, char why[PREDICT_WHY])
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
    if (never) return predictor_say(why, PREDICT_NEVER, never);
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

/* Selects all records. Gives them the label 0, which every learner accepts. */
static void predictor_fill(struct predictor *p)
{
    struct leat_batch *b = &p->batch->b;
    for (uint32_t r = 0; r < b->n; r++) {
        b->label[r] = 0;
        b->sel[r] = r;
    }
    b->n_sel = b->n;
    batch_select(p->batch, 0);
}

static int predictor_make_examples(struct predictor *p)
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
    struct visit visit; /* must be the first member */
    struct hbatch *batch;
    struct instance *learner;
    bool over;
    int status;
};

/* Calls the learner, on its worker. If the learner has several lanes, each with a model, first
 * merges the models into that of the first lane, as for queries. */
static void score(struct visit *v)
{
    struct scoring *s = (struct scoring *)v;
    const struct shard_hooks *shards = s->learner->run->shard_hooks;
    s->over = v->worker->visits_over || control_halted(&s->learner->run->control);
    if (s->over) return;
    s->status = shards ? shards->gather(s->learner) : LEAT_OK;
    if (s->status == LEAT_OK) s->status = trial_process(s->learner, s->batch);
}

static enum predict_result predictor_ask_learner(struct predictor *p, uint64_t until,
                                                 char why[PREDICT_WHY])
{
    struct instance *learner = run_instance(p->run, p->learner, 0);
    struct scoring s = {.visit = {visits_worker(p->run, learner), score, VISIT_WAITS},
                        .batch = p->batch,
                        .learner = learner};
    visits_ask((struct run *)p->run, &(struct visit *){&s.visit}, 1, until);
    if (s.visit.state != VISIT_DONE)
        return predictor_say(why, PREDICT_LATE, "the learner is busy and did not answer in time");
    if (s.over) return predictor_say(why, PREDICT_LATE, "the run is ending");
    return s.status < 0 ? predictor_say(why, PREDICT_FAILED, status_text(s.status)) : PREDICT_OK;
}

static enum predict_result predictor_predict(struct predictor *p, const char *text, size_t n,
                                             uint64_t until, char why[PREDICT_WHY])
{
    struct instance *source = run_instance(&p->apart, p->path.source, 0);
    const char *fault = record_cutter_fill(p->batch, p->path.source, &source->ctx, text, n);
    p->batch->source = source;
    if (fault) return predictor_say(why, PREDICT_REFUSED, fault);
    predictor_fill(p);
    int status = mirror_take(p->mirror, until);
    if (status == LEAT_AGAIN)
        return predictor_say(why, PREDICT_LATE, "a stage is busy and did not answer in time");
    if (status >= 0) status = predictor_make_examples(p);
    if (status < 0) return predictor_failed(p, why, status);
    return p->batch->b.n_ex_sel ? predictor_ask_learner(p, until, why) : PREDICT_OK;
}

/* Predicts the records of text[0 .. n). Afterwards p->batch has the records, and a score for each
 * example of records that were not rejected. On failure, `why` has the reason. `until` (clock_ns)
 * limits the wait for workers. Only one thread at a time may call it, while visits_ask() is
 * allowed. */
static enum predict_result predictor_run(struct predictor *p, const char *text, size_t n,
                                         uint64_t until, char why[PREDICT_WHY])
{
    enum predict_result result = p->begun ? PREDICT_OK : predictor_open_all(p, why);
    if (result == PREDICT_OK) result = predictor_predict(p, text, n, until, why);
    if (result == PREDICT_FAILED || result == PREDICT_NEVER) predictor_close(p);
    return result;
}

/* Returns the message about a rejected record. Sets *reason to the name of the reason. */
static const char *predictor_rejection(const struct predictor *p, uint32_t record,
                                       const char **reason, size_t *n)
{
    const char *text = trial_rejection(p->batch, record, reason, n);
    if (text) return text;
    *n = 0;
    return *reason = "";
}

/* ---- /predict/STAGE ---- */

static void add_rejection(const struct predictor *p, uint32_t r, json_t *to)
{
    size_t n;
    const char *reason, *text = predictor_rejection(p, r, &reason, &n);
    json_object_set_new(to, "rejected", json_text(reason));
    json_object_set_new(to, "message", json_text_n(text, n));
}

static json_t *record_json(const struct predictor *p, uint32_t r)
{
    const struct leat_batch *b = &p->batch->b;
    json_t *o = json_object(), *scores = json_array();
    json_object_set_new(o, "record", json_integer((json_int_t)r + 1));
    for (LEAT_EACH_EXAMPLE(b, e))
        if (b->ex_record[e] == r)
            json_array_append_new(scores, score_json(p->learner, b->score[e]));
    if (b->status[r] == LEAT_ROW_REJECTED) add_rejection(p, r, o);
    if (b->status[r] == LEAT_ROW_FILTERED) json_object_set_new(o, "filtered", json_true());
    if (json_array_size(scores) == 1)
        json_object_update(o, json_array_get(scores, 0));
    else if (json_array_size(scores))
        json_object_set(o, "examples", scores);
    json_decref(scores);
    return o;
}

static struct reply predictions(const struct predictor *p)
{
    const struct leat_batch *b = &p->batch->b;
    json_t *records = json_array();
    for (uint32_t r = 0; r < b->n; r++)
        json_array_append_new(records, record_json(p, r));
    return reply_json(b->n_ex_sel ? 200 : 422,
                      json_pack("{s:o, s:s, s:o}", "stage", json_text(p->learner->id), "plugin",
                                p->learner->name, "records", records));
}

struct reply page_of_predictions(struct http *h, const struct request *q)
{
    static const unsigned codes[] = {[PREDICT_NEVER] = 501,
                                     [PREDICT_REFUSED] = 400,
                                     [PREDICT_LATE] = 503,
                                     [PREDICT_FAILED] = 500};
    char why[PREDICT_WHY];
    struct reply no;
    struct node *n = http_learner(h, q, false, &no);
    if (!n) return no;
    struct predictor *p = &h->predictor[n->index];
    enum predict_result result =
        predictor_run(p, q->body ? q->body : "", q->n, clock_ns() + HTTP_WAIT_NS, why);
    return result == PREDICT_OK ? predictions(p) : reply_error(codes[result], "%s", why);
}
