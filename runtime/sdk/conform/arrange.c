/* arrange.c -- see arrange.h. */
#include "arrange.h"

#include <stdlib.h>
#include <string.h>

#include "host/graph/column_type.h"

enum { GARBAGE = 0xf0, WITH_EXAMPLES = 3 }; /* every third record that is out has examples */

uint32_t arranged_at(enum arrangement how, uint32_t n, uint32_t i)
{
    if (how == AS_THEY_COME) return i;
    return 2 * (how == RECORDS_BACK ? n - 1 - i : i) + 1;
}

static void *copy_of(const void *from, size_t bytes)
{
    void *copy = malloc(bytes ? bytes : 1);
    return bytes ? memcpy(copy, from, bytes) : copy;
}

/* ---- records ---- */

/* n elements go where records lie; between them lies what nobody may read. */
static void spread(void *array, size_t bytes, enum arrangement how, uint32_t n)
{
    char *to = array, *from = copy_of(array, n * bytes);
    memset(to, GARBAGE, 2 * n * bytes);
    for (uint32_t i = 0; i < n; i++)
        memcpy(to + arranged_at(how, n, i) * bytes, from + i * bytes, bytes);
    free(from);
}

static void put_out(struct leat_batch *b, uint32_t r)
{
    b->status[r] = r % 4 ? LEAT_ROW_FILTERED : LEAT_ROW_REJECTED;
    b->reason[r] = r % 4 ? LEAT_R_NONE : LEAT_R_SYNTAX;
    b->raw[r] = b->raw[r + 1];
    b->label[r] = 1e30f;
    if (b->key) b->key[r] = (struct leat_str){0, LEAT_NULL};
    if (b->headers) b->headers[r] = (struct leat_str){0, 0};
}

#define SPREAD(FIELD) spread(b->FIELD, sizeof *b->FIELD, how, n)

static void arrange_records(struct harness *h, enum arrangement how)
{
    struct leat_batch *b = &h->b;
    const uint32_t n = b->n;
    SPREAD(status);
    SPREAD(reason);
    SPREAD(raw);
    SPREAD(label);
    SPREAD(weight);
    if (b->key) SPREAD(key);
    if (b->timestamp) SPREAD(timestamp);
    if (b->headers) SPREAD(headers);
    for (uint32_t c = 0; c < h->in.n_columns; c++)
        spread(b->column[c].text, column_type_bytes(h->in.column[c].type), how, n);
    b->n = 2 * n;
    for (uint32_t r = 0; r < b->n; r += 2)
        put_out(b, r);
    for (uint32_t k = 0; k < n; k++)
        b->sel[k] = 2 * k + 1;
    h->impl->number = harness_room(h, b->n * sizeof *h->impl->number);
    for (uint32_t i = 0; i < n; i++)
        h->impl->number[arranged_at(how, n, i)] = i;
}

/* ---- examples ---- */

struct examples {
    uint32_t n, *start, *record;
    float *label, *weight, *score, *value;
    uint64_t *id;
    struct leat_name *name;
};

static struct examples take_examples(struct leat_batch *b)
{
    const uint32_t n = b->n_examples, m = b->n_entries;
    struct examples x = {.n = n,
                         .start = copy_of(b->ex_start, (n + 1) * sizeof *x.start),
                         .record = copy_of(b->ex_record, n * sizeof *x.record),
                         .label = copy_of(b->ex_label, n * sizeof *x.label),
                         .weight = copy_of(b->ex_weight, n * sizeof *x.weight),
                         .score = copy_of(b->score, n * sizeof *x.score),
                         .value = copy_of(b->value, m * sizeof *x.value),
                         .id = copy_of(b->id, m * sizeof *x.id),
                         .name = copy_of(b->name, b->name ? m * sizeof *x.name : 0)};
    b->n_examples = b->n_entries = b->n_ex_sel = b->ex_start[0] = 0;
    return x;
}

static void free_examples(struct examples *x)
{
    free(x->start), free(x->record), free(x->label), free(x->weight);
    free(x->score), free(x->value), free(x->id), free(x->name);
}

/* Example e again, as one of record r. */
static void put_example(struct harness *h, const struct examples *x, uint32_t e, uint32_t r)
{
    struct leat_batch *b = &h->b;
    int to = leat_add_example(b, r);
    harness_must(h, to >= 0, "no room for example %u", b->n_examples);
    b->ex_label[to] = x->label[e];
    b->ex_weight[to] = x->weight[e];
    b->score[to] = x->score[e];
    if (b->status[r] == LEAT_ROW_OK) b->ex_sel[b->n_ex_sel++] = (uint32_t)to;
    for (uint32_t i = x->start[e]; i < x->start[e + 1]; i++) {
        int at = leat_add_entry(b, x->id[i], x->value[i]);
        harness_must(h, at >= 0, "no room for entry %u", b->n_entries);
        if (b->name) b->name[at] = x->name[i];
    }
}

