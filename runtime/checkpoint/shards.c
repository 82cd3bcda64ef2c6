/* shards.c -- see shards.h. */
#include "shards.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph/fingerprint.h"
#include "exec/worker.h"

/* Does the stage keep something of the stream, and not of what it reads or writes? */
static int is_sharded(const struct node *n)
{
    return n->stage && n->stage->snapshot &&
           (n->stage->kind == LEAT_TRANSFORM || n->stage->kind == LEAT_LEARNER);
}

/* ---- the plan ---- */

static uint64_t bytes_of(const struct node *n)
{
    const struct leat_plan *p = &n->plan;
    uint64_t state = p->state_bytes + p->names_bytes;
    if (n->stage->kind == LEAT_LEARNER) state += progressive_bytes(n->schema_out.score);
    return 3 * state + p->work_bytes; /* alive, as saved, and as bytes to be sent */
}

static void check_node(const struct node *n, struct diag *d)
{
    const char *why = NULL;
    if (!n->stage) return;
    int keeps = n->stage->kind == LEAT_LEARNER || n->stage->caps & LEAT_STATEFUL;
    if (keeps && !n->stage->snapshot)
        why = "cannot save its state";
    else if (n->stage->kind == LEAT_LEARNER && !n->stage->merge)
        why = "its models cannot be merged to answer for all";
    else if (is_sharded(n) && n->lanes > 1)
        why = "it runs in several lanes";
    if (why)
        diag_add(d, DIAG_ERROR, n->at, n->label, NULL,
                 "the source has a state for each of its inputs, but this stage has not: %s", why);
}

void shards_plan(struct plan *p, struct graph *g, struct diag *d)
{
    const struct node *source = NULL, *other = NULL;
    for (uint32_t i = 0; i < g->n_nodes; i++) {
        const struct node *n = &g->node[i];
        if (!n->stage || n->stage->kind != LEAT_SOURCE) continue;
        if (n->plan.shards) source = n;
        if (n->plan.shards > p->shards) p->shards = n->plan.shards;
    }
    for (uint32_t i = 0; i < g->n_nodes && source; i++) {
        const struct node *n = &g->node[i];
        check_node(n, d);
        if (n->stage && n->stage->kind == LEAT_SOURCE && n != source) other = n;
        if (is_sharded(n)) p->shard_bytes += p->shards * bytes_of(n);
    }
    if (other)
        diag_add(d, DIAG_ERROR, source->at, source->label, NULL,
                 "a source with a state for each of its inputs is the only one: %s (line %d) is "
                 "another",
                 other->label, other->at.line);
}

/* ---- life ---- */

static void close_instance(struct instance *i)
{
    const struct leat_stage *stage = i->node->stage;
    if (i->started && stage->stop) stage->stop(&i->ctx, i->self);
    if (i->opened && stage->close) stage->close(&i->ctx, i->self);
    if (i->saved) instance_state_free(i->saved);
    free(i->saved);
    progressive_free(i->progressive);
    free(i->self);
    *i = (struct instance){0};
}

static void free_shard(const struct shards *s, struct shard *h)
{
    for (uint32_t k = 0; h && k < s->run->graph->n_nodes; k++)
        if (h->instance[k].node) close_instance(&h->instance[k]);
    if (h) free(h->bytes), free(h->name);
    free(h);
}

void shards_close(struct shards *s)
{
    for (uint32_t i = 0; i < s->n; i++)
        free_shard(s, s->place[i]);
    instance_state_free(&s->scratch);
    if (s->n) pthread_mutex_destroy(&s->mu);
    s->n = 0;
}

/* ---- beginning ---- */

enum { SELF_ALIGN = 64 };

static int open_instance(struct shard *h, struct instance *whole, struct instance *i)
{
    const struct leat_stage *stage = whole->node->stage;
    size_t bytes = (stage->instance_size + SELF_ALIGN) & ~(size_t)(SELF_ALIGN - 1);
    *i = (struct instance){
        .ctx = whole->ctx, .node = whole->node, .run = whole->run, .whole = whole, .changed = 1};
    i->self = aligned_alloc(SELF_ALIGN, bytes);
    i->saved = calloc(1, sizeof *i->saved);
    if (stage->kind == LEAT_LEARNER)
        i->progressive =
            progressive_new(i->node->id, (enum leat_score)i->node->schema_out.score, &h->table);
    if (!i->self || !i->saved || (stage->kind == LEAT_LEARNER && !i->progressive))
        return run_fail(i->run, LEAT_ENOMEM, "%s: no memory for another input's state",
                        i->node->label);
    memset(i->self, 0, bytes);
    int status = stage->open ? stage->open(&i->ctx, i->self) : LEAT_OK;
    if (status < 0)
        return run_fail(i->run, status, "%s: cannot be opened (status %d)", i->node->label, status);
    i->opened = 1;
    return LEAT_OK;
}

