/* batch.c -- implementation of batch.h: layout, copies, origins of records, slices. */
#include "batch.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "host/graph/bounds.h"
#include "host/graph/column_type.h"
#include "guarded.h"

static uint32_t batch_at_most_u32(uint64_t n)
{
    return n > UINT32_MAX / 2 ? UINT32_MAX / 2 : (uint32_t)n;
}

static void batch_at_least(uint32_t *a, uint64_t n)
{
    if (n > *a) *a = batch_at_most_u32(n);
}

void batch_shape_widen(struct batch_shape *s, const struct leat_schema *schema,
                       const struct options *o)
{
    assert(o->batch_rows > 0 && o->batch_bytes > 0);
    uint64_t rows = (uint64_t)o->batch_rows;
    uint64_t text = (uint64_t)o->batch_bytes;
    if (schema->max_record_bytes > text) text = schema->max_record_bytes;
    uint64_t by_text = bounds_entries_of_text(schema, text);
    s->records = (uint32_t)rows;
    s->fill_bytes = (uint32_t)o->batch_bytes;
    batch_at_least(&s->extents, schema->extents > rows ? rows : schema->extents);
    batch_at_least(&s->extents, LEAT_EXTENTS);
    batch_at_least(&s->bytes, text * (1 + schema->copies_text) +
                                  rows * schema->added_bytes_per_record +
                                  (uint64_t)schema->added_names * LEAT_ADDED_NAME);
    batch_at_least(&s->columns, schema->n_columns);
    batch_at_least(&s->examples, rows * schema->examples_per_record);
    batch_at_least(&s->entries, rows * schema->entries_per_record + by_text);
    s->keys |= (schema->has & LEAT_HAS_KEY) != 0;
    s->timestamps |= (schema->has & LEAT_HAS_TIMESTAMP) != 0;
    s->headers |= (schema->has & LEAT_HAS_HEADERS) != 0;
    s->names |= (schema->has & LEAT_HAS_NAMES) != 0;
    if (schema->has & LEAT_HAS_NAMES)
        batch_at_least(&s->parts, rows * schema->parts_per_record + by_text + schema->added_names);
}

/* Allocator of a batch's arrays: hands out pieces of the block at `base`. If base is NULL, it only
 * adds up their sizes. */
struct layout {
    char *base;
    size_t used;
    struct guarded **guarded; /* NULL: one block; else each piece has a guard page */
    bool failed;
};

/* Returns the array's name, "value" for "h->b.value", for messages about guard pages. */
static const char *batch_bare_name(const char *field)
{
    const char *dot = strrchr(field, '.'), *arrow = strrchr(field, '>');
    const char *name = dot ? dot + 1 : arrow ? arrow + 1 : field;
    return strncmp(name, "own_", 4) ? name : name + 4;
}

static void *batch_layout_take(struct layout *l, size_t n, size_t size, const char *field)
{
    size_t bytes = (n * size + 63) & ~(size_t)63;
    char *p = l->base ? l->base + l->used : NULL;
    if (l->guarded) p = guarded_take(l->guarded, bytes, batch_bare_name(field));
    l->failed |= l->guarded && !p;
    l->used += bytes;
    return p;
}

#define PLACE(FIELD, N) (FIELD) = batch_layout_take(l, (N), sizeof *(FIELD), #FIELD)

static void batch_lay_out_records(struct hbatch *h, struct layout *l)
{
    const struct batch_shape *s = &h->shape;
    PLACE(h->own_column, s->columns);
    if (!s->own_records) return;
    PLACE(h->b.bytes, s->bytes);
    PLACE(h->b.raw, s->records);
    if (s->places) PLACE(h->own_place, s->records);
    if (s->derived) {
        PLACE(h->own_derived, s->records);
        PLACE(h->own_from, s->records);
    }
    PLACE(h->b.extent, s->extents);
    if (s->keys) PLACE(h->b.key, s->records);
    if (s->timestamps) PLACE(h->b.timestamp, s->records);
    if (s->headers) PLACE(h->b.headers, s->records);
    for (uint32_t i = 0; i < s->columns; i++) {
        struct leat_str *cells = batch_layout_take(l, s->records, sizeof *cells, "column");
        if (cells) h->own_column[i].text = cells;
    }
}

