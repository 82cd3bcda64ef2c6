/* script_arguments.h -- leat.args: arguments that a script reads and that were not given, or
 * the other way round. */
#ifndef LEAT_HOST_LUA_SCRIPT_SCRIPT_ARGUMENTS_H
#define LEAT_HOST_LUA_SCRIPT_SCRIPT_ARGUMENTS_H

#include "builder_inside.h"

/* Keeps in b->not_given which were read and not given. Outside of calls, where ASKED is a place on
 * the stack. */
void script_arguments_note(struct builder *b);

/* Text to append to a message: "; leat.args.data was not given (--set data=VALUE)". It is of the
 * arguments that `text` quotes or that `line` reads, or else of all when they are few; "" where
 * none may be meant. */
const char *script_arguments_not_given(struct builder *b, int line, const char *text);

/* Fills takes of the graph: all that were read. Outside of calls, as above. */
void script_arguments_taken(struct builder *b);

/* Reports those of the n that were given and not read, where one that was read and not given has a
 * name like theirs: a script that failed may have read others later. */
void script_arguments_misspelt(struct builder *b, const struct argument *args, size_t n);

/* Reports each of the n that were given and that the script did not read. */
void script_arguments_check(struct builder *b, const struct argument *args, size_t n);

#endif
