/* fuzz_decoder.c -- any bytes as compressed data, in pieces of any size.
 *
 * Text and end are the same for all sizes. For refused data only the common beginning must be the
 * same: libzstd looks ahead, and may see damage or an early end. ISA-L ends the text up to a match
 * before the damage. No decoder takes more memory than its plan.
 *
 * sources: plugins/common/inputs/{decoder,gzip,lz4,xz,avro_lines,arrow_lines,item_lines}.c
 * plugins/common/inputs/{parquet_lines,grown,line_out,unpack}.c
 * plugins/kernels/items/{item,item_json}.c plugins/kernels/arrow/{arrow_schema,arrow_json}.c
 * plugins/kernels/avro/{avro,avro_schema,avro_fingerprint,value_text}.c
 * runtime/core/report/text_out.c
 * -ljansson -lisal -lbz2 -llzma -lzstd -llz4
 */

#include "fuzz.h"
#include "common/inputs/decoder.h"

/* The sanitizer defines this function. Without the sanitizer, memory is not measured. */
__attribute__((weak)) size_t __sanitizer_get_current_allocated_bytes(void);
static size_t allocated(void)
{
    return __sanitizer_get_current_allocated_bytes ? __sanitizer_get_current_allocated_bytes() : 0;
}

enum { MAX_TEXT = 1 << 16, WINDOW = 1 << 20 };

/* Decodes bytes that come in pieces, up to MAX_TEXT. */
static enum decoder_status decode(const struct coding *c, const uint8_t *data, size_t size,
                                  size_t piece, char *text, size_t *n)
{
    struct decoder d;
    enum decoder_status s;
    size_t before = allocated();
    must(decoder_begin(&d, c, NULL, WINDOW));
    *n = 0;
    for (size_t at = 0; (s = decoder_read(&d, text, MAX_TEXT, n)) == DECODER_MORE;) {
        d.in = data + at;
        d.n_in = size - at < piece ? size - at : piece;
        d.last = at == size;
        at += d.n_in;
    }
    must(allocated() - before <= decoder_bytes(c, WINDOW));
    decoder_end(&d);
    must(allocated() == before);
    return s;
}

static int is_refused(enum decoder_status s)
{
    return s == DECODER_DAMAGED || s == DECODER_EARLY || s == DECODER_LARGE;
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
    must(!memcmp(a, b, both));
    must((s == t && n_a == n_b) || (is_refused(s) && is_refused(t)));
    return 0;
}