static void batch_lay_out_examples(struct hbatch *h, struct layout *l)
{
    const struct batch_shape *s = &h->shape;
    PLACE(h->b.ex_label, s->examples);
    PLACE(h->b.ex_weight, s->examples);
    PLACE(h->b.score, s->examples);
    PLACE(h->own_ex_sel, s->examples);
    if (!s->own_examples) return;
    PLACE(h->b.ex_start, (size_t)s->examples + 1);
    PLACE(h->b.ex_record, s->examples);
    PLACE(h->b.id, s->entries);
    PLACE(h->b.value, s->entries);
    if (s->names) {
        PLACE(h->b.name, s->entries);
        PLACE(h->b.part, s->parts);
    }
}

static void batch_lay_out(struct hbatch *h, struct layout *l)
{
    const struct batch_shape *s = &h->shape;
    PLACE(h->own_sel, s->records);
    PLACE(h->b.status, s->records);
    PLACE(h->b.reason, s->records);
    PLACE(h->b.label, s->records);
    PLACE(h->b.weight, s->records);
    PLACE(h->rejection, s->records);
    h->cap_reject_text = (uint32_t)reject_text_bytes(h->shape.records);
    PLACE(h->reject_text, h->cap_reject_text);
    PLACE(h->table, s->tables);
    batch_lay_out_records(h, l);
    batch_lay_out_examples(h, l);
}

uint64_t batch_bytes(const struct batch_shape *s)
{
    struct hbatch h = {.shape = *s};
    struct layout l = {0};
    batch_lay_out(&h, &l);
    return l.used + sizeof h;
}

struct hbatch *batch_new(const struct batch_shape *s)
{
    struct hbatch *h = calloc(1, sizeof *h);
    if (!h) return NULL;
    h->shape = *s;
    struct layout measure = {0}, l = {0};
    if (s->guarded) {
        l.guarded = &h->guarded;
    } else {
        batch_lay_out(h, &measure);
        l.base = aligned_alloc(64, measure.used ? measure.used : 64);
        l.failed = !l.base;
    }
    if (!l.failed) batch_lay_out(h, &l);
    if (l.failed) {
        guarded_free(h->guarded);
        free(h);
        return NULL;
    }
    struct leat_batch *b = &h->b;
    b->size = sizeof *b;
    b->cap = s->records;
    b->cap_bytes = s->bytes;
    b->fill_bytes = s->fill_bytes;
    b->cap_extents = s->extents;
    b->cap_examples = s->examples;
    b->cap_entries = s->entries;
    b->cap_parts = s->names ? s->parts : 0;
    b->column = h->own_column;
    b->n_columns = s->columns;
    return h;
}

void batch_reset(struct hbatch *h)
{
    struct leat_batch *b = &h->b;
    b->kind = LEAT_BATCH_DATA;
    b->n = b->n_bytes = b->n_sel = b->touched = b->n_extents = 0;
    b->n_examples = b->n_entries = b->n_parts = b->n_ex_sel = 0;
    if (h->shape.own_examples && b->ex_start) b->ex_start[0] = 0;
    b->sel = h->own_sel;
    b->ex_sel = h->own_ex_sel;
    h->n_rejections = h->n_reject_text = h->n_tables = 0;
    h->parent = NULL;
    h->place = NULL;
    h->derived = NULL;
    b->from = h->own_from;
    h->more = 0;
    h->last = h->later_piece = false;
    h->input = BATCH_NO_INPUT;
    h->marks = (struct event_marks){.open = EVENT_UNMARKED};
    h->n_made = 0;
    h->cursor = (struct batch_cursor){0};
    h->dead_letters = NULL;
    h->under_way = 1;
    atomic_store_explicit(&h->borrowers, 1, memory_order_relaxed);
}

void batch_free(struct hbatch *h)
{
    if (h->guarded)
        guarded_free(h->guarded);
    else
        free(h->own_sel); /* own_sel is the first piece of the block */
    free(h->reject_more);
    free(h);
}

#define COPY(FIELD, N) memcpy(b->FIELD, a->FIELD, (size_t)(N) * sizeof *b->FIELD)

static void batch_borrow_records(struct hbatch *h, const struct leat_batch *a,
                                 const struct leat_schema *schema)
{
    struct leat_batch *b = &h->b;
    b->n = a->n;
    b->n_bytes = a->n_bytes;
    b->n_extents = a->n_extents;
    if (!h->shape.own_records) {
        b->bytes = a->bytes;
        b->raw = a->raw;
        b->extent = a->extent;
        b->key = a->key;
        b->timestamp = a->timestamp;
        b->headers = a->headers;
        b->column = a->column;
        b->n_columns = a->n_columns;
        b->cap_bytes = a->n_bytes; /* a branch must not write into borrowed bytes */
        return;
    }
    COPY(bytes, a->n_bytes);
    COPY(raw, a->n);
    COPY(extent, a->n_extents);
    if (schema->has & LEAT_HAS_KEY) COPY(key, a->n);
    if (schema->has & LEAT_HAS_TIMESTAMP)
        COPY(timestamp, a->n);
    else
        for (uint32_t r = 0; b->timestamp && r < a->n; r++)
            b->timestamp[r] = -1;
    if (schema->has & LEAT_HAS_HEADERS) COPY(headers, a->n);
    for (uint32_t i = 0; i < schema->n_columns; i++)
        memcpy(b->column[i].text, a->column[i].text,
               a->n * column_type_bytes(schema->column[i].type));
}

