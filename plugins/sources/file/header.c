/* header.c -- implementation of header.h. */
#include "header.h"

#include <string.h>
#include <unistd.h>

#include "records.h"

#define SEPARATE                                                                                   \
    "read files with other columns by a separate source and parser, give their columns the same "  \
    "names by `columns`, and join them by leat.merge"

/* Returns the length of the column that begins at `at`, at most 60. */
static int column_len(const char *text, uint32_t at, uint32_t n, char delimiter)
{
    uint32_t i = at;
    while (i < n && text[i] != delimiter && i - at < 60)
        i++;
    return (int)(i - at);
}

/* Fails because one header is the beginning of the other. text[0, n) is the rest of the longer
 * header. */
static enum reader_step fail_columns(struct reader *r, bool lacks, unsigned columns,
                                     const char *text, uint32_t n)
{
    return reader_fail(
        r, LEAT_EDATA,
        "the header of %s differs from that of %s: it %s column %u%s, '%.*s'; " SEPARATE,
        reader_name(r, r->input), reader_name(r, r->header_input), lacks ? "ends before" : "has",
        columns, lacks ? "" : " as well", column_len(text, 0, n, r->framing.delimiter), text);
}

static enum reader_step fail_headers(struct reader *r, const char *text, uint32_t n)
{
    char delimiter = r->framing.delimiter;
    uint32_t begin = 0, column = 1, i = 0;
    for (; i < n && i < r->header_len && text[i] == r->header[i]; i++) {
        if (text[i] != delimiter) continue;
        begin = i + 1;
        column++;
    }
    if (i == n && r->header[i] == delimiter)
        return fail_columns(r, true, column + 1, r->header + i + 1, r->header_len - i - 1);
    if (i == r->header_len && text[i] == delimiter)
        return fail_columns(r, false, column + 1, text + i + 1, n - i - 1);
    return reader_fail(
        r, LEAT_EDATA,
        "the header of %s differs from that of %s: column %u is '%.*s', not '%.*s'; " SEPARATE,
        reader_name(r, r->input), reader_name(r, r->header_input), (unsigned)column,
        column_len(text, begin, n, delimiter), text + begin,
        column_len(r->header, begin, r->header_len, delimiter), r->header + begin);
}

/* ---- an input that ends with its header ---- */

enum { SHOWN_BYTES = 60 };

/* True if the input ends with the header, without a line end. The last name in the header may then
 * be incomplete. */
static bool is_whole_input(const struct reader *r, const struct framing_cut *cut)
{
    return r->tail == TAIL_LAST && cut->used == cut->len && cut->used == r->end - r->from;
}

/* True if a later run may find the rest of the header: the run has --state, and no other input
 * follows. */
static bool header_may_grow(const struct leat_ctx *ctx, const struct reader *r)
{
    bool last = r->input + 1 >= r->inputs.n && r->pass + 1 >= r->passes;
    return ctx->continued && r->mode == READER_INPUTS && !r->rest_due && last;
}

/* Returns the last name in a header, for a message. */
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
    return reader_fail(r, LEAT_EDATA,
                       "%s ends with its header, and its last name, '%.*s', may be cut, because no "
                       "line end follows: with --state, run again when the line is complete",
                       reader_name(r, r->input), (int)name.len, text + name.off);
}

static void header_warn_of_end(struct leat_ctx *ctx, const struct reader *r, const char *text,
                               uint32_t n)
{
    struct leat_str name = last_name(r, text, n);
    if (r->pass) return;
    ctx->host->log(ctx, LEAT_WARN,
                   "%s ends with its header and has no records; its last name, '%.*s', may be cut, "
                   "because no line end follows",
                   reader_name(r, r->input), (int)name.len, text + name.off);
}

/* True if the text is an incomplete copy of the first header. */
static bool is_cut_header(const struct reader *r, const char *text, uint32_t n)
{
    return r->header && n < r->header_len && !memcmp(text, r->header, n);
}

static enum reader_step pass_header(struct reader *r, const struct framing_cut *cut)
{
    reader_skip(r, cut->used, cut->lines);
    if (cut->used > cut->len) r->after_header = r->offset; /* else: no line end (logged) */
    reader_move(r, READER_HEADER_PASSED);
    r->gap = true;
    return STEP_ON;
}

enum reader_step header_take(struct leat_ctx *ctx, struct reader *r)
{
    const char *text = r->window + r->from, *name = reader_name(r, r->input);
    struct framing_cut cut;
    enum framing_result what =
        framing_next(&r->framing, text, r->end - r->from, r->tail == TAIL_LAST, &cut);
    if (what == FRAMING_MORE) return STEP_MORE;
    if (what == FRAMING_LONG)
        return reader_fail(r, LEAT_EDATA, "the header of %s is longer than max_record = %lld bytes",
                           name, (long long)r->max_record);
    uint32_t n = (uint32_t)cut.len;
    bool all = is_whole_input(r, &cut);
    if (all && header_may_grow(ctx, r)) return await_rest(r, text, n);
    if (all && (is_cut_header(r, text, n) || what != FRAMING_QUOTE))
        header_warn_of_end(ctx, r, text, n);
    if (all && is_cut_header(r, text, n)) return pass_header(r, &cut);
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
        return fail_headers(r, text, n);
    }
    const struct leat_str record = {0, n};
    records_check_encoding(
        ctx, r,
        &(struct records_text){
            .text = text, .n = n, .line = r->line, .record = &record, .n_records = 1});
    return pass_header(r, &cut);
}

