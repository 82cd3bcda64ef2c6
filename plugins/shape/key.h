/* key.h -- columns that tell records apart, and the hash of their values. */
#ifndef LEAT_SHAPE_KEY_H
#define LEAT_SHAPE_KEY_H

#include <leat/plugin.h>

#include "kernels/base/recent_keys.h"

struct key {
    uint32_t *column; /* n columns */
    uint32_t n;       /* 0: the whole record, as it arrived */
};

/* Asks for the columns, in negotiate. */
int key_negotiate(struct leat_negotiation *n, const struct leat_strings *by);
/* Opens a key, in open. Close it even after a failure. */
int key_open(struct leat_ctx *ctx, struct key *k, const struct leat_strings *by);
void key_close(struct leat_ctx *ctx, struct key *k);

/* Returns a hash. Equal values have equal hashes in all runs; different values have equal hashes
 * with a chance of 2^-128. A missing value has a hash, too: call key_missing first. */
struct recent_key key_of(const struct leat_ctx *ctx, const struct key *k,
                         const struct leat_batch *b, uint32_t r, uint64_t seed);

/* Returns the index in k->column of the first column without a value in record r. A text of blanks
 * counts as missing. Returns k->n if the record has all values. */
uint32_t key_missing(const struct leat_ctx *ctx, const struct key *k, const struct leat_batch *b,
                     uint32_t r);

#endif
