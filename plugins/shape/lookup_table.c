/* lookup_table.c -- see lookup_table.h.
 *
 * Fields are found by the kernels of parse.csv. The rows are written behind the text as they are
 * found; how many there are is known only then, and the rest of the block follows them. */
#include "lookup_table.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "kernels/text/csv.h"
#include "kernels/text/framing.h"

enum { FIELDS_MAX = 1024, FEWEST_SLOTS = 16, NAME_SHOWN = 60 };

__attribute__((format(printf, 2, 3))) static bool fail(struct lookup_table *t, const char *format,
                                                       ...)
{
    va_list ap;
    va_start(ap, format);
    vsnprintf(t->why, sizeof t->why, format, ap);
    va_end(ap);
    return false;
}

static bool fail_memory(struct lookup_table *t)
{
    t->line = 0;
    return fail(t, "does not fit into memory = %zu bytes: make memory larger", t->bytes);
}

/* ---- the heading ---- */

struct reader {
    struct framing framing;
    struct csv_dialect dialect;
    size_t at;
    struct csv_field field[FIELDS_MAX];
    uint32_t lines;  /* of the record read last */
    uint32_t fields; /* of the heading */
    uint32_t key;    /* which field    */
    uint32_t column[FIELDS_MAX];
};

/* The next record that is not empty; false: there is none, or it is wrong: then *wrong is set. */
static bool next_record(struct lookup_table *t, struct reader *r, char **record, uint32_t *fields,
                        bool *wrong)
{
    struct framing_cut cut;
    uint32_t at;
    *wrong = false;
    do {
        t->line += r->lines;
        enum framing_result got =
            framing_next(&r->framing, t->text + r->at, t->n_text - r->at, true, &cut);
        if (got == FRAMING_MORE) return false;
        *wrong = got != FRAMING_RECORD;
        if (*wrong) return fail(t, "a quote is never closed");
        *record = t->text + r->at;
        r->at += cut.used;
        r->lines = cut.lines;
    } while (!cut.len);
    *wrong = csv_split(&r->dialect, *record, (uint32_t)cut.len, r->field, FIELDS_MAX, fields,
                       &at) != CSV_OK;
    if (*wrong) return fail(t, "a quote is wrong at byte %u", at + 1);
    return true;
}

/* In place: what is unescaped is no longer. */
static struct leat_str unescape(struct lookup_table *t, char *record, const struct csv_field *f)
{
    char *p = record + f->off;
    uint32_t len = f->len, put = 0;
    for (uint32_t i = 0; f->doubled && i < len; i++) {
        p[put++] = p[i];
        i += p[i] == '"' && i + 1 < len;
    }
    return (struct leat_str){(uint32_t)(p - t->text), f->doubled ? put : len};
}

static bool is_named(const struct lookup_table *t, struct leat_str s, const char *name)
{
    return s.len == strlen(name) && !memcmp(t->text + s.off, name, s.len);
}

/* The field of the heading with this name. false: there is none. */
static bool find_field(struct lookup_table *t, const struct reader *r, const struct leat_str *names,
                       const char *name, uint32_t *field)
{
    size_t n = 0;
    char list[240] = "";
    for (*field = 0; *field < r->fields; ++*field)
        if (is_named(t, names[*field], name)) return true;
    for (uint32_t i = 0; i < r->fields && n + NAME_SHOWN + 3 < sizeof list; i++)
        n += (size_t)snprintf(list + n, sizeof list - n, "%s%.*s", i ? ", " : "",
                              (int)(names[i].len < NAME_SHOWN ? names[i].len : NAME_SHOWN),
                              t->text + names[i].off);
    return fail(t, "has no column '%s' (columns: %s)", name, list);
}

