/* contrast.h -- learn.contrast: its model with names, its answer, and the test against chance.
 *
 * contrast.c has the stage and its state, contrast_counter.c counts the features of records,
 * contrast_answer.c has the answer. contrast_chance.c computes
 * how many rows of an answer mere chance would produce. */
#ifndef LEAT_LEARNERS_COUNTING_CONTRAST_H
#define LEAT_LEARNERS_COUNTING_CONTRAST_H

#include <leat/plugin.h>

#include "common/learners/amounts.h"
#include "kernels/base/names.h"
#include "kernels/counting/contrast/contrast.h"
#include "kernels/summaries/redundancy.h"

/* A model with the names of its members (the features that it counts exactly), and their memory. */
struct contrast_held {
    struct contrast model;
    struct names names;
    struct redundancy_parts *parts; /* parts of each name */
    struct panes *panes;            /* contrast_panes.h; NULL: none */
    void *block, *names_block;
    const struct amounts *amounts; /* NULL if records are counted, not amounts */
    bool unsampled;                /* the sample does not belong to the counts */
    struct contrast_held *next;    /* model that learns in its place (contrast_held.h); or NULL */
    struct contrast_rank *rank;    /* [members], for that */
};

/* ---- results of chance (contrast_chance.c) ---- */

/* Result of a query: number of rows, and number of them that may be due to chance. */
struct contrast_found {
    bool asked;
    uint32_t rows, chance;
    uint32_t by_chance; /* by gain: features that are no rows, as they may be due to chance */
    char more[80];      /* rows that are not due to chance, such as "1-4, 9"; may be cut */
    uint32_t last;      /* number of the last row in `more` */
    struct leat_query question;
    uint64_t records; /* number of records learned at the time of the query */
    double features;  /* number of features that had enough records to be rows */
    bool pairs;       /* true if some of these features are combinations */
};

/* True if a count is at least `least`. The count lies between low and high. If these are close to
 * each other, `high` must be at least `least`; otherwise `low`. */
bool contrast_reaches(double low, double high, double least);
/* Returns the number of records (after decay) that must contain a feature for it to be in the
 * answer. */
double contrast_least_records(const struct contrast *m, const struct leat_query *q);
/* Returns an upper bound on the number of features that could be rows of an answer, whatever the
 * labels are. It is at least 1, and exact if all features are members. Takes O(members). */
double contrast_could_be_rows(const struct contrast *m, const struct leat_query *q);
/* Returns an upper bound on the expected number of features that are as uneven as the member in
 * `slot`, if labels are random and there are `features` features. Uneven means more frequent in one
 * kind.
 *
 * Uses Fisher's exact test, or Hoeffding's bound if amounts are added up (contrast_chance.c). Takes
 * each count at the end of its bounds that makes the feature least uneven. Tests over all records.
 * For a conjunction, also tests over the records of each part, because the unevenness of a part
 * makes the conjunction uneven, too. `part` has the ids of up to three parts, ended by 0, or is
 * NULL. If q->positive, only tests whether the feature is more frequent in kind 1. (With decay,
 * counts vary less than whole counts, so the result is too large.) If q->again, the bound holds
 * for all queries about the stream together (kernels/base/always.h). */
double contrast_luck(const struct contrast *m, uint32_t slot, const uint64_t *part,
                     const struct leat_query *q, double features);
/* A row with a larger contrast_luck() may be due to chance. With this limit, one in 20 streams of
 * random labels has a row that seems not to be due to chance. */
#define CONTRAST_CHANCE 0.05
/* Adds the next row to f. `luck` is the row's contrast_luck(). *f is all zero at first. */
void contrast_found_row(struct contrast_found *f, double luck);

/* If the answer has no rows, or if most rows may be due to chance, writes a sentence that says so
 * to `text` and returns it. Otherwise returns NULL. If there are no rows, the sentence names the
 * columns in left_out, from which no features are made. */
const char *contrast_nothing(const struct contrast *m, const struct contrast_found *found,
                             const struct leat_strings *left_out, char *text, size_t n);

/* ---- the answer (contrast_answer.c) ---- */

/* True if the configuration names a column of amounts. */
bool contrast_adds_amounts(const void *cfg);
/* Returns the largest number of bytes that an answer allocates. */
size_t contrast_answer_bytes(const struct contrast_shape *s);

/* Returns the names of the answer's columns, and sets *n to their number. */
const char *const *contrast_columns(const void *cfg, uint32_t *n);
/* Answers a query. Returns LEAT_OK, LEAT_ENOMEM, or the status of `out`. Sets *found to the result.
 * Keeps *found if it has the result of a more important query about the same state, for example one
 * for label +1 alone. */
int contrast_answer(struct leat_ctx *ctx, const struct contrast_held *h,
                    const struct leat_query *question, struct leat_result *out,
                    struct contrast_found *found);

#endif
