/* key.h -- the columns that identify a record, and the hash of their values. */
#ifndef LEAT_SHAPE_KEY_H
#define LEAT_SHAPE_KEY_H

#include <leat/plugin.h>

#include "kernels/base/recent_keys.h"

struct key {
    uint32_t *column; /* indexes of the n columns */
    uint32_t n;       /* 0: the key is the whole record, in its original bytes */
};

/* Called by the stage's negotiate. Requests the columns. */
int key_negotiate(struct leat_negotiation *n, const struct leat_strings *by);
/* Called by the stage's open. Call key_close() even if it fails. */
int key_open(struct leat_ctx *ctx, struct key *k, const struct leat_strings *by);
void key_close(struct leat_ctx *ctx, struct key *k);

/* Returns the hash of a record's key. Equal values have equal hashes in all runs. Two different
 * values have the same hash with a probability of 2^-128. A missing value is hashed too, so check
 * key_missing() first. */
struct recent_key key_of(const struct leat_ctx *ctx, const struct key *k,
                         const struct leat_batch *b, uint32_t r, uint64_t seed);

/* Returns the index in k->column of the first column without a value in record r. A blank text
 * counts as no value. Returns k->n if all columns have a value. */
uint32_t key_missing(const struct leat_ctx *ctx, const struct key *k, const struct leat_batch *b,
                     uint32_t r);

#endif
