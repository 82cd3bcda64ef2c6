/* column_profile.h -- profile of a column in 4 KB: its numbers, distinct and frequent texts
 *
 *   texts_had   set of the distinct texts: exact up to DISTINCT_LISTED, then estimated (distinct.h)
 *   kept        PROFILE_KEPT texts with their counts (Space-Saving). If no slot is free, a new text
 *               takes the slot with the smallest count. It inherits this count as its excess, so
 *
 *                   count - excess <= occurrences <= count
 *
 *               A text that occurs more than records / PROFILE_KEPT times is kept. Until a text
 *               is replaced, all counts are exact.
 *
 * Example. The texts a, b, a, 12 and 7 are 5 texts, 4 of them distinct, and 2 of them numbers,
 * between 7 and 12. The text a ranks first, with a count of 2. After 28 other texts, all 32 slots
 * are taken. The next new text replaces a text that came once: its count is 2 and its excess 1.
 *
 * Texts are identified by a 64-bit hash. Only their first PROFILE_TEXT bytes are stored. The
 * caller decides which texts are empty and which are numbers. The sizes of batches do not
 * affect the profile.
 *
 * Sources: P. Flajolet et al., HyperLogLog, AofA 2007; A. Metwally, D. Agrawal, A. El Abbadi,
 * Space-Saving, ICDT 2005.
 */
#ifndef LEAT_KERNELS_SUMMARIES_COLUMN_PROFILE_H
#define LEAT_KERNELS_SUMMARIES_COLUMN_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "distinct.h"

enum { PROFILE_KEPT = 32, PROFILE_TEXT = 48 };

struct profile_text {
    uint64_t hash, count, excess;
    uint32_t len;            /* bytes of the whole text */
    char text[PROFILE_TEXT]; /* first bytes of the text */
};

/* Profile of a column. A new profile is zeroed. */
struct column_profile {
    uint64_t texts, numbers; /* texts added, and how many of them are numbers     */
    double low, high;        /* smallest and largest number                       */
    uint64_t longest;        /* bytes of the longest text                         */
    uint32_t n_kept;         /* number of texts in `kept`                         */
    bool full;               /* true if a text in `kept` was ever replaced        */
    uint8_t listed;          /* hashes listed in texts_had; 0: it holds registers */
    struct profile_text kept[PROFILE_KEPT];
    union distinct_space texts_had;
};

/* Adds a text. `number` is its finite value, or NaN if the text is not a number.
 * O(PROFILE_KEPT). */
void column_profile_add(struct column_profile *p, const char *text, size_t len, double number);

/* Returns the estimated number of distinct texts. It is at most the number of texts, and exact if
 * column_profile_is_exact(). A profile from an older snapshot lists no hashes. It is exact up to
 * PROFILE_KEPT texts. */
double column_profile_distinct(const struct column_profile *p);
static inline bool column_profile_is_exact(const struct column_profile *p)
{
    return p->listed || !p->full;
}

/* Lists the kept texts in `ranked`, by descending guaranteed count (count - excess), then by text.
 * Returns their number. */
uint32_t column_profile_rank(const struct column_profile *p,
                             const struct profile_text *ranked[PROFILE_KEPT]);

#endif
