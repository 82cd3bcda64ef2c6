/* reader.c -- see reader.h.
 *
 * Text is read into a window, records are found there (framing.h), and copied into the batch in one
 * piece, with their line ends: within an extent the batch has the input's bytes as they are, and
 * offset and line of a record follow from those of the extent.
 *
 * Why a window and not the batch itself: a batch is full when it has its records or its bytes,
 * whichever comes first, so its last read would mostly have to be carried over. The window is small
 * enough to stay in the second-level cache, and one copy from there costs a tenth of reading it.
 *
 * The window has max_record + 2 bytes, the most that framing asks for, and those of one more read.
 * Longer records are skipped while they are read; 256 bytes of each are kept for the dead letters.
 *
 * A failure (damaged data, a header that differs) is kept until the records before it are
 * delivered.
 *
 * Invariants: from <= end <= cap; offset and line are those of window[from]; text before `from` is
 * delivered, rejected, or a header. Not here: an input's bytes (stream.c), the list of inputs
 * (inputs.c). */
#include "reader.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/utf8.h"
#include "start.h"

enum { READ_BYTES = 256 << 10, BURST_BYTES = 4 << 20, LOOK_BYTES = 256 << 10 };

/* How to continue. */
enum step {
    STEP_ON,      /* at once                                   */
    STEP_MORE,    /* with more text                            */
    STEP_FULL,    /* with an empty batch                       */
    STEP_IDLE,    /* when there is text: there is none now     */
    STEP_DONE,    /* not at all: all inputs were read          */
    STEP_STOPPED, /* not at all: the run is being stopped      */
    STEP_FAILED   /* not at all: `failure` and `why` say why   */
};

/* The host knows why. */
static enum step fail_told(struct reader *r, int status)
{
    r->failure = status;
    r->why[0] = '\0';
    return STEP_FAILED;
}

