/* reader_ahead.c -- see reader_ahead.h. */
#include "reader_ahead.h"

#include <unistd.h>

enum { AHEAD_MAX = 1000 /* inputs at most */, AHEAD_TEXT = 64 << 10, PIECE = 4 << 10 };

/* Is it decoded as far as AHEAD_TEXT? The first text is there when the coding is known. */
static bool is_enough(const struct stream *st)
{
    const struct coding *c = st->decoder.coding;
    return st->text >= AHEAD_TEXT || (st->known && !c);
}

/* bzip2 has its magic checked, and no block. */
static bool is_slow(int fd)
{
    unsigned char first[DECODER_MAGIC];
    bool maybe;
    ssize_t n = pread(fd, first, sizeof first, 0);
    const struct coding *c = n > 0 ? decoder_coding(first, (size_t)n, &maybe) : NULL;
    return c && !decoder_is_quick(c);
}

/* Its window is free, as nothing is being read. */
static bool input_fits(struct leat_ctx *ctx, struct reader *r, uint32_t input)
{
    enum stream_status s = stream_open(&r->stream, &r->inputs.v[input], r->raw);
    size_t n;
    if (s != STREAM_TEXT) return true; /* it is told when its turn comes */
    bool slow = is_slow(r->stream.fd);
    while (s == STREAM_TEXT && !slow && !is_enough(&r->stream))
        s = stream_read(ctx, &r->stream, r->window, PIECE, false, &n);
    bool fits = s != STREAM_FAILED || r->stream.may_pass;
    if (!fits) reader_fail(r, LEAT_EIO, "%s", r->stream.why);
    stream_close(&r->stream);
    return fits;
}

bool reader_ahead_fits(struct leat_ctx *ctx, struct reader *r)
{
    bool fit = true;
    r->ahead = true;
    if (r->follows || r->inputs.pipe || r->streaming || r->pass) return true;
    for (uint32_t k = 1; fit && k <= AHEAD_MAX && k < r->inputs.n - r->input; k++)
        fit = ctx->host->stopping(ctx) || input_fits(ctx, r, r->input + k);
    return fit;
}
