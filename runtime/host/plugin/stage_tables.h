/* stage_tables.h -- facts of a stage's tables: rejection reasons, figures, input and output. */
#ifndef LEAT_HOST_PLUGIN_STAGE_TABLES_H
#define LEAT_HOST_PLUGIN_STAGE_TABLES_H

#include <stdbool.h>

#include <leat/plugin.h>

#include "host/memory/arena.h"

/* Returns the word of a reason, the host's or the stage's own; NULL: there is no such reason. */
const char *stage_tables_reason(const struct leat_stage *s, int reason);

/* Returns the figure of that name; NULL: the stage does not declare it. */
const struct leat_figure *stage_tables_figure(const struct leat_stage *s, const char *name);

/* Returns the first parameter with this flag; NULL: the stage has none. */
const struct leat_param *stage_tables_flagged(const struct leat_stage *s, uint32_t flag);

/* Kind of the stage's own input: "files" if a parameter names files, "streams" if one names
 * streams, "anywhere" for a source without such a parameter. NULL if it reads only records. */
const char *stage_tables_reads(const struct leat_stage *s);
/* Kind of the stage's own output, likewise; "anywhere" is for sinks. */
const char *stage_tables_writes(const struct leat_stage *s);

/* True if the stage's state is learned. */
bool stage_tables_learns(const struct leat_stage *s);

/* True for lower-case letters, digits and _, beginning with a letter, at most LEAT_WORD_MAX
 * bytes. */
bool stage_tables_is_word(const char *s);

/* Returns the fault of the stage's tables; NULL: none. */
const char *stage_tables_fault(const struct leat_stage *s, struct arena *a);

#endif
