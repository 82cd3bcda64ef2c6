/* expression_names.h -- columns that an expression may name, and messages about other names. */
#ifndef LEAT_SHAPE_EXPRESSION_NAMES_H
#define LEAT_SHAPE_EXPRESSION_NAMES_H

#include "expression_build.h"

#include <stdbool.h>

/* Pushes the column named by word w: one of the scope's, with or without backquotes, or @raw,
 * @label, @timestamp. Fails if there is none. *later becomes true if the answer needs the open
 * input. */
void names_push(struct building *b, const struct expression_scope *s, const struct word *w,
                bool *later);

/* True if the name needs no backquotes. */
bool unquoted_is_name(const char *name);

/* Adds a hint to an error, if the text has a column's name that needs backquotes without them. */
void unquoted_hint(const char *text, const struct expression_scope *scope,
                   struct expression_error *error);

#endif
