/* stage_tables.h -- looks up and checks a stage's tables of rejection reasons, figures and
 * parameters. */
#ifndef LEAT_HOST_PLUGIN_STAGE_TABLES_H
#define LEAT_HOST_PLUGIN_STAGE_TABLES_H

#include <stdbool.h>

#include <leat/plugin.h>

#include "host/memory/arena.h"

/* Returns the word for a reason, of the host or of the stage; NULL if there is no such reason. */
const char *stage_tables_reason(const struct leat_stage *s, int reason);

/* Returns the figure called `name`; NULL if the stage does not declare it. */
const struct leat_figure *stage_tables_figure(const struct leat_stage *s, const char *name);

/* Returns the first parameter with this flag; NULL if the stage has none. */
const struct leat_param *stage_tables_flagged(const struct leat_stage *s, uint32_t flag);

/* Returns where a stage reads data in addition to the records that it gets: "files" if a parameter
 * names files; otherwise for a source "streams" if a parameter names streams or servers, else
 * "anywhere". Returns NULL for any other stage. */
const char *stage_tables_reads(const struct leat_stage *s);
/* Returns where a stage writes its data: like stage_tables_reads(), with sinks in place of
 * sources. */
const char *stage_tables_writes(const struct leat_stage *s);

/* True if the stage has a learned state. */
bool stage_tables_learns(const struct leat_stage *s);

/* True if s has only lower-case letters, digits and _, begins with a letter, and has at most
 * LEAT_WORD_MAX bytes. */
bool stage_tables_is_word(const char *s);

/* Returns the first fault of the stage's tables; NULL if they have none. */
const char *stage_tables_fault(const struct leat_stage *s, struct arena *a);

#endif
