/* names.h -- texts for features, in a fixed number of bytes.
 *
 * struct names        one name a slot, for a model with slots whose features come and go (AWM).
 * struct name_pool    names that stay, one behind the other until the pool is full (logistic).
 *
 * A name longer than max_bytes is cut before a UTF-8 sequence that would not fit whole and ends
 * with "…" (three bytes). Names are bytes with a length; they may hold anything.
 */
#ifndef KERNEL_NAMES_H
#define KERNEL_NAMES_H

#include <stddef.h>
#include <stdint.h>

#define NAMES_MIN_BYTES 8
#define NAMES_MAX_BYTES 65535

/* Bytes of text[0 .. len) that name_cut writes to out (room for max_bytes). */
uint32_t name_cut(const char *text, size_t len, uint32_t max_bytes, char *out);

struct names {
    uint32_t slots, max_bytes;
    uint16_t *len; /* slots              */
    char *text;    /* slots x max_bytes  */
};

size_t names_block_bytes(uint32_t slots, uint32_t max_bytes);
/* block: zeroed, aligned to 2. max_bytes: NAMES_MIN_BYTES .. NAMES_MAX_BYTES. */
void names_init(struct names *n, uint32_t slots, uint32_t max_bytes, void *block);
void names_set(struct names *n, uint32_t slot, const char *text, size_t len);
void names_clear(struct names *n, uint32_t slot);
/* The name of a slot, *len bytes, no NUL; length 0: none. */
const char *names_get(const struct names *n, uint32_t slot, size_t *len);

struct name_pool {
    char *bytes;
    size_t cap, used; /* cap at most UINT32_MAX */
    uint32_t max_bytes;
    uint64_t dropped; /* names that found no room */
};

void name_pool_init(struct name_pool *p, void *bytes, size_t cap, uint32_t max_bytes);
/* A number for the name, or 0: the pool is full. */
uint32_t name_pool_add(struct name_pool *p, const char *text, size_t len);
const char *name_pool_get(const struct name_pool *p, uint32_t number, size_t *len);

#endif
