/* incoming.c -- implementation of incoming.h. */
#include "incoming.h"

#include <assert.h>
#include <string.h>

/* ---- senders ---- */

static uint32_t numbers(int64_t max) { return (uint32_t)max + SENDERS_SPARE; }

uint64_t senders_bytes(int64_t max)
{
    return (uint64_t)numbers(max) * (sizeof(struct sender) + SENDERS_NAME);
}

int senders_init(struct leat_ctx *ctx, struct senders *s, int64_t max, const char *all)
{
    *s = (struct senders){.n = numbers(max), .used = 1};
    s->v = ctx->host->alloc(ctx, s->n * sizeof *s->v);
    if (!s->v) return LEAT_ENOMEM;
    s->v[0].used = s->v[0].open = true;
    return ctx->host->name_input(ctx, 0, all);
}

void senders_fini(struct leat_ctx *ctx, struct senders *s)
{
    ctx->host->free(ctx, s->v);
    s->v = NULL;
}

static bool is_free(const struct senders *s, const struct sender *one)
{
    return !one->used || (!one->open && s->batches - one->batch > SENDERS_REST);
}

int senders_take(struct leat_ctx *ctx, struct senders *s, const char *name, uint32_t *input)
{
    *input = 0;
    for (uint32_t i = 1; i < s->n && !*input; i++) {
        uint32_t k = 1 + (s->last + i - 1) % (s->n - 1);
        if (is_free(s, &s->v[k])) *input = k;
    }
    if (!*input) return LEAT_OK;
    s->last = *input;
    if (*input >= s->used) s->used = *input + 1;
    s->v[*input] = (struct sender){.used = true, .open = true, .batch = s->batches};
    return ctx->host->name_input(ctx, *input, name);
}

void senders_release(struct senders *s, uint32_t input)
{
    if (!input) return;
    s->v[input].open = false;
    s->v[input].batch = s->batches;
}

bool senders_find(struct senders *s, const uint64_t address[2], uint32_t *input)
{
    for (uint32_t k = 1; k < s->used; k++)
        if (s->v[k].address[0] == address[0] && s->v[k].address[1] == address[1]) {
            *input = k;
            s->v[k].batch = s->batches;
            return true;
        }
    return false;
}

/* ---- records ---- */

void incoming_init(struct incoming *in, enum frames frames, size_t max_record,
                   const struct leat_framing *lines)
{
    assert(max_record + INCOMING_HEAD <= in->capacity);
    *in = (struct incoming){
        .buffer = in->buffer, .capacity = in->capacity, .frames = frames, .max_record = max_record};
    framing_init(&in->framing, lines->kind == LEAT_CSV ? FRAMING_CSV : FRAMING_LINES,
                 lines->delimiter, lines->quote, lines->flags & LEAT_ESCAPES, max_record);
}

size_t incoming_space(struct incoming *in, char **to)
{
    if (in->from) memmove(in->buffer, in->buffer + in->from, in->end - in->from);
    in->end -= in->from;
    in->from = 0;
    *to = in->buffer + in->end;
    return in->capacity - in->end;
}

/* ---- finding records in the buffer ---- */

static struct piece next_line(struct incoming *in, const char *text, size_t n)
{
    static const enum piece_is is[] = {[FRAMING_RECORD] = PIECE_RECORD,
                                       [FRAMING_QUOTE] = PIECE_QUOTE,
                                       [FRAMING_LONG] = PIECE_LONG,
                                       [FRAMING_MORE] = PIECE_MORE};
    struct framing_cut cut = {0};
    enum framing_result what = framing_next(&in->framing, text, n, in->ended, &cut);
    return (struct piece){.is = is[what], .len = cut.len, .used = cut.used};
}

static struct piece next_counted(const struct incoming *in, const char *text, size_t n)
{
    struct counted_cut cut;
    enum counted_kind kind = in->frames == FRAMES_OCTETS ? COUNTED_OCTETS : COUNTED_LENGTH;
    switch (counted_next(kind, in->max_record, text, n, &cut)) {
    case COUNTED_RECORD:
        return (struct piece){PIECE_RECORD, cut.head, cut.len, cut.head + cut.len, 0};
    case COUNTED_LONG:
        return (struct piece){PIECE_LONG, .head = cut.head, .whole = cut.len};
    case COUNTED_WRONG:
        return (struct piece){PIECE_WRONG, .len = n < INCOMING_KEPT ? n : INCOMING_KEPT, .used = n};
    default:
        if (!in->ended || !n) return (struct piece){.is = PIECE_MORE};
        return (struct piece){PIECE_CUT, cut.head, n - cut.head, n, cut.len};
    }
}

static struct piece whole_datagram(const struct incoming *in, size_t n)
{
    if (!in->whole_due) return (struct piece){.is = PIECE_MORE};
    if (n > in->max_record) return (struct piece){PIECE_LONG, .whole = n};
    return (struct piece){PIECE_RECORD, .len = n, .used = n};
}

static struct piece incoming_next_piece(struct incoming *in)
{
    const char *text = in->buffer + in->from;
    size_t n = in->end - in->from;
    if (in->is_held) return in->held;
    if (in->frames == FRAMES_DATAGRAM) return whole_datagram(in, n);
    return in->frames == FRAMES_LINES ? next_line(in, text, n) : next_counted(in, text, n);
}

/* ---- copying records to the batch ---- */

/* Copies a record into the batch. An empty batch takes any record. Returns LEAT_NULL if the record
 * does not fit. */
