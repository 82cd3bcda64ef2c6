/* start.h -- does a record begin at this line? A regular expression says so (PCRE2). */
#ifndef LEAT_SOURCES_FILE_START_H
#define LEAT_SOURCES_FILE_START_H

#include <stdbool.h>
#include <stddef.h>

struct start;

/* NULL: the pattern is wrong, and `why` says how; or, with an empty `why`, there is no memory. */
struct start *start_new(const char *pattern, char why[256]);
void start_free(struct start *s);

/* As framing_of_events wants it. A line on which the pattern takes too long begins no record. */
bool start_matches(void *start, const char *line, size_t n);

#endif
