/* start.h -- does a record begin at this line? A regular expression says so (PCRE2). */
#ifndef LEAT_SOURCES_FILE_START_H
#define LEAT_SOURCES_FILE_START_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct start;

/* NULL: the pattern is wrong, and `why` says how; or, with an empty `why`, there is no memory. */
struct start *start_new(const char *pattern, char why[256]);
void start_free(struct start *s);

/* As framing_of_events wants it. A line on which the pattern takes more than START_STEPS, or too
 * much memory, begins no record, and is counted. */
enum { START_STEPS = 100000 }; /* of PCRE2, some 10 ns each */
bool start_matches(void *start, const char *line, size_t n);

/* How many lines are counted so; *first: where the first of them began, in the text that
 * start_matches got. */
uint64_t start_given_up(const struct start *, const char **first);

#endif
