/* harness_batch.c -- batches by hand, and the calls that get them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "host/flow/batch.h"
#include "harness_columns.h"

enum { NOTHING = 0xa5 }; /* nobody may count on zeros */

/* ---- making them ---- */

/* Each array is exactly as long as promised. */
#define ARRAY(FIELD, N) (b->FIELD = harness_array(h, (N) * sizeof *b->FIELD, 1, NOTHING, #FIELD))

static void make_records(struct harness *h, struct leat_batch *b, const struct leat_schema *s)
{
    ARRAY(bytes, b->cap_bytes);
    ARRAY(sel, b->cap);
    ARRAY(status, b->cap);
    ARRAY(reason, b->cap);
    ARRAY(raw, b->cap);
    ARRAY(label, b->cap);
    ARRAY(weight, b->cap);
    ARRAY(extent, b->cap_extents);
    if (s->has & LEAT_HAS_KEY) ARRAY(key, b->cap);
    if (s->has & LEAT_HAS_TIMESTAMP) ARRAY(timestamp, b->cap);
    if (s->has & LEAT_HAS_HEADERS) ARRAY(headers, b->cap);
    uint32_t columns = b == &h->b ? harness_columns_room(h) : s->n_columns;
    ARRAY(column, columns);
    for (uint32_t i = 0; i < columns; i++)
        if (i < s->n_columns)
            b->column[i].text = harness_array(h, b->cap * column_type_bytes(s->column[i].type), 1,
                                              NOTHING, s->column[i].name);
        else if (i >= HARNESS_COLUMNS)
            ARRAY(column[i].text, b->cap);
}

static void make_examples(struct harness *h, struct leat_batch *b, const struct leat_schema *s)
{
    ARRAY(ex_sel, b->cap_examples);
    ARRAY(ex_start, b->cap_examples + 1);
    ARRAY(ex_record, b->cap_examples);
    ARRAY(ex_label, b->cap_examples);
    ARRAY(ex_weight, b->cap_examples);
    ARRAY(score, b->cap_examples);
    ARRAY(id, b->cap_entries);
    ARRAY(value, b->cap_entries);
    ARRAY(part, b->cap_parts);
    if (s->has & LEAT_HAS_NAMES) ARRAY(name, b->cap_entries);
    b->ex_start[0] = 0;
}

static void make_batch(struct harness *h, struct leat_batch *b, const struct leat_schema *s,
                       uint32_t records)
{
    uint32_t text = 4096 + 256 * records;
    if (h->stage->kind == LEAT_SOURCE && text < s->max_record_bytes) text = s->max_record_bytes;
    uint32_t by_text = (uint32_t)bounds_entries_of_text(s, text);
    *b = (struct leat_batch){.size = sizeof *b,
                             .cap = records,
                             .cap_bytes =
                                 text * (1 + s->copies_text) +
                                 records * (s->added_bytes_per_record + harness_columns_bytes(h)) +
                                 s->added_names * LEAT_ADDED_NAME,
                             .fill_bytes = text,
                             .n_columns = s->n_columns,
                             .cap_extents = s->extents > LEAT_EXTENTS ? s->extents : LEAT_EXTENTS,
                             .cap_examples = records * s->examples_per_record,
                             .cap_entries = records * s->entries_per_record + by_text,
                             .cap_parts = records * s->parts_per_record + by_text + s->added_names,
                             .fields = s->fields};
    make_records(h, b, s);
    make_examples(h, b, s);
}

void harness_make_batches(struct harness *h, uint32_t records)
{
    struct leat_batch *b = &h->made;
    make_batch(h, &h->b, h->stage->expand ? &h->in : &h->out, records);
    if (!h->stage->expand) return;
    make_batch(h, b, &h->out, h->made_records ? h->made_records : records);
    ARRAY(from, b->cap);
    h->impl->came_from = harness_array(h, b->cap * sizeof *h->impl->came_from, 8, 0, "came_from");
}

/* ---- filling them ---- */

static struct leat_str text_in(struct harness *h, const char *text, size_t len)
{
    uint32_t off = leat_add_bytes(&h->b, (uint32_t)len);
    harness_must(h, off != LEAT_NULL, "no room for %zu bytes of text", len);
    if (len) memcpy(h->b.bytes + off, text, len);
    return (struct leat_str){off, (uint32_t)len};
}