static bool read_heading(struct lookup_table *t, struct reader *r, const struct lookup_names *names)
{
    struct leat_str heading[FIELDS_MAX];
    char *record;
    bool wrong;
    if (t->n_text >= 3 && !memcmp(t->text, "\xef\xbb\xbf", 3)) r->at = 3;
    t->line = 1;
    if (!next_record(t, r, &record, &r->fields, &wrong))
        return wrong ? false : fail(t, "is empty: its first line must name its columns");
    if (r->fields > FIELDS_MAX) return fail(t, "has more than %d columns", FIELDS_MAX);
    for (uint32_t i = 0; i < r->fields; i++)
        heading[i] = unescape(t, record, &r->field[i]);
    if (!find_field(t, r, heading, names->key, &r->key)) return false;
    for (uint32_t i = 0; i < names->columns->n; i++)
        if (!find_field(t, r, heading, names->columns->v[i], &r->column[i])) return false;
    return true;
}

/* ---- rows ---- */

static size_t align(size_t n) { return (n + 63) & ~(size_t)63; }

static size_t row_bytes(const struct lookup_table *t)
{
    return (1 + (size_t)t->columns) * sizeof(struct leat_str);
}

static void add_row(struct lookup_table *t, const struct reader *r, char *record)
{
    struct leat_str *row = t->row + (size_t)t->rows++ * (1 + t->columns);
    row[0] = unescape(t, record, &r->field[r->key]);
    for (uint32_t i = 0; i < t->columns; i++) {
        const struct csv_field *f = &r->field[r->column[i]];
        row[1 + i] = r->column[i] == r->key ? row[0] : unescape(t, record, f);
        if (!row[1 + i].len) row[1 + i].len = LEAT_NULL;
    }
}

static bool read_rows(struct lookup_table *t, struct reader *r)
{
    char *record;
    uint32_t fields;
    bool wrong;
    while (next_record(t, r, &record, &fields, &wrong)) {
        if (fields != r->fields)
            return fail(t, "has %u field%s, and the heading has %u", fields, fields == 1 ? "" : "s",
                        r->fields);
        if (align(t->n_text) + (t->rows + 1) * row_bytes(t) > t->bytes) return fail_memory(t);
        add_row(t, r, record);
    }
    return !wrong;
}

/* ---- slots ---- */

static uint32_t slot_of(const struct lookup_table *t, const char *key, size_t n)
{
    uint32_t s = (uint32_t)XXH3_64bits(key, n) & (t->slots - 1);
    for (; t->slot[s]; s = (s + 1) & (t->slots - 1)) {
        struct leat_str k = t->row[(size_t)(t->slot[s] - 1) * (1 + t->columns)];
        if (k.len == n && !memcmp(t->text + k.off, key, n)) break;
    }
    return s;
}

static bool place_rows(struct lookup_table *t)
{
    size_t at = align(t->n_text) + align(t->rows * row_bytes(t));
    t->slots = FEWEST_SLOTS;
    while (t->slots / 4 * 3 < t->rows)
        t->slots *= 2;
    size_t marks = align(t->rows * sizeof *t->mark);
    if (at + marks + t->slots * sizeof *t->slot > t->bytes) return fail_memory(t);
    t->mark = (struct lookup_mark *)(t->text + at);
    t->slot = (uint32_t *)(t->text + at + marks);
    memset(t->mark, 0, marks + t->slots * sizeof *t->slot);
    for (uint32_t i = 0; i < t->rows; i++) {
        struct leat_str k = t->row[(size_t)i * (1 + t->columns)];
        uint32_t s = slot_of(t, t->text + k.off, k.len);
        t->repeated += t->slot[s] != 0;
        if (!t->slot[s]) t->slot[s] = i + 1;
    }
    return true;
}

bool lookup_table_fill(struct lookup_table *t, const struct lookup_names *names)
{
    struct reader r = {.dialect = {names->delimiter, '"', NULL}};
    framing_init(&r.framing, FRAMING_CSV, names->delimiter, '"', UINT32_MAX - 2);
    t->columns = names->columns->n;
    t->rows = 0;
    t->repeated = 0;
    if (align(t->n_text) > t->bytes) return fail_memory(t);
    t->row = (struct leat_str *)(t->text + align(t->n_text));
    if (!read_heading(t, &r, names) || !read_rows(t, &r)) return false;
    t->line = 0;
    return place_rows(t);
}

uint32_t lookup_table_find(const struct lookup_table *t, const char *key, size_t n)
{
    uint32_t row = t->slot[slot_of(t, key, n)];
    return row ? row - 1 : LOOKUP_NONE;
}
