/* plain_text.h -- shows any text on a terminal or in a log without executing control characters.
 *
 * Control characters, DEL, the C1 controls (U+0080 to U+009F), bytes that are not UTF-8, U+2028,
 * U+2029, and the marks that change the direction of writing are written as \n, \t, \r or as bytes
 * (\x1b). Everything else stays unchanged, including a backslash. */
#ifndef LEAT_CORE_TEXT_PLAIN_TEXT_H
#define LEAT_CORE_TEXT_PLAIN_TEXT_H

#include <stddef.h>
#include <stdio.h>

/* Writes the text s to out[cap], with control characters escaped: at most cap - 1 bytes and a NUL.
 * Does not cut inside a character or an escape. Returns the number of bytes without the NUL. */
size_t plain_text(char *out, size_t cap, const char *s);

/* Prints a text of any length, escaped. */
void plain_text_print(FILE *out, const char *s);

/* Prints a line: formats it like printf, escapes it, adds a line feed. */
void plain_text_line(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
