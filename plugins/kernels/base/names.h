/* names.h -- names of features, in a fixed number of bytes.
 *
 * struct names          a name for each slot, for a model whose slots change features (AWM)
 * struct name_pool      names that stay, one after the other until the pool is full (logistic)
 * struct name_list      names in an order, as a copy of a model holds them
 * struct packed_names   short names of many slots that change features often
 *
 * A name longer than max_bytes is cut at the end of a whole UTF-8 sequence, and then ends with
 * "…" (three bytes). Names are arbitrary bytes with a length.
 *
 * Example. "überlänge" has 11 bytes, because ü and ä take two each. With max_bytes 8 it becomes
 * "über…": five bytes of text, three of the ellipsis.
 */
#ifndef LEAT_KERNELS_BASE_NAMES_H
#define LEAT_KERNELS_BASE_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define NAMES_MIN_BYTES 8
#define NAMES_MAX_BYTES 65535

/* Separator in a conjunction's name; leat_name_text() of the plugin header writes the same text. */
#define NAME_AND " & "

/* Writes text[0 .. len) to out, cut if it is longer than max_bytes. Returns the bytes written. */
uint32_t name_cut(const char *text, size_t len, uint32_t max_bytes, char *out);

struct names {
    uint32_t slots, max_bytes;
    uint16_t *len; /* slots                                               */
    char *text;    /* slots x max_bytes                                   */
    uint64_t cut;  /* number of names set that were longer than max_bytes */
};

size_t names_block_bytes(uint32_t slots, uint32_t max_bytes);
/* block: zeroed, aligned to 2. max_bytes: NAMES_MIN_BYTES .. NAMES_MAX_BYTES. */
void names_init(struct names *n, uint32_t slots, uint32_t max_bytes, void *block);
void names_set(struct names *n, uint32_t slot, const char *text, size_t len);
/* Name of a slot: *len bytes without a NUL; length 0 if there is none. */
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

/* Bytes of the pool that a name of this length takes. */
static inline size_t name_pool_bytes(uint32_t len) { return len + sizeof(uint16_t); }
void name_pool_init(struct name_pool *p, void *bytes, size_t cap, uint32_t max_bytes);
/* Removes all names, and resets `dropped`. */
void name_pool_clear(struct name_pool *p);
/* Adds a name. Returns its number, or 0 if the pool is full. */
uint32_t name_pool_add(struct name_pool *p, const char *text, size_t len);
/* Name of a number, *len bytes; number 0 has the empty name. */
const char *name_pool_get(const struct name_pool *p, uint32_t number, size_t *len);

/* size[i] is 1 + the length of name i, or 0 if it has none. The texts lie one after the other. */
struct name_list {
    uint32_t n;
    uint64_t bytes; /* total length of the texts   */
    uint32_t *size; /* NULL to leave out the sizes */
    char *text;     /* NULL to leave out the texts */
};

/* Appends a name; text NULL appends an entry without a name. */
static inline void name_list_add(struct name_list *l, const char *text, size_t len)
{
    if (l->size) l->size[l->n] = text ? (uint32_t)len + 1 : 0;
    if (l->text && text && len) memcpy(l->text + l->bytes, text, len);
    l->n++;
    l->bytes += text ? len : 0;
}
/* True if the sizes add up to the bytes. The sizes of a list from outside may not. */
bool name_list_fits(const struct name_list *l);
/* Name i, *len bytes; NULL if there is none. *at: end of the name before, 0 for the first name. */
const char *name_list_next(const struct name_list *l, uint32_t i, uint64_t *at, size_t *len);

/* True if a merge takes the name a rather than b. Two models may know one feature by different
 * names, because ids collide or names were cut differently. The choice does not depend on the
 * order of the models. A name is preferred to no name. */
bool name_preferred(const char *a, size_t a_len, const char *b, size_t b_len);

/* ---- packed names ----
 *
 * Names of any length for slots that change their features, in a fixed number of bytes. For models
 * that keep short names of many features, most of them for a short time.
 *
 *   at     slot 0: 1 + its place in bytes | slot 1: 0, no name | ...        4 bytes a slot
 *   bytes  slot | length | text || slot | length | text || ... free
 *
 * A replaced name stays in place until the bytes are full. Then the names in use move together, in
 * their order, so the kept names depend only on the calls. A name that does not fit even then is
 * dropped and counted, and its slot has no name.
 */

enum { PACKED_NAMES_HEAD = 6 }; /* bytes of a name before its text */

struct packed_names {
    uint32_t slots, max_bytes; /* max_bytes: limit of a name, as in name_cut() */
    uint32_t cap, used;        /* in bytes                                     */
    uint32_t *at;              /* slots: 1 + place; 0: no name                 */
    char *bytes;               /* array of `cap` bytes                         */
    uint64_t dropped;
};

size_t packed_names_block_bytes(uint32_t slots, uint32_t cap);
/* block: zeroed, aligned to 4. max_bytes: NAMES_MIN_BYTES .. NAMES_MAX_BYTES. */
void packed_names_init(struct packed_names *n, uint32_t slots, uint32_t max_bytes, uint32_t cap,
                       void *block);
/* Sets the name of a slot; text NULL or len 0 removes it. O(1), or O(cap) when names move. */
void packed_names_set(struct packed_names *n, uint32_t slot, const char *text, size_t len);
/* Name of a slot: *len bytes without a NUL; length 0 if there is none. */
const char *packed_names_get(const struct packed_names *n, uint32_t slot, size_t *len);

#endif
