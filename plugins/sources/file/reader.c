/* reader.c -- implementation of reader.h. */
#include "reader.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/inputs/wake_fd.h"

enum { BURST_BYTES = 4 << 20 }; /* bytes of a followed file to read in one turn */

/* ---- states ---- */

enum {
    BETWEEN = READER_BETWEEN,
    MARK = READER_MARK,
    HEADER = READER_HEADER,
    RECORDS = READER_RECORDS
};

/* Next state by event and state: the table of reader.h. */
static const uint8_t reader_next[READER_EVENTS][READER_STATES] = {
    /* from                   BETWEEN  MARK     HEADER   RECORDS */
    [READER_OPENED] = {MARK, MARK, HEADER, RECORDS},
    [READER_CONTINUED] = {RECORDS, RECORDS, HEADER, RECORDS},
    [READER_MARK_PASSED] = {BETWEEN, HEADER, HEADER, RECORDS},
    [READER_HEADER_PASSED] = {BETWEEN, MARK, RECORDS, RECORDS},
    [READER_CLOSED] = {BETWEEN, BETWEEN, BETWEEN, BETWEEN},
};

void reader_move(struct reader *r, enum reader_event event)
{
    r->state = (enum reader_state)reader_next[event][r->state];
    if (r->state == READER_HEADER && !r->header_wanted) r->state = READER_RECORDS;
}

/* ---- failures ---- */

/* Stores a failure that has been reported to the host. */
static enum reader_step fail_reported(struct reader *r, int status)
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
    return r->mode == READER_INPUTS ? r->inputs.v[input].name : r->follow.name[input];
}

/* ---- open and close ---- */

int reader_init(struct leat_ctx *ctx, struct reader *r, struct reader_options o)
{
    const struct leat_framing *f = &ctx->framing;
    r->wake_fd = wake_fd_open();
    r->max_record = o.max_record;
    r->passes = o.passes;
    r->mode = o.follow > 0 ? READER_FOLLOWS : READER_INPUTS;
    r->encoding = o.encoding;
    r->header_wanted = f->header;
    r->encoding_warned = f->flags & LEAT_PIECES;
    framing_init(&r->framing, f->kind == LEAT_CSV ? FRAMING_CSV : FRAMING_LINES, f->delimiter,
                 f->quote, f->flags & LEAT_ESCAPES, (size_t)o.max_record);
    r->cap = (size_t)o.max_record + 2 + READER_READ_BYTES;
    r->cut_is = FRAMING_MORE;
    r->multiline = o.multiline;
    int status = o.follow ? follow_init(ctx, &r->follow, o.paths, o.follow, false)
                          : inputs_init(ctx, &r->inputs, o.paths, o.window);
    for (uint32_t i = 0; i < r->inputs.n; i++)
        r->inputs.v[i].format = o.format;
    r->follow.idle_ns = r->multiline ? o.idle_ns : 0;
    r->follow.quiet_ns = o.quiet_ns;
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
    if (r->mode != READER_INPUTS) follow_fini(ctx, &r->follow);
    reader_close_input(r);
    ctx->host->free(ctx, r->header);
    ctx->host->free(ctx, r->window);
    ctx->host->free(ctx, r->raw);
    ctx->host->free(ctx, r->coded);
    if (r->wake_fd >= 0) close(r->wake_fd);
    r->wake_fd = -1;
    inputs_fini(ctx, &r->inputs);
    r->header = r->window = r->raw = NULL;
    r->coded = NULL;
}

/* ---- places ---- */

/* Keeps the text before the place reached, by which a later run recognises the input. A record that
 * is too long has not moved the place yet. */
static void note_tail(struct reader *r)
{
    struct fingerprint *is = r->followed ? &r->followed->is : &r->is;
    if (r->too_long.state == LONG_NONE)
        fingerprint_move(is, r->offset, r->window + r->from, r->from);
}

static struct reader_location reader_place(const struct reader *r)
{
    struct reader_location p = {
        .inputs = r->inputs.n, .behind = r->behind, .input = r->input, .pass = r->pass, .line = 1};
    /* After the last pass, the location is the end of the last input, which may grow until the next
     * run. */
    bool all = r->pass >= r->passes && r->inputs.n;
    if (all) p.input = r->inputs.n - 1, p.pass = r->passes - 1, p.behind -= r->last_bytes;
    if (r->state == READER_BETWEEN && !all) return p;
    p.offset = r->too_long.state == LONG_NONE ? r->offset : r->too_long.offset;
    p.line = r->too_long.state == LONG_NONE ? r->line : r->too_long.line;
    p.head = r->is.head;
    p.n_head = p.offset < r->is.n_head ? p.offset : r->is.n_head;
    p.tail = r->is.tail;
    p.n_tail = r->is.n_tail;
    p.tail_at = r->is.tail_at;
    return p;
}

