/* state_names.h -- the names of a model's features as fields of its state.
 *
 * Two arrays: name_sizes (0: no name, else 1 + its length) and names (the texts, one after the
 * other); and, where features are conjunctions, parts: three keys of a feature's parts.
 */
#ifndef LEAT_SUPPORT_STATE_NAMES_H
#define LEAT_SUPPORT_STATE_NAMES_H

#include <leat/plugin.h>

#include "kernels/base/names.h"
#include "kernels/sketch/redundancy.h"

/* Appends the names of a model's features to a list, in their order (name_list_add). */
typedef void state_name_lister(const void *model, struct name_list *list);

/* The names of n features. LEAT_OK or LEAT_ENOMEM. */
int state_write_names(struct leat_writer *w, state_name_lister *list, const void *model,
                      uint32_t n);
/* The names of exactly n features, in memory that the reader lends. LEAT_OK or LEAT_EDATA. */
int state_read_names(struct leat_reader *r, uint32_t n, struct name_list *list);

/* The parts of n features, or (NULL) of none. */
int state_write_name_parts(struct leat_writer *w, const struct redundancy_parts *parts, uint64_t n);
/* *parts is lent by the reader, or NULL: none were written. */
int state_read_name_parts(struct leat_reader *r, uint64_t n, const struct redundancy_parts **parts);

#endif
