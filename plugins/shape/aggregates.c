/* aggregates.c -- implementation of aggregates.h: parses lists of aggregates, and fills cells. */
#include "aggregates.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/mix64.h"
#include "common/cells/cell.h"
#include "common/cells/columns.h"

/* ---- parsing an aggregate ---- */

struct aggregate_reader {
    const char *at;
    char *why;
};

static bool aggregate_refuse(struct aggregate_reader *r, const char *what)
{
    snprintf(r->why, AGGREGATE_WHY, "%s", what);
    return false;
}

static void aggregate_skip_blanks(struct aggregate_reader *r) { r->at += strspn(r->at, " \t"); }

static bool aggregate_take_char(struct aggregate_reader *r, char c)
{
    aggregate_skip_blanks(r);
    if (*r->at != c) return false;
    r->at++;
    aggregate_skip_blanks(r);
    return true;
}

/* Parses a name into out[AGGREGATE_NAME]. The name ends before a character of `ends`, or is in
 * backquotes. */
static bool aggregate_take_name(struct aggregate_reader *r, const char *ends, char *out)
{
    aggregate_skip_blanks(r);
    bool quoted = *r->at == '`';
    const char *from = r->at + quoted;
    size_t n = quoted ? strcspn(from, "`") : strcspn(from, ends);
    if (quoted && !from[n]) return aggregate_refuse(r, "a backquote (`) is not closed");
    r->at = from + n + quoted;
    while (!quoted && n && (from[n - 1] == ' ' || from[n - 1] == '\t'))
        n--;
    if (!n) return aggregate_refuse(r, "a name is missing: write for example \"sum(bytes)\"");
    if (n >= AGGREGATE_NAME) return aggregate_refuse(r, "a name is longer than 255 bytes");
    memcpy(out, from, n);
    out[n] = '\0';
    return true;
}

/* Returns a hint for an aggregate that has the name `name` in other languages; "" if unknown. */
static const char *aggregate_meant_by(const char *name)
{
    static const char *const others[][2] = {
        {"median", "the median is \"quantile(x, 0.5)\""},
        {"percentile", "the 95th percentile is \"quantile(x, 0.95)\""},
        {"avg", "the average is \"mean(x)\""},
        {"average", "the average is \"mean(x)\""},
        {"total", "the total is \"sum(x)\""},
        {"unique", "the number of different values is \"distinct(x)\""},
        {"nunique", "the number of different values is \"distinct(x)\""},
        {"count_distinct", "the number of different values is \"distinct(x)\""},
        {"mode", "the most frequent value is \"top(x, 1)\""}};
    double rank;
    int end = 0;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (!strcasecmp(name, others[i][0])) return others[i][1];
    if (tolower((unsigned char)*name) == 'p' && sscanf(name + 1, "%lf%n", &rank, &end) == 1 &&
        !name[1 + end])
        return "a percentile is, for example, \"quantile(x, 0.95)\"";
    return "";
}

static bool aggregate_take_kind(struct aggregate_reader *r, struct aggregate *a, const char *name)
{
    for (int i = 0; i < AGGREGATE_KINDS; i++)
        if (!strcmp(name, aggregate_kinds[i].name)) {
            a->kind = &aggregate_kinds[i];
            return true;
        }
    const char *meant = aggregate_meant_by(name);
    snprintf(r->why, AGGREGATE_WHY,
             "'%.40s' is not a function: %s%sthe functions are count, sum, mean, min, max, "
             "quantile, distinct and top",
             name, meant, *meant ? "; " : "");
    return false;
}

static bool aggregate_take_number(struct aggregate_reader *r, double *x)
{
    char *end;
    if (!aggregate_take_char(r, ','))
        return aggregate_refuse(r, "a number is missing after the column's name");
    *x = strtod(r->at, &end);
    if (end == r->at) return aggregate_refuse(r, "a number must follow the comma");
    r->at = end;
    return true;
}

static bool aggregate_take_argument(struct aggregate_reader *r, struct aggregate *a)
{
    const struct aggregate_kind *k = a->kind;
    if (!k->argument.why) return true;
    if (!aggregate_take_number(r, &a->argument)) return false;
    double x = a->argument;
    return (x >= k->argument.least && x <= k->argument.most &&
            (!k->argument.whole || x == floor(x))) ||
           aggregate_refuse(r, k->argument.why);
}

