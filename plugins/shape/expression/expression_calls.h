/* expression_calls.h -- calls of functions: the operands that each takes (its `takes`), and the
 * constants in their place, the edges of bucket. */
#ifndef LEAT_SHAPE_EXPRESSION_CALLS_H
#define LEAT_SHAPE_EXPRESSION_CALLS_H

#include "expression_words.h"

/* function "(" … ")" from the parenthesis on; `name` is the word before it. Leaves one value. */
void calls_parse(struct parser *p, const struct word *name);

#endif
