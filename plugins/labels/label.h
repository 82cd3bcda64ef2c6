/* label.h -- what the stages of this folder have in common. */
#ifndef LEAT_LABELS_LABEL_H
#define LEAT_LABELS_LABEL_H

#include <leat/plugin.h>

/* What becomes of a record that cannot get a label. */
enum label_missing { LABEL_REJECT, LABEL_FILTER };
extern const char *const label_missing_names[];

/* Called in negotiate: reports an earlier stage that makes labels or (labelled) examples. */
void label_negotiate(struct leat_negotiation *n);
/* The same, for a label that comes from a column. LEAT_OK: it is *column; or LEAT_EARG; LEAT_AGAIN
 * and the like as leat_negotiation.column has it. */
int label_negotiate_column(struct leat_negotiation *n, const char *name, uint32_t *column);
/* Rejects or filters record r, whose column has no value. */
void label_missing(struct leat_ctx *ctx, struct leat_batch *b, uint32_t r, int32_t missing,
                   const char *column);

#endif
