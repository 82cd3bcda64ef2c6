/* records.c -- implementation of records.h. */
#include "records.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/mix64.h"
#include "host/graph/column_type.h"

/* ---- the records for a stage under test ---- */

enum { ENTRIES = 6, IDS = 24, MAX_CELLS = 120 }; /* MAX_CELLS: most bytes of a record's cells */

/* ---- text ---- */

static const char *const some_words[] = {"red",   "green", "blue",      "a b c",
                                         "12",    "7.5",   "payee x=1", "2024-05-01T10:00:00Z",
                                         "seven", "0",     "-3",        "red green"};
enum { N_WORDS = sizeof some_words / sizeof *some_words };

/* Difficult texts. They have lengths because some contain a NUL. */
static const struct {
    const char *text;
    uint32_t len;
} hard[] = {
    {"", 0},
    {"\xff\xfe\xc3", 3},
    {"a\0b", 3},
    {"1e308", 5},
    {"-1e999", 6},
    {"inf", 3},
    {"nan", 3},
    {"9223372036854775808", 19},
    {"\"open", 5},
    {" ", 1},
    {"a b a b a b a b a b a b a b a b a b a b a b a b a b a b a b a b a b a b a b a b", 79},
    {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
     "aaaaaaaaaaaaa",
     100},
    {"\xf0\x9f\x98\x80=\\N", 7}};
enum { N_HARD = sizeof hard / sizeof *hard };

static uint64_t records_drawn(const struct subject *s, enum flavour f, uint32_t k, uint32_t what)
{
    return mix64(mix64(s->seed * 4 + f) + (uint64_t)k * 64 + what);
}

/* Writes a record as text in one of several formats. Returns its length. */
static size_t records_line_of(uint64_t x, char *out, size_t cap)
{
    const char *a = some_words[x % 3], *b = some_words[x / 3 % N_WORDS];
    unsigned n = (unsigned)(x >> 20) % 100, m = (unsigned)(x >> 30) % 20;
    switch (x >> 40 & 7) {
    case 0:
    case 1:
        return (size_t)snprintf(out, cap, "%s,%u,%s,%u.5", a, n, b, m);
    case 2:
        return (size_t)snprintf(out, cap, "{\"alpha\":\"%s\",\"beta\":%u,\"gamma\":[%u]}", a, n, m);
    case 3:
        return (size_t)snprintf(out, cap, "alpha=%s beta=%u gamma=\"%s\"", a, n, b);
    case 4:
        return (size_t)snprintf(out, cap, "%s %u:1 %u:0.5", n % 2 ? "1" : "-1", m + 1, m + 30);
    case 5:
        return (size_t)snprintf(out, cap, "%s |a %s x:%u", n % 2 ? "1" : "-1", a, m);
    case 6:
        return (size_t)snprintf(out, cap, "%s %u:%u:1", n % 2 ? "1" : "-1", m % 3, m);
    default:
        return (size_t)snprintf(out, cap, "%s\t%u\t%s\t%u", a, n, a, m);
    }
}

static size_t hard_line_of(uint64_t x, char *out, size_t cap)
{
    uint32_t i = (uint32_t)(x >> 8) % N_HARD, j = (uint32_t)(x >> 16) % N_HARD;
    size_t n = 0;
    if (x % 4 == 0) n = records_line_of(x, out, cap);
    if (x % 4 == 1) {
        memset(out, (int)(x >> 24) % 95 + 32, 300);
        n = 300;
    }
    if (x % 4 < 2) return x % 8 == 0 ? n / 2 : n; /* a whole record, or half of one */
    memcpy(out, hard[i].text, hard[i].len);
    out[hard[i].len] = ',';
    memcpy(out + hard[i].len + 1, hard[j].text, hard[j].len);
    return hard[i].len + 1 + hard[j].len;
}

/* ---- records ---- */

