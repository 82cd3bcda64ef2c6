/* batch.c -- see batch.h. */
#include "batch.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

static uint32_t at_most_u32(uint64_t n)
{
    return n > UINT32_MAX / 2 ? UINT32_MAX / 2 : (uint32_t)n;
}

static void at_least(uint32_t *a, uint64_t n)
{
    if (n > *a) *a = at_most_u32(n);
}

void batch_shape_widen(struct batch_shape *s, const struct leat_schema *schema,
                       const struct options *o)
{
    uint64_t rows = (uint64_t)o->batch_rows;
    uint64_t text = (uint64_t)o->batch_bytes;
    if (schema->max_record_bytes > text) text = schema->max_record_bytes;
    uint64_t by_text = schema->bytes_per_entry ? text / schema->bytes_per_entry + 1 : 0;
    s->records = (uint32_t)rows;
    s->fill_bytes = (uint32_t)o->batch_bytes;
    s->runs = 16;
    at_least(&s->bytes, text * (1 + schema->copies_text) + rows * schema->added_bytes_per_record +
                            (uint64_t)schema->added_names * LEAT_ADDED_NAME);
    at_least(&s->columns, schema->n_columns);
    at_least(&s->examples, rows * schema->examples_per_record);
    at_least(&s->entries, rows * schema->entries_per_record + by_text);
    s->keys |= !!(schema->has & LEAT_HAS_KEY);
    s->timestamps |= !!(schema->has & LEAT_HAS_TIMESTAMP);
    s->names |= !!(schema->has & LEAT_HAS_NAMES);
    if (schema->has & LEAT_HAS_NAMES)
        at_least(&s->parts, rows * schema->parts_per_record + by_text + schema->added_names);
}

/* Hands out pieces of one block; with base NULL it only measures. */
struct layout {
    char *base;
    size_t used;
};

static void *layout_take(struct layout *c, size_t n, size_t size)
{
    char *p = c->base ? c->base + c->used : NULL;
    c->used += (n * size + 63) & ~(size_t)63;
    return p;
}

#define CARVE(FIELD, N) (FIELD) = layout_take(c, (N), sizeof *(FIELD))

static void carve_records(struct hbatch *h, struct layout *c)
{
    const struct batch_shape *s = &h->shape;
    CARVE(h->own_column, s->columns);
    if (!s->own_records) return;
    CARVE(h->b.bytes, s->bytes);
    CARVE(h->b.raw, s->records);
    CARVE(h->b.run, s->runs);
    if (s->keys) CARVE(h->b.key, s->records);
    if (s->timestamps) CARVE(h->b.timestamp, s->records);
    for (uint32_t i = 0; i < s->columns; i++) {
        struct leat_str *cells = layout_take(c, s->records, sizeof *cells);
        if (c->base) h->own_column[i].text = cells;
    }
}

static void carve_examples(struct hbatch *h, struct layout *c)
{
    const struct batch_shape *s = &h->shape;
    CARVE(h->b.ex_label, s->examples);
    CARVE(h->b.ex_weight, s->examples);
    CARVE(h->b.score, s->examples);
    CARVE(h->own_ex_sel, s->examples);
    if (!s->own_examples) return;
    CARVE(h->b.ex_start, (size_t)s->examples + 1);
    CARVE(h->b.ex_record, s->examples);
    CARVE(h->b.id, s->entries);
    CARVE(h->b.value, s->entries);
    if (s->names) {
        CARVE(h->b.name, s->entries);
        CARVE(h->b.part, s->parts);
    }
}

static void carve_all(struct hbatch *h, struct layout *c)
{
    const struct batch_shape *s = &h->shape;
    CARVE(h->own_sel, s->records);
    CARVE(h->b.status, s->records);
    CARVE(h->b.reason, s->records);
    CARVE(h->b.label, s->records);
    CARVE(h->b.weight, s->records);
    CARVE(h->rejection, s->records);
    CARVE(h->reject_text, REJECT_TEXT_BYTES);
    CARVE(h->table, s->tables);
    carve_records(h, c);
    carve_examples(h, c);
}

uint64_t batch_bytes(const struct batch_shape *s)
{
    struct hbatch h = {.shape = *s};
    struct layout c = {0};
    carve_all(&h, &c);
    return c.used + sizeof h;
}

/* The header with its capacities; memory in one block behind it, touched only as it is used. */
static struct hbatch *batch_new(const struct batch_shape *s, struct pool *pool)
{
    struct hbatch *h = calloc(1, sizeof *h);
    if (!h) return NULL;
    h->shape = *s;
    h->pool = pool;
    struct layout measure = {0}, c = {0};
    carve_all(h, &measure);
    c.base = aligned_alloc(64, measure.used ? measure.used : 64);
    if (!c.base) {
        free(h);
        return NULL;
    }
    carve_all(h, &c);
    struct leat_batch *b = &h->b;
    b->size = sizeof *b;
    b->cap = s->records;
    b->cap_bytes = s->bytes;
    b->fill_bytes = s->fill_bytes;
    b->cap_runs = s->runs;
    b->cap_examples = s->examples;
    b->cap_entries = s->entries;
    b->cap_parts = s->names ? s->parts : 0;
    b->column = h->own_column;
    b->n_columns = s->columns;
    return h;
}

