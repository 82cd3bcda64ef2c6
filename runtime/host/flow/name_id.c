/* name_id.c -- implementation of name_id.h. */
#include "name_id.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

uint64_t name_id(const char *field, size_t n_field, const char *value, size_t n_value)
{
    if (!field) return XXH3_64bits(value, n_value);
    return XXH3_64bits_withSeed(value, n_value, XXH3_64bits(field, n_field));
}
