/* contrast_sample.h -- the features of some records, each record with the same chance, in a fixed
 * number of words: what share of the records several features cover together is counted there.
 *
 * A record is in the sample while its hash is below a limit. When the words are used up, the limit
 * is halved and the records above it are dropped, so about half the words stay in use at least.
 *
 *   word   hash | n | n folded ids | hash | n | ids ...
 *
 * A record that has more ids than fit is left out. The hash is of the record's number, so it is
 * chance; it does not depend on the record's features.
 */
#ifndef LEAT_KERNELS_COUNTING_CONTRAST_CONTRAST_SAMPLE_H
#define LEAT_KERNELS_COUNTING_CONTRAST_CONTRAST_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>

struct contrast_sample {
    uint32_t *word;
    uint32_t capacity, used;
    uint32_t open;  /* the word where the record at hand begins; CONTRAST_NOT_SAMPLED */
    uint64_t limit; /* 2^32: every record */
};
#define CONTRAST_NOT_SAMPLED UINT32_MAX

/* Empty. word: the caller's. */
void contrast_sample_init(struct contrast_sample *s, uint32_t *word, uint32_t capacity);
/* A record begins; sampled: it is of the kind that is sampled. */
void contrast_sample_begin(struct contrast_sample *s, uint32_t hash, bool sampled);
/* One more id of it. */
void contrast_sample_grow(struct contrast_sample *s, uint32_t id);
static inline void contrast_sample_add(struct contrast_sample *s, uint32_t id)
{
    if (s->open != CONTRAST_NOT_SAMPLED) contrast_sample_grow(s, id);
}

/* first[r] = the smallest i such that record r has ids[i], or n; records in the order of the
 * sample. Returns how many there are. place: a table of `slots` words (a power of two, at least
 * 2 n), zeroed. */
uint32_t contrast_sample_first(const struct contrast_sample *s, uint32_t n, const uint32_t *ids,
                               uint32_t slots, uint32_t *place, uint32_t *first);

/* The records of a and b; m is empty and as large as either. Words that were written may be any:
 * NULL, or what is wrong with them. */
void contrast_sample_merge(struct contrast_sample *m, const struct contrast_sample *a,
                           const struct contrast_sample *b);
const char *contrast_sample_check(const struct contrast_sample *s);

#endif