static void batch_reset(struct hbatch *h)
{
    struct leat_batch *b = &h->b;
    b->kind = LEAT_BATCH_DATA;
    b->n = b->n_bytes = b->n_sel = b->touched = b->n_runs = 0;
    b->n_examples = b->n_entries = b->n_parts = b->n_ex_sel = 0;
    if (h->shape.own_examples && b->ex_start) b->ex_start[0] = 0;
    b->sel = h->own_sel;
    b->ex_sel = h->own_ex_sel;
    h->n_rejections = h->n_reject_text = h->n_tables = 0;
    h->parent = NULL;
    atomic_store_explicit(&h->borrowers, 1, memory_order_relaxed);
}

int pool_init(struct pool *p, uint32_t n, const struct batch_shape *s)
{
    pthread_mutex_init(&p->mu, NULL);
    pthread_cond_init(&p->freed, NULL);
    for (uint32_t i = 0; i < n; i++) {
        struct hbatch *h = batch_new(s, p);
        if (!h) return LEAT_ENOMEM;
        h->next_free = p->free;
        p->free = h;
        p->n++;
    }
    return LEAT_OK;
}

void pool_fini(struct pool *p)
{
    while (p->free) {
        struct hbatch *h = p->free;
        p->free = h->next_free;
        free(h->own_sel); /* the first piece is the block */
        free(h);
    }
    pthread_cond_destroy(&p->freed);
    pthread_mutex_destroy(&p->mu);
}

struct hbatch *pool_take(struct pool *p)
{
    pthread_mutex_lock(&p->mu);
    if (!p->free) {
        uint64_t from = clock_ns();
        while (!p->free)
            pthread_cond_wait(&p->freed, &p->mu);
        p->wait_ns += clock_ns() - from;
    }
    struct hbatch *h = p->free;
    p->free = h->next_free;
    pthread_mutex_unlock(&p->mu);
    batch_reset(h);
    return h;
}

static void pool_give(struct hbatch *h)
{
    struct pool *p = h->pool;
    pthread_mutex_lock(&p->mu);
    h->next_free = p->free;
    p->free = h;
    pthread_cond_signal(&p->freed);
    pthread_mutex_unlock(&p->mu);
}

void batch_release(struct hbatch *h)
{
    while (h && atomic_fetch_sub_explicit(&h->borrowers, 1, memory_order_acq_rel) == 1) {
        struct hbatch *parent = h->parent;
        pool_give(h);
        h = parent;
    }
}

#define COPY(FIELD, N) memcpy(b->FIELD, a->FIELD, (size_t)(N) * sizeof *b->FIELD)

static void borrow_records(struct hbatch *h, const struct leat_batch *a,
                           const struct leat_schema *schema)
{
    struct leat_batch *b = &h->b;
    b->n = a->n;
    b->n_bytes = a->n_bytes;
    b->n_runs = a->n_runs;
    if (!h->shape.own_records) {
        b->bytes = a->bytes;
        b->raw = a->raw;
        b->run = a->run;
        b->key = a->key;
        b->timestamp = a->timestamp;
        b->column = a->column;
        b->n_columns = a->n_columns;
        b->cap_bytes = a->n_bytes; /* no room to write into what is borrowed */
        return;
    }
    COPY(bytes, a->n_bytes);
    COPY(raw, a->n);
    COPY(run, a->n_runs);
    if (schema->has & LEAT_HAS_KEY) COPY(key, a->n);
    if (schema->has & LEAT_HAS_TIMESTAMP) COPY(timestamp, a->n);
    for (uint32_t i = 0; i < schema->n_columns; i++)
        memcpy(b->column[i].text, a->column[i].text, a->n * sizeof *a->column[i].text);
}

static void borrow_examples(struct hbatch *h, const struct leat_batch *a)
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
    b->seq = a->seq;
    borrow_records(h, a, schema);
    borrow_examples(h, a);
    COPY(status, a->n);
    COPY(reason, a->n);
    COPY(label, a->n);
    COPY(weight, a->n);
    COPY(sel, a->n_sel);
    b->n_sel = a->n_sel;
    if (a->n_ex_sel) COPY(ex_sel, a->n_ex_sel);
    b->n_ex_sel = a->n_ex_sel;
    h->source = parent->source;
    h->share = parent->share;
    h->parent = parent;
    atomic_fetch_add_explicit(&parent->borrowers, 1, memory_order_relaxed);
}

static uint32_t keep_ok(const struct leat_batch *b, uint32_t *sel, uint32_t n)
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
    if (b->touched) b->n_sel = keep_ok(b, b->sel, b->n_sel);
    b->touched = 0;
}

struct batch_origin batch_origin(const struct leat_batch *b, uint32_t r)
{
    for (uint32_t i = 0; i < b->n_runs; i++) {
        const struct leat_extent *run = &b->run[i];
        if (r < run->first || r >= run->first + run->n) continue;
        struct batch_origin o = {.input = run->input};
        if (!run->line) {
            o.offset = run->offset + (r - run->first);
            return o;
        }
        o.offset = run->offset + (b->raw[r].off - run->bytes_off);
        o.line = run->line;
        for (uint32_t at = run->bytes_off; at < b->raw[r].off; at++)
            o.line += b->bytes[at] == '\n';
        return o;
    }
    return (struct batch_origin){0};
}
