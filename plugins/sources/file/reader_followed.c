/* reader_followed.c -- see reader_followed.h. */
#include "reader_followed.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "reader_text.h"

enum { BURST_BYTES = 4 << 20 }; /* of one file, before others have their turn */

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
static enum reader_step next_followed(struct leat_ctx *ctx, struct reader *r, bool wait)
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
        if (f && r->finishing && ctx->continued && !r->rest_due) { /* it may grow until then */
            r->finishing = false;
            return STEP_REST;
        }
    } else {
        f = follow_unfinished(&r->follow, r->followed);
    }
    if (status == LEAT_EOS) return STEP_STOPPED;
    if (status != LEAT_OK) return reader_fail_told(r, status);
    if (!f) return r->finishing ? STEP_DONE : STEP_IDLE;
    if (f != r->followed || f->restarted || r->finishing) take_up(r, f);
    return STEP_ON;
}

enum reader_step reader_more_followed(struct leat_ctx *ctx, struct reader *r, bool wait)
{
    struct followed *f = r->followed;
    if (f && r->ended) end_followed(ctx, r);
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

/* ---- state ---- */

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
    if (status == LEAT_OK && !r->follows) status = follow_to_end(ctx, r, paths, files);
    return leave_window(r, status == LEAT_OK ? follow_read(ctx, &r->follow, from) : status);
}

int reader_seek_followed(struct leat_ctx *ctx, struct reader *r, struct reader_location to,
                         struct leat_reader *from)
{
    struct follow_place place = {to.input, to.offset, to.line, to.head, to.n_head};
    return leave_window(r, follow_seek(ctx, &r->follow, &place, from));
}
