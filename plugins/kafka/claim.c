/* claim.c -- see claim.h. */
#include "claim.h"

#include <stdlib.h>
#include <string.h>

static const char WHAT[8] = {'k', 'a', 'f', 'k', 'a', ' ', '1'};

void claim_begin(struct claim *c)
{
    if (c->member) rd_kafka_consumer_group_metadata_destroy(c->member);
    if (c->offsets) rd_kafka_topic_partition_list_destroy(c->offsets);
    for (uint32_t i = 0; i < c->n_states; i++)
        free(c->state[i].name);
    c->member = NULL;
    c->offsets = NULL;
    c->n_states = 0;
    memcpy(c->what, WHAT, sizeof WHAT);
}

bool claim_add(struct claim *c, const char *name, int64_t next, uint32_t input, uint32_t slot)
{
    if (c->n_states == c->cap) {
        uint32_t cap = c->cap ? 2 * c->cap : 16;
        struct claim_state *state = realloc(c->state, cap * sizeof *state);
        if (!state) return false;
        c->state = state;
        c->cap = cap;
    }
    struct claim_state *new = &c->state[c->n_states];
    *new = (struct claim_state){strdup(name), next, input, slot};
    c->n_states += new->name != NULL;
    return new->name != NULL;
}

void claim_free(struct claim *c)
{
    claim_begin(c);
    free(c->state);
    *c = (struct claim){.cap = 0};
}

struct leat_claim claim_offer(const struct claim *c)
{
    bool some = c->offsets || c->n_states;
    return (struct leat_claim){.bytes = some ? c : NULL, .n = some ? sizeof *c : 0};
}

const struct claim *claim_of(const struct leat_claim *given)
{
    const struct claim *c = given->bytes;
    return given->n == sizeof *c && !memcmp(c->what, WHAT, sizeof WHAT) ? c : NULL;
}
