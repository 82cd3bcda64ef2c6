/* aggregates.c -- see aggregates.h. */
#include "aggregates.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mix64.h"
#include "kernels/base/sort.h"
#include "support/cell.h"
#include "support/columns.h"

/* What is shown of a text. */
static uint32_t profile_text_bytes(const struct profile_text *t)
{
    return t->len < PROFILE_TEXT ? t->len : PROFILE_TEXT;
}

enum { MAX_TOP = PROFILE_KEPT / 2, TOP_BYTES = PROFILE_TEXT + 32 };

/* Of a sum or mean. lost: what rounding took from the sum (A. Neumaier 1974). */
struct moments {
    uint64_t n;
    double sum, lost;
};
struct extreme {
    uint64_t n;
    double x;
};

static const char *const kind_names[] = {"count", "sum",      "mean",     "min",
                                         "max",   "quantile", "distinct", "top"};
enum { KINDS = sizeof kind_names / sizeof *kind_names };

/* ---- reading one ---- */

struct reader {
    const char *at;
    char *why;
};

static bool refuse(struct reader *r, const char *what)
{
    snprintf(r->why, AGGREGATE_WHY, "%s", what);
    return false;
}

static void skip_blanks(struct reader *r) { r->at += strspn(r->at, " \t"); }

static bool take_char(struct reader *r, char c)
{
    skip_blanks(r);
    if (*r->at != c) return false;
    r->at++;
    skip_blanks(r);
    return true;
}

/* A name up to any of `ends`, or between backquotes, into out[AGGREGATE_NAME]. */
static bool take_name(struct reader *r, const char *ends, char *out)
{
    skip_blanks(r);
    bool quoted = *r->at == '`';
    const char *from = r->at + quoted;
    size_t n = quoted ? strcspn(from, "`") : strcspn(from, ends);
    if (quoted && !from[n]) return refuse(r, "a backquote (`) is not closed");
    r->at = from + n + quoted;
    while (!quoted && n && (from[n - 1] == ' ' || from[n - 1] == '\t'))
        n--;
    if (!n) return refuse(r, "a name is missing: write such as \"sum(bytes)\"");
    if (n >= AGGREGATE_NAME) return refuse(r, "a name is longer than 255 bytes");
    memcpy(out, from, n);
    out[n] = '\0';
    return true;
}

static bool take_kind(struct reader *r, struct aggregate *a, const char *name)
{
    for (int i = 0; i < KINDS; i++)
        if (!strcmp(name, kind_names[i])) {
            a->kind = (enum aggregate_kind)i;
            return true;
        }
    snprintf(
        r->why, AGGREGATE_WHY,
        "'%.40s' is no function: there are count, sum, mean, min, max, quantile, distinct and top",
        name);
    return false;
}

static bool take_number(struct reader *r, double *x)
{
    char *end;
    if (!take_char(r, ',')) return refuse(r, "a number is missing after the column's name");
    *x = strtod(r->at, &end);
    if (end == r->at) return refuse(r, "what follows the comma must be a number");
    r->at = end;
    return true;
}

static bool take_share(struct reader *r, struct aggregate *a)
{
    if (!take_number(r, &a->q)) return false;
    return (a->q >= 0 && a->q <= 1) || refuse(r, "a quantile is a share from 0 to 1, such as 0.99");
}

static bool take_top(struct reader *r, struct aggregate *a)
{
    double k;
    if (!take_number(r, &k)) return false;
    a->k = k >= 1 && k <= MAX_TOP ? (uint32_t)k : 0;
    return (a->k && (double)a->k == k) ||
           refuse(r, "top gives 1 to 16 values: write such as \"top(path, 3)\"");
}

