/* mentions.h -- finds stages by the words of their documentation. */
#ifndef LEAT_HOST_PLUGIN_MENTIONS_H
#define LEAT_HOST_PLUGIN_MENTIONS_H

#include "registry.h"

/* True if a stage's name, summary or documentation has the word, or its part after the last dot: a
 * whole word of letters, in any case. False for a stage whose file is not loaded. */
bool mentions(const struct stage_type *type, const char *word);

/* For a word that is not a stage: prints a line for each stage that mentions it, otherwise the
 * stage that the user may mean (standard error). All files must be loaded. */
void mentions_tell(const struct registry *r, const char *word, struct arena *a);

#endif