static bool aggregate_take_call(struct aggregate_reader *r, struct aggregate *a)
{
    char name[AGGREGATE_NAME];
    if (!aggregate_take_name(r, "(", name) || !aggregate_take_kind(r, a, name)) return false;
    bool open = aggregate_take_char(r, '(');
    if (!a->kind->needs_column && (!open || aggregate_take_char(r, ')'))) return true;
    if (!open)
        return aggregate_refuse(
            r, "the column of the function is missing: write for example \"sum(bytes)\"");
    if (!aggregate_take_name(r, ",)", a->of) || !aggregate_take_argument(r, a)) return false;
    return aggregate_take_char(r, ')') || aggregate_refuse(r, "a closing parenthesis is missing");
}

/* Sets the name of an aggregate's column, such as sum_bytes, p99_ms or count. */
static void aggregate_name_it(struct aggregate *a)
{
    if (a->kind->name_it)
        a->kind->name_it(a);
    else
        snprintf(a->name, sizeof a->name, "%s%s%.200s", a->kind->name, *a->of ? "_" : "", a->of);
}

bool aggregate_parse(struct aggregate *a, const char *text, char *why)
{
    struct aggregate_reader r = {text, why};
    *a = (struct aggregate){.kind = aggregate_kinds};
    const char *equals = strchr(text, '='), *call = strchr(text, '(');
    bool named = equals && (!call || equals < call);
    if (named && (!aggregate_take_name(&r, "=", a->name) || !aggregate_take_char(&r, '=')))
        return false;
    if (!aggregate_take_call(&r, a)) return false;
    if (!named) aggregate_name_it(a);
    return !*r.at || aggregate_refuse(&r, "something follows the closing parenthesis");
}

uint32_t aggregate_cell_bytes(const struct aggregate *a, uint32_t kll_k)
{
    uint32_t n = a->kind->sketch_bytes ? a->kind->sketch_bytes(kll_k) : a->kind->cell_bytes;
    return (n + 7) & ~7u;
}

/* ---- memory ---- */

static uint64_t aggregates_max_texts(const struct aggregate_sizes *z)
{
    uint64_t tops = (uint64_t)z->panes * z->values;
    return tops > z->tallied ? z->tallied : tops;
}

static uint64_t aggregates_max_hashes(const struct aggregate_sizes *z)
{
    return (uint64_t)z->panes * DISTINCT_LISTED;
}

uint64_t aggregates_work_bytes(const struct aggregate_sizes *z)
{
    return kll_work(z->kll_k, z->panes) * sizeof(struct kll_item) +
           z->panes * sizeof(struct kll *) + aggregates_max_texts(z) * sizeof(struct united_text) +
           aggregates_max_hashes(z) * sizeof(uint64_t) +
           (z->tallied ? z->values * sizeof(uint64_t) : 0);
}

static bool aggregates_take_work(struct leat_ctx *ctx, struct aggregates *s,
                                 const struct aggregate_sizes *z)
{
    s->work.item = ctx->host->alloc(ctx, kll_work(z->kll_k, z->panes) * sizeof *s->work.item);
    s->work.hash = ctx->host->alloc(ctx, aggregates_max_hashes(z) * sizeof *s->work.hash);
    s->work.sketch = ctx->host->alloc(ctx, z->panes * sizeof *s->work.sketch);
    if (!s->work.item || !s->work.hash || !s->work.sketch) return false;
    if (!z->tallied) return true;
    s->work.text = ctx->host->alloc(ctx, aggregates_max_texts(z) * sizeof *s->work.text);
    s->work.count = ctx->host->alloc(ctx, z->values * sizeof *s->work.count);
    return s->work.text && s->work.count;
}

int aggregates_open(struct leat_ctx *ctx, struct aggregates *s, const struct leat_strings *list,
                    const struct aggregate_sizes *z)
{
    char why[AGGREGATE_WHY];
    *s = (struct aggregates){.n = list->n, .kll_k = z->kll_k, .seed = ctx->host->seed(ctx)};
    s->each = ctx->host->alloc(ctx, list->n * sizeof *s->each);
    if (!s->each || !aggregates_take_work(ctx, s, z))
        return ctx->host->fail(ctx, LEAT_ENOMEM,
                               "there is not enough memory for %u columns of %u panes", list->n,
                               z->panes);
    for (uint32_t i = 0; i < list->n; i++) {
        struct aggregate *a = &s->each[i];
        if (!aggregate_parse(a, list->v[i], why))
            return ctx->host->fail(ctx, LEAT_EARG, "'%s': %s", list->v[i], why);
        if (*a->of) a->column = columns_known(ctx, a->of, a->kind->takes);
        a->type = *a->of ? ctx->in->column[a->column].type : 0;
        a->at = s->cell_bytes;
        s->cell_bytes += aggregate_cell_bytes(a, z->kll_k);
    }
    return LEAT_OK;
}

