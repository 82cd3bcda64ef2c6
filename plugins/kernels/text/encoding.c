/* encoding.c -- implementation of encoding.h
 *
 * The loops of the scan have a fixed number of iterations, so that compilers vectorise them.
 * Sources: ISO 8859-1; the Encoding Standard of the WHATWG, index windows-1252; RFC 2781
 * (UTF-16). */
#include "encoding.h"

#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "core/bits.h"
#include "core/text/utf8.h"

/* ---- tests for UTF-8 ---- */

enum { BLOCK = 64, BEFORE = 3 /* bytes before a block that its check reads */ };

static uint64_t encoding_word(const unsigned char *s)
{
    uint64_t w;
    memcpy(&w, s, sizeof w);
    return w;
}

/* Written without a loop: from a loop, gcc 12 -O2 makes three times as many instructions. */
static bool is_ascii(const unsigned char *s)
{
    uint64_t all = encoding_word(s) | encoding_word(s + 8) | encoding_word(s + 16) |
                   encoding_word(s + 24) | encoding_word(s + 32) | encoding_word(s + 40) |
                   encoding_word(s + 48) | encoding_word(s + 56);
    return !(all & UINT64_C(0x8080808080808080));
}

/* True if the lengths of all characters in the block at s are valid. A character begins at s[0];
 * the bytes s[-BEFORE .. -1] exist and end with a whole character. */
static bool has_lengths(const unsigned char *s)
{
    unsigned char wrong = 0;
    for (int i = 0; i < BLOCK; i++) {
        unsigned char continues = (s[i] & 0xc0) == 0x80;
        wrong |= (unsigned char)(continues ^
                                 ((s[i - 1] >= 0xc0) | (s[i - 2] >= 0xe0) | (s[i - 3] >= 0xf0)));
    }
    return !wrong;
}

/* Returns how many bytes before `end` belong to a character that continues after `end`. */
static size_t cut_off(const unsigned char *end)
{
    return end[-1] >= 0xc0 ? 1 : end[-2] >= 0xe0 ? 2 : end[-3] >= 0xf0 ? 3 : 0;
}

/* Scans from `from`, character by character, until a character ends at `to` or later, or is not
 * UTF-8. Returns the offset reached. */
static size_t scan_slowly(const unsigned char *s, size_t from, size_t to, size_t n, bool *beyond)
{
    size_t len;
    while (from < to && (len = utf8_length(s + from, n - from)) != 0) {
        *beyond |= len > 1;
        from += len;
    }
    return from;
}

size_t utf8_scan(const char *text, size_t n, bool *beyond)
{
    const unsigned char *s = (const unsigned char *)text;
    size_t at = scan_slowly(s, 0, n < BEFORE ? n : BEFORE, n, beyond); /* start of a character */
    if (at < n && at < BEFORE) return at;
    while (n - at >= BLOCK) {
        size_t to = at + BLOCK;
        if (is_ascii(s + at)) {
            at = to;
        } else if (has_lengths(s + at)) {
            *beyond = true;
            at = to - cut_off(s + to);
        } else {
            at = scan_slowly(s, at, to, n, beyond);
            if (at < to) return at;
        }
    }
    return scan_slowly(s, at, n, n, beyond);
}

/* ---- conversion to UTF-8 ---- */

/* Code points of the bytes 0x80 … 0x9f. */
static const uint16_t windows_1252[32] = {
    0x20ac, 0x0081, 0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021, 0x02c6, 0x2030, 0x0160,
    0x2039, 0x0152, 0x008d, 0x017d, 0x008f, 0x0090, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022,
    0x2013, 0x2014, 0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0x009d, 0x017e, 0x0178};

static size_t put_bad(struct recode *r, char *out)
{
    r->bad++;
    return utf8_put(0xfffd, out);
}

/* ---- encodings with one byte per character ---- */

static size_t of_bytes(bool windows, const uint8_t *in, size_t n_in, size_t *used, char *out,
                       size_t cap)
{
    size_t i = 0, n = 0;
    while (i < n_in && cap - n >= 8) {
        uint64_t w;
        if (n_in - i >= 8 && (memcpy(&w, in + i, 8), !(w & UINT64_C(0x8080808080808080)))) {
            memcpy(out + n, &w, 8);
            i += 8, n += 8;
            continue;
        }
        uint32_t c = in[i++];
        if (windows && c >= 0x80 && c < 0xa0) c = windows_1252[c - 0x80];
        n += utf8_put(c, out + n);
    }
    *used = i;
    return n;
}

/* ---- UTF-16 ---- */

static uint32_t unit(const struct recode *r, const uint8_t *p)
{
    return r->from == RECODE_UTF_16BE ? (uint32_t)p[0] << 8 | p[1] : (uint32_t)p[1] << 8 | p[0];
}

static bool is_high(uint32_t u) { return u >= 0xd800 && u < 0xdc00; }
static bool is_low(uint32_t u) { return u >= 0xdc00 && u < 0xe000; }

/* Writes the UTF-16 character in part[0, n_part), of one or two units. Returns the bytes
 * written; 0 if the character is incomplete. If the first unit is a lone surrogate, the second
 * remains in `part`. */
static size_t take_part(struct recode *r, char *out)
{
    uint32_t first = unit(r, r->part), second = unit(r, r->part + 2);
    if (r->n_part < 2 || (is_high(first) && r->n_part < 4)) return 0;
    if (is_high(first) && is_low(second)) {
        r->n_part = 0;
        return utf8_put(0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00), out);
    }
    r->n_part -= 2; /* 2 bytes remain only after a lone surrogate */
    memmove(r->part, r->part + 2, 2);
    return is_high(first) || is_low(first) ? put_bad(r, out) : utf8_put(first, out);
}

static void find_order(struct recode *r)
{
    if (r->from == RECODE_UTF_16 && r->n_part == 2)
        r->from = r->part[0] == 0xfe && r->part[1] == 0xff ? RECODE_UTF_16BE : RECODE_UTF_16LE;
}

static size_t of_units(struct recode *r, const uint8_t *in, size_t n_in, size_t *used, char *out,
                       size_t cap)
{
    size_t i = 0, n = 0;
    while (i < n_in && cap - n >= 8) {
        r->part[r->n_part++] = in[i++];
        find_order(r);
        for (size_t k; (k = take_part(r, out + n)) > 0;)
            n += k;
    }
    *used = i;
    return n;
}

size_t recode_some(struct recode *r, const uint8_t *in, size_t n_in, size_t *used, char *out,
                   size_t cap)
{
    assert(cap >= 8 && r->from != RECODE_NONE);
    return r->from >= RECODE_UTF_16
               ? of_units(r, in, n_in, used, out, cap)
               : of_bytes(r->from == RECODE_WINDOWS_1252, in, n_in, used, out, cap);
}

size_t recode_end(struct recode *r, char *out)
{
    bool waits = r->n_part > 0;
    r->n_part = 0;
    return waits ? put_bad(r, out) : 0;
}
