/* escape.c -- implementation of escape.h: HTML and Markdown. */
#include "escape.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "core/text/utf8.h"

static uint32_t code_of(const unsigned char *s, size_t len)
{
    uint32_t code = len == 1 ? s[0] : s[0] & (0x7fu >> len);
    for (size_t i = 1; i < len; i++)
        code = code << 6 | (s[i] & 0x3fu);
    return code;
}

/* True for the characters U+FFFE and U+FFFF, which XML forbids. */
static bool escape_is_forbidden(const unsigned char *s, size_t len)
{
    return len == 3 && s[0] == 0xef && s[1] == 0xbf && s[2] >= 0xbe; /* U+FFFE, U+FFFF */
}

/* Prints a replacement for a character that neither HTML nor Markdown may show as it is. Returns
 * false for other characters. */
static bool put_special(struct text_out *o, const unsigned char *s, size_t len)
{
    char text[16];
    if (len && !utf8_acts(s, len) && !escape_is_forbidden(s, len)) return false;
    if (len)
        snprintf(text, sizeof text, "[U+%04X]", (unsigned)code_of(s, len));
    else
        snprintf(text, sizeof text, "%s", UTF8_REPLACEMENT);
    text_str(o, text);
    return true;
}

typedef void put_char(struct text_out *o, const char *s, size_t at, size_t n, size_t len);

/* Prints at most `most` characters of s[0 .. n), from byte `from` on. Returns the index of the byte
 * after the last printed character. */
static size_t put_some(struct text_out *o, const char *s, size_t n, size_t from, size_t most,
                       put_char *put)
{
    const unsigned char *bytes = (const unsigned char *)s;
    while (from < n && most--) {
        size_t len = utf8_length(bytes + from, n - from);
        if (!put_special(o, bytes + from, len)) put(o, s, from, n, len);
        from += len ? len : 1;
    }
    return from;
}

/* Returns the index of the byte at which the last `most` characters of s[0 .. n) begin. An invalid
 * byte counts as a character. */
static size_t last_characters(const char *s, size_t n, size_t most)
{
    while (n > 0 && most > 0)
        most -= ((unsigned char)s[--n] & 0xc0) != 0x80;
    return n;
}

static void escape_put_text(struct text_out *o, const char *s, size_t n, put_char *put)
{
    enum { HALF = ESCAPE_LONGEST / 2 };
    size_t head = put_some(o, s, n, 0, HALF, put), tail = last_characters(s, n, HALF);
    if (tail > head) text_str(o, " \xe2\x80\xa6 ");
    put_some(o, s, n, tail > head ? tail : head, SIZE_MAX, put);
}

static void put_html(struct text_out *o, const char *s, size_t at, size_t n, size_t len)
{
    switch (s[at]) {
    case '&':
        text_str(o, "&amp;");
        return;
    case '<':
        text_str(o, "&lt;");
        return;
    case '>':
        text_str(o, "&gt;");
        return;
    case '"':
        text_str(o, "&quot;");
        return;
    case '\'':
        text_str(o, "&#39;");
        return;
    default:
        text_bytes(o, s + at, len);
    }
}

void escape_html(struct text_out *o, const char *s, size_t n)
{
    escape_put_text(o, s, n, put_html);
}

static bool escape_is_word(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* True for an underscore inside a word, where it has no effect. Elsewhere it may begin or end
 * emphasis. */
static bool is_inside_word(const char *s, size_t at, size_t n)
{
    return at > 0 && at + 1 < n && escape_is_word(s[at - 1]) && escape_is_word(s[at + 1]);
}

static void put_markdown(struct text_out *o, const char *s, size_t at, size_t n, size_t len)
{
    char c = s[at];
    if (c == '<')
        text_str(o, "&lt;");
    else if (c == '&')
        text_str(o, "&amp;");
    else if (len == 1 && strchr("\\`*[]>|~#$", c))
        text_char(o, '\\'), text_char(o, c);
    else if (c == '_' && !is_inside_word(s, at, n))
        text_str(o, "\\_");
    else
        text_bytes(o, s + at, len);
}

void escape_markdown(struct text_out *o, const char *s, size_t n)
{
    escape_put_text(o, s, n, put_markdown);
}
