/* tokens.h -- splits text into tokens and converts tokens to a normal form
 *
 *   whitespace  a token is a run of anything except blanks: space, \t \n \v \f \r, the Unicode
 *               spaces (category Z) and U+0085.
 *   words       a token is a run of letters, digits and marks (Unicode categories L, N, M); all
 *               other characters separate tokens.
 *   a separator a token is the text between two occurrences of the separator, unless it is empty.
 *
 * Text is UTF-8. A byte that is not part of a valid sequence counts as a letter and is not changed.
 * So text of any encoding gives tokens, though some may be wrong.
 *
 * Normal form: with `lower`, code points become lower case by Unicode's simple mapping. A token
 * longer than max_bytes is cut before the first code point that does not fit completely. A token of
 * n bytes has a normal form of at most 3 n / 2 bytes: U+023A (two bytes) becomes U+2C65 (three
 * bytes).
 *
 * A text of n bytes has at most (n + 1) / 2 tokens. Categories and case come from libutf8proc.
 *
 *   example   "Don't stop, Ann"   whitespace: Don't  stop,  Ann     words: Don  t  stop  Ann
 *             lower, max_bytes 4: the normal form of "Stopped" is "stop"
 *
 * Out of scope: ids of tokens, batches of records.
 */
#ifndef LEAT_KERNELS_TEXT_TOKENS_H
#define LEAT_KERNELS_TEXT_TOKENS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum tokens_rule { TOKENS_WHITESPACE = 0, TOKENS_WORDS = 1 };

#define TOKENS_MIN_BYTES 4 /* smallest max_bytes, so that any code point fits */

struct tokens_options {
    enum tokens_rule rule;
    const char *separator; /* used instead of `rule`; NULL: `rule` applies */
    uint32_t n_separator;
    bool lower;
    uint32_t max_bytes;
};

struct token {
    size_t off, len; /* range of the token in the text                              */
    bool as_is;      /* the token is in normal form, so tokens_form() is not needed */
};

/* Finds the first token of text[*at .. len) and moves *at to its end. Returns false if there are no
 * more tokens. */
bool tokens_next(const struct tokens_options *o, const char *text, size_t len, size_t *at,
                 struct token *t);

/* Writes the normal form of a token to `out`, at most max_bytes and at most 3 len / 2 bytes.
 * Returns its length. */
size_t tokens_form(const struct tokens_options *o, const char *token, size_t len, char *out);

#endif
