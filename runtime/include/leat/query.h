/* query.h -- questions to a learner, and the tables that answer them.
 *
 * A sink that shows a model does not hold the model: it asks for it (struct leat_ask). A transform
 * that makes records from a model (leat_stage.expand) asks, too. The host calls the learner's
 * `query` on the learner's own thread between two batches. It passes the answer on in the order of
 * the stream. So the hot path takes no lock, and each answer shows the model at one moment.
 */
#ifndef LEAT_QUERY_H
#define LEAT_QUERY_H

#include <stddef.h>
#include <stdint.h>

#include <leat/param.h>

enum leat_query_kind {
    LEAT_QUERY_TOP = 1,    /* the k heaviest features by name; the learner answers     */
    LEAT_QUERY_METRICS = 2 /* progressive validation so far, one row; the host answers */
};

/* Ranking of an answer. Learners that do not count their features know only LEAT_ORDER_WEIGHT. */
enum leat_order {
    LEAT_ORDER_WEIGHT = 0,  /* largest weight, or the learner's own measure           */
    LEAT_ORDER_RISK = 1,    /* relative risk, at the cautious end of its bounds       */
    LEAT_ORDER_SUPPORT = 2, /* share of all records that have the feature             */
    LEAT_ORDER_SHARE = 3    /* share of the outliers (label +1) that have the feature */
};

/* A stage's question: pure data, filled by its `ask`. */
struct leat_ask {
    uint32_t size;
    uint32_t kind;              /* enum leat_query_kind                              */
    const char *of;             /* id of the learner; NULL: the nearest one upstream */
    uint32_t k;                 /* row limit                                         */
    uint32_t min_count;         /* leaves out features of fewer examples             */
    struct leat_interval every; /* between two answers; one more comes at the end    */
    double min_support, min_risk_ratio, min_odds_gain; /* see struct leat_query */
    uint32_t order, positive, together;                /* see struct leat_query */
    /* 1: `every` is event time: an answer is due once the learner's latest event time reaches a
     * multiple of `every` since 1970. It follows the batch in which that happens. */
    uint32_t event_time;
    struct leat_strings columns; /* parameter `columns`: displayed columns, "name" or
                                  * "name=heading" */
};

/* A question as the learner gets it. The answer holds the k heaviest features that meet every
 * condition that is not 0. A learner that does not count its features knows only k and
 * min_odds_gain. */
struct leat_query {
    uint32_t size;
    uint32_t kind;
    uint32_t k;
    uint32_t min_count;
    double min_support;    /* least share of the outliers (label +1) that have the feature */
    double min_risk_ratio; /* least relative risk                                          */
    /* Condition on conjunctions: the odds e^weight must exceed this factor times the odds of each
     * part that the learner keeps. If the weight is below 0, the odds must be below the parts' odds
     * divided by the factor. */
    double min_odds_gain;
    uint32_t order;    /* enum leat_order                                            */
    uint32_t positive; /* 1: only features of positive weight, which mark outliers   */
    uint32_t together; /* 1: features that occur in the same records may share a row */
    /* 1: an observer asks, not the pipeline: the learner logs nothing about the question, and its
     * memory of earlier warnings does not change. Since 1.1. */
    uint32_t beside;
};

/* Receiver of a learner's answer: the columns, then the rows. Lent for the call; its functions do
 * not block. They return LEAT_OK, LEAT_EARG, or LEAT_EFULL if the answer has k rows already or
 * names too many columns. */
struct leat_result {
    uint32_t size;
    uint32_t reserved;
    /* Names the numeric columns (static strings): the first call, made once. */
    int (*columns)(struct leat_result *, const char *const *names, uint32_t n);
    /* Adds a row: a feature's name and one value a column. The learner chooses the order: heaviest
     * first, unless it ranks by the certainty of a weight. */
    int (*row)(struct leat_result *, const char *name, size_t len, const double *values);
    /* Names another feature that occurs in the same records as the last row's feature. */
    int (*also)(struct leat_result *, const char *name, size_t len);
};

/* An answer as the asking stage sees it. Lent to a sink for the call. Lent to a stage with `expand`
 * until that returns LEAT_OK for the batch that the answer came with. */
struct leat_table {
    uint32_t size;
    uint32_t kind;       /* enum leat_query_kind      */
    const char *learner; /* id of the learner         */
    uint64_t examples;   /* learned when it was asked */
    double seconds;      /* since the start           */
    uint32_t last;       /* 1: the stream has ended   */
    uint32_t n_columns, n_rows;
    uint32_t reserved;
    const char *const *columns;
    const char *const *names; /* n_rows, each ended by a NUL */
    const uint32_t *name_len;
    const double *values;    /* n_rows × n_columns; NaN: no value */
    const char *const *also; /* n_rows: names of features of the same records, joined by "; ", or
                              * empty; NULL: the learner reports none */
    int64_t time; /* latest event time of the learned examples, ns since 1970; below 0: none */
};

#endif
