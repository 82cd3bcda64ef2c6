/* places.h -- places in the logs of partitions, as the parameters `start` and `until` name them.
 *
 *   entry    PLACE | PARTITION=PLACE | TOPIC=PLACE | TOPIC/PARTITION=PLACE
 *   PLACE    a word (places_words), an offset, 2026-11-20T12:00:00Z, or -6h for a time ago
 *
 * The entry of a partition counts before that of its topic, and that before the entry without a
 * key. An offset needs a partition. A partition without an entry begins at the beginning, or ends
 * at the end. */
#ifndef LEAT_KAFKA_SOURCE_PLACES_H
#define LEAT_KAFKA_SOURCE_PLACES_H

#include <stdbool.h>
#include <stdint.h>

#include <leat/plugin.h>

enum place_kind {
    PLACE_EARLIEST,
    PLACE_LATEST, /* for `until` also "end" */
    PLACE_COMMITTED,
    PLACE_NEVER, /* `until`: "stopped" */
    PLACE_TIME,
    PLACE_OFFSET,
    PLACE_KINDS
};

struct place {
    enum place_kind kind;
    int64_t at;    /* TIME: ms since 1970; OFFSET: the offset */
    bool has_none; /* the list has no entry for the partition */
};

/* A parameter with places. */
struct places {
    const char *param;                 /* "start" or "until" */
    const struct leat_strings *list;   /* its entries */
    const struct leat_strings *topics; /* of the source: names and patterns */
};

/* Reports entries that are wrong. */
void places_check(const struct places *p, struct leat_diag *d);
/* Returns the place for a partition. `now_ms` is the time from which times ago count. The entries
 * must be right. */
struct place places_of(const struct places *p, const char *topic, int32_t partition,
                       int64_t now_ms);
/* True if an entry has a place of this kind. */
bool places_have(const struct places *p, enum place_kind kind);
/* True if some entries are for single partitions. */
bool places_by_partition(const struct places *p);
/* Returns an entry for a partition that the topic, with n partitions, does not have; NULL if there
 * is none. Sets *partition. */
const char *places_missing(const struct places *p, const char *topic, int n, int64_t *partition);

#endif