static uint32_t incoming_add(struct incoming *in, struct leat_batch *b, const char *text,
                             size_t len)
{
    uint32_t off = b->n_bytes;
    if (!leat_has_space(b, (uint32_t)len)) return LEAT_NULL;
    if (b->n && off + len > b->fill_bytes) return LEAT_NULL;
    int r = leat_add_record_at(b, off, (uint32_t)len, in->input, *in->number, 0);
    if (r < 0) return LEAT_NULL;
    if (len) memcpy(b->bytes + off, text, len);
    b->n_bytes += (uint32_t)len;
    ++*in->number;
    return (uint32_t)r;
}

static void incoming_reject(struct leat_ctx *ctx, const struct incoming *in, struct leat_batch *b,
                            uint32_t r, const struct piece *p)
{
    const struct leat_host *host = ctx->host;
    if (p->is == PIECE_QUOTE)
        host->reject(ctx, b, r, LEAT_R_QUOTE, "a quote opens a field and is never closed");
    if (p->is == PIECE_WRONG && in->frames == FRAMES_OCTETS)
        host->reject(ctx, b, r, LEAT_R_SYNTAX,
                     "the message does not begin with its length and a blank (octet counting, RFC "
                     "6587), so the connection is closed: set framing = \"lines\" if the sender "
                     "ends messages with line ends");
    if (p->is == PIECE_CUT && p->whole)
        host->reject(ctx, b, r, LEAT_R_INPUT,
                     "the connection ended inside this record: %zu of its %llu bytes have come",
                     p->len, (unsigned long long)p->whole);
    if (p->is == PIECE_CUT && !p->whole)
        host->reject(ctx, b, r, LEAT_R_INPUT, "the connection ended inside the length of a record");
}

/* Delivers or rejects the record of a piece. Returns false if the batch is full, and stores the
 * piece in in->held. */
static bool deliver(struct leat_ctx *ctx, struct incoming *in, struct leat_batch *b,
                    const struct piece *p)
{
    uint32_t r = incoming_add(in, b, in->buffer + in->from + p->head, p->len);
    in->is_held = r == LEAT_NULL;
    if (in->is_held) {
        in->held = *p;
        return false;
    }
    if (p->is != PIECE_RECORD) incoming_reject(ctx, in, b, r, p);
    in->from += p->used;
    in->bytes += p->used;
    in->broken |= p->is == PIECE_WRONG;
    in->whole_due = false;
    return true;
}

/* ---- records that are too long ---- */

static void incoming_begin_long(struct incoming *in, const struct piece *p)
{
    in->too_long = (struct incoming_long){.state = LONG_SKIPPING,
                                          .counted = in->frames != FRAMES_LINES,
                                          .left = p->whole,
                                          .len = p->whole};
    in->from += p->head;
    in->whole_due = false;
}

static void keep(struct incoming_long *l, const char *text, size_t n)
{
    size_t free = sizeof l->kept - l->n, kept = n < free ? n : free;
    memcpy(l->kept + l->n, text, kept);
    l->n += (uint32_t)kept;
    if (n) l->last = text[n - 1];
}

/* Finds the end of a long record in the text. Returns true if it is there. Sets *part to the
 * record's bytes in the text, and *past to these bytes with the line end. */
static bool long_ends(const struct incoming_long *l, const char *text, size_t n, size_t *part,
                      size_t *past)
{
    const char *end = n && !l->counted ? memchr(text, '\n', n) : NULL;
    *part = l->counted ? (l->left < n ? l->left : n) : end ? (size_t)(end - text) : n;
    *past = *part + (end != NULL);
    return l->counted ? l->left == *part : end != NULL;
}

/* Skips received bytes of a long record. Returns false if its end has not arrived. */
static bool incoming_skip_long(struct incoming *in)
{
    struct incoming_long *l = &in->too_long;
    size_t part, past;
    bool ends = long_ends(l, in->buffer + in->from, in->end - in->from, &part, &past);
    keep(l, in->buffer + in->from, part);
    if (l->counted)
        l->left -= part;
    else
        l->len += part;
    in->from += past;
    in->bytes += past;
    if (!ends && !in->ended) return false;
    if (!l->counted && l->last == '\r') l->len--;
    l->state = LONG_FOUND;
    framing_reset(&in->framing);
    return true;
}

/* Rejects a long record whose end has arrived. Returns false if the batch is full. */
static bool reject_long(struct leat_ctx *ctx, struct incoming *in, struct leat_batch *b)
{
    struct incoming_long *l = &in->too_long;
    uint32_t r = incoming_add(in, b, l->kept, l->n);
    if (r == LEAT_NULL) return false;
    ctx->host->reject(ctx, b, r, LEAT_R_TOO_LARGE,
                      "the record has %llu bytes, more than max_record = %zu",
                      (unsigned long long)l->len, in->max_record);
    l->state = LONG_NONE;
    return true;
}

bool incoming_take(struct leat_ctx *ctx, struct incoming *in, struct leat_batch *b)
{
    assert(in->from <= in->end && in->end <= in->capacity);
    while (!in->broken) {
        if (in->too_long.state == LONG_SKIPPING && !incoming_skip_long(in)) return true;
        if (in->too_long.state == LONG_FOUND) {
            if (!reject_long(ctx, in, b)) return false;
            continue;
        }
        struct piece p = incoming_next_piece(in);
        if (p.is == PIECE_MORE) return true;
        if (p.is == PIECE_LONG)
            incoming_begin_long(in, &p);
        else if (!deliver(ctx, in, b, &p))
            return false;
    }
    return true;
}
