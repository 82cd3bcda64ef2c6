/* json_text.h -- text of any origin as JSON. */
#ifndef LEAT_BASE_JSON_TEXT_H
#define LEAT_BASE_JSON_TEXT_H

#include <stddef.h>

#include <jansson.h>

/* A new JSON string; each byte that is not UTF-8 becomes U+FFFD, where json_string() would return
 * NULL. NULL: out of memory. */
json_t *json_text(const char *s);
json_t *json_text_n(const char *s, size_t n);

#endif
