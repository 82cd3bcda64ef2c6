/* shards.c -- implementation of shards.h: the life of shards, their states, and their merge. */
#include "shards.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/plugin/status_text.h"
#include "host/log/log.h"
#include "core/time/clock.h"
#include "checkpoint.h"
#include "shards_answer.h"
#include "shards_splits.h"
#include "host/exec/worker/steps.h"
#include "host/exec/worker/worker.h"
#include "host/graph/fingerprint/fingerprint.h"
#include "host/graph/fingerprint/free_change.h"

/* ---- making and freeing a shard ---- */

static void shard_close_instance(struct instance *i)
{
    steps_stop_one(i);
    instance_close(i);
    if (i->saved) instance_state_free(i->saved);
    free(i->saved);
    progressive_free(i->learning.progressive);
    free(i->self);
    *i = (struct instance){0};
}

static void shard_free(const struct shards *s, struct shard *shard)
{
    for (uint32_t k = 0; shard && k < s->run->graph->n_nodes; k++) {
        if (shard->instance[k].node) shard_close_instance(&shard->instance[k]);
        if (shard->held) instance_state_free(&shard->held[k].state);
    }
    if (shard) free(shard->held), free(shard->bytes), free(shard->name), shard_splits_free(shard);
    free(shard);
}

enum { SELF_ALIGN = 64 };

static int shard_open_instance(struct shard *shard, struct instance *own, struct instance *i)
{
    const struct leat_stage *stage = own->node->stage;
    size_t bytes = (stage->instance_size + SELF_ALIGN) & ~(size_t)(SELF_ALIGN - 1);
    *i = (struct instance){
        .ctx = own->ctx, .node = own->node, .run = own->run, .own = own, .changes = 1};
    i->self = aligned_alloc(SELF_ALIGN, bytes);
    i->saved = calloc(1, sizeof *i->saved);
    if (stage->kind == LEAT_LEARNER)
        i->learning.progressive = instance_figures(i->node, &shard->table);
    if (!i->self || !i->saved || (stage->kind == LEAT_LEARNER && !i->learning.progressive))
        return instance_fail(i, LEAT_ENOMEM,
                             "there is not enough memory for the state of another input");
    memset(i->self, 0, bytes);
    return instance_open(i);
}

struct refusing {
    struct run *run;
    const char *name;
    int status;
};

/* True if the difference is a raised limit. Uses a separate arena, because it runs on the source's
 * thread, which must not use the graph's arena. */
static bool shard_is_raised(const struct graph *g, const struct fingerprint_difference *d)
{
    struct arena a = {0};
    const struct node *n = d->id ? graph_find(g, d->id) : NULL;
    bool raised = n && n->stage && limit_change(n->stage, d->name, d->b, d->a, &a) == LIMIT_RAISED;
    arena_free(&a);
    return raised;
}

static void shard_report_difference(void *to, const struct fingerprint_difference *d)
{
    struct refusing *r = to;
    if (shard_is_raised(r->run->graph, d)) return;
    if (fingerprint_is_linalg(d)) {
        log_message(LEAT_WARN,
                    "the state of %s was learned with %s, and this run computes with %s: results "
                    "differ in their last digits",
                    r->name, d->b, d->a);
        return;
    }
    r->status =
        control_fail(&r->run->control, LEAT_EARG,
                     "the state of %s comes from another pipeline: %s: %s is %s here and %s there",
                     r->name, d->id ? d->id : "pipeline", d->name ? d->name : "stage",
                     d->a ? d->a : "nothing", d->b ? d->b : "nothing");
}

/* Removes the sources and sinks of a fingerprint, which a snapshot of a whole pipeline has. */
static void shard_leave_models(json_t *stages)
{
    for (size_t k = json_array_size(stages); k-- > 0;) {
        const char *kind = json_string_value(json_object_get(json_array_get(stages, k), "kind"));
        if (kind && (!strcmp(kind, "source") || !strcmp(kind, "sink")))
            json_array_remove(stages, k);
    }
}

