/* stage_tables.h -- facts of a stage's tables: its reasons for rejecting records, its figures, what
 * it reads and writes. */
#ifndef LEAT_HOST_PLUGIN_STAGE_TABLES_H
#define LEAT_HOST_PLUGIN_STAGE_TABLES_H

#include <stdbool.h>

#include <leat/plugin.h>

#include "host/memory/arena.h"

/* The word of a reason: of the host's, or of the stage's own; NULL: it has no such. */
const char *stage_tables_reason(const struct leat_stage *s, int reason);

/* The figure of that name; NULL: the stage does not declare it. */
const struct leat_figure *stage_tables_figure(const struct leat_stage *s, const char *name);

/* The first parameter with this flag; NULL: the stage has none. */
const struct leat_param *stage_tables_flagged(const struct leat_stage *s, uint32_t flag);

/* What the stage itself reads: "files" if a parameter names them, "streams" if one names those.
 * Returns "anywhere" if it is a source, and no parameter says what; NULL if it reads only
 * records. */
const char *stage_tables_reads(const struct leat_stage *s);
/* The same of what it writes, and of sinks. */
const char *stage_tables_writes(const struct leat_stage *s);

/* True if its state is learned. */
bool stage_tables_learns(const struct leat_stage *s);

/* Lower-case letters, digits and _, a letter first, of at most LEAT_WORD_MAX bytes. */
bool stage_tables_is_word(const char *s);

/* What is wrong with the stage's tables; NULL: nothing. */
const char *stage_tables_fault(const struct leat_stage *s, struct arena *a);

#endif
