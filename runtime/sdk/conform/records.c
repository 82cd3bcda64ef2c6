/* records.c -- see records.h. */
#include "records.h"

#include <stdio.h>
#include <string.h>

#include "core/mix64.h"

enum { ENTRIES = 6, IDS = 24, MAX_CELLS = 120 }; /* bytes of cells of a record */

/* ---- text ---- */

static const char *const words[] = {"red",   "green", "blue",      "a b c",
                                    "12",    "7.5",   "payee x=1", "2024-05-01T10:00:00Z",
                                    "seven", "0",     "-3",        "red green"};
enum { N_WORDS = sizeof words / sizeof *words };

/* Each with its length, since some hold a NUL. */
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

static uint64_t drawn(const struct subject *s, enum flavour f, uint32_t k, uint32_t what)
{
    return mix64(mix64(s->seed * 4 + f) + (uint64_t)k * 64 + what);
}

/* A record as text, of one of many formats. Returns its length. */
static size_t line_of(uint64_t x, char *out, size_t cap)
{
    const char *a = words[x % 3], *b = words[x / 3 % N_WORDS];
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
    if (x % 4 == 0) n = line_of(x, out, cap);
    if (x % 4 == 1) {
        memset(out, (int)(x >> 24) % 95 + 32, 300);
        n = 300;
    }
    if (x % 4 < 2) return x % 8 == 0 ? n / 2 : n; /* half a record */
    memcpy(out, hard[i].text, hard[i].len);
    out[hard[i].len] = ',';
    memcpy(out + hard[i].len + 1, hard[j].text, hard[j].len);
    return hard[i].len + 1 + hard[j].len;
}

/* ---- records ---- */

static size_t text_of(const struct subject *s, enum flavour f, uint32_t k, char *out, size_t cap)
{
    const struct samples *given = &s->samples;
    uint64_t x = drawn(s, f, k, 0);
    if (given->n && (f != HOSTILE || x % 2)) {
        uint32_t i = (uint32_t)(x % given->n);
        size_t n = given->len[i] < cap ? given->len[i] : cap;
        memcpy(out, given->text[i], n);
        return f == HOSTILE && n && x % 4 == 1 ? (size_t)(x >> 8) % n : n;
    }
    return f == HOSTILE ? hard_line_of(x, out, cap) : line_of(x, out, cap);
}

/* All cells point to one copy of the words in each batch. */
struct dictionary {
    struct leat_str word[N_WORDS], hard[N_HARD];
};

static struct leat_str put_text(struct leat_batch *b, const char *text, uint32_t len)
{
    uint32_t off = leat_add_bytes(b, len);
    if (off == LEAT_NULL) return (struct leat_str){0, LEAT_NULL};
    if (len) memcpy(b->bytes + off, text, len);
    return (struct leat_str){off, len};
}

static void put_words(struct leat_batch *b, struct dictionary *d)
{
    for (uint32_t i = 0; i < N_WORDS; i++)
        d->word[i] = put_text(b, words[i], (uint32_t)strlen(words[i]));
    for (uint32_t i = 0; i < N_HARD; i++)
        d->hard[i] = put_text(b, hard[i].text, hard[i].len);
}

static double number_of(enum flavour f, uint64_t x)
{
    const double odd[] = {
        (double)NAN,      1e308, -1e308, 0.0, -0.0, 4e18, 5e-324, -1, (double)INFINITY,
        -(double)INFINITY};
    if (f == HOSTILE && x % 2) return odd[(x >> 4) % (sizeof odd / sizeof *odd)];
    return x % 17 == 0 ? (double)NAN : (double)(x >> 8 & 127) / (x & 2 ? 1 : 4);
}

/* Whole numbers and times; none now and then. */
static int64_t whole_of(enum flavour f, uint64_t x, uint32_t type)
{
    const int64_t odd[] = {LEAT_NO_INT64, INT64_MAX, INT64_MIN + 1, 0, -1};
    if (f == HOSTILE && x % 2) return odd[(x >> 4) % (sizeof odd / sizeof *odd)];
    if (x % 17 == 0) return LEAT_NO_INT64;
    int64_t n = (int64_t)(x >> 8 & 127);
    return type == LEAT_TIME ? (INT64_C(1700000000) + n) * 1000000000 : n;
}

static struct leat_str text_cell(const struct dictionary *d, enum flavour f, uint64_t x,
                                 uint32_t *bytes)
{
    bool odd = f == HOSTILE && x % 2;
    struct leat_str cell =
        odd ? d->hard[(x >> 8) % N_HARD] : d->word[(x >> 8) % (x & 4 ? 3 : N_WORDS)];
    if (x % 23 == 0) cell = (struct leat_str){0, LEAT_NULL};
    if (cell.len != LEAT_NULL && (*bytes += cell.len) > MAX_CELLS) cell = d->word[0];
    return cell;
}