static bool take_call(struct reader *r, struct aggregate *a)
{
    char name[AGGREGATE_NAME];
    if (!take_name(r, "(", name) || !take_kind(r, a, name)) return false;
    bool open = take_char(r, '(');
    if (a->kind == COUNT && (!open || take_char(r, ')'))) return true;
    if (!open) return refuse(r, "its column is missing: write such as \"sum(bytes)\"");
    if (!take_name(r, ",)", a->of)) return false;
    if (a->kind == QUANTILE && !take_share(r, a)) return false;
    if (a->kind == TOP && !take_top(r, a)) return false;
    return take_char(r, ')') || refuse(r, "a closing parenthesis is missing");
}

/* sum_bytes; p99_ms; count. */
static void name_it(struct aggregate *a)
{
    if (a->kind == QUANTILE)
        snprintf(a->name, sizeof a->name, "p%g_%.200s", 100 * a->q, a->of);
    else
        snprintf(a->name, sizeof a->name, "%s%s%.200s", kind_names[a->kind], *a->of ? "_" : "",
                 a->of);
}

bool aggregate_parse(struct aggregate *a, const char *text, char *why)
{
    struct reader r = {text, why};
    *a = (struct aggregate){.kind = COUNT};
    const char *equals = strchr(text, '='), *call = strchr(text, '(');
    bool named = equals && (!call || equals < call);
    if (named && (!take_name(&r, "=", a->name) || !take_char(&r, '='))) return false;
    if (!take_call(&r, a)) return false;
    if (!named) name_it(a);
    return !*r.at || refuse(&r, "something follows the closing parenthesis");
}

uint32_t aggregate_text_bytes(const struct aggregate *a)
{
    return a->kind == TOP ? a->k * TOP_BYTES : 0;
}

uint32_t aggregate_cell_bytes(const struct aggregate *a, uint32_t kll_k)
{
    static const uint32_t bytes[KINDS] = {
        [COUNT] = sizeof(uint64_t),           [SUM] = sizeof(struct moments),
        [MEAN] = sizeof(struct moments),      [MIN] = sizeof(struct extreme),
        [MAX] = sizeof(struct extreme),       [DISTINCT] = sizeof(struct column_profile),
        [TOP] = sizeof(struct column_profile)};
    uint32_t n = a->kind == QUANTILE ? (uint32_t)kll_bytes(kll_k) : bytes[a->kind];
    return (n + 7) & ~7u;
}

uint64_t aggregates_work_bytes(uint32_t kll_k, uint32_t panes)
{
    return kll_work(kll_k, panes) * sizeof(struct kll_item) +
           (uint64_t)panes * (sizeof(struct kll *) + PROFILE_KEPT * sizeof(struct united_text));
}

/* Booleans and times that are counted are texts. */
uint32_t aggregate_takes(const struct aggregate *a)
{
    if (aggregate_is_number(a)) return CELL_TAKES;
    return LEAT_TAKES_TEXT | LEAT_TAKES_BYTES | LEAT_TAKES_NUMBER | LEAT_TAKES_INT64;
}

int aggregates_open(struct leat_ctx *ctx, struct aggregates *s, const struct leat_strings *list,
                    uint32_t kll_k, uint32_t panes)
{
    char why[AGGREGATE_WHY];
    *s = (struct aggregates){.n = list->n, .kll_k = kll_k, .seed = ctx->host->seed(ctx)};
    s->each = ctx->host->alloc(ctx, list->n * sizeof *s->each);
    s->work.item = ctx->host->alloc(ctx, kll_work(kll_k, panes) * sizeof *s->work.item);
    s->work.text = ctx->host->alloc(ctx, (size_t)panes * PROFILE_KEPT * sizeof *s->work.text);
    s->work.sketch = ctx->host->alloc(ctx, panes * sizeof *s->work.sketch);
    if (!s->each || !s->work.item || !s->work.text || !s->work.sketch)
        return ctx->host->fail(ctx, LEAT_ENOMEM,
                               "there is not enough memory for %u columns of %u panes", list->n,
                               panes);
    for (uint32_t i = 0; i < list->n; i++) {
        struct aggregate *a = &s->each[i];
        if (!aggregate_parse(a, list->v[i], why))
            return ctx->host->fail(ctx, LEAT_EARG, "'%s': %s", list->v[i], why);
        if (*a->of) a->column = columns_known(ctx, a->of, aggregate_takes(a));
        a->type = *a->of ? ctx->in->column[a->column].type : 0;
        a->at = s->cell_bytes;
        s->cell_bytes += aggregate_cell_bytes(a, kll_k);
    }
    return LEAT_OK;
}

