/* secret_text.h -- parameter values that messages, snapshots and scripts must not reveal.
 *
 * A value may contain references to secrets. secret_expand() replaces them when a client is opened:
 *
 *     ${env:NAME}    by the value of the environment variable NAME
 *     ${file:PATH}   by the content of the file, without a final line end
 */
#ifndef LEAT_CORE_TEXT_SECRET_TEXT_H
#define LEAT_CORE_TEXT_SECRET_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* True if a property of this name holds a secret, such as a password or a key. */
bool secret_is_name(const char *name);
/* True if the value contains ${env:…} or ${file:…}. */
bool secret_is_reference(const char *value);
/* Returns a copy of the value with all references replaced; the caller frees it. On failure returns
 * NULL and writes the reason to `why`. */
char *secret_expand(const char *value, char *why, size_t cap);

/* True if `given` (or NULL) is the secret. The time does not depend on the bytes of `given`, only
 * on its length. */
bool secret_is(const char *secret, const char *given);
/* Returns the token of the value "Bearer TOKEN" of an Authorization header; NULL if it has another
 * form. */
const char *secret_bearer(const char *authorization);

#endif
