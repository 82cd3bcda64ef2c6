/* script_help.h -- `leat run SCRIPT --help`: what a script says of itself. */
#ifndef LEAT_HOST_LUA_SCRIPT_SCRIPT_HELP_H
#define LEAT_HOST_LUA_SCRIPT_SCRIPT_HELP_H

#include <stdio.h>

#include "builder.h"

/* Prints the comment at the head of the script and its arguments: those that it declares
 * (leat.arguments), or, in a script without such a comment, those that it reads. Builds nothing.
 * LEAT_OK; LEAT_EARG with the problem in d: it cannot be read, or is no Lua. */
int lua_script_help(const char *script, const char *lua_dir, struct registry *known,
                    const struct lua_beginning *beginning, struct diag *d, FILE *out);

/* The question that a script answers: that comment up to its first blank line, as one line of at
 * most cap - 1 bytes; "": it has no such comment. */
void lua_script_question(const char *script, char *text, size_t cap);

#endif
