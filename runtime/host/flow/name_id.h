/* name_id.h -- the 64-bit ids of features by name.
 *
 * The ids equal those of feature.columns and feature.tokens (plugins/kernels/base/feature_id.h).
 * Other code that makes features uses this function. */
#ifndef LEAT_HOST_FLOW_NAME_ID_H
#define LEAT_HOST_FLOW_NAME_ID_H

#include <stddef.h>
#include <stdint.h>

/* Returns the id of the feature field = value; if `field` is NULL, of the bare name `value`. */
uint64_t name_id(const char *field, size_t n_field, const char *value, size_t n_value);

#endif
