/* window.c -- see window.h. */
#include "window.h"

#include <lzma.h>
#include <zstd.h>

#define MIB ((uint64_t)1 << 20)

/*  magic 4 | descriptor: sizes 2 bits, single segment 1 bit, … | window: exponent
 *  5, mantissa 3 bits
 *
 * A single segment has no window: its text is one. */
bool window_zstd(const unsigned char *first, size_t n, uint64_t *window)
{
    if (n < 6) return false;
    bool is_frame = first[0] == 0x28, single = first[4] >> 5 & 1;
    *window = 0;
    if (is_frame && !single) {
        uint64_t base = (uint64_t)1 << (10 + (first[5] >> 3));
        *window = base + base / 8 * (first[5] & 7);
    } else if (is_frame) {
        *window = ZSTD_getFrameContentSize(first, n);
    }
    return *window != ZSTD_CONTENTSIZE_ERROR;
}

uint64_t window_xz_of(uint64_t decoder_bytes) { return decoder_bytes / MIB * MIB; }

/* The library says how much it lacks before it takes it. */
uint64_t window_xz(const unsigned char *first, size_t n)
{
    lzma_stream x = LZMA_STREAM_INIT;
    uint8_t out[1];
    uint64_t window = 0;
    if (lzma_stream_decoder(&x, 1, 0) == LZMA_OK) {
        x.next_in = first;
        x.avail_in = n;
        x.next_out = out;
        x.avail_out = sizeof out;
        if (lzma_code(&x, LZMA_RUN) == LZMA_MEMLIMIT_ERROR)
            window = window_xz_of(lzma_memusage(&x));
    }
    lzma_end(&x);
    return window;
}
