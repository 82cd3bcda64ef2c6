/* fuzz_answer_reader.c -- what a server may send to `leat top`: any bytes are an answer, are none,
 * or are not all there, and it does not matter in which parts they come.
 *
 * The first byte is the length of the parts.
 *
 * sources: runtime/program/cli/top/answer_reader.c runtime/host/memory/{arena,memory}.c
 *   runtime/host/log/{log,log_limit,command_words}.c runtime/core/time/utc.c
 *   runtime/core/text/plain_text.c runtime/host/plugin/call_trap.c
 */
#include "program/cli/top/answer_reader.h"
#include "fuzz.h"

static struct answer_reader read_in_parts(const char *bytes, size_t n, size_t part)
{
    struct answer_reader a = {.bytes = NULL};
    for (size_t at = 0; at < n; at += part)
        answer_reader_take(&a, bytes + at, n - at < part ? n - at : part);
    answer_reader_end(&a);
    return a;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size) return 0;
    char *bytes = exactly(data + 1, size - 1);
    struct answer_reader whole = read_in_parts(bytes, size - 1, size);
    struct answer_reader parts = read_in_parts(bytes, size - 1, 1 + data[0]);
    must(whole.progress != ANSWER_MORE && whole.progress == parts.progress);
    if (whole.progress == ANSWER_WHOLE) {
        size_t n = whole.body_end - whole.body;
        must(whole.code >= 100 && whole.code < 1000 && whole.code == parts.code);
        must(n == parts.body_end - parts.body && n < size);
        must(!memcmp(whole.bytes + whole.body, parts.bytes + parts.body, n));
    } else {
        must(whole.fault && *whole.fault);
    }
    answer_reader_free(&whole);
    answer_reader_free(&parts);
    free(bytes);
    return 0;
}
