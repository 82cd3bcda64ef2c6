/* record_cutter.c -- implementation of record_cutter.h: lines, CSV records, messages. */
#include "record_cutter.h"

#include "core/text/framing.h"

static const char *cutter_add(struct hbatch *h, size_t off, size_t n)
{
    int r = leat_add_record_at(&h->b, (uint32_t)off, (uint32_t)n, 0, off, 1);
    return r < 0 ? "there are too many records: at most 256 go into one request" : NULL;
}

/* Rejects the last record of the batch, as flow/cut.c does for a source. The message has the line
 * and a remedy, because the text of a request is in no file. */
static void reject_quote(struct hbatch *h, struct leat_ctx *source, uint32_t line)
{
    source->host->reject(source, &h->b, h->b.n - 1, LEAT_R_QUOTE,
                         "line %u: a quote opens a field and is never closed: close it, and write "
                         "a quote within it twice",
                         line);
}

static const char *cut(struct hbatch *h, struct leat_ctx *source, const struct leat_framing *f)
{
    struct framing framing;
    struct framing_cut found;
    const size_t n = h->b.n_bytes;
    uint32_t line = 1;
    framing_init(&framing, f->kind == LEAT_CSV ? FRAMING_CSV : FRAMING_LINES, f->delimiter,
                 f->quote, f->flags & LEAT_ESCAPES, n);
    for (size_t at = 0; at < n; at += found.used, line += found.lines) {
        enum framing_result what = framing_next(&framing, h->b.bytes + at, n - at, true, &found);
        if (what != FRAMING_RECORD && what != FRAMING_QUOTE)
            return "a record is longer than the pipeline allows";
        const char *fault = cutter_add(h, at, found.len);
        if (fault) return fault;
        if (what == FRAMING_QUOTE) reject_quote(h, source, line);
    }
    return NULL;
}

const char *record_cutter_fill(struct hbatch *h, const struct node *node, struct leat_ctx *source,
                               const char *text, size_t n)
{
    struct leat_batch *b = &h->b;
    uint32_t max = node->schema_out.max_record_bytes;
    bool messages = node->stage->source->framings == LEAT_FRAMINGS_OF_MESSAGES;
    batch_reset(h);
    if (!n) return "the request has no record";
    if (n > b->fill_bytes || n > b->cap_bytes || (max && n > max && messages))
        return "the request is longer than a record of the pipeline may be";
    memcpy(b->bytes, text, n);
    b->n_bytes = (uint32_t)n;
    const char *fault = messages ? cutter_add(h, 0, n) : cut(h, source, &node->framing);
    if (fault) batch_reset(h);
    return fault;
}