void aggregates_close(struct leat_ctx *ctx, struct aggregates *s)
{
    ctx->host->free(ctx, s->each);
    ctx->host->free(ctx, s->work.item);
    ctx->host->free(ctx, s->work.text);
    ctx->host->free(ctx, s->work.hash);
    ctx->host->free(ctx, s->work.sketch);
    ctx->host->free(ctx, s->work.count);
    *s = (struct aggregates){.n = 0};
}

/* ---- the cell of a group ---- */

enum { WHOLE = 48 }; /* bytes of a whole number below 1e39 as text, with its terminating 0 */

void aggregates_begin(const struct aggregates *s, void *cell, uint64_t group)
{
    for (uint32_t i = 0; i < s->n; i++) {
        const struct aggregate *a = &s->each[i];
        if (a->kind->begin) a->kind->begin(s, aggregate_part(a, cell), mix64(s->seed + group) + i);
    }
}

/* Writes the digits of record r's value to `whole` if the value is a whole number, otherwise "". */
static void aggregates_whole(const struct leat_batch *b, const struct aggregate *a, uint32_t r,
                             char whole[WHOLE])
{
    whole[0] = 0;
    if (a->type == LEAT_INT64) snprintf(whole, WHOLE, "%" PRId64, b->column[a->column].int64[r]);
    if (a->type != LEAT_TEXT) return;
    struct leat_str s = b->column[a->column].text[r];
    const char *p = leat_text(b, s), *end = p + s.len;
    if (!cell_trim(&p, &end)) return;
    size_t n = (size_t)(end - p);
    if (n >= WHOLE || p[*p == '-'] == '0') return;
    for (size_t i = *p == '-'; i < n; i++)
        if (p[i] < '0' || p[i] > '9') return;
    memcpy(whole, p, n);
    whole[n] = 0;
}

/* Warns, once for a stage, if record r's value is a whole number that differs from its double x. */
static void aggregates_check_digits(struct leat_ctx *ctx, struct aggregates *s,
                                    const struct aggregate *a, const struct leat_batch *b,
                                    uint32_t r, double x)
{
    char whole[WHOLE], read[WHOLE];
    if (s->rounded || fabs(x) >= 1e39) return;
    aggregates_whole(b, a, r, whole);
    snprintf(read, sizeof read, "%.0f", x);
    s->rounded = *whole && strcmp(whole, read) != 0;
    if (s->rounded)
        ctx->host->log(ctx, LEAT_WARN,
                       "column '%s': %s is beyond 2^53, so %s takes it as %s; further numbers of "
                       "this kind are not reported",
                       a->of, whole, a->name, read);
}

static inline bool aggregates_is_exact(double x) { return !(fabs(x) >= 0x1p53); }

/* The functions aggregates_read_…() set x[k] to the number of record k, or NAN. They return a mask
 * of the records of which only cell_number() can tell what they are, or whose numbers may have more
 * digits than a double. */
static uint32_t aggregates_read_texts(const struct leat_column *column,
                                      const struct aggregate_rows *rows,
                                      const struct leat_str *cell, double *x)
{
    const struct leat_batch *b = rows->b;
    const uint32_t readable = column->decimal || b->n_bytes < 9 ? 0 : b->n_bytes - 8;
    uint32_t unsure = 0;
    for (uint32_t k = 0; k < rows->n; k++) {
        const struct leat_str s = cell[rows->row[k]];
        const char *text = leat_text(b, s);
        x[k] = (double)NAN;
        if (s.len == LEAT_NULL || (s.len && s.off < readable && decimal_short(text, s.len, &x[k])))
            continue;
        if (cell_decimal(column, text, text + s.len, &x[k]) != DECIMAL_OK ||
            !aggregates_is_exact(x[k]))
            unsure |= UINT32_C(1) << k;
    }
    return unsure;
}