static void put_cells(const struct subject *s, struct harness *h, const struct dictionary *d,
                      enum flavour f, uint32_t k, uint32_t r)
{
    uint32_t bytes = 0;
    for (uint32_t c = 0; c < h->in.n_columns; c++) {
        uint64_t x = drawn(s, f, k, 8 + c);
        const union leat_cells cells = h->b.column[c];
        const uint32_t type = h->in.column[c].type;
        if (type == LEAT_NUMBER)
            cells.number[r] = number_of(f, x);
        else if (type == LEAT_INT64 || type == LEAT_TIME)
            cells.int64[r] = whole_of(f, x, type);
        else if (type == LEAT_BOOLEAN)
            cells.boolean[r] = (uint8_t)(x >> 8) % 3;
        else
            cells.text[r] = text_cell(d, f, x, &bytes);
    }
}

/* ---- examples ---- */

static float value_of(enum flavour f, uint64_t x)
{
    const float odd[] = {0.0f, 1e30f, -1e30f, 1e-40f, 3e38f, -0.0f};
    if (f == HOSTILE && x % 3 == 0) return odd[(x >> 8) % (sizeof odd / sizeof *odd)];
    return (float)(1 + (x >> 8) % 4) / 4;
}

static float label_of(enum flavour f, uint64_t x)
{
    const float odd[] = {NAN, 0.0f, 7.0f, -1e30f, 1.0f, INFINITY, -INFINITY};
    if (f == HOSTILE && x % 5 == 0) return odd[(x >> 8) % (sizeof odd / sizeof *odd)];
    return x & 8 ? 1.0f : -1.0f;
}

/* The most entries of an example that the schema before the stage allows. */
static uint32_t max_entries(const struct leat_schema *in)
{
    uint32_t each = in->examples_per_record ? in->examples_per_record : 1;
    uint32_t n = in->entries_per_record / each, parts = in->parts_per_record / each;
    if (in->has & LEAT_HAS_NAMES && parts < n) n = parts;
    return n < ENTRIES ? n : ENTRIES;
}

static void put_example(const struct subject *s, struct harness *h, const struct dictionary *d,
                        enum flavour f, uint32_t k, uint32_t r, uint32_t which)
{
    struct leat_batch *b = &h->b;
    uint64_t x = drawn(s, f, k, 40 + which);
    int e = leat_add_example(b, r);
    uint32_t n = f == HOSTILE ? (uint32_t)(x % (ENTRIES + 1)) : 1 + (uint32_t)(x % 4);
    if (n > max_entries(&h->in)) n = max_entries(&h->in);
    harness_must(h, e >= 0, "no room for example %u", b->n_examples);
    b->ex_sel[b->n_ex_sel++] = (uint32_t)e;
    b->score[e] = (float)((double)(x >> 20 & 255) / 128 - 1);
    for (uint32_t j = 0; j < n; j++) {
        uint64_t y = mix64(x + j);
        uint64_t id = f == HOSTILE && y % 4 == 0 ? y : 1 + y % IDS;
        int i = leat_add_entry(b, id, value_of(f, mix64(y)));
        harness_must(h, i >= 0, "no room for entry %u", b->n_entries);
        if (!b->name) continue;
        struct leat_str v =
            f == HOSTILE && y % 4 == 0 ? d->hard[y % N_HARD] : d->word[id / 2 % N_WORDS];
        b->name[i] = (struct leat_name){{id % 2 ? leat_add_part(b, 0, v) : 0}};
    }
}

static void add_one(const struct subject *s, struct harness *h, const struct dictionary *d,
                    enum flavour f, uint32_t k)
{
    struct leat_batch *b = &h->b;
    char text[512];
    uint64_t x = drawn(s, f, k, 1);
    size_t n = text_of(s, f, k, text, sizeof text);
    uint32_t r = harness_bytes(h, text, n);
    if (b->key) b->key[r] = x % 5 ? d->word[x % 3] : (struct leat_str){0, LEAT_NULL};
    if (b->timestamp)
        b->timestamp[r] = f == HOSTILE && x % 7 == 0
                              ? -1
                              : (INT64_C(1700000000) + k + (int64_t)(x >> 8) % 5) * 1000000000;
    if (b->headers) b->headers[r] = (struct leat_str){0, 0};
    put_cells(s, h, d, f, k, r);
    if (h->in.has & LEAT_HAS_LABEL) b->label[r] = label_of(f, x);
    if (h->in.has & LEAT_HAS_EXAMPLES)
        for (uint32_t i = 0; i < h->in.examples_per_record; i++)
            put_example(s, h, d, f, k, r, i);
}

void records_add(const struct subject *s, struct harness *h, enum flavour f, uint32_t from,
                 uint32_t n)
{
    struct dictionary d;
    put_words(&h->b, &d);
    for (uint32_t k = from; k < from + n; k++)
        add_one(s, h, &d, f, k);
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
        fprintf(out, "%.*s\n", (int)text_of(&none, f, k, text, sizeof text), text);
    return fclose(out) ? LEAT_EIO : LEAT_OK;
}