static int shard_check_pipeline(struct shards *s, const char *name, const struct snapshot *from)
{
    struct refusing r = {s->run, name, LEAT_OK};
    const struct snapshot_section *made = snapshot_find(from, "pipeline");
    json_t *here = json_loads(s->fingerprint, 0, NULL);
    json_t *there = made ? json_loadb(made->bytes, made->n, 0, NULL) : NULL;
    shard_leave_models(json_object_get(there, "stages"));
    if (json_is_array(json_object_get(there, "stages")))
        fingerprint_differences(here, there, shard_report_difference, &r);
    else
        r.status = control_fail(&s->run->control, LEAT_EDATA,
                                "the state of %s: section pipeline cannot be read", name);
    json_decref(here);
    json_decref(there);
    return r.status;
}

static int shards_no_memory(struct shards *s, const char *name)
{
    return control_fail(&s->run->control, LEAT_ENOMEM,
                        "there is not enough memory for the state of %s", name);
}

/* Restores the shard's instances from the n bytes of a snapshot. `name` is for messages. */
static int shard_restore(struct shards *s, struct shard *shard, const char *name, const void *state,
                         size_t n)
{
    struct snapshot from;
    char *copy = malloc(n);
    if (!copy) return shards_no_memory(s, name);
    int status = snapshot_parse(&from, memcpy(copy, state, n), n);
    if (status == LEAT_EDATA)
        log_message(LEAT_ERROR, "the state of %s cannot be used: it %s", name, from.error);
    else if (status != LEAT_OK)
        control_fail(&s->run->control, status, "the state of %s cannot be used: it %s", name,
                     from.error);
    if (status == LEAT_OK) status = shard_check_pipeline(s, name, &from);
    for (uint32_t k = 0; k < s->run->graph->n_nodes && status == LEAT_OK; k++)
        if (shard->instance[k].node) status = instance_state_restore(&shard->instance[k], &from, 0);
    if (status == LEAT_OK && shard != s->spare) status = shard_splits_read(shard, s->run, &from);
    snapshot_free(&from);
    return status;
}

/* Opens the instances of a shard. Restores them from the n bytes of a state, if n is not 0. */
static int shard_open(struct shards *s, struct shard *shard, const void *state, size_t n)
{
    const struct graph *g = s->run->graph;
    int status = LEAT_OK;
    for (uint32_t k = 0; k < g->n_nodes && status == LEAT_OK; k++)
        if (g->node[k].by_input)
            status = shard_open_instance(shard, run_instance(s->run, &g->node[k], 0),
                                         &shard->instance[k]);
    if (status != LEAT_OK || !n) return status;
    if (!(shard->bytes = malloc(n))) return shards_no_memory(s, shard->name);
    shard->n_bytes = shard->cap = n;
    memcpy(shard->bytes, state, n);
    return shard_restore(s, shard, shard->name, state, n);
}

/* Restores the spare shard from a state, which finds every fault, and keeps the states of its
 * learners in the shard. */
static int shard_hold(struct shards *s, struct shard *shard, const void *state, size_t n)
{
    shard->held = calloc(s->run->graph->n_nodes, sizeof *shard->held);
    if (!shard->held) return shards_no_memory(s, shard->name);
    pthread_mutex_lock(&s->mu);
    int status = shards_answer_reopen(s);
    if (status == LEAT_OK && n) status = shard_restore(s, s->spare, shard->name, state, n);
    if (status == LEAT_OK) status = shards_answer_hold(s, shard->held);
    pthread_mutex_unlock(&s->mu);
    return status;
}

static int shard_make(struct shards *s, const char *name, const void *state, size_t n,
                      struct shard **out)
{
    struct shard *shard =
        calloc(1, sizeof *shard + s->run->graph->n_nodes * sizeof *shard->instance);
    if (shard) shard->name = strdup(name);
    int status = shard && shard->name ? LEAT_OK : shards_no_memory(s, name);
    if (status == LEAT_OK)
        status = s->spare ? shard_hold(s, shard, state, n) : shard_open(s, shard, state, n);
    if (status != LEAT_OK) shard_free(s, shard);
    if (status == LEAT_OK) *out = shard;
    return status;
}

/* Returns a free slot; s->n if all are taken. Sets *ending if a taken slot will become free
 * soon. */
static uint32_t shards_find_slot(struct shards *s, bool *ending)
{
    uint32_t k = s->n;
    *ending = false;
    pthread_mutex_lock(&s->mu);
    for (uint32_t i = s->n; i-- > 0;)
        if (!s->slot[i])
            k = i;
        else
            *ending |= s->slot[i]->ended;
    pthread_mutex_unlock(&s->mu);
    return k;
}

