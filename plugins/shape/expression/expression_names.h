/* expression_names.h -- the columns that an expression may name, and messages about others. */
#ifndef LEAT_SHAPE_EXPRESSION_NAMES_H
#define LEAT_SHAPE_EXPRESSION_NAMES_H

#include "expression_build.h"

#include <stdbool.h>

/* Pushes the column that word w names: one of the scope's, with or without backquotes, or @raw,
 * @label, @timestamp. It fails where there is none; *later is set where this is known only when the
 * input is open. */
void names_push(struct building *b, const struct expression_scope *s, const struct word *w,
                bool *later);

/* Is it a name without backquotes? */
bool unquoted_is_name(const char *name);

/* Adds to why an expression is wrong how a column is written whose name stands there without
 * backquotes. */
void unquoted_hint(const char *text, const struct expression_scope *scope,
                   struct expression_error *error);

#endif
