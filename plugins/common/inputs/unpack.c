/* unpack.c -- implementation of unpack.h. */
#include "unpack.h"

#include <bzlib.h>
#include <isa-l/crc.h>
#include <isa-l/igzip_lib.h>
#include <limits.h>
#include <lzma.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>
#include <zstd_errors.h>

static enum unpack_status unpack_null(const uint8_t *in, size_t n, uint8_t *out, size_t cap,
                                      size_t *got)
{
    *got = n;
    if (n > cap) return UNPACK_FULL;
    memcpy(out, in, n);
    return UNPACK_DONE;
}

static enum unpack_status unpack_deflate(const uint8_t *in, size_t n, uint8_t *out, size_t cap,
                                         size_t *got)
{
    struct inflate_state *z = malloc(sizeof *z);
    if (!z || n > UINT_MAX || cap > UINT_MAX) return free(z), UNPACK_WRONG;
    isal_inflate_init(z);
    z->next_in = (uint8_t *)in;
    z->avail_in = (uint32_t)n;
    z->next_out = out;
    z->avail_out = (uint32_t)cap;
    int result = isal_inflate_stateless(z);
    bool whole = result == ISAL_DECOMP_OK && z->block_state == ISAL_BLOCK_FINISH;
    *got = z->total_out;
    free(z);
    if (result == ISAL_OUT_OVERFLOW) return UNPACK_FULL;
    return whole ? UNPACK_DONE : UNPACK_WRONG;
}

static enum unpack_status unpack_bzip2(const uint8_t *in, size_t n, uint8_t *out, size_t cap,
                                       size_t *got)
{
    unsigned text = (unsigned)cap;
    if (n > INT_MAX || cap > INT_MAX) return UNPACK_WRONG;
    int result = BZ2_bzBuffToBuffDecompress((char *)out, &text, (char *)in, (unsigned)n, 0, 0);
    *got = text;
    if (result == BZ_OUTBUFF_FULL) return UNPACK_FULL;
    return result == BZ_OK ? UNPACK_DONE : UNPACK_WRONG;
}

static enum unpack_status unpack_zstd(const uint8_t *in, size_t n, uint8_t *out, size_t cap,
                                      size_t *got)
{
    *got = ZSTD_decompress(out, cap, in, n);
    if (ZSTD_getErrorCode(*got) == ZSTD_error_dstSize_tooSmall) return UNPACK_FULL;
    return ZSTD_isError(*got) ? UNPACK_WRONG : UNPACK_DONE;
}

static enum unpack_status unpack_xz(const uint8_t *in, size_t n, uint8_t *out, size_t cap,
                                    size_t *got)
{
    uint64_t limit = 2 * (uint64_t)cap + (1 << 20); /* a dictionary of a window */
    size_t read = 0;
    *got = 0;
    lzma_ret result = lzma_stream_buffer_decode(&limit, 0, NULL, in, &read, n, out, got, cap);
    if (result == LZMA_BUF_ERROR || result == LZMA_MEMLIMIT_ERROR) return UNPACK_FULL;
    return result == LZMA_OK && read == n ? UNPACK_DONE : UNPACK_WRONG;
}

/* ---- snappy ---- */

struct snappy {
    const uint8_t *in, *end;
    uint8_t *out;
    size_t n, size; /* bytes of text so far, and in all */
};

/* Reads a number of `size` bytes, lowest first. Returns false at the end of the input. */
static bool snappy_number(struct snappy *s, size_t size, uint32_t *v)
{
    if (size > (size_t)(s->end - s->in)) return false;
    *v = 0;
    for (size_t i = 0; i < size; i++)
        *v |= (uint32_t)*s->in++ << (8 * i);
    return true;
}

/* tag: 2 bits of kind, 0; 6 bits of length - 1, or 60 to 63 for one to four bytes that hold it */
static bool snappy_literal(struct snappy *s, uint8_t tag)
{
    uint32_t length = tag >> 2;
    if (length >= 60 && !snappy_number(s, length - 59, &length)) return false;
    if (length >= s->size - s->n || length >= (size_t)(s->end - s->in)) return false;
    memcpy(s->out + s->n, s->in, (size_t)length + 1);
    s->in += (size_t)length + 1;
    s->n += (size_t)length + 1;
    return true;
}

/* tag: kind 1: 3 bits of length - 4, and 3 bits of an offset of 11; kinds 2 and 3: 6 bits of
 * length - 1, and an offset of two or four bytes */
static bool snappy_copy(struct snappy *s, uint8_t tag)
{
    unsigned kind = tag & 3;
    uint32_t offset, length = kind == 1 ? 4 + (tag >> 2 & 7) : 1 + (tag >> 2);
    if (!snappy_number(s, kind == 3 ? 4 : kind, &offset)) return false;
    if (kind == 1) offset |= (uint32_t)(tag >> 5) << 8;
    if (!offset || offset > s->n || length > s->size - s->n) return false;
    for (uint32_t i = 0; i < length; i++, s->n++)
        s->out[s->n] = s->out[s->n - offset];
    return true;
}

/* Unpacks the length of the text, 7 bits a byte, then literals and copies, then the text's CRC-32,
 * highest byte first. */
static enum unpack_status unpack_snappy(const uint8_t *in, size_t n, uint8_t *out, size_t cap,
                                        size_t *got)
{
    enum { CRC = 4 };
    if (n <= CRC) return UNPACK_WRONG;
    struct snappy s = {.in = in, .end = in + n - CRC, .out = out};
    uint64_t size = 0;
    for (unsigned shift = 0; shift < 35 && s.in < s.end; shift += 7) {
        size |= (uint64_t)(*s.in & 0x7f) << shift;
        if (*s.in++ < 0x80) break;
    }
    *got = (size_t)size;
    if (size > cap) return UNPACK_FULL;
    s.size = (size_t)size;
    while (s.in < s.end) {
        uint8_t tag = *s.in++;
        if (!(tag & 3 ? snappy_copy(&s, tag) : snappy_literal(&s, tag))) return UNPACK_WRONG;
    }
    uint32_t crc = crc32_gzip_refl(0, out, s.n), stored = 0;
    for (size_t i = 0; i < CRC; i++)
        stored = stored << 8 | in[n - CRC + i];
    return s.n == s.size && crc == stored ? UNPACK_DONE : UNPACK_WRONG;
}

static const struct unpack_codec {
    const char *name;
    unpack *call;
} unpack_codecs[] = {{"null", unpack_null},      {"deflate", unpack_deflate},
                     {"bzip2", unpack_bzip2},    {"snappy", unpack_snappy},
                     {"zstandard", unpack_zstd}, {"xz", unpack_xz}};

unpack *unpack_of(const char *codec, size_t n)
{
    for (size_t i = 0; i < sizeof unpack_codecs / sizeof *unpack_codecs; i++)
        if (n == strlen(unpack_codecs[i].name) && !memcmp(codec, unpack_codecs[i].name, n))
            return unpack_codecs[i].call;
    return NULL;
}
