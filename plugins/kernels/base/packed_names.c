/* packed_names.c -- names of any length in a fixed number of bytes; see packed_names.h. */
#include "packed_names.h"

#include <assert.h>
#include <string.h>

#include "names.h"

size_t packed_names_block_bytes(uint32_t slots, uint32_t cap)
{
    return (size_t)slots * sizeof(uint32_t) + cap;
}

void packed_names_init(struct packed_names *n, uint32_t slots, uint32_t max_bytes, uint32_t cap,
                       void *block)
{
    assert(max_bytes >= NAMES_MIN_BYTES && max_bytes <= NAMES_MAX_BYTES);
    uint32_t *at = block;
    *n = (struct packed_names){.slots = slots,
                               .max_bytes = max_bytes,
                               .cap = cap,
                               .at = at,
                               .bytes = (char *)(at + slots)};
}

static uint32_t slot_at(const struct packed_names *n, uint32_t place)
{
    uint32_t slot;
    memcpy(&slot, n->bytes + place, sizeof slot);
    return slot;
}

static uint16_t length_at(const struct packed_names *n, uint32_t place)
{
    uint16_t len;
    memcpy(&len, n->bytes + place + sizeof(uint32_t), sizeof len);
    return len;
}

/* Moves the names in use together. */
static void pack(struct packed_names *n)
{
    uint32_t to = 0;
    for (uint32_t from = 0, size; from < n->used; from += size) {
        uint32_t slot = slot_at(n, from);
        size = PACKED_NAMES_HEAD + length_at(n, from);
        if (n->at[slot] != from + 1) continue; /* replaced */
        memmove(n->bytes + to, n->bytes + from, size);
        n->at[slot] = to + 1;
        to += size;
    }
    n->used = to;
}

void packed_names_set(struct packed_names *n, uint32_t slot, const char *text, size_t len)
{
    size_t most = len < n->max_bytes ? len : n->max_bytes;
    assert(slot < n->slots);
    n->at[slot] = 0;
    if (!text || !len) return;
    if (PACKED_NAMES_HEAD + most > n->cap - n->used) pack(n);
    if (PACKED_NAMES_HEAD + most > n->cap - n->used) {
        n->dropped++;
        return;
    }
    char *to = n->bytes + n->used;
    uint16_t size = (uint16_t)name_cut(text, len, n->max_bytes, to + PACKED_NAMES_HEAD);
    memcpy(to, &slot, sizeof slot);
    memcpy(to + sizeof slot, &size, sizeof size);
    n->at[slot] = n->used + 1;
    n->used += PACKED_NAMES_HEAD + size;
}

const char *packed_names_get(const struct packed_names *n, uint32_t slot, size_t *len)
{
    assert(slot < n->slots);
    uint32_t place = n->at[slot];
    *len = place ? length_at(n, place - 1) : 0;
    return place ? n->bytes + place - 1 + PACKED_NAMES_HEAD : "";
}