static void empty_cell(union leat_cells cells, uint32_t type, uint32_t r)
{
    if (type == LEAT_NUMBER)
        cells.number[r] = (double)NAN;
    else if (type == LEAT_BOOLEAN)
        cells.boolean[r] = LEAT_NO_BOOLEAN;
    else if (type == LEAT_INT64 || type == LEAT_TIME)
        cells.int64[r] = LEAT_NO_INT64;
    else
        cells.text[r] = (struct leat_str){0, LEAT_NULL};
}

static void set_cell(union leat_cells cells, uint32_t type, uint32_t r, const char *text,
                     struct leat_str slice)
{
    if (type == LEAT_NUMBER)
        cells.number[r] = strtod(text, NULL);
    else if (type == LEAT_BOOLEAN)
        cells.boolean[r] = *text == 't';
    else if (type == LEAT_INT64 || type == LEAT_TIME)
        cells.int64[r] = strtoll(text, NULL, 10);
    else
        cells.text[r] = slice;
}

uint32_t harness_bytes(struct harness *h, const void *raw, size_t n)
{
    struct leat_batch *b = &h->b;
    struct leat_str text = text_in(h, raw, n);
    int r = leat_add_record(b, text.off, text.len);
    harness_must(h, r >= 0, "there is no room for a record: harness_open says for how many");
    b->sel[b->n_sel++] = (uint32_t)r;
    if (b->timestamp) b->timestamp[r] = 0;
    for (uint32_t i = 0; i < h->in.n_columns; i++)
        empty_cell(b->column[i], h->in.column[i].type, (uint32_t)r);
    return (uint32_t)r;
}

uint32_t harness_record(struct harness *h, const char *raw)
{
    return harness_bytes(h, raw, strlen(raw));
}

uint32_t harness_row(struct harness *h, const char *cells)
{
    struct leat_batch *b = &h->b;
    uint32_t r = harness_record(h, cells), at = b->raw[r].off;
    for (uint32_t i = 0; i < h->in.n_columns; i++) {
        uint32_t len = (uint32_t)strcspn(cells, "|");
        bool missing = len == 2 && !memcmp(cells, "\\N", 2);
        if (!missing)
            set_cell(b->column[i], h->in.column[i].type, r, cells, (struct leat_str){at, len});
        at += len + (cells[len] == '|');
        cells += len + (cells[len] == '|');
    }
    return r;
}

static uint32_t add_entry(struct harness *h, uint64_t id, float value, struct leat_name name)
{
    int i = leat_add_entry(&h->b, id, value);
    harness_must(h, i >= 0, "no room for an entry: set in.entries_per_record");
    if (h->b.name) h->b.name[i] = name;
    return (uint32_t)i;
}

uint32_t harness_example(struct harness *h, uint32_t r, float label, const char *features)
{
    struct leat_batch *b = &h->b;
    b->label[r] = label;
    int e = leat_add_example(b, r);
    harness_must(h, e >= 0, "no room for an example: set in.examples_per_record");
    b->score[e] = 0.0f;
    b->ex_sel[b->n_ex_sel++] = (uint32_t)e;
    for (char *end = (char *)features; *end;) {
        uint64_t id = strtoull(end, &end, 10);
        harness_must(h, *end == ':', "an entry is id:value, not '%s'", end);
        add_entry(h, id, strtof(end + 1, &end), (struct leat_name){{0, 0, 0}});
        while (*end == ' ')
            end++;
    }
    return (uint32_t)e;
}

uint32_t harness_tokens(struct harness *h, const char *text)
{
    struct leat_batch *b = &h->b;
    uint32_t r = harness_record(h, text), off = b->raw[r].off;
    uint32_t e = harness_example(h, r, (float)NAN, "");
    for (const char *p = text; *p;) {
        uint32_t len = (uint32_t)strcspn(p, " ");
        struct leat_str at = {off + (uint32_t)(p - text), len};
        struct leat_name name = {{leat_add_part(b, LEAT_NO_FIELD, at)}};
        add_entry(h, XXH3_64bits(p, len), 1.0f, name);
        p += len + (p[len] == ' ');
    }
    return e;
}

/* ---- calls ---- */