static size_t records_text_of(const struct subject *s, enum flavour f, uint32_t k, char *out,
                              size_t cap)
{
    const struct samples *given = &s->samples;
    uint64_t x = records_drawn(s, f, k, 0);
    if (given->n && (f != HOSTILE || x % 2)) {
        uint32_t i = (uint32_t)(x % given->n);
        size_t n = given->len[i] < cap ? given->len[i] : cap;
        memcpy(out, given->text[i], n);
        return f == HOSTILE && n && x % 4 == 1 ? (size_t)(x >> 8) % n : n;
    }
    return f == HOSTILE ? hard_line_of(x, out, cap) : records_line_of(x, out, cap);
}

/* some_words and hard, stored once in each batch. All text cells point to them. */
struct dictionary {
    struct leat_str word[N_WORDS], hard[N_HARD];
};

static struct leat_str records_put_text(struct leat_batch *b, const char *text, uint32_t len)
{
    uint32_t off = leat_add_bytes(b, len);
    if (off == LEAT_NULL) return (struct leat_str){0, LEAT_NULL};
    if (len) memcpy(b->bytes + off, text, len);
    return (struct leat_str){off, len};
}

static void records_put_words(struct leat_batch *b, struct dictionary *d)
{
    for (uint32_t i = 0; i < N_WORDS; i++)
        d->word[i] = records_put_text(b, some_words[i], (uint32_t)strlen(some_words[i]));
    for (uint32_t i = 0; i < N_HARD; i++)
        d->hard[i] = records_put_text(b, hard[i].text, hard[i].len);
}

static double records_number_of(enum flavour f, uint64_t x)
{
    const double odd[] = {
        (double)NAN,      1e308, -1e308, 0.0, -0.0, 4e18, 5e-324, -1, (double)INFINITY,
        -(double)INFINITY};
    if (f == HOSTILE && x % 2) return odd[(x >> 4) % (sizeof odd / sizeof *odd)];
    return x % 17 == 0 ? (double)NAN : (double)(x >> 8 & 127) / (x & 2 ? 1 : 4);
}

/* Returns a whole number or a time; sometimes the value for "missing". */
static int64_t whole_of(enum flavour f, uint64_t x, uint32_t type)
{
    const int64_t odd[] = {LEAT_NO_INT64, INT64_MAX, INT64_MIN + 1, 0, -1};
    if (f == HOSTILE && x % 2) return odd[(x >> 4) % (sizeof odd / sizeof *odd)];
    if (x % 17 == 0) return LEAT_NO_INT64;
    int64_t n = (int64_t)(x >> 8 & 127);
    return type == LEAT_TIME ? (INT64_C(1700000000) + n) * 1000000000 : n;
}

static struct leat_str records_text_cell(const struct dictionary *d, enum flavour f, uint64_t x,
                                         uint32_t *bytes)
{
    bool odd = f == HOSTILE && x % 2;
    struct leat_str cell =
        odd ? d->hard[(x >> 8) % N_HARD] : d->word[(x >> 8) % (x & 4 ? 3 : N_WORDS)];
    if (x % 23 == 0) cell = (struct leat_str){0, LEAT_NULL};
    if (cell.len != LEAT_NULL && (*bytes += cell.len) > MAX_CELLS) cell = d->word[0];
    return cell;
}

static void records_put_cells(const struct subject *s, struct harness *h,
                              const struct dictionary *d, enum flavour f, uint32_t k, uint32_t r)
{
    uint32_t bytes = 0;
    for (uint32_t c = 0; c < h->in.n_columns; c++) {
        uint64_t x = records_drawn(s, f, k, 8 + c);
        const union leat_cells cells = h->b.column[c];
        const uint32_t type = h->in.column[c].type;
        if (type == LEAT_NUMBER)
            cells.number[r] = records_number_of(f, x);
        else if (type == LEAT_INT64 || type == LEAT_TIME)
            cells.int64[r] = whole_of(f, x, type);
        else if (type == LEAT_BOOLEAN)
            cells.boolean[r] = (uint8_t)(x >> 8) % 3;
        else
            cells.text[r] = records_text_cell(d, f, x, &bytes);
    }
}

/* ---- examples ---- */

static float records_value_of(enum flavour f, uint64_t x)
{
    const float odd[] = {0.0f, 1e30f, -1e30f, 1e-40f, 3e38f, -0.0f};
    if (f == HOSTILE && x % 3 == 0) return odd[(x >> 8) % (sizeof odd / sizeof *odd)];
    return (float)(1 + (x >> 8) % 4) / 4;
}

