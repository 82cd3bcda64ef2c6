/* time_span.h -- spans of time as people write them.
 *
 *   moment   2024-05-17T13:55:36+02:00 | 2024-05-17 | 2024-05 | 2024 | -7d
 *   span     FROM..TO: from the moment FROM on, until before TO; one of them may be missing
 *
 * A date, month or year is its beginning, in a zone. -7d is seven days before the end of the data,
 * in s, min, h, d or w. The end is just after the newest time. So -7d.. holds seven whole days.
 *
 *   example   2024-05..2024-06    all of May 2024
 *             -1h..               the last hour */
#ifndef LEAT_KERNELS_TEXT_TIME_SPAN_H
#define LEAT_KERNELS_TEXT_TIME_SPAN_H

#include <stdbool.h>
#include <stdint.h>

#include "time_text.h"

/* Times t in ns since 1970 with from <= t < to. */
struct time_span {
    int64_t from, to;
};
#define TIME_SPAN_ALL ((struct time_span){0, INT64_MAX})

static inline bool time_span_has(struct time_span s, int64_t t) { return t >= s.from && t < s.to; }

/* Clock and end of the data, with which a text is read. */
struct time_span_reader {
    struct time_reader reader; /* of iso8601 */
    int64_t newest;            /* newest time of the data; TIME_NONE if it is unknown */
};

/* Makes a reader. The caller sets reader.zone. */
void time_span_begin(struct time_span_reader *r, int64_t newest);

/* Reads a duration with a sign, such as -90min, and sets *ns to its length. Returns false if the
 * text has another form. */
bool time_ago(const char *text, int64_t *ns);
/* True if the text has `..` between two moments. */
bool time_span_is(const char *text);
/* Reads a moment. Returns NULL, or a sentence about the fault of the text. */
const char *time_moment(struct time_span_reader *r, const char *text, int64_t *ns);
/* Reads a span. Returns NULL, or a sentence about the fault of the text. */
const char *time_span_read(struct time_span_reader *r, const char *text, struct time_span *s);

#endif
