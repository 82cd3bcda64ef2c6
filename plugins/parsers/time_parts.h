/* time_parts.h -- parts of a time as texts: the hour, the weekday, … on the clock of a zone.
 *
 * Each part has a number (such as the hour, or the day since 1970) and a text. Consecutive records
 * with the same number share one text in the batch. */
#ifndef LEAT_PARSERS_TIME_PARTS_H
#define LEAT_PARSERS_TIME_PARTS_H

#include <stdbool.h>
#include <stdint.h>

#include <leat/plugin.h>

#include "core/time/civil.h"
#include "kernels/text/time_zone.h"

enum { TIME_PARTS = 11, TIME_PART_BYTES = 30 };

/* Names of the parts, ended by NULL. */
extern const char *const time_part_names[];

/* A time on the clock of a zone, with the date. */
struct time_shown {
    int64_t ns;      /* ns since 1970, UTC */
    int64_t seconds; /* seconds on the zone's clock */
    int64_t day;
    struct civil date;
};

/* Part that makes a column, and its last text. */
struct time_part {
    uint32_t which;
    bool has_text;
    int64_t number;
    struct leat_str text;
};

/* Returns the index of a part's name; TIME_PARTS if the name is unknown. */
uint32_t time_part_find(const char *name);

/* Returns the most bytes that a part's text takes. */
uint32_t time_part_bytes(uint32_t which);

struct time_shown time_shown_in(struct time_zone *z, int64_t ns);

/* Writes the text of a part into the batch, unless the last text can be used again. Returns false
 * if there is no room. */
bool time_part_text(struct time_part *p, const struct time_shown *t, struct leat_batch *b);

#endif
