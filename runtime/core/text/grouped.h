/* grouped.h -- numbers as people write them: "1.188,02", "1 188.02", "1'188".
 *
 *     number = [ sign ] ( digits | group ) [ decimal digits ] [ exponent ]
 *     group  = 1 to 3 digits, then one or more times: thousands, 3 digits
 *
 * A text with a separator in any other place is not a number. If "." separates thousands, "1.5" is
 * an error, not 15. */
#ifndef LEAT_CORE_TEXT_GROUPED_H
#define LEAT_CORE_TEXT_GROUPED_H

#include <stdbool.h>
#include <stddef.h>

enum {
    GROUPED_MAX = 400, /* most bytes of a number with separators */
    GROUPED_NAME = 160 /* bytes of the text of grouped_name      */
};
#define GROUPED_UNSURE '\x7f' /* equals LEAT_DECIMAL_UNSURE */

struct grouped {
    char decimal;   /* '.' or ','; '\0' means '.'; GROUPED_UNSURE: only digits are a number      */
    char thousands; /* '\0': none; ' ': also no-break spaces (U+00A0, U+202F); '\'': also U+2019 */
};

/* True if the decimal mark is a point and nothing separates thousands. */
static inline bool grouped_is_plain(const struct grouped *g)
{
    return (!g->decimal || g->decimal == '.') && !g->thousands;
}

static inline bool grouped_is_same(const struct grouped *a, const struct grouped *b)
{
    return a->thousands == b->thousands &&
           (a->decimal == b->decimal || (grouped_is_plain(a) && grouped_is_plain(b)));
}

/* Writes the end of a message, after "is not a number": " with decimal = \",\""; "" if the form is
 * plain. Returns `to`. */
const char *grouped_name(const struct grouped *g, char to[GROUPED_NAME]);

/* Converts a number of this form to the plain form, which number_text.h and kernels read. Returns
 * its length, at most GROUPED_MAX; 0 if the text is not a number of this form. The caller checks
 * whether the plain text is a number. */
size_t grouped_plain(const struct grouped *g, const char *text, size_t n, char to[GROUPED_MAX]);

#endif