static enum step fail(struct reader *r, int status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static enum step fail(struct reader *r, int status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(r->why, sizeof r->why, format, args);
    va_end(args);
    r->failure = status;
    return STEP_FAILED;
}

/* ---- more text ---- */

static enum step begin_input(struct reader *r)
{
    if (r->input == r->inputs.n) {
        r->input = 0;
        r->pass++;
    }
    if (r->pass >= r->passes || !r->inputs.n) return STEP_DONE;
    const struct input *in = &r->inputs.v[r->input];
    if (stream_open(&r->stream, in, r->raw) != STREAM_TEXT)
        return fail(r, LEAT_EIO, "%s", r->stream.why);
    stream_is_coded(&r->stream, r->coded, r->encoding);
    r->streaming = r->bom_due = true;
    r->header_due = r->header_wanted;
    r->ended = false;
    r->from = r->end = 0;
    r->offset = 0;
    r->n_head = 0;
    r->line = 1;
    r->gap = true;
    framing_reset(&r->framing);
    return STEP_ON;
}

static void end_input(struct leat_ctx *ctx, struct reader *r)
{
    const char *name = r->stream.input->name, *coding = stream_lacks_header(&r->stream);
    if (!r->stream.text && !r->pass && coding)
        ctx->host->log(ctx, LEAT_WARN, "%s has no bytes, and %s of an empty text has some: %s",
                       name, coding, "see whether it was written or copied to its end");
    else if (!r->stream.text && !r->pass)
        ctx->host->log(ctx, LEAT_WARN, "%s is empty", name);
    if (r->coded && r->coded->recode.bad && !r->pass)
        ctx->host->log(ctx, LEAT_WARN,
                       "%s is not wholly in %s: %llu characters were none, and became U+FFFD", name,
                       inputs_encodings[r->encoding], (unsigned long long)r->coded->recode.bad);
    stream_close(&r->stream);
    r->streaming = false;
    r->input++;
}

/* Keeps the first bytes of an input: a later run recognises it by them. */
static void note_head(struct reader *r, const char *text, size_t n)
{
    size_t free = sizeof r->head - r->n_head;
    memcpy(r->head + r->n_head, text, n < free ? n : free);
    r->n_head += (uint32_t)(n < free ? n : free);
}

/* ---- more text of files that grow ---- */

/* Keeps the place of the file in the window. One whose mark or header is not whole begins again;
 * one that was truncated has another text by now, in which this place means nothing. */
static void put_back(struct reader *r)
{
    struct followed *f = r->followed;
    if (f->restarted) return;
    bool begun = !r->bom_due && !r->header_due;
    f->offset = begun ? r->offset : 0;
    f->line = begun ? r->line : 1;
    f->too_long = r->too_long;
}

static void take_up(struct reader *r, struct followed *f)
{
    r->followed = f;
    f->restarted = false;
    f->at = r->offset = f->offset;
    r->line = f->line;
    r->too_long = f->too_long;
    r->bom_due = f->offset == 0;
    r->header_due = r->header_wanted && f->offset == 0;
    r->input = f->input;
    r->from = r->end = 0;
    r->streaming = r->gap = true;
    r->held = r->ended = false;
    r->flush = false;
    framing_reset(&r->framing);
}

static void end_followed(struct leat_ctx *ctx, struct reader *r)
{
    if (r->finishing) { /* it stays as it is, and has nothing more to give */
        r->followed->offset = r->followed->at;
        r->followed->line = r->line;
        r->followed->too_long.state = LONG_NONE;
    } else {
        follow_remove(ctx, &r->follow, r->followed);
    }
    r->followed = NULL;
    r->streaming = false;
}

/* The file to read now; wait: or soon. */
static enum step next_followed(struct leat_ctx *ctx, struct reader *r, bool wait)
{
    struct followed *f = NULL;
    int status = LEAT_OK;
    r->burst = 0;
    if (r->followed) put_back(r);
    if (!r->finishing) {
        bool sleeps = wait && (!r->follow.to_end || follow_has_waiting(&r->follow));
        status = follow_next(ctx, &r->follow, r->followed, sleeps, &f);
        r->finishing = status == LEAT_OK && !f && r->follow.to_end && !sleeps;
        if (r->finishing) f = follow_unfinished(&r->follow, NULL);
    } else {
        f = follow_unfinished(&r->follow, r->followed);
    }
    if (status == LEAT_EOS) return STEP_STOPPED;
    if (status != LEAT_OK) return fail_told(r, status);
    if (!f) return r->finishing ? STEP_DONE : STEP_IDLE;
    if (f != r->followed || f->restarted || r->finishing) take_up(r, f);
    return STEP_ON;
}

static enum step more_followed(struct leat_ctx *ctx, struct reader *r, bool wait)
{
    struct followed *f = r->followed;
    if (f && r->ended) end_followed(ctx, r);
    if (!r->followed || r->burst >= BURST_BYTES || f->restarted || f->waits)
        return next_followed(ctx, r, wait);
    size_t free = r->cap - r->end;
    ssize_t n =
        pread(f->fd, r->window + r->end, free < READ_BYTES ? free : READ_BYTES, (off_t)f->at);
    if (n < 0)
        return fail(r, LEAT_EIO, "cannot read %s: %s, after byte %llu", f->path, strerror(errno),
                    (unsigned long long)f->at);
    if (!follow_accept(ctx, &r->follow, f, r->window + r->end, (size_t)n))
        return next_followed(ctx, r, wait);
    r->end += (size_t)n;
    r->burst += (uint64_t)n;
    if (n) {
        r->flush = false;
        return STEP_ON;
    }
    if (r->start && !r->flush && r->end > r->from && follow_is_idle(&r->follow, f)) {
        r->flush = f->flushed = true;
        return STEP_ON;
    }
    r->flush = false;
    f->changed = true; /* what it was thought to have it has not */
    r->ended = r->finishing || follow_is_over(&r->follow, f);
    return r->ended ? STEP_ON : next_followed(ctx, r, wait);
}

/* ---- is it UTF-8? ---- */

static const char *name_of(const struct reader *r, uint32_t input)
{
    return r->follows ? r->follow.name[input] : r->inputs.v[input].name;
}

/* Where a part of a text stops being UTF-8; n: it is, but for a character that is cut at its
 * ends. */
static size_t find_foreign(const unsigned char *text, size_t n)
{
    size_t i = 0, k;
    while (i < 3 && i < n && (text[i] & 0xc0) == 0x80)
        i++;
    while (i < n && (k = utf8_length(text + i, n - i)) != 0)
        i += k;
    return n - i < 4 ? n : i;
}

static bool has_control(const unsigned char *text, size_t n)
{
    size_t i = 0;
    while (i < n && (text[i] < 0x80 || text[i] > 0x9f))
        i++;
    return i < n;
}

/* Text that was just read, of the beginning of the first input. Bytes that no UTF-8 has are passed
 * on as they are, and look wrong wherever they are shown. What begins with the mark of another
 * encoding is refused later. */
static void look_at_text(struct leat_ctx *ctx, struct reader *r, const char *bytes, size_t n)
{
    const unsigned char *text = (const unsigned char *)bytes;
    if (r->encoding || r->input || r->pass || r->looked >= LOOK_BYTES || !n) return;
    bool marked = !r->looked && (text[0] >= 0xfe || !text[0]);
    size_t at = marked ? n : find_foreign(text, n);
    for (size_t i = 0; i < at; i++)
        r->look_lines += text[i] == '\n';
    r->looked = marked || at < n ? LOOK_BYTES : r->looked + n;
    if (at == n) return;
    bool windows = has_control(text + at, n - at);
    ctx->host->log(ctx, LEAT_WARN,
                   "%s:%llu: the text is not UTF-8 here (byte 0x%02x): if it is %s, set encoding = "
                   "\"%s\"",
                   name_of(r, r->input), (unsigned long long)r->look_lines + 1, text[at],
                   windows ? "text of Windows" : "Latin-1", windows ? "windows-1252" : "latin-1");
}

static void compact(struct reader *r)
{
    if (!r->from) return;
    memmove(r->window, r->window + r->from, r->end - r->from);
    r->end -= r->from;
    r->from = 0;
}

static enum step more_text(struct leat_ctx *ctx, struct reader *r, bool wait)
{
    if (r->failure) return STEP_FAILED;
    compact(r);
    if (r->follows) return more_followed(ctx, r, wait);
    if (r->streaming && r->ended) end_input(ctx, r);
    if (!r->streaming) return begin_input(r);
    size_t n, free = r->cap - r->end;
    enum stream_status s = stream_read(ctx, &r->stream, r->window + r->end,
                                       free < READ_BYTES ? free : READ_BYTES, wait, &n);
    note_head(r, r->window + r->end, n);
    look_at_text(ctx, r, r->window + r->end, n);
    r->end += n;
    switch (s) {
    case STREAM_TEXT:
        return STEP_ON;
    case STREAM_END:
        r->ended = true;
        return STEP_ON;
    case STREAM_IDLE:
        return STEP_IDLE;
    case STREAM_STOPPED:
        return STEP_STOPPED;
    case STREAM_FAILED:
        break;
    }
    fail(r, LEAT_EIO, "%s", r->stream.why);
    return STEP_ON; /* once more, for what is in the window */
}

/* ---- byte order marks and headers ---- */

static void skip(struct reader *r, size_t bytes, uint32_t lines)
{
    r->from += bytes;
    r->offset += bytes;
    r->line += lines;
}

/* Byte order marks. Some programs put that of UTF-8 before a text; the others begin what is no
 * UTF-8. That of UTF-32 begins as that of UTF-16 does, and so comes first. */
static const struct {
    const char *encoding, *bytes;
    size_t n;
} MARKS[] = {{"UTF-8", "\xef\xbb\xbf", 3},
             {"UTF-32", "\xff\xfe\0\0", 4},
             {"UTF-32", "\0\0\xfe\xff", 4},
             {"UTF-16", "\xff\xfe", 2},
             {"UTF-16", "\xfe\xff", 2}};
enum { N_MARKS = sizeof MARKS / sizeof *MARKS };

/* The mark that the window begins with; N_MARKS: none. true: more text is needed to say. */
static bool find_mark(const struct reader *r, size_t *mark)
{
    const char *text = r->window + r->from;
    size_t n = r->end - r->from;
    bool whole = r->ended || r->failure;
    for (*mark = 0; *mark < N_MARKS; (*mark)++) {
        size_t known = n < MARKS[*mark].n ? n : MARKS[*mark].n;
        if (memcmp(text, MARKS[*mark].bytes, known)) continue;
        if (known == MARKS[*mark].n) return false;
        if (!whole) return true;
    }
    return false;
}

static enum step skip_mark(struct reader *r)
{
    size_t mark;
    if (find_mark(r, &mark)) return STEP_MORE;
    r->bom_due = false;
    if (mark == N_MARKS) return STEP_ON;
    if (mark && MARKS[mark].n == 2)
        return fail(r, LEAT_EDATA,
                    "%s is text in UTF-16, as its first bytes say: set encoding = "
                    "\"utf-16\"%s",
                    name_of(r, r->input), r->follows ? " and follow = false" : "");
    if (mark)
        return fail(r, LEAT_EDATA,
                    "%s is text in %s, and leat reads UTF-8: convert it (iconv -f %s -t UTF-8)",
                    name_of(r, r->input), MARKS[mark].encoding, MARKS[mark].encoding);
    skip(r, MARKS[mark].n, 0);
    return STEP_ON;
}

/* How many bytes the column at `at` has, at most 60. */
static int column_len(const char *text, uint32_t at, uint32_t n, char delimiter)
{
    uint32_t i = at;
    while (i < n && text[i] != delimiter && i - at < 60)
        i++;
    return (int)(i - at);
}

static enum step headers_differ(struct reader *r, const char *text, uint32_t n)
{
    char delimiter = r->framing.delimiter;
    uint32_t begin = 0, column = 1;
    for (uint32_t i = 0; i < n && i < r->header_len && text[i] == r->header[i]; i++) {
        if (text[i] != delimiter) continue;
        begin = i + 1;
        column++;
    }
    return fail(r, LEAT_EDATA,
                "the header of %s differs from that of %s: column %u is '%.*s', not '%.*s'; read "
                "files of other columns by a source of their own, and join them by leat.merge",
                name_of(r, r->input), name_of(r, r->header_input), (unsigned)column,
                column_len(text, begin, n, delimiter), text + begin,
                column_len(r->header, begin, r->header_len, delimiter), r->header + begin);
}

static enum step take_header(struct leat_ctx *ctx, struct reader *r)
{
    const char *text = r->window + r->from, *name = name_of(r, r->input);
    struct framing_cut cut;
    enum framing_result what = framing_next(&r->framing, text, r->end - r->from, r->ended, &cut);
    if (what == FRAMING_MORE) return STEP_MORE;
    if (what == FRAMING_LONG)
        return fail(r, LEAT_EDATA, "the header of %s is longer than max_record = %lld bytes", name,
                    (long long)r->max_record);
    if (what == FRAMING_QUOTE)
        return fail(r, LEAT_EDATA, "the header of %s has a quote that is never closed", name);
    uint32_t n = (uint32_t)cut.len;
    if (!r->header) {
        r->header = ctx->host->alloc(ctx, (size_t)n + 1);
        if (!r->header)
            return fail(r, LEAT_ENOMEM, "there is not enough memory for the header of %s", name);
        memcpy(r->header, text, n);
        r->header_len = n;
        r->header_input = r->input;
    } else if (n != r->header_len || memcmp(text, r->header, n)) {
        return headers_differ(r, text, n);
    }
    skip(r, cut.used, cut.lines);
    r->header_due = false;
    r->gap = true;
    return STEP_ON;
}

/* ---- records ---- */

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
static enum step skip_long(struct reader *r)
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
    skip(r, end ? piece + 1 : piece, end != NULL);
    if (!end && !r->ended && !r->failure) return STEP_MORE;
    if (l->last == '\r') l->len--;
    l->state = LONG_FOUND;
    framing_reset(&r->framing);
    return STEP_ON;
}

