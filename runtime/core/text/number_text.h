/* number_text.h -- numbers in columns of text.
 *
 * A number has optional blanks around it, an optional sign, decimal digits with at most one point,
 * and an optional exponent; it is finite. No hexadecimal, no "inf", no "nan", in any locale.
 */
#ifndef LEAT_CORE_TEXT_NUMBER_TEXT_H
#define LEAT_CORE_TEXT_NUMBER_TEXT_H

#include <stdint.h>

#include "grouped.h"

/* Reads the text [p, end). Returns 1 and sets *out if it is a number, 0 if it is empty or blank, -1
 * otherwise. */
int number_text_double(const char *p, const char *end, double *out);
/* Reads a whole number into an int64_t, exactly: any value but INT64_MIN, also written as 1e3, 2.0
 * or 12.50e1. Returns the same as number_text_double. */
int number_text_int64(const char *p, const char *end, int64_t *out);

/* Like number_text_double and number_text_int64, for a number in the given form. */
int number_text_double_as(const struct grouped *form, const char *p, const char *end, double *out);
int number_text_int64_as(const struct grouped *form, const char *p, const char *end, int64_t *out);

#endif
