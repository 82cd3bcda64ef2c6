/* time_counts.h -- numbers of records and sums of labels, by spans of event time, in fixed memory.
 *
 * All spans have the same width, one of a fixed list: 1 s, 5 s, …, 1 h, …, 1 day, 7 days, …. Each
 * width divides the next, and weeks begin on Monday. When the times need more than TIME_SPANS
 * spans, neighbouring spans are joined and the width becomes the next one of the list. So the
 * numbers depend on the records, not on their order.
 *
 *   width 1 h    | 3 | 0 | 4 | 2 | 5 |     records of each span
 *   width 3 h    |     7     |     7  …    after a record four days later
 *
 * Snapshots do not contain the counts: they cover one process. */
#ifndef LEAT_HOST_METRICS_TIME_COUNTS_H
#define LEAT_HOST_METRICS_TIME_COUNTS_H

#include <stdint.h>

enum { TIME_SPANS = 96 };

struct time_span {
    uint64_t records;  /* with any label or none */
    uint64_t labelled; /* with a finite label    */
    uint64_t positive; /* with a label above 0   */
    double sum;        /* of the finite labels   */
};

struct time_counts {
    uint32_t unit;      /* index of the widest width, up to a day, that divides all times */
    uint32_t width;     /* index of the width                   */
    uint32_t n;         /* number of spans; 0: no record so far */
    int64_t first;      /* number of the first span             */
    int64_t begin, end; /* seconds of the last record's span     */
    uint32_t at;        /* index of that span                   */
    struct time_span span[TIME_SPANS];
};

/* Adds a record of event time ns >= 0. A label that is NaN or infinite is no label. */
void time_counts_add(struct time_counts *t, int64_t ns, double label);

/* Widens the spans to the widest width, up to a day, that divides all times. Times that are dates
 * then have no empty spans between them. */
void time_counts_settle(struct time_counts *t);

/* Returns the width of the spans in seconds. */
int64_t time_counts_seconds(const struct time_counts *t);

/* Returns the time in ns at which span i begins; below 0 if its first days are before 1970. */
int64_t time_counts_begin(const struct time_counts *t, uint32_t i);

#endif
