/* tokens.h -- cuts text into tokens and brings tokens into a normal form
 *
 *   whitespace  a token is a run of anything except blanks: space, \t \n \v \f \r, the Unicode
 *               spaces (category Z) and U+0085.
 *   words       a token is a run of letters, digits and marks (Unicode categories L, N, M); all
 *               other characters separate tokens.
 *   a separator a token is the text between two separators, unless it is empty.
 *
 * Text is UTF-8. A byte outside any valid sequence counts as a letter by itself and stays
 * unchanged. So text of any encoding gives tokens, though some may be wrong.
 *
 * Normal form: with `lower`, code points become lower case by Unicode's simple mapping. A token
 * longer than max_bytes is cut before the first code point that does not fit whole. A token of n
 * bytes takes at most 3 n / 2 bytes in normal form: U+023A, two bytes, becomes U+2C65, three.
 *
 * A text of n bytes has at most (n + 1) / 2 tokens. Categories and case come from libutf8proc.
 *
 *   example   "Don't stop, Ann"   whitespace: Don't  stop,  Ann     words: Don  t  stop  Ann
 *             lower, max_bytes 4: the normal form of "Stopped" is "stop"
 *
 * Out of scope: ids, batches.
 */
#ifndef LEAT_KERNELS_TEXT_TOKENS_H
#define LEAT_KERNELS_TEXT_TOKENS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum tokens_rule { TOKENS_WHITESPACE = 0, TOKENS_WORDS = 1 };

#define TOKENS_MIN_BYTES 4 /* least max_bytes: any code point fits */

struct tokens_options {
    enum tokens_rule rule;
    const char *separator; /* replaces the rule; NULL for none */
    uint32_t n_separator;
    bool lower;
    uint32_t max_bytes;
};

struct token {
    size_t off, len; /* range in the text                                       */
    bool as_is;      /* already in normal form: tokens_form() is not needed */
};

/* Finds the first token of text[*at .. len) and moves *at to its end. Returns false if no token is
 * left. */
bool tokens_next(const struct tokens_options *o, const char *text, size_t len, size_t *at,
                 struct token *t);

/* Writes a token's normal form: at most max_bytes, and at most 3 len / 2. Returns its length. */
size_t tokens_form(const struct tokens_options *o, const char *token, size_t len, char *out);

#endif
