/* query.h -- queries to a learner, and the tables that answer them.
 *
 * A sink that shows a model does not hold the model: it queries the learner. A transform that makes
 * records from a model (leat_stage.expand) does so, too. In struct leat_ask the stage declares what
 * it wants to know, and how often. The host calls the learner's `query` on the learner's own
 * thread, between two batches. It cuts a batch right after the record with which an answer is due.
 * The answer travels to the stage with the batches, in the order of the stream. So the learner
 * takes no lock, and each answer shows the model at one moment.
 */
#ifndef LEAT_QUERY_H
#define LEAT_QUERY_H

#include <stddef.h>
#include <stdint.h>

#include <leat/param.h>

enum leat_query_kind {
    LEAT_QUERY_TOP = 1,    /* the k heaviest features by name; the learner answers                */
    LEAT_QUERY_METRICS = 2 /* figures of progressive validation so far, one row; the host answers */
};

/* Order of the rows of an answer. Only learners that count their features support orders other than
 * LEAT_ORDER_WEIGHT. */
enum leat_order {
    LEAT_ORDER_WEIGHT = 0,  /* by weight, or by the learner's own measure                    */
    LEAT_ORDER_RISK = 1,    /* by the lower bound of the relative risk                       */
    LEAT_ORDER_SUPPORT = 2, /* by the share of all records that have the feature             */
    LEAT_ORDER_SHARE = 3,   /* by the share of the outliers (label +1) that have the feature */
    /* Each row is the feature that tells most beside the rows before it. A learner that knows no
     * overlaps orders by what each feature tells alone. */
    LEAT_ORDER_GAIN = 4,
    LEAT_ORDER_CHANGE = 5 /* by the difference between the counts of the labels, or of sums */
};

/* A stage's query, which its `ask` fills in. */
struct leat_ask {
    uint32_t size;
    uint32_t kind;              /* enum leat_query_kind                                    */
    const char *of;             /* id of the learner; NULL: the nearest one upstream       */
    uint32_t k;                 /* most rows of an answer                                  */
    uint32_t min_count;         /* leaves out features that fewer examples have            */
    struct leat_interval every; /* interval between answers; the last one comes at the end */
    double min_support, min_risk_ratio, min_odds_gain; /* see struct leat_query */
    uint32_t order, positive, together;                /* see struct leat_query */
    /* 1: `every` is in event time. An answer is due when the event time that all inputs of the
     * learner's stream have reached reaches a multiple of `every` since 1970. */
    uint32_t event_time;
    /* Value of the parameter `columns`: columns to display, "name" or "name=heading". */
    struct leat_strings columns;
    double max_luck; /* see struct leat_query; since 1.1 */
};

/* A query in the form that the learner gets. The answer holds the k heaviest features that meet all
 * conditions; a condition of 0 is not set. A learner that does not count its features heeds only k
 * and min_odds_gain. */
struct leat_query {
    uint32_t size;
    uint32_t kind;
    uint32_t k;
    uint32_t min_count;
    double min_support;    /* least share of the outliers (label +1) that have the feature */
    double min_risk_ratio; /* least relative risk                                          */
    /* Condition on conjunctions. The odds e^weight must exceed this factor times the odds of each
     * part of the conjunction that the learner keeps. If the weight is below 0, the odds must be
     * below the parts' odds divided by the factor. */
    double min_odds_gain;
    uint32_t order;    /* enum leat_order                                              */
    uint32_t positive; /* 1: only features of positive weight, which indicate outliers */
    uint32_t together; /* 1: features that occur in the same records may share a row   */
    /* 1: the query comes from an observer, not from a stage of the pipeline. The learner logs
     * nothing, and does not change what it remembers about earlier warnings. Since 1.1. */
    uint32_t beside;
    /* 1: the query is one of many about a stream that goes on. What the answer says of chance must
     * then hold for all of them together. Since 1.1. */
    uint32_t again;
    uint32_t reserved;
    double max_luck; /* largest luck of a feature (learn.contrast); since 1.1 */
};

/* Receiver of a learner's answer: first the columns, then the rows. Valid only during the call. The
 * functions do not block. They return LEAT_OK, LEAT_EARG, or LEAT_EFULL if the answer has k rows
 * already or names too many columns. */
struct leat_result {
    uint32_t size;
    uint32_t reserved;
    /* Names the numeric columns (static strings), at most 40. Call this once, first. */
    int (*columns)(struct leat_result *, const char *const *names, uint32_t n);
    /* Adds a row: a feature's name and one value a column. The learner chooses the order of rows:
     * heaviest first, unless it ranks by certainty. */
    int (*row)(struct leat_result *, const char *name, size_t len, const double *values);
    /* Adds a further feature to the row that was added last, because it occurs in the same records
     * as the row's feature. */
    int (*also)(struct leat_result *, const char *name, size_t len);
};

/* An answer, in the form that the querying stage gets. A sink may use it only during the call. A
 * stage with `expand` may use it until `expand` returns LEAT_OK for the batch that the answer came
 * with. */
struct leat_table {
    uint32_t size;
    uint32_t kind;       /* enum leat_query_kind                         */
    const char *learner; /* id of the learner                            */
    uint64_t examples;   /* number learned before the answer             */
    double seconds;      /* from the start of the run to the answer      */
    uint32_t last;       /* 1: the last answer, at the end of the stream */
    uint32_t n_columns, n_rows;
    uint32_t reserved;
    const char *const *columns;
    const char *const *names; /* n_rows, each ended by a NUL */
    const uint32_t *name_len;
    const double *values;    /* n_rows × n_columns; NaN: no value */
    const char *const *also; /* n_rows: further features that occur in the same records as the row's
                              * feature, joined by "; ", or empty; NULL: the learner reports none */
    int64_t time; /* latest event time that the learner has seen, ns since 1970; below 0: none */
};

#endif
