/* secret_text.h -- parameter values that messages, snapshots and scripts must not reveal.
 *
 *     ${env:NAME}    the environment variable
 *     ${file:PATH}   the content of the file, without a final line end
 *
 * stand for them, anywhere in a value. Opening a client replaces them. */
#ifndef LEAT_CORE_TEXT_SECRET_TEXT_H
#define LEAT_CORE_TEXT_SECRET_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* True if a property of this name holds a password, a key or the like. */
bool secret_is_name(const char *name);
/* True if the value has a ${env:…} or ${file:…}. */
bool secret_is_reference(const char *value);
/* Returns the value with all references replaced, for the caller to free; NULL with the reason in
 * `why`. */
char *secret_expand(const char *value, char *why, size_t cap);

#endif
