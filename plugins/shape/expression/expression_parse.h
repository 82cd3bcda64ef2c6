/* expression_parse.h -- the parser and its words, as the rules of the grammar take them.
 *
 * After a failure no word is taken any more, so that loops of rules end. */
#ifndef LEAT_SHAPE_EXPRESSION_PARSE_H
#define LEAT_SHAPE_EXPRESSION_PARSE_H

#include "expression_build.h"

struct parser {
    const char *text, *next;
    struct word word; /* the one to be parsed */
    const struct expression_scope *scope;
    bool later; /* a name is known only when the input is open */
    uint32_t nested;
    struct building b;
};

/* Goes to the next word. */
void words_advance(struct parser *p);
/* Goes past this sign or word if it stands here. */
bool words_take(struct parser *p, const char *sign);
/* The same; it fails if another stands here. */
void words_need(struct parser *p, const char *sign);
/* Goes past a number, with or without a minus; it fails, and is 0, where none stands. */
struct literal words_number(struct parser *p);

/* or = and { "or" and }. Leaves one value, unless it fails. */
void parse_or(struct parser *p);

/* function "(" … ")" from the parenthesis on; `name` is the word before it. Leaves one value. */
void calls_parse(struct parser *p, const struct word *name);

/* ---- hints ---- */

enum { HINTS_BYTES = 160 };

/* What to write in place of the word that the parser is at, as ": write and"; "": nobody knows. It
 * may lie in out. */
const char *hints_of_word(const struct parser *p, char out[HINTS_BYTES]);
/* What to write in place of a function of another language; NULL: nobody knows. */
const char *hints_of_function(const char *name);
/* Returns true if a name has a sign of word processors; out says what to write. */
bool hints_of_sign(const char *name, size_t len, char out[HINTS_BYTES]);
/* Fails if the number w has thousands as the file writes them: 5.000. */
void hints_check_number(struct parser *p, const struct word *w);

#endif