static int shard_begin(struct run *r, const char *name, const void *state, size_t n,
                       uint32_t *input)
{
    struct shards *s = r->shards;
    bool ending = false;
    struct shard *shard, *before;
    uint32_t k = *input == LEAT_NEW_INPUT ? shards_find_slot(s, &ending) : *input;
    if (k == s->n && ending) checkpoint_request(s->run->checkpoints);
    if (k == s->n) return ending ? LEAT_AGAIN : LEAT_EFULL;
    int status = shard_make(s, name, state, n, &shard);
    if (status != LEAT_OK) return status;
    pthread_mutex_lock(&s->mu);
    before = s->slot[k];
    s->slot[k] = shard;
    s->generation++;
    pthread_mutex_unlock(&s->mu);
    shard_free(s, before);
    *input = k;
    return LEAT_OK;
}

static void shard_state(struct run *r, uint32_t input, const void **state, size_t *n)
{
    struct shards *s = r->shards;
    assert(input < s->n);
    pthread_mutex_lock(&s->mu);
    const struct shard *shard = s->slot[input];
    *state = shard->bytes;
    *n = shard->n_bytes;
    pthread_mutex_unlock(&s->mu);
}

/* ---- ending a shard ---- */

/* Frees the shard and its slot. Call it with mu held. */
static void shards_give_back(struct shards *s, uint32_t input)
{
    shard_free(s, s->slot[input]);
    s->slot[input] = NULL;
}

/* Returns the worker of the only source. */
static const struct worker *shard_source(const struct run *r)
{
    const struct worker *source = NULL;
    for (uint32_t k = 0; k < r->n_workers; k++)
        if (r->worker[k].source_pool) source = &r->worker[k];
    return source;
}

/* True if the batch that the source is filling has records of this input. */
static bool shard_is_filled(const struct run *r, uint32_t input)
{
    bool found = false;
    for (uint32_t k = 0; k < r->n_workers; k++) {
        const struct hbatch *h = r->worker[k].filled;
        found |= h && h->b.n_extents && h->b.extent[0].input == input;
    }
    return found;
}

/* Marks the shard as ended. Frees it at once if it was never used and no checkpoint is awaited. A
 * position in such a checkpoint may still name the shard. */
static void shard_end(struct run *r, uint32_t input)
{
    struct shards *s = r->shards;
    assert(input < s->n && s->slot[input]);
    const struct worker *source = shard_source(r);
    bool stays = checkpoint_is_awaited(r->checkpoints, source->step[0]);
    pthread_mutex_lock(&s->mu);
    struct shard *shard = s->slot[input];
    s->generation++;
    shard->ended = true;
    shard->ended_at = source->last_barrier;
    shard->used |= shard_is_filled(r, input);
    if (!shard->used && !stays) shards_give_back(s, input);
    pthread_mutex_unlock(&s->mu);
}

/* Closes this worker's instances of the shard. Only the worker itself may do so. No further batches
 * of the shard will come. */
static void shard_close_steps(struct shard *shard, struct worker *w)
{
    for (uint32_t k = 0; k < w->n_steps; k++) {
        struct instance *i = &shard->instance[w->step[k]->node->index];
        if (i->node) shard_close_instance(i);
    }
}

static void shard_leave(struct worker *w)
{
    w->run->shards->entered[w - w->run->worker] = BATCH_NO_INPUT;
    for (uint32_t k = 0; k < w->n_steps; k++)
        w->step[k] = w->step[k]->own;
}

void shards_let_go(struct shards *s, struct worker *w, uint64_t checkpoint)
{
    pthread_mutex_lock(&s->mu);
    for (uint32_t i = 0; i < s->n; i++) {
        struct shard *shard = s->slot[i];
        if (!shard || !shard->ended || shard->ended_at >= checkpoint) continue;
        if (s->entered[w - s->run->worker] == i) shard_leave(w);
        shard_close_steps(shard, w);
        if (++shard->left == s->run->n_workers) shards_give_back(s, i);
    }
    pthread_mutex_unlock(&s->mu);
}

/* ---- shard_hooks for the batches of an input ---- */

