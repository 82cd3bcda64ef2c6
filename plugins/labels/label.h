/* label.h -- shared parts of the stages of this folder. */
#ifndef LEAT_LABELS_LABEL_H
#define LEAT_LABELS_LABEL_H

#include <leat/plugin.h>

/* Treatment of a record that cannot get a label. */
enum label_missing { LABEL_REJECT, LABEL_FILTER };
extern const char *const label_missing_names[];

/* First member of the configuration of a stage whose labels come from a column. */
struct label_cfg {
    const char *column;
    int32_t missing; /* enum label_missing */
};

/* Negotiate for a stage. They report an earlier stage that makes labels or examples. The latter two
 * also report a missing column for a label that is read as a number or as text. */
int label_negotiate(const void *cfg, struct leat_negotiation *n);
int label_negotiate_number(const void *cfg, struct leat_negotiation *n);
int label_negotiate_text(const void *cfg, struct leat_negotiation *n);
/* Filters record r, whose column has no value, or rejects it for this reason. */
void label_missing(struct leat_ctx *ctx, struct leat_batch *b, uint32_t r, int reason);

#endif
