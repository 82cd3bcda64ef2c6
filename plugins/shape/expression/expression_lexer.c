/* expression_lexer.c -- implementation of expression_lexer.h: words, numbers and texts. */
#include "expression_lexer.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "expression_steps.h"
#include "kernels/text/decimal.h"

static bool lexer_is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/* True for a letter or '_'. Bytes above 127 count as letters, because names may contain any
 * UTF-8. */
static bool lexer_is_letter(char c)
{
    return ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || c == '_' || (unsigned char)c >= 0x80;
}

static bool lexer_is_within(char c) { return lexer_is_letter(c) || decimal_is_digit(c); }

static void lexer_lex_name(struct word *w, const char **p)
{
    const char *q = *p + 1;
    while (lexer_is_within(*q) || (*q == '.' && lexer_is_letter(q[1])))
        q++;
    w->kind = LEX_NAME;
    w->len = (size_t)(q - *p);
    *p = q;
}

/* Returns the number of digits before the point if the number is whole, as 9007199254740993.0 is;
 * otherwise n. */
static size_t lexer_whole_length(const char *s, size_t n)
{
    const char *point = memchr(s, '.', n);
    size_t end = n;
    while (point && s[end - 1] == '0')
        end--;
    return point && s + end == point + 1 ? end - 1 : n;
}

/* Returns the digit at *p and moves behind it, past a sign or point before it. The digits of a
 * number end at `end` or at its exponent. After the last one, returns '0'. */
static char lexer_next_digit(const char **p, const char *end)
{
    while (*p < end && !decimal_is_digit(**p) && (**p | 0x20) != 'e')
        ++*p;
    if (*p < end && decimal_is_digit(**p)) return *(*p)++;
    *p = end;
    return '0';
}

/* True if two numbers have the same digits without zeros at either end. */
static bool lexer_same_digits(const char *p, const char *p_end, const char *q, const char *q_end)
{
    char a, b;
    while ((a = lexer_next_digit(&p, p_end)) == '0' && p < p_end)
        continue;
    while ((b = lexer_next_digit(&q, q_end)) == '0' && q < q_end)
        continue;
    while (a == b && (p < p_end || q < q_end)) {
        a = lexer_next_digit(&p, p_end);
        b = lexer_next_digit(&q, q_end);
    }
    return a == b;
}

/* Each digit of a fraction from 2^53 to 2^63 is probably intended. */
bool lexer_is_rounded(const char *text, size_t n, double x)
{
    char shown[512]; /* room for the digits of the largest double (309) */
    size_t digits = 0;
    while (digits < n && decimal_is_digit(text[digits]))
        digits++;
    if (digits < n && !(fabs(x) >= EXPRESSION_WHOLE && fabs(x) < 0x1p63)) return false;
    int len = snprintf(shown, sizeof shown, "%.0f", x);
    return !lexer_same_digits(text, text + n, shown, shown + len);
}

/* Lexes a number. The number in "1..2" is 1, because .. joins texts. */
static void lexer_lex_number(struct word *w, const char **p)
{
    const char *end = *p + strlen(*p), *stop = *p;
    if (decimal_parse(*p, end, &w->number, &stop) != DECIMAL_OK) w->number = (double)INFINITY;
    if (stop[-1] == '.' && *stop == '.') stop--;
    w->kind = LEX_NUMBER;
    w->len = (size_t)(stop - *p);
    size_t whole = w->number < EXPRESSION_WHOLE ? w->len : lexer_whole_length(*p, w->len);
    w->integer = integer_read(*p, whole);
    w->is_rounded = lexer_is_rounded(*p, whole, w->number);
    bool digits = strspn(*p, "0123456789") >= whole;
    /* w->integer was computed from the double, so it may differ from the digits */
    if (w->is_rounded && !digits) w->integer = LEAT_NO_INT64;
    *p = stop;
}

static void lexer_lex_quoted(struct word *w, const char **p)
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

static size_t lexer_sign_length(const char *p)
{
    static const char *const two[] = {"==", "!=", "~=", "<=", ">=", "..", "&&", "||", "<>", "//"};
    for (size_t i = 0; i < sizeof two / sizeof *two; i++)
        if (!strncmp(p, two[i], 2)) return 2;
    return 1;
}

struct word lexer_next(const char *begin, const char **p)
{
    while (lexer_is_blank(**p))
        ++*p;
    struct word w = {.text = *p, .at = (uint32_t)(*p - begin)};
    if (!**p)
        w.kind = LEX_END;
    else if (lexer_is_letter(**p) || **p == '@')
        lexer_lex_name(&w, p);
    else if (decimal_is_digit(**p) || (**p == '.' && decimal_is_digit((*p)[1])))
        lexer_lex_number(&w, p);
    else if (strchr("'\"`", **p))
        lexer_lex_quoted(&w, p);
    else {
        w.kind = LEX_SIGN;
        w.len = lexer_sign_length(*p);
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
