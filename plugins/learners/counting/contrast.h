/* contrast.h -- learn.contrast: its model with names, its answer, and the test against chance.
 *
 * contrast.c has the stage and its state, contrast_answer.c the answer. contrast_chance.c computes
 * how many rows of an answer mere chance would produce. */
#ifndef LEAT_LEARNERS_COUNTING_CONTRAST_H
#define LEAT_LEARNERS_COUNTING_CONTRAST_H

#include <leat/plugin.h>

#include "kernels/base/names.h"
#include "kernels/counting/contrast/contrast.h"
#include "kernels/summaries/redundancy.h"

/* A model with the names of its members (features counted exactly), and the memory of both. */
struct contrast_held {
    struct contrast model;
    struct names names;
    struct redundancy_parts *parts; /* parts of each name */
    void *block, *names_block;
};

/* ---- results of chance (contrast_chance.c) ---- */

/* Result of a query: number of rows, and number of rows that may be due to chance. */
struct contrast_found {
    bool asked;
    uint32_t rows, chance;
    char more[80]; /* rows that are more than chance, such as "1-4, 9", as far as there is room */
    uint32_t last; /* last row in `more` */
    struct leat_query question;
    uint64_t records; /* number of records learned at the time of the query */
    double features;  /* number of features that could have been rows */
    bool pairs;       /* true if some of these features are combinations */
};

/* True if a count with the bounds low and high reaches `least`. If the bounds are close to each
 * other, `high` must reach it; otherwise `low`. */
bool contrast_reaches(double low, double high, double least);
/* Returns the number of records, after decay, that a feature needs to be in the answer. */
double contrast_least_records(const struct contrast *m, const struct leat_query *q);
/* Returns an upper bound on the number of features that could be rows, whatever the labels are. It
 * is at least 1, and exact if all features are members. Takes O(members). */
double contrast_could_be_rows(const struct contrast *m, const struct leat_query *q);
/* Returns an upper bound on the expected number of features, among `features`, that are at least as
 * uneven as this one by chance, if labels were random.
 *
 * Uses Fisher's exact test with each count at the end of its bounds that makes the feature least
 * uneven. Tests over all records. For a conjunction, also tests over the records of each part,
 * because a conjunction shares the unevenness of its parts; `part` has the ids of up to three
 * parts, ended by 0, or is NULL. If `positive`, only tests whether the feature is more frequent in
 * kind 1. (With decay, counts vary less than whole counts, so the result is too large.) */
double contrast_luck(const struct contrast *m, uint32_t slot, const uint32_t *part, bool positive,
                     double features);
/* A row with a larger contrast_luck() may be due to chance. One in 20 streams of random labels has
 * such a row. */
#define CONTRAST_CHANCE 0.05
/* Adds the next row to f. `luck` is the row's contrast_luck(). *f is all zero at first. */
void contrast_found_row(struct contrast_found *f, double luck);

/* If the answer has no rows, or if most rows may be due to chance, writes a sentence that says so
 * to `text` and returns it. Otherwise returns NULL. If there are no rows, the sentence names the
 * columns in left_out, from which no features are made. */
const char *contrast_nothing(const struct contrast *m, const struct contrast_found *found,
                             const struct leat_strings *left_out, char *text, size_t n);

/* ---- the answer (contrast_answer.c) ---- */

/* Returns the largest number of bytes that an answer allocates. */
size_t contrast_answer_bytes(const struct contrast_shape *s);

/* Returns the names of the answer's columns, and sets *n to their number. */
const char *const *contrast_columns(const void *cfg, uint32_t *n);
/* Answers a query. Returns LEAT_OK, LEAT_ENOMEM, or the status of `out`. Sets *found to the result,
 * unless it has the result of a more important query about the same state (one for label +1 alone,
 * for example). */
int contrast_answer(struct leat_ctx *ctx, const struct contrast_held *h,
                    const struct leat_query *question, struct leat_result *out,
                    struct contrast_found *found);

#endif
