/* feature_id.c -- hashes names to ids with XXH3 of xxHash, which is stable since version 0.8. */
#include "feature_id.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

uint64_t feature_id_name(const char *name, size_t len) { return XXH3_64bits(name, len); }

uint64_t feature_id_value(uint64_t field, const char *value, size_t len)
{
    return XXH3_64bits_withSeed(value, len, field);
}
