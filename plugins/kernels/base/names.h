/* names.h -- names of features, in a fixed number of bytes.
 *
 * struct names          one name for each slot, for a model whose slots change features (AWM)
 * struct name_pool      names that stay forever, added until the pool is full (logistic)
 * struct name_list      a list of names, as a copy of a model's state holds them
 * struct packed_names   names of any length for slots that change features often
 *
 * A name longer than max_bytes is cut after a whole UTF-8 sequence, and "…" (three bytes) is
 * appended. Names are arbitrary bytes with a length.
 *
 * Example. "überlänge" has 11 bytes, because ü and ä take two each. With max_bytes = 8 it becomes
 * "über…": five bytes of text and three of the ellipsis.
 */
#ifndef LEAT_KERNELS_BASE_NAMES_H
#define LEAT_KERNELS_BASE_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define NAMES_MIN_BYTES 8
#define NAMES_MAX_BYTES 65535

/* Separator in the name of a conjunction. leat_name_text() of the ABI uses the same text. */
#define NAME_AND " & "

/* Copies text[0 .. len) to out. A text longer than max_bytes is cut. Returns the bytes written. */
uint32_t name_cut(const char *text, size_t len, uint32_t max_bytes, char *out);

struct names {
    uint32_t slots, max_bytes;
    uint16_t *len; /* length of each slot's name */
    char *text;    /* slots x max_bytes */
    uint64_t cut;  /* how many names were cut */
};

size_t names_block_bytes(uint32_t slots, uint32_t max_bytes);
/* Makes a table of `slots` empty names. block: zeroed, aligned to 2. max_bytes: NAMES_MIN_BYTES ..
 * NAMES_MAX_BYTES. */
void names_init(struct names *n, uint32_t slots, uint32_t max_bytes, void *block);
void names_set(struct names *n, uint32_t slot, const char *text, size_t len);
/* Returns the name of a slot: *len bytes without a terminating NUL. *len is 0 if it has no name. */
static inline const char *names_get(const struct names *n, uint32_t slot, size_t *len)
{
    *len = n->len[slot];
    return n->text + (size_t)slot * n->max_bytes;
}

struct name_pool {
    char *bytes;
    size_t cap, used; /* cap <= UINT32_MAX */
    uint32_t max_bytes;
    uint64_t dropped; /* number of names that did not fit */
};

/* Bytes of the pool that a name of `len` bytes takes. */
static inline size_t name_pool_bytes(uint32_t len) { return len + sizeof(uint16_t); }
void name_pool_init(struct name_pool *p, void *bytes, size_t cap, uint32_t max_bytes);
/* Removes all names and sets `dropped` to 0. */
void name_pool_clear(struct name_pool *p);
/* Adds a name. Returns its number for name_pool_get(), or 0 if the pool is full. */
uint32_t name_pool_add(struct name_pool *p, const char *text, size_t len);
/* Returns the name that has this number, and sets *len to its bytes. Name number 0 is empty. */
const char *name_pool_get(const struct name_pool *p, uint32_t number, size_t *len);

/* List of names. size[i] is 1 + the length of name i, or 0 if entry i has no name. `text` holds the
 * texts one after the other. */
struct name_list {
    uint32_t n;
    uint64_t bytes; /* total length of the texts */
    uint32_t *size; /* NULL if the caller does not want the sizes */
    char *text;     /* NULL if the caller does not want the texts */
};

/* Appends a name, or an entry without a name if text is NULL. */
static inline void name_list_add(struct name_list *l, const char *text, size_t len)
{
    if (l->size) l->size[l->n] = text ? (uint32_t)len + 1 : 0;
    if (l->text && text && len) memcpy(l->text + l->bytes, text, len);
    l->n++;
    l->bytes += text ? len : 0;
}
/* True if the lengths in `size` add up to `bytes`. Checks a list that was read from a snapshot. */
bool name_list_fits(const struct name_list *l);
/* Returns name i (*len bytes), or NULL if entry i has no name. Moves *at to the end of name i. Call
 * it for i = 0, 1, ... in order, with *at = 0 for i = 0. */
const char *name_list_next(const struct name_list *l, uint32_t i, uint64_t *at, size_t *len);

/* True if a merge takes the name a rather than the name b. Two models may know a feature by
 * different names, because ids collide or names were cut differently. The choice does not depend on
 * the order of the models. A name is preferred to no name. */
bool name_preferred(const char *a, size_t a_len, const char *b, size_t b_len);

/* ---- packed names ----
 *
 * Stores names of any length for slots that change features, in a fixed number of bytes. It suits
 * models that keep many features with short names, most of them for a short time.
 *
 *   at     for each slot: 1 + offset of its name in `bytes`; 0: no name        4 bytes a slot
 *   bytes  slot | length | text || slot | length | text || ... free
 *
 * A replaced name stays in `bytes` until there is no room for a new one. Then the names in use move
 * together, in their order. So which names are kept depends only on the sequence of calls. If the
 * new name still does not fit, its slot gets no name, and `dropped` grows by 1.
 */

enum { PACKED_NAMES_HEAD = 6 }; /* bytes of slot and length, before the text */

struct packed_names {
    uint32_t slots, max_bytes; /* max_bytes: limit for name_cut() */
    uint32_t cap, used;        /* bytes of the array `bytes`, and how many are in use */
    uint32_t *at;              /* slots: 1 + offset in `bytes`; 0: no name */
    char *bytes;
    uint64_t dropped;
};

size_t packed_names_block_bytes(uint32_t slots, uint32_t cap);
/* Makes a store without names. block: zeroed, aligned to 4. max_bytes:
 * NAMES_MIN_BYTES .. NAMES_MAX_BYTES. */
void packed_names_init(struct packed_names *n, uint32_t slots, uint32_t max_bytes, uint32_t cap,
                       void *block);
/* Sets the name of a slot, or removes it if text is NULL or len is 0. O(1),
 * or O(cap) if names move. */
void packed_names_set(struct packed_names *n, uint32_t slot, const char *text, size_t len);
/* Returns the name of a slot: *len bytes without a terminating NUL. *len is 0 if it has no name. */
const char *packed_names_get(const struct packed_names *n, uint32_t slot, size_t *len);

#endif
