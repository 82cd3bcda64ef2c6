/* json_text.h -- converts any text and any number to JSON, and prints JSON.
 *
 * No caller checks whether JSON got its memory: JSON without some of its members would look
 * complete. Instead, main makes jansson allocate by memory_take() (memory.h). */
#ifndef LEAT_HOST_LOG_JSON_TEXT_H
#define LEAT_HOST_LOG_JSON_TEXT_H

#include <stddef.h>
#include <stdio.h>

#include <jansson.h>

/* Returns a new JSON string. A byte that is not valid UTF-8 becomes U+FFFD; json_string() would
 * return NULL in this case. */
json_t *json_text(const char *s);
json_t *json_text_n(const char *s, size_t n);
json_t *json_text_or_null(const char *s); /* JSON null for NULL */

/* Returns v as a JSON integer if it is whole and below 9e15, otherwise as a real; null for NaN and
 * infinities. */
json_t *json_figure(double v);
/* Returns v as a JSON real; null for NaN and infinities. */
json_t *json_real_or_null(double v);

/* Takes ownership of `value`. Returns it with its numbers rounded as json_print() prints them. */
json_t *json_as_printed(json_t *value);

/* Takes ownership of `value`. Writes it to `out` with the flags of json_dumps(), and a line end.
 * Returns nonzero on failure. */
int json_print(json_t *value, size_t flags, FILE *out);

#endif
