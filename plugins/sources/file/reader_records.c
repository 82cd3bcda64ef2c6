/* reader_records.c -- see reader_records.h. */
#include "reader_records.h"

#include <string.h>

#include "reader_encoding.h"

/* Does a record of `bytes` bytes fit at bytes[at]? An empty batch takes any. */
static bool fits(const struct reader *r, const struct leat_batch *b, size_t at, size_t bytes)
{
    if (b->n == b->cap || (r->gap && b->n_extents == b->cap_extents)) return false;
    return b->n == 0 || at + bytes <= b->fill_bytes;
}

/* Adds a record at bytes[off]; it begins at `offset`, `line` of the input. */
static uint32_t add_record(struct reader *r, struct leat_batch *b, uint32_t off, uint32_t len,
                           uint64_t offset, uint64_t line)
{
    if (r->gap) {
        b->extent[b->n_extents++] = (struct leat_extent){
            .first = b->n, .input = r->input, .bytes_off = off, .offset = offset, .line = line};
        r->gap = false;
    }
    b->extent[b->n_extents - 1].n++;
    return (uint32_t)leat_add_record(b, off, len);
}

/* Adds a record in an extent of its own. false: it does not fit. */
static bool add_apart(struct reader *r, struct leat_batch *b, const char *text, uint32_t len,
                      uint64_t offset, uint64_t line, uint32_t *record)
{
    r->gap = true;
    if (!fits(r, b, b->n_bytes, len)) return false;
    uint32_t off = leat_add_bytes(b, len);
    if (off == LEAT_NULL) return false;
    memcpy(b->bytes + off, text, len);
    *record = add_record(r, b, off, len, offset, line);
    r->gap = true;
    return true;
}

static void begin_long(struct reader *r)
{
    r->too_long =
        (struct reader_long){.state = LONG_SKIPPING, .offset = r->offset, .line = r->line};
}

/* Skips to the end of a line that is too long. */
static enum reader_step skip_long(struct reader *r)
{
    struct reader_long *l = &r->too_long;
    const char *text = r->window + r->from;
    size_t n = r->end - r->from;
    const char *end = n ? memchr(text, '\n', n) : NULL;
    size_t piece = end ? (size_t)(end - text) : n;
    size_t free = sizeof l->head - l->n, kept = piece < free ? piece : free;
    memcpy(l->head + l->n, text, kept);
    l->n += (uint32_t)kept;
    l->len += piece;
    if (piece) l->last = text[piece - 1];
    reader_skip(r, end ? piece + 1 : piece, end != NULL);
    if (!end && !r->ended && !r->failure) return STEP_MORE;
    if (l->last == '\r') l->len--;
    l->state = LONG_FOUND;
    framing_reset(&r->framing);
    return STEP_ON;
}

enum reader_step reader_take_long(struct leat_ctx *ctx, struct reader *r, struct leat_batch *b)
{
    struct reader_long *l = &r->too_long;
    if (l->state == LONG_SKIPPING) return skip_long(r);
    uint32_t n = l->n < b->cap_bytes ? l->n : b->cap_bytes, record;
    if (!add_apart(r, b, l->head, n, l->offset, l->line, &record)) return STEP_FULL;
    ctx->host->reject(ctx, b, record, LEAT_R_TOO_LARGE,
                      "the record has %s%llu bytes, more than max_record = %lld",
                      l->cut ? "at least " : "", (unsigned long long)l->len,
                      (long long)r->max_record);
    l->state = LONG_NONE;
    return STEP_ON;
}

/* The text after the last line end of an input that ends early. */
static enum reader_step take_rest(struct leat_ctx *ctx, struct reader *r, struct leat_batch *b)
{
    size_t n = r->end - r->from;
    if (!n) return STEP_MORE;
    uint32_t len = (uint32_t)(n < r->framing.max_record ? n : r->framing.max_record), record;
    if (!add_apart(r, b, r->window + r->from, len, r->offset, r->line, &record)) return STEP_FULL;
    ctx->host->reject(ctx, b, record, LEAT_R_INPUT, "the input ends early, inside this record");
    reader_skip(r, n, 0);
    return STEP_MORE;
}

static enum framing_result next_cut(struct reader *r)
{
    if (!r->held)
        r->cut_is =
            framing_next(&r->framing, r->window + r->from, r->end - r->from, r->ended, &r->cut);
    if (r->cut_is == FRAMING_MORE && r->flush)
        r->cut_is = framing_flush(&r->framing, r->window + r->from, &r->cut);
    r->held = r->cut_is == FRAMING_RECORD || r->cut_is == FRAMING_QUOTE;
    return r->cut_is;
}

/* Appends `t` to the batch, where its records point already. The last line end may not fit, and is
 * not needed. */
static void copy_taken(struct leat_batch *b, const struct reader_text *t)
{
    size_t n = t->n, free = b->cap_bytes - b->n_bytes;
    if (n > free) n = free;
    memcpy(b->bytes + b->n_bytes, t->text, n);
    b->n_bytes += (uint32_t)n;
}

/* Is the cut the last record of all, and without an end of its own? A later run may find more of
 * it: a line end is missing, a quote is open, or another line may belong to it. (A quote that is
 * open to the end is cut as a line, and may yet be closed behind all lines after it.) */
static bool may_grow(const struct leat_ctx *ctx, const struct reader *r)
{
    if (!ctx->continued || r->follows || r->rest_due || !r->ended) return false;
    if (r->cut_is != FRAMING_QUOTE && r->from + r->cut.used < r->end) return false;
    if (r->input + 1 < r->inputs.n || r->pass + 1 < r->passes) return false;
    return r->start || r->cut_is == FRAMING_QUOTE || r->window[r->end - 1] != '\n';
}

/* Records up to the window's end, the batch's, or one that is rejected: then *bad is its number. */
static enum reader_step take_good(struct leat_ctx *ctx, struct reader *r, struct leat_batch *b,
                                  uint32_t *bad)
{
    const size_t first = r->from;
    struct reader_text t = {
        .text = r->window + first, .line = r->line, .record = b->raw + b->n, .n_records = b->n};
    enum reader_step s = STEP_ON;
    while (s == STEP_ON && *bad == LEAT_NULL) {
        enum framing_result what = next_cut(r);
        size_t at = b->n_bytes + (r->from - first);
        if (what == FRAMING_MORE) {
            s = STEP_MORE;
        } else if (what == FRAMING_LONG) {
            begin_long(r);
            break;
        } else if (may_grow(ctx, r)) {
            s = STEP_REST;
        } else if (!fits(r, b, at, r->cut.used)) {
            s = STEP_FULL;
        } else {
            uint32_t k = add_record(r, b, (uint32_t)at, (uint32_t)r->cut.len, r->offset, r->line);
            if (what == FRAMING_QUOTE) *bad = k;
            reader_skip(r, r->cut.used, r->cut.lines);
            r->held = false;
        }
    }
    t.n = r->from - first;
    t.n_records = b->n - t.n_records;
    copy_taken(b, &t);
    reader_look_at_starts(ctx, r, &t);
    reader_look_at_text(ctx, r, &t);
    return s;
}

enum reader_step reader_take_records(struct leat_ctx *ctx, struct reader *r, struct leat_batch *b)
{
    uint32_t bad = LEAT_NULL;
    enum reader_step s = take_good(ctx, r, b, &bad);
    if (bad != LEAT_NULL)
        ctx->host->reject(ctx, b, bad, LEAT_R_QUOTE, "a quote opens a field and is never closed");
    return s == STEP_MORE && r->failure && !r->follows ? take_rest(ctx, r, b) : s;
}
