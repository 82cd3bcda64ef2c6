/* fuzz_plain_text.c -- any text shown on a terminal.
 *
 * The output is well-formed UTF-8 without a control character. For any room it is a beginning of
 * the whole. Showing it again changes nothing. The first byte of the input is the room.
 *
 * sources: runtime/core/text/plain_text.c
 */
#include "core/text/plain_text.h"
#include "core/text/utf8.h"
#include "fuzz.h"

enum { MAX_BYTES = 1000, SHOWN = 4 * MAX_BYTES + 1 };

static void is_harmless(const char *s)
{
    size_t n = strlen(s);
    for (size_t i = 0, len; i < n; i += len) {
        const unsigned char *c = (const unsigned char *)s + i;
        len = utf8_length(c, n - i);
        must(len && *c >= 32 && *c != 127);
        must(len != 2 || *c != 0xc2 || c[1] >= 0xa0); /* C1 */
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char whole[SHOWN], again[SHOWN];
    if (!size || size > MAX_BYTES) return 0;
    size_t cap = 1 + data[0];
    char *text = exact_text(data + 1, size - 1), *some = malloc(cap);
    must(some && plain_text(whole, sizeof whole, text) == strlen(whole));
    is_harmless(whole);
    must(plain_text(some, cap, text) == strlen(some) && strlen(some) < cap);
    must(!strncmp(some, whole, strlen(some)));
    is_harmless(some);
    plain_text(again, sizeof again, whole);
    must(!strcmp(again, whole));
    free(text);
    free(some);
    return 0;
}
