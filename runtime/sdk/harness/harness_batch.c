/* harness_batch.c -- batches of a harness, and the columns that its stage sees. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness_impl.h"
#include "host/flow/convert.h"

/* ---- columns that the stage sees ---- */

void harness_columns_begin(struct harness *h, uint32_t first)
{
    struct node *n = &h->impl->node;
    n->stage = h->stage;
    n->schema_in = h->in;
    stage_columns_begin(n, &h->impl->arena, first);
}

int harness_columns_ask(struct leat_negotiation *n, struct harness *h, const char *param,
                        const char *name, uint32_t types, uint32_t *index)
{
    struct node *node = &h->impl->node;
    column_index_extend(&node->column_index, &h->impl->arena, h->in.column, h->in.n_columns);
    *index = column_index_find(&node->column_index, h->in.column, name, strlen(name));
    h->impl->last_asked = *index;
    if (*index == COLUMN_NONE && h->in.open) return LEAT_LATER;
    if (*index == COLUMN_NONE && h->impl->discovers)
        return harness_columns_make(h, name, types, index);
    if (*index == COLUMN_NONE) {
        n->diag->error(n->diag, param, "there is no column '%s'", name);
        return LEAT_EARG;
    }
    const char *holds = column_type_plural(h->in.column[*index].type);
    int status = stage_columns_ask(node, &h->impl->arena, *index, types, index);
    if (status < 0)
        n->diag->error(n->diag, param, "column '%s' holds %s, but the stage takes %s", name, holds,
                       column_types_text(types, &h->impl->arena));
    return status;
}

int harness_columns_find(struct leat_ctx *ctx, struct harness *h, const char *name, uint32_t types,
                         uint32_t *index)
{
    if (stage_columns_find(&h->impl->node, name, types, index)) return LEAT_OK;
    return ctx->host->fail(ctx, LEAT_EARG, "column '%s' was not requested in negotiate", name);
}

/* Returns the number of columns that a batch needs, including converted columns. */
static uint32_t harness_columns_room(const struct harness *h)
{
    const struct node *n = &h->impl->node;
    uint32_t columns = h->stage->expand ? h->in.n_columns : h->out.n_columns;
    return n->n_conversions ? n->first_converted + n->n_conversions : columns;
}

/* Returns the bytes that a record needs for its converted columns. */
static uint32_t harness_columns_bytes(const struct harness *h)
{
    uint32_t bytes = 0;
    for (uint32_t k = 0; k < h->impl->node.n_conversions; k++)
        bytes += column_type_text_bytes(h->impl->node.conversion[k].from_type,
                                        h->impl->node.conversion[k].to_type);
    return bytes;
}

union leat_cells *harness_columns_show(struct harness *h)
{
    const struct node *n = &h->impl->node;
    union leat_cells *all = h->b.column;
    for (uint32_t k = 0; k < n->n_conversions; k++)
        convert_column(&h->ctx, &n->conversion[k], &h->b);
    for (uint32_t c = 0; c < harness_columns_room(h); c++)
        h->impl->shown[c] = all[c];
    for (uint32_t c = 0; c < h->in.n_columns; c++)
        if (!n->shown_in.column[c].type) h->impl->shown[c].text = NULL;
    h->b.column = h->impl->shown;
    return all;
}

/* ---- batches made by hand ---- */

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "host/flow/batch.h"

enum { NOTHING = 0xa5 }; /* filler without zeros, because a stage must not rely on zeros */

/* ---- arrays ---- */

/* Makes the array b->FIELD with exactly N elements. */
#define ARRAY(FIELD, N) (b->FIELD = harness_array(h, (N) * sizeof *b->FIELD, 1, NOTHING, #FIELD))

static void harness_batch_make_records(struct harness *h, struct leat_batch *b,
                                       const struct leat_schema *s)
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

static void harness_batch_make_examples(struct harness *h, struct leat_batch *b,
                                        const struct leat_schema *s)
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
    bool makes = h->stage->kind == LEAT_SOURCE || h->stage->expand;
    if (makes && text < s->max_record_bytes) text = s->max_record_bytes;
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
    harness_batch_make_records(h, b, s);
    harness_batch_make_examples(h, b, s);
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

/* ---- contents ---- */

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
    harness_must(h, r >= 0, "there is no room for a record: give harness_open a larger number");
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

/* Checks a batch after a call. Empties an incomplete batch, because the test may continue after a
 * breach. */
static void harness_batch_look_at(struct harness *h, const char *call, uint32_t columns)
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
    if (s == LEAT_OK) harness_batch_look_at(h, "process", h->in.n_columns);
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
    harness_batch_look_at(h, "produce", 0);
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
