/* lookup_misses.h -- records without a row, and keys that only differ in spelling from the file's.
 *
 * Some of the keys are kept. After the run each of them is compared with all rows, ignoring case
 * and surrounding blanks. */
#ifndef LEAT_SHAPE_LOOKUP_MISSES_H
#define LEAT_SHAPE_LOOKUP_MISSES_H

#include "lookup_table.h"

enum { MISSES_KEPT = 32, MISSES_LOOKED_AT = 1024, MISS_BYTES = 48 };

struct lookup_misses {
    uint64_t n;               /* number of records */
    uint32_t kept;            /* different keys of the first MISSES_LOOKED_AT */
    uint8_t len[MISSES_KEPT]; /* keys of at most MISS_BYTES */
    char key[MISSES_KEPT][MISS_BYTES];
};

/* Adds a record without a row. key: NULL if it has no key. */
void lookup_misses_add(struct lookup_misses *m, const char *key, size_t n);

/* Records without a row in all lanes, and the columns that were compared. */
struct lookup_missed {
    uint64_t asked, n; /* records, and records without a row */
    const char *path, *key, *file_key;
    const struct lookup_table *table;
};

/* Warns of a kept key that differs from a row's key only in case or surrounding blanks. Returns
 * false if there is none. */
bool lookup_misses_near(struct leat_ctx *ctx, const struct lookup_misses *m,
                        const struct lookup_missed *all);

/* Warns, if no key is near, that no record has a row; or logs how many have none. */
void lookup_misses_tell(struct leat_ctx *ctx, const struct lookup_misses *m,
                        const struct lookup_missed *all);

#endif
