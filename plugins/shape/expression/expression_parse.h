/* expression_parse.h -- the rule of a whole expression, for rules that have one within: calls. */
#ifndef LEAT_SHAPE_EXPRESSION_PARSE_H
#define LEAT_SHAPE_EXPRESSION_PARSE_H

#include "expression_words.h"

/* or = and { "or" and }. Leaves one value, unless it fails. */
void parse_or(struct parser *p);

#endif
