/* secret_text.h -- values of parameters that nobody may read in messages, snapshots and scripts.
 *
 *   ${env:NAME}    the environment variable
 *   ${file:PATH}   what the file holds, without the line end at its end
 *
 * stand for them, anywhere in a value, and are replaced when a client is opened. */
#ifndef LEAT_CORE_TEXT_SECRET_TEXT_H
#define LEAT_CORE_TEXT_SECRET_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* A password, a key or the like, by the name of its property. */
bool secret_is_name(const char *name);
/* The value has a ${env:…} or ${file:…}. */
bool secret_is_reference(const char *value);
/* The value with all of them replaced, the caller's to free; NULL: `why` says what is wrong. */
char *secret_expand(const char *value, char *why, size_t cap);

#endif
