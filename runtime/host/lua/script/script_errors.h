/* script_errors.h -- what is wrong with a script, in words that help.
 *
 * Messages of Lua become problems with a place and a hint; what Lua takes without a word is found
 * in the script's text. */
#ifndef LEAT_HOST_LUA_SCRIPT_SCRIPT_ERRORS_H
#define LEAT_HOST_LUA_SCRIPT_SCRIPT_ERRORS_H

#include "builder_inside.h"

/* A message of Lua, "file:line: text". What follows from a mistake that is reported already, in the
 * same line, is left out. */
void script_errors_report(struct builder *b, const char *text);

/* Reports keys written twice in one table, of which Lua silently keeps the last. */
void script_errors_scan(struct builder *b);

#endif
