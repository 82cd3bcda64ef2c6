/* inspect.c -- see inspect.h. */
#include "inspect.h"

#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/log.h"
#include "graph/stage_columns.h"
#include "run.h"

static void found(struct instance *i, const char *call, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void found(struct instance *i, const char *call, const char *format, ...)
{
    char text[600];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    run_fail(i->run, LEAT_EDATA, "%s: %s %s (found by --debug-plugins)", i->node->label, call,
             text);
    run_halt(i->run);
}

/* Whatever it holds, nobody reads it any more. */
static void empty(struct hbatch *h)
{
    h->b.n = h->b.n_sel = h->b.n_examples = h->b.n_ex_sel = h->n_rejections = 0;
}

/* ---- what a stage must leave as it was ---- */

struct array {
    const char *name;
    const void *at;
    size_t bytes;
    uint32_t caps; /* a stage that declares one of these may change it */
};

/* The arrays of a batch as far as they were filled before the call. */
static size_t arrays_of(const struct leat_batch *b, const struct leat_schema *in,
                        const struct inspection *seen, struct array a[INSPECT_ARRAYS])
{
    const uint32_t any = 0, rewrites = LEAT_REWRITES;
    size_t n = seen->n, entries = seen->n_entries, examples = seen->n_examples, k = 0;
    const bool labels = in->has & LEAT_HAS_LABEL;
    a[k++] = (struct array){"bytes", b->bytes, seen->n_bytes, any};
    a[k++] = (struct array){"sel", b->sel, seen->n_sel * sizeof *b->sel, any};
    a[k++] = (struct array){"ex_sel", b->ex_sel, 0, any};
    a[k++] = (struct array){"raw", b->raw, n * sizeof *b->raw, LEAT_UNPACKS};
    a[k++] = (struct array){"key", b->key, b->key ? n * sizeof *b->key : 0, rewrites};
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

static uint64_t digest_of(const void *at, size_t bytes)
{
    return bytes ? XXH3_64bits(at, bytes) : 0;
}

static size_t cell_bytes(const struct leat_schema *s, uint32_t column)
{
    return column_type_bytes(s->column[column].type);
}

static uint64_t digest_of_columns(const struct leat_batch *b, const struct leat_schema *s,
                                  uint32_t n)
{
    uint64_t digest = 0;
    for (uint32_t c = 0; c < s->n_columns; c++)
        digest = digest * 31 + digest_of(b->column[c].text, n * cell_bytes(s, c));
    return digest;
}

static void look(struct inspection *seen, const struct leat_batch *b, const struct leat_schema *in)
{
    struct array a[INSPECT_ARRAYS];
    *seen = (struct inspection){.n = b->n,
                                .n_bytes = b->n_bytes,
                                .n_sel = b->n_sel,
                                .n_examples = b->n_examples,
                                .n_entries = b->n_entries,
                                .n_parts = b->n_parts};
    size_t n = arrays_of(b, in, seen, a);
    for (size_t k = 0; k < n; k++)
        seen->digest[k] = digest_of(a[k].at, a[k].bytes);
    seen->columns = digest_of_columns(b, in, b->n);
}

/* What the stage changed and may not change; NULL: nothing. `owes`: what would allow it. */
static const char *changed(const struct inspection *seen, const struct leat_batch *b,
                           const struct instance *i, const char **owes)
{
    const struct leat_schema *in = &i->node->schema_in;
    const uint32_t caps = i->node->stage->caps;
    struct array a[INSPECT_ARRAYS];
    *owes = "";
    if (b->n != seen->n) return "n, the number of records";
    if (b->n_sel != seen->n_sel) return "n_sel, the number of selected records";
    size_t n = arrays_of(b, in, seen, a);
    for (size_t k = 0; k < n; k++) {
        if (caps & a[k].caps || digest_of(a[k].at, a[k].bytes) == seen->digest[k]) continue;
        if (a[k].caps & LEAT_REWRITES) *owes = " without declaring LEAT_REWRITES";
        if (a[k].caps & LEAT_UNPACKS) *owes = " without declaring LEAT_UNPACKS";
        return a[k].name;
    }
    if (caps & LEAT_REWRITES) return NULL;
    if (digest_of_columns(b, in, seen->n) == seen->columns) return NULL;
    *owes = " without declaring LEAT_REWRITES";
    return "a column that came";
}

/* ---- a whole batch ---- */

static bool lies_in_text(const struct leat_batch *b, struct leat_str s)
{
    return s.off <= b->n_bytes && s.len <= b->n_bytes - s.off;
}

static bool is_text_or_none(const struct leat_batch *b, struct leat_str s)
{
    return s.len == LEAT_NULL || lies_in_text(b, s);
}

/* Each writes what is wrong; false: nothing. */
typedef bool checks(const struct leat_batch *b, const struct leat_schema *s, char *text,
                    size_t cap);

#define WRONG(...) return snprintf(text, cap, __VA_ARGS__), true

static bool counts_wrong(const struct leat_batch *b, const struct leat_schema *s, char *text,
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

static bool records_wrong(const struct leat_batch *b, const struct leat_schema *s, char *text,
                          size_t cap)
{
    for (uint32_t r = 0; r < b->n; r++) {
        if (b->status[r] > LEAT_ROW_REJECTED)
            WRONG("left status[%u] at %u, which means nothing", r, b->status[r]);
        if (b->raw[r].off != LEAT_NULL && !lies_in_text(b, b->raw[r]))
            WRONG("left raw[%u] at bytes %u to %llu, and there are %u", r, b->raw[r].off,
                  (unsigned long long)b->raw[r].off + b->raw[r].len, b->n_bytes);
        if (b->key && s->has & LEAT_HAS_KEY && !is_text_or_none(b, b->key[r]))
            WRONG("left key[%u] outside the text", r);
    }
    return false;
}

static bool columns_wrong(const struct leat_batch *b, const struct leat_schema *s, char *text,
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
            if (column_type_is_slice(type) && !is_text_or_none(b, b->column[c].text[r]))
                WRONG("left column '%s' of record %u at bytes %u to %llu, and there are %u",
                      s->column[c].name, r, b->column[c].text[r].off,
                      (unsigned long long)b->column[c].text[r].off + b->column[c].text[r].len,
                      b->n_bytes);
        }
    }
    return false;
}

static bool examples_wrong(const struct leat_batch *b, const struct leat_schema *s, char *text,
                           size_t cap)
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

static bool part_wrong(const struct leat_batch *b, const struct leat_schema *s, uint32_t p)
{
    const struct leat_part *part = &b->part[p];
    return (part->field != LEAT_NO_FIELD && part->field >= s->n_fields) ||
           !is_text_or_none(b, part->value);
}

static bool entries_wrong(const struct leat_batch *b, const struct leat_schema *s, char *text,
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
        if (part_wrong(b, s, p))
            WRONG("left part[%u] with a field or a text that does not exist", p);
    return false;
}

static bool is_wrong(const struct leat_batch *b, const struct leat_schema *s, char *text,
                     size_t cap)
{
    static checks *const all[] = {counts_wrong, records_wrong, columns_wrong, examples_wrong,
                                  entries_wrong};
    bool wrong = false;
    for (size_t k = 0; k < sizeof all / sizeof *all && !wrong; k++)
        wrong = all[k](b, s, text, cap);
    return wrong;
}

/* ---- columns that are added ---- */

enum { POISON = 0xa5 };

static void poison(const struct instance *i, struct leat_batch *b, uint32_t from, uint32_t n)
{
    const struct leat_schema *out = &i->node->schema_out;
    for (uint32_t c = from; c < out->n_columns; c++)
        memset(b->column[c].text, POISON, n * cell_bytes(out, c));
}

/* The first column from `from` on that a record lacks; NULL: none does. */
static const char *unfilled(const struct instance *i, const struct leat_batch *b, uint32_t from,
                            uint32_t *record)
{
    const struct leat_schema *out = &i->node->schema_out;
    struct leat_str nothing;
    memset(&nothing, POISON, sizeof nothing);
    for (uint32_t c = from; c < out->n_columns; c++)
        for (uint32_t r = 0; r < b->n; r++)
            if (b->status[r] == LEAT_ROW_OK &&
                !memcmp(b->column[c].boolean + r * cell_bytes(out, c), &nothing,
                        cell_bytes(out, c))) {
                *record = r;
                return out->column[c].name;
            }
    return NULL;
}

/* ---- standard output ---- */

static struct {
    pthread_mutex_t mu;
    int real, taken; /* descriptors: standard output; what takes up what is written there */
    off_t seen;
} output = {.mu = PTHREAD_MUTEX_INITIALIZER, .real = -1, .taken = -1};

void inspect_output_begin(struct run *r)
{
    if (!r->inspects || output.real >= 0) return;
    fflush(stdout);
    output.taken = memfd_create("stdout", MFD_CLOEXEC);
    output.real = output.taken < 0 ? -1 : dup(STDOUT_FILENO);
    output.seen = 0;
    if (output.real >= 0) dup2(output.taken, STDOUT_FILENO);
}

void inspect_output_end(struct run *r)
{
    char text[4096];
    if (output.real < 0) return;
    fflush(stdout);
    dup2(output.real, STDOUT_FILENO);
    lseek(output.taken, 0, SEEK_SET);
    for (ssize_t n; (n = read(output.taken, text, sizeof text)) > 0;)
        if (write(STDOUT_FILENO, text, (size_t)n) < 0) break;
    close(output.real);
    close(output.taken);
    output.real = output.taken = -1;
}

/* Once a stage. */
static void look_at_output(struct instance *i, const char *call)
{
    char text[48];
    struct stat st;
    if (output.real < 0) return;
    pthread_mutex_lock(&output.mu);
    fflush(stdout);
    bool more = !fstat(output.taken, &st) && st.st_size > output.seen;
    ssize_t n = more ? pread(output.taken, text, sizeof text, output.seen) : 0;
    if (more) output.seen = st.st_size;
    pthread_mutex_unlock(&output.mu);
    if (n <= 0 || i->own->wrote) return;
    i->own->wrote = true;
    log_message(LEAT_WARN,
                "%s: %s wrote to standard output (\"%.*s\"%s), where results of the run go: use "
                "host->log (found by --debug-plugins)",
                i->node->label, call, (int)n, text, n == sizeof text ? "…" : "");
}

/* ---- around calls ---- */

static void look_at_whole(struct instance *i, struct hbatch *h, uint32_t columns, const char *call)
{
    const struct leat_batch *b = &h->b;
    char text[400];
    uint32_t record;
    if (is_wrong(b, &i->node->schema_out, text, sizeof text)) {
        found(i, call, "%s", text);
        empty(h);
        return;
    }
    const char *name = unfilled(i, b, columns, &record);
    if (name)
        found(i, call, "did not fill its column '%s' for record %u of the batch", name, record);
}

static void look_at_changes(const struct inspection *seen, struct instance *i, struct hbatch *h,
                            const char *call)
{
    const char *owes, *what = changed(seen, &h->b, i, &owes);
    if (!what) return;
    found(i, call, "changed %s%s", what, owes);
    empty(h);
}

/* A stage that reads a column that it has not asked for crashes, and is named. */
static void hide_columns(struct inspection *seen, const struct instance *i, struct leat_batch *b)
{
    const struct node *n = i->node;
    uint32_t columns = stage_columns_room(n).n_columns;
    seen->column = b->column;
    seen->shown = malloc((columns + 1) * sizeof *seen->shown);
    if (!seen->shown) return;
    memcpy(seen->shown, b->column, columns * sizeof *seen->shown);
    for (uint32_t c = 0; c < n->schema_in.n_columns; c++)
        if (!n->shown_in.column[c].type) seen->shown[c].text = NULL;
    b->column = seen->shown;
}

static void show_columns(struct inspection *seen, struct leat_batch *b)
{
    b->column = seen->column;
    free(seen->shown);
}

void inspect_before(struct inspection *seen, const struct instance *i, struct hbatch *h)
{
    look(seen, &h->b, &i->node->schema_in);
    poison(i, &h->b, i->ctx.in->n_columns, h->b.n);
    hide_columns(seen, i, &h->b);
}

void inspect_after(struct inspection *seen, struct instance *i, struct hbatch *h, int status)
{
    show_columns(seen, &h->b);
    if (status < 0) return;
    look_at_output(i, "process");
    look_at_changes(seen, i, h, "process");
    if (!run_halted(i->run)) look_at_whole(i, h, i->ctx.in->n_columns, "process");
}

void inspect_produced(struct instance *i, struct hbatch *h)
{
    look_at_output(i, "produce");
    look_at_whole(i, h, i->ctx.out->n_columns, "produce");
}

void inspect_before_expand(struct inspection *seen, const struct instance *i, struct hbatch *in,
                           struct hbatch *out)
{
    look(seen, &in->b, &i->node->schema_in);
    poison(i, &out->b, 0, out->b.cap);
    hide_columns(seen, i, &in->b);
}

void inspect_after_expand(struct inspection *seen, struct instance *i, struct hbatch *in,
                          struct hbatch *out, int status)
{
    show_columns(seen, &in->b);
    if (status < 0) return;
    look_at_output(i, "expand");
    look_at_changes(seen, i, in, "expand");
    if (!run_halted(i->run)) look_at_whole(i, out, 0, "expand");
}
