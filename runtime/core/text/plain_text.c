/* plain_text.c -- implementation of plain_text.h: escapes characters that control a terminal. */
#include "plain_text.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "utf8.h"

enum { PIECE_BYTES = 24 }; /* room for an escape: \xNN for each of up to four bytes, and a NUL */

static size_t escape(char piece[PIECE_BYTES], const unsigned char *s, size_t len)
{
    static const char short_names[] = "\nn\tt\rr";
    size_t n = 0;
    for (size_t i = 0; i < sizeof short_names - 1; i += 2)
        if (len == 1 && s[0] == (unsigned char)short_names[i])
            return (size_t)snprintf(piece, PIECE_BYTES, "\\%c", short_names[i + 1]);
    for (size_t i = 0; i < len; i++)
        n += (size_t)snprintf(piece + n, PIECE_BYTES - n, "\\x%02x", s[i]);
    return n;
}

/* Copies the next displayable piece of s and advances *s. */
static size_t plain_text_next_piece(char piece[PIECE_BYTES], const char **s)
{
    const unsigned char *at = (const unsigned char *)*s;
    size_t len = utf8_length(at, strnlen(*s, 4));
    bool shown = len && !utf8_acts(at, len);
    if (!len) len = 1;
    *s += len;
    if (!shown) return escape(piece, at, len);
    memcpy(piece, at, len);
    return len;
}

size_t plain_text(char *out, size_t cap, const char *s)
{
    char piece[PIECE_BYTES];
    size_t n = 0, len;
    for (; *s && n + (len = plain_text_next_piece(piece, &s)) < cap; n += len)
        memcpy(out + n, piece, len);
    if (cap) out[n] = '\0';
    return n;
}

void plain_text_print(FILE *out, const char *s)
{
    char piece[PIECE_BYTES] = "";
    while (*s) {
        size_t len = plain_text_next_piece(piece, &s);
        fwrite(piece, 1, len, out);
    }
}

void plain_text_line(FILE *out, const char *format, ...)
{
    char *text = NULL, cut[1024] = ""; /* `cut` is used if there is no memory for the whole text */
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    bool whole = vasprintf(&text, format, args) >= 0;
    if (!whole) vsnprintf(cut, sizeof cut, format, again);
    va_end(again);
    va_end(args);
    plain_text_print(out, whole ? text : cut);
    fputc('\n', out);
    if (whole) free(text);
}
