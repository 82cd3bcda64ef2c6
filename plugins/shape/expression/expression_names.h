/* expression_names.h -- finds the columns that an expression names; messages about unknown
 * names. */
#ifndef LEAT_SHAPE_EXPRESSION_NAMES_H
#define LEAT_SHAPE_EXPRESSION_NAMES_H

#include "expression_build.h"

#include <stdbool.h>

/* Pushes the value that word w names: a column of the scope (with or without backquotes), @raw,
 * @label or @timestamp. Fails if there is no such column. If that is unknown until the input is
 * open, sets *later. */
void names_push(struct building *b, const struct expression_scope *s, const struct word *w,
                bool *later);

/* True if the name can be written without backquotes. */
bool unquoted_is_name(const char *name);

/* Adds a hint to an error if the text contains the name of a column that must be in backquotes, but
 * is not. */
void unquoted_hint(const char *text, const struct expression_scope *scope,
                   struct expression_error *error);

#endif