struct reader_location reader_locate(struct reader *r)
{
    note_tail(r);
    return reader_place(r);
}

/* Computes the progress from the location alone. A run that continues there computes the same
 * progress. */
void reader_note_done(struct reader *r)
{
    if (r->mode != READER_INPUTS) return;
    struct reader_location p = reader_place(r);
    uint64_t done = r->inputs.bytes ? r->inputs.bytes * r->passes : r->unsized;
    if (r->pass < r->passes && p.input < r->inputs.n)
        done = (r->inputs.bytes ? p.pass * r->inputs.bytes + r->inputs.v[p.input].before
                                : r->unsized) +
               (r->state == READER_BETWEEN ? 0 : stream_at(&r->stream, p.offset));
    atomic_store_explicit(&r->done, done, memory_order_relaxed);
}

int reader_report_failure(struct leat_ctx *ctx, const struct reader *r)
{
    return r->why[0] ? ctx->host->fail(ctx, r->failure, "%s", r->why) : r->failure;
}

bool reader_open_inputs(struct leat_ctx *ctx, struct reader *r)
{
    if (r->inputs.n < 2) return true;
    if (!r->opened) {
        r->opened = true;
        r->closed_to = r->input;
        ctx->host->open_inputs(ctx, r->inputs.n - r->input);
    }
    /* The last file may grow until a later run, so only the end of the source closes it. */
    uint32_t to = r->pass < r->passes ? r->input : r->inputs.n - 1;
    while (r->closed_to < to && ctx->host->close_input(ctx, r->closed_to) == LEAT_OK)
        r->closed_to++;
    return r->closed_to >= to;
}

/* ---- text of the inputs ---- */

enum reader_step reader_begin_input(struct reader *r)
{
    if (r->input == r->inputs.n) {
        r->input = 0;
        r->pass++;
    }
    if (r->pass >= r->passes || !r->inputs.n) return STEP_DONE;
    const struct input *in = &r->inputs.v[r->input];
    if (stream_open(&r->stream, in, r->raw) != STREAM_TEXT)
        return reader_fail(r, LEAT_EIO, "%s", r->stream.why);
    r->stream.wake_fd = r->wake_fd;
    stream_is_coded(&r->stream, r->coded, r->encoding);
    reader_move(r, READER_OPENED);
    r->after_header = UINT64_MAX;
    r->tail = TAIL_OPEN;
    r->from = r->end = 0;
    r->offset = 0;
    fingerprint_reset(&r->is);
    r->line = 1;
    r->gap = true;
    framing_reset(&r->framing);
    return STEP_ON;
}

void reader_close_input(struct reader *r)
{
    if (r->mode == READER_INPUTS && r->state != READER_BETWEEN) stream_close(&r->stream);
    reader_move(r, READER_CLOSED);
}

/* Warns of an input without records, or with characters that are not in its encoding. */
static void reader_warn_of_end(struct leat_ctx *ctx, struct reader *r)
{
    const char *name = r->stream.input->name, *coding = stream_lacks_header(&r->stream);
    if (!r->stream.text && !r->pass && coding)
        ctx->host->log(ctx, LEAT_WARN, "%s has no bytes, but a file in %s always has some: %s",
                       name, coding, "check that it was written or copied completely");
    else if (!r->stream.text && !r->pass)
        ctx->host->log(ctx, LEAT_WARN, "%s is empty", name);
    else if (r->offset == r->after_header && !r->pass)
        ctx->host->log(ctx, LEAT_WARN, "%s ends with its header, in line %llu: it has no records",
                       name, (unsigned long long)r->line - 1);
    if (r->coded && r->coded->recode.bad && !r->pass)
        ctx->host->log(ctx, LEAT_WARN,
                       "%s is not all in %s: %llu characters are invalid and became U+FFFD", name,
                       inputs_encodings[r->encoding], (unsigned long long)r->coded->recode.bad);
}

static void compact_window(struct reader *r)
{
    if (!r->from) return;
    note_tail(r);
    memmove(r->window, r->window + r->from, r->end - r->from);
    r->end -= r->from;
    r->from = 0;
}