/* Returns the living shard that comes after shard `after` by name. The source has ended, so no
 * shard begins or ends meanwhile. */
static uint32_t shard_next(struct run *r, uint32_t after)
{
    struct shards *s = r->shards;
    uint32_t next = BATCH_NO_INPUT;
    pthread_mutex_lock(&s->mu);
    const char *before = after == BATCH_NO_INPUT ? "" : s->slot[after]->name;
    for (uint32_t i = 0; i < s->n; i++) {
        const struct shard *shard = s->slot[i];
        if (!shard || shard->ended || strcmp(shard->name, before) <= 0) continue;
        if (next == BATCH_NO_INPUT || strcmp(shard->name, s->slot[next]->name) < 0) next = i;
    }
    pthread_mutex_unlock(&s->mu);
    return next;
}

/* Starts an instance of a shard, unless the run has halted. So an instance whose start failed is
 * not started again. */
static void shard_start_instance(struct instance *i)
{
    if (i->phase == INSTANCE_STARTED || control_halted(&i->run->control)) return;
    int status = instance_start(i);
    if (status < 0) instance_failed(i, "start", status);
}

static void shard_enter(struct worker *w, uint32_t input)
{
    struct shards *s = w->run->shards;
    uint32_t *entered = &s->entered[w - w->run->worker];
    if (*entered == input) return;
    assert(input < s->n && s->slot[input]);
    /* the slot keeps its shard while a batch of it is under way */
    struct shard *shard = s->slot[input];
    *entered = input;
    if (w->source_pool) shard->used = true;
    for (uint32_t k = 0; k < w->n_steps; k++) {
        struct instance *i = &shard->instance[w->step[k]->node->index];
        if (!i->node) continue;
        shard_start_instance(i);
        w->step[k] = i;
    }
}

/* ---- states of shards at a checkpoint ---- */

/* True if the shard is part of the checkpoint. This includes a shard that ended after the barrier,
 * because the source took its position at the barrier and may name the shard there. */
static bool shard_belongs_to(const struct shard *shard, uint64_t checkpoint)
{
    return shard && (!shard->ended || shard->ended_at >= checkpoint);
}

/* Saves this worker's states of all shards. A shard that begins after the barrier has no state in
 * this checkpoint. That is correct, because its first batch comes after the barrier, too. */
void shards_save(struct shards *s, struct worker *w, uint64_t checkpoint)
{
    pthread_mutex_lock(&s->mu);
    for (uint32_t i = 0; i < s->n; i++)
        for (uint32_t k = 0; k < w->n_steps && shard_belongs_to(s->slot[i], checkpoint); k++) {
            struct instance *j = &s->slot[i]->instance[w->step[k]->node->index];
            if (!j->node || j->changes == j->saved_changes) continue;
            instance_state_take(j->saved, j);
            j->saved_changes = j->changes;
            if (j->learning.progressive)
                j->saved_examples = progressive_examples(j->learning.progressive);
        }
    pthread_mutex_unlock(&s->mu);
}

/* True if the shard must be packed: all its instances are saved, and some have changed. A shard
 * without states is packed only once. */
static bool shard_is_due(const struct shards *s, const struct shard *shard)
{
    bool due = !shard->n_bytes;
    for (uint32_t k = 0; k < s->run->graph->n_nodes; k++) {
        const struct instance *i = &shard->instance[k];
        if (!i->node) continue;
        if (!i->saved->host.n) return false;
        due |= !i->saved->whole;
    }
    return due;
}

static int shard_reserve(struct shards *s, struct shard *shard, size_t n)
{
    if (n <= shard->cap) return LEAT_OK;
    char *bytes = realloc(shard->bytes, n);
    if (!bytes)
        return control_fail(&s->run->control, LEAT_ENOMEM,
                            "there is not enough memory for a shard of %zu bytes", n);
    shard->bytes = bytes;
    shard->cap = n;
    return LEAT_OK;
}

