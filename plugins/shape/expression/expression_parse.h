/* expression_parse.h -- the parser of expressions, and functions that read its words.
 *
 * After a failure, words_take() takes no word any more, so that the loops of the rules end. */
#ifndef LEAT_SHAPE_EXPRESSION_PARSE_H
#define LEAT_SHAPE_EXPRESSION_PARSE_H

#include "expression_build.h"

struct parser {
    const char *text, *next;
    struct word word; /* word that is parsed next */
    const struct expression_scope *scope;
    bool later; /* true if a name is unknown until the input is open */
    uint32_t nested;
    struct building b;
};

/* Moves to the next word. */
void words_advance(struct parser *p);
/* If the current word is this sign or name, moves past it and returns true. */
bool words_take(struct parser *p, const char *sign);
/* If the current word is this sign or name, moves past it. Otherwise fails. */
void words_need(struct parser *p, const char *sign);
/* Moves past a number with an optional minus. If there is none, fails and returns 0. */
struct literal words_number(struct parser *p);

/* Parses the rule or = and { "or" and }. Unless it fails, pushes one value. */
void parse_or(struct parser *p);

/* Parses function "(" … ")". `name` is the function; the current word is the parenthesis. Pushes
 * one value. */
void calls_parse(struct parser *p, const struct word *name);

/* ---- hints in messages ---- */

enum { HINTS_BYTES = 160 };

/* Returns a suggestion for the current word, such as ": write and"; "" if there is none. May write
 * it to `out`. */
const char *hints_of_word(const struct parser *p, char out[HINTS_BYTES]);
/* Returns a suggestion for a function that has this name in other languages; NULL if unknown. */
const char *hints_of_function(const char *name);
/* True if a name contains a sign that word processors insert, such as a typographic quote. Writes a
 * suggestion to `out`. */
bool hints_of_sign(const char *name, size_t len, char out[HINTS_BYTES]);
/* Fails for a number such as 5.000 if the point separates thousands in the input's numbers. */
void hints_check_number(struct parser *p, const struct word *w);

#endif
