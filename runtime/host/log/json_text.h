/* json_text.h -- any text and any number as JSON, and JSON as text.
 *
 * No caller checks whether JSON got its memory, because JSON that lacks a member would look
 * complete. Instead, main gives jansson memory_take (memory.h). */
#ifndef LEAT_HOST_LOG_JSON_TEXT_H
#define LEAT_HOST_LOG_JSON_TEXT_H

#include <stddef.h>
#include <stdio.h>

#include <jansson.h>

/* Returns a new JSON string; each byte that is not UTF-8 becomes U+FFFD, where json_string() would
 * return NULL. */
json_t *json_text(const char *s);
json_t *json_text_n(const char *s, size_t n);
json_t *json_text_or_null(const char *s); /* NULL gives null */

/* Returns a whole number below 9e15 as an integer; null for NaN and infinities. */
json_t *json_figure(double v);
/* Returns a real; null for NaN and infinities. */
json_t *json_real_or_null(double v);

/* Takes ownership of `value`; returns it as json_print would write it: with numbers as printed. */
json_t *json_as_printed(json_t *value);

/* Takes ownership of `value`; writes it in a line, or lines, by the flags of json_dumps. Returns
 * nonzero on failure. */
int json_print(json_t *value, size_t flags, FILE *out);

#endif
