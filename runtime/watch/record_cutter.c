/* record_cutter.c -- see record_cutter.h. */
#include "record_cutter.h"

#include "base/text/framing.h"

static const char *add(struct hbatch *h, size_t off, size_t n)
{
    int r = leat_add_record_at(&h->b, (uint32_t)off, (uint32_t)n, 0, off, 1);
    return r < 0 ? "there are too many records: at most 256 go into one request" : NULL;
}

static const char *cut(struct hbatch *h, const struct leat_framing *f)
{
    struct framing framing;
    struct framing_cut found;
    const size_t n = h->b.n_bytes;
    framing_init(&framing, f->kind == LEAT_CSV ? FRAMING_CSV : FRAMING_LINES, f->delimiter,
                 f->quote, n);
    for (size_t at = 0; at < n; at += found.used) {
        enum framing_result what = framing_next(&framing, h->b.bytes + at, n - at, true, &found);
        if (what == FRAMING_QUOTE) return "a quote opens a field and is never closed";
        if (what != FRAMING_RECORD) return "a record is longer than it may be";
        const char *fault = add(h, at, found.len);
        if (fault) return fault;
    }
    return NULL;
}

const char *record_cutter_fill(struct hbatch *h, const struct node *source, const char *text,
                               size_t n)
{
    struct leat_batch *b = &h->b;
    uint32_t max = source->schema_out.max_record_bytes;
    bool messages = source->stage->source->framings == LEAT_FRAMINGS_OF_MESSAGES;
    batch_reset(h);
    if (!n) return "the request has no record";
    if (n > b->fill_bytes || n > b->cap_bytes || (max && n > max && messages))
        return "the request is longer than the records of the pipeline may be";
    memcpy(b->bytes, text, n);
    b->n_bytes = (uint32_t)n;
    const char *fault = messages ? add(h, 0, n) : cut(h, &source->framing);
    if (fault) batch_reset(h);
    return fault;
}
