/* tokens.c -- implementation of tokens.h: a table classifies ASCII; only other bytes are decoded */
#include "tokens.h"

#include <assert.h>
#include <string.h>

#include <utf8proc.h>

/* Kinds of ASCII characters. */
enum { BLANK = 1, WORD = 2, UPPER = 4 };

static const uint8_t ascii[128] = {
    ['\t'] = BLANK,       ['\n'] = BLANK, ['\v'] = BLANK,       ['\f'] = BLANK,
    ['\r'] = BLANK,       [' '] = BLANK,  ['0' ... '9'] = WORD, ['A' ... 'Z'] = WORD | UPPER,
    ['a' ... 'z'] = WORD,
};

/* Returns the code point at p, and sets *len to its bytes. For a byte that is not part of a valid
 * sequence, returns -1 and sets *len to 1. */
static int32_t decode(const char *p, size_t left, size_t *len)
{
    utf8proc_int32_t c;
    size_t max = left < 4 ? left : 4; /* a sequence has at most 4 bytes */
    utf8proc_ssize_t n = utf8proc_iterate((const utf8proc_uint8_t *)p, (utf8proc_ssize_t)max, &c);
    *len = n > 0 ? (size_t)n : 1;
    return n > 0 ? c : -1;
}

static bool is_space(int32_t c)
{
    utf8proc_category_t k = utf8proc_category(c);
    return c == 0x85 || (k >= UTF8PROC_CATEGORY_ZS && k <= UTF8PROC_CATEGORY_ZP);
}

static bool tokens_is_word(int32_t c)
{
    utf8proc_category_t k = utf8proc_category(c);
    return k >= UTF8PROC_CATEGORY_LU && k <= UTF8PROC_CATEGORY_NO; /* L, M, N are consecutive */
}

/* True if the code point at p belongs to a token. Sets *upper if lower-casing changes it. */
static bool belongs(enum tokens_rule rule, const char *p, size_t left, size_t *len, bool *upper)
{
    *upper = false;
    int32_t c = decode(p, left, len);
    if (c < 0) return true;
    *upper = utf8proc_tolower(c) != c;
    return rule == TOKENS_WORDS ? tokens_is_word(c) : !is_space(c);
}

static bool belongs_ascii(enum tokens_rule rule, uint8_t class)
{
    return rule == TOKENS_WORDS ? class & WORD : !(class & BLANK);
}

static bool next_between(const struct tokens_options *o, const char *text, size_t len, size_t *at,
                         struct token *t)
{
    while (*at < len) {
        size_t from = *at;
        const char *end = memmem(text + from, len - from, o->separator, o->n_separator);
        size_t stop = end ? (size_t)(end - text) : len;
        *at = end ? stop + o->n_separator : len;
        *t = (struct token){from, stop - from, stop - from <= o->max_bytes && !o->lower};
        if (t->len) return true;
    }
    return false;
}

bool tokens_next(const struct tokens_options *o, const char *text, size_t len, size_t *at,
                 struct token *t)
{
    if (o->separator) return next_between(o, text, len, at, t);
    size_t i = *at, from = len, n;
    bool upper = false, any_upper = false, in;
    for (; i < len; i += n) {
        uint8_t byte = (uint8_t)text[i];
        if (byte < 128) {
            n = 1;
            upper = ascii[byte] & UPPER;
            in = belongs_ascii(o->rule, ascii[byte]);
        } else {
            in = belongs(o->rule, text + i, len - i, &n, &upper);
        }
        if (in && from == len) from = i;
        if (!in && from < len) break;
        any_upper |= in & upper;
    }
    *at = i;
    if (from == len) return false;
    *t = (struct token){from, i - from, i - from <= o->max_bytes && !(o->lower && any_upper)};
    return true;
}

size_t tokens_form(const struct tokens_options *o, const char *token, size_t len, char *out)
{
    size_t n = 0, step, put;
    assert(o->max_bytes >= TOKENS_MIN_BYTES);
    for (size_t i = 0; i < len; i += step) {
        utf8proc_uint8_t bytes[4];
        int32_t c = decode(token + i, len - i, &step);
        if (c < 0 || !o->lower)
            memcpy(bytes, token + i, put = step);
        else
            put = (size_t)utf8proc_encode_char(utf8proc_tolower(c), bytes);
        if (n + put > o->max_bytes) break;
        memcpy(out + n, bytes, put);
        n += put;
    }
    return n;
}
