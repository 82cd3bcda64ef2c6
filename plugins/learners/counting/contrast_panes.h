/* contrast_panes.h -- learn.contrast with a ring of panes, and its answer about two past periods.
 *
 * The panes (kernels/counting/panes) count the features of the records labelled +1, or of all. An
 * answer about two periods is that of a model whose records labelled +1 are those of one period,
 * and whose other records are those of the other. So all columns, orders and conditions are those
 * of contrast.h. */
#ifndef LEAT_LEARNERS_COUNTING_CONTRAST_PANES_H
#define LEAT_LEARNERS_COUNTING_CONTRAST_PANES_H

#include "contrast.h"
#include "kernels/counting/panes/panes.h"

/* Records that panes count. */
enum contrast_panes_of { PANES_OF_OUTLIERS, PANES_OF_ALL };
extern const char *const contrast_panes_choices[];

/* Parameters of the stage that concern panes. */
struct contrast_panes_cfg {
    int64_t panes, keep; /* ns; panes = 0: none */
    int32_t of;          /* enum contrast_panes_of */
    const char *period, *against;
};

/* Returns the part of a budget that panes take; 0 without panes. */
uint64_t contrast_panes_budget(const struct contrast_panes_cfg *c, uint64_t budget);
/* Reports what is wrong with the parameters. */
void contrast_panes_validate(const struct contrast_panes_cfg *c, uint64_t budget, bool fades,
                             struct leat_diag *d);
/* Reports panes of records without event times. */
void contrast_panes_negotiate(const struct contrast_panes_cfg *c, struct leat_negotiation *n);
/* Bytes of the panes, and bytes that an answer allocates beside contrast_answer_bytes(). */
size_t contrast_panes_bytes(const struct contrast_panes_cfg *c, uint64_t budget);
size_t contrast_panes_answer_bytes(const struct contrast_shape *s);

/* Adds the empty panes of c to h, if c has panes. Returns LEAT_OK or LEAT_ENOMEM. */
int contrast_panes_begin(struct leat_ctx *ctx, const struct contrast_panes_cfg *c, uint64_t budget,
                         uint64_t seed, struct contrast_held *h);
/* Adds empty panes to h. Returns LEAT_OK or LEAT_ENOMEM. */
int contrast_panes_make(struct leat_ctx *ctx, const struct panes_options *opt, uint32_t room,
                        struct contrast_held *h);
/* State of the panes of h. `read` fills the empty panes of h. */
int contrast_panes_write(const struct contrast_held *h, struct leat_writer *w);
int contrast_panes_read(struct leat_reader *r, struct contrast_held *h);
/* Adds the panes of `other` to those of h. Each of their records counts `weight` times. */
void contrast_panes_unite(const struct contrast_held *other, double weight,
                          struct contrast_held *h);

/* Warns at the end of the run of records that no pane has. */
void contrast_panes_finish(struct leat_ctx *ctx, const struct panes *p);

/* Answers a query about the periods of c, like contrast_answer(). */
int contrast_panes_answer(struct leat_ctx *ctx, const struct contrast_held *h,
                          const struct contrast_panes_cfg *c, const struct leat_query *q,
                          struct leat_result *out, struct contrast_found *found);

#endif
