/* contrast_sample.h -- uniform sample of records with their features, in a fixed memory.
 *
 * The sample shows how many of the records several features cover together. It holds the records
 * whose hash is below a limit. When the words are used up, the limit is halved, and the records at
 * or above the new limit are dropped. So at least about half of the words stay in use.
 *
 *   word   hash | n | n folded ids | hash | n | ids ...
 *
 * Example. The sample has 8 words. The record { 1, 2 } with the hash 0x20000000 and the record
 * { 3, 4 } with the hash 0xa0000000 take 4 words each. The record { 5 } with the hash 0x10000000
 * needs 3 words. So the limit falls to 2^31, the second record is dropped, and 7 words are in use.
 *
 * A record that is longer than the whole sample is left out. The hash of a record depends on its
 * number, not on its features.
 */
#ifndef LEAT_KERNELS_COUNTING_CONTRAST_CONTRAST_SAMPLE_H
#define LEAT_KERNELS_COUNTING_CONTRAST_CONTRAST_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>

struct contrast_sample {
    uint32_t *word;
    uint32_t capacity, used;
    uint32_t open;  /* index of the word where the current record begins, or CONTRAST_NOT_SAMPLED */
    uint64_t limit; /* upper limit of the hashes; 2^32 keeps every record */
};
#define CONTRAST_NOT_SAMPLED UINT32_MAX

/* Makes an empty sample. word: `capacity` words, owned by the caller. */
void contrast_sample_init(struct contrast_sample *s, uint32_t *word, uint32_t capacity);
/* Begins a record. sampled: whether the record is of the kind to be sampled. */
void contrast_sample_begin(struct contrast_sample *s, uint32_t hash, bool sampled);
/* Appends an id to the current record, which must be sampled. Called by contrast_sample_add(). */
void contrast_sample_grow(struct contrast_sample *s, uint32_t id);
static inline void contrast_sample_add(struct contrast_sample *s, uint32_t id)
{
    if (s->open != CONTRAST_NOT_SAMPLED) contrast_sample_grow(s, id);
}

/* For each record r of the sample, in order, sets first[r] to the smallest i such that the record
 * contains ids[i], or to n if it contains none of the ids. Returns the number of records. place: a
 * zeroed table of `slots` words; slots is a power of two, at least 2 n. */
uint32_t contrast_sample_first(const struct contrast_sample *s, uint32_t n, const uint32_t *ids,
                               uint32_t slots, uint32_t *place, uint32_t *first);

/* Merges a and b into m, which is empty and has the capacity of the larger one. */
void contrast_sample_merge(struct contrast_sample *m, const struct contrast_sample *a,
                           const struct contrast_sample *b);
/* Checks a sample that was read from a snapshot. Returns NULL, or an error message. */
const char *contrast_sample_check(const struct contrast_sample *s);

#endif
