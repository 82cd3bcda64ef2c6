/* expression_unquoted.h -- names of columns that need backquotes: unit-price, first name. */
#ifndef LEAT_SHAPE_EXPRESSION_UNQUOTED_H
#define LEAT_SHAPE_EXPRESSION_UNQUOTED_H

#include <stdbool.h>

#include "expression.h"

/* Is it a name without backquotes? */
bool unquoted_is_name(const char *name);

/* Adds to why an expression is wrong how a column is written whose name stands there without
 * backquotes. */
void unquoted_hint(const char *text, const struct expression_scope *scope,
                   struct expression_error *error);

#endif
