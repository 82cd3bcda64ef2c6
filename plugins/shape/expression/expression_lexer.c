/* expression_lexer.c -- see expression_lexer.h. */
#include "expression_lexer.h"

#include <stdio.h>
#include <string.h>

#include "expression_inside.h"
#include "kernels/text/decimal.h"

static bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/* Bytes above 127 are letters: names may have any of UTF-8's. */
static bool is_letter(char c)
{
    return ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || c == '_' || (unsigned char)c >= 0x80;
}

static bool is_within(char c) { return is_letter(c) || decimal_is_digit(c); }

static void lex_name(struct word *w, const char **p)
{
    const char *q = *p + 1;
    while (is_within(*q) || (*q == '.' && is_letter(q[1])))
        q++;
    w->kind = LEX_NAME;
    w->len = (size_t)(q - *p);
    *p = q;
}

bool lexer_is_rounded(const char *digits, size_t n, double x)
{
    char shown[512]; /* of the largest double: 309 digits */
    while (n > 1 && *digits == '0')
        digits++, n--;
    for (size_t i = 0; i < n; i++)
        if (!decimal_is_digit(digits[i])) return false;
    return snprintf(shown, sizeof shown, "%.0f", x) != (int)n || memcmp(shown, digits, n) != 0;
}

/* "1..2" is 1 and 2 joined. */
static void lex_number(struct word *w, const char **p)
{
    const char *end = *p + strlen(*p), *stop = *p;
    if (decimal_parse(*p, end, &w->number, &stop) != DECIMAL_OK) w->number = (double)INFINITY;
    if (stop[-1] == '.' && *stop == '.') stop--;
    w->kind = LEX_NUMBER;
    w->len = (size_t)(stop - *p);
    w->integer = integer_read(*p, w->len);
    w->is_rounded = lexer_is_rounded(*p, w->len, w->number);
    *p = stop;
}

static void lex_quoted(struct word *w, const char **p)
{
    char quote = **p;
    const char *q = *p + 1;
    while (*q && (*q != quote || q[1] == quote))
        q += 1 + (*q == quote);
    w->kind = !*q ? LEX_UNENDED : quote == '`' ? LEX_COLUMN : LEX_TEXT;
    w->text = *p + 1;
    w->len = (size_t)(q - w->text);
    *p = *q ? q + 1 : q;
}

static size_t sign_length(const char *p)
{
    static const char *const two[] = {"==", "!=", "~=", "<=", ">=", "..", "&&", "||", "<>", "//"};
    for (size_t i = 0; i < sizeof two / sizeof *two; i++)
        if (!strncmp(p, two[i], 2)) return 2;
    return 1;
}

struct word lexer_next(const char *begin, const char **p)
{
    while (is_blank(**p))
        ++*p;
    struct word w = {.text = *p, .at = (uint32_t)(*p - begin)};
    if (!**p)
        w.kind = LEX_END;
    else if (is_letter(**p) || **p == '@')
        lex_name(&w, p);
    else if (decimal_is_digit(**p) || (**p == '.' && decimal_is_digit((*p)[1])))
        lex_number(&w, p);
    else if (strchr("'\"`", **p))
        lex_quoted(&w, p);
    else {
        w.kind = LEX_SIGN;
        w.len = sign_length(*p);
        *p += w.len;
    }
    return w;
}

struct word lexer_look(const char *begin, const char *p) { return lexer_next(begin, &p); }

size_t word_unquote(const struct word *w, char *to)
{
    size_t n = 0;
    for (size_t i = 0; i < w->len; i++) {
        to[n++] = w->text[i];
        i += i + 1 < w->len && w->text[i] == w->text[i + 1] && w->text[i] == w->text[-1];
    }
    return n;
}
