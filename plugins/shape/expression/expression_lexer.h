/* expression_lexer.h -- splits an expression into words. */
#ifndef LEAT_SHAPE_EXPRESSION_LEXER_H
#define LEAT_SHAPE_EXPRESSION_LEXER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum lexeme {
    LEX_END,
    LEX_NUMBER,
    LEX_TEXT,   /* text in quotes; two quotes inside mean one quote */
    LEX_COLUMN, /* name in backquotes */
    LEX_NAME,   /* letters, digits, _ and points inside; or @ and such a name */
    LEX_SIGN,   /* operator, parenthesis or comma */
    LEX_UNENDED /* text or column without its closing quote */
};

struct word {
    enum lexeme kind;
    const char *text; /* for LEX_TEXT and LEX_COLUMN, the text between the quotes */
    size_t len;
    uint32_t at; /* byte of the expression at which the word begins */
    double number;
    int64_t integer; /* the number as an integer of 64 bits; INT64_MIN if it is none */
    bool is_rounded; /* true if its digits are a number that no double represents */
};

/* True if `text` is a number that differs from x, the double nearest to it. With a fraction or an
 * exponent, false if x is below 2^53, or from 2^63 on. */
bool lexer_is_rounded(const char *text, size_t n, double x);

/* Returns the word at *p, and moves *p behind it. `begin` is the start of the expression. */
struct word lexer_next(const char *begin, const char **p);
/* Returns the word at p without moving. */
struct word lexer_look(const char *begin, const char *p);

static inline bool word_is(const struct word *w, const char *sign)
{
    size_t i = 0;
    while (i < w->len && sign[i] && sign[i] == w->text[i])
        i++;
    return (w->kind == LEX_SIGN || w->kind == LEX_NAME) && i == w->len && !sign[i];
}

/* Writes the text between the quotes of a LEX_TEXT or LEX_COLUMN, in which two quotes become one.
 * Writes at most w->len bytes. Returns their number. */
size_t word_unquote(const struct word *w, char *to);

#endif
