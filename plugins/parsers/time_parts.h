/* time_parts.h -- parts of a time as texts: its hour, its weekday, … on the clock of a zone.
 *
 * Each part is a number (the hour, the day since 1970) and a text made of it. The text lies in the
 * batch once as long as records that follow each other have the same number. */
#ifndef LEAT_PARSERS_TIME_PARTS_H
#define LEAT_PARSERS_TIME_PARTS_H

#include <stdbool.h>
#include <stdint.h>

#include <leat/plugin.h>

#include "core/time/civil.h"
#include "kernels/text/time_zone.h"

enum { TIME_PARTS = 11, TIME_PART_BYTES = 30 };

/* Their names, ended by NULL. */
extern const char *const time_part_names[];

/* A time as a zone's clock shows it, with its date. */
struct time_shown {
    int64_t ns;      /* since 1970, UTC */
    int64_t seconds; /* as the clock shows them */
    int64_t day;
    struct civil date;
};

/* The part that a column has, and its last text. */
struct time_part {
    uint32_t which;
    bool has_text;
    int64_t number;
    struct leat_str text;
};

/* Returns the index of a part's name; TIME_PARTS if there is no such part. */
uint32_t time_part_find(const char *name);

/* Returns the most bytes that a part's text has. */
uint32_t time_part_bytes(uint32_t which);

struct time_shown time_shown_in(struct time_zone *z, int64_t ns);

/* Writes the text of a part into the batch. Returns false if there is no room. */
bool time_part_text(struct time_part *p, const struct time_shown *t, struct leat_batch *b);

#endif
