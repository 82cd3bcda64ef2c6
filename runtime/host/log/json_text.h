/* json_text.h -- text of any origin and numbers of any size as JSON, and JSON as text.
 *
 * Nothing here or elsewhere looks whether memory was there for JSON: main gives jansson memory_take
 * (memory.h), as JSON that lacks a member would look whole. */
#ifndef LEAT_HOST_LOG_JSON_TEXT_H
#define LEAT_HOST_LOG_JSON_TEXT_H

#include <stddef.h>
#include <stdio.h>

#include <jansson.h>

/* A new JSON string; each byte that is not UTF-8 becomes U+FFFD, where json_string() would return
 * NULL. */
json_t *json_text(const char *s);
json_t *json_text_n(const char *s, size_t n);
json_t *json_text_or_null(const char *s); /* NULL gives null */

/* A whole number below 9e15 as an integer; null for NaN and infinities. */
json_t *json_figure(double v);
/* The same, but always a real. */
json_t *json_real_or_null(double v);

/* Takes `value`; what json_print would write of it, read back: with numbers as they are printed. */
json_t *json_as_printed(json_t *value);

/* Takes `value`; writes it as a line, or lines, by the flags of json_dumps. Not 0: it failed. */
int json_print(json_t *value, size_t flags, FILE *out);

#endif
