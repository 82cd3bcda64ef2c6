/* fuzz_http_get.c -- any bytes as a server's answer to `leat top`.
 *
 * They are an answer, no answer, or incomplete; the parts in which they come do not matter. The
 * first byte is the length of the parts.
 *
 * sources: runtime/program/cli/top/http_get.c runtime/host/memory/{arena,memory}.c
 *   runtime/host/log/{log,command_words}.c runtime/core/time/utc.c
 *   runtime/core/text/plain_text.c runtime/host/plugin/call_trap.c
 */
#include "program/cli/top/http_get.h"
#include "fuzz.h"

static struct http_answer read_in_parts(const char *bytes, size_t n, size_t part)
{
    struct http_answer a;
    for (size_t at = part; at < n; at += part)
        if (http_answer_read(bytes, at, false, &a)) return a;
    must(http_answer_read(bytes, n, true, &a));
    return a;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size) return 0;
    char *bytes = exactly(data + 1, size - 1);
    struct http_answer whole = read_in_parts(bytes, size - 1, size);
    struct http_answer parts = read_in_parts(bytes, size - 1, 1 + data[0]);
    must(!*whole.fault == !*parts.fault);
    if (!*whole.fault) {
        must(whole.code >= 100 && whole.code < 1000 && whole.code == parts.code);
        must(whole.n == parts.n && whole.n < size && whole.body == parts.body);
        must(whole.body >= bytes && whole.body + whole.n <= bytes + size - 1);
    }
    free(bytes);
    return 0;
}
