/* number_cure.h -- what is probably meant by a text that is no number. */
#ifndef LEAT_CORE_TEXT_NUMBER_CURE_H
#define LEAT_CORE_TEXT_NUMBER_CURE_H

#include <stdbool.h>
#include <stddef.h>

#include "grouped.h"

enum { NUMBER_REFUSAL = 480 /* of number_refusal */ };

#define NUMBER_TOO_LARGE "too large: the largest number is 1.8e308"

/* A text of a column that is no number, or none that can be held. */
struct number_refused {
    const char *column; /* n_column bytes; NULL: it is of no column alone */
    size_t n_column;
    struct grouped form; /* how its numbers are written   */
    const char *text;    /* without blanks around it      */
    size_t n;
};

/* What it is, after "'40,18' is": "not a number: for parse.csv give numbers = { \"amount\" }, and
 * set …", with the cure if one is known (*cured), or that it is too large. */
const char *number_refusal(const struct number_refused *what, char to[NUMBER_REFUSAL], bool *cured);

/* Is it a number beyond the largest double? */
bool number_is_too_large(const struct grouped *form, const char *text, size_t n);

/* The settings of parse.csv by which it is one: "set thousands = \",\" if it is one"; NULL: none
 * are. A text with one comma before three digits may be meant in two ways, and both are named. */
const char *number_cure(const char *text, size_t n);

/* The same where a fraction begins with `decimal` and nothing groups digits. */
const char *number_group_cure(char decimal, const char *text, size_t n);

/* The unit that follows the number of "14ms" or "7 %": where it begins; n: there is none. */
size_t number_unit(const char *text, size_t n);

#endif
