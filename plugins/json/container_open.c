/* container_open.c -- implementation of container_open.h. */
#include "container_open.h"

#include <stddef.h>
#include <string.h>

#include "core/mix64.h"

/* Returns the number of chains: about one for each message. */
static uint32_t open_heads(uint32_t slots)
{
    uint32_t n = 1;
    while (n <= slots / 2)
        n *= 2;
    return n;
}

uint64_t container_opens_bytes(uint32_t slots)
{
    return slots * (uint64_t)(sizeof(struct container_open) + sizeof(uint32_t));
}

void container_opens_init(struct container_opens *t, void *memory, uint32_t slots)
{
    *t = (struct container_opens){.slot = memory,
                                  .heads = open_heads(slots),
                                  .oldest = CONTAINER_NONE,
                                  .newest = CONTAINER_NONE};
    t->head = (uint32_t *)(t->slot + slots);
    memset(t->head, 0, t->heads * sizeof *t->head);
    for (uint32_t i = 0; i < slots; i++)
        t->slot[i].newer = i + 1 < slots ? i + 1 : CONTAINER_NONE;
}

static uint32_t *open_chain(const struct container_opens *t, uint64_t id)
{
    return &t->head[mix64(id) & (t->heads - 1)];
}

static struct container_open *open_at(const struct container_opens *t, uint32_t slot)
{
    return slot == CONTAINER_NONE ? NULL : &t->slot[slot];
}

struct container_open *container_opens_find(const struct container_opens *t, uint64_t id)
{
    uint32_t at = *open_chain(t, id) - 1;
    while (at != CONTAINER_NONE && t->slot[at].id != id)
        at = t->slot[at].chain;
    return open_at(t, at);
}

struct container_open *container_opens_oldest(const struct container_opens *t)
{
    return open_at(t, t->oldest);
}

struct container_open *container_opens_next(const struct container_opens *t,
                                            const struct container_open *m)
{
    return open_at(t, m->newer);
}

struct container_open *container_opens_add(struct container_opens *t,
                                           const struct container_open *m)
{
    const uint32_t slot = t->free;
    struct container_open *to = &t->slot[slot];
    uint32_t *head = open_chain(t, m->id);
    t->free = to->newer;
    *to = *m;
    to->newer = CONTAINER_NONE;
    to->older = t->newest;
    to->chain = *head - 1;
    *head = slot + 1;
    *(t->n++ ? &t->slot[t->newest].newer : &t->oldest) = slot;
    t->newest = slot;
    return to;
}

void container_opens_remove(struct container_opens *t, struct container_open *m)
{
    const uint32_t slot = (uint32_t)(m - t->slot);
    uint32_t *head = open_chain(t, m->id);
    if (*head - 1 == slot) {
        *head = m->chain + 1;
    } else {
        struct container_open *before = &t->slot[*head - 1];
        while (before->chain != slot)
            before = &t->slot[before->chain];
        before->chain = m->chain;
    }
    *(m->older == CONTAINER_NONE ? &t->oldest : &t->slot[m->older].newer) = m->newer;
    *(m->newer == CONTAINER_NONE ? &t->newest : &t->slot[m->newer].older) = m->older;
    m->newer = t->free;
    t->free = slot;
    t->n--;
}
