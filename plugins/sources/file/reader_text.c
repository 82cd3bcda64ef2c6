/* reader_text.c -- see reader_text.h. */
#include "reader_text.h"

#include <string.h>

#include "reader_followed.h"

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
    r->streaming = r->bom_due = true;
    r->header_due = r->header_wanted;
    r->after_header = UINT64_MAX;
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
    else if (r->offset == r->after_header && !r->pass)
        ctx->host->log(ctx, LEAT_WARN, "%s ends with its header, in line %llu: it has no records",
                       name, (unsigned long long)r->line - 1);
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

static void compact(struct reader *r)
{
    if (!r->from) return;
    memmove(r->window, r->window + r->from, r->end - r->from);
    r->end -= r->from;
    r->from = 0;
}

enum reader_step reader_more_text(struct leat_ctx *ctx, struct reader *r, bool wait)
{
    if (r->failure) return STEP_FAILED;
    compact(r);
    if (r->follows) return reader_more_followed(ctx, r, wait);
    if (r->streaming && r->ended) end_input(ctx, r);
    if (!r->streaming) return reader_begin_input(r);
    size_t n, free = r->cap - r->end;
    enum stream_status s =
        stream_read(ctx, &r->stream, r->window + r->end,
                    free < READER_READ_BYTES ? free : READER_READ_BYTES, wait, &n);
    note_head(r, r->window + r->end, n);
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
    reader_fail(r, LEAT_EIO, "%s", r->stream.why);
    return STEP_ON; /* once more, for what is in the window */
}
