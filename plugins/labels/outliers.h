/* outliers.h -- what label.quantile and label.mad share: parameters, labels and counts of records.
 *
 * Several such stages may follow each other, one for each column. A stage with `adds` adds its
 * outliers to those of the stages before it. A record is then an outlier if one stage says so. It
 * is none if no stage says so and all know. Otherwise its label is unknown: NaN, or the record is
 * left out. */
#ifndef LEAT_LABELS_OUTLIERS_H
#define LEAT_LABELS_OUTLIERS_H

#include <stdbool.h>

#include "label.h"

/* Value of label_cfg.missing after those of enum label_missing: the label is unknown (NaN). */
enum { OUTLIERS_KEEP = LABEL_FILTER + 1 };
extern const char *const outliers_missing_names[];

/* First member of the configuration of these stages. */
struct outliers_cfg {
    struct label_cfg label;
    int32_t adds;
    int64_t warmup;
};

#define OUTLIERS_PARAMS                                                                            \
    LEAT_PARAM(struct label_cfg, column, LEAT_STRING, .flags = LEAT_REQUIRED,                      \
               .doc = "the column to compare: numbers, or texts that are numbers"),                \
        LEAT_PARAM(struct label_cfg, missing, LEAT_CHOICE, .def = "filter",                        \
                   .choices = outliers_missing_names,                                              \
                   .doc = "what to do with a record without a value: filter it, reject it as "     \
                          "bad, or keep it with an unknown label, for a stage after this one"),    \
        LEAT_PARAM(struct outliers_cfg, adds, LEAT_BOOL, .def = "false",                           \
                   .doc = "adds outliers to those of the stage before this one: their labels "     \
                          "stay +1"),                                                              \
        LEAT_PARAM(struct outliers_cfg, warmup, LEAT_INT, .def = "0", .min = 0, .max = 1e15,       \
                   .unit = "records",                                                              \
                   .doc = "the first N values are used only for the threshold; their records are " \
                          "filtered")

struct outliers {
    uint64_t labelled, positive; /* records with a label; those labelled +1 */
    uint64_t beyond;             /* records with a label beyond this stage's threshold */
    uint64_t records, without_value;
};

int outliers_negotiate(const void *cfg, struct leat_negotiation *n);
/* Reads the value of record r. Returns false if it has none, after labelling, filtering or
 * rejecting the record. */
bool outliers_value(struct leat_ctx *ctx, struct outliers *o, struct leat_batch *b, uint32_t r,
                    uint32_t column, double *x);
/* Labels record r, whose value is beyond the threshold or not. Returns false if it filters the
 * record, or leaves its label unknown. `warm`: the warmup has ended. */
bool outliers_label(struct leat_ctx *ctx, struct outliers *o, struct leat_batch *b, uint32_t r,
                    bool beyond, bool warm);
/* Reports the counts as figures of OUTLIERS_FIGURES. */
void outliers_report(struct leat_ctx *ctx, const struct outliers *o);
/* Warns of records that were filtered because they have no value. */
void outliers_finish(struct leat_ctx *ctx, const struct outliers *o);

#define OUTLIERS_FIGURES                                                                           \
    {"labelled", "records", "records with a label", LEAT_COUNTER},                                 \
        {"positive", "records", "records with a label that are outliers", LEAT_COUNTER},           \
        {"beyond", "records", "outliers that this stage finds", LEAT_COUNTER},                     \
    {                                                                                              \
        "without_value", "records", "records without a value, which are filtered or rejected",     \
            LEAT_COUNTER                                                                           \
    }

/* Fields of a state with a member `count`. */
#define OUTLIERS_FIELDS                                                                            \
    {"labelled", STATE_VALUE, .at = AT(count.labelled)},                                           \
        {"positive", STATE_VALUE, .at = AT(count.positive)},                                       \
        {"beyond", STATE_VALUE, .at = AT(count.beyond)},                                           \
        {"records", STATE_VALUE, .at = AT(count.records)},                                         \
    {                                                                                              \
        "without_value", STATE_VALUE, .at = AT(count.without_value)                                \
    }

#endif
