/* tokens.c -- implementation of tokens.h: a table classifies ASCII; only other bytes are decoded */
#include "tokens.h"
#include "decimal.h"

#include <assert.h>
#include <string.h>

#include <utf8proc.h>

/* Kinds of bytes: in a token of the rule or not; an upper case letter; of another code point than
 * ASCII. */
enum { IN = 1, UPPER = 2, OTHER = 4 };

static const uint8_t kinds[2][256] = {
    [TOKENS_WHITESPACE] = {[0 ... 8] = IN,
                           [14 ... 31] = IN,
                           [33 ... '@'] = IN,
                           ['A' ... 'Z'] = IN | UPPER,
                           ['[' ... 127] = IN,
                           [128 ... 255] = OTHER},
    [TOKENS_WORDS] = {['0' ... '9'] = IN,
                      ['A' ... 'Z'] = IN | UPPER,
                      ['a' ... 'z'] = IN,
                      [128 ... 255] = OTHER},
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

/* Returns the end of the run of code points from `i` on that belong to tokens, or that do not. Sets
 * *upper if lower-casing changes one of them. */
static inline size_t skip(enum tokens_rule rule, const char *text, size_t len, size_t i,
                          bool belonging, bool *upper)
{
    const uint8_t *kind = kinds[rule], want = belonging ? IN : 0;
    uint8_t k = 0, seen = 0;
    for (;;) {
        while (i < len && ((k = kind[(uint8_t)text[i]]) & (IN | OTHER)) == want)
            seen |= k, i++;
        *upper |= seen & UPPER;
        if (i == len || k != OTHER) return i;
        size_t n;
        bool big, in = belongs(rule, text + i, len - i, &n, &big);
        if (in != belonging) return i;
        *upper |= big;
        i += n;
    }
}

/* Returns the place of the first byte from `i` on that is a blank, a control character or not
 * ASCII. Near the end of the text returns an earlier place. Looks at eight bytes at a time, because
 * the lengths of tokens cannot be foretold. */
static inline size_t tokens_skip_plain(const char *text, size_t len, size_t i)
{
    const uint64_t ones = UINT64_C(0x0101010101010101), tops = ones << 7;
    for (; i + 8 <= len; i += 8) {
        uint64_t w = eight_bytes(text + i), above = (w | tops) - ('!' * ones);
        uint64_t stop = (~above | w) & tops;
        if (stop) return i + (size_t)__builtin_ctzll(stop) / 8;
    }
    return i;
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
    bool upper = false;
    size_t from = skip(o->rule, text, len, *at, false, &upper);
    upper = false;
    size_t end =
        o->rule == TOKENS_WHITESPACE && !o->lower ? tokens_skip_plain(text, len, from) : from;
    end = *at = skip(o->rule, text, len, end, true, &upper);
    *t = (struct token){from, end - from, end - from <= o->max_bytes && !(o->lower && upper)};
    return end > from;
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
