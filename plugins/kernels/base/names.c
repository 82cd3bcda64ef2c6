/* names.c -- implementation of names.h. */
#include "names.h"

#include <assert.h>
#include <string.h>

static const char ELLIPSIS[] = "\xe2\x80\xa6";
enum { ELLIPSIS_BYTES = 3, SEQUENCE_MAX = 4 };

/* Returns the length of the longest prefix of at most `fit` bytes that does not split a
 * UTF-8 sequence. After more than three continuation bytes, the text is not UTF-8, and the
 * prefix has `fit` bytes. */
static size_t boundary(const char *text, size_t fit)
{
    size_t i = fit;
    while (i && fit - i < SEQUENCE_MAX && ((unsigned char)text[i] & 0xc0) == 0x80)
        i--;
    return fit - i < SEQUENCE_MAX ? i : fit;
}

uint32_t name_cut(const char *text, size_t len, uint32_t max_bytes, char *out)
{
    if (len <= max_bytes) {
        if (len) memcpy(out, text, len);
        return (uint32_t)len;
    }
    size_t n = boundary(text, max_bytes - ELLIPSIS_BYTES);
    memcpy(out, text, n);
    memcpy(out + n, ELLIPSIS, ELLIPSIS_BYTES);
    return (uint32_t)(n + ELLIPSIS_BYTES);
}

/* ---- names of slots ---- */

enum {
    NAMES_HEAD = sizeof(uint32_t) + sizeof(uint16_t), /* slot and length, before the text */
    NAMES_SLACK = 16 << 10 /* replaced names of so many bytes may stay in any case */
};

/* Returns the bytes that a name takes. */
static size_t names_size(size_t len) { return NAMES_HEAD + len; }

size_t names_room(uint32_t slots, uint32_t max_bytes)
{
    size_t room = slots * names_size(max_bytes);
    return room < UINT32_MAX ? room : UINT32_MAX - 1;
}

size_t names_block_bytes(uint32_t slots, size_t cap) { return slots * sizeof(uint32_t) + cap; }

void names_init(struct names *n, uint32_t slots, uint32_t max_bytes, size_t cap, void *block)
{
    assert(max_bytes >= NAMES_MIN_BYTES && max_bytes <= NAMES_MAX_BYTES);
    assert(cap < UINT32_MAX);
    uint32_t *at = block;
    *n = (struct names){.slots = slots,
                        .max_bytes = max_bytes,
                        .cap = cap,
                        .at = at,
                        .bytes = (char *)(at + slots)};
}

static uint32_t names_slot_at(const struct names *n, size_t place)
{
    uint32_t slot;
    memcpy(&slot, n->bytes + place, sizeof slot);
    return slot;
}

static uint16_t names_length_at(const struct names *n, size_t place)
{
    uint16_t len;
    memcpy(&len, n->bytes + place + sizeof(uint32_t), sizeof len);
    return len;
}

/* Removes the gaps of replaced names. */
static void names_pack(struct names *n)
{
    size_t to = 0;
    for (size_t from = 0, size; from < n->used; from += size) {
        uint32_t *at = &n->at[names_slot_at(n, from)];
        size = names_size(names_length_at(n, from));
        if (*at != from + 1) continue; /* the name was replaced or removed */
        memmove(n->bytes + to, n->bytes + from, size);
        *at = (uint32_t)to + 1;
        to += size;
    }
    n->used = to;
}

static void names_remove(struct names *n, uint32_t slot)
{
    if (n->at[slot]) n->live -= names_size(names_length_at(n, n->at[slot] - 1));
    n->at[slot] = 0;
}

void names_set(struct names *n, uint32_t slot, const char *text, size_t len)
{
    size_t most = names_size(len < n->max_bytes ? len : n->max_bytes);
    assert(slot < n->slots);
    names_remove(n, slot);
    if (!text || !len) return;
    if (most > n->cap - n->used || n->used - n->live > n->live + NAMES_SLACK) names_pack(n);
    if (most > n->cap - n->used) {
        n->dropped++;
        return;
    }
    char *to = n->bytes + n->used;
    uint16_t size = (uint16_t)name_cut(text, len, n->max_bytes, to + NAMES_HEAD);
    memcpy(to, &slot, sizeof slot);
    memcpy(to + sizeof slot, &size, sizeof size);
    n->at[slot] = (uint32_t)n->used + 1;
    n->used += names_size(size);
    n->live += names_size(size);
    n->cut += len > n->max_bytes;
}

static void names_move(const struct names *n, uint32_t slot, uint32_t at)
{
    n->at[slot] = at;
    if (at) memcpy(n->bytes + at - 1, &slot, sizeof slot);
}

void names_swap(struct names *n, uint32_t a, uint32_t b)
{
    uint32_t at = n->at[a];
    names_move(n, a, n->at[b]);
    names_move(n, b, at);
}

const char *names_get(const struct names *n, uint32_t slot, size_t *len)
{
    assert(slot < n->slots);
    uint32_t at = n->at[slot];
    *len = at ? names_length_at(n, at - 1) : 0;
    return at ? n->bytes + at - 1 + NAMES_HEAD : "";
}

/* ---- a pool and a list ---- */

void name_pool_init(struct name_pool *p, void *bytes, size_t cap, uint32_t max_bytes)
{
    assert(cap <= UINT32_MAX && max_bytes >= NAMES_MIN_BYTES && max_bytes <= NAMES_MAX_BYTES);
    *p = (struct name_pool){.bytes = bytes, .cap = cap, .max_bytes = max_bytes};
}

void name_pool_clear(struct name_pool *p) { p->used = p->dropped = 0; }

/* Adds a name as two bytes of length and the text. Returns 1 + the offset of the length. */
uint32_t name_pool_add(struct name_pool *p, const char *text, size_t len)
{
    size_t max_len = len < p->max_bytes ? len : p->max_bytes;
    if (p->cap - p->used < name_pool_bytes((uint32_t)max_len) || p->used + 1 > UINT32_MAX) {
        p->dropped++;
        return 0;
    }
    char *to = p->bytes + p->used;
    uint16_t n = (uint16_t)name_cut(text, len, p->max_bytes, to + 2);
    memcpy(to, &n, 2);
    uint32_t number = (uint32_t)(p->used + 1);
    p->used += name_pool_bytes(n);
    return number;
}

const char *name_pool_get(const struct name_pool *p, uint32_t number, size_t *len)
{
    uint16_t n = 0;
    assert(number <= p->used);
    if (number) memcpy(&n, p->bytes + number - 1, 2);
    *len = n;
    return number ? p->bytes + number + 1 : "";
}

bool name_list_fits(const struct name_list *l)
{
    uint64_t sum = 0; /* cannot overflow: the sum of n 32-bit sizes */
    for (uint32_t i = 0; i < l->n; i++)
        sum += l->size[i] ? l->size[i] - 1 : 0;
    return sum == l->bytes;
}

const char *name_list_next(const struct name_list *l, uint32_t i, uint64_t *at, size_t *len)
{
    const char *text = l->text + *at;
    *len = l->size[i] ? l->size[i] - 1 : 0;
    *at += *len;
    return l->size[i] ? text : NULL;
}

bool name_preferred(const char *a, size_t a_len, const char *b, size_t b_len)
{
    if (!a_len || !b_len) return a_len > 0;
    int order = memcmp(a, b, a_len < b_len ? a_len : b_len);
    return order ? order < 0 : a_len <= b_len;
}