void aggregates_close(struct leat_ctx *ctx, struct aggregates *s)
{
    ctx->host->free(ctx, s->each);
    ctx->host->free(ctx, s->work.item);
    ctx->host->free(ctx, s->work.text);
    ctx->host->free(ctx, s->work.sketch);
    *s = (struct aggregates){.n = 0};
}

/* ---- taking records ---- */

static void *part(const struct aggregate *a, const void *cell)
{
    return (char *)(uintptr_t)cell + a->at;
}

void aggregates_begin(const struct aggregates *s, void *cell, uint64_t group)
{
    for (uint32_t i = 0; i < s->n; i++)
        if (s->each[i].kind == QUANTILE)
            kll_init(part(&s->each[i], cell), s->kll_k, mix64(s->seed + group) + i);
}

bool aggregates_read(struct leat_ctx *ctx, const struct aggregates *s, struct leat_batch *b,
                     uint32_t r, double *x)
{
    for (uint32_t i = 0; i < s->n; i++) {
        x[i] = NAN;
        if (!aggregate_is_number(&s->each[i])) continue;
        if (cell_number(ctx, b, r, s->each[i].column, &x[i]) == CELL_REJECTED) return false;
    }
    return true;
}

/* A sum that no number can be is infinite, and stays so. */
static void add_moments(struct moments *m, double x)
{
    double sum = m->sum + x;
    m->n++;
    m->lost += fabs(m->sum) >= fabs(x) ? m->sum - sum + x : x - sum + m->sum;
    m->sum = sum;
    if (isfinite(sum) && isfinite(m->lost)) return;
    m->sum = (double)INFINITY;
    m->lost = 0;
}

static double moments_sum(const struct moments *m)
{
    double sum = m->sum + m->lost;
    return isfinite(sum) ? sum : m->sum;
}

static void add_extreme(struct extreme *e, double x, bool greater)
{
    if (!e->n++ || (greater ? x > e->x : x < e->x)) e->x = x;
}

static void add_number(const struct aggregate *a, void *at, double x)
{
    if (isnan(x)) return;
    if (a->kind == QUANTILE)
        kll_add(at, x);
    else if (a->kind == SUM || a->kind == MEAN)
        add_moments(at, x);
    else
        add_extreme(at, x, a->kind == MAX);
}

/* The text of a cell; a number as it is written in decimal, in `number`. NULL: no value. */
static const char *cell_text(const struct aggregate *a, const struct leat_batch *b, uint32_t r,
                             char number[TEXT_NUMBER], size_t *n)
{
    if (a->type == LEAT_NUMBER) {
        double x = b->column[a->column].number[r];
        *n = isnan(x) ? 0 : text_format_double(number, x);
        return isnan(x) ? NULL : number;
    }
    if (a->type == LEAT_INT64) {
        int64_t x = b->column[a->column].int64[r];
        *n = x == LEAT_NO_INT64 ? 0 : text_format_int(number, x);
        return *n ? number : NULL;
    }
    struct leat_str s = b->column[a->column].text[r];
    *n = s.len;
    return s.len == LEAT_NULL ? NULL : leat_text(b, s);
}

/* A text of blanks is no value where numbers are read, and so it does not count. */
static bool is_blank(const char *text, size_t n)
{
    while (n && cell_is_blank(text[n - 1]))
        n--;
    return !n;
}

