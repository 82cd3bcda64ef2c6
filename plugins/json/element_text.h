/* element_text.h -- parts of a JSON text, and their texts again, perhaps with pairs as objects.
 *
 *     "attributes":[{"key":"a","value":{"intValue":"5"}}]     ->     "attributes":{"a":"5"}
 *
 * A text that is written is never longer than what it is written of. */
#ifndef LEAT_JSON_ELEMENT_TEXT_H
#define LEAT_JSON_ELEMENT_TEXT_H

#include <leat/plugin.h>

#include "kernels/text/json.h"

struct element_text {
    struct json_text text; /* checked by json_read() */
    bool pairs;            /* arrays of objects with `key` and `value` become objects */
    char *to;              /* where the text goes */
};

/* Returns the first character of a token. */
char element_kind(const struct element_text *, uint32_t token);
/* Returns the token of the first member's key, or of the first element, in an object or array;
 * JSON_NO_TOKEN if it has none. */
uint32_t element_first(const struct element_text *, uint32_t token);
/* Returns the token after the value at `token` and its comma; JSON_NO_TOKEN after the last one. */
uint32_t element_next(const struct element_text *, uint32_t token);
/* True if the key at `token` is this one. Keys with escapes are compared up to 256 bytes. */
bool element_is(const struct element_text *, uint32_t token, const char *key, size_t n);

/* Append to the text: bytes, a string with its quotes, a value. */
void element_put(struct element_text *, const char *text, size_t n);
void element_write_string(struct element_text *, uint32_t token);
void element_write(struct element_text *, uint32_t token);

#endif
