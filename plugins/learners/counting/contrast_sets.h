/* contrast_sets.h -- which sampled records the rows of an answer of learn.contrast contain.
 *
 * Rows overlap, so their figures do not add up. The sets tell what several rows cover together,
 * what a further row adds, and how many outliers would be left without them. They come from the
 * samples of both kinds (kernels/counting/contrast/contrast_sample.h). A sample that has all
 * records gives exact figures.
 *
 * With amounts, a record counts as much as its amount. A sample of a part of the records still
 * chooses rows, but gives no figures: a few records may have most of a sum. */
#ifndef LEAT_LEARNERS_COUNTING_CONTRAST_SETS_H
#define LEAT_LEARNERS_COUNTING_CONTRAST_SETS_H

#include "contrast.h"
#include "contrast_figures.h"

/* Parts of the records by the number of rows that cover them: none, one, two, or more. */
enum { CONTRAST_STRATA = 4 };

struct contrast_sets {
    const struct contrast_held *held;
    struct contrast_sample_index index[2];
    struct contrast_sample_entry *entry;
    uint8_t *stratum[2];               /* of each sampled record */
    uint64_t *amount[2];               /* of each sampled record; 1 without amounts */
    uint64_t all[2];                   /* sum of these, which is the number of records */
    uint64_t size[2][CONTRAST_STRATA]; /* sums of each stratum */
    /* Bounds of the shares of the kinds that have the first row, and the sum of the sampled records
     * without. */
    struct contrast_figure first[2];
    uint64_t beside[2];
    bool several;     /* rows after the first one are covered */
    bool confuses;    /* the sample takes a feature of the rows for another one as well */
    uint32_t *record; /* records of one row */
};

size_t contrast_sets_bytes(const struct contrast_shape *s);
/* Makes the sets of a model, of which no record is covered. Returns LEAT_OK or LEAT_ENOMEM. */
int contrast_sets_make(struct leat_ctx *ctx, const struct contrast_held *h,
                       struct contrast_sets *s);
void contrast_sets_free(struct leat_ctx *ctx, struct contrast_sets *s);

/* Covers the records of the member of the first row, whose counts are known. What further rows
 * cover is estimated among the records without it. */
void contrast_sets_begin(struct contrast_sets *s, uint32_t slot);
/* Covers the records of a member. */
void contrast_sets_cover(struct contrast_sets *s, uint32_t slot);
/* Covers no record again. */
void contrast_sets_uncover(struct contrast_sets *s);
/* Returns the gain of a member (kernels/base/likelihood.h), summed over the strata. So a member
 * that only repeats the rows so far has none, and one that says more of records that they cover
 * has some. Of one sign, it is 0 if the rows so far cover more than four fifths of the member's
 * records of its kind: such a member is a part of them. If it refines a row, only records that
 * two rows cover are not new to it. A stratum in which `kind` is not more frequent in the
 * member's records counts with a minus. Takes the cautious ends of all bounds and estimates. */
double contrast_sets_gain(const struct contrast_sets *s, uint32_t slot, int kind, bool refines);

/* True if exactly the records without the member `of` have this one, as their counts say. */
bool contrast_sets_opposite(const struct contrast_sets *s, uint32_t slot, uint32_t of);

/* Returns the share of the records of kind 1 that are covered, with bounds of 99 %. */
struct contrast_figure contrast_sets_covered(const struct contrast_sets *s);
/* Returns the share of the outliers that would be left if the covered records had the rate of the
 * others: (1 - c1) / (q (1 - c1) + (1 - q) (1 - c0)), where c1 and c0 are the covered shares of the
 * kinds, and q is the rate of all records. It is at most 1. Its bounds hold with 95 %.
 *
 * Example. 60 % of the outliers and 20 % of the other records are covered, and q is 0.1. The others
 * have a rate of 5.3 %. So 53 % of the outliers would be left. */
struct contrast_figure contrast_sets_left(const struct contrast_sets *s);
#endif
