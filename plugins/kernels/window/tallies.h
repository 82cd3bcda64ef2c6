/* tallies.h -- how often each text came, for many owners, in a fixed number of bytes.
 *
 * An owner has a tally: a list of texts with their counts. All tallies take their entries from one
 * pool, so that a few owners may have many texts each, or many owners a few.
 *
 *     tally     a: 3 texts           b: 1 text              bound: how often a text that is not
 *     pool      [x 7] -> [y 2] -> [z 1]    [x 4]            in the list may have come; 0 at first
 *     index     by hash of (owner, text): the entry
 *
 * All counts are exact until a tally has `limit` texts. Then the quarter of its texts that came
 * least often leaves, and `bound` becomes the most that any of these may have come. A text that
 * enters later may have come so often before: it starts with count = bound + 1, excess = bound. So
 * always
 *
 *     count - excess <= times it came <= count         times any other came <= bound
 *
 * This is Space-Saving with many evictions at a time. With the same limit all the time, after N
 * texts bound <= N / (3/4 limit): each eviction that raises the bound by d takes d of count - bound
 * from each of the 3/4 limit texts that stay, and every text that comes adds one to the sum of
 * these.
 *
 * When the pool is used up, the limit is halved and all tallies above it evict, until there is
 * space. TALLIES_LEAST entries an owner are always there. The limit is what it was at first once
 * three quarters of the pool are free again.
 *
 * Texts are told apart by their hash of 64 bits, and kept by their first TALLY_TEXT bytes. All
 * that can be seen depends only on the texts that came, in their order, and on what was forgotten.
 *
 * Cost: O(1) for each text, on average.
 *
 * Sources: A. Metwally, D. Agrawal, A. El Abbadi, Space-Saving, ICDT 2005; evictions of many at a
 * time: D. Anderson et al., A high-performance algorithm for identifying frequent items in data
 * streams, IMC 2017. */
#ifndef LEAT_KERNELS_WINDOW_TALLIES_H
#define LEAT_KERNELS_WINDOW_TALLIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TALLIES_LEAST = 32, TALLY_TEXT = 48 };

/* Of an owner; the caller's memory, which stays where it is. Of zeros it is empty. */
struct tally {
    uint32_t first, last; /* entries + 1; 0: none */
    uint32_t n, reserved;
    uint64_t bound;
};

struct tallied {
    uint64_t hash, count, excess;
    struct tally *of; /* NULL: free */
    uint32_t next;    /* of its tally, or of the free ones: entry + 1; 0: the last */
    uint32_t len;     /* of all of the text */
    char text[TALLY_TEXT];
};

struct tallies {
    uint32_t capacity, n;
    uint32_t most, limit; /* texts of a tally: at first, and now */
    uint32_t fresh, free; /* entries from here on were never used; used ones, entry + 1: 0 none */
    uint32_t slots;       /* a power of two, at least 4/3 of the capacity */
    struct tallied *entry;
    uint32_t *index; /* entry + 1; 0: none */
    uint64_t *work;  /* `most` */
};

/* Of so many owners, each with up to `most` texts: capacity = owners * TALLIES_LEAST. */
size_t tallies_block_bytes(uint32_t capacity);
/* block: zeroed, aligned to 8. work: `most` numbers. most: TALLIES_LEAST or more; at most
 * capacity / TALLIES_LEAST owners will have texts at a time. */
void tallies_init(struct tallies *t, uint32_t capacity, uint32_t most, void *block, uint64_t *work);

/* One more text of an owner. */
void tallies_add(struct tallies *t, struct tally *of, const char *text, size_t len);

/* The owner has none any more. */
void tallies_forget(struct tallies *t, struct tally *of);

/* Nobody has any; all tallies are to be zeroed. */
void tallies_clear(struct tallies *t);

/* The texts of a tally, in the order in which they entered: from NULL on; NULL: no more. */
const struct tallied *tallies_next(const struct tallies *t, const struct tally *of,
                                   const struct tallied *after);

/* Appends what was kept elsewhere: hash, count, excess, len and text. false: the tally has it, it
 * contradicts the tally's bound, or there is no space. */
bool tallies_append(struct tallies *t, struct tally *of, const struct tallied *text);

/* What is shown of a text. */
static inline uint32_t tallied_text_bytes(const struct tallied *a)
{
    return a->len < TALLY_TEXT ? a->len : TALLY_TEXT;
}

/* Is every entry in one list, found by its hash, and as its tally's bound allows? For tests. */
bool tallies_check(const struct tallies *t);

#endif