/* Counts the bytes of an input that is at its end. */
static void reader_leave_behind(struct reader *r)
{
    struct stat file;
    if (!r->inputs.bytes) r->unsized += r->stream.raw_read;
    if (r->pass || fstat(r->stream.fd, &file)) return;
    r->last_bytes = (uint64_t)file.st_size;
    r->behind += r->last_bytes;
}

static enum reader_step more_of_input(struct leat_ctx *ctx, struct reader *r, bool wait)
{
    if (r->state != READER_BETWEEN && r->tail == TAIL_LAST) {
        reader_warn_of_end(ctx, r);
        reader_leave_behind(r);
        reader_close_input(r);
        r->input++;
    }
    if (r->state == READER_BETWEEN) return reader_begin_input(r);
    size_t n, free = r->cap - r->end;
    enum stream_status s =
        stream_read(ctx, &r->stream, r->window + r->end,
                    free < READER_READ_BYTES ? free : READER_READ_BYTES, wait, &n);
    fingerprint_add(&r->is, r->is.n_head, r->window + r->end, n);
    r->end += n;
    switch (s) {
    case STREAM_TEXT:
        return STEP_ON;
    case STREAM_END:
        r->tail = TAIL_LAST;
        return STEP_ON;
    case STREAM_IDLE:
        return STEP_IDLE;
    case STREAM_STOPPED:
        return STEP_STOPPED;
    case STREAM_FAILED:
        break;
    }
    reader_fail(r, LEAT_EIO, "%s", r->stream.why);
    return STEP_ON; /* a further step takes the text in the window */
}

/* ---- text of followed files ---- */

/* Stores the position of the file in the window. If its mark or header is incomplete, the file
 * begins again. A truncated file keeps the position that follow.c has set. */
static void put_back_followed(struct reader *r)
{
    struct followed *f = r->followed;
    if (f->restarted) return;
    bool begun = r->state == READER_RECORDS;
    note_tail(r);
    if (!begun) fingerprint_move(&f->is, 0, NULL, 0);
    f->offset = begun ? r->offset : 0;
    f->line = begun ? r->line : 1;
    f->too_long = r->too_long;
}

static void take_up_followed(struct reader *r, struct followed *f)
{
    r->followed = f;
    f->restarted = false;
    f->at = r->offset = f->offset;
    r->line = f->line;
    r->too_long = f->too_long;
    reader_move(r, READER_CLOSED);
    reader_move(r, f->offset ? READER_CONTINUED : READER_OPENED);
    r->input = f->input;
    r->from = r->end = 0;
    r->gap = true;
    r->cut_is = FRAMING_MORE;
    r->tail = TAIL_OPEN;
    framing_reset(&r->framing);
}

static void end_followed(struct leat_ctx *ctx, struct reader *r)
{
    if (r->mode == READER_FINISHING) { /* the file is read and stays open */
        r->followed->offset = r->followed->at;
        r->followed->line = r->line;
        r->followed->too_long.state = LONG_NONE;
    } else {
        follow_remove(ctx, &r->follow, r->followed);
    }
    r->followed = NULL;
    reader_move(r, READER_CLOSED);
}

/* Finds the next file, unless the run is stopping. Sets READER_FINISHING when no file is left to
 * wait for. */
static enum reader_step find_followed(struct leat_ctx *ctx, struct reader *r, bool wait,
                                      struct followed **f)
{
    bool sleeps = wait && (!r->follow.to_end || follow_has_waiting(&r->follow));
    int status = follow_next(ctx, &r->follow, r->followed, sleeps, f);
    if (status == LEAT_EOS) return STEP_STOPPED;
    if (status != LEAT_OK) return fail_reported(r, status);
    if (*f || !r->follow.to_end || sleeps) return STEP_ON;
    *f = follow_unfinished(&r->follow, NULL);
    if (*f && ctx->continued && !r->rest_due) return STEP_REST; /* the line may grow */
    r->mode = READER_FINISHING;
    return STEP_ON;
}

/* Begins or continues to read the file whose turn it is. */
static enum reader_step next_followed(struct leat_ctx *ctx, struct reader *r, bool wait)
{
    struct followed *f = NULL;
    enum reader_step s = STEP_ON;
    r->burst = 0;
    if (r->followed) put_back_followed(r);
    if (r->mode == READER_FINISHING)
        f = follow_unfinished(&r->follow, r->followed);
    else
        s = find_followed(ctx, r, wait, &f);
    bool finishes = r->mode == READER_FINISHING;
    if (s != STEP_ON) return s;
    if (!f) return finishes ? STEP_DONE : STEP_IDLE;
    if (f != r->followed || f->restarted || finishes) take_up_followed(r, f);
    return STEP_ON;
}