static void add_text(const struct aggregate *a, void *at, const struct leat_batch *b, uint32_t r)
{
    char number[TEXT_NUMBER];
    size_t n = 0;
    const char *text = *a->of ? cell_text(a, b, r, number, &n) : "";
    if (!text) return;
    if (a->kind != COUNT)
        column_profile_add(at, text, n, (double)NAN);
    else if (!*a->of || !is_blank(text, n))
        ++*(uint64_t *)at;
}

void aggregates_add(const struct aggregates *s, void *cell, const struct leat_batch *b, uint32_t r,
                    const double *x)
{
    for (uint32_t i = 0; i < s->n; i++) {
        const struct aggregate *a = &s->each[i];
        if (aggregate_is_number(a))
            add_number(a, part(a, cell), x[i]);
        else
            add_text(a, part(a, cell), b, r);
    }
}

/* ---- values of several cells together ---- */

static double all_count(const struct aggregate *a, void *const *cell, uint32_t n)
{
    uint64_t all = 0;
    for (uint32_t i = 0; i < n; i++)
        all += *(const uint64_t *)part(a, cell[i]);
    return (double)all;
}

/* NAN: there was no value, or the sum is none that a number can be. */
static double all_moments(struct aggregates *s, const struct aggregate *a, void *const *cell,
                          uint32_t n)
{
    struct moments all = {.n = 0};
    uint64_t values = 0;
    for (uint32_t i = 0; i < n; i++) {
        const struct moments *m = part(a, cell[i]);
        values += m->n;
        if (m->n) add_moments(&all, moments_sum(m));
    }
    if (!values) return (double)NAN;
    if (isinf(all.sum)) {
        s->overflows++;
        return (double)NAN;
    }
    return a->kind == MEAN ? moments_sum(&all) / (double)values : moments_sum(&all);
}

static double all_extremes(const struct aggregate *a, void *const *cell, uint32_t n)
{
    struct extreme all = {.n = 0};
    for (uint32_t i = 0; i < n; i++) {
        const struct extreme *e = part(a, cell[i]);
        if (e->n) add_extreme(&all, e->x, a->kind == MAX);
    }
    return all.n ? all.x : (double)NAN;
}

static double all_quantile(const struct aggregates *s, const struct aggregate *a, void *const *cell,
                           uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        s->work.sketch[i] = part(a, cell[i]);
    return kll_at(s->work.item, kll_gather(s->work.sketch, n, s->work.item), a->q);
}

/* Equal texts have equal hashes, and stand beside each other. */
#define HASH_BEFORE(a, b) ((a).text->hash < (b).text->hash)
SORT(by_hash, struct united_text, HASH_BEFORE)

static bool more_before(const struct united_text *a, const struct united_text *b)
{
    if (a->count != b->count) return a->count > b->count;
    uint32_t n_a = profile_text_bytes(a->text), n_b = profile_text_bytes(b->text);
    int by = memcmp(a->text->text, b->text->text, n_a < n_b ? n_a : n_b);
    if (by) return by < 0;
    return n_a != n_b ? n_a < n_b : a->text->hash < b->text->hash;
}
#define COUNT_BEFORE(a, b) more_before(&(a), &(b))
SORT(by_count, struct united_text, COUNT_BEFORE)

/* The texts that the cells have kept, each once, with the count that is certain; how many. A text
 * that is not among those of some pane counts less there. */
static uint32_t unite_texts(const struct aggregates *s, const struct aggregate *a,
                            void *const *cell, uint32_t n)
{
    struct united_text *all = s->work.text;
    uint32_t found = 0, kept = 0;
    for (uint32_t i = 0; i < n; i++) {
        const struct column_profile *p = part(a, cell[i]);
        for (uint32_t j = 0; j < p->n_kept; j++)
            all[found++] = (struct united_text){&p->kept[j], p->kept[j].count - p->kept[j].excess};
    }
    by_hash_sort(all, found);
    for (uint32_t i = 0; i < found; i++)
        if (kept && all[kept - 1].text->hash == all[i].text->hash)
            all[kept - 1].count += all[i].count;
        else
            all[kept++] = all[i];
    return kept;
}

