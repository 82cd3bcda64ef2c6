/* pool_names.h -- the pool of names of a stage whose features stay: each new feature leaves its
 * name there; when the pool is full, or ids have no names, features are shown by their ids.
 *
 * The memory is that of the pool (pool->bytes, NULL: no names are kept) and `text`, scratch for a
 * name one byte longer than is kept.
 */
#ifndef LEAT_COMMON_LEARNERS_POOL_NAMES_H
#define LEAT_COMMON_LEARNERS_POOL_NAMES_H

#include <stdbool.h>

#include <leat/plugin.h>

#include "kernels/base/names.h"

enum { POOL_NAMES_DIGITS = 24 }; /* room for an id in decimal */

/* Bytes of a pool for `features` names of at most name_bytes, no more than the budget: none where
 * all features are shown by their ids. */
size_t pool_names_bytes(int64_t names_budget, int64_t name_bytes, uint64_t features,
                        const struct leat_schema *in);

/* Of that many bytes. false: there is no memory, and what was taken is for pool_names_close(). */
bool pool_names_open(struct leat_ctx *ctx, size_t bytes, int64_t name_bytes, struct name_pool *pool,
                     char **text);
void pool_names_close(struct leat_ctx *ctx, struct name_pool *pool, char *text);

/* Logs once (*told) that the pool is full, if it is and names have found no room. The count is also
 * that of runs before, whose budget may have been smaller. */
void pool_names_tell(struct leat_ctx *ctx, const struct name_pool *pool, bool *told);

/* The tag for the name of entry i of the batch; 0: there is no room. */
uint32_t pool_names_take(struct name_pool *pool, char *text, const struct leat_batch *b,
                         uint32_t i);
/* The name of a tag, or the id in decimal, written to digits. */
const char *pool_names_get(const struct name_pool *pool, uint32_t tag, uint64_t id,
                           char digits[POOL_NAMES_DIGITS], size_t *len);

#endif
