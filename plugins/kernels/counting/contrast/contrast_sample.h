/* contrast_sample.h -- uniform sample of records with their features, in a fixed memory.
 *
 * The sample shows how many of the records several features cover together. It holds the records
 * whose hash is below a limit. When the words are used up, the limit is halved, and the records at
 * or above the new limit are dropped. So at least about half of the words stay in use.
 *
 *   word   hash | n | n folded ids | hash | n | ids ...
 *
 * If records have amounts, two words between n and the ids hold the amount.
 *
 * Example. The sample has 8 words. The record { 1, 2 } with the hash 0x20000000 and the record
 * { 3, 4 } with the hash 0xa0000000 take 4 words each. The record { 5 } with the hash 0x10000000
 * needs 3 words. So the limit falls to 2^31, the second record is dropped, and 7 words are in use.
 *
 * A record that is longer than the whole sample is left out. The hash of a record depends on its
 * number, not on its features. With the option `apart` it depends on the numbers of records of
 * both kinds, so that samples of splits, when they are merged, have other places of each split.
 *
 * To read the sample, contrast_sample_index() sorts its ids into an index. The records that contain
 * all of up to three ids are then found by searching for each id.
 */
#ifndef LEAT_KERNELS_COUNTING_CONTRAST_CONTRAST_SAMPLE_H
#define LEAT_KERNELS_COUNTING_CONTRAST_CONTRAST_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>

struct contrast_sample {
    uint32_t *word;
    uint32_t capacity, used;
    uint32_t head;  /* words of a record before its ids: 2, or 4 with amounts */
    uint32_t open;  /* index of the word where the current record begins, or CONTRAST_NOT_SAMPLED */
    uint64_t limit; /* upper limit of the hashes; 2^32 keeps every record */
};
#define CONTRAST_NOT_SAMPLED UINT32_MAX

/* Makes an empty sample. word: `capacity` words, owned by the caller. amounts: whether the records
 * have amounts. */
void contrast_sample_init(struct contrast_sample *s, uint32_t *word, uint32_t capacity,
                          bool amounts);
/* Begins a record. sampled: whether the record is of the kind to be sampled. The amount is ignored
 * if the records have none. */
void contrast_sample_begin(struct contrast_sample *s, uint32_t hash, bool sampled, uint64_t amount);
/* Appends an id to the current record, which must be sampled. Called by contrast_sample_add(). */
void contrast_sample_grow(struct contrast_sample *s, uint32_t id);
static inline void contrast_sample_add(struct contrast_sample *s, uint32_t id)
{
    if (s->open != CONTRAST_NOT_SAMPLED) contrast_sample_grow(s, id);
}

/* An id, and the number of a record that contains it. Records are numbered in their order. */
struct contrast_sample_entry {
    uint32_t id, record;
};
struct contrast_sample_index {
    struct contrast_sample_entry *entry; /* sorted by id, then by record */
    uint32_t n, records;
};

/* Makes the index of a sample. entry: room for s->used elements, owned by the caller. */
struct contrast_sample_index contrast_sample_index(const struct contrast_sample *s,
                                                   struct contrast_sample_entry *entry);
/* Writes the amounts of the records to `amount`, in their order; 1 if they have none. Returns the
 * sum. amount: room for one element a record. */
uint64_t contrast_sample_amounts(const struct contrast_sample *s, uint64_t *amount);
/* Writes the numbers of the records that contain all of n ids, 1 to 3, to `record`, ascending.
 * Returns the number of records. record: room for x->records elements. */
uint32_t contrast_sample_find(const struct contrast_sample_index *x, const uint32_t *id, uint32_t n,
                              uint32_t *record);

/* Adds the records of `from`, each `times` times. The limit becomes the largest one, of the smaller
 * limit and its halves, below which all records have room. So the records in m do not depend on the
 * order of merges. */
void contrast_sample_unite(struct contrast_sample *m, const struct contrast_sample *from,
                           uint32_t times);

/* A record of a sample. */
struct contrast_sample_place {
    const uint32_t *word;
    uint32_t n;
};
/* Memory to sort a sample: `capacity` words, and half as many records. */
struct contrast_sample_order {
    uint32_t *spare;
    struct contrast_sample_place *place;
};
/* Sorts the records by their words. */
void contrast_sample_sort(struct contrast_sample *s, const struct contrast_sample_order *order);
/* Checks a sample that was read from a snapshot. Returns NULL, or an error message. */
const char *contrast_sample_check(const struct contrast_sample *s);

#endif
