/* column_profile.h -- what a column of texts holds, from four kilobytes: how many are numbers and
 * between which bounds, about how many are different, and which are the most frequent.
 *
 *   texts_had   how many different texts there were: exact of up to DISTINCT_LISTED (distinct.h)
 *   kept        PROFILE_KEPT texts with counts, as Space-Saving has them: a new text takes the slot
 *               of the least count, and that count along as its excess, so
 *
 *                   count - excess <= times it came <= count
 *
 *               and whatever came more often than records / PROFILE_KEPT is kept. As long as no
 *               text has had to leave, all counts are exact.
 *
 * Texts are told apart by their hash of 64 bits, and kept by their first PROFILE_TEXT bytes. The
 * caller says what is empty and what is a number. No profile depends on how records were cut into
 * batches.
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
    uint32_t len;            /* of all of it */
    char text[PROFILE_TEXT]; /* how it begins */
};

/* Zeroed at first. */
struct column_profile {
    uint64_t texts, numbers; /* how many; of which so many are numbers */
    double low, high;        /* of the numbers                         */
    uint64_t longest;        /* bytes of a text                        */
    uint32_t n_kept;         /* slots that are taken                   */
    bool full;               /* a text has had to leave                */
    uint8_t listed;          /* hashes in texts_had; 0: registers      */
    struct profile_text kept[PROFILE_KEPT];
    union distinct_space texts_had;
};

/* One more text; number: what it is as a number, finite, or NaN. O(PROFILE_KEPT). */
void column_profile_add(struct column_profile *p, const char *text, size_t len, double number);

/* How many different texts: never more than there were texts, and exact where it says so. (Of
 * profiles of older states up to PROFILE_KEPT are exact: they list none.) */
double column_profile_distinct(const struct column_profile *p);
static inline bool column_profile_is_exact(const struct column_profile *p)
{
    return p->listed || !p->full;
}

/* The kept texts, what came most often for certain first, equal ones by their text; how many. */
uint32_t column_profile_rank(const struct column_profile *p,
                             const struct profile_text *ranked[PROFILE_KEPT]);

#endif
