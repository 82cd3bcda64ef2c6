/* label.h -- parameters and functions that the label stages share. */
#ifndef LEAT_LABELS_LABEL_H
#define LEAT_LABELS_LABEL_H

#include <leat/plugin.h>

/* Treatment of a record whose column has no value. */
enum label_missing { LABEL_REJECT, LABEL_FILTER };
extern const char *const label_missing_names[];

/* First member of the configuration of a stage that takes labels from a column. */
struct label_cfg {
    const char *column;
    int32_t missing; /* enum label_missing */
};

/* Functions for a stage's negotiate. All report an error if an earlier stage makes labels or
 * examples. label_negotiate_number() and label_negotiate_text() also request the column, as numbers
 * or as text, and report an error if it is missing. */
int label_negotiate(const void *cfg, struct leat_negotiation *n);
int label_negotiate_number(const void *cfg, struct leat_negotiation *n);
int label_negotiate_text(const void *cfg, struct leat_negotiation *n);
/* Filters record r, whose column has no value, or rejects it with `reason`, as the parameter
 * `missing` says. */
void label_missing(struct leat_ctx *ctx, struct leat_batch *b, uint32_t r, int reason);
/* Warns at the end of a run of records that were filtered because they have no value. (The host
 * reports rejected records.) The text `except`, or "", ends the sentence. */
void label_warn_of_missing(struct leat_ctx *ctx, uint64_t without_value, uint64_t records,
                           const char *except);

/* The figure without_value, which these stages report. */
#define LABEL_WITHOUT_VALUE                                                                        \
    {                                                                                              \
        "without_value", "records", "records without a value, which are filtered or rejected",     \
            LEAT_COUNTER                                                                           \
    }

#endif
