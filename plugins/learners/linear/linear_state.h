/* linear_state.h -- what the states of linear learners share: parameters, clock, features.
 *
 * A stage that restores or merges builds its new model next to the live one and replaces that when
 * nothing can fail any more. Features are in the order of their slots or numbers.
 */
#ifndef LEAT_LEARNERS_LINEAR_LINEAR_STATE_H
#define LEAT_LEARNERS_LINEAR_LINEAR_STATE_H

#include <leat/plugin.h>

#include "kernels/linear/linear.h"
#include "common/state/state_fields.h"
#include "common/state/state_prefix.h"

enum { LINEAR_STATE_VERSION = 5 };

/* A model's state but for what its kernel adds. Options and counts must be the same on both
 * sides. */
struct linear_state {
    struct linear_parts parts;
    bool counts;
    uint32_t max_features;
};

int linear_state_write(struct leat_writer *w, const struct linear_state *s);
/* Which kernel wrote it? That says which fields there are, so it is asked first. */
int linear_state_same_rates(struct leat_reader *r, struct linear_state *s);
/* s: as the live model's. What it then holds is in range, as the kernels' loading asks. */
int linear_state_read(struct leat_reader *r, struct linear_state *s);

/* The fields of class c, with "c." before their names. */
struct leat_writer *linear_class_writer(struct state_prefix_writer *p, struct leat_writer *w,
                                        uint32_t c);
struct leat_reader *linear_class_reader(struct state_prefix_reader *p, struct leat_reader *r,
                                        uint32_t c);

/* ---- merging ---- */

enum linear_merge {
    LINEAR_KEEP_LIVE,  /* the other has learned nothing, or does not count */
    LINEAR_TAKE_OTHER, /* one that is fresh becomes the other, bit for bit */
    LINEAR_JOIN
};

enum linear_merge linear_how_to_merge(const struct sgd *live, const struct sgd *other,
                                      double weight);

#endif
