/* reader.c -- see reader.h.
 *
 * It goes in steps, each of which says how to continue (reader_inside.h): text comes into the
 * window (reader_text.h, reader_followed.h), may begin with a mark (reader_encoding.h) and a header
 * (reader_header.h), and becomes records (reader_records.h). Not here: an input's bytes (stream.c),
 * the list of inputs (inputs.c).
 *
 * A failure (damaged data, a header that differs) is kept until the records before it are
 * delivered. */
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "reader_ahead.h"
#include "reader_encoding.h"
#include "reader_header.h"
#include "reader_records.h"
#include "reader_text.h"
#include "start.h"
#include "common/inputs/wake_fd.h"

enum { LONG_BYTES = 16 << 20 }; /* of a record that is too long, in one call */

enum reader_step reader_fail_told(struct reader *r, int status)
{
    r->failure = status;
    r->why[0] = '\0';
    return STEP_FAILED;
}

enum reader_step reader_fail(struct reader *r, int status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(r->why, sizeof r->why, format, args);
    va_end(args);
    r->failure = status;
    return STEP_FAILED;
}

const char *reader_name(const struct reader *r, uint32_t input)
{
    return r->follows ? r->follow.name[input] : r->inputs.v[input].name;
}

/* ---- open and close ---- */

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
    r->wake_fd = wake_fd_open();
    r->max_record = o.max_record;
    r->passes = o.passes;
    r->follows = o.follow > 0;
    r->encoding = o.encoding;
    r->header_wanted = f->header;
    framing_init(&r->framing, f->kind == LEAT_CSV ? FRAMING_CSV : FRAMING_LINES, f->delimiter,
                 f->quote, (size_t)o.max_record);
    r->cap = (size_t)o.max_record + 2 + READER_READ_BYTES;
    int status = init_start(r, o.record_start);
    if (status == LEAT_OK)
        status = r->follows ? follow_init(ctx, &r->follow, o.paths, o.follow, false)
                            : inputs_init(ctx, &r->inputs, o.paths, o.window);
    r->follow.idle_ns = r->start ? o.idle_ns : 0;
    r->follow.wake_fd = r->wake_fd;
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
    if (r->wake_fd >= 0) close(r->wake_fd);
    r->wake_fd = -1;
    r->start = NULL;
    inputs_fini(ctx, &r->inputs);
    r->streaming = false;
    r->header = r->window = r->raw = NULL;
    r->coded = NULL;
}

/* ---- where it is ---- */

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

/* ---- the stage's calls ---- */

int reader_header(struct leat_ctx *ctx, struct reader *r, const char **text, uint32_t *len)
{
    enum reader_step s = STEP_MORE;
    *text = "";
    *len = 0;
    while (!r->header && s != STEP_DONE && s != STEP_STOPPED && s != STEP_FAILED) {
        if (s != STEP_ON)
            s = reader_more_text(ctx, r, true);
        else
            s = r->bom_due ? reader_skip_mark(ctx, r) : reader_take_header(ctx, r);
    }
    if (s == STEP_FAILED) return tell(ctx, r);
    if (s == STEP_STOPPED) return LEAT_EOS;
    if (!reader_headers_agree(ctx, r)) return tell(ctx, r);
    note_done(r);
    if (r->header) {
        *text = r->header;
        *len = r->header_len;
    }
    return LEAT_OK;
}

/* Reads the text up to `offset` again: compressed text allows no other way, and a gigabyte of plain
 * text takes a third of a second. */
static enum reader_step skip_to(struct leat_ctx *ctx, struct reader *r, uint64_t offset)
{
    enum reader_step s = STEP_ON;
    while (r->offset < offset && s == STEP_ON) {
        uint64_t left = offset - r->offset, have = r->end - r->from;
        if (ctx->host->stopping(ctx)) return STEP_STOPPED;
        if (have)
            reader_skip(r, (size_t)(left < have ? left : have), 0);
        else
            s = r->ended ? STEP_DONE : reader_more_text(ctx, r, true);
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
    enum reader_step s = reader_begin_input(r);
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

static enum reader_step take(struct leat_ctx *ctx, struct reader *r, struct leat_batch *b)
{
    if (!r->streaming) return STEP_MORE;
    if (r->bom_due) return reader_skip_mark(ctx, r);
    if (r->header_due) return reader_take_header(ctx, r);
    if (r->too_long.state != LONG_NONE) return reader_take_long(ctx, r, b);
    return reader_take_records(ctx, r, b);
}

int reader_end(struct leat_ctx *ctx, struct reader *r, struct leat_batch *b)
{
    if (r->too_long.state != LONG_SKIPPING) return LEAT_EOS;
    r->too_long.state = LONG_FOUND;
    r->too_long.cut = true;
    (void)reader_take_long(ctx, r, b);
    return b->n ? LEAT_OK : LEAT_EOS;
}

/* Was so much of a record that is too long seen in this call that the caller may want to end? */
static bool is_endless(const struct reader *r, uint64_t from)
{
    return r->too_long.state == LONG_SKIPPING && r->offset - from > LONG_BYTES;
}

void reader_wake(struct reader *r) { wake_fd_ring(r->wake_fd); }

int reader_fill(struct leat_ctx *ctx, struct reader *r, struct leat_batch *b)
{
    assert(r->from <= r->end && r->end <= r->cap);
    if (r->framing.max_record > b->cap_bytes) r->framing.max_record = b->cap_bytes;
    r->gap = true;
    if (!r->ahead && !reader_ahead_fits(ctx, r)) return tell(ctx, r);
    enum reader_step s = STEP_ON;
    uint64_t from = r->offset;
    while ((s == STEP_ON || s == STEP_MORE) && !is_endless(r, from))
        s = s == STEP_ON ? take(ctx, r, b) : reader_more_text(ctx, r, b->n == 0);
    note_done(r);
    switch (s) {
    case STEP_STOPPED:
        return !r->follows ? LEAT_EOS : b->n ? LEAT_OK : LEAT_AGAIN; /* finishing is next */
    case STEP_DONE:
        return LEAT_EOS;
    case STEP_REST:
        r->rest_due = true;
        return LEAT_LATER;
    case STEP_FAILED:
        return b->n ? LEAT_OK : tell(ctx, r);
    default:
        return b->n ? LEAT_OK : LEAT_AGAIN;
    }
}
