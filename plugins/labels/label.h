/* label.h -- what the stages of this folder have in common. */
#ifndef LEAT_LABELS_LABEL_H
#define LEAT_LABELS_LABEL_H

#include <leat/plugin.h>

/* What becomes of a record that cannot get a label. */
enum label_missing { LABEL_REJECT, LABEL_FILTER };
extern const char *const label_missing_names[];

/* How the configuration of a stage begins whose labels come from a column. */
struct label_cfg {
    const char *column;
    int32_t missing; /* enum label_missing */
};

/* Calls of a stage. They report an earlier stage that makes labels or (labelled) examples; and, for
 * a label that comes from a column, read as a number or as text, that there is no such column. */
int label_negotiate(const void *cfg, struct leat_negotiation *n);
int label_negotiate_number(const void *cfg, struct leat_negotiation *n);
int label_negotiate_text(const void *cfg, struct leat_negotiation *n);
/* Rejects, for this reason, or filters record r, whose column has no value. */
void label_missing(struct leat_ctx *ctx, struct leat_batch *b, uint32_t r, int reason);

#endif
