/* window_key.h -- the key of a group: the values of its `by` columns as bytes, one after the other:
 * of a number its eight, and equal numbers have equal ones; of a text its length in four, or
 * LEAT_NULL for no value, and then the text. */
#ifndef LEAT_SHAPE_WINDOW_KEY_H
#define LEAT_SHAPE_WINDOW_KEY_H

#include "window_inside.h"

/* That of record r into st->key; its bytes, or 0xffffffff: it is too long. */
uint32_t window_key_write(struct leat_ctx *ctx, struct window *st, const struct leat_batch *b,
                          uint32_t r);
/* The values of a key into record r of `out`, from column 1 on. */
void window_key_read(struct leat_ctx *ctx, const struct window *st, const char *key,
                     struct leat_batch *out, uint32_t r);
/* Do the parts of a key from a snapshot add up to its n bytes? */
bool window_key_is_whole(struct leat_ctx *ctx, const struct window *st, const char *key,
                         uint32_t n);

#endif
