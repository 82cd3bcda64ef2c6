/* fuzz_csv.c -- any bytes as a CSV file or as lines.
 *
 * Windows of any size are cut as the naive reader cuts the whole, then split. No read is out of
 * bounds, and each byte of a record is used. The first byte of the input is how fast the window
 * grows, and whether it is CSV or plain lines; the second is max_record.
 *
 * sources: runtime/core/text/framing.c plugins/kernels/text/csv.c
 */
#include "fuzz.h"
#include "kernels/text/csv.h"
#include "support/naive_framing.h"

enum { MAX_BYTES = 4096, FIELDS = 16 };

/* Fields lie one after another, with delimiters between them and perhaps quotes around them. */
static void split(const char *rec, uint32_t n, bool escapes)
{
    const struct csv_dialect dialect = {',', '"', NULL, escapes};
    struct csv_field field[FIELDS];
    uint32_t fields, at, end = 0;
    char plain[MAX_BYTES];
    enum csv_result r = csv_split(&dialect, rec, n, field, FIELDS, &fields, &at);
    must(r == CSV_OK ? fields > 0 : at <= n);
    for (uint32_t i = 0; i < fields && i < FIELDS; i++) {
        const struct csv_field *f = &field[i];
        uint32_t quote = end < n && rec[end] == '"';
        must(f->off == end + quote && f->len <= n - f->off);
        end = f->off + f->len + quote + 1;
        if (f->doubled)
            must(csv_unescape(&dialect, rec + f->off, f->len, plain) == f->len - f->doubled);
        else
            must(escapes || !memchr(rec + f->off, quote ? '"' : ',', f->len));
    }
    must(r != CSV_OK || fields > FIELDS || end == n + 1);
}

static void same(struct piece want, enum framing_result what, const struct framing_cut *cut)
{
    must(what == want.what);
    if (what != FRAMING_LONG)
        must(cut->len == want.len && cut->used == want.used && cut->lines == want.lines);
}

static size_t line_after(const char *text, size_t n, size_t at)
{
    const char *nl = memchr(text + at, '\n', n - at);
    return nl ? (size_t)(nl - text) + 1 : n;
}

/* Each window is a separate copy, so that a sanitizer sees every read past it. */
static enum framing_result look(struct framing *f, const char *text, size_t n, bool eof,
                                struct framing_cut *cut)
{
    char *window = exactly(text, n);
    enum framing_result what = framing_next(f, window, n, eof, cut);
    if (what == FRAMING_RECORD) split(window, (uint32_t)cut->len, f->escapes);
    free(window);
    return what;
}

static void cut_all(const char *text, size_t n, bool csv, bool escapes, size_t step, size_t max)
{
    struct framing f;
    framing_init(&f, csv ? FRAMING_CSV : FRAMING_LINES, ',', '"', escapes, max);
    for (size_t at = 0, end = 0; at < n;) {
        struct framing_cut cut = {0};
        enum framing_result what = look(&f, text + at, end - at, end == n, &cut);
        if (what == FRAMING_MORE) {
            must(end < n && end - at < max + 2);
            end = n - end < step ? n : end + step;
            continue;
        }
        same(naive_next(text + at, n - at, csv, escapes, max), what, &cut);
        at += cut.used;
        if (what == FRAMING_LONG) {
            framing_reset(&f);
            at = line_after(text, n, at);
            end = end > at ? end : at;
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2 || size > MAX_BYTES) return 0;
    cut_all((const char *)data + 2, size - 2, data[0] < 128, (data[0] ^ data[1]) & 1,
            1u + data[0] % 128, 1u + data[1]);
    return 0;
}