static float records_label_of(enum flavour f, uint64_t x)
{
    const float odd[] = {NAN, 0.0f, 7.0f, -1e30f, 1.0f, INFINITY, -INFINITY};
    if (f == HOSTILE && x % 5 == 0) return odd[(x >> 8) % (sizeof odd / sizeof *odd)];
    return x & 8 ? 1.0f : -1.0f;
}

/* Returns the most entries that the input schema allows per example. */
static uint32_t max_entries(const struct leat_schema *in)
{
    uint32_t each = in->examples_per_record ? in->examples_per_record : 1;
    uint32_t n = in->entries_per_record / each, parts = in->parts_per_record / each;
    if (in->has & LEAT_HAS_NAMES && parts < n) n = parts;
    return n < ENTRIES ? n : ENTRIES;
}

static void records_put_example(const struct subject *s, struct harness *h,
                                const struct dictionary *d, enum flavour f, uint32_t k, uint32_t r,
                                uint32_t which)
{
    struct leat_batch *b = &h->b;
    uint64_t x = records_drawn(s, f, k, 40 + which);
    int e = leat_add_example(b, r);
    uint32_t n = f == HOSTILE ? (uint32_t)(x % (ENTRIES + 1)) : 1 + (uint32_t)(x % 4);
    if (n > max_entries(&h->in)) n = max_entries(&h->in);
    harness_must(h, e >= 0, "no room for example %u", b->n_examples);
    b->ex_sel[b->n_ex_sel++] = (uint32_t)e;
    b->score[e] = (float)((double)(x >> 20 & 255) / 128 - 1);
    for (uint32_t j = 0; j < n; j++) {
        uint64_t y = mix64(x + j);
        uint64_t id = f == HOSTILE && y % 4 == 0 ? y : 1 + y % IDS;
        int i = leat_add_entry(b, id, records_value_of(f, mix64(y)));
        harness_must(h, i >= 0, "no room for entry %u", b->n_entries);
        if (!b->name) continue;
        struct leat_str v =
            f == HOSTILE && y % 4 == 0 ? d->hard[y % N_HARD] : d->word[id / 2 % N_WORDS];
        b->name[i] = (struct leat_name){{id % 2 ? leat_add_part(b, 0, v) : 0}};
    }
}

static void records_add_one(const struct subject *s, struct harness *h, const struct dictionary *d,
                            enum flavour f, uint32_t k)
{
    struct leat_batch *b = &h->b;
    char text[512];
    uint64_t x = records_drawn(s, f, k, 1);
    size_t n = records_text_of(s, f, k, text, sizeof text);
    uint32_t r = harness_bytes(h, text, n);
    if (b->key) b->key[r] = x % 5 ? d->word[x % 3] : (struct leat_str){0, LEAT_NULL};
    if (b->timestamp)
        b->timestamp[r] = f == HOSTILE && x % 7 == 0
                              ? -1
                              : (INT64_C(1700000000) + k + (int64_t)(x >> 8) % 5) * 1000000000;
    if (b->headers) b->headers[r] = (struct leat_str){0, 0};
    records_put_cells(s, h, d, f, k, r);
    if (h->in.has & LEAT_HAS_LABEL) b->label[r] = records_label_of(f, x);
    if (h->in.has & LEAT_HAS_EXAMPLES)
        for (uint32_t i = 0; i < h->in.examples_per_record; i++)
            records_put_example(s, h, d, f, k, r, i);
}

void records_add(const struct subject *s, struct harness *h, enum flavour f, uint32_t from,
                 uint32_t n)
{
    struct dictionary d;
    records_put_words(&h->b, &d);
    for (uint32_t k = from; k < from + n; k++)
        records_add_one(s, h, &d, f, k);
}

/* ---- files ---- */

int records_file(const char *path, enum flavour f, uint32_t n)
{
    const struct subject none = {.seed = 1};
    FILE *out = fopen(path, "we");
    char text[512];
    if (!out) return LEAT_EIO;
    fputs("alpha,beta,gamma,delta\n", out);
    for (uint32_t k = 0; k < n; k++)
        fprintf(out, "%.*s\n", (int)records_text_of(&none, f, k, text, sizeof text), text);
    return fclose(out) ? LEAT_EIO : LEAT_OK;
}

