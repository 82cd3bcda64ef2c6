/* position.c -- see position.h. */
#include "position.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static const char MAGIC[8] = {'k', 'a', 'f', 'k', 'a', ' ', '1'};

void position_begin(struct position *p)
{
    if (p->member) rd_kafka_consumer_group_metadata_destroy(p->member);
    if (p->offsets) rd_kafka_topic_partition_list_destroy(p->offsets);
    for (uint32_t i = 0; i < p->n_states; i++)
        free(p->state[i].name);
    p->member = NULL;
    p->offsets = NULL;
    p->n_states = 0;
    memcpy(p->magic, MAGIC, sizeof MAGIC);
}

bool position_add(struct position *p, const struct position_state *s)
{
    assert(s->name);
    if (p->n_states == p->cap) {
        uint32_t cap = p->cap ? 2 * p->cap : 16;
        struct position_state *state = realloc(p->state, cap * sizeof *state);
        if (!state) return false;
        p->state = state;
        p->cap = cap;
    }
    struct position_state *added = &p->state[p->n_states];
    *added = *s;
    added->name = strdup(s->name);
    p->n_states += added->name != NULL;
    return added->name != NULL;
}

void position_free(struct position *p)
{
    position_begin(p);
    free(p->state);
    *p = (struct position){.cap = 0};
}

struct leat_position position_offer(const struct position *p)
{
    bool some = p->offsets || p->n_states;
    return (struct leat_position){.bytes = some ? p : NULL, .n = some ? sizeof *p : 0};
}

const struct position *position_of(const struct leat_position *given)
{
    const struct position *p = given->bytes;
    return given->n == sizeof *p && !memcmp(p->magic, MAGIC, sizeof MAGIC) ? p : NULL;
}
