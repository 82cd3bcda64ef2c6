/* names.h -- names of features, in a fixed number of bytes.
 *
 * struct names          names of slots that change features (AWM, contrast)
 * struct name_pool      names that stay forever, added until the pool is full (logistic)
 * struct name_list      a list of names, as a copy of a model's state holds them
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

/* ---- names of slots ----
 *
 *   at     for each slot: 1 + offset of its name in `bytes`; 0: no name
 *   bytes  slot | length | text || slot | length | text || ... free
 *
 * A replaced name stays in `bytes` until there is no room for a new one, or until replaced names
 * have more bytes than the others. Then the names in use move together, in their order. So few
 * short names touch little memory. Which names are kept depends only on the sequence of calls. If a
 * name still does not fit, its slot gets no name, and `dropped` grows by 1.
 */

struct names {
    uint32_t slots, max_bytes; /* max_bytes: limit for name_cut() */
    size_t cap, used, live;    /* bytes of the array `bytes`: all, in use, and of names in use */
    uint32_t *at;              /* [slots] */
    char *bytes;
    uint64_t cut, dropped; /* number of names that were cut, and that did not fit */
};

/* Bytes in which a name of each slot fits, however long, up to 4 GB: suits `cap`. */
size_t names_room(uint32_t slots, uint32_t max_bytes);
size_t names_block_bytes(uint32_t slots, size_t cap);
/* Makes a store without names. block: zeroed, aligned to 4. max_bytes: NAMES_MIN_BYTES ..
 * NAMES_MAX_BYTES. */
void names_init(struct names *n, uint32_t slots, uint32_t max_bytes, size_t cap, void *block);
/* Sets the name of a slot, or removes it if text is NULL or len is 0. O(1), amortised. */
void names_set(struct names *n, uint32_t slot, const char *text, size_t len);
/* Swaps the names of two slots. */
void names_swap(struct names *n, uint32_t a, uint32_t b);
/* Returns the name of a slot: *len bytes without a terminating NUL. *len is 0 if it has no name. */
const char *names_get(const struct names *n, uint32_t slot, size_t *len);

/* ---- a pool and a list ---- */

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

#endif
