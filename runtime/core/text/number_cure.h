/* number_cure.h -- suggests settings that make a refused text a number. */
#ifndef LEAT_CORE_TEXT_NUMBER_CURE_H
#define LEAT_CORE_TEXT_NUMBER_CURE_H

#include <stdbool.h>
#include <stddef.h>

#include "grouped.h"

enum { NUMBER_REFUSAL = 480 /* of number_refusal */ };

#define NUMBER_TOO_LARGE "too large: the largest number is 1.8e308"

/* A text of a column that is not a number, or not one that can be held. */
struct number_refused {
    const char *column; /* n_column bytes; NULL: no single column */
    size_t n_column;
    struct grouped form; /* number format of the column */
    const char *text;    /* without blanks around it    */
    size_t n;
};

/* Describes the fault, for a message after "'40,18' is": "not a number: for parse.csv give numbers
 * = { \"amount\" }, and set …", or that it is too large. Includes the cure if one is known
 * (*cured). */
const char *number_refusal(const struct number_refused *what, char to[NUMBER_REFUSAL], bool *cured);

/* True if it is a number beyond the largest double. */
bool number_is_too_large(const struct grouped *form, const char *text, size_t n);

/* Returns the settings of parse.csv that make it a number: "set thousands = \",\" if it is one";
 * NULL if none do. One comma before three digits may mean two things; the cure names both. */
const char *number_cure(const char *text, size_t n);

/* Returns the cure if a fraction begins with `decimal` and nothing groups digits; NULL if none is
 * known. */
const char *number_group_cure(char decimal, const char *text, size_t n);

/* Offset of the unit after the number of "14ms" or "7 %"; n: no unit. */
size_t number_unit(const char *text, size_t n);

#endif
