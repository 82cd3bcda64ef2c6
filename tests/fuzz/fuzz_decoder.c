/* fuzz_decoder.c -- any bytes as compressed data, in pieces of any size: the text is the same for
 * all sizes, and so is the end; of damaged data, as far as both came.
 *
 * sources: plugins/support/decoder.c -lz -lbz2 -llzma -lzstd -llz4
 */
#include "fuzz.h"
#include "support/decoder.h"

enum { MAX_TEXT = 1 << 16 };

/* Decodes bytes that come in pieces, up to MAX_TEXT. */
static enum decoder_status decode(const struct coding *c, const uint8_t *data, size_t size,
                                  size_t piece, char *text, size_t *n)
{
    struct decoder d;
    enum decoder_status s;
    if (!decoder_begin(&d, c)) abort();
    *n = 0;
    for (size_t at = 0; (s = decoder_read(&d, text, MAX_TEXT, n)) == DECODER_MORE;) {
        d.in = data + at;
        d.n_in = size - at < piece ? size - at : piece;
        d.last = at == size;
        at += d.n_in;
    }
    decoder_end(&d);
    return s;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char a[MAX_TEXT], b[MAX_TEXT];
    size_t n_a, n_b;
    bool maybe;
    if (size < 2) return 0;
    size_t piece = 1 + data[0] % 31;
    const struct coding *c = decoder_coding(data + 1, size - 1, &maybe);
    if (!c) return 0;
    enum decoder_status s = decode(c, data + 1, size - 1, size, a, &n_a);
    enum decoder_status t = decode(c, data + 1, size - 1, piece, b, &n_b);
    size_t both = n_a < n_b ? n_a : n_b;
    if (s != t || memcmp(a, b, both)) abort();
    if (s != DECODER_DAMAGED && n_a != n_b) abort();
    return 0;
}
