/* contrast.h -- learn.contrast: its model with names and memory, its answer, and the test of
 * chance.
 *
 * contrast.c is the stage and its state, contrast_answer.c the answer. contrast_chance.c computes
 * the results that luck alone would produce.
 */
#ifndef LEAT_LEARNERS_COUNTING_CONTRAST_H
#define LEAT_LEARNERS_COUNTING_CONTRAST_H

#include <leat/plugin.h>

#include "kernels/base/names.h"
#include "kernels/counting/contrast/contrast.h"
#include "kernels/sketch/redundancy.h"

/* Model with its names and the memory of both. */
struct contrast_held {
    struct contrast model;
    struct names names;
    struct redundancy_parts *parts; /* parts of each name */
    void *block, *names_block;
};

/* ---- chance (contrast_chance.c) ---- */

/* Result of a question: numbers of rows, and of rows that may be mere chance. */
struct contrast_found {
    bool asked;
    uint32_t rows, chance;
    char more[80]; /* the other rows, "1-4, 9", as far as there is room */
    uint32_t last; /* last row in `more` */
    struct leat_query question;
    uint64_t records; /* records learned when it was asked */
    double features;  /* number of features that could have been rows */
    bool pairs;       /* some of these are combinations */
};

/* True if a count between low and high reaches `least`. The high end decides for a well-known
 * count, the low end for a count with wide bounds. */
bool contrast_reaches(double low, double high, double least);
/* Returns how many records, faded, a feature needs to be a row. */
double contrast_least_records(const struct contrast *m, const struct leat_query *q);
/* Returns an upper bound of the features that could be rows, whatever the labels of their records.
 * The bound is exact if all features are members. >= 1. O(members). */
double contrast_could_be_rows(const struct contrast *m, const struct leat_query *q);
/* Returns how many of `features` luck alone would make as uneven as this one, at most, if labels
 * did not matter. Uses Fisher's exact test, with each count at the least uneven end of its bounds:
 * over all records, and over the records of each part of a conjunction, because a conjunction
 * shares the unevenness of its parts. part: ids of up to three parts, ended by 0, or NULL.
 * positive: only tests whether the feature is more frequent in kind 1; else in either kind. (Faded
 * counts vary less than whole ones; the result is then too large.) */
double contrast_luck(const struct contrast *m, uint32_t slot, const uint32_t *part, bool positive,
                     double features);
/* Luck above which a row may be mere chance: 1 in 20 streams would show it. */
#define CONTRAST_CHANCE 0.05
/* Counts the next row, which has such luck. `f` is all zero at first. */
void contrast_found_row(struct contrast_found *f, double luck);

/* Writes one sentence if no row was found, or if most rows may be mere chance. Returns `text`, or
 * NULL if there is nothing to say. If no row is left, the sentence names the columns without
 * features. */
const char *contrast_nothing(const struct contrast *m, const struct contrast_found *found,
                             const struct leat_strings *left_out, char *text, size_t n);

/* ---- the answer (contrast_answer.c) ---- */

/* Returns the most bytes that an answer takes. */
size_t contrast_answer_bytes(const struct contrast_shape *s);

/* Returns the names of the answer's columns, and their number in *n. */
const char *const *contrast_columns(const void *cfg, uint32_t *n);
/* Answers a question. Returns LEAT_OK, LEAT_ENOMEM, or the status of `out`. *found: result of the
 * last question; a question for label +1 alone takes precedence. */
int contrast_answer(struct leat_ctx *ctx, const struct contrast_held *h,
                    const struct leat_query *question, struct leat_result *out,
                    struct contrast_found *found);

#endif
