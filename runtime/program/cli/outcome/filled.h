/* filled.h -- texts of a script whose {names} are replaced by figures of the run.
 *
 *   "{model.tokens} tokens, {model.pairs} pairs"   ->   "18,000 tokens, 45,000 pairs"
 *
 * A name consists of letters, digits, '_', '.', '/', '%' and blanks, and begins with a letter.
 * Other braces are text, so a condition may contain them. */
#ifndef LEAT_PROGRAM_CLI_OUTCOME_FILLED_H
#define LEAT_PROGRAM_CLI_OUTCOME_FILLED_H

#include "host/memory/arena.h"

/* Returns the text for a name, in arena a; NULL if it is unknown. */
typedef const char *filled_value(const void *of, const char *name, struct arena *a);

/* Returns the text with its names filled in. Omits a part between commas if one of its names is
 * unknown. Returns NULL if no part remains. */
const char *filled_text(const char *text, filled_value *value, const void *of, struct arena *a);

/* Returns n with separators, such as 2,940. */
const char *filled_grouped(double n, struct arena *a);

#endif
