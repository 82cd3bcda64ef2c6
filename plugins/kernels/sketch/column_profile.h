/* column_profile.h -- profile of a column of texts in 4 KB: numbers, bounds, distinct, frequent
 *
 *   texts_had   set of the distinct texts: exact up to DISTINCT_LISTED, then estimated (distinct.h)
 *   kept        PROFILE_KEPT texts with counts, kept by Space-Saving. A new text takes the slot
 *               with the least count and inherits this count as its excess, so
 *
 *                   count - excess <= occurrences <= count
 *
 *               A text that occurs more than records / PROFILE_KEPT times is kept. While no text
 *               has been replaced, all counts are exact.
 *
 * Example. The texts a, b, a, 12 and 7 are 5 texts, 4 of them distinct, and 2 numbers between 7 and
 * 12. a ranks first, with a count of 2. After 28 other texts, all 32 slots are taken. One more text
 * then replaces a text that came once: its count is 2, its excess 1.
 *
 * Texts are identified by a 64-bit hash, and stored by their first PROFILE_TEXT bytes. The caller
 * decides which texts are empty and which are numbers. The profile does not depend on how records
 * were cut into batches.
 *
 * Sources: P. Flajolet et al., HyperLogLog, AofA 2007; A. Metwally, D. Agrawal, A. El Abbadi,
 * Space-Saving, ICDT 2005.
 */
#ifndef LEAT_KERNELS_SKETCH_COLUMN_PROFILE_H
#define LEAT_KERNELS_SKETCH_COLUMN_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "distinct.h"

enum { PROFILE_KEPT = 32, PROFILE_TEXT = 48 };

struct profile_text {
    uint64_t hash, count, excess;
    uint32_t len;            /* length of the whole text */
    char text[PROFILE_TEXT]; /* first bytes of the text */
};

/* Must be zeroed at first. */
struct column_profile {
    uint64_t texts, numbers; /* texts added; texts that are numbers */
    double low, high;        /* bounds of the numbers                  */
    uint64_t longest;        /* bytes of the longest text              */
    uint32_t n_kept;         /* slots in use                           */
    bool full;               /* a text has been replaced               */
    uint8_t listed;          /* hashes listed in texts_had; 0: registers */
    struct profile_text kept[PROFILE_KEPT];
    union distinct_space texts_had;
};

/* Adds a text. `number` is its value, finite, or NaN if it is not a number. O(PROFILE_KEPT). */
void column_profile_add(struct column_profile *p, const char *text, size_t len, double number);

/* Returns the estimated number of distinct texts, at most the number of texts. It is exact if
 * column_profile_is_exact(). Profiles restored from older states list no hashes; they are exact up
 * to PROFILE_KEPT texts. */
double column_profile_distinct(const struct column_profile *p);
static inline bool column_profile_is_exact(const struct column_profile *p)
{
    return p->listed || !p->full;
}

/* Ranks the kept texts by their certain count (count - excess), highest first, ties by text.
 * Returns how many there are. */
uint32_t column_profile_rank(const struct column_profile *p,
                             const struct profile_text *ranked[PROFILE_KEPT]);

#endif
