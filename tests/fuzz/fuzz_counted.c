/* fuzz_counted.c -- any bytes as counted records.
 *
 * Records lie in the text, and are not longer than allowed. The records found do not depend on how
 * much of the text has arrived. The first byte of the input chooses the kind and max_record.
 *
 * sources: plugins/kernels/text/counted.c
 */
#include "fuzz.h"
#include "kernels/text/counted.h"

enum { MAX_BYTES = 4096 };

static enum counted_result next(enum counted_kind kind, size_t max, const char *p, size_t n,
                                struct counted_cut *cut)
{
    char *copy = exactly(p, n);
    enum counted_result what = counted_next(kind, max, copy, n, cut);
    free(copy);
    must(cut->head <= n && cut->head <= COUNTED_HEAD);
    must(what != COUNTED_RECORD || (cut->len <= max && cut->len <= n - cut->head));
    must(what != COUNTED_LONG || cut->len > max);
    return what;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size || size > MAX_BYTES) return 0;
    enum counted_kind kind = data[0] & 1 ? COUNTED_OCTETS : COUNTED_LENGTH;
    const char *p = (const char *)data + 1;
    size_t n = size - 1, max = data[0] >> 1;
    struct counted_cut cut, part;
    while (next(kind, max, p, n, &cut) == COUNTED_RECORD) {
        size_t used = cut.head + (size_t)cut.len;
        must(used > 0);
        must(next(kind, max, p, used - 1, &part) == COUNTED_MORE);
        must(next(kind, max, p, used, &part) == COUNTED_RECORD);
        must(part.head == cut.head && part.len == cut.len);
        p += used;
        n -= used;
    }
    return 0;
}
