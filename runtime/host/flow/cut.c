/* cut.c -- implementation of cut.h. core/text/framing.c decides where a record ends.
 *
 * Invariants: window[0 .. n) begins with a record, or with the byte order mark or header of the
 * input. `offset` and `line` are the place of window[0] in the input. The window is empty while a
 * long record is skipped. */
#include "cut.h"

#include <assert.h>
#include <string.h>

#include "core/text/byte_order_mark.h"
#include "core/text/framing.h"

enum { KEPT = 256 }; /* bytes that are kept of a record longer than max_record */

struct too_long {
    enum { LONG_NONE, LONG_SKIPPING, LONG_FOUND } state;
    uint64_t offset, line, len;
    uint32_t n; /* bytes in `kept` */
    char last, kept[KEPT];
};

struct cutter {
    struct cutter *next;
    struct framing framing;
    size_t cap, n; /* bytes of the window: capacity, in use */
    uint64_t offset, line;
    uint32_t input;
    bool mark_due, header_due;
    struct too_long too_long;
    char window[];
};

/* The bytes that a call of leat_host.cut brings. bytes[0 .. at) are already taken. `end`: the input
 * ends after them. */
struct pushed {
    const char *bytes;
    size_t n, at;
    bool end;
};

/* Text to cut. It is the window with pushed bytes appended, or only the pushed bytes if the window
 * is empty. */
struct view {
    const char *text;
    size_t n;
    bool whole; /* the input ends after this text */
};

/* ---- finding, making and freeing cutters ---- */

static struct cutter **cut_find(struct cutting *k, uint32_t input)
{
    struct cutter **c = &k->cutters;
    while (*c && (*c)->input != input)
        c = &(*c)->next;
    return c;
}

static struct cutter *cut_begin(struct cutting *k, struct leat_ctx *ctx, uint32_t input,
                                uint64_t offset, uint64_t line)
{
    const struct leat_framing *f = &ctx->framing;
    uint32_t max = ctx->out->max_record_bytes ? ctx->out->max_record_bytes : k->max_record;
    size_t cap = max + (size_t)2 > BYTE_ORDER_MARK_MAX ? max + (size_t)2 : BYTE_ORDER_MARK_MAX;
    struct cutter *c = ctx->host->alloc(ctx, sizeof *c + cap);
    if (!c) return NULL;
    *c = (struct cutter){.next = k->cutters, .cap = cap, .input = input};
    c->offset = offset;
    c->line = line;
    c->mark_due = offset == 0;
    c->header_due = offset == 0 && f->header;
    framing_init(&c->framing, f->kind == LEAT_CSV ? FRAMING_CSV : FRAMING_LINES, f->delimiter,
                 f->quote, f->flags & LEAT_ESCAPES, max);
    k->cutters = c;
    return c;
}

static struct cutter *cut_cutter_of(struct cutting *k, struct leat_ctx *ctx, uint32_t input)
{
    struct cutter *c = *cut_find(k, input);
    return c ? c : cut_begin(k, ctx, input, 0, 1);
}

static void end(struct cutting *k, struct leat_ctx *ctx, struct cutter *c)
{
    k->end = (struct cut_end){c->input, c->offset, c->line};
    *cut_find(k, c->input) = c->next;
    ctx->host->free(ctx, c);
}

static int cut_lacks_memory(struct leat_ctx *ctx)
{
    return ctx->host->fail(ctx, LEAT_ENOMEM, "there is not enough memory to cut records");
}

/* ---- window and pushed bytes in one view ---- */

/* Returns the text to cut next. If the window is not empty, appends pushed bytes until it is full.
 * The window has room for a record of max_record bytes. */
static struct view cut_look(struct cutter *c, const struct pushed *p)
{
    size_t left = p->n - p->at, more = left < c->cap - c->n ? left : c->cap - c->n;
    if (!c->n && left) return (struct view){p->bytes + p->at, left, p->end};
    if (more) memcpy(c->window + c->n, p->bytes + p->at, more);
    return (struct view){c->window, c->n + more, p->end && more == left};
}

/* Removes the first `used` bytes, with `lines` line ends, from the window and the pushed bytes. */
static void cut_pass(struct cutter *c, struct pushed *p, size_t used, uint32_t lines)
{
    size_t held = used < c->n ? used : c->n;
    c->n -= held;
    if (c->n) memmove(c->window, c->window + held, c->n);
    p->at += used - held;
    c->offset += used;
    c->line += lines;
}

/* Moves the whole text of the view into the window, because it is an incomplete record. */
static void cut_keep(struct cutter *c, struct pushed *p, const struct view *v)
{
    assert(v->n <= c->cap);
    size_t more = v->n - c->n;
    if (!c->n && v->n) memcpy(c->window, v->text, v->n);
    c->n = v->n;
    p->at += more;
}

/* ---- the byte order mark and the header, before the first record ---- */

