/* tallies.h -- counts of texts, for many owners, in a fixed number of bytes.
 *
 * Each owner has a tally: a list of texts with their counts. All tallies take their entries from
 * one pool, so a few owners may have many texts each, or many owners a few.
 *
 *     tally     a: 3 texts           b: 1 text              bound: limit of how often a text that
 *     pool      [x 7] -> [y 2] -> [z 1]    [x 4]            is not in the list may have occurred
 *     index     finds an entry by a hash of (owner, text)
 *
 * All counts are exact until a tally has `limit` texts. Then it evicts the quarter of its texts
 * with the smallest counts, and `bound` becomes the largest of these counts. A text that is added
 * later may have occurred `bound` times before, so it starts with count = bound + 1 and
 * excess = bound. So always
 *
 *     count - excess <= occurrences of a text <= count      occurrences of any other text <= bound
 *
 * This is Space-Saving with many evictions at a time. If the limit does not change, bound <=
 * N / (3/4 limit) after N texts. Proof: each text adds one to the sum of count - bound over the
 * list. An eviction that raises the bound by d takes d from each of the 3/4 limit texts that stay.
 *
 * Example. With the limit 32, texts t1 .. t32 occur, text tk k times. All counts are exact. A new
 * text evicts t1 .. t8, the quarter with the smallest counts, so the bound becomes 8. The new text
 * has count 9 and excess 8: it has occurred at least once, and at most 9 times. By then N = 529,
 * and the bound 8 is below N / 24 = 22.
 *
 * When the pool is used up, the limit is halved and all tallies above it evict texts; this is
 * repeated until an entry is free. Each owner can always have TALLIES_LEAST entries. Once three
 * quarters of the pool are free again, the limit returns to its initial value, `most`.
 *
 * Texts are compared by their 64-bit hash. Only their first TALLY_TEXT bytes are stored. Results
 * depend only on the sequence of calls.
 *
 * The index begins small and grows with the number of texts, so that few texts take few lines of
 * the processor's cache. A slot has bits of the hash, so that most other texts need not be read.
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

/* Tally of an owner. The caller provides its memory, which must not move. All zeros: an
 * empty tally. */
struct tally {
    uint32_t first, last; /* first and last entry, plus 1; 0: none */
    uint32_t n, reserved;
    uint64_t bound;
};

struct tallied {
    uint64_t hash, count, excess;
    struct tally *of; /* owner's tally; NULL: the entry is free                       */
    uint32_t next;    /* next entry of the tally, or next free entry, plus 1; 0: none */
    uint32_t len;     /* length of the whole text                                     */
    char text[TALLY_TEXT];
};

struct tallies {
    uint32_t capacity, n;
    uint32_t most, limit; /* limit of texts per tally: initially, and now                        */
    uint32_t fresh, free; /* number of entries ever used; 1 + first entry of the free list, or 0 */
    uint32_t slots;       /* length of `index`: a power of two, at least 4/3 of capacity         */
    uint32_t used_slots;  /* the first slots, which are searched: twice n, as far as there are   */
    uint32_t numbers;     /* mask of the bits of a slot that hold the number of an entry         */
    struct tallied *entry;
    uint32_t *index; /* number of an entry + 1, and bits of its hash above it; 0: empty slot */
    uint64_t *work;  /* scratch, `most` numbers                                              */
};

/* Returns the bytes of a block. capacity: number of entries, TALLIES_LEAST times the number
 * of owners. */
size_t tallies_block_bytes(uint32_t capacity);
/* Initialises an empty pool. block: zeroed, aligned to 8. work: `most` numbers. most: TALLIES_LEAST
 * or more. At most capacity / TALLIES_LEAST owners may have texts at the same time. */
void tallies_init(struct tallies *t, uint32_t capacity, uint32_t most, void *block, uint64_t *work);

/* Counts an occurrence of a text for the owner of tally `of`. */
void tallies_add(struct tallies *t, struct tally *of, const char *text, size_t len);

/* Removes all texts from the tally of an owner. */
void tallies_forget(struct tallies *t, struct tally *of);

/* Removes all texts of all owners. The caller must zero the tallies. */
void tallies_clear(struct tallies *t);

/* Returns the text of a tally that follows `after`, or the first text if `after` is NULL. Texts are
 * in the order in which they were added. Returns NULL after the last. */
const struct tallied *tallies_next(const struct tallies *t, const struct tally *of,
                                   const struct tallied *after);

/* Appends a text from a snapshot, with its hash, count, excess, len and text. Returns false if the
 * tally already has it, if it contradicts the tally's bound, or if no entry is free. */
bool tallies_append(struct tallies *t, struct tally *of, const struct tallied *text);

/* Returns the number of bytes of a text that are stored. */
static inline uint32_t tallied_text_bytes(const struct tallied *a)
{
    return a->len < TALLY_TEXT ? a->len : TALLY_TEXT;
}

/* True if every entry is in exactly one list, the index finds it, and its counts respect its
 * tally's bound. For tests. */
bool tallies_check(const struct tallies *t);

#endif
