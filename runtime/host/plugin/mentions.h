/* mentions.h -- stages by the words of their documentation. */
#ifndef LEAT_HOST_PLUGIN_MENTIONS_H
#define LEAT_HOST_PLUGIN_MENTIONS_H

#include "registry.h"

/* Has a stage the word, or what stands after its last dot, in its name, summary or documentation? A
 * whole word, of letters, in any case. A stage whose file is not loaded has none. */
bool mentions(const struct stage_type *type, const char *word);

/* Of a word that is no stage: prints a line of each stage that mentions it, and else what stage may
 * be meant (standard error). All files are loaded. */
void mentions_tell(const struct registry *r, const char *word, struct arena *a);

#endif
