/* grouped.h -- numbers as people write them: "1.188,02", "1 188.02", "1'188".
 *
 *   number = [ sign ] ( digits | group ) [ decimal digits ] [ exponent ]
 *   group  = 1 to 3 digits, then one or more times: thousands, 3 digits
 *
 * A separator anywhere else makes the text no number: with "." for thousands, "1.5" is none, and
 * not 15. */
#ifndef LEAT_BASE_GROUPED_H
#define LEAT_BASE_GROUPED_H

#include <stdbool.h>
#include <stddef.h>

enum { GROUPED_MAX = 400 }; /* bytes of a number with separators; longer ones are refused */

struct grouped {
    char decimal;   /* '.' or ','                                                            */
    char thousands; /* '\0': none. ' ' is also the no-break space U+00A0 and the narrow one,
                       U+202F; '\'' also U+2019                                               */
};

/* The text in the plain form, which decimal.h reads: its length, at most GROUPED_MAX; 0: it is no
 * number of this form. */
size_t grouped_plain(const struct grouped *g, const char *text, size_t n, char to[GROUPED_MAX]);

#endif
