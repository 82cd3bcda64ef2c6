/* expression_exact.h -- whole constants that a double does not have, or not alone: from 2^53 on
 * they are compared as integers or texts, or refused. */
#ifndef LEAT_SHAPE_EXPRESSION_EXACT_H
#define LEAT_SHAPE_EXPRESSION_EXACT_H

#include "expression_build.h"

/* Fails where such a constant stands. */
void exact_fail(struct building *b, uint32_t at);

/* Fails if a constant that is rounded is used as a double. */
void exact_check(struct building *b);
/* The same of the constants of `in`, from `first` on, and of those that other whole numbers equal
 * as doubles. */
void exact_check_members(struct building *b, uint32_t first, uint32_t at);
/* The same of the two sides of == or !=, which are doubles. */
void exact_check_sides(struct building *b);

/* A constant text that is such a number. */
bool exact_is_large_text(const struct building *b, const struct value *v);

#endif
