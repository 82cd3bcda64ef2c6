/* window_state.h -- what shape.window keeps in a snapshot: how far it is in time, and each group
 * with its pane, its sums and its key; and the texts of its tops. */
#ifndef LEAT_SHAPE_WINDOW_STATE_H
#define LEAT_SHAPE_WINDOW_STATE_H

#include "window_inside.h"

enum { WINDOW_STATE_VERSION = 3 };

/* As leat_stage has them. A refused state leaves a window without groups. */
int window_snapshot(struct leat_ctx *ctx, void *self, struct leat_writer *w);
int window_restore(struct leat_ctx *ctx, void *self, struct leat_reader *r, uint32_t version);

#endif
