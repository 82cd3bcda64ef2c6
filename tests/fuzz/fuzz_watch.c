/* fuzz_watch.c -- any input of a client or a command line to a watched run.
 *
 * The input is records of a request, hosts, tokens, addresses, numbers, or a label for Prometheus.
 * The first byte is how the source of the pipeline cuts: lines, CSV, messages.
 *
 * sources: runtime/program/watch/record_cutter.c runtime/program/watch/access.c
 * runtime/program/watch/address.c
 *   runtime/program/watch/exposition.c runtime/host/flow/batch.c runtime/host/flow/guarded.c
 * runtime/host/graph/bounds.c
 *   runtime/host/graph/column_type.c runtime/core/report/text_out.c runtime/host/plugin/call_trap.c
 *   runtime/core/text/{framing,plain_text,secret_text}.c runtime/host/memory/{arena,memory}.c
 *   runtime/host/log/{log,command_words}.c runtime/core/time/utc.c
 */
#include "fuzz.h"
#include "program/watch/access.h"
#include "core/text/secret_text.h"
#include "program/watch/address.h"
#include "program/watch/exposition.h"
#include "program/watch/record_cutter.h"

static void host_reject(struct leat_ctx *ctx, struct leat_batch *b, uint32_t r, int reason,
                        const char *format, ...)
{
    must(r < b->n && reason == LEAT_R_QUOTE);
}

/* Checks that records lie one after another in the text, and do not overlap. */
static void cut(unsigned how, const char *text, size_t n)
{
    const struct batch_shape shape = {.records = 16,
                                      .bytes = 2048,
                                      .fill_bytes = 2048,
                                      .extents = 16,
                                      .own_records = true,
                                      .own_examples = true};
    const struct leat_source source = {.framings = how % 3 == 2 ? LEAT_FRAMINGS_OF_MESSAGES
                                                                : LEAT_FRAMINGS_OF_TEXT};
    const struct leat_stage stage = {.source = &source};
    const struct node node = {.stage = &stage,
                              .framing = {.kind = how % 3 ? LEAT_CSV : LEAT_LINES,
                                          .delimiter = ',',
                                          .quote = how & 8 ? '\0' : '"'}};
    const struct leat_host host = {.reject = host_reject};
    struct leat_ctx ctx = {.host = &host};
    struct hbatch *h = batch_new(&shape);
    must(h != NULL);
    const char *fault = record_cutter_fill(h, &node, &ctx, text, n);
    uint32_t end = 0;
    must(fault ? !h->b.n : h->b.n > 0);
    for (uint32_t r = 0; r < h->b.n; r++) {
        must(h->b.raw[r].off >= end && h->b.raw[r].off + h->b.raw[r].len <= n);
        end = h->b.raw[r].off + h->b.raw[r].len;
    }
    must(fault || !memcmp(h->b.bytes, text, n));
    batch_free(h);
}

static size_t lines;

static int count(void *to, const char *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        lines += bytes[i] == '\n';
    return 0;
}

/* Checks that a sample is one line for any labels. */
static void expose(const char *text)
{
    char buffer[64];
    struct text_out out = {.buf = buffer, .cap = sizeof buffer, .drain = count};
    struct exposition e = {&out, "leat_x"};
    lines = 0;
    exposition_sample(&e, (const struct label[2]){{"a", text}}, 1);
    text_flush(&out);
    must(lines == 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct http_address at;
    if (!size) return 0;
    char *bytes = exactly(data + 1, size - 1), *text = exact_text(data + 1, size - 1);
    cut(data[0], bytes, size - 1);
    if (!http_address_read(text, &at)) must(at.n > 0);
    http_access_host(text);
    secret_bearer(text);
    must(!*text || secret_is(text, text));
    must(!secret_is("sesame", text) || !strcmp(text, "sesame"));
    expose(text);
    free(bytes);
    free(text);
    return 0;
}
