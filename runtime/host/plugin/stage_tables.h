/* stage_tables.h -- a stage's reasons for rejecting records, its own and the host's, and its
 * figures. */
#ifndef LEAT_HOST_PLUGIN_STAGE_TABLES_H
#define LEAT_HOST_PLUGIN_STAGE_TABLES_H

#include <stdbool.h>

#include <leat/plugin.h>

#include "host/memory/arena.h"

/* The word of a reason: of the host's, or of the stage's own; NULL: it has no such. */
const char *stage_tables_reason(const struct leat_stage *s, int reason);

/* The figure of that name; NULL: the stage does not declare it. */
const struct leat_figure *stage_tables_figure(const struct leat_stage *s, const char *name);

/* Lower-case letters, digits and _, a letter first, of at most LEAT_WORD_MAX bytes. */
bool stage_tables_is_word(const char *s);

/* What is wrong with the stage's tables; NULL: nothing. */
const char *stage_tables_fault(const struct leat_stage *s, struct arena *a);

#endif