/* Handles the end of the text that a file has now. Returns true if the text in the window may make
 * another record. */
static bool has_rest(struct reader *r, struct followed *f)
{
    bool was_idle = r->tail == TAIL_IDLE;
    r->tail = TAIL_OPEN;
    if (r->multiline && !was_idle && r->end > r->from && follow_is_idle(&r->follow, f)) {
        r->tail = TAIL_IDLE;
        return f->flushed = true;
    }
    f->changed = true; /* its size must be checked again */
    if (r->mode == READER_FINISHING || follow_is_over(&r->follow, f)) r->tail = TAIL_LAST;
    return r->tail == TAIL_LAST;
}

static enum reader_step more_followed(struct leat_ctx *ctx, struct reader *r, bool wait)
{
    struct followed *f = r->followed;
    if (f && r->tail == TAIL_LAST) end_followed(ctx, r);
    if (!r->followed || r->burst >= BURST_BYTES || f->restarted || f->waits || f->skipped)
        return next_followed(ctx, r, wait);
    size_t free = r->cap - r->end;
    ssize_t n = pread(f->fd, r->window + r->end,
                      free < READER_READ_BYTES ? free : READER_READ_BYTES, (off_t)f->at);
    if (n < 0)
        return reader_fail(r, LEAT_EIO, "cannot read %s: %s, after byte %llu", f->path,
                           strerror(errno), (unsigned long long)f->at);
    if (!follow_accept(ctx, &r->follow, f, r->window + r->end, (size_t)n))
        return next_followed(ctx, r, wait);
    r->end += (size_t)n;
    r->burst += (uint64_t)n;
    if (n) {
        r->tail = TAIL_OPEN;
        return STEP_ON;
    }
    return has_rest(r, f) ? STEP_ON : next_followed(ctx, r, wait);
}

enum reader_step reader_more_text(struct leat_ctx *ctx, struct reader *r, bool wait)
{
    if (r->failure) return STEP_FAILED;
    compact_window(r);
    return r->mode == READER_INPUTS ? more_of_input(ctx, r, wait) : more_followed(ctx, r, wait);
}

/* ---- snapshots ---- */

uint64_t reader_backlog(struct reader *r)
{
    if (r->followed) put_back_followed(r);
    return follow_backlog(&r->follow);
}

int reader_write_followed(struct reader *r, struct leat_writer *w)
{
    if (r->followed) put_back_followed(r);
    return follow_write(&r->follow, w);
}

static int leave_window(struct reader *r, int status)
{
    r->followed = NULL;
    reader_move(r, READER_CLOSED);
    r->cut_is = FRAMING_MORE;
    r->too_long.state = LONG_NONE;
    return status;
}

/* Reads the files of a snapshot to their ends. Allocates entries for all of them. The memory plan
 * does not include these entries, because `plan` does not know their number. */
static int follow_to_end(struct leat_ctx *ctx, struct reader *r, const struct leat_strings *paths,
                         uint64_t files)
{
    reader_close_input(r);
    ctx->host->free(ctx, r->raw);
    r->raw = NULL;
    int status = follow_init(ctx, &r->follow, paths, (int64_t)files + r->inputs.n, true);
    r->mode = READER_FOLLOWS;
    r->follow.idle_ns = r->multiline ? UINT64_MAX : 0;
    r->follow.wake_fd = r->wake_fd;
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
    if (status == LEAT_OK && r->mode == READER_INPUTS) status = follow_to_end(ctx, r, paths, files);
    return leave_window(r, status == LEAT_OK ? follow_read(ctx, &r->follow, from) : status);
}

static struct fingerprint reader_fingerprint(const struct reader_location *p)
{
    struct fingerprint is = {
        .tail_at = p->tail_at, .n_head = (uint32_t)p->n_head, .n_tail = (uint32_t)p->n_tail};
    if (p->n_head) memcpy(is.head, p->head, p->n_head);
    if (p->n_tail) memcpy(is.tail, p->tail, p->n_tail);
    return is;
}

int reader_seek_followed(struct leat_ctx *ctx, struct reader *r, struct reader_location to,
                         struct leat_reader *from)
{
    struct fingerprint is = reader_fingerprint(&to);
    struct follow_place place = {to.input, to.offset, to.line, &is};
    return leave_window(r, follow_seek(ctx, &r->follow, &place, from));
}

