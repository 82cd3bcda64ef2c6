/* grouped.h -- numbers as people write them: "1.188,02", "1 188.02", "1'188".
 *
 *     number = [ sign ] ( digits | group ) [ decimal digits ] [ exponent ]
 *     group  = 1 to 3 digits, then one or more times: thousands, 3 digits
 *
 * A text with a separator anywhere else is not a number. With "." for thousands, "1.5" is an error,
 * not 15. */
#ifndef LEAT_CORE_TEXT_GROUPED_H
#define LEAT_CORE_TEXT_GROUPED_H

#include <stdbool.h>
#include <stddef.h>

enum {
    GROUPED_MAX = 400, /* bytes of a number with separators; longer ones are refused */
    GROUPED_NAME = 160 /* of grouped_name */
};
#define GROUPED_UNSURE '\x7f' /* LEAT_DECIMAL_UNSURE */

struct grouped {
    char decimal;   /* '.' or ','; '\0': '.'; GROUPED_UNSURE: unknown, and only digits are
                     * numbers */
    char thousands; /* '\0': none. ' ' includes the no-break space U+00A0 and the narrow one,
                     * U+202F; '\'' includes U+2019 */
};

/* True for a decimal point and no groups. */
static inline bool grouped_is_plain(const struct grouped *g)
{
    return (!g->decimal || g->decimal == '.') && !g->thousands;
}

static inline bool grouped_is_same(const struct grouped *a, const struct grouped *b)
{
    return a->thousands == b->thousands &&
           (a->decimal == b->decimal || (grouped_is_plain(a) && grouped_is_plain(b)));
}

/* Describes the form for a message after "is not a number": " with decimal = \",\""; "" if
 * plain. */
const char *grouped_name(const struct grouped *g, char to[GROUPED_NAME]);

/* Converts the text to the plain form, which number_text.h and kernels read. Returns its length, at
 * most GROUPED_MAX; 0 if it is not a number of this form. */
size_t grouped_plain(const struct grouped *g, const char *text, size_t n, char to[GROUPED_MAX]);

#endif