static void select_again(struct leat_batch *b, uint32_t examples_before)
{
    for (uint32_t e = examples_before; e < b->n_examples; e++)
        b->ex_sel[b->n_ex_sel++] = e;
    uint32_t kept = 0;
    for (uint32_t k = 0; k < b->n_sel; k++)
        if (b->status[b->sel[k]] == LEAT_ROW_OK) b->sel[kept++] = b->sel[k];
    b->n_sel = kept;
    kept = 0;
    for (uint32_t k = 0; k < b->n_ex_sel; k++)
        if (b->status[b->ex_record[b->ex_sel[k]]] == LEAT_ROW_OK) b->ex_sel[kept++] = b->ex_sel[k];
    b->n_ex_sel = kept;
    b->touched = 0;
}

/* Whole again, where the program goes on after a breach. */
static void look_at(struct harness *h, const char *call, uint32_t columns)
{
    char text[400];
    uint32_t record;
    const char *name;
    if (batch_is_wrong(&h->b, &h->out, text, sizeof text)) {
        harness_breach(h, BREACH_WHOLE, "%s %s", call, text);
        harness_empty(&h->b);
    } else if ((name = batch_unfilled(&h->out, &h->b, columns, &record)))
        harness_breach(h, BREACH_UNFILLED, "%s did not fill its column '%s' for record %u", call,
                       name, record);
}

static int process_in_slices(struct harness *h)
{
    struct slicing left = slice_begin(&h->b);
    int status = LEAT_OK;
    do {
        slice_next(&left, &h->b, h->impl->slice);
        status = h->stage->process(&h->ctx, h->self, &h->b);
    } while (status == LEAT_OK && !slice_was_last(&left));
    slice_end(&left, &h->b);
    return status;
}

int harness_process(struct harness *h)
{
    struct batch_seen seen;
    uint32_t before = h->b.n_examples;
    const char *owes;
    union leat_cells *all = harness_columns_show(h);
    h->b.column = all;
    select_again(&h->b, before);
    batch_see(&seen, &h->b, &h->in);
    batch_poison(&h->out, &h->b, h->in.n_columns, h->b.n);
    h->b.column = h->impl->shown;
    h->impl->in_call = true;
    int s = h->impl->slice ? process_in_slices(h) : h->stage->process(&h->ctx, h->self, &h->b);
    h->impl->in_call = false;
    h->b.column = all;
    harness_returned(h, "process", s);
    const char *what = batch_changed(&seen, &h->b, &h->in, h->stage->caps, &owes);
    if (what) harness_breach(h, BREACH_CHANGED, "process changed %s%s", what, owes);
    if (s == LEAT_OK) look_at(h, "process", h->in.n_columns);
    if (h->b.n_examples < before) before = h->b.n_examples;
    select_again(&h->b, before);
    h->b.seq++;
    return s;
}

int harness_produce(struct harness *h)
{
    struct leat_batch *b = &h->b;
    harness_clear(h);
    batch_poison(&h->out, b, 0, b->cap);
    h->impl->in_call = true;
    int s = h->stage->source->produce(&h->ctx, h->self, b);
    h->impl->in_call = false;
    harness_returned(h, "produce", s);
    for (uint32_t r = 0; r < b->n && r < b->cap; r++)
        b->sel[b->n_sel++] = r;
    look_at(h, "produce", 0);
    select_again(b, b->n_examples);
    b->seq++;
    return s;
}

void harness_empty(struct leat_batch *b)
{
    b->n = b->n_sel = b->n_bytes = b->n_extents = b->touched = 0;
    b->n_examples = b->n_entries = b->n_parts = b->n_ex_sel = 0;
    b->ex_start[0] = 0;
}

void harness_clear(struct harness *h)
{
    harness_empty(&h->b);
    h->n_rejections = 0;
}

const char *harness_name(const struct harness *h, uint32_t i)
{
    static char text[2][HARNESS_TEXT];
    static int turn;
    char *out = text[turn ^= 1];
    size_t n = leat_name_text(&h->b, i, out, HARNESS_TEXT - 1);
    out[n < HARNESS_TEXT - 1 ? n : HARNESS_TEXT - 1] = 0;
    return out;
}

const struct harness_rejection *harness_rejected(const struct harness *h, uint32_t r)
{
    for (uint32_t i = 0; i < h->n_rejections; i++)
        if (h->rejection[i].record == r) return &h->rejection[i];
    return NULL;
}
