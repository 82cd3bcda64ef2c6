/* lookup_misses.h -- records without a row: how many, and whether their keys are only written
 * otherwise than those of the file.
 *
 * Some of the keys are kept. After the run each is compared with all rows, without regard to case
 * and to blanks around. */
#ifndef LEAT_SHAPE_LOOKUP_MISSES_H
#define LEAT_SHAPE_LOOKUP_MISSES_H

#include "lookup_table.h"

enum { MISSES_KEPT = 32, MISSES_LOOKED_AT = 1024, MISS_BYTES = 48 };

struct lookup_misses {
    uint64_t n;               /* records                                      */
    uint32_t kept;            /* different keys of the first MISSES_LOOKED_AT */
    uint8_t len[MISSES_KEPT]; /* of keys that are no longer than MISS_BYTES   */
    char key[MISSES_KEPT][MISS_BYTES];
};

/* A record without a row; key NULL: it has no key. */
void lookup_misses_add(struct lookup_misses *m, const char *key, size_t n);

/* Those of all lanes together, and what was looked up in what. */
struct lookup_missed {
    uint64_t asked, n; /* records, and those without a row */
    const char *path, *key, *file_key;
    const struct lookup_table *table;
};

/* Warns of a key that differs from that of a row in case, or in blanks around, alone. false: none
 * of those kept does. */
bool lookup_misses_near(struct leat_ctx *ctx, const struct lookup_misses *m,
                        const struct lookup_missed *all);

/* Where none does: warns if no record has a row, and else says (info) how many have none. */
void lookup_misses_tell(struct leat_ctx *ctx, const struct lookup_misses *m,
                        const struct lookup_missed *all);

#endif
