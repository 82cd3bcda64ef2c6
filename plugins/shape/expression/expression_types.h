/* expression_types.h -- the types of values: what an operator wants becomes of what it gets.
 *
 *   wanted      of a text                        of a number   of a condition
 *   number      to_number, unless it is a        -             refused
 *               constant that is none: refused
 *   text        -                                to_text       refused
 *   condition   refused                          refused       -
 *   integer     refused, but for constants       the same      refused
 *
 * An integer is taken for a number, and becomes a double where one is wanted.
 *
 * What is not known before the input is open, EXPRESSION_ANY, is taken as it is. */
#ifndef LEAT_SHAPE_EXPRESSION_TYPES_H
#define LEAT_SHAPE_EXPRESSION_TYPES_H

#include "expression_build.h"

/* Of a letter of expression_function.takes or .gives; `of` for a and i. */
enum expression_type types_given(char letter, enum expression_type of);

/* The value so deep becomes one of this type; `who` wants it. */
void types_want(struct building *b, uint32_t depth, enum expression_type type, const char *who);

/* Is one of the n values on top an integer? */
bool types_have_integers(struct building *b, uint32_t n);

/* Integers among the n values on top: those beside them become integers if all can, which rounds
 * nothing; else the integers become numbers. */
void types_join_integers(struct building *b, uint32_t n, const char *who);

/* The n values on top must have one type: that of the first which is known. */
enum expression_type types_same(struct building *b, uint32_t n, const char *who);

/* The two on top become sides that are compared exactly: texts that are exact, integers, numbers.
 * Returns what they are (expression_inside.h). */
uint32_t types_exact_sides(struct building *b, const char *who);

/* As what the two on top are compared; order: by `<` or its like. */
enum expression_type types_compared(struct building *b, bool order);

#endif
