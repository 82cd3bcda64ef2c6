/* fuzz_tokens.c -- any bytes as text to cut into tokens.
 *
 * Tokens lie one after another, and are no more than the promised maximum. Their normal form is
 * short enough; normalising it again changes nothing. The first byte of the input chooses the rule,
 * the case and max_bytes.
 *
 * sources: plugins/kernels/text/tokens.c -lutf8proc
 */
#include "fuzz.h"
#include "kernels/text/tokens.h"

enum { MAX_BYTES = 4096 };

static void form(const struct tokens_options *o, const char *token, size_t n, int as_is)
{
    size_t room = 3 * n / 2 < o->max_bytes ? 3 * n / 2 : o->max_bytes;
    char *copy = exactly(token, n), *out = malloc(room + !room), *again = malloc(2 * room + 1);
    must(copy && out && again);
    size_t len = tokens_form(o, copy, n, out);
    must(len <= room);
    if (as_is) must(len == n && !memcmp(out, copy, n));
    size_t twice = tokens_form(o, out, len, again);
    must(!o->lower || twice <= o->max_bytes);
    must(o->lower || (twice == len && !memcmp(out, again, len)));
    free(copy);
    free(out);
    free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size || size > MAX_BYTES) return 0;
    struct tokens_options o = {.rule = data[0] & 1 ? TOKENS_WORDS : TOKENS_WHITESPACE,
                               .lower = data[0] >> 1 & 1,
                               .max_bytes = TOKENS_MIN_BYTES + (data[0] >> 2)};
    char *text = exactly(data + 1, size - 1);
    size_t n = size - 1, at = 0, end = 0, tokens = 0;
    for (struct token t; tokens_next(&o, text, n, &at, &t); end = t.off + t.len) {
        must(t.len && t.off >= end && t.len <= n - t.off && at == t.off + t.len);
        must(++tokens <= (n + 1) / 2);
        form(&o, text + t.off, t.len, t.as_is);
    }
    free(text);
    return 0;
}