struct refusing {
    struct run *run;
    const char *name;
    int status;
};

static void refuse(void *to, const struct fingerprint_difference *d)
{
    struct refusing *r = to;
    r->status = run_fail(r->run, LEAT_EARG,
                         "the state of %s is of another pipeline: %s: %s is %s here and %s there",
                         r->name, d->id ? d->id : "pipeline", d->name ? d->name : "stage",
                         d->a ? d->a : "nothing", d->b ? d->b : "nothing");
}

static int check_pipeline(struct shards *s, const char *name, const struct snapshot *from)
{
    struct refusing r = {s->run, name, LEAT_OK};
    const struct snapshot_section *made = snapshot_find(from, "pipeline");
    json_t *here = json_loads(s->fingerprint, 0, NULL);
    json_t *there = made ? json_loadb(made->bytes, made->n, 0, NULL) : NULL;
    if (json_is_array(json_object_get(there, "stages")))
        fingerprint_differences(here, there, refuse, &r);
    else
        r.status =
            run_fail(s->run, LEAT_EDATA, "the state of %s: section pipeline cannot be read", name);
    json_decref(here);
    json_decref(there);
    return r.status;
}

static int restore(struct shards *s, struct shard *h, const char *name, const void *state, size_t n)
{
    struct snapshot from;
    char *copy = malloc(n);
    h->bytes = malloc(n);
    if (!copy || !h->bytes) {
        free(copy);
        return run_fail(s->run, LEAT_ENOMEM, "no memory for the state of %s", name);
    }
    h->n_bytes = h->cap = n;
    memcpy(h->bytes, state, n);
    int status = snapshot_parse(&from, memcpy(copy, state, n), n);
    if (status != LEAT_OK) run_fail(s->run, status, "the state of %s %s", name, from.error);
    if (status == LEAT_OK) status = check_pipeline(s, name, &from);
    for (uint32_t k = 0; k < s->run->graph->n_nodes && status == LEAT_OK; k++)
        if (h->instance[k].node) status = instance_state_restore(&h->instance[k], &from, 0);
    snapshot_free(&from);
    return status;
}

static int make_shard(struct shards *s, const char *name, const void *state, size_t n,
                      struct shard **out)
{
    const struct graph *g = s->run->graph;
    struct shard *h = calloc(1, sizeof *h + g->n_nodes * sizeof *h->instance);
    if (h) h->name = strdup(name);
    int status = h && h->name
                     ? LEAT_OK
                     : run_fail(s->run, LEAT_ENOMEM, "no memory for the state of %s", name);
    for (uint32_t k = 0; k < g->n_nodes && status == LEAT_OK; k++)
        if (is_sharded(&g->node[k]))
            status = open_instance(h, run_instance(s->run, &g->node[k], 0), &h->instance[k]);
    if (status == LEAT_OK && n) status = restore(s, h, name, state, n);
    if (status != LEAT_OK) free_shard(s, h);
    if (status == LEAT_OK) *out = h;
    return status;
}

/* A free place, or n; `ending`: one will be. */
static uint32_t find_place(struct shards *s, int *ending)
{
    uint32_t k = s->n;
    *ending = 0;
    pthread_mutex_lock(&s->mu);
    for (uint32_t i = s->n; i-- > 0;)
        if (!s->place[i])
            k = i;
        else
            *ending |= s->place[i]->ended;
    pthread_mutex_unlock(&s->mu);
    return k;
}

int shards_begin(struct shards *s, const char *name, const void *state, size_t n, uint32_t *input)
{
    int ending = 0;
    struct shard *h, *before;
    uint32_t k = *input == LEAT_NEW_INPUT ? find_place(s, &ending) : *input;
    if (k == s->n && ending) checkpoint_soon(&s->run->checkpoints);
    if (k == s->n) return ending ? LEAT_AGAIN : LEAT_EFULL;
    int status = make_shard(s, name, state, n, &h);
    if (status != LEAT_OK) return status;
    pthread_mutex_lock(&s->mu);
    before = s->place[k];
    s->place[k] = h;
    pthread_mutex_unlock(&s->mu);
    free_shard(s, before);
    *input = k;
    return LEAT_OK;
}