/* Skips a byte order mark at the input's beginning. Returns LEAT_AGAIN if more bytes are needed. */
static int cut_skip_mark(struct cutting *k, struct leat_ctx *ctx, struct cutter *c,
                         struct pushed *p)
{
    struct view v = cut_look(c, p);
    struct byte_order_mark mark;
    if (!byte_order_mark_find(v.text, v.n, v.whole, &mark)) {
        cut_keep(c, p, &v);
        return LEAT_AGAIN;
    }
    c->mark_due = false;
    if (mark.encoding && mark.n != byte_order_marks[0].n)
        return ctx->host->fail(
            ctx, LEAT_EDATA,
            "%s is text in %s, but leat reads UTF-8: convert it (iconv -f %s -t UTF-8)",
            k->name(ctx, c->input), mark.encoding, mark.encoding);
    cut_pass(c, p, mark.n, 0);
    return LEAT_OK;
}

static int cut_refuse_header(struct cutting *k, struct leat_ctx *ctx, const struct cutter *c,
                             const char *why)
{
    return ctx->host->fail(ctx, LEAT_EDATA, "the header of %s is %s", k->name(ctx, c->input), why);
}

/* Keeps the header of the first input. Checks that headers of later inputs equal it. */
static int cut_note_header(struct cutting *k, struct leat_ctx *ctx, const struct cutter *c,
                           const char *text, size_t n)
{
    if (!k->header) {
        k->header = ctx->host->alloc(ctx, n + 1);
        if (!k->header) return cut_lacks_memory(ctx);
        memcpy(k->header, text, n);
        k->header_len = (uint32_t)n;
    }
    if (n == k->header_len && !memcmp(text, k->header, n)) return LEAT_OK;
    return cut_refuse_header(
        k, ctx, c,
        "different from the first input's: read inputs with other columns by another source "
        "and parser, and join them by leat.merge");
}

static int cut_take_header(struct cutting *k, struct leat_ctx *ctx, struct cutter *c,
                           struct pushed *p)
{
    struct view v = cut_look(c, p);
    struct framing_cut cut;
    switch (framing_next(&c->framing, v.text, v.n, v.whole, &cut)) {
    case FRAMING_MORE:
        cut_keep(c, p, &v);
        return LEAT_AGAIN;
    case FRAMING_LONG:
        return cut_refuse_header(k, ctx, c, "longer than max_record");
    case FRAMING_QUOTE:
        return cut_refuse_header(k, ctx, c, "open: it lacks a closing quote");
    case FRAMING_RECORD:
        break;
    }
    int status = cut_note_header(k, ctx, c, v.text, cut.len);
    cut_pass(c, p, cut.used, cut.lines);
    c->header_due = false;
    return status;
}

static int cut_take_beginning(struct cutting *k, struct leat_ctx *ctx, struct cutter *c,
                              struct pushed *p)
{
    int status = c->mark_due ? cut_skip_mark(k, ctx, c, p) : LEAT_OK;
    if (status == LEAT_OK && c->header_due) status = cut_take_header(k, ctx, c, p);
    return status;
}

/* ---- adding records to the batch ---- */

/* Adds the record text[0 .. len) to the batch, and copies its line end, text[len .. used), as far
 * as it fits. Returns the record's index, or LEAT_EFULL. An empty batch takes a record even beyond
 * fill_bytes. */
static int cut_add(struct leat_batch *b, const char *text, size_t len, size_t used, uint32_t input,
                   uint64_t offset, uint64_t line)
{
    size_t space = b->cap_bytes - b->n_bytes;
    if (len > space || (b->n && b->n_bytes + used > b->fill_bytes)) return LEAT_EFULL;
    int r = leat_add_record_at(b, b->n_bytes, (uint32_t)len, input, offset, line);
    if (r < 0) return r;
    size_t n = used < space ? used : space;
    if (n) memcpy(b->bytes + b->n_bytes, text, n);
    b->n_bytes += (uint32_t)n;
    return r;
}

static void cut_begin_long(struct cutter *c)
{
    c->too_long = (struct too_long){.state = LONG_SKIPPING, .offset = c->offset, .line = c->line};
}

/* Skips the rest of a too long line. Returns LEAT_AGAIN if the line end has not arrived yet. */
static int cut_skip_long(struct cutter *c, struct pushed *p)
{
    struct too_long *l = &c->too_long;
    struct view v = cut_look(c, p);
    const char *line_end = v.n ? memchr(v.text, '\n', v.n) : NULL;
    size_t n = line_end ? (size_t)(line_end - v.text) : v.n;
    size_t kept = n < sizeof l->kept - l->n ? n : sizeof l->kept - l->n;
    if (kept) memcpy(l->kept + l->n, v.text, kept);
    l->n += (uint32_t)kept;
    l->len += n;
    if (n) l->last = v.text[n - 1];
    cut_pass(c, p, n + (line_end != NULL), line_end != NULL);
    if (!line_end && !v.whole) return p->at == p->n ? LEAT_AGAIN : LEAT_OK;
    if (l->last == '\r') l->len--;
    l->state = LONG_FOUND;
    framing_reset(&c->framing);
    return LEAT_OK;
}

