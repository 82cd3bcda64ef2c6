/* query.h -- questions to a learner, and the tables that answer them.
 *
 * A sink that shows a model does not hold the model: it asks for it (struct leat_ask). So does a
 * transform that makes records of it (leat_stage.expand). The host calls the learner's `query` on
 * the learner's own thread between two batches and hands the answer on in the order of the stream.
 * So the hot path takes no lock, and each answer shows the model at one moment.
 */
#ifndef LEAT_QUERY_H
#define LEAT_QUERY_H

#include <stddef.h>
#include <stdint.h>

#include <leat/param.h>

enum leat_query_kind {
    LEAT_QUERY_TOP = 1,    /* the k heaviest features by name; answered by the learner         */
    LEAT_QUERY_METRICS = 2 /* progressive validation so far, one row; answered by the host     */
};

/* What comes first in an answer. Only learners that count their features know more
 * than the first. */
enum leat_order {
    LEAT_ORDER_WEIGHT = 0,  /* the heaviest weight, or what else the learner ranks by         */
    LEAT_ORDER_RISK = 1,    /* the relative risk, at the cautious end of what it may be        */
    LEAT_ORDER_SUPPORT = 2, /* the share of all records that have it                           */
    LEAT_ORDER_SHARE = 3    /* the share of the outliers (label +1) that have it               */
};

/* What a stage asks for: pure data, which its `ask` fills. */
struct leat_ask {
    uint32_t size;
    uint32_t kind;              /* enum leat_query_kind                                */
    const char *of;             /* id of the learner; NULL: the nearest one upstream   */
    uint32_t k;                 /* rows at most                                        */
    uint32_t min_count;         /* leave out features that fewer examples had          */
    struct leat_interval every; /* and always once at the end                          */
    double min_support, min_risk_ratio, min_odds_gain; /* as in struct leat_query      */
    uint32_t order, positive, together;                /* as there                     */
    /* 1: `every` is of event time: an answer is due after the batch in which the latest event time
     * that the learner has seen reaches or passes a multiple of it since 1970. */
    uint32_t event_time;
    struct leat_strings columns; /* parameter `columns`: those shown, "name" or "name=heading" */
};

/* The answer holds the k heaviest features that meet every condition that is not 0. A learner that
 * does not count its features knows only k and min_odds_gain. */
struct leat_query {
    uint32_t size;
    uint32_t kind;
    uint32_t k;
    uint32_t min_count;
    double min_support;    /* share of the outliers (label +1) that have it, at least      */
    double min_risk_ratio; /* relative risk, at least                                      */
    /* The odds e^weight of a conjunction must be more than this factor above those of each of its
     * parts that the learner keeps; where its weight is below 0, below these divided by it. */
    double min_odds_gain;
    uint32_t order;    /* enum leat_order                                             */
    uint32_t positive; /* 1: only features of positive weight, those of the outliers  */
    uint32_t together; /* 1: features that occur in the same records may share a row  */
    /* 1: asked by who looks on, besides what the pipeline asks: nothing is said of the question,
     * and that something has been said once does not change. Since 1.1. */
    uint32_t beside;
};

/* Where a learner writes its answer: the columns, then the rows. Lent for the call; its functions
 * do not block, and return LEAT_OK, LEAT_EARG, or LEAT_EFULL: the answer has k rows, or names too
 * many columns. */
struct leat_result {
    uint32_t size;
    uint32_t reserved;
    /* Name the numeric columns (static strings), first and once. */
    int (*columns)(struct leat_result *, const char *const *names, uint32_t n);
    /* Adds a row: a feature's name and one value a column. The order is the learner's: heaviest
     * first, unless it ranks by how certain a weight is. */
    int (*row)(struct leat_result *, const char *name, size_t len, const double *values);
    /* Names another feature that occurs in the same records as that of the last row. */
    int (*also)(struct leat_result *, const char *name, size_t len);
};

/* An answer as the stage that asked sees it. A sink is lent it for the call; a stage with `expand`
 * until that has returned LEAT_OK for the batch that the answer came with. */
struct leat_table {
    uint32_t size;
    uint32_t kind;       /* enum leat_query_kind           */
    const char *learner; /* id of the stage that was asked */
    uint64_t examples;   /* learned when it was asked      */
    double seconds;      /* since the start                */
    uint32_t last;       /* 1: the stream has ended        */
    uint32_t n_columns, n_rows;
    uint32_t reserved;
    const char *const *columns;
    const char *const *names; /* n_rows, ended by NUL       */
    const uint32_t *name_len;
    const double *values;    /* n_rows × n_columns; NaN: no value */
    const char *const *also; /* n_rows: names of features of the same records, "; " between them, or
                                empty; NULL: the learner tells none */
    int64_t time; /* the latest event time of what was learned, ns since 1970; below 0: none */
};

#endif
