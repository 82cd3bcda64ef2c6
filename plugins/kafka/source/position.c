/* position.c -- see position.h. */
#include "position.h"

#include <stdlib.h>
#include <string.h>

static const char WHAT[8] = {'k', 'a', 'f', 'k', 'a', ' ', '1'};

void position_begin(struct position *c)
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

bool position_add(struct position *c, const char *name, int64_t next, uint32_t input, uint32_t slot)
{
    if (c->n_states == c->cap) {
        uint32_t cap = c->cap ? 2 * c->cap : 16;
        struct position_state *state = realloc(c->state, cap * sizeof *state);
        if (!state) return false;
        c->state = state;
        c->cap = cap;
    }
    struct position_state *new = &c->state[c->n_states];
    *new = (struct position_state){strdup(name), next, input, slot};
    c->n_states += new->name != NULL;
    return new->name != NULL;
}

void position_free(struct position *c)
{
    position_begin(c);
    free(c->state);
    *c = (struct position){.cap = 0};
}

struct leat_position position_offer(const struct position *c)
{
    bool some = c->offsets || c->n_states;
    return (struct leat_position){.bytes = some ? c : NULL, .n = some ? sizeof *c : 0};
}

const struct position *position_of(const struct leat_position *given)
{
    const struct position *c = given->bytes;
    return given->n == sizeof *c && !memcmp(c->what, WHAT, sizeof WHAT) ? c : NULL;
}
