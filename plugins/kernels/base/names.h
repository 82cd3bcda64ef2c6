/* names.h -- texts for features, in a fixed number of bytes.
 *
 * struct names        a name for each slot, for a model whose slots change features (AWM)
 * struct name_pool    names that stay, one after the other until the pool is full (logistic)
 * struct name_list    names in an order, as a copy of a model holds them
 *
 * A name longer than max_bytes is cut before a UTF-8 sequence that would not fit whole and ends
 * with "…" (three bytes). Names are bytes with a length; they may hold anything.
 */
#ifndef LEAT_KERNELS_BASE_NAMES_H
#define LEAT_KERNELS_BASE_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define NAMES_MIN_BYTES 8
#define NAMES_MAX_BYTES 65535

/* Between the parts of a conjunction's name, as leat_name_text() of the plugin header writes it. */
#define NAME_AND " & "

/* Writes text[0 .. len), cut where it is longer than max_bytes, to out. Returns its bytes. */
uint32_t name_cut(const char *text, size_t len, uint32_t max_bytes, char *out);

struct names {
    uint32_t slots, max_bytes;
    uint16_t *len; /* slots              */
    char *text;    /* slots x max_bytes  */
    uint64_t cut;  /* names that were longer than max_bytes, of all that were set */
};

size_t names_block_bytes(uint32_t slots, uint32_t max_bytes);
/* block: zeroed, aligned to 2. max_bytes: NAMES_MIN_BYTES .. NAMES_MAX_BYTES. */
void names_init(struct names *n, uint32_t slots, uint32_t max_bytes, void *block);
void names_set(struct names *n, uint32_t slot, const char *text, size_t len);
/* The name of a slot: *len bytes without a NUL; length 0: none. */
static inline const char *names_get(const struct names *n, uint32_t slot, size_t *len)
{
    *len = n->len[slot];
    return n->text + (size_t)slot * n->max_bytes;
}

struct name_pool {
    char *bytes;
    size_t cap, used; /* cap at most UINT32_MAX */
    uint32_t max_bytes;
    uint64_t dropped; /* names that did not fit */
};

/* What a name of that length takes. */
static inline size_t name_pool_bytes(uint32_t len) { return len + sizeof(uint16_t); }
void name_pool_init(struct name_pool *p, void *bytes, size_t cap, uint32_t max_bytes);
/* Removes all names and resets the count of those dropped. */
void name_pool_clear(struct name_pool *p);
/* A number for the name; 0: the pool is full. */
uint32_t name_pool_add(struct name_pool *p, const char *text, size_t len);
/* The name of a number, *len bytes; of 0: an empty one. */
const char *name_pool_get(const struct name_pool *p, uint32_t number, size_t *len);

/* size[i] is 0 without a name, else 1 + its length. The texts lie one after the other. */
struct name_list {
    uint32_t n;
    uint64_t bytes; /* of all texts */
    uint32_t *size; /* NULL: not wanted                 */
    char *text;     /* NULL: not wanted                 */
};

/* Appends a name; text NULL: none. */
static inline void name_list_add(struct name_list *l, const char *text, size_t len)
{
    if (l->size) l->size[l->n] = text ? (uint32_t)len + 1 : 0;
    if (l->text && text && len) memcpy(l->text + l->bytes, text, len);
    l->n++;
    l->bytes += text ? len : 0;
}
/* Whether the sizes add up to the bytes. Those of a list from outside may not. */
bool name_list_fits(const struct name_list *l);
/* Name i, *len bytes; NULL: none. *at: the end of the name before, 0 at first. */
const char *name_list_next(const struct name_list *l, uint32_t i, uint64_t *at, size_t *len);

/* Two models may know one feature by different names (the ids collide, or the names were cut
 * differently). Whether a merge takes a, in whichever order it gets the two. A name comes before
 * none. */
bool name_preferred(const char *a, size_t a_len, const char *b, size_t b_len);

/* ---- packed names ----
 *
 * Texts of any length for slots that change their features, in a fixed number of
 * bytes: for models that keep short names of many features, most of them for a short time.
 *
 *   at     slot 0: 1 + its place in bytes | slot 1: 0, no name | ...        4 bytes a slot
 *   bytes  slot | length | text || slot | length | text || ... free
 *
 * A name that is replaced stays where it is until the bytes are full; then those that are still in
 * use move together, in their order, so what is kept depends only on the calls. A name that does
 * not fit even then is dropped and counted; its slot has none.
 */

enum { PACKED_NAMES_HEAD = 6 }; /* bytes of a name besides its text */

struct packed_names {
    uint32_t slots, max_bytes; /* of a name: it is cut as name_cut does it */
    uint32_t cap, used;        /* bytes                                    */
    uint32_t *at;              /* slots: 1 + place; 0: none                */
    char *bytes;               /* cap                                      */
    uint64_t dropped;
};

size_t packed_names_block_bytes(uint32_t slots, uint32_t cap);
/* block: zeroed, aligned to 4. max_bytes: NAMES_MIN_BYTES .. NAMES_MAX_BYTES. */
void packed_names_init(struct packed_names *n, uint32_t slots, uint32_t max_bytes, uint32_t cap,
                       void *block);
/* text NULL or len 0: the slot has no name any more. O(1), and O(cap) where they move together. */
void packed_names_set(struct packed_names *n, uint32_t slot, const char *text, size_t len);
/* The name of a slot: *len bytes without a NUL; length 0: none. */
const char *packed_names_get(const struct packed_names *n, uint32_t slot, size_t *len);

#endif
