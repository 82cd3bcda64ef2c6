/* state_names.h -- the names of a model's features as fields of its state.
 *
 * Two arrays: name_sizes (0 for no name, else 1 + its length) and names (the texts, one after
 * another). If features are conjunctions, also parts: three keys of each feature's parts.
 */
#ifndef LEAT_COMMON_STATE_STATE_NAMES_H
#define LEAT_COMMON_STATE_STATE_NAMES_H

#include <leat/plugin.h>

#include "kernels/base/names.h"
#include "kernels/sketch/redundancy.h"

/* Appends the names of a model's features to a list, in their order (name_list_add). */
typedef void state_name_lister(const void *model, struct name_list *list);

/* Writes the names of n features. Returns LEAT_OK or LEAT_ENOMEM. */
int state_write_names(struct leat_writer *w, state_name_lister *list, const void *model,
                      uint32_t n);
/* Reads the names of exactly n features, in memory that the reader lends. Returns LEAT_OK or
 * LEAT_EDATA. */
int state_read_names(struct leat_reader *r, uint32_t n, struct name_list *list);

/* Write and read the names of slots 0 to n - 1 of a model. Reading sets only names that were
 * written. */
int state_write_slot_names(struct leat_writer *w, const struct names *names, uint32_t n);
int state_read_slot_names(struct leat_reader *r, uint32_t n, struct names *names);
/* Gives a slot of a merged model the preferred one of two names: that of slot a - 1 in `one` and
 * that of slot b - 1 in `other`. a or b is 0 if the feature is not there. Returns true if the name
 * comes from `one`. */
bool state_join_names(struct names *names, uint32_t slot, const struct names *one, uint32_t a,
                      const struct names *other, uint32_t b);

/* Writes the names of n features in a pool. tag: 0 for a feature without a name. */
int state_write_pool_names(struct leat_writer *w, const struct name_pool *pool, const uint32_t *tag,
                           uint32_t n);

/* Writes the parts of n features, or of none if `parts` is NULL. */
int state_write_name_parts(struct leat_writer *w, const struct redundancy_parts *parts, uint64_t n);
/* Reads the parts. *parts is lent by the reader, or NULL if none were written. */
int state_read_name_parts(struct leat_reader *r, uint64_t n, const struct redundancy_parts **parts);

#endif
