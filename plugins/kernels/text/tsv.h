/* tsv.h -- escapes of fields between tabs
 *
 *   \t \n \r \b \f \v \' \0 \\   one character each
 *   \x1b                         a byte by two hexadecimal digits
 *   \N                           as a whole field: no value
 *
 *   example   C:\\a\tb\q   [C:\a, a tab, b\q]: \q is no escape, and stays
 */
#ifndef LEAT_KERNELS_TEXT_TSV_H
#define LEAT_KERNELS_TEXT_TSV_H

#include <stdbool.h>
#include <stdint.h>

enum { TSV_NONE = -1 };

/* Writes text[0, n) without its escapes, in at most n bytes. Returns the length. `to` may be
 * `text`. A backslash that begins no escape stays; *other is the offset of the first one, TSV_NONE
 * if there is none. */
uint32_t tsv_undo(const char *text, uint32_t n, char *to, int64_t *other);

/* True for \N. */
static inline bool tsv_is_null(const char *text, uint32_t n)
{
    return n == 2 && text[0] == '\\' && text[1] == 'N';
}

#endif
