/* contrast_sums.h -- sums of amounts of features, with bounds: the part of contrast.h that weighs.
 *
 * Each record has an amount, such as bytes or euros. The sum of a feature in a kind is the sum of
 * the amounts of its records. Sums are integers in a unit that the caller chooses. So they are
 * exact, and the same in any order. The bounds are those of counts:
 *
 *   member   sum[2] | excess[2] | largest[2]        sum - excess <= true sum <= sum
 *   cells    two rows of `width` words of 64 bits for each kind
 *
 * `largest` is at least the largest amount of the feature's records of a kind. What came before
 * the feature became a member is at most its excess, and at most the largest amount of all records.
 * A merge with a weight below 1 leaves records out, so `largest` may be above the sum of the rest.
 * contrast.h decides which features are members; with amounts, their keys come from the sums.
 *
 * Example. Amounts are in cents. Feature 7 is a member and comes in two records of kind 1, of 3.00
 * and 1.50. Its sums are { 0, 450 } and its largest amounts { 0, 300 }. When it leaves, its cells
 * of kind 1 are raised to 450.
 *
 * Sums are at most CONTRAST_SUMS_MOST. The caller keeps the sum of all amounts below
 * CONTRAST_SUMS_TOTAL. Only cells of other features could become larger, and stop there. */
#ifndef LEAT_KERNELS_COUNTING_CONTRAST_CONTRAST_SUMS_H
#define LEAT_KERNELS_COUNTING_CONTRAST_CONTRAST_SUMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/base/count.h"

#define CONTRAST_SUMS_MOST  ((uint64_t)1 << 62)
#define CONTRAST_SUMS_TOTAL ((uint64_t)1 << 60) /* 1.15e18 units */

/* Sums of one member, for kind 0 and kind 1. */
struct contrast_sum {
    uint64_t sum[2], excess[2], largest[2];
};

struct contrast_sums {
    struct contrast_sum *member; /* [members], by slot; NULL: amounts are not summed */
    uint64_t *cell;              /* [2 x CONTRAST_DEPTH][width] */
    uint32_t width;
    uint64_t amount;      /* of the current record */
    uint64_t total[2];    /* sums of the amounts of all records */
    uint64_t largest[2];  /* largest amounts of all records */
    uint64_t occurrences; /* sum of all features' sums, at most CONTRAST_SUMS_MOST */
};

static inline uint64_t contrast_sums_add(uint64_t a, uint64_t b)
{
    return a + b < CONTRAST_SUMS_MOST ? a + b : CONTRAST_SUMS_MOST;
}

/* Returns a + count * b. */
static inline uint64_t contrast_sums_plus(uint64_t a, uint64_t b, double count)
{
    return count_add_up_to(CONTRAST_SUMS_MOST, a, b, count);
}

/* Begins a record of a kind. */
void contrast_sums_record(struct contrast_sums *s, int kind, uint64_t amount);
/* Returns the cell of a feature in row 0 or 1 of a kind. Each half of `mix` selects one. */
uint64_t *contrast_sums_cell(const struct contrast_sums *s, int kind, uint32_t row, uint64_t mix);
/* Returns the smallest cell of a feature for a kind. `mix`: as for the cells of counts. */
uint64_t contrast_sums_least(const struct contrast_sums *s, int kind, uint64_t mix);
/* Raises the cells of a feature that are below `sum`. */
void contrast_sums_raise(struct contrast_sums *s, int kind, uint64_t mix, uint64_t sum);
/* Adds the current record to a feature that is no member, and returns its sums. They have a place
 * nowhere yet: the caller raises cells to them, or makes the feature a member. */
struct contrast_sum contrast_sums_newcomer(struct contrast_sums *s, int kind, uint64_t mix);
/* Adds the current record to a member. */
void contrast_sums_count(struct contrast_sums *s, uint32_t slot, int kind);

/* Returns the mean amount of a record, at least one unit. */
double contrast_sums_mean(const struct contrast_sums *s, uint64_t records);

/* Returns a message about a broken invariant of the n members, or NULL. */
const char *contrast_sums_check(const struct contrast_sums *s, uint32_t n);

/* Adds the totals, the cells and the occurrences of `from`, which counts `count` times. */
void contrast_sums_add_all(struct contrast_sums *s, const struct contrast_sums *from, double count);
/* Adds the sums of a member of another model, which counts `count` times, to a member. */
void contrast_sums_unite(struct contrast_sum *to, const struct contrast_sum *from, double count);

#endif
