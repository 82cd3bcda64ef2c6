/* naive_framing.h -- runtime/core/text/framing.h implemented by definition, as an oracle.
 *
 * It works byte by byte, with all the text in view and no state. The kernel's tests and its fuzz
 * target use it. */
#ifndef LEAT_TESTS_SUPPORT_NAIVE_FRAMING_H
#define LEAT_TESTS_SUPPORT_NAIVE_FRAMING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "core/text/framing.h"

struct piece {
    enum framing_result what;
    size_t from, len, used; /* members of struct framing_cut; the caller sets `from` */
    uint32_t lines;
};

/* Returns the piece that begins at p[0]; n bytes of the input are left. Delimiter ',', quote
 * '"'. escapes: in quotes, a backslash and the byte after it are text. */
static inline struct piece naive_next(const char *p, size_t n, bool csv, bool escapes, size_t max)
{
    size_t limit = n < max + 2 ? n : max + 2, opened = 0;
    bool whole = limit == n, quoted = false, at_start = true, given_up = false;
    uint32_t lines = 0;
    size_t i = 0;
    for (; i < limit; i++) {
        char c = p[i];
        if (c == '\n') lines++;
        if (quoted) {
            if (escapes && c == '\\' && i + 1 < limit && (p[i + 1] == '"' || p[i + 1] == '\\')) {
                i++;
                continue;
            }
            if (c != '"') continue;
            if (i + 1 == limit && !whole) break;
            char after = i + 1 < limit ? p[i + 1] : '\n';
            if (after == '"') {
                i++;
                continue;
            }
            quoted = false;
            if (after != ',' && after != '\n' && after != '\r' &&
                memchr(p + opened, '\n', i - opened)) {
                given_up = true;
                break;
            }
            continue;
        }
        if (csv && c == '"' && at_start) {
            quoted = true;
            opened = i;
        }
        at_start = c == ',';
        if (c == '\n') break;
    }
    bool ended = !quoted && !given_up && (i < limit || whole);
    size_t len = i && p[i - 1] == '\r' ? i - 1 : i;
    if (ended && len <= max)
        return (struct piece){FRAMING_RECORD, 0, len, i < n ? i + 1 : n, lines};
    const char *nl = memchr(p, '\n', limit);
    size_t end = nl ? (size_t)(nl - p) : n;
    len = end && p[end - 1] == '\r' ? end - 1 : end;
    if (len > max || (!nl && !whole)) return (struct piece){FRAMING_LONG, 0, 0, 0, 0};
    return (struct piece){FRAMING_QUOTE, 0, len, end < n ? end + 1 : n, nl != NULL};
}

#endif
