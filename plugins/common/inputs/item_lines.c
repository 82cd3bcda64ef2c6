/* item_lines.c -- implementation of item_lines.h. */
#include "item_lines.h"

#include <stdio.h>
#include <stdlib.h>

#include "kernels/items/item_json.h"
#include "line_out.h"

enum {
    TAKEN = 64 << 10,  /* bytes of the input taken at once */
    LONGEST = 1 << 30, /* an item cannot be longer than this */
    WHY = 160
};

struct item_lines {
    enum item_format format;
    size_t limit;     /* most bytes of an item, and of a line */
    struct grown raw; /* begins with the item that is scanned */
    struct item_scan scan;
    struct line_out line;
    uint64_t items; /* complete items before this one, for messages */
    char why[WHY];
};

static void *item_lines_begin(enum item_format format, uint64_t window)
{
    struct item_lines *st = calloc(1, sizeof *st);
    if (!st) return NULL;
    st->format = format;
    st->limit = (size_t)(window / 2);
    line_out_init(&st->line, st->limit);
    item_scan_begin(&st->scan);
    return st;
}

void *item_lines_begin_cbor(uint64_t window) { return item_lines_begin(ITEM_CBOR, window); }

void *item_lines_begin_msgpack(uint64_t window) { return item_lines_begin(ITEM_MSGPACK, window); }

void item_lines_end(void *state)
{
    struct item_lines *st = state;
    free(st->raw.v);
    line_out_free(&st->line);
    free(st);
}

/* Writes the line in place of an item without JSON. */
static void item_lines_refuse(struct item_lines *st, enum item_fault fault, size_t at)
{
    char text[WHY];
    int n = snprintf(text, sizeof text, "%s item %llu: %s (byte %zu of the item)",
                     st->format == ITEM_CBOR ? "cbor" : "msgpack", (unsigned long long)st->items,
                     item_fault_text(fault), at + 1);
    line_out_drop(&st->line);
    line_out_begin(&st->line);
    text_bytes(&st->line.out, text, (size_t)n);
}

/* Makes the line of the item, which is complete. */
static enum outcome item_lines_make(struct item_lines *st, struct decoder_step *s)
{
    size_t at;
    const size_t n = (size_t)st->scan.at;
    st->items++;
    line_out_begin(&st->line);
    enum item_fault fault = item_json(st->format, st->raw.v + st->raw.at, n, &st->line.out, &at);
    if (fault && !st->line.out.failed) item_lines_refuse(st, fault, at);
    if (!line_out_end(&st->line))
        return st->line.is_long ? grown_too_large(s, 2 * (uint64_t)st->limit)
                                : decoder_damaged(s, "out of memory");
    st->raw.at += n;
    item_scan_begin(&st->scan);
    return ON;
}

static enum outcome item_lines_damaged(struct item_lines *st, struct decoder_step *s,
                                       enum item_fault fault)
{
    snprintf(st->why, sizeof st->why, "item %llu: %s", (unsigned long long)st->items + 1,
             item_fault_text(fault));
    s->back = grown_rest(&st->raw) - (size_t)st->scan.at;
    return decoder_damaged(s, st->why);
}

/* Scans the next item. Takes bytes of the input if the item is not complete. */
static enum outcome item_lines_step(struct item_lines *st, struct decoder_step *s)
{
    const size_t have = grown_rest(&st->raw);
    if (!have && !s->n_in) return MEMBER_ENDED;
    const uint8_t *p = have ? st->raw.v + st->raw.at : s->in;
    enum item_fault fault = item_scan(&st->scan, st->format, p, have, st->limit);
    if (fault == ITEM_OK) return item_lines_make(st, s);
    if (fault == ITEM_CUT) return grown_take(&st->raw, s, TAKEN, st->limit + TAKEN);
    if (fault == ITEM_LONG && st->scan.least <= LONGEST) return grown_too_large(s, st->scan.least);
    return item_lines_damaged(st, s, fault);
}

/* Goes on until bytes are read or returned, or more are needed. */
enum outcome item_lines_run(void *state, struct decoder_step *s)
{
    struct item_lines *st = state;
    enum outcome outcome = ON;
    if (!line_out_has(&st->line)) outcome = item_lines_step(st, s);
    return outcome == ON && line_out_has(&st->line) ? line_out_return(&st->line, s) : outcome;
}
