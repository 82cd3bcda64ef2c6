/* contrast_state.h -- learn.contrast: the fields of its state. */
#ifndef LEAT_LEARNERS_COUNTING_CONTRAST_STATE_H
#define LEAT_LEARNERS_COUNTING_CONTRAST_STATE_H

#include "contrast_held.h"

enum { CONTRAST_STATE_VERSION = 4 };

/* Choices of the parameter `sign`. */
extern const char *const contrast_signs[];

int contrast_state_write(const void *held, struct leat_writer *w);
/* Reads a state into `fresh`: a leaf that learns, or a model with one beside it. */
int contrast_state_read(struct leat_ctx *ctx, const void *live, struct leat_reader *r, void *fresh);

#endif
