/* number_cure.h -- for messages: finds settings that would make a refused text a number. */
#ifndef LEAT_CORE_TEXT_NUMBER_CURE_H
#define LEAT_CORE_TEXT_NUMBER_CURE_H

#include <stdbool.h>
#include <stddef.h>

#include "grouped.h"

enum { NUMBER_REFUSAL = 480 /* bytes of the text of number_refusal */ };

#define NUMBER_TOO_LARGE "too large: the largest number is 1.8e308"

/* A cell's text that is not a number, or is too large a number. */
struct number_refused {
    const char *column; /* name, n_column bytes; NULL: the text is not from one column */
    size_t n_column;
    struct grouped form; /* number format of the column       */
    const char *text;    /* the text without blanks around it */
    size_t n;
};

/* Returns the rest of a message that begins "'40,18' is ". It is "not a number: for parse.csv give
 * numbers = { \"amount\" }, and set …", or NUMBER_TOO_LARGE. If some settings would make the text a
 * number, the message names them, and *cured is true. */
const char *number_refusal(const struct number_refused *what, char to[NUMBER_REFUSAL], bool *cured);

/* True if the text is a number of this form, but larger than the largest double. */
bool number_is_too_large(const struct grouped *form, const char *text, size_t n);

/* Returns the settings of parse.csv with which the text is a number, such as "set thousands = \",\"
 * if it is a number". Returns NULL if there are none. A single comma before three digits is
 * ambiguous, so both settings are named. */
const char *number_cure(const char *text, size_t n);

/* Like number_cure, for a column whose decimal mark is `decimal` and that has no mark between
 * thousands. */
const char *number_group_cure(char decimal, const char *text, size_t n);

/* Returns the offset of the unit in a text such as "14ms" or "7 %"; n if there is no unit. */
size_t number_unit(const char *text, size_t n);

#endif
