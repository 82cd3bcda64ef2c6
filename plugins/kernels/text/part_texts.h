/* part_texts.h -- texts that grow in parts, several at a time, within one block of memory.
 *
 * The memory is cut into blocks. A text is a list of blocks, of which only the last has room:
 *
 *     text a    [first part, seco] -> [nd part         ]
 *     text b    [another         ]
 *     free      [                ] -> [                ]
 *
 * So no text is moved when it grows, and the blocks of a finished text serve any other one. Which
 * texts fit depends only on the parts, not on the order in which blocks became free.
 *
 * Cost: one copy of each part, and one of the whole text. */
#ifndef LEAT_KERNELS_TEXT_PART_TEXTS_H
#define LEAT_KERNELS_TEXT_PART_TEXTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PART_BLOCK = 4096 };

/* A text; zeroed while it has no parts. */
struct part_text {
    uint32_t first, last; /* its blocks */
    uint64_t n;           /* its bytes  */
};

struct part_texts {
    char *bytes;
    uint32_t *next; /* of each block: the next one of its list */
    uint32_t blocks, free, n_free;
};

/* Returns the bytes of memory for this many blocks. */
static inline uint64_t part_texts_bytes(uint32_t blocks)
{
    return blocks * (uint64_t)(PART_BLOCK + sizeof(uint32_t));
}

/* Frees all blocks. `memory` has part_texts_bytes(), aligned to 4. */
void part_texts_init(struct part_texts *p, void *memory, uint32_t blocks);
/* Returns the number of blocks that n more bytes of the text take. */
uint64_t part_texts_more(const struct part_text *t, uint64_t n);
/* Appends n bytes to the text. There are part_texts_more() free blocks. */
void part_texts_add(struct part_texts *p, struct part_text *t, const char *bytes, size_t n);
/* Copies the text to `to`, which has room for its bytes. */
void part_texts_copy(const struct part_texts *p, const struct part_text *t, char *to);
/* Frees the blocks of the text. */
void part_texts_drop(struct part_texts *p, struct part_text *t);

#endif
