/* naive_inflate.h -- the text of deflate data, bit by bit, as RFC 1951 says. */
#ifndef LEAT_TESTS_SUPPORT_NAIVE_INFLATE_H
#define LEAT_TESTS_SUPPORT_NAIVE_INFLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct naive_inflate {
    const unsigned char *in;
    size_t n_in, bit; /* bits used */
    unsigned char *out;
    size_t n_out; /* bytes of text so far */
};

/* A code: the lengths of its symbols, and the symbols in the order of their bits. */
struct naive_code {
    unsigned n, of_length[16];
    unsigned char length[320];
    unsigned short symbol[320];
};

/* Puts the symbols in order. Returns false if two symbols would have the same bits. */
static inline bool naive_order(struct naive_code *c)
{
    unsigned n = 0, used = 0;
    for (unsigned length = 1; length < 16; length++) {
        unsigned before = n;
        for (unsigned symbol = 0; symbol < c->n; symbol++)
            if (c->length[symbol] == length) c->symbol[n++] = (unsigned short)symbol;
        c->of_length[length] = n - before;
        used += (n - before) << (15 - length);
    }
    return used <= 1u << 15;
}

/* Bits after the end are zeros. */
static inline uint32_t naive_bits(struct naive_inflate *z, unsigned n)
{
    uint32_t v = 0;
    for (unsigned i = 0; i < n; i++, z->bit++)
        if (z->bit / 8 < z->n_in) v |= (uint32_t)(z->in[z->bit / 8] >> z->bit % 8 & 1) << i;
    return v;
}

/* Returns the next symbol; -1 if no symbol has these bits. */
static inline int naive_symbol(struct naive_inflate *z, const struct naive_code *c)
{
    uint32_t code = 0, first = 0, index = 0;
    for (unsigned length = 1; length < 16; length++) {
        code = code << 1 | naive_bits(z, 1);
        first <<= 1;
        if (code < first + c->of_length[length]) return c->symbol[index + code - first];
        first += c->of_length[length];
        index += c->of_length[length];
    }
    return -1;
}

static inline bool naive_lengths(struct naive_inflate *z, struct naive_code *text,
                                 struct naive_code *far)
{
    static const unsigned char order[] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                          11, 4,  12, 3, 13, 2, 14, 1, 15};
    struct naive_code lengths = {.n = 19}, all = {.n = 0};
    text->n = 257 + naive_bits(z, 5);
    far->n = 1 + naive_bits(z, 5);
    unsigned n = 4 + naive_bits(z, 4), wanted = text->n + far->n;
    for (unsigned i = 0; i < n; i++)
        lengths.length[order[i]] = (unsigned char)naive_bits(z, 3);
    if (text->n > 286 || far->n > 30 || !naive_order(&lengths)) return false;
    while (all.n < wanted) {
        int symbol = naive_symbol(z, &lengths);
        unsigned times = 1, value = (unsigned)symbol;
        if (symbol < 0 || (symbol == 16 && !all.n)) return false;
        if (symbol == 16) value = all.length[all.n - 1];
        if (symbol > 16) value = 0;
        if (symbol == 16) times = 3 + naive_bits(z, 2);
        if (symbol == 17) times = 3 + naive_bits(z, 3);
        if (symbol == 18) times = 11 + naive_bits(z, 7);
        if (times > wanted - all.n) return false;
        memset(all.length + all.n, (int)value, times);
        all.n += times;
    }
    memcpy(text->length, all.length, text->n);
    memcpy(far->length, all.length + text->n, far->n);
    return text->length[256] && naive_order(text) && naive_order(far);
}

static inline void naive_fixed(struct naive_code *text, struct naive_code *far)
{
    text->n = 288;
    far->n = 30;
    memset(text->length, 8, 288);
    memset(text->length + 144, 9, 112);
    memset(text->length + 256, 7, 24);
    memset(far->length, 5, 30);
    naive_order(text);
    naive_order(far);
}

static inline bool naive_match(struct naive_inflate *z, unsigned symbol,
                               const struct naive_code *far)
{
    static const unsigned short base[] = {3,  4,  5,  6,   7,   8,   9,   10,  11, 13,
                                          15, 17, 19, 23,  27,  31,  35,  43,  51, 59,
                                          67, 83, 99, 115, 131, 163, 195, 227, 258};
    if (symbol > 285) return false;
    unsigned extra = symbol < 265 || symbol == 285 ? 0 : (symbol - 261) / 4;
    unsigned length = base[symbol - 257] + naive_bits(z, extra);
    int code = naive_symbol(z, far);
    if (code < 0) return false;
    unsigned more = code < 4 ? 0 : (unsigned)code / 2 - 1;
    size_t from = code < 4 ? (size_t)code + 1 : ((2u + (code & 1)) << more) + 1;
    size_t distance = from + naive_bits(z, more);
    if (distance > z->n_out || z->bit > 8 * z->n_in) return false;
    for (; length; length--, z->n_out++)
        z->out[z->n_out] = z->out[z->n_out - distance];
    return true;
}

static inline bool naive_coded(struct naive_inflate *z, const struct naive_code *text,
                               const struct naive_code *far)
{
    for (;;) {
        int symbol = naive_symbol(z, text);
        if (symbol < 0 || z->bit > 8 * z->n_in) return false;
        if (symbol == 256) return true;
        if (symbol < 256)
            z->out[z->n_out++] = (unsigned char)symbol;
        else if (!naive_match(z, (unsigned)symbol, far))
            return false;
    }
}

static inline bool naive_stored(struct naive_inflate *z)
{
    z->bit = (z->bit + 7) / 8 * 8;
    uint32_t n = naive_bits(z, 16);
    if (naive_bits(z, 16) != (~n & 0xffff)) return false;
    for (; n && z->bit < 8 * z->n_in; n--)
        z->out[z->n_out++] = (unsigned char)naive_bits(z, 8);
    return !n;
}

/* Decodes the blocks. False if they are damaged; `out` has the text before the damage. `out` must
 * have room for 1032 bytes per byte of `in`. */
static inline bool naive_inflate(struct naive_inflate *z)
{
    for (bool last = false; !last;) {
        struct naive_code text = {.n = 0}, far = {.n = 0};
        last = naive_bits(z, 1);
        unsigned kind = naive_bits(z, 2);
        if (kind == 3) return false;
        if (kind == 1) naive_fixed(&text, &far);
        if (kind == 2 && !naive_lengths(z, &text, &far)) return false;
        if (!(kind ? naive_coded(z, &text, &far) : naive_stored(z))) return false;
    }
    return true;
}

#endif