void shards_state(struct shards *s, uint32_t input, const void **state, size_t *n)
{
    pthread_mutex_lock(&s->mu);
    const struct shard *h = s->place[input];
    *state = h->bytes;
    *n = h->n_bytes;
    pthread_mutex_unlock(&s->mu);
}

/* That models merge is known before the first record, not with the first answer. */
int shards_open(struct shards *s, struct run *r)
{
    uint32_t input = LEAT_NEW_INPUT;
    *s = (struct shards){.run = r, .n = r->plan.shards};
    if (!s->n) return LEAT_OK;
    s->place = arena_alloc(r->graph->arena, s->n * sizeof *s->place);
    s->living = arena_alloc(r->graph->arena, s->n * sizeof *s->living);
    s->fingerprint = fingerprint_of_models(r->graph);
    pthread_mutex_init(&s->mu, NULL);
    int status = shards_begin(s, "a first input", NULL, 0, &input);
    for (uint32_t k = 0; k < r->graph->n_nodes && status == LEAT_OK; k++)
        if (r->graph->node[k].stage)
            status = shards_gather(s, run_instance(r, &r->graph->node[k], 0));
    if (status == LEAT_OK) shards_end(s, input);
    return status;
}

/* ---- ending ---- */

/* mu held. */
static void give_back(struct shards *s, uint32_t input)
{
    free_shard(s, s->place[input]);
    s->place[input] = NULL;
}

static uint64_t last_barrier(const struct run *r)
{
    uint64_t last = 0;
    for (uint32_t k = 0; k < r->n_workers; k++)
        if (r->worker[k].source_pool) last = r->worker[k].handed_in;
    return last;
}

/* A position of the checkpoint under way may name it: then it stays, though no batch of it was
 * sent. */
void shards_end(struct shards *s, uint32_t input)
{
    int stays = checkpoint_under_way(&s->run->checkpoints);
    pthread_mutex_lock(&s->mu);
    struct shard *h = s->place[input];
    h->ended = 1;
    h->ended_at = last_barrier(s->run);
    if (!h->used && !stays) give_back(s, input);
    pthread_mutex_unlock(&s->mu);
}

/* Its instances are this worker's to call, but no batch of them will come. */
static void close_steps(struct shard *h, struct worker *w)
{
    for (uint32_t k = 0; k < w->n_steps; k++) {
        struct instance *i = &h->instance[w->step[k]->node->index];
        if (i->node) close_instance(i);
    }
}

void shards_let_go(struct shards *s, struct worker *w, uint64_t checkpoint)
{
    pthread_mutex_lock(&s->mu);
    for (uint32_t i = 0; i < s->n; i++) {
        struct shard *h = s->place[i];
        if (!h || !h->ended || h->ended_at >= checkpoint) continue;
        if (w->shard == i) shards_leave(s, w);
        close_steps(h, w);
        if (++h->left == s->run->n_workers) give_back(s, i);
    }
    pthread_mutex_unlock(&s->mu);
}

/* ---- batches ---- */

static void start(struct instance *i)
{
    const struct leat_stage *stage = i->node->stage;
    int status = stage->start && !i->started ? stage->start(&i->ctx, i->self) : LEAT_OK;
    i->started = 1;
    if (status >= 0) return;
    run_fail(i->run, status, "%s: start failed (status %d)", i->node->label, status);
    run_halt(i->run);
}

void shards_enter(struct shards *s, struct worker *w, uint32_t input)
{
    if (w->shard == input) return;
    struct shard *h = s->place[input]; /* stays as long as a batch of it is on its way */
    w->shard = input;
    if (w->source_pool) h->used = 1;
    for (uint32_t k = 0; k < w->n_steps; k++) {
        struct instance *i = &h->instance[w->step[k]->node->index];
        if (!i->node) continue;
        start(i);
        w->step[k] = i;
    }
}

void shards_leave(struct shards *s, struct worker *w)
{
    (void)s;
    w->shard = SHARD_NONE;
    for (uint32_t k = 0; k < w->n_steps; k++)
        w->step[k] = w->step[k]->whole;
}

/* ---- checkpoints ---- */

/* Calls that a shard begun behind the barrier has not seen yet change nothing: its first batch
 * comes behind the barrier as well. */
void shards_save(struct shards *s, struct worker *w)
{
    pthread_mutex_lock(&s->mu);
    for (uint32_t i = 0; i < s->n; i++)
        for (uint32_t k = 0; k < w->n_steps && s->place[i] && !s->place[i]->ended; k++) {
            struct instance *j = &s->place[i]->instance[w->step[k]->node->index];
            if (!j->node || !j->changed) continue;
            instance_state_take(j->saved, j);
            j->changed = 0;
        }
    pthread_mutex_unlock(&s->mu);
}

