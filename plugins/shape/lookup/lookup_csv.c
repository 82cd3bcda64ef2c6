/* lookup_csv.c -- see lookup_csv.h.
 *
 * Fields are found by the kernels of parse.csv. The rows are written behind the text as they are
 * found; how many there are is known only then, and the rest of the block follows them. */
#include "lookup_csv.h"

#include <stdio.h>
#include <string.h>

#include "kernels/text/csv.h"
#include "core/text/framing.h"

enum { FIELDS_MAX = LOOKUP_NAMES_MAX };

/* ---- the heading ---- */

struct lookup_csv_reader {
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
static bool lookup_csv_next_record(struct lookup_table *t, struct lookup_csv_reader *r,
                                   char **record, uint32_t *fields, bool *wrong)
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
        if (*wrong) return lookup_table_fail(t, "a quote is never closed");
        *record = t->text + r->at;
        r->at += cut.used;
        r->lines = cut.lines;
    } while (!cut.len);
    *wrong = csv_split(&r->dialect, *record, (uint32_t)cut.len, r->field, FIELDS_MAX, fields,
                       &at) != CSV_OK;
    if (*wrong) return lookup_table_fail(t, "a quote is wrong at byte %u", at + 1);
    return true;
}

/* In place: what is unescaped is no longer. */
static struct leat_str lookup_csv_unescape(struct lookup_table *t, char *record,
                                           const struct csv_field *f)
{
    char *p = record + f->off;
    uint32_t len = f->len, put = 0;
    for (uint32_t i = 0; f->doubled && i < len; i++) {
        p[put++] = p[i];
        i += p[i] == '"' && i + 1 < len;
    }
    return (struct leat_str){(uint32_t)(p - t->text), f->doubled ? put : len};
}

/* Adds to t->why what may be the cause of a heading without the key. Returns false. */
static bool advise(struct lookup_table *t, const struct lookup_list *heading)
{
    size_t n = strlen(t->why), room = sizeof t->why - n;
    const char *name = t->text + heading->name[0].off, *c = NULL;
    for (const char *d = ";\t|"; heading->n == 1 && *d && !c; d++)
        c = memchr(name, *d, heading->name[0].len);
    if (c)
        snprintf(t->why + n, room, ": if '%s' separates them, set delimiter = \"%s\"",
                 *c == '\t' ? "\\t" : (char[]){*c, 0}, *c == '\t' ? "\\t" : (char[]){*c, 0});
    else if (!strstr(t->why, "did you mean"))
        snprintf(t->why + n, room, ": file_key says which column of the file holds the keys");
    return false;
}

static bool lookup_csv_read_heading(struct lookup_table *t, struct lookup_csv_reader *r,
                                    const struct lookup_names *names)
{
    struct lookup_list heading = {.what = "column"};
    char *record;
    bool wrong;
    if (t->n_text >= 3 && !memcmp(t->text, "\xef\xbb\xbf", 3)) r->at = 3;
    t->line = 1;
    if (!lookup_csv_next_record(t, r, &record, &r->fields, &wrong))
        return wrong ? false
                     : lookup_table_fail(t, "is empty: its first line must name its columns");
    if (r->fields > FIELDS_MAX) return lookup_table_fail(t, "has more than %d columns", FIELDS_MAX);
    for (; heading.n < r->fields; heading.n++)
        heading.name[heading.n] = lookup_csv_unescape(t, record, &r->field[heading.n]);
    if (!lookup_table_named(t, &heading, names->key, &r->key)) return advise(t, &heading);
    for (uint32_t i = 0; i < names->columns->n; i++)
        if (!lookup_table_named(t, &heading, names->columns->v[i], &r->column[i])) return false;
    return true;
}

/* ---- rows ---- */

static void lookup_csv_add_row(struct lookup_table *t, const struct lookup_csv_reader *r,
                               char *record)
{
    struct leat_str *row = t->row + (size_t)t->rows++ * (1 + t->columns);
    row[0] = lookup_csv_unescape(t, record, &r->field[r->key]);
    for (uint32_t i = 0; i < t->columns; i++) {
        const struct csv_field *f = &r->field[r->column[i]];
        row[1 + i] = r->column[i] == r->key ? row[0] : lookup_csv_unescape(t, record, f);
        if (!row[1 + i].len) row[1 + i].len = LEAT_NULL;
    }
}

static bool lookup_csv_read_rows(struct lookup_table *t, struct lookup_csv_reader *r)
{
    char *record;
    uint32_t fields;
    bool wrong;
    while (lookup_csv_next_record(t, r, &record, &fields, &wrong)) {
        if (fields != r->fields)
            return lookup_table_fail(t, "has %u field%s, and the heading has %u", fields,
                                     fields == 1 ? "" : "s", r->fields);
        if (lookup_table_align(t->n_text) + (t->rows + 1) * lookup_table_row_bytes(t) > t->bytes)
            return lookup_table_full(t);
        lookup_csv_add_row(t, r, record);
    }
    return !wrong;
}

bool lookup_csv_fill(struct lookup_table *t, const struct lookup_names *names, char delimiter)
{
    struct lookup_csv_reader r = {.dialect = {delimiter, '"', NULL}};
    framing_init(&r.framing, FRAMING_CSV, delimiter, '"', UINT32_MAX - 2);
    t->columns = names->columns->n;
    t->rows = 0;
    if (lookup_table_align(t->n_text) > t->bytes) return lookup_table_full(t);
    t->row = (struct leat_str *)(t->text + lookup_table_align(t->n_text));
    if (!lookup_csv_read_heading(t, &r, names) || !lookup_csv_read_rows(t, &r)) return false;
    t->line = 0;
    return lookup_table_place(t);
}
