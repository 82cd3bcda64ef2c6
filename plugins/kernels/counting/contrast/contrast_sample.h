/* contrast_sample.h -- uniform sample of records with their features, in a fixed number of words.
 *
 * The sample shows which share of the records several features cover together. A record stays in
 * the sample while its hash is below a limit. When the words are used up, the limit is halved and
 * the records above it are dropped. So at least about half of the words stay in use.
 *
 *   word   hash | n | n folded ids | hash | n | ids ...
 *
 * Example. Of 8 words, the record { 1, 2 } of hash 0x20000000 and the record { 3, 4 } of hash
 * 0xa0000000 take 4 each. The record { 5 } of hash 0x10000000 needs 3. So the limit falls to 2^31,
 * the second record leaves, and 7 words are in use.
 *
 * A record with more ids than fit is left out. The hash is that of the record's number, so it does
 * not depend on the record's features.
 */
#ifndef LEAT_KERNELS_COUNTING_CONTRAST_CONTRAST_SAMPLE_H
#define LEAT_KERNELS_COUNTING_CONTRAST_CONTRAST_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>

struct contrast_sample {
    uint32_t *word;
    uint32_t capacity, used;
    uint32_t open;  /* word at which the current record begins, or CONTRAST_NOT_SAMPLED */
    uint64_t limit; /* of hashes; 2^32 keeps every record                               */
};
#define CONTRAST_NOT_SAMPLED UINT32_MAX

/* Makes an empty sample. word: memory of the caller, `capacity` words. */
void contrast_sample_init(struct contrast_sample *s, uint32_t *word, uint32_t capacity);
/* Begins a record. sampled: the record is of the sampled kind. */
void contrast_sample_begin(struct contrast_sample *s, uint32_t hash, bool sampled);
/* Adds an id to the current record. */
void contrast_sample_grow(struct contrast_sample *s, uint32_t id);
static inline void contrast_sample_add(struct contrast_sample *s, uint32_t id)
{
    if (s->open != CONTRAST_NOT_SAMPLED) contrast_sample_grow(s, id);
}

/* Sets first[r] to the smallest i such that record r has ids[i], or to n; records are in the order
 * of the sample. Returns their number. place: a zeroed table of `slots` words, a power of two, at
 * least 2 n. */
uint32_t contrast_sample_first(const struct contrast_sample *s, uint32_t n, const uint32_t *ids,
                               uint32_t slots, uint32_t *place, uint32_t *first);

/* Takes the records of a and b into m, which is empty and as large as either. */
void contrast_sample_merge(struct contrast_sample *m, const struct contrast_sample *a,
                           const struct contrast_sample *b);
/* Checks words of any origin. Returns NULL, or why they are no sample. */
const char *contrast_sample_check(const struct contrast_sample *s);

#endif
