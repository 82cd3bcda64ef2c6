/* name_id.h -- the 64-bit ids of features by name.
 *
 * They equal the ids of feature.columns and feature.tokens (plugins/kernels/base/feature_id.h), for
 * code that makes features without these. */
#ifndef LEAT_HOST_FLOW_NAME_ID_H
#define LEAT_HOST_FLOW_NAME_ID_H

#include <stddef.h>
#include <stdint.h>

/* Returns the id of field = value; of a bare name if field is NULL. */
uint64_t name_id(const char *field, size_t n_field, const char *value, size_t n_value);

#endif