/* Exact as long as every cell has kept all its texts. */
static double all_distinct(const struct aggregates *s, const struct aggregate *a, void *const *cell,
                           uint32_t n)
{
    uint8_t registers[DISTINCT_REGISTERS] = {0};
    bool full = false;
    for (uint32_t i = 0; i < n; i++) {
        const struct column_profile *p = part(a, cell[i]);
        full |= p->full;
        distinct_unite(registers, p->registers);
    }
    return full ? round(distinct_count(registers)) : unite_texts(s, a, cell, n);
}

/* "/a (12), /b (7)": the counts that are certain. Written where `out` ends. */
static struct leat_str all_top(const struct aggregates *s, const struct aggregate *a,
                               void *const *cell, uint32_t n, struct leat_batch *out)
{
    uint32_t found = unite_texts(s, a, cell, n);
    char *at = out->bytes + out->n_bytes, *from = at;
    by_count_sort(s->work.text, found);
    for (uint32_t i = 0; i < a->k && i < found && s->work.text[i].count; i++) {
        const struct united_text *t = &s->work.text[i];
        uint32_t bytes = profile_text_bytes(t->text);
        at += sprintf(at, "%s%.*s%s (%llu)", i ? ", " : "", (int)bytes, t->text->text,
                      t->text->len > bytes ? "…" : "", (unsigned long long)t->count);
    }
    struct leat_str text = {out->n_bytes, at > from ? (uint32_t)(at - from) : LEAT_NULL};
    out->n_bytes += (uint32_t)(at - from);
    return text;
}

static double all_numbers(struct aggregates *s, const struct aggregate *a, void *const *cell,
                          uint32_t n)
{
    switch (a->kind) {
    case COUNT:
        return all_count(a, cell, n);
    case SUM:
    case MEAN:
        return all_moments(s, a, cell, n);
    case QUANTILE:
        return all_quantile(s, a, cell, n);
    case DISTINCT:
        return all_distinct(s, a, cell, n);
    default:
        return all_extremes(a, cell, n);
    }
}

void aggregates_write(struct aggregates *s, void *const *cell, uint32_t n, struct leat_batch *out,
                      uint32_t r, uint32_t first)
{
    for (uint32_t i = 0; i < s->n; i++)
        if (aggregate_makes_text(&s->each[i]))
            out->column[first + i].text[r] = all_top(s, &s->each[i], cell, n, out);
        else
            out->column[first + i].number[r] = all_numbers(s, &s->each[i], cell, n);
}

/* ---- what was read from outside ---- */

static bool is_profile(const struct column_profile *p)
{
    if (p->n_kept > PROFILE_KEPT) return false;
    for (uint32_t i = 0; i < p->n_kept; i++)
        if (p->kept[i].excess > p->kept[i].count) return false;
    for (uint32_t i = 0; i < DISTINCT_REGISTERS; i++)
        if (p->registers[i] > DISTINCT_MOST) return false;
    return true;
}

bool aggregates_valid(const struct aggregates *s, const void *cell)
{
    for (uint32_t i = 0; i < s->n; i++) {
        const struct aggregate *a = &s->each[i];
        const struct moments *m = part(a, cell);
        const struct extreme *e = part(a, cell);
        if ((a->kind == SUM || a->kind == MEAN) && (isnan(m->sum) || isnan(m->lost))) return false;
        if ((a->kind == MIN || a->kind == MAX) && e->n && !isfinite(e->x)) return false;
        if (a->kind == QUANTILE && !kll_is_valid(part(a, cell), s->kll_k)) return false;
        if (a->kind >= DISTINCT && !is_profile(part(a, cell))) return false;
    }
    return true;
}
