/* expect.h -- expectations of tests of stages: refusals before the start, rejections after it.
 *
 * A failure shows the actual messages. */
#ifndef LEAT_TESTS_SUPPORT_EXPECT_H
#define LEAT_TESTS_SUPPORT_EXPECT_H

#include <stdbool.h>

#include "harness.h"

/* True if the messages of the harness contain this text. */
bool says(const struct harness *h, const char *text);

/* Expects that the stage's negotiation reports n errors (expect_refused: at least one), and this
 * text. */
void expect_errors(struct harness *h, int n, const char *text);
void expect_refused(struct harness *h, const char *text);
void expect_refused_and_free(struct harness *h, const char *text);

/* Expects that record r was rejected with this text. expect_rejected_for: the reason contains
 * `part`. */
void expect_rejected(const struct harness *h, uint32_t r, int reason, const char *text);
void expect_rejected_for(const struct harness *h, uint32_t r, int reason, const char *part);

/* Expects that make() opens its stage with LEAT_ENOMEM, whichever allocation fails. It makes fewer
 * than ten allocations. */
void expect_failed_allocations_told(struct harness *(*make)(void));

#endif
