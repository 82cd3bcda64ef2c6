/* shards_splits.c -- implementation of shards_splits.h. */
#include "shards_splits.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/exec/run.h"
#include "host/graph/fingerprint/fingerprint.h"
#include "host/log/log.h"
#include "host/memory/memory.h"
#include "shards.h"
#include "splits.h"

/* Returns the most examples of a learner. `saved`: in the states to be packed. */
static uint64_t shard_splits_examples(const struct shard *shard, const struct graph *g, bool saved)
{
    uint64_t most = 0;
    for (uint32_t k = 0; k < g->n_nodes; k++) {
        const struct instance *i = &shard->instance[k];
        if (!i->node || !i->learning.progressive) continue;
        uint64_t n = saved ? i->saved_examples : progressive_examples(i->learning.progressive);
        if (n > most) most = n;
    }
    return most;
}

/* Returns a model that does not say what it was learned from as one split, in an array. */
static json_t *shard_splits_of_model(const struct shard *shard, const struct graph *g,
                                     const struct snapshot *from)
{
    struct snapshot_section *section = memory_take((g->n_nodes + 1) * sizeof *section);
    uint32_t n = 0;
    for (uint32_t k = 0; k < g->n_nodes; k++) {
        char name[SNAPSHOT_NAME];
        if (!fingerprint_learns(g->order[k])) continue;
        snprintf(name, sizeof name, "stage/%s/0", g->order[k]->id);
        const struct snapshot_section *one = snapshot_find(from, name);
        if (one) section[n++] = *one;
    }
    json_t *split = splits_one(NULL, shard_splits_examples(shard, g, false), 0, section, n);
    free(section);
    return split;
}

/* Removes the shard's own split from `all`. Returns its records; 0 if it is not there. */
static uint64_t shard_splits_leave(const struct shard *shard, json_t *all)
{
    uint64_t records = 0;
    for (size_t i = json_array_size(all); i-- > 0;) {
        const json_t *split = json_array_get(all, i);
        const char *id = json_string_value(json_object_get(split, "id"));
        if (!id || strcmp(id, shard->name)) continue;
        records = (uint64_t)json_integer_value(json_object_get(split, "records"));
        json_array_remove(all, i);
    }
    return records;
}

int shard_splits_read(struct shard *shard, const struct run *r, const struct snapshot *from)
{
    const bool has = snapshot_find(from, "splits") != NULL, is_shard = !from->checkpoint;
    shard->carried = splits_read(from);
    if (has && !shard->carried) {
        log_message(LEAT_ERROR, "the state of %s: section splits cannot be read", shard->name);
        return LEAT_EDATA;
    }
    if (!shard->carried)
        shard->carried = is_shard ? json_array() : shard_splits_of_model(shard, r->graph, from);
    uint64_t own = shard_splits_leave(shard, shard->carried);
    if (own && !is_shard)
        log_message(LEAT_WARN,
                    "the model with which %s begins has learned %" PRIu64 " records of it already: "
                    "those that are read again count twice",
                    shard->name, own);
    if (has || !is_shard)
        shard->examples_before = shard_splits_examples(shard, r->graph, false) - own;
    return LEAT_OK;
}

void shard_splits_put(struct shard *shard, const struct run *r, struct snapshot_section *section,
                      uint32_t n)
{
    uint64_t examples = shard_splits_examples(shard, r->graph, true) - shard->examples_before;
    json_t *all = splits_one(shard->name, examples, 0, section, n);
    if (shard->carried) splits_add(all, shard->carried);
    free(shard->splits);
    shard->splits = json_dumps(all, JSON_COMPACT);
    json_decref(all);
    if (!shard->splits) memory_lost();
    section[n] = (struct snapshot_section){"splits", shard->splits, strlen(shard->splits)};
}

void shard_splits_free(struct shard *shard)
{
    json_decref(shard->carried);
    free(shard->splits);
}
