/* base64.h -- writes bytes as base64 (RFC 4648, section 4, with padding), in pieces of any size. */
#ifndef LEAT_KERNELS_TEXT_BASE64_H
#define LEAT_KERNELS_TEXT_BASE64_H

#include <stddef.h>
#include <stdint.h>

#include "core/report/text_out.h"

/* Bytes that are not written yet. Zeroed at first. */
struct base64 {
    uint8_t rest[3];
    unsigned n;
};

/* Writes four characters for the bytes of the rest, with = in place of missing ones. */
static inline void base64_flush(struct base64 *b, struct text_out *o)
{
    static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    uint32_t bits = 0;
    for (unsigned i = 0; i < 3; i++)
        bits = bits << 8 | (i < b->n ? b->rest[i] : 0);
    for (unsigned i = 0; i < 4; i++)
        text_char(o, i <= b->n ? digit[bits >> (18 - 6 * i) & 63] : '=');
    b->n = 0;
}

static inline void base64_add(struct base64 *b, struct text_out *o, const uint8_t *p, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        b->rest[b->n++] = p[i];
        if (b->n == 3) base64_flush(b, o);
    }
}

static inline void base64_end(struct base64 *b, struct text_out *o)
{
    if (b->n) base64_flush(b, o);
}

/* Writes a JSON string with n bytes as base64. */
static inline void base64_json(struct text_out *o, const uint8_t *p, size_t n)
{
    struct base64 b = {.n = 0};
    text_char(o, '"');
    base64_add(&b, o, p, n);
    base64_end(&b, o);
    text_char(o, '"');
}

#endif
