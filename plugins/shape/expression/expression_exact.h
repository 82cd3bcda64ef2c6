/* expression_exact.h -- whole numbers that a double does not have, or not alone: from 2^53 on they
 * are compared as integers or texts, or refused. */
#ifndef LEAT_SHAPE_EXPRESSION_EXACT_H
#define LEAT_SHAPE_EXPRESSION_EXACT_H

#include "expression_build.h"

/* Fails where such a constant stands. */
void exact_fail(struct building *b, uint32_t at);

/* Fails if a constant that is rounded is used as a double. */
void exact_check(struct building *b);
/* The same of the two sides of == or !=, which are doubles: one that other whole numbers equal. */
void exact_check_sides(struct building *b);

/* Is it a text, and none that stands in the expression? */
bool exact_is_text(const struct value *v);
/* Must a text on one of the two sides be read exactly? Not beside a constant below 2^53: no whole
 * number beyond is rounded to that. */
bool exact_is_needed(struct building *b);
/* Fails if the value so deep is a constant that texts, which are exact to 2^63, cannot meet. */
void exact_want(struct building *b, uint32_t depth);
/* Must the text on top be exact beside the numbers of `in`, which begin at `first`? Fails where a
 * number on top would have to be. */
bool exact_wants_members(struct building *b, uint32_t first, uint32_t at);

/* A constant text that is such a number. */
bool exact_is_large_text(const struct building *b, const struct value *v);

#endif
