/* summary.h -- the results of a run: one JSON object (--summary), and a line at its end. */
#ifndef LEAT_CLI_SUMMARY_H
#define LEAT_CLI_SUMMARY_H

#include <jansson.h>

#include "exec/run.h"

/* Writes the object to the file `path`; "-" is standard output. LEAT_OK, or LEAT_EIO after a
 * message. */
int summary_write(const struct run *r, const char *path, int exit_code);

/* Prints "leat: 95759 records in 0.4 s (239,000/s), 12 rejected" */
void summary_line(const struct run *r);
/* With --quiet: only that there was nothing, or that records were rejected, and mostly why. */
void summary_quiet(const struct run *r);

/* Parts that `leat model` shows of a snapshot, too. A learner's figures of progressive validation,
 * {"examples": 7, "error_rate": 0.25, …}; rejections by reason; a counter of struct instance,
 * summed over the lanes. */
json_t *summary_figures(const struct instance *i);
json_t *summary_reasons(const struct run *r);
json_int_t summary_count(const struct run *r, const struct node *n, size_t offset);

/* Names and values for json_pack("{s:I, s:I, s:I, s:I}"). */
#define SUMMARY_COUNT(R, N, F) #F, summary_count(R, N, offsetof(struct instance, F))
#define SUMMARY_COUNTS(R, N)                                                                       \
    SUMMARY_COUNT(R, N, in), SUMMARY_COUNT(R, N, out), SUMMARY_COUNT(R, N, filtered),              \
        SUMMARY_COUNT(R, N, rejected)

#endif
