/* shards_answer.c -- implementation of shards_answer.h. */
#include "shards_answer.h"

#include <stdlib.h>
#include <string.h>

#include "host/exec/run.h"
#include "host/metrics/progressive.h"
#include "shards.h"

/* True if the stage's own instance merges those of all shards, to answer queries. */
static bool shards_merges(const struct node *n) { return n && n->stage->kind == LEAT_LEARNER; }

static int shard_reopen(struct instance *i)
{
    instance_close(i);
    memset(i->self, 0, i->node->stage->instance_size);
    if (i->learning.progressive) progressive_clear(i->learning.progressive);
    return instance_open(i);
}

/* ---- states as bytes ---- */

/* Copies the state of a learner of the spare shard to `held`. */
static int shard_hold_one(struct shard_held *held, struct instance *i)
{
    struct snapshot_section section[2];
    held->examples = progressive_examples(i->learning.progressive);
    int status = instance_state_take(&held->state, i);
    if (status == LEAT_OK && !instance_state_sections(&held->state, i, section))
        status = i->run->control.failed;
    instance_state_trim(&held->state);
    return status;
}

int shards_answer_reopen(struct shards *s)
{
    int status = LEAT_OK;
    for (uint32_t k = 0; k < s->run->graph->n_nodes && status == LEAT_OK; k++)
        if (s->spare->instance[k].node) status = shard_reopen(&s->spare->instance[k]);
    return status;
}

int shards_answer_hold(struct shards *s, struct shard_held *held)
{
    int status = LEAT_OK;
    for (uint32_t k = 0; k < s->run->graph->n_nodes && status == LEAT_OK; k++)
        if (shards_merges(s->spare->instance[k].node))
            status = shard_hold_one(&held[k], &s->spare->instance[k]);
    return status;
}

/* ---- merging the shards ---- */

static int shard_merge_sections(struct instance *own, struct instance *i,
                                const struct snapshot *from)
{
    progressive_merge(own->learning.progressive, i->learning.progressive);
    return instance_state_merge_stage(own, from, 1);
}

static int shard_merge_instance(struct shards *s, struct instance *own, struct instance *i)
{
    struct snapshot_section section[2];
    int status = instance_state_take(&s->scratch, i);
    if (status != LEAT_OK || instance_state_sections(&s->scratch, i, section) != 2)
        return own->run->control.failed;
    return shard_merge_sections(own, i, &(struct snapshot){.n = 2, .section = section});
}

/* Merges the state that a shard holds as bytes. Uses the figures of the spare shard's instance. */
static int shard_merge_held(struct shards *s, struct instance *own, struct shard_held *held)
{
    struct snapshot_section section[2];
    struct instance *i = &s->spare->instance[own->node->index];
    if (instance_state_sections(&held->state, i, section) != 2) return own->run->control.failed;
    struct snapshot from = {.n = 2, .section = section};
    progressive_clear(i->learning.progressive);
    int status = instance_state_restore_host(i, &from, false);
    return status == LEAT_OK ? shard_merge_sections(own, i, &from) : status;
}

static int shard_by_name(const void *a, const void *b)
{
    return strcmp((*(struct shard *const *)a)->name, (*(struct shard *const *)b)->name);
}

/* Fills s->living with the living shards, sorted by name, and returns their number. So a merge does
 * not depend on the order in which inputs arrived. Call it with mu held. */
static uint32_t shards_sort_living(struct shards *s)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->n; i++)
        if (s->slot[i] && !s->slot[i]->ended) s->living[n++] = s->slot[i];
    qsort(s->living, n, sizeof(struct shard *), shard_by_name);
    return n;
}

/* Returns what changes with any change of the first n living shards, and of the own instance. */
static struct shards_version shards_version(const struct shards *s, const struct instance *own,
                                            uint32_t n)
{
    struct shards_version v = {s->generation, own->changes};
    for (uint32_t i = 0; i < n; i++)
        v.changes += s->living[i]->instance[own->node->index].changes;
    return v;
}

static int shards_merge_living(struct shards *s, struct instance *own, uint32_t n)
{
    const uint32_t k = own->node->index;
    int status = shard_reopen(own);
    for (uint32_t i = 0; i < n && status == LEAT_OK; i++)
        status = s->spare ? shard_merge_held(s, own, &s->living[i]->held[k])
                          : shard_merge_instance(s, own, &s->living[i]->instance[k]);
    return status;
}

int shards_answer_gather(struct instance *own)
{
    struct shards *s = own->run->shards;
    int status = LEAT_OK;
    if (!shards_merges(own->node)) return LEAT_OK;
    pthread_mutex_lock(&s->mu);
    uint32_t n = shards_sort_living(s);
    struct shards_version now = shards_version(s, own, n), *is = &s->gathered[own->node->index];
    if (now.generation != is->generation || now.changes != is->changes) {
        status = shards_merge_living(s, own, n);
        *is = status == LEAT_OK ? now : (struct shards_version){0, 0};
    }
    pthread_mutex_unlock(&s->mu);
    if (status < 0) control_halt(&s->run->control);
    return status;
}

static uint64_t shard_examples(const struct shard *shard, uint32_t k)
{
    return shard->held ? shard->held[k].examples
                       : progressive_examples(shard->instance[k].learning.progressive);
}

uint64_t shards_answer_examples(const struct instance *own)
{
    struct shards *s = own->run->shards;
    uint64_t examples = 0;
    pthread_mutex_lock(&s->mu);
    for (uint32_t i = 0; i < s->n; i++)
        if (s->slot[i] && !s->slot[i]->ended)
            examples += shard_examples(s->slot[i], own->node->index);
    pthread_mutex_unlock(&s->mu);
    return examples;
}
