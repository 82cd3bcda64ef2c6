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

/* Functions for a stage's negotiate. All report an earlier stage that makes labels or examples. The
 * last two also report a missing column; it is read as numbers or as text. */
int label_negotiate(const void *cfg, struct leat_negotiation *n);
int label_negotiate_number(const void *cfg, struct leat_negotiation *n);
int label_negotiate_text(const void *cfg, struct leat_negotiation *n);
/* Filters record r, whose column has no value. If `missing` says so, rejects it with this reason
 * instead. */
void label_missing(struct leat_ctx *ctx, struct leat_batch *b, uint32_t r, int reason);

#endif
