/* reader_header.c -- see reader_header.h. */
#include "reader_header.h"

#include <string.h>

#include "reader_encoding.h"
#include "reader_text.h"

#define APART                                                                                        \
    "read files of other columns by a source and a parser of their own, whose `columns` say in the " \
    "same words what they hold, and join them by leat.merge"

/* How many bytes the column at `at` has, at most 60. */
static int column_len(const char *text, uint32_t at, uint32_t n, char delimiter)
{
    uint32_t i = at;
    while (i < n && text[i] != delimiter && i - at < 60)
        i++;
    return (int)(i - at);
}

/* What the header of the input lacks or has beyond that of the first, when one is the beginning of
 * the other: n bytes from text are what only one has. */
static enum reader_step columns_differ(struct reader *r, bool lacks, unsigned columns,
                                       const char *text, uint32_t n)
{
    return reader_fail(
        r, LEAT_EDATA,
        "the header of %s differs from that of %s: it %s column %u%s, '%.*s'; " APART,
        reader_name(r, r->input), reader_name(r, r->header_input), lacks ? "ends before" : "has",
        columns, lacks ? "" : " as well", column_len(text, 0, n, r->framing.delimiter), text);
}

static enum reader_step headers_differ(struct reader *r, const char *text, uint32_t n)
{
    char delimiter = r->framing.delimiter;
    uint32_t begin = 0, column = 1, i = 0;
    for (; i < n && i < r->header_len && text[i] == r->header[i]; i++) {
        if (text[i] != delimiter) continue;
        begin = i + 1;
        column++;
    }
    if (i == n && r->header[i] == delimiter)
        return columns_differ(r, true, column + 1, r->header + i + 1, r->header_len - i - 1);
    if (i == r->header_len && text[i] == delimiter)
        return columns_differ(r, false, column + 1, text + i + 1, n - i - 1);
    return reader_fail(
        r, LEAT_EDATA,
        "the header of %s differs from that of %s: column %u is '%.*s', not '%.*s'; " APART,
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
    if (cut->used > cut->len) r->after_header = r->offset; /* else warn_of_end has told of it */
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

/* ---- the headers of the inputs after the first ---- */

enum { LOOKED_AT = 1000 /* inputs at most */, LOOK_BYTES = 4 << 10 /* at a time */ };

static enum reader_step more_of_header(struct leat_ctx *ctx, struct reader *r)
{
    size_t n = 0, free = r->cap - r->end;
    if (r->ended) return STEP_DONE;
    enum stream_status s = stream_read(ctx, &r->stream, r->window + r->end,
                                       free < LOOK_BYTES ? free : LOOK_BYTES, true, &n);
    r->end += n;
    r->ended = s == STREAM_END;
    return s == STREAM_STOPPED ? STEP_STOPPED : s == STREAM_FAILED ? STEP_FAILED : STEP_ON;
}

/* What cannot be compared is not told of here, but once its turn has come. */
static enum reader_step compare_header(struct reader *r)
{
    const char *text = r->window + r->from;
    struct framing_cut cut;
    enum framing_result what = framing_next(&r->framing, text, r->end - r->from, r->ended, &cut);
    if (what == FRAMING_MORE) return STEP_MORE;
    uint32_t n = (uint32_t)cut.len;
    bool equal = what != FRAMING_RECORD || (is_all(r, &cut) && is_cut(r, text, n)) ||
                 (n == r->header_len && !memcmp(text, r->header, n));
    return equal ? STEP_DONE : headers_differ(r, text, n);
}

static bool is_unfit(struct leat_ctx *ctx, struct reader *r)
{
    enum reader_step s = reader_begin_input(r);
    r->failure = 0;
    while (s == STEP_ON || s == STEP_MORE) {
        if (s == STEP_MORE) s = more_of_header(ctx, r);
        if (s == STEP_ON) s = r->bom_due ? reader_skip_mark(ctx, r) : compare_header(r);
    }
    if (r->streaming) stream_close(&r->stream);
    r->streaming = false;
    return s == STEP_FAILED && r->failure == LEAT_EDATA;
}

bool reader_headers_agree(struct leat_ctx *ctx, struct reader *r)
{
    const uint32_t first = r->header_input;
    if (!r->header || r->follows || r->inputs.pipe || first + 1 >= r->inputs.n) return true;
    bool agree = true;
    if (r->streaming) stream_close(&r->stream);
    r->streaming = false;
    for (r->input = first + 1; agree && r->input < r->inputs.n && r->input < LOOKED_AT; r->input++)
        agree = !is_unfit(ctx, r);
    if (!agree) return false;
    r->failure = 0;
    r->input = first;
    return true;
}