static int cut_reject_long(struct leat_ctx *ctx, struct cutter *c, struct leat_batch *b)
{
    struct too_long *l = &c->too_long;
    size_t n = l->n < b->cap_bytes ? l->n : b->cap_bytes;
    int r = cut_add(b, l->kept, n, n, c->input, l->offset, l->line);
    if (r < 0) return r;
    ctx->host->reject(ctx, b, (uint32_t)r, LEAT_R_TOO_LARGE,
                      "the record has %llu bytes, more than max_record = %zu",
                      (unsigned long long)l->len, c->framing.max_record);
    l->state = LONG_NONE;
    return LEAT_OK;
}

static int cut_take_record(struct leat_ctx *ctx, struct cutter *c, struct leat_batch *b,
                           struct pushed *p)
{
    struct view v = cut_look(c, p);
    struct framing_cut cut;
    enum framing_result what = framing_next(&c->framing, v.text, v.n, v.whole, &cut);
    if (what == FRAMING_LONG) cut_begin_long(c);
    if (what == FRAMING_LONG) return LEAT_OK;
    if (what == FRAMING_MORE) {
        cut_keep(c, p, &v);
        return LEAT_AGAIN;
    }
    int r = cut_add(b, v.text, cut.len, cut.used, c->input, c->offset, c->line);
    if (r < 0) {
        framing_reset(&c->framing);
        return r;
    }
    if (what == FRAMING_QUOTE)
        ctx->host->reject(ctx, b, (uint32_t)r, LEAT_R_QUOTE,
                          "a quote opens a field and is never closed");
    cut_pass(c, p, cut.used, cut.lines);
    return LEAT_OK;
}

static int cut_take(struct cutting *k, struct leat_ctx *ctx, struct cutter *c, struct leat_batch *b,
                    struct pushed *p)
{
    if (c->mark_due || c->header_due) return cut_take_beginning(k, ctx, c, p);
    if (c->too_long.state == LONG_SKIPPING) return cut_skip_long(c, p);
    if (c->too_long.state == LONG_FOUND) return cut_reject_long(ctx, c, b);
    return cut_take_record(ctx, c, b, p);
}

/* ---- the services of cut.h ---- */

int cut_records(struct cutting *k, struct leat_ctx *ctx, struct leat_batch *b, uint32_t input,
                const char *bytes, size_t n, int at_end, size_t *taken)
{
    struct cutter *c = cut_cutter_of(k, ctx, input);
    struct pushed p = {.bytes = bytes, .n = n, .end = at_end != 0};
    int status = c ? LEAT_OK : cut_lacks_memory(ctx);
    if (c && c->framing.max_record > b->cap_bytes) c->framing.max_record = b->cap_bytes;
    while (status == LEAT_OK)
        status = cut_take(k, ctx, c, b, &p);
    *taken = p.at;
    if (status != LEAT_AGAIN) return status;
    if (at_end) end(k, ctx, c);
    return LEAT_OK;
}

int cut_header(struct cutting *k, struct leat_ctx *ctx, uint32_t input, const char *bytes, size_t n,
               int at_end, size_t *taken, const char **text, uint32_t *len)
{
    struct cutter *c = cut_cutter_of(k, ctx, input);
    struct pushed p = {.bytes = bytes, .n = n, .end = at_end != 0};
    int status = !c          ? cut_lacks_memory(ctx)
                 : k->header ? LEAT_OK
                             : cut_take_beginning(k, ctx, c, &p);
    *taken = p.at;
    *text = k->header ? k->header : "";
    *len = k->header ? k->header_len : 0;
    return status == LEAT_AGAIN && at_end ? LEAT_OK : status;
}

void cut_place(struct cutting *k, uint32_t input, uint64_t *offset, uint64_t *line)
{
    const struct cutter *c = *cut_find(k, input);
    bool ended = !c && k->end.line && k->end.input == input;
    *offset = ended ? k->end.offset : 0;
    *line = ended ? k->end.line : 1;
    if (!c) return;
    *offset = c->too_long.state == LONG_NONE ? c->offset : c->too_long.offset;
    *line = c->too_long.state == LONG_NONE ? c->line : c->too_long.line;
}

int cut_continue(struct cutting *k, struct leat_ctx *ctx, uint32_t input, uint64_t offset,
                 uint64_t line)
{
    struct cutter *c = *cut_find(k, input);
    if (c) end(k, ctx, c);
    return cut_begin(k, ctx, input, offset, line) ? LEAT_OK : cut_lacks_memory(ctx);
}