/* Those of record i, of n; before some, others of the record that is out. */
static void put_record(struct harness *h, const struct examples *x, enum arrangement how,
                       uint32_t n, uint32_t i)
{
    const uint32_t r = arranged_at(how, n, i);
    for (int out = i % WITH_EXAMPLES == 0; out >= 0; out--)
        for (uint32_t e = 0; e < x->n; e++)
            if (x->record[e] == i) put_example(h, x, e, r - (uint32_t)out);
}

static void arrange_examples(struct harness *h, enum arrangement how, uint32_t n)
{
    struct examples x = take_examples(&h->b);
    for (uint32_t k = 0; k < n; k++)
        put_record(h, &x, how, n, how == EXAMPLES_BACK ? n - 1 - k : k);
    free_examples(&x);
}

static void arrange_parts(struct leat_batch *b)
{
    const uint32_t n = b->n_parts;
    struct leat_part *from = copy_of(b->part, n * sizeof *from);
    for (uint32_t p = 0; p < n; p++)
        b->part[n - 1 - p] = from[p];
    for (uint32_t i = 0; i < b->n_entries; i++)
        for (int j = 0; j < 3; j++)
            if (b->name[i].part[j]) b->name[i].part[j] = n + 1 - b->name[i].part[j];
    free(from);
}

/* ---- text ---- */

/* Before: words without anything between, then the raw bytes of each record. Then: raw bytes, the
 * last ones first, and words, the one that is used last first. Before and after each stands a byte
 * that belongs to none: whoever reads beyond the end of a text finds another one there. */
struct text {
    uint32_t words;
    uint32_t *to;    /* where the word from byte i on lies now; LEAT_NULL: nowhere yet */
    uint32_t *raw;   /* where the raw bytes from byte words + i on do */
    uint32_t free;   /* what comes next ends here */
    const char *old; /* the bytes as they were */
    char *bytes;
};
enum { BETWEEN = '3' }; /* it begins none of the words, and is one more digit of a number */

static void place(struct text *t, uint32_t *to, struct leat_str s)
{
    if (*to != LEAT_NULL) return;
    t->free -= s.len + 1;
    *to = t->free;
    memcpy(t->bytes + *to, t->old + s.off, s.len);
}

static struct leat_str moved(struct text *t, struct leat_str s)
{
    if (s.len == LEAT_NULL || s.off == LEAT_NULL || !s.len) return s;
    if (s.off >= t->words) return (struct leat_str){t->raw[s.off - t->words], s.len};
    place(t, &t->to[s.off], s);
    return (struct leat_str){t->to[s.off], s.len};
}

static void move_slices(struct text *t, struct leat_str *s, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        s[i] = moved(t, s[i]);
}

static void move_words(struct harness *h, struct text *t)
{
    struct leat_batch *b = &h->b;
    if (b->key) move_slices(t, b->key, b->n);
    for (uint32_t c = 0; c < h->in.n_columns; c++)
        if (column_type_is_slice(h->in.column[c].type)) move_slices(t, b->column[c].text, b->n);
    for (uint32_t p = 0; p < b->n_parts; p++)
        b->part[p].value = moved(t, b->part[p].value);
}

static uint32_t *nowhere(uint32_t n)
{
    return memset(malloc((n + 1) * sizeof(uint32_t)), 0xff, (n + 1) * sizeof(uint32_t));
}

static void arrange_text(struct harness *h)
{
    struct leat_batch *b = &h->b;
    const uint32_t words = b->n ? b->raw[0].off : b->n_bytes, all = b->n_bytes;
    const uint32_t between = words + b->n + 1; /* of each word, none of which is empty */
    char *old = copy_of(b->bytes, all);
    harness_must(h, leat_add_bytes(b, between) != LEAT_NULL, "no room between texts");
    memset(b->bytes, BETWEEN, b->n_bytes);
    struct text t = {.words = words,
                     .to = nowhere(words),
                     .raw = nowhere(all - words),
                     .free = b->n_bytes,
                     .old = old,
                     .bytes = b->bytes};
    move_words(h, &t);
    for (uint32_t r = 0; r < b->n; r++)
        if (b->raw[r].len) place(&t, &t.raw[b->raw[r].off - words], b->raw[r]);
    move_slices(&t, b->raw, b->n);
    free(old), free(t.to), free(t.raw);
}

void arrange(struct harness *h, enum arrangement how)
{
    const uint32_t n = h->b.n;
    h->impl->number = NULL;
    if (how == AS_THEY_COME) return;
    arrange_text(h);
    arrange_records(h, how);
    arrange_examples(h, how, n);
    if (h->b.name) arrange_parts(&h->b);
}
