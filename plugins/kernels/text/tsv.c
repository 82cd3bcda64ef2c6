/* tsv.c -- implementation of tsv.h
 *
 * sink.file, ClickHouse, PostgreSQL's COPY, mysql --batch and Zeek write these escapes. None of
 * them writes a backslash that begins no escape. So such a backslash shows a file without escapes,
 * such as one of Windows paths. */
#include "tsv.h"

#include <string.h>

static int tsv_digit(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* Reads the escape at the beginning of s[0, n), whose first byte is a backslash. Returns its
 * length; 0 if it is none. */
static uint32_t tsv_read(const char *s, uint32_t n, char *byte)
{
    static const char letters[] = "tnr\\bfv'0", bytes[] = "\t\n\r\\\b\f\v'";
    const char *letter = n > 1 && s[1] ? strchr(letters, s[1]) : NULL;
    if (letter) {
        *byte = bytes[letter - letters];
        return 2;
    }
    int high = n > 3 && s[1] == 'x' ? tsv_digit(s[2]) : -1;
    int low = high < 0 ? -1 : tsv_digit(s[3]);
    if (low < 0) return 0;
    *byte = (char)(high << 4 | low);
    return 4;
}

uint32_t tsv_undo(const char *text, uint32_t n, char *to, int64_t *other)
{
    uint32_t len = 0, used;
    *other = TSV_NONE;
    for (uint32_t i = 0; i < n; i += used, len++) {
        used = text[i] == '\\' ? tsv_read(text + i, n - i, to + len) : 0;
        if (used) continue;
        if (text[i] == '\\' && *other == TSV_NONE) *other = i;
        to[len] = text[i];
        used = 1;
    }
    return len;
}
