/* key.h -- the columns that tell records apart, and the hash of their values. */
#ifndef LEAT_SHAPE_KEY_H
#define LEAT_SHAPE_KEY_H

#include <leat/plugin.h>

#include "kernels/base/recent_keys.h"

struct key {
    uint32_t *column; /* n */
    uint32_t n;       /* 0: all of the record, as it arrived */
};

/* In negotiate, asks for the columns. */
int key_negotiate(struct leat_negotiation *n, const struct leat_strings *by);
/* In open. Close it, also after a failure. */
int key_open(struct leat_ctx *ctx, struct key *k, const struct leat_strings *by);
void key_close(struct leat_ctx *ctx, struct key *k);

/* Equal values give equal hashes, whatever the run; values that differ give equal ones with a
 * chance of 2^-128. A missing value is a value of its own: ask key_missing before. */
struct recent_key key_of(const struct leat_ctx *ctx, const struct key *k,
                         const struct leat_batch *b, uint32_t r, uint64_t seed);

/* The index in k->column of the first column of which record r has no value: it is missing, or a
 * text of blanks. k->n: the record has all. */
uint32_t key_missing(const struct leat_ctx *ctx, const struct key *k, const struct leat_batch *b,
                     uint32_t r);

#endif
