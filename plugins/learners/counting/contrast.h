/* contrast.h -- learn.contrast: its model with names and memory, its answer, and what is chance.
 *
 * contrast.c is the stage and its state, contrast_answer.c the answer, contrast_chance.c tells what
 * luck alone would show.
 */
#ifndef LEAT_LEARNERS_COUNTING_CONTRAST_H
#define LEAT_LEARNERS_COUNTING_CONTRAST_H

#include <leat/plugin.h>

#include "kernels/base/names.h"
#include "kernels/counting/contrast/contrast.h"
#include "kernels/sketch/redundancy.h"

/* A model with its names and the memory of both. */
struct contrast_held {
    struct contrast model;
    struct names names;
    struct redundancy_parts *parts; /* of each name */
    void *block, *names_block;
};

/* ---- what is chance (contrast_chance.c) ---- */

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

/* ---- the answer (contrast_answer.c) ---- */

/* Bytes that an answer takes, at most. */
size_t contrast_answer_bytes(const struct contrast_shape *s);

/* The names of its n columns. */
const char *const *contrast_columns(const void *cfg, uint32_t *n);
/* LEAT_OK or LEAT_ENOMEM, or what `out` returned. *found: what the last question has found; one for
 * label +1 alone goes before others. */
int contrast_answer(struct leat_ctx *ctx, const struct contrast_held *h,
                    const struct leat_query *question, struct leat_result *out,
                    struct contrast_found *found);

#endif
