/* batch_check.c -- implementation of batch_check.h. */
#include "batch_check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "host/graph/column_type.h"

/* ---- contents that a stage must not change ---- */

struct array {
    const char *name;
    const void *at;
    size_t bytes;
    uint32_t caps; /* a stage that declares one of these capabilities may change the array */
};

/* Fills a[] with the arrays of a batch, each with the size that it had before the call. Returns
 * their number. */
static size_t check_arrays_of(const struct leat_batch *b, const struct leat_schema *in,
                              const struct batch_seen *seen, struct array a[BATCH_CHECK_ARRAYS])
{
    const uint32_t any = 0, rewrites = LEAT_REWRITES;
    size_t n = seen->n, entries = seen->n_entries, examples = seen->n_examples, k = 0;
    const bool labels = in->has & LEAT_HAS_LABEL;
    a[k++] = (struct array){"bytes", b->bytes, seen->n_bytes, any};
    a[k++] = (struct array){"sel", b->sel, seen->n_sel * sizeof *b->sel, any};
    a[k++] = (struct array){"ex_sel", b->ex_sel, 0, any};
    a[k++] = (struct array){"raw", b->raw, n * sizeof *b->raw, LEAT_UNPACKS};
    a[k++] =
        (struct array){"key", b->key, in->has & LEAT_HAS_KEY ? n * sizeof *b->key : 0, rewrites};
    a[k++] = (struct array){"label", b->label, labels ? n * sizeof *b->label : 0, rewrites};
    if (!examples) return k;
    a[k++] =
        (struct array){"ex_start", b->ex_start, (examples + 1) * sizeof *b->ex_start, rewrites};
    a[k++] = (struct array){"ex_record", b->ex_record, examples * sizeof *b->ex_record, rewrites};
    a[k++] = (struct array){"ex_label", b->ex_label, examples * sizeof *b->ex_label, rewrites};
    a[k++] = (struct array){"ex_weight", b->ex_weight, examples * sizeof *b->ex_weight, rewrites};
    a[k++] = (struct array){"id", b->id, entries * sizeof *b->id, rewrites};
    a[k++] = (struct array){"value", b->value, entries * sizeof *b->value, rewrites};
    if (!(in->has & LEAT_HAS_NAMES) || !b->name) return k;
    a[k++] = (struct array){"name", b->name, entries * sizeof *b->name, rewrites};
    a[k++] = (struct array){"part", b->part, seen->n_parts * sizeof *b->part, rewrites};
    return k;
}

static uint64_t check_digest_of(const void *at, size_t bytes)
{
    return bytes ? XXH3_64bits(at, bytes) : 0;
}

static size_t check_cell_bytes(const struct leat_schema *s, uint32_t column)
{
    return column_type_bytes(s->column[column].type);
}

static uint64_t check_digest_of_columns(const struct leat_batch *b, const struct leat_schema *s,
                                        uint32_t n)
{
    uint64_t digest = 0;
    for (uint32_t c = 0; c < s->n_columns; c++)
        digest = digest * 31 + check_digest_of(b->column[c].text, n * check_cell_bytes(s, c));
    return digest;
}

void batch_see(struct batch_seen *seen, const struct leat_batch *b, const struct leat_schema *in)
{
    struct array a[BATCH_CHECK_ARRAYS];
    *seen = (struct batch_seen){.n = b->n,
                                .n_bytes = b->n_bytes,
                                .n_sel = b->n_sel,
                                .n_examples = b->n_examples,
                                .n_entries = b->n_entries,
                                .n_parts = b->n_parts};
    size_t n = check_arrays_of(b, in, seen, a);
    for (size_t k = 0; k < n; k++)
        seen->digest[k] = check_digest_of(a[k].at, a[k].bytes);
    seen->columns = check_digest_of_columns(b, in, b->n);
}