static void batch_borrow_examples(struct hbatch *h, const struct leat_batch *a)
{
    struct leat_batch *b = &h->b;
    b->n_examples = a->n_examples;
    b->n_entries = a->n_entries;
    b->n_parts = a->n_parts;
    b->fields = a->fields;
    if (!h->shape.own_examples) {
        b->ex_start = a->ex_start;
        b->ex_record = a->ex_record;
        b->id = a->id;
        b->value = a->value;
        b->name = a->name;
        b->part = a->part;
        b->cap_examples = a->n_examples;
        b->cap_entries = a->n_entries;
        b->cap_parts = a->n_parts;
    } else if (a->n_examples) {
        COPY(ex_start, a->n_examples + 1);
        COPY(ex_record, a->n_examples);
        COPY(id, a->n_entries);
        COPY(value, a->n_entries);
        if (a->name && b->name) {
            COPY(name, a->n_entries);
            COPY(part, a->n_parts);
        }
    }
    if (!a->n_examples) return;
    COPY(ex_label, a->n_examples);
    COPY(ex_weight, a->n_examples);
    if (a->score) COPY(score, a->n_examples);
}

void batch_borrow(struct hbatch *h, struct hbatch *parent, const struct leat_schema *schema)
{
    struct leat_batch *b = &h->b;
    const struct leat_batch *a = &parent->b;
    assert(!h->parent && !b->n && a->n <= h->shape.records);
    b->seq = a->seq;
    batch_borrow_records(h, a, schema);
    batch_borrow_examples(h, a);
    COPY(status, a->n);
    COPY(reason, a->n);
    COPY(label, a->n);
    COPY(weight, a->n);
    COPY(sel, a->n_sel);
    b->n_sel = a->n_sel;
    if (a->n_ex_sel) COPY(ex_sel, a->n_ex_sel);
    b->n_ex_sel = a->n_ex_sel;
    h->source = parent->source;
    h->next = parent->next;
    h->place = parent->place;
    h->derived = parent->derived;
    h->more = parent->more;
    h->last = parent->last;
    h->later_piece = parent->later_piece;
    h->input = parent->input;
    h->marks = parent->marks;
    h->cursor = parent->cursor;
    h->parent = parent;
    atomic_fetch_add_explicit(&parent->borrowers, 1, memory_order_relaxed);
}

static uint32_t batch_keep_ok(const struct leat_batch *b, uint32_t *sel, uint32_t n)
{
    uint32_t kept = 0;
    for (uint32_t k = 0; k < n; k++) {
        sel[kept] = sel[k];
        kept += b->status[sel[k]] == LEAT_ROW_OK;
    }
    return kept;
}

void batch_select(struct hbatch *h, uint32_t examples_before)
{
    struct leat_batch *b = &h->b;
    assert(examples_before <= b->n_examples);
    for (uint32_t e = examples_before; e < b->n_examples; e++)
        b->ex_sel[b->n_ex_sel++] = e;
    if (!b->touched && examples_before == b->n_examples) return;
    uint32_t kept = 0;
    for (uint32_t k = 0; k < b->n_ex_sel; k++) {
        uint32_t e = b->ex_sel[k];
        b->ex_sel[kept] = e;
        kept += b->status[b->ex_record[e]] == LEAT_ROW_OK;
    }
    b->n_ex_sel = kept;
    if (b->touched) b->n_sel = batch_keep_ok(b, b->sel, b->n_sel);
    b->touched = 0;
}

void batch_keep_places(struct hbatch *h)
{
    if (h->place) return;
    assert(h->own_place);
    for (uint32_t r = 0; r < h->b.n; r++)
        h->own_place[r] = h->b.raw[r].off;
    h->place = h->own_place;
}

static uint64_t batch_line_ends(const char *s, const char *end)
{
    uint64_t n = 0;
    while (s < end && (s = memchr(s, '\n', (size_t)(end - s)))) {
        n++;
        s++;
    }
    return n;
}

