/* json_text.h -- text of any origin as JSON. */
#ifndef LEAT_BASE_JSON_TEXT_H
#define LEAT_BASE_JSON_TEXT_H

#include <stddef.h>

#include <jansson.h>

/* A JSON string; bytes that are no UTF-8 become U+FFFD, so it is never NULL for that. */
json_t *json_text(const char *s);
json_t *json_text_n(const char *s, size_t n);

#endif