const char *batch_changed(const struct batch_seen *seen, const struct leat_batch *b,
                          const struct leat_schema *in, uint32_t caps, const char **owes)
{
    struct array a[BATCH_CHECK_ARRAYS];
    *owes = "";
    if (b->n != seen->n) return "n, the number of records";
    if (b->n_sel != seen->n_sel) return "n_sel, the number of selected records";
    size_t n = check_arrays_of(b, in, seen, a);
    for (size_t k = 0; k < n; k++) {
        if (caps & a[k].caps || check_digest_of(a[k].at, a[k].bytes) == seen->digest[k]) continue;
        if (a[k].caps & LEAT_REWRITES) *owes = " without declaring LEAT_REWRITES";
        if (a[k].caps & LEAT_UNPACKS) *owes = " without declaring LEAT_UNPACKS";
        return a[k].name;
    }
    if (caps & LEAT_REWRITES) return NULL;
    if (check_digest_of_columns(b, in, seen->n) == seen->columns) return NULL;
    *owes = " without declaring LEAT_REWRITES";
    return "a column that came";
}

/* ---- inconsistencies of a batch ---- */

static bool check_lies_in_text(const struct leat_batch *b, struct leat_str s)
{
    return s.off <= b->n_bytes && s.len <= b->n_bytes - s.off;
}

static bool check_is_text_or_none(const struct leat_batch *b, struct leat_str s)
{
    return s.len == LEAT_NULL || check_lies_in_text(b, s);
}

/* A check. If it finds a fault, writes it to `text` and returns true. */
typedef bool checks(const struct leat_batch *b, const struct leat_schema *s, char *text,
                    size_t cap);

#define WRONG(...) return snprintf(text, cap, __VA_ARGS__), true

static bool check_counts_wrong(const struct leat_batch *b, const struct leat_schema *s, char *text,
                               size_t cap)
{
    if (b->n > b->cap) WRONG("left n at %u, beyond cap = %u", b->n, b->cap);
    if (b->n_bytes > b->cap_bytes)
        WRONG("left n_bytes at %u, beyond cap_bytes = %u", b->n_bytes, b->cap_bytes);
    if (b->n_examples > b->cap_examples)
        WRONG("left n_examples at %u, beyond cap_examples = %u", b->n_examples, b->cap_examples);
    if (b->n_entries > b->cap_entries)
        WRONG("left n_entries at %u, beyond cap_entries = %u", b->n_entries, b->cap_entries);
    if (b->n_parts > b->cap_parts && s->has & LEAT_HAS_NAMES)
        WRONG("left n_parts at %u, beyond cap_parts = %u", b->n_parts, b->cap_parts);
    return false;
}

static bool check_records_wrong(const struct leat_batch *b, const struct leat_schema *s, char *text,
                                size_t cap)
{
    for (uint32_t r = 0; r < b->n; r++) {
        if (b->status[r] > LEAT_ROW_REJECTED)
            WRONG("left status[%u] at %u, which means nothing", r, b->status[r]);
        if (b->raw[r].off != LEAT_NULL && !check_lies_in_text(b, b->raw[r]))
            WRONG("left raw[%u] at bytes %u to %llu, and there are %u", r, b->raw[r].off,
                  (unsigned long long)b->raw[r].off + b->raw[r].len, b->n_bytes);
        if (b->key && s->has & LEAT_HAS_KEY && !check_is_text_or_none(b, b->key[r]))
            WRONG("left key[%u] outside the text", r);
    }
    return false;
}

static bool check_columns_wrong(const struct leat_batch *b, const struct leat_schema *s, char *text,
                                size_t cap)
{
    for (uint32_t c = 0; c < s->n_columns; c++) {
        const uint32_t type = s->column[c].type;
        for (LEAT_EACH_RECORD(b, r)) {
            if (b->status[r] != LEAT_ROW_OK) continue;
            if (type == LEAT_BOOLEAN && b->column[c].boolean[r] > LEAT_NO_BOOLEAN)
                WRONG("left column '%s' of record %u at %u, and a boolean is 0, 1 or "
                      "LEAT_NO_BOOLEAN",
                      s->column[c].name, r, b->column[c].boolean[r]);
            if (column_type_is_slice(type) && !check_is_text_or_none(b, b->column[c].text[r]))
                WRONG("left column '%s' of record %u at bytes %u to %llu, and there are %u",
                      s->column[c].name, r, b->column[c].text[r].off,
                      (unsigned long long)b->column[c].text[r].off + b->column[c].text[r].len,
                      b->n_bytes);
        }
    }
    return false;
}