/* ---- the headers of the inputs after the first ---- */

enum { LOOKED_AT = 1000 /* inputs */, LOOK_BYTES = 4 << 10 /* bytes of one read */ };

static enum reader_step more_of_header(struct leat_ctx *ctx, struct reader *r)
{
    size_t n = 0, free = r->cap - r->end;
    if (r->tail == TAIL_LAST) return STEP_DONE;
    enum stream_status s = stream_read(ctx, &r->stream, r->window + r->end,
                                       free < LOOK_BYTES ? free : LOOK_BYTES, true, &n);
    r->end += n;
    if (s == STREAM_END) r->tail = TAIL_LAST;
    return s == STREAM_STOPPED ? STEP_STOPPED : s == STREAM_FAILED ? STEP_FAILED : STEP_ON;
}

/* Compares the header of an input with the first header. An input that cannot be compared is
 * reported when its turn comes. */
static enum reader_step compare_header(struct reader *r)
{
    const char *text = r->window + r->from;
    struct framing_cut cut;
    enum framing_result what =
        framing_next(&r->framing, text, r->end - r->from, r->tail == TAIL_LAST, &cut);
    if (what == FRAMING_MORE) return STEP_MORE;
    uint32_t n = (uint32_t)cut.len;
    bool equal = what != FRAMING_RECORD || (is_whole_input(r, &cut) && is_cut_header(r, text, n)) ||
                 (n == r->header_len && !memcmp(text, r->header, n));
    return equal ? STEP_DONE : fail_headers(r, text, n);
}

static bool is_header_wrong(struct leat_ctx *ctx, struct reader *r)
{
    enum reader_step s = reader_begin_input(r);
    r->failure = 0;
    while (s == STEP_ON || s == STEP_MORE) {
        if (s == STEP_MORE) s = more_of_header(ctx, r);
        if (s == STEP_ON)
            s = r->state == READER_MARK ? records_skip_mark(ctx, r) : compare_header(r);
    }
    reader_close_input(r);
    return s == STEP_FAILED && r->failure == LEAT_EDATA;
}

bool header_lookahead(struct leat_ctx *ctx, struct reader *r)
{
    const uint32_t first = r->header_input;
    if (!r->header || r->mode != READER_INPUTS || r->inputs.pipe || first + 1 >= r->inputs.n)
        return true;
    bool agree = true;
    reader_close_input(r);
    for (r->input = first + 1; agree && r->input < r->inputs.n && r->input < LOOKED_AT; r->input++)
        agree = !is_header_wrong(ctx, r);
    if (!agree) return false;
    r->failure = 0;
    r->input = first;
    return true;
}

/* ---- damaged inputs ---- */

enum { AHEAD_MAX = 1000 /* inputs */, AHEAD_TEXT = 64 << 10, PIECE = 4 << 10 };

/* True if enough text of the stream is decoded (AHEAD_TEXT), or the stream is plain text. */
static bool is_enough(const struct stream *st)
{
    const struct coding *c = st->decoder.coding;
    return st->text >= AHEAD_TEXT || (st->known && !c);
}

/* True for bzip2. The look-ahead then checks only the magic, because a block takes too long. */
static bool is_slow(int fd, const char *path)
{
    const struct coding *c = decoder_of_file(fd, path);
    return c && !decoder_is_quick(c);
}

/* Reads the beginning of an input, into the window. Returns false if it is damaged. */
static bool input_fits(struct leat_ctx *ctx, struct reader *r, uint32_t input)
{
    enum stream_status s = stream_open(&r->stream, &r->inputs.v[input], r->raw);
    size_t n;
    if (s != STREAM_TEXT) return true; /* reported when its turn comes */
    bool slow = is_slow(r->stream.fd, r->inputs.v[input].path);
    while (s == STREAM_TEXT && !slow && !is_enough(&r->stream))
        s = stream_read(ctx, &r->stream, r->window, PIECE, false, &n);
    bool record_fits = s != STREAM_FAILED || r->stream.may_pass;
    if (!record_fits) reader_fail(r, LEAT_EIO, "%s", r->stream.why);
    stream_close(&r->stream);
    return record_fits;
}

bool header_lookahead_damage(struct leat_ctx *ctx, struct reader *r)
{
    bool fit = true;
    r->looked_ahead = true;
    if (r->mode != READER_INPUTS || r->inputs.pipe || r->state != READER_BETWEEN || r->pass)
        return true;
    for (uint32_t k = 1; fit && k <= AHEAD_MAX && k < r->inputs.n - r->input; k++)
        fit = ctx->host->stopping(ctx) || input_fits(ctx, r, r->input + k);
    return fit;
}