/* ---- continuing ---- */

/* Reads the text up to `offset` again, without using it. Compressed text allows no other way. Plain
 * text takes a third of a second per gigabyte. */
static enum reader_step skip_to(struct leat_ctx *ctx, struct reader *r, uint64_t offset)
{
    enum reader_step s = STEP_ON;
    while (r->offset < offset && s == STEP_ON) {
        uint64_t left = offset - r->offset, have = r->end - r->from;
        if (ctx->host->stopping(ctx)) return STEP_STOPPED;
        if (have)
            reader_skip(r, (size_t)(left < have ? left : have), 0);
        else
            s = r->tail == TAIL_LAST ? STEP_DONE : reader_more_text(ctx, r, true);
    }
    return s;
}

/* Skips to the place, and sets *same_tail to whether the text before it is that of the snapshot. */
static enum reader_step skip_to_place(struct leat_ctx *ctx, struct reader *r,
                                      const struct reader_location *to,
                                      const struct fingerprint *is, bool *same_tail)
{
    enum reader_step s = reader_begin_input(r);
    if (s == STEP_ON) s = skip_to(ctx, r, to->tail_at);
    if (s != STEP_ON) return s;
    note_tail(r);
    *same_tail = fingerprint_same_tail(&r->is, is);
    return skip_to(ctx, r, to->offset);
}

/* Compares the text up to the place with that of the snapshot. Returns LEAT_OK, or a failure
 * reported to the host. */
static int check_text(struct leat_ctx *ctx, const struct reader *r, uint64_t offset,
                      const struct fingerprint *is, bool same_tail)
{
    const char *name = r->inputs.v[r->input].name;
    bool same_head = is->n_head <= r->is.n_head && !memcmp(r->is.head, is->head, is->n_head);
    if (same_head && same_tail && fingerprint_repeats(is))
        ctx->host->log(ctx, LEAT_WARN,
                       "%s has one text again and again before byte %llu, so whether it was "
                       "written again since the snapshot cannot be told: reading continues there",
                       name, (unsigned long long)offset);
    if (same_head && same_tail) return LEAT_OK;
    return ctx->host->fail(
        ctx, LEAT_EDATA,
        "%s is not the file that the snapshot was made with: it %s. If it was written again, "
        "begin a new state directory",
        name,
        same_head ? "has other text before the place where reading ended" : "begins differently");
}

/* Warns if files have grown that had been read to their ends. */
static void reader_compare_behind(struct leat_ctx *ctx, struct reader *r, uint64_t behind)
{
    const struct inputs *in = &r->inputs;
    uint64_t now = r->input < in->n ? in->v[r->input].before : in->bytes;
    if (!r->pass && now > behind)
        ctx->host->log(ctx, LEAT_WARN,
                       "%llu bytes were added to files after they had been read to their ends, and "
                       "are not read: only the last file may grow. With follow = true all may",
                       (unsigned long long)(now - behind));
    r->behind = r->pass ? behind : now;
}

int reader_seek(struct leat_ctx *ctx, struct reader *r, struct reader_location to)
{
    assert(to.input <= r->inputs.n);
    reader_close_input(r);
    r->cut_is = FRAMING_MORE;
    r->input = (uint32_t)to.input;
    r->pass = (uint32_t)to.pass;
    r->too_long.state = LONG_NONE;
    reader_note_done(r);
    reader_compare_behind(ctx, r, to.behind);
    if (!to.offset) return LEAT_OK;
    bool same_tail = true;
    struct fingerprint is = reader_fingerprint(&to);
    enum reader_step s = skip_to_place(ctx, r, &to, &is, &same_tail);
    if (r->state != READER_BETWEEN) reader_move(r, READER_CONTINUED);
    r->line = to.line;
    reader_note_done(r);
    if (s == STEP_ON) return check_text(ctx, r, to.offset, &is, same_tail);
    if (s == STEP_STOPPED) return LEAT_EOS;
    if (s == STEP_FAILED || r->failure) return reader_report_failure(ctx, r);
    return ctx->host->fail(
        ctx, LEAT_EDATA,
        "%s is shorter than it was when the snapshot was made: %llu bytes of text, "
        "and %llu had been read",
        r->inputs.v[r->input].name, (unsigned long long)r->offset, (unsigned long long)to.offset);
}
