/* fuzz_http_get.c -- any bytes as a server's answer to `leat top`.
 *
 * They are an answer, no answer, or incomplete. The sizes of the parts do not matter. The first
 * byte is the length of the parts.
 *
 * sources: runtime/program/cli/top/http_get.c runtime/host/memory/{arena,memory}.c
 *   runtime/host/log/{log,command_words}.c runtime/core/time/utc.c
 *   runtime/core/text/plain_text.c runtime/host/plugin/call_trap.c
 */
#include "program/cli/top/http_get.h"
#include "fuzz.h"

struct sender {
    const char *bytes;
    size_t n, part;
};

static ssize_t send_part(void *to, char *bytes, size_t size)
{
    struct sender *s = to;
    size_t n = s->n < s->part ? s->n : s->part;
    if (n > size) n = size;
    memcpy(bytes, s->bytes, n);
    s->bytes += n;
    s->n -= n;
    return (ssize_t)n;
}

static struct http_answer read_in_parts(const char *bytes, size_t n, size_t part)
{
    struct sender s = {bytes, n, part};
    FILE *from = fopencookie(&s, "r", (cookie_io_functions_t){.read = send_part});
    must(from != NULL);
    struct http_answer a = http_read(from);
    fclose(from);
    return a;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size) return 0;
    char *bytes = exactly(data + 1, size - 1);
    struct http_answer whole = read_in_parts(bytes, size - 1, size);
    struct http_answer parts = read_in_parts(bytes, size - 1, 1 + data[0]);
    must(!whole.fault == !parts.fault);
    if (!whole.fault) {
        must(whole.code >= 100 && whole.code < 1000 && whole.code == parts.code);
        must(whole.n == parts.n && whole.n < size && !memcmp(whole.body, parts.body, whole.n));
    }
    free(whole.body);
    free(parts.body);
    free(bytes);
    return 0;
}
