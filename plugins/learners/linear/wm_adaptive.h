/* wm_adaptive.h -- learn.wm and learn.hash with adaptive rates: their kernel. */
#ifndef LEAT_LEARNERS_LINEAR_WM_ADAPTIVE_H
#define LEAT_LEARNERS_LINEAR_WM_ADAPTIVE_H

#include "kernels/linear/wm_adaptive/wm_adaptive.h"
#include "slotted.h"

extern const struct slotted_kind wm_adaptive_kind;
extern const char *const wm_recoveries[]; /* false: median, true: mean       */
extern const char *const wm_shown[];      /* false: tracked, true: estimate */

/* A model that is only shape and options; fields of the shape that are 0 are chosen. false: no
 * shape fits the budget. */
bool wm_adaptive_pattern(const struct slotted_cfg *c, const struct leat_schema *in,
                         struct wm_adaptive_shape shape, bool mean, bool estimates,
                         struct wm_adaptive *m);

#endif
