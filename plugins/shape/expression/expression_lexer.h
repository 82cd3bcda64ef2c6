/* expression_lexer.h -- words of an expression. */
#ifndef LEAT_SHAPE_EXPRESSION_LEXER_H
#define LEAT_SHAPE_EXPRESSION_LEXER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum lexeme {
    LEX_END,
    LEX_NUMBER,
    LEX_TEXT,   /* between quotes; a doubled quote stands for one */
    LEX_COLUMN, /* between backquotes */
    LEX_NAME,   /* letters, digits, _ and inner points, or @… */
    LEX_SIGN,   /* an operator, parenthesis or comma */
    LEX_UNENDED /* a text or column without its closing quote */
};

struct word {
    enum lexeme kind;
    const char *text; /* for a text or column: between its quotes */
    size_t len;
    uint32_t at; /* byte where it begins */
    double number;
    int64_t integer; /* the number, if its digits are a whole number of 64 bits; else INT64_MIN */
    bool is_rounded; /* its digits are a whole number that no double holds */
};

/* True if the digits are a whole number other than x, the double nearest to it. */
bool lexer_is_rounded(const char *digits, size_t n, double x);

/* Returns the word at *p, and moves *p past it. `begin`: start of the expression. */
struct word lexer_next(const char *begin, const char **p);
/* Returns the word at p. */
struct word lexer_look(const char *begin, const char *p);

static inline bool word_is(const struct word *w, const char *sign)
{
    size_t i = 0;
    while (i < w->len && sign[i] && sign[i] == w->text[i])
        i++;
    return (w->kind == LEX_SIGN || w->kind == LEX_NAME) && i == w->len && !sign[i];
}

/* Writes the text between quotes, with doubled quotes as one. Writes at most w->len bytes, and
 * returns their number. */
size_t word_unquote(const struct word *w, char *to);

#endif
