/* xz.c -- implementation of xz.h: one decoder of liblzma for all its formats. */
#include "xz.h"

#include <lzma.h>
#include <stdlib.h>

/* Returns the dictionary, rounded down to a MiB, of a decoder that needs `decoder_bytes` of
 * memory. */
static uint64_t xz_window_of(uint64_t decoder_bytes) { return decoder_bytes / XZ_BYTES * XZ_BYTES; }

/* liblzma with a tiny memory limit reports how much memory it would need. */
uint64_t xz_window(const unsigned char *first, size_t n)
{
    lzma_stream x = LZMA_STREAM_INIT;
    uint8_t out[1];
    uint64_t window = 0;
    if (lzma_auto_decoder(&x, 1, 0) == LZMA_OK) {
        x.next_in = first;
        x.avail_in = n;
        x.next_out = out;
        x.avail_out = sizeof out;
        if (lzma_code(&x, LZMA_RUN) == LZMA_MEMLIMIT_ERROR)
            window = xz_window_of(lzma_memusage(&x));
    }
    lzma_end(&x);
    return window;
}

void *xz_begin(uint64_t window)
{
    lzma_stream *x = calloc(1, sizeof *x);
    if (x && lzma_auto_decoder(x, window + XZ_BYTES, LZMA_CONCATENATED) == LZMA_OK) return x;
    free(x);
    return NULL;
}

enum outcome xz_run(void *state, struct decoder_step *s)
{
    lzma_stream *x = state;
    x->next_in = s->in;
    x->avail_in = s->n_in;
    x->next_out = (uint8_t *)s->out;
    x->avail_out = s->n_out;
    lzma_ret result = lzma_code(x, s->last ? LZMA_FINISH : LZMA_RUN);
    step_advance(s, s->n_in - x->avail_in, s->n_out - x->avail_out);
    if (result == LZMA_STREAM_END)
        return s->n_in ? decoder_damaged(s, "other bytes follow the last member") : MEMBER_ENDED;
    if (result == LZMA_MEMLIMIT_ERROR) return decoder_too_large(s, xz_window_of(lzma_memusage(x)));
    if (result == LZMA_MEM_ERROR) return decoder_damaged(s, "out of memory");
    if (result == LZMA_FORMAT_ERROR) return decoder_damaged(s, "no header");
    return result == LZMA_OK || result == LZMA_BUF_ERROR
               ? ON
               : decoder_damaged(s, "a check or code is wrong");
}

void xz_end(void *state)
{
    lzma_end(state);
    free(state);
}
