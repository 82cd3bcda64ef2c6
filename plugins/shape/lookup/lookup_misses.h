/* lookup_misses.h -- records whose key is not in the table, perhaps only because of its spelling.
 *
 * Keeps some of the missing keys. After the run, compares each with the keys of all rows, ignoring
 * case and surrounding blanks. */
#ifndef LEAT_SHAPE_LOOKUP_MISSES_H
#define LEAT_SHAPE_LOOKUP_MISSES_H

#include "lookup_table.h"

enum { MISSES_KEPT = 32, MISSES_LOOKED_AT = 1024, MISS_BYTES = 48 };

struct lookup_misses {
    uint64_t n;    /* number of records whose key is not in the table */
    uint32_t kept; /* number of keys in `key`, from the first MISSES_LOOKED_AT missing records */
    uint8_t len[MISSES_KEPT]; /* lengths of the keys, at most MISS_BYTES each */
    char key[MISSES_KEPT][MISS_BYTES];
};

/* Adds a record whose key is not in the table. `key` is NULL if the record has no key. */
void lookup_misses_add(struct lookup_misses *m, const char *key, size_t n);

/* Counts for all lanes together, and names for messages. */
struct lookup_missed {
    uint64_t asked, n; /* all records, and records whose key is not in the table */
    const char *path, *key, *file_key;
    const struct lookup_table *table;
};

/* Warns if a kept key differs from a row's key only in case or surrounding blanks. Returns false if
 * there is no such key. */
bool lookup_misses_near(struct leat_ctx *ctx, const struct lookup_misses *m,
                        const struct lookup_missed *all);

/* Warns if no record has a row in the table. Otherwise logs how many records have none. Call it if
 * lookup_misses_near() returns false. */
void lookup_misses_tell(struct leat_ctx *ctx, const struct lookup_misses *m,
                        const struct lookup_missed *all);

#endif