static uint64_t batch_line_of(const struct leat_batch *b, const struct leat_extent *extent,
                              uint32_t off, struct batch_cursor *c)
{
    if (!c->line || off < c->at) {
        c->line = extent->line;
        c->at = extent->bytes_off;
    }
    c->line += batch_line_ends(b->bytes + c->at, b->bytes + off);
    c->at = off;
    return c->line;
}

/* Returns the index of the extent with record r, searching from extent `from` on; n_extents if
 * there is none. */
static uint32_t batch_extent_of(const struct leat_batch *b, uint32_t r, uint32_t from)
{
    if (from < b->n_extents && r < b->extent[from].first) from = 0;
    while (from < b->n_extents && r - b->extent[from].first >= b->extent[from].n)
        from++;
    return from;
}

/* Smallest order (batch_order) of records that were made from no other record. */
static const uint64_t MADE = UINT64_C(1) << 63;

/* Low bits of an order (batch_order). They hold a number that distinguishes records made from the
 * same record. */
enum { NUMBER_BITS = 40 };

uint64_t batch_order(const struct hbatch *h, uint32_t r)
{
    return h->derived ? h->derived[r].order : (uint64_t)r << NUMBER_BITS;
}

static uint64_t batch_number(uint64_t n) { return n & ((UINT64_C(1) << NUMBER_BITS) - 1); }

/* Returns the struct derived of a record that a stage made from no other record, as its n-th
 * record. */
static struct derived batch_made_by(const struct batch_maker *by, uint64_t n)
{
    return (struct derived){.origin = {.offset = n, .maker = by->stage},
                            .order = MADE | (uint64_t)by->node << NUMBER_BITS | batch_number(n)};
}

/* Returns the struct derived of a record that a stage made from record `from` of parent, as its
 * n-th record. */
static struct derived batch_made_of(struct hbatch *parent, uint32_t from, uint64_t n)
{
    uint64_t order = batch_order(parent, from);
    return (struct derived){.origin = batch_origin(parent, from),
                            .order = order - batch_number(order) + batch_number(n)};
}

/* Value in leat_batch.from of a record whose origin batch_place() has set. */
static const uint32_t PLACED = LEAT_NULL - 1;

void batch_place(struct hbatch *h, uint32_t r, const char *name, uint64_t offset, uint64_t line)
{
    assert(h->b.from && r < h->b.n && h->b.from[r] == LEAT_NULL);
    h->b.from[r] = PLACED;
    h->own_derived[r].origin = (struct batch_origin){.name = name, .offset = offset, .line = line};
}

/* Returns the struct derived of a record whose origin `at` batch_place() has set. Its order is like
 * that of a record made from no other record. */
static struct derived batch_placed(const struct batch_maker *by, struct batch_origin at, uint64_t n)
{
    return (struct derived){.origin = at, .order = batch_made_by(by, n).order};
}

static struct derived batch_derive_one(struct hbatch *h, uint32_t r, struct hbatch *parent,
                                       const struct batch_maker *by)
{
    uint32_t from = h->b.from[r];
    if (from == PLACED) return batch_placed(by, h->own_derived[r].origin, by->n + r);
    return from == LEAT_NULL ? batch_made_by(by, by->n + r)
                             : batch_made_of(parent, from, by->n + r);
}

/* Moves the places where inputs close to the records made from those that follow them. */
static void batch_derive_marks(struct hbatch *h, const struct event_marks *m)
{
    uint32_t r = 0;
    h->marks = *m;
    for (uint32_t k = 0; k < m->n_closing; k++) {
        while (r < h->b.n && (h->b.from[r] >= PLACED || h->b.from[r] < m->row[k]))
            r++;
        h->marks.row[k] = r;
    }
}

void batch_derive(struct hbatch *h, struct hbatch *parent, const struct batch_maker *by)
{
    struct leat_batch *b = &h->b;
    assert(!h->parent && h->own_derived);
    batch_derive_marks(h, &parent->marks);
    for (uint32_t r = 0; r < b->n; r++)
        h->own_derived[r] = batch_derive_one(h, r, parent, by);
    h->n_made = b->n;
    b->from = NULL;
    b->seq = parent->b.seq;
    h->derived = h->own_derived;
    h->source = parent->source;
    h->next = parent->next;
    h->input = parent->input;
    h->parent = parent;
    atomic_fetch_add_explicit(&parent->borrowers, 1, memory_order_relaxed);
}