/* All instances were saved, and some since the last time; or, none keeping anything, the first. */
static int is_due(const struct shards *s, const struct shard *h)
{
    int due = !h->n_bytes;
    for (uint32_t k = 0; k < s->run->graph->n_nodes; k++) {
        const struct instance *i = &h->instance[k];
        if (!i->node) continue;
        if (!i->saved->host.n) return 0;
        due |= !i->saved->whole;
    }
    return due;
}

static int reserve(struct shards *s, struct shard *h, size_t n)
{
    if (n <= h->cap) return LEAT_OK;
    char *bytes = realloc(h->bytes, n);
    if (!bytes) return run_fail(s->run, LEAT_ENOMEM, "no memory for a shard of %zu bytes", n);
    h->bytes = bytes;
    h->cap = n;
    return LEAT_OK;
}

static int pack(struct shards *s, struct shard *h, struct snapshot_section *section)
{
    uint32_t n = 1;
    section[0] = (struct snapshot_section){"pipeline", s->fingerprint, strlen(s->fingerprint)};
    for (uint32_t k = 0; k < s->run->graph->n_nodes; k++)
        if (h->instance[k].node)
            n += instance_state_sections(h->instance[k].saved, &h->instance[k], section + n);
    size_t bytes = snapshot_bytes(section, n);
    int status = s->run->failed ? s->run->failed : reserve(s, h, bytes);
    if (status != LEAT_OK) return status;
    snapshot_put(h->bytes, 0, section, n);
    h->n_bytes = bytes;
    return LEAT_OK;
}

int shards_pack(struct shards *s)
{
    struct snapshot_section *section = calloc(2 * s->run->graph->n_nodes + 1, sizeof *section);
    int status = section ? LEAT_OK : run_fail(s->run, LEAT_ENOMEM, "no memory for shards");
    for (uint32_t i = 0; i < s->n && status == LEAT_OK; i++) {
        pthread_mutex_lock(&s->mu);
        struct shard *h = s->place[i];
        if (h && !h->ended && is_due(s, h)) status = pack(s, h, section);
        pthread_mutex_unlock(&s->mu);
    }
    free(section);
    return status;
}

/* ---- answers ---- */

static int reopen(struct instance *i)
{
    const struct leat_stage *stage = i->node->stage;
    if (stage->close) stage->close(&i->ctx, i->self);
    memset(i->self, 0, stage->instance_size);
    progressive_clear(i->progressive);
    int status = stage->open ? stage->open(&i->ctx, i->self) : LEAT_OK;
    i->opened = status >= 0;
    return status < 0 ? run_fail(i->run, status, "%s: cannot be opened (status %d)", i->node->label,
                                 status)
                      : LEAT_OK;
}

static int add(struct shards *s, struct instance *whole, struct instance *i)
{
    struct snapshot_section section[2];
    int status = instance_state_take(&s->scratch, i);
    if (status != LEAT_OK || instance_state_sections(&s->scratch, i, section) != 2)
        return whole->run->failed;
    struct snapshot from = {.n = 2, .section = section};
    progressive_merge(whole->progressive, i->progressive);
    return instance_state_merge_stage(whole, &from, 1);
}

static int by_name(const void *a, const void *b)
{
    return strcmp((*(struct shard *const *)a)->name, (*(struct shard *const *)b)->name);
}

/* By name, so that the merge is the same to the last bit in whatever order they came. mu held. */
static uint32_t sort_living(struct shards *s)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->n; i++)
        if (s->place[i] && !s->place[i]->ended) s->living[n++] = s->place[i];
    qsort(s->living, n, sizeof(struct shard *), by_name);
    return n;
}

int shards_gather(struct shards *s, struct instance *whole)
{
    if (whole->node->stage->kind != LEAT_LEARNER) return LEAT_OK;
    int status = reopen(whole);
    pthread_mutex_lock(&s->mu);
    for (uint32_t i = 0, n = sort_living(s); i < n && status == LEAT_OK; i++)
        status = add(s, whole, &s->living[i]->instance[whole->node->index]);
    pthread_mutex_unlock(&s->mu);
    if (status < 0) run_halt(s->run);
    return status;
}

uint64_t shards_examples(struct shards *s, const struct node *n)
{
    uint64_t examples = 0;
    pthread_mutex_lock(&s->mu);
    for (uint32_t i = 0; i < s->n; i++)
        if (s->place[i] && !s->place[i]->ended)
            examples += progressive_examples(s->place[i]->instance[n->index].progressive);
    pthread_mutex_unlock(&s->mu);
    return examples;
}