static int shard_pack(struct shards *s, struct shard *shard, struct snapshot_section *section)
{
    uint32_t n = 1;
    section[0] = (struct snapshot_section){"pipeline", s->fingerprint, strlen(s->fingerprint)};
    for (uint32_t k = 0; k < s->run->graph->n_nodes; k++)
        if (shard->instance[k].node)
            n +=
                instance_state_sections(shard->instance[k].saved, &shard->instance[k], section + n);
    if (!s->run->control.failed) shard_splits_put(shard, s->run, section, n++);
    size_t bytes = snapshot_bytes(section, n);
    int status = s->run->control.failed ? s->run->control.failed : shard_reserve(s, shard, bytes);
    if (status != LEAT_OK) return status;
    snapshot_put(shard->bytes, 0, section, n);
    shard->n_bytes = bytes;
    return LEAT_OK;
}

int shards_pack(struct shards *s, uint64_t checkpoint)
{
    if (!s->n) return LEAT_OK;
    struct snapshot_section *section = calloc(2 * s->run->graph->n_nodes + 2, sizeof *section);
    int status = section ? LEAT_OK
                         : control_fail(&s->run->control, LEAT_ENOMEM,
                                        "there is not enough memory for shards");
    for (uint32_t i = 0; i < s->n && status == LEAT_OK; i++) {
        pthread_mutex_lock(&s->mu);
        struct shard *shard = s->slot[i];
        if (shard_belongs_to(shard, checkpoint) && shard_is_due(s, shard))
            status = shard_pack(s, shard, section);
        pthread_mutex_unlock(&s->mu);
    }
    free(section);
    return status;
}

/* ---- shards_open and shards_close ---- */

/* Stops this worker's instances of all shards. The end of the run closes them. */
static void shards_stop(struct worker *w)
{
    struct shards *s = w->run->shards;
    pthread_mutex_lock(&s->mu);
    for (uint32_t i = 0; i < s->n; i++)
        for (uint32_t k = 0; k < w->n_steps && s->slot[i]; k++) {
            struct instance *one = &s->slot[i]->instance[w->step[k]->node->index];
            if (!one->node) continue;
            steps_stop_one(one);
            one->phase = INSTANCE_OPEN;
        }
    pthread_mutex_unlock(&s->mu);
}

static const struct shard_hooks hooks = {.enter = shard_enter,
                                         .leave = shard_leave,
                                         .stop = shards_stop,
                                         .next = shard_next,
                                         .gather = shards_answer_gather,
                                         .examples = shards_answer_examples,
                                         .begin = shard_begin,
                                         .state = shard_state,
                                         .end = shard_end};

/* Makes a first shard and merges it, to find a model that cannot merge before the first record is
 * read. */
int shards_open(struct shards *s, struct run *r)
{
    uint32_t input = LEAT_NEW_INPUT;
    *s = (struct shards){.run = r, .n = r->plan.shards, .generation = 1};
    if (!s->n) return LEAT_OK;
    s->slot = arena_alloc(r->graph->arena, s->n * sizeof *s->slot);
    s->living = arena_alloc(r->graph->arena, s->n * sizeof *s->living);
    s->gathered = arena_alloc(r->graph->arena, r->graph->n_nodes * sizeof *s->gathered);
    memset(s->gathered, 0, r->graph->n_nodes * sizeof *s->gathered);
    s->fingerprint = fingerprint_of_models(r->graph);
    s->entered = arena_alloc(r->graph->arena, r->n_workers * sizeof *s->entered);
    for (uint32_t k = 0; k < r->n_workers; k++)
        s->entered[k] = BATCH_NO_INPUT;
    pthread_mutex_init(&s->mu, NULL);
    r->shards = s;
    r->shard_hooks = &hooks;
    int status = shard_begin(r, "a first input", NULL, 0, &input);
    for (uint32_t k = 0; k < r->graph->n_nodes && status == LEAT_OK; k++)
        if (r->graph->node[k].stage)
            status = shards_answer_gather(run_instance(r, &r->graph->node[k], 0));
    if (status == LEAT_OK && !r->plan.shows_states) shard_end(r, input);
    if (status != LEAT_OK || !r->plan.shows_states) return status;
    s->spare = s->slot[input];
    s->slot[input] = NULL;
    s->generation++;
    return LEAT_OK;
}

void shards_close(struct shards *s)
{
    for (uint32_t i = 0; i < s->n; i++)
        shard_free(s, s->slot[i]);
    shard_free(s, s->spare);
    instance_state_free(&s->scratch);
    if (s->n) pthread_mutex_destroy(&s->mu);
    s->n = 0;
}
