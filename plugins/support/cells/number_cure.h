/* number_cure.h -- what is probably meant by a text that is no number. */
#ifndef LEAT_SUPPORT_CELLS_NUMBER_CURE_H
#define LEAT_SUPPORT_CELLS_NUMBER_CURE_H

#include <stddef.h>

/* The settings of parse.csv by which it is one: "set thousands = \",\" if it is one"; NULL: none
 * are. A text with one comma before three digits may be meant in two ways, and both are named. */
const char *number_cure(const char *text, size_t n);

/* The same where a fraction begins with `decimal` and nothing groups digits. */
const char *number_group_cure(char decimal, const char *text, size_t n);

/* The unit that follows the number of "14ms" or "7 %": where it begins; n: there is none. */
size_t number_unit(const char *text, size_t n);

#endif
