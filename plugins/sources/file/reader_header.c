/* reader_header.c -- see reader_header.h. */
#include "reader_header.h"

#include <string.h>

#include "reader_encoding.h"

/* How many bytes the column at `at` has, at most 60. */
static int column_len(const char *text, uint32_t at, uint32_t n, char delimiter)
{
    uint32_t i = at;
    while (i < n && text[i] != delimiter && i - at < 60)
        i++;
    return (int)(i - at);
}

static enum reader_step headers_differ(struct reader *r, const char *text, uint32_t n)
{
    char delimiter = r->framing.delimiter;
    uint32_t begin = 0, column = 1;
    for (uint32_t i = 0; i < n && i < r->header_len && text[i] == r->header[i]; i++) {
        if (text[i] != delimiter) continue;
        begin = i + 1;
        column++;
    }
    return reader_fail(
        r, LEAT_EDATA,
        "the header of %s differs from that of %s: column %u is '%.*s', not '%.*s'; read "
        "files of other columns by a source of their own, and join them by leat.merge",
        reader_name(r, r->input), reader_name(r, r->header_input), (unsigned)column,
        column_len(text, begin, n, delimiter), text + begin,
        column_len(r->header, begin, r->header_len, delimiter), r->header + begin);
}

/* ---- an input that ends with its header ---- */

enum { SHOWN_BYTES = 60 };

/* Is there nothing after the header, not even a line end? Then its last name may be cut. */
static bool is_all(const struct reader *r, const struct framing_cut *cut)
{
    return r->ended && cut->used == cut->len && cut->used == r->end - r->from;
}

/* May a later run find the rest of it? */
static bool may_grow(const struct leat_ctx *ctx, const struct reader *r)
{
    bool last = r->input + 1 >= r->inputs.n && r->pass + 1 >= r->passes;
    return ctx->continued && !r->follows && !r->rest_due && last;
}

/* The end of a header that is shown. */
static struct leat_str last_name(const struct reader *r, const char *text, uint32_t n)
{
    uint32_t from = n;
    while (from && text[from - 1] != r->framing.delimiter && n - from < SHOWN_BYTES)
        from--;
    return (struct leat_str){from, n - from};
}

static enum reader_step await_rest(struct reader *r, const char *text, uint32_t n)
{
    struct leat_str name = last_name(r, text, n);
    if (r->header) return STEP_REST;
    return reader_fail(
        r, LEAT_EDATA,
        "%s ends with its header, whose last name, '%.*s', may be cut, as no line end "
        "follows: with --state its rest is awaited; run again when it is there",
        reader_name(r, r->input), (int)name.len, text + name.off);
}

static void warn_of_end(struct leat_ctx *ctx, const struct reader *r, const char *text, uint32_t n)
{
    struct leat_str name = last_name(r, text, n);
    if (r->pass) return;
    ctx->host->log(
        ctx, LEAT_WARN,
        "%s ends with its header, and has no records; its last name, '%.*s', may be cut, "
        "as no line end follows",
        reader_name(r, r->input), (int)name.len, text + name.off);
}

/* Does it begin as that of the other inputs does, and end early? */
static bool is_cut(const struct reader *r, const char *text, uint32_t n)
{
    return r->header && n < r->header_len && !memcmp(text, r->header, n);
}

static enum reader_step pass_header(struct reader *r, const struct framing_cut *cut)
{
    reader_skip(r, cut->used, cut->lines);
    r->header_due = false;
    r->gap = true;
    return STEP_ON;
}

enum reader_step reader_take_header(struct leat_ctx *ctx, struct reader *r)
{
    const char *text = r->window + r->from, *name = reader_name(r, r->input);
    struct framing_cut cut;
    enum framing_result what = framing_next(&r->framing, text, r->end - r->from, r->ended, &cut);
    if (what == FRAMING_MORE) return STEP_MORE;
    if (what == FRAMING_LONG)
        return reader_fail(r, LEAT_EDATA, "the header of %s is longer than max_record = %lld bytes",
                           name, (long long)r->max_record);
    uint32_t n = (uint32_t)cut.len;
    bool all = is_all(r, &cut);
    if (all && may_grow(ctx, r)) return await_rest(r, text, n);
    if (all && (is_cut(r, text, n) || what != FRAMING_QUOTE)) warn_of_end(ctx, r, text, n);
    if (all && is_cut(r, text, n)) return pass_header(r, &cut);
    if (what == FRAMING_QUOTE)
        return reader_fail(r, LEAT_EDATA, "the header of %s has a quote that is never closed",
                           name);
    if (!r->header) {
        r->header = ctx->host->alloc(ctx, (size_t)n + 1);
        if (!r->header)
            return reader_fail(r, LEAT_ENOMEM, "there is not enough memory for the header of %s",
                               name);
        memcpy(r->header, text, n);
        r->header_len = n;
        r->header_input = r->input;
    } else if (n != r->header_len || memcmp(text, r->header, n)) {
        return headers_differ(r, text, n);
    }
    const struct leat_str record = {0, n};
    reader_look_at_text(
        ctx, r,
        &(struct reader_text){
            .text = text, .n = n, .line = r->line, .record = &record, .n_records = 1});
    return pass_header(r, &cut);
}
