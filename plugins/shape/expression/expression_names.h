/* expression_names.h -- finds the columns that an expression names; messages about unknown
 * names. */
#ifndef LEAT_SHAPE_EXPRESSION_NAMES_H
#define LEAT_SHAPE_EXPRESSION_NAMES_H

#include "expression_build.h"

#include <stdbool.h>

/* Pushes the column that word w names: a column of the scope, with or without backquotes, or @raw,
 * @label, @timestamp. Fails if there is no such column. Sets *later if this is unknown until the
 * input is open. */
void names_push(struct building *b, const struct expression_scope *s, const struct word *w,
                bool *later);

/* True if the name can be written without backquotes. */
bool unquoted_is_name(const char *name);

/* Adds a hint to an error, if the text contains the name of a column that needs backquotes, but
 * without them. */
void unquoted_hint(const char *text, const struct expression_scope *scope,
                   struct expression_error *error);

#endif
