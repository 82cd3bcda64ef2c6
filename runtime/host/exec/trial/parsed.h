/* parsed.h -- what a parser makes of records that a script has, for scripts that guess a format. */
#ifndef LEAT_HOST_EXEC_TRIAL_PARSED_H
#define LEAT_HOST_EXEC_TRIAL_PARSED_H

#include <stddef.h>

#include "host/memory/arena.h"
#include "host/params/setting.h"
#include "host/plugin/registry.h"

/* Gives the parser with these settings n records. Returns a list, in `a`: first the names of the
 * parser's columns, as a list; then for each record the list of its cells, in which a boolean means
 * no value; a text, the reason, if the parser has rejected the record; or a boolean if it has
 * filtered it. Columns of other types than text and number have no values. A
 * parser that makes other records (expand) has, in place of these, the text of each that it
 * makes. On failure returns NULL
 * and sets *why to the reason. Call it before any thread is started. */
const struct value *parsed_records(struct registry *known, const char *parser,
                                   struct setting *settings, size_t n_settings,
                                   const struct value *records, size_t n, struct arena *a,
                                   const char **why);

#endif