static uint32_t aggregates_read_numbers(const struct aggregate_rows *rows, const double *cell,
                                        double *x)
{
    uint32_t unsure = 0;
    for (uint32_t k = 0; k < rows->n; k++) {
        x[k] = cell[rows->row[k]];
        unsure |= (uint32_t)!aggregates_is_exact(x[k]) << k;
    }
    return unsure;
}

static uint32_t aggregates_read_others(const struct aggregate_rows *rows, union leat_cells cells,
                                       uint32_t type, double *x)
{
    uint32_t unsure = 0;
    for (uint32_t k = 0; k < rows->n; k++) {
        x[k] = (double)NAN;
        cell_fixed(cells, type, rows->row[k], &x[k]);
        unsure |= (uint32_t)!aggregates_is_exact(x[k]) << k;
    }
    return unsure;
}

uint32_t aggregates_read(struct leat_ctx *ctx, const struct aggregates *s,
                         struct aggregate_rows *rows)
{
    uint32_t unsure = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        const struct aggregate *a = &s->each[i];
        if (!a->kind->numbers) continue;
        const union leat_cells cells = rows->b->column[a->column];
        if (a->type == LEAT_TEXT)
            unsure |=
                aggregates_read_texts(&ctx->in->column[a->column], rows, cells.text, rows->x[i]);
        else if (a->type == LEAT_NUMBER)
            unsure |= aggregates_read_numbers(rows, cells.number, rows->x[i]);
        else
            unsure |= aggregates_read_others(rows, cells, a->type, rows->x[i]);
    }
    return unsure;
}

bool aggregates_check(struct leat_ctx *ctx, struct aggregates *s, struct leat_batch *b,
                      struct aggregate_rows *rows, uint32_t k)
{
    const uint32_t r = rows->row[k];
    for (uint32_t i = 0; i < s->n; i++) {
        double *x = &rows->x[i][k];
        if (!s->each[i].kind->numbers) continue;
        *x = (double)NAN;
        if (cell_number(ctx, b, r, s->each[i].column, x) == CELL_REJECTED) return false;
        if (fabs(*x) >= 0x1p53) aggregates_check_digits(ctx, s, &s->each[i], b, r, *x);
    }
    return true;
}

void aggregates_move(const struct aggregates *s, struct aggregate_rows *rows, uint32_t k,
                     uint32_t to)
{
    rows->row[to] = rows->row[k];
    for (uint32_t i = 0; i < s->n; i++)
        rows->x[i][to] = rows->x[i][k];
}

void aggregates_add(struct aggregates *s, const struct aggregate_rows *rows)
{
    for (uint32_t i = 0; i < s->n; i++)
        s->each[i].kind->add(s, &s->each[i], rows, rows->x[i]);
}

bool aggregates_are_apart(const struct aggregates *s)
{
    uint32_t tops = 0;
    for (uint32_t i = 0; i < s->n; i++)
        tops += s->each[i].kind->tallies;
    return tops < 2;
}

void aggregates_forget(struct aggregates *s, void *cell)
{
    for (uint32_t i = 0; i < s->n; i++) {
        const struct aggregate *a = &s->each[i];
        if (a->kind->forget) a->kind->forget(s, aggregate_part(a, cell));
    }
}

void aggregates_write(struct aggregates *s, void *const *cell, uint32_t n, struct leat_batch *out,
                      uint32_t r, uint32_t first)
{
    for (uint32_t i = 0; i < s->n; i++) {
        const struct aggregate *a = &s->each[i];
        if (a->kind->unite_text)
            out->column[first + i].text[r] = a->kind->unite_text(s, a, cell, n, out);
        else
            out->column[first + i].number[r] = a->kind->unite(s, a, cell, n);
    }
}

void aggregates_saved(const struct aggregates *s, void *copy)
{
    for (uint32_t i = 0; i < s->n; i++) {
        const struct aggregate *a = &s->each[i];
        a->kind->turn(s, aggregate_part(a, copy), true);
    }
}

void aggregates_restored(const struct aggregates *s, void *cell)
{
    for (uint32_t i = 0; i < s->n; i++) {
        const struct aggregate *a = &s->each[i];
        a->kind->turn(s, aggregate_part(a, cell), false);
    }
}

bool aggregates_valid(const struct aggregates *s, const void *cell)
{
    for (uint32_t i = 0; i < s->n; i++) {
        const struct aggregate *a = &s->each[i];
        if (a->kind->is_valid && !a->kind->is_valid(s, aggregate_part(a, cell))) return false;
    }
    return true;
}
