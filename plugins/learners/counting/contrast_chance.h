/* contrast_chance.h -- whether what learn.contrast shows is more than chance. */
#ifndef LEAT_LEARNERS_COUNTING_CONTRAST_CHANCE_H
#define LEAT_LEARNERS_COUNTING_CONTRAST_CHANCE_H

#include <leat/plugin.h>
#include <leat/query.h>

#include "kernels/counting/contrast/contrast.h"

/* What a question has found: rows, and those of them that are no more than chance. */
struct contrast_found {
    bool asked;
    uint32_t rows, chance;
    char more[80]; /* the rows that are, "1-4, 9", as far as there is room */
    uint32_t last; /* the last of them                                     */
    struct leat_query question;
    uint64_t records; /* learned when it was asked */
    double features;  /* that could have been rows */
    bool pairs;       /* some of them are combinations */
};

/* Is a count between low and high large enough? One that is known well may be so; one whose bounds
 * are wide must be. */
bool contrast_reaches(double low, double high, double least);
/* From so many records on, faded, a feature can be a row. */
double contrast_least_records(const struct contrast *m, const struct leat_query *q);
/* How many features could be, whatever the labels of their records are: at most so many, and
 * exactly so many where all are members. >= 1. O(members). */
double contrast_could_be_rows(const struct contrast *m, const struct leat_query *q);
/* At most so many of `features` would luck alone make as uneven as this one, if labels did not
 * matter to any, by Fisher's exact test at the end of its bounds that is nearest to none: of all
 * records; and of those of each part of a conjunction, which shares how uneven its parts are.
 * part: the ids of up to three, ended by 0, or NULL. positive: more frequent in kind 1; else in
 * either. (Faded counts vary less than whole ones: it is too large then.) */
double contrast_luck(const struct contrast *m, uint32_t slot, const uint32_t *part, bool positive,
                     double features);
/* Above this it is no more than chance: what comes in one of twenty streams. */
#define CONTRAST_CHANCE 0.05
/* Counts the next row, of such luck. All zero is the start. */
void contrast_found_row(struct contrast_found *f, double luck);

/* One sentence where no row was found, or most are no more than chance; `text`, or NULL. Where no
 * row is left it names the columns that no features were made of. */
const char *contrast_nothing(const struct contrast *m, const struct contrast_found *found,
                             const struct leat_strings *left_out, char *text, size_t n);

#endif
