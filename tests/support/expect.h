/* expect.h -- what tests of stages expect of the harness: refusals before the start, rejections
 * after it. A failure shows what was said instead.
 */
#ifndef LEAT_TESTS_SUPPORT_EXPECT_H
#define LEAT_TESTS_SUPPORT_EXPECT_H

#include <stdbool.h>

#include "harness.h"

/* Do the messages of the harness contain this text? */
bool says(const struct harness *h, const char *text);

/* The stage's negotiation reports so many errors, and says this. expect_refused: one or more. */
void expect_errors(struct harness *h, int n, const char *text);
void expect_refused(struct harness *h, const char *text);
void expect_refused_and_free(struct harness *h, const char *text);

/* Record r was rejected with this text. expect_rejected_for: the text contains `part`. */
void expect_rejected(const struct harness *h, uint32_t r, int reason, const char *text);
void expect_rejected_for(const struct harness *h, uint32_t r, int reason, const char *part);

/* Opening what make() makes ends with LEAT_ENOMEM whichever of its allocations, fewer than ten,
 * fails. */
void expect_failed_allocations_told(struct harness *(*make)(void));

#endif