static bool check_examples_wrong(const struct leat_batch *b, const struct leat_schema *s,
                                 char *text, size_t cap)
{
    if (!b->n_examples) return false;
    if (b->ex_start[0]) WRONG("left ex_start[0] at %u, not 0", b->ex_start[0]);
    for (uint32_t e = 0; e < b->n_examples; e++) {
        if (b->ex_start[e + 1] < b->ex_start[e] || b->ex_start[e + 1] > b->n_entries)
            WRONG("left ex_start[%u] at %u, where it must lie from %u to n_entries = %u", e + 1,
                  b->ex_start[e + 1], b->ex_start[e], b->n_entries);
        if (b->ex_record[e] >= b->n)
            WRONG("left ex_record[%u] at %u, and there are %u records", e, b->ex_record[e], b->n);
    }
    for (uint32_t k = 0; k < b->n_ex_sel; k++)
        if (b->ex_sel[k] >= b->n_examples)
            WRONG("left ex_sel[%u] at %u, and there are %u examples", k, b->ex_sel[k],
                  b->n_examples);
    return false;
}

static bool check_part_wrong(const struct leat_batch *b, const struct leat_schema *s, uint32_t p)
{
    const struct leat_part *part = &b->part[p];
    return (part->field != LEAT_NO_FIELD && part->field >= s->n_fields) ||
           !check_is_text_or_none(b, part->value);
}

static bool check_entries_wrong(const struct leat_batch *b, const struct leat_schema *s, char *text,
                                size_t cap)
{
    bool names = b->name && s->has & LEAT_HAS_NAMES;
    for (uint32_t e = 0; e < b->n_examples; e++) {
        if (b->status[b->ex_record[e]] != LEAT_ROW_OK) continue;
        for (uint32_t i = b->ex_start[e]; i < b->ex_start[e + 1]; i++) {
            if (!isfinite(b->value[i]))
                WRONG("left value[%u], of example %u, at %g", i, e, (double)b->value[i]);
            for (int j = 0; names && j < 3 && b->name[i].part[j]; j++)
                if (b->name[i].part[j] > b->n_parts)
                    WRONG("left name[%u].part[%d] at %u, and there are %u parts", i, j,
                          b->name[i].part[j], b->n_parts);
        }
    }
    for (uint32_t p = 0; names && p < b->n_parts; p++)
        if (check_part_wrong(b, s, p))
            WRONG("left part[%u] with a field or a text that does not exist", p);
    return false;
}

bool batch_is_wrong(const struct leat_batch *b, const struct leat_schema *s, char *text, size_t cap)
{
    static checks *const all[] = {check_counts_wrong, check_records_wrong, check_columns_wrong,
                                  check_examples_wrong, check_entries_wrong};
    bool wrong = false;
    for (size_t k = 0; k < sizeof all / sizeof *all && !wrong; k++)
        wrong = all[k](b, s, text, cap);
    return wrong;
}

/* ---- columns that a stage adds and must fill ---- */

enum { POISON = 0xa5 };

void batch_poison(const struct leat_schema *s, struct leat_batch *b, uint32_t from, uint32_t n)
{
    for (uint32_t c = from; c < s->n_columns; c++)
        memset(b->column[c].text, POISON, n * check_cell_bytes(s, c));
}

const char *batch_unfilled(const struct leat_schema *s, const struct leat_batch *b, uint32_t from,
                           uint32_t *record)
{
    struct leat_str nothing;
    memset(&nothing, POISON, sizeof nothing);
    for (uint32_t c = from; c < s->n_columns; c++)
        for (uint32_t r = 0; r < b->n; r++)
            if (b->status[r] == LEAT_ROW_OK &&
                !memcmp(b->column[c].boolean + r * check_cell_bytes(s, c), &nothing,
                        check_cell_bytes(s, c))) {
                *record = r;
                return s->column[c].name;
            }
    return NULL;
}