static enum step take_long(struct leat_ctx *ctx, struct reader *r, struct leat_batch *b)
{
    struct reader_long *l = &r->too_long;
    if (l->state == LONG_SKIPPING) return skip_long(r);
    uint32_t n = l->n < b->cap_bytes ? l->n : b->cap_bytes, record;
    if (!add_apart(r, b, l->head, n, l->offset, l->line, &record)) return STEP_FULL;
    ctx->host->reject(ctx, b, record, LEAT_R_TOO_LARGE,
                      "the record has %llu bytes, more than max_record = %lld",
                      (unsigned long long)l->len, (long long)r->max_record);
    l->state = LONG_NONE;
    return STEP_ON;
}

/* The text after the last line end of an input that ends early. */
static enum step take_rest(struct leat_ctx *ctx, struct reader *r, struct leat_batch *b)
{
    size_t n = r->end - r->from;
    if (!n) return STEP_MORE;
    uint32_t len = (uint32_t)(n < r->framing.max_record ? n : r->framing.max_record), record;
    if (!add_apart(r, b, r->window + r->from, len, r->offset, r->line, &record)) return STEP_FULL;
    ctx->host->reject(ctx, b, record, LEAT_R_INPUT, "the input ends early, inside this record");
    skip(r, n, 0);
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

/* Appends window[first, from) to the batch. The last line end may not fit, and is not needed. */
static void copy_taken(const struct reader *r, struct leat_batch *b, size_t first)
{
    size_t n = r->from - first, free = b->cap_bytes - b->n_bytes;
    if (n > free) n = free;
    memcpy(b->bytes + b->n_bytes, r->window + first, n);
    b->n_bytes += (uint32_t)n;
}

/* Records up to the window's end, the batch's, or one that is rejected: then *bad is its number. */
static enum step take_good(struct reader *r, struct leat_batch *b, uint32_t *bad)
{
    const size_t first = r->from;
    enum step s = STEP_ON;
    while (s == STEP_ON && *bad == LEAT_NULL) {
        enum framing_result what = next_cut(r);
        size_t at = b->n_bytes + (r->from - first);
        if (what == FRAMING_MORE) {
            s = STEP_MORE;
        } else if (what == FRAMING_LONG) {
            begin_long(r);
            break;
        } else if (!fits(r, b, at, r->cut.used)) {
            s = STEP_FULL;
        } else {
            uint32_t k = add_record(r, b, (uint32_t)at, (uint32_t)r->cut.len, r->offset, r->line);
            if (what == FRAMING_QUOTE) *bad = k;
            skip(r, r->cut.used, r->cut.lines);
            r->held = false;
        }
    }
    copy_taken(r, b, first);
    return s;
}

static enum step take_records(struct leat_ctx *ctx, struct reader *r, struct leat_batch *b)
{
    uint32_t bad = LEAT_NULL;
    enum step s = take_good(r, b, &bad);
    if (bad != LEAT_NULL)
        ctx->host->reject(ctx, b, bad, LEAT_R_QUOTE, "a quote opens a field and is never closed");
    return s == STEP_MORE && r->failure && !r->follows ? take_rest(ctx, r, b) : s;
}

/* ---- the stage's calls ---- */

static int init_start(struct reader *r, const char *pattern)
{
    char why[256];
    if (!pattern) return LEAT_OK;
    r->start = start_new(pattern, why);
    if (!r->start) return LEAT_ENOMEM;
    framing_of_events(&r->framing, start_matches, r->start);
    return LEAT_OK;
}

int reader_init(struct leat_ctx *ctx, struct reader *r, struct reader_options o)
{
    const struct leat_framing *f = &ctx->framing;
    r->max_record = o.max_record;
    r->passes = o.passes;
    r->follows = o.follow > 0;
    r->encoding = o.encoding;
    r->header_wanted = f->header;
    framing_init(&r->framing, f->kind == LEAT_CSV ? FRAMING_CSV : FRAMING_LINES, f->delimiter,
                 f->quote, (size_t)o.max_record);
    r->cap = (size_t)o.max_record + 2 + READ_BYTES;
    int status = init_start(r, o.record_start);
    if (status == LEAT_OK)
        status = r->follows ? follow_init(ctx, &r->follow, o.paths, o.follow, false)
                            : inputs_init(ctx, &r->inputs, o.paths, o.window);
    r->follow.idle_ns = r->start ? o.idle_ns : 0;
    if (status == LEAT_OK &&
        (!(r->window = ctx->host->alloc(ctx, r->cap)) ||
         !(r->raw = ctx->host->alloc(ctx, STREAM_RAW_BYTES)) ||
         (r->encoding && !(r->coded = ctx->host->alloc(ctx, sizeof *r->coded)))))
        status = LEAT_ENOMEM;
    if (status != LEAT_OK) reader_fini(ctx, r);
    return status;
}

void reader_fini(struct leat_ctx *ctx, struct reader *r)
{
    if (r->follows)
        follow_fini(ctx, &r->follow);
    else if (r->streaming)
        stream_close(&r->stream);
    ctx->host->free(ctx, r->header);
    ctx->host->free(ctx, r->window);
    ctx->host->free(ctx, r->raw);
    ctx->host->free(ctx, r->coded);
    start_free(r->start);
    r->start = NULL;
    inputs_fini(ctx, &r->inputs);
    r->streaming = false;
    r->header = r->window = r->raw = NULL;
    r->coded = NULL;
}

struct reader_location reader_tell(const struct reader *r)
{
    struct reader_location p = {
        .inputs = r->inputs.n, .input = r->input, .pass = r->pass, .line = 1};
    /* When all is read it is the end of the last input, which may grow until the next run. */
    bool all = r->pass >= r->passes && r->inputs.n;
    if (all) p.input = r->inputs.n - 1, p.pass = r->passes - 1;
    if (!r->streaming && !all) return p;
    p.offset = r->too_long.state == LONG_NONE ? r->offset : r->too_long.offset;
    p.line = r->too_long.state == LONG_NONE ? r->line : r->too_long.line;
    p.head = r->head;
    p.n_head = p.offset < r->n_head ? p.offset : r->n_head;
    return p;
}

/* It follows from the location alone: a run that continues from there has the same progress. */
static void note_done(struct reader *r)
{
    if (r->follows) return;
    struct reader_location p = reader_tell(r);
    uint64_t done = r->inputs.bytes * r->passes;
    if (r->pass < r->passes && p.input < r->inputs.n)
        done = p.pass * r->inputs.bytes + r->inputs.v[p.input].before +
               (r->streaming ? stream_at(&r->stream, p.offset) : 0);
    atomic_store_explicit(&r->done, done, memory_order_relaxed);
}

static int tell(struct leat_ctx *ctx, const struct reader *r)
{
    return r->why[0] ? ctx->host->fail(ctx, r->failure, "%s", r->why) : r->failure;
}

int reader_header(struct leat_ctx *ctx, struct reader *r, const char **text, uint32_t *len)
{
    enum step s = STEP_MORE;
    *text = "";
    *len = 0;
    while (!r->header && s != STEP_DONE && s != STEP_STOPPED && s != STEP_FAILED) {
        if (s != STEP_ON)
            s = more_text(ctx, r, true);
        else
            s = r->bom_due ? skip_mark(r) : take_header(ctx, r);
    }
    if (s == STEP_FAILED) return tell(ctx, r);
    if (s == STEP_STOPPED) return LEAT_EOS;
    note_done(r);
    if (r->header) {
        *text = r->header;
        *len = r->header_len;
    }
    return LEAT_OK;
}

/* Reads the text up to `offset` again: compressed text allows no other way, and a gigabyte of plain
 * text takes a third of a second. */
static enum step skip_to(struct leat_ctx *ctx, struct reader *r, uint64_t offset)
{
    enum step s = STEP_ON;
    while (r->offset < offset && s == STEP_ON) {
        uint64_t left = offset - r->offset, have = r->end - r->from;
        if (ctx->host->stopping(ctx)) return STEP_STOPPED;
        if (have)
            skip(r, (size_t)(left < have ? left : have), 0);
        else
            s = r->ended ? STEP_DONE : more_text(ctx, r, true);
    }
    return s;
}

int reader_seek(struct leat_ctx *ctx, struct reader *r, struct reader_location to)
{
    assert(to.input <= r->inputs.n);
    if (r->streaming) stream_close(&r->stream);
    r->streaming = r->held = false;
    r->input = (uint32_t)to.input;
    r->pass = (uint32_t)to.pass;
    r->too_long.state = LONG_NONE;
    note_done(r);
    if (!to.offset) return LEAT_OK;
    enum step s = begin_input(r);
    if (s == STEP_ON) s = skip_to(ctx, r, to.offset);
    r->bom_due = r->header_due = false;
    r->line = to.line;
    note_done(r);
    if (s == STEP_ON && to.n_head && (to.n_head > r->n_head || memcmp(r->head, to.head, to.n_head)))
        return ctx->host->fail(ctx, LEAT_EDATA,
                               "%s is not the file that the snapshot was made with: it begins "
                               "differently",
                               r->inputs.v[r->input].name);
    if (s == STEP_ON) return LEAT_OK;
    if (s == STEP_STOPPED) return LEAT_EOS;
    if (s == STEP_FAILED || r->failure) return tell(ctx, r);
    return ctx->host->fail(
        ctx, LEAT_EDATA,
        "%s is shorter than it was when the snapshot was made: %llu bytes of text, "
        "and %llu had been read",
        r->inputs.v[r->input].name, (unsigned long long)r->offset, (unsigned long long)to.offset);
}

static enum step take(struct leat_ctx *ctx, struct reader *r, struct leat_batch *b)
{
    if (!r->streaming) return STEP_MORE;
    if (r->bom_due) return skip_mark(r);
    if (r->header_due) return take_header(ctx, r);
    if (r->too_long.state != LONG_NONE) return take_long(ctx, r, b);
    return take_records(ctx, r, b);
}

/* ---- state of followed files ---- */

uint64_t reader_behind(struct reader *r)
{
    if (r->followed) put_back(r);
    return follow_behind(&r->follow);
}

int reader_write_followed(struct reader *r, struct leat_writer *w)
{
    if (r->followed) put_back(r);
    return follow_write(&r->follow, w);
}

static int leave_window(struct reader *r, int status)
{
    r->followed = NULL;
    r->streaming = r->held = false;
    r->too_long.state = LONG_NONE;
    return status;
}

/* There are places for as many as there are: `plan` knows of none. */
static int follow_to_end(struct leat_ctx *ctx, struct reader *r, const struct leat_strings *paths,
                         uint64_t files)
{
    if (r->streaming) stream_close(&r->stream);
    ctx->host->free(ctx, r->raw);
    r->raw = NULL;
    int status = follow_init(ctx, &r->follow, paths, (int64_t)files + r->inputs.n, true);
    r->follows = true;
    r->follow.idle_ns = r->start ? UINT64_MAX : 0;
    if (status == LEAT_OK && r->header)
        r->header_input = follow_input(&r->follow, r->inputs.v[r->header_input].path);
    inputs_fini(ctx, &r->inputs);
    return leave_window(r, status);
}

int reader_read_followed(struct leat_ctx *ctx, struct reader *r, const struct leat_strings *paths,
                         struct leat_reader *from)
{
    uint64_t files;
    int status = follow_count(from, &files);
    if (status == LEAT_OK && !r->follows) status = follow_to_end(ctx, r, paths, files);
    return leave_window(r, status == LEAT_OK ? follow_read(ctx, &r->follow, from) : status);
}

int reader_seek_followed(struct leat_ctx *ctx, struct reader *r, struct reader_location to,
                         struct leat_reader *from)
{
    struct follow_place place = {to.input, to.offset, to.line, to.head, to.n_head};
    return leave_window(r, follow_seek(ctx, &r->follow, &place, from));
}

/* ---- batches ---- */

int reader_fill(struct leat_ctx *ctx, struct reader *r, struct leat_batch *b)
{
    assert(r->from <= r->end && r->end <= r->cap);
    if (r->framing.max_record > b->cap_bytes) r->framing.max_record = b->cap_bytes;
    r->gap = true;
    enum step s = STEP_ON;
    while (s == STEP_ON || s == STEP_MORE)
        s = s == STEP_ON ? take(ctx, r, b) : more_text(ctx, r, b->n == 0);
    note_done(r);
    switch (s) {
    case STEP_STOPPED:
        return !r->follows ? LEAT_EOS : b->n ? LEAT_OK : LEAT_AGAIN; /* finishing is next */
    case STEP_DONE:
        return LEAT_EOS;
    case STEP_FAILED:
        return b->n ? LEAT_OK : tell(ctx, r);
    default:
        return b->n ? LEAT_OK : LEAT_AGAIN;
    }
}
