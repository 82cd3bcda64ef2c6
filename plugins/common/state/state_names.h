/* state_names.h -- the names of a model's features as fields of its state.
 *
 * There are two arrays: name_sizes (0 if a feature has no name, else 1 + its length) and names (the
 * texts, one after another). If features are conjunctions, a third array is parts: three keys of
 * parts for each feature.
 */
#ifndef LEAT_COMMON_STATE_STATE_NAMES_H
#define LEAT_COMMON_STATE_STATE_NAMES_H

#include <leat/plugin.h>

#include "kernels/base/names.h"
#include "kernels/summaries/redundancy.h"

/* Appends the names of a model's features to a list, in the order of the features
 * (name_list_add). */
typedef void state_name_lister(const void *model, struct name_list *list);

/* Writes the names of n features. Returns LEAT_OK or LEAT_ENOMEM. */
int state_write_names(struct leat_writer *w, state_name_lister *list, const void *model,
                      uint32_t n);
/* Reads the names of exactly n features, in memory of the reader. Returns LEAT_OK or LEAT_EDATA. */
int state_read_names(struct leat_reader *r, uint32_t n, struct name_list *list);

/* Write and read the names of slots 0 to n - 1 of a model. Reading skips slots without a name. */
int state_write_slot_names(struct leat_writer *w, const struct names *names, uint32_t n);
int state_read_slot_names(struct leat_reader *r, uint32_t n, struct names *names);
/* Names slot `slot` of a merged model. In `one` the feature has slot a - 1, in `other` slot b - 1;
 * a or b is 0 if the feature is not there. Takes the name that name_preferred() prefers. Returns
 * true if the name comes from `one`. */
bool state_join_names(struct names *names, uint32_t slot, const struct names *one, uint32_t a,
                      const struct names *other, uint32_t b);

/* Writes the names of n features from a pool. tag[i]: tag of feature i; 0 without a name. */
int state_write_pool_names(struct leat_writer *w, const struct name_pool *pool, const uint32_t *tag,
                           uint32_t n);

/* Writes the parts of n features; an empty array if `parts` is NULL. */
int state_write_name_parts(struct leat_writer *w, const struct redundancy_parts *parts, uint64_t n);
/* Reads the parts of n features. *parts is memory of the reader; NULL if no parts were written. */
int state_read_name_parts(struct leat_reader *r, uint64_t n, const struct redundancy_parts **parts);

#endif