/* ---- the same records elsewhere in a batch ---- */

enum { GARBAGE = 0xf0, WITH_EXAMPLES = 3 }; /* every third invalid record has examples */

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

/* Moves the n elements of an array, one for each record, to the new indexes of their records. Fills
 * the elements in between with garbage. */
static void records_spread(void *array, size_t bytes, enum arrangement how, uint32_t n)
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

#define SPREAD(FIELD) records_spread(b->FIELD, sizeof *b->FIELD, how, n)

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
        records_spread(b->column[c].text, column_type_bytes(h->in.column[c].type), how, n);
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

/* Adds a copy of example e to record r. */
static void arrange_put_example(struct harness *h, const struct examples *x, uint32_t e, uint32_t r)
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

/* Adds the examples of record i of n. For some records, also adds them to the invalid record before
 * it. */
static void records_put_record(struct harness *h, const struct examples *x, enum arrangement how,
                               uint32_t n, uint32_t i)
{
    const uint32_t r = arranged_at(how, n, i);
    for (int out = i % WITH_EXAMPLES == 0; out >= 0; out--)
        for (uint32_t e = 0; e < x->n; e++)
            if (x->record[e] == i) arrange_put_example(h, x, e, r - (uint32_t)out);
}

static void arrange_examples(struct harness *h, enum arrangement how, uint32_t n)
{
    struct examples x = take_examples(&h->b);
    for (uint32_t k = 0; k < n; k++)
        records_put_record(h, &x, how, n, how == EXAMPLES_BACK ? n - 1 - k : k);
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

/* Moves the texts of a batch:
 *
 *   before   words without gaps, then the raw bytes of each record
 *   after    raw bytes in reverse order, then the words, the last used word first
 *
 * After the move, a byte that belongs to no text lies between any two texts. So a stage that reads
 * beyond a text gets another byte than before. */
struct text_of_records {
    uint32_t words;
    uint32_t *to;    /* to[i]: new offset of the word at offset i; LEAT_NULL before it is moved */
    uint32_t *raw;   /* raw[i]: new offset of the raw bytes at offset words + i */
    uint32_t free;   /* offset where the next text ends */
    const char *old; /* copy of the bytes before the move */
    char *bytes;
};
enum { BETWEEN = '3' }; /* byte between texts: begins no word, but continues a number */

static void records_place(struct text_of_records *t, uint32_t *to, struct leat_str s)
{
    if (*to != LEAT_NULL) return;
    t->free -= s.len + 1;
    *to = t->free;
    memcpy(t->bytes + *to, t->old + s.off, s.len);
}

static struct leat_str moved(struct text_of_records *t, struct leat_str s)
{
    if (s.len == LEAT_NULL || s.off == LEAT_NULL || !s.len) return s;
    if (s.off >= t->words) return (struct leat_str){t->raw[s.off - t->words], s.len};
    records_place(t, &t->to[s.off], s);
    return (struct leat_str){t->to[s.off], s.len};
}

static void move_slices(struct text_of_records *t, struct leat_str *s, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        s[i] = moved(t, s[i]);
}

static void move_words(struct harness *h, struct text_of_records *t)
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
    const uint32_t between = words + b->n + 1; /* most bytes between texts: one for each word (at
                                                * most `words`) and record, and one at the end */
    char *old = copy_of(b->bytes, all);
    harness_must(h, leat_add_bytes(b, between) != LEAT_NULL, "no room between texts");
    memset(b->bytes, BETWEEN, b->n_bytes);
    struct text_of_records t = {.words = words,
                                .to = nowhere(words),
                                .raw = nowhere(all - words),
                                .free = b->n_bytes,
                                .old = old,
                                .bytes = b->bytes};
    move_words(h, &t);
    for (uint32_t r = 0; r < b->n; r++)
        if (b->raw[r].len) records_place(&t, &t.raw[b->raw[r].off - words], b->raw[r]);
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
