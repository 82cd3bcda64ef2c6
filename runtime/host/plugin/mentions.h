/* mentions.h -- finds stages by the words of their documentation. */
#ifndef LEAT_HOST_PLUGIN_MENTIONS_H
#define LEAT_HOST_PLUGIN_MENTIONS_H

#include "registry.h"

/* True if a stage's name, summary or documentation contains `word`. If `word` has dots, only the
 * part after the last dot counts. Compares whole words of letters, in upper or lower case. False if
 * the stage's file is not loaded. */
bool mentions(const struct stage_type *type, const char *word);

/* Prints a line for each stage whose texts mention `word`, which is not a stage. If there is none,
 * prints the stage that the user may mean, to standard error. All plugin files must be loaded. */
void mentions_tell(const struct registry *r, const char *word, struct arena *a);

#endif