struct batch_origin batch_origin_from(const struct hbatch *h, uint32_t r, struct batch_cursor *c)
{
    if (h->derived) return h->derived[r].origin;
    const struct leat_batch *b = &h->b;
    uint32_t at = h->place ? h->place[r] : b->raw[r].off;
    uint32_t i = batch_extent_of(b, r, c->extent);
    if (i != c->extent) *c = (struct batch_cursor){.extent = i};
    if (i == b->n_extents) return (struct batch_origin){0};
    const struct leat_extent *extent = &b->extent[i];
    struct batch_origin o = {.input = extent->input};
    o.offset = extent->offset + (extent->line ? at - extent->bytes_off : r - extent->first);
    if (extent->line) o.line = batch_line_of(b, extent, at, c);
    return o;
}

struct batch_origin batch_origin(struct hbatch *h, uint32_t r)
{
    return batch_origin_from(h, r, &h->cursor);
}

uint32_t batch_clock_input(struct hbatch *h, uint32_t r)
{
    if (h->marks.open == EVENT_UNMARKED) return EVENT_WHOLE;
    if (h->derived) {
        const struct batch_origin *o = &h->derived[r].origin;
        return o->maker || o->name ? EVENT_WHOLE : o->input;
    }
    uint32_t i = batch_extent_of(&h->b, r, h->cursor.extent);
    if (i != h->cursor.extent) h->cursor = (struct batch_cursor){.extent = i};
    return i == h->b.n_extents ? EVENT_WHOLE : h->b.extent[i].input;
}

uint32_t batch_clock_same(struct hbatch *h, const uint32_t *row, uint32_t n)
{
    const uint32_t input = batch_clock_input(h, *row), i = h->cursor.extent;
    const struct leat_extent *x = &h->b.extent[i];
    uint32_t k = 1;
    if (h->marks.open == EVENT_UNMARKED) return n;
    const uint32_t end = h->derived || i == h->b.n_extents ? 0 : x->first + x->n;
    while (k < n && (row[k] < end || batch_clock_input(h, row[k]) == input))
        k++;
    return k;
}

/* ---- slices of a batch ---- */

static bool slice_in_order(const struct leat_batch *b)
{
    for (uint32_t k = 1; k < b->n_ex_sel; k++)
        if (b->ex_record[b->ex_sel[k]] < b->ex_record[b->ex_sel[k - 1]]) return false;
    return true;
}

struct slicing slice_begin(const struct leat_batch *b)
{
    return (struct slicing){b->sel, b->ex_sel, b->n_sel, b->n_ex_sel, .whole = !slice_in_order(b)};
}

/* Shortens the selections to the records and examples from those of earlier slices up to, not
 * including, number `last` and `to`. */
static void slice_take(struct slicing *s, struct leat_batch *b, uint32_t last, uint32_t to)
{
    b->ex_sel = s->ex_sel + s->examples;
    b->n_ex_sel = to - s->examples;
    b->sel = s->sel + s->records;
    b->n_sel = last - s->records;
    s->examples = to;
    s->records = last;
}

uint32_t slice_next(struct slicing *s, struct leat_batch *b, uint32_t n)
{
    uint32_t left = s->n_ex_sel - s->examples, to = s->n_ex_sel, last = s->n_sel;
    if (n && n < left && !s->whole) to = s->examples + n;
    while (to < s->n_ex_sel && b->ex_record[s->ex_sel[to]] == b->ex_record[s->ex_sel[to - 1]])
        to++;
    if (to < s->n_ex_sel)
        for (last = s->records; last < s->n_sel && s->sel[last] < b->ex_record[s->ex_sel[to]];)
            last++;
    slice_take(s, b, last, to);
    return b->n_ex_sel;
}

void slice_rest(const struct slicing *s, struct leat_batch *b)
{
    struct slicing rest = *s;
    slice_take(&rest, b, s->n_sel, s->n_ex_sel);
}

void slice_upto(struct slicing *s, struct leat_batch *b, uint32_t row)
{
    uint32_t last = s->records, to = s->examples;
    while (last < s->n_sel && (s->whole || s->sel[last] <= row))
        last++;
    while (to < s->n_ex_sel && (s->whole || b->ex_record[s->ex_sel[to]] <= row))
        to++;
    slice_take(s, b, last, to);
}

void slice_end(const struct slicing *s, struct leat_batch *b)
{
    b->sel = s->sel;
    b->n_sel = s->n_sel;
    b->ex_sel = s->ex_sel;
    b->n_ex_sel = s->n_ex_sel;
}
