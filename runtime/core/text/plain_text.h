/* plain_text.h -- any text for a terminal or log, with control characters displayed, not executed.
 *
 * Written as \n, \t, \r or as bytes (\x1b): control characters, DEL, the C1 controls (U+0080 to
 * U+009F), bytes that are not UTF-8, U+2028, U+2029, and the marks that turn the direction of
 * writing. Everything else stays unchanged, including a backslash. */
#ifndef LEAT_CORE_TEXT_PLAIN_TEXT_H
#define LEAT_CORE_TEXT_PLAIN_TEXT_H

#include <stddef.h>
#include <stdio.h>

/* Writes at most cap - 1 bytes and a zero, never a part of a character or of an escape. Returns the
 * number of bytes without the zero. */
size_t plain_text(char *out, size_t cap, const char *s);

/* Prints a text of any length. */
void plain_text_print(FILE *out, const char *s);

/* Prints a line: formats it like printf, escapes it, adds a line feed. */
void plain_text_line(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
