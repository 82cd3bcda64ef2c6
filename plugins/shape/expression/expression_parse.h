/* expression_parse.h -- parser of expressions, and its words, as the rules of the grammar take
 * them.
 *
 * After a failure no more words are taken, so that loops of rules end. */
#ifndef LEAT_SHAPE_EXPRESSION_PARSE_H
#define LEAT_SHAPE_EXPRESSION_PARSE_H

#include "expression_build.h"

struct parser {
    const char *text, *next;
    struct word word; /* next word to parse */
    const struct expression_scope *scope;
    bool later; /* a name is known only when the input is open */
    uint32_t nested;
    struct building b;
};

/* Moves to the next word. */
void words_advance(struct parser *p);
/* Moves past the word if it is this sign or name. */
bool words_take(struct parser *p, const char *sign);
/* Moves past the word, or fails if it is another one. */
void words_need(struct parser *p, const char *sign);
/* Moves past a number, with or without a minus. Fails, and returns 0, if there is none. */
struct literal words_number(struct parser *p);

/* Parses the rule or = and { "or" and }. Leaves one value, unless it fails. */
void parse_or(struct parser *p);

/* Parses function "(" … ")", from the parenthesis on. `name`: the word before it. Leaves one
 * value. */
void calls_parse(struct parser *p, const struct word *name);

/* ---- hints ---- */

enum { HINTS_BYTES = 160 };

/* Returns a suggestion for the parser's word, such as ": write and"; "" if there is none. May use
 * `out`. */
const char *hints_of_word(const struct parser *p, char out[HINTS_BYTES]);
/* Returns a suggestion for a function of another language, or NULL. */
const char *hints_of_function(const char *name);
/* Returns true if a name has a sign of word processors, and writes a suggestion to `out`. */
bool hints_of_sign(const char *name, size_t len, char out[HINTS_BYTES]);
/* Fails if number w has thousands as the file writes them: 5.000. */
void hints_check_number(struct parser *p, const struct word *w);

#endif
