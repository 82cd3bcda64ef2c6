/* aggregates.c -- see aggregates.h. */
#include "aggregates.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "aggregate_texts.h"
#include "core/mix64.h"
#include "common/cells/cell.h"
#include "common/cells/columns.h"

enum { MAX_TOP = TALLIES_LEAST / 2, TOP_BYTES = TALLY_TEXT + 32 };

/* Of a sum or mean. lost: what rounding took from the sum (A. Neumaier 1974). Once a sum on the way
 * is beyond all numbers both are kept times 2^-128, where no sum of 2^63 values is: it may come
 * back. */
struct moments {
    uint64_t n; /* values; MOMENTS_SCALED: sum and lost are times 2^-128 */
    double sum, lost;
};
#define MOMENTS_SCALED (UINT64_C(1) << 63)
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

/* What is written for a name that other languages have. */
static const char *meant_by(const char *name)
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
        return "a percentile is such as \"quantile(x, 0.95)\"";
    return "";
}

static bool take_kind(struct reader *r, struct aggregate *a, const char *name)
{
    for (int i = 0; i < KINDS; i++)
        if (!strcmp(name, kind_names[i])) {
            a->kind = (enum aggregate_kind)i;
            return true;
        }
    const char *meant = meant_by(name);
    snprintf(r->why, AGGREGATE_WHY,
             "'%.40s' is no function: %s%sthere are count, sum, mean, min, max, quantile, distinct "
             "and top",
             name, meant, *meant ? "; " : "");
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
        [COUNT] = sizeof(uint64_t),      [SUM] = sizeof(struct moments),
        [MEAN] = sizeof(struct moments), [MIN] = sizeof(struct extreme),
        [MAX] = sizeof(struct extreme),  [DISTINCT] = sizeof(struct column_profile),
        [TOP] = sizeof(struct tally)};
    uint32_t n = a->kind == QUANTILE ? (uint32_t)kll_bytes(kll_k) : bytes[a->kind];
    return (n + 7) & ~7u;
}

static uint64_t max_texts(const struct aggregate_sizes *z)
{
    uint64_t tops = (uint64_t)z->panes * z->values;
    return tops > z->tallied ? z->tallied : tops;
}

static uint64_t max_hashes(const struct aggregate_sizes *z)
{
    return (uint64_t)z->panes * DISTINCT_LISTED;
}

uint64_t aggregates_work_bytes(const struct aggregate_sizes *z)
{
    return kll_work(z->kll_k, z->panes) * sizeof(struct kll_item) +
           z->panes * sizeof(struct kll *) + max_texts(z) * sizeof(struct united_text) +
           max_hashes(z) * sizeof(uint64_t) + (z->tallied ? z->values * sizeof(uint64_t) : 0);
}

/* Booleans and times that are counted are texts. */
uint32_t aggregate_takes(const struct aggregate *a)
{
    if (aggregate_is_number(a)) return CELL_TAKES;
    return LEAT_TAKES_TEXT | LEAT_TAKES_BYTES | LEAT_TAKES_NUMBER | LEAT_TAKES_INT64;
}

static bool take_work(struct leat_ctx *ctx, struct aggregates *s, const struct aggregate_sizes *z)
{
    s->work.item = ctx->host->alloc(ctx, kll_work(z->kll_k, z->panes) * sizeof *s->work.item);
    s->work.hash = ctx->host->alloc(ctx, max_hashes(z) * sizeof *s->work.hash);
    s->work.sketch = ctx->host->alloc(ctx, z->panes * sizeof *s->work.sketch);
    if (!s->work.item || !s->work.hash || !s->work.sketch) return false;
    if (!z->tallied) return true;
    s->work.text = ctx->host->alloc(ctx, max_texts(z) * sizeof *s->work.text);
    s->work.count = ctx->host->alloc(ctx, z->values * sizeof *s->work.count);
    return s->work.text && s->work.count;
}

int aggregates_open(struct leat_ctx *ctx, struct aggregates *s, const struct leat_strings *list,
                    const struct aggregate_sizes *z)
{
    char why[AGGREGATE_WHY];
    *s = (struct aggregates){.n = list->n, .kll_k = z->kll_k, .seed = ctx->host->seed(ctx)};
    s->each = ctx->host->alloc(ctx, list->n * sizeof *s->each);
    if (!s->each || !take_work(ctx, s, z))
        return ctx->host->fail(ctx, LEAT_ENOMEM,
                               "there is not enough memory for %u columns of %u panes", list->n,
                               z->panes);
    for (uint32_t i = 0; i < list->n; i++) {
        struct aggregate *a = &s->each[i];
        if (!aggregate_parse(a, list->v[i], why))
            return ctx->host->fail(ctx, LEAT_EARG, "'%s': %s", list->v[i], why);
        if (*a->of) a->column = columns_known(ctx, a->of, aggregate_takes(a));
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

/* ---- taking records ---- */

void aggregates_begin(const struct aggregates *s, void *cell, uint64_t group)
{
    for (uint32_t i = 0; i < s->n; i++)
        if (s->each[i].kind == QUANTILE)
            kll_init(aggregate_part(&s->each[i], cell), s->kll_k, mix64(s->seed + group) + i);
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

static void scale_moments(struct moments *m)
{
    if (m->n & MOMENTS_SCALED) return;
    m->n |= MOMENTS_SCALED;
    m->sum *= 0x1p-128;
    m->lost *= 0x1p-128;
}

/* x has the scale of m. A sum that is infinite, as older states may have it, stays so. */
static void add_part(struct moments *m, double x)
{
    double sum = m->sum + x;
    if (isinf(m->sum)) return;
    if (isinf(sum)) {
        scale_moments(m);
        x *= 0x1p-128;
        sum = m->sum + x;
    }
    m->lost += fabs(m->sum) >= fabs(x) ? m->sum - sum + x : x - sum + m->sum;
    m->sum = sum;
}

static void add_moments(struct moments *m, double x)
{
    m->n++;
    add_part(m, m->n & MOMENTS_SCALED ? x * 0x1p-128 : x);
}

static uint64_t moments_count(const struct moments *m) { return m->n & ~MOMENTS_SCALED; }

/* Divided by `by`; infinite: no number can be so large. */
static double moments_sum(const struct moments *m, double by)
{
    double sum = (m->sum + m->lost) / by;
    return m->n & MOMENTS_SCALED ? sum * 0x1p128 : sum;
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

/* A text of blanks is no value where numbers are read, and so it is none anywhere. */
static bool is_blank(const char *text, size_t n)
{
    while (n && cell_is_blank(text[n - 1]))
        n--;
    return !n;
}

static void add_text(struct aggregates *s, const struct aggregate *a, void *at,
                     const struct leat_batch *b, uint32_t r)
{
    char number[TEXT_NUMBER];
    size_t n = 0;
    const char *text = *a->of ? cell_text(a, b, r, number, &n) : "";
    if (!text || (*a->of && is_blank(text, n))) return;
    if (a->kind == TOP)
        tallies_add(&s->tallies, at, text, n);
    else if (a->kind == DISTINCT)
        column_profile_add(at, text, n, (double)NAN);
    else
        ++*(uint64_t *)at;
}

void aggregates_forget(struct aggregates *s, void *cell)
{
    for (uint32_t i = 0; i < s->n; i++)
        if (s->each[i].kind == TOP) tallies_forget(&s->tallies, aggregate_part(&s->each[i], cell));
}

void aggregates_add(struct aggregates *s, void *cell, const struct leat_batch *b, uint32_t r,
                    const double *x)
{
    for (uint32_t i = 0; i < s->n; i++) {
        const struct aggregate *a = &s->each[i];
        if (aggregate_is_number(a))
            add_number(a, aggregate_part(a, cell), x[i]);
        else
            add_text(s, a, aggregate_part(a, cell), b, r);
    }
}

/* ---- values of several cells together ---- */

static double all_count(const struct aggregate *a, void *const *cell, uint32_t n)
{
    uint64_t all = 0;
    for (uint32_t i = 0; i < n; i++)
        all += *(const uint64_t *)aggregate_part(a, cell[i]);
    return (double)all;
}

static void merge_moments(struct moments *all, struct moments m)
{
    uint64_t n = moments_count(all) + moments_count(&m);
    if ((all->n | m.n) & MOMENTS_SCALED) {
        scale_moments(all);
        scale_moments(&m);
    }
    add_part(all, m.sum);
    if (all->n & ~m.n & MOMENTS_SCALED) scale_moments(&m); /* it was that sum which was too large */
    add_part(all, m.lost);
    all->n = n | (all->n & MOMENTS_SCALED);
}

/* NAN: there was no value, or the sum is none that a number can be. */
static double all_moments(struct aggregates *s, const struct aggregate *a, void *const *cell,
                          uint32_t n)
{
    struct moments all = {.n = 0};
    for (uint32_t i = 0; i < n; i++)
        merge_moments(&all, *(const struct moments *)aggregate_part(a, cell[i]));
    if (!moments_count(&all)) return (double)NAN;
    double x = moments_sum(&all, a->kind == MEAN ? (double)moments_count(&all) : 1);
    if (isfinite(x)) return x;
    s->overflows++;
    return (double)NAN;
}

static double all_extremes(const struct aggregate *a, void *const *cell, uint32_t n)
{
    struct extreme all = {.n = 0};
    for (uint32_t i = 0; i < n; i++) {
        const struct extreme *e = aggregate_part(a, cell[i]);
        if (e->n) add_extreme(&all, e->x, a->kind == MAX);
    }
    return all.n ? all.x : (double)NAN;
}

static double all_quantile(const struct aggregates *s, const struct aggregate *a, void *const *cell,
                           uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        s->work.sketch[i] = aggregate_part(a, cell[i]);
    return kll_at(s->work.item, kll_gather(s->work.sketch, n, s->work.item), a->q);
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
        return aggregate_distinct(s, a, cell, n);
    default:
        return all_extremes(a, cell, n);
    }
}

void aggregates_write(struct aggregates *s, void *const *cell, uint32_t n, struct leat_batch *out,
                      uint32_t r, uint32_t first)
{
    for (uint32_t i = 0; i < s->n; i++)
        if (aggregate_makes_text(&s->each[i]))
            out->column[first + i].text[r] = aggregate_top(s, &s->each[i], cell, n, out);
        else
            out->column[first + i].number[r] = all_numbers(s, &s->each[i], cell, n);
}

/* ---- what is kept elsewhere ---- */

void aggregates_saved(const struct aggregates *s, void *copy)
{
    for (uint32_t i = 0; i < s->n; i++) {
        if (s->each[i].kind != TOP) continue;
        struct tally *of = aggregate_part(&s->each[i], copy);
        of->first = of->last = of->reserved = 0;
    }
}

static bool is_profile(const struct column_profile *p)
{
    if (p->n_kept > PROFILE_KEPT || p->listed > DISTINCT_LISTED) return false;
    for (uint32_t i = 0; i < p->n_kept; i++)
        if (p->kept[i].excess > p->kept[i].count) return false;
    for (uint32_t i = 0; i < DISTINCT_REGISTERS && !p->listed; i++)
        if (p->texts_had.registers[i] > DISTINCT_MOST) return false;
    return true;
}

bool aggregates_valid(const struct aggregates *s, const void *cell)
{
    for (uint32_t i = 0; i < s->n; i++) {
        const struct aggregate *a = &s->each[i];
        const struct moments *m = aggregate_part(a, cell);
        const struct extreme *e = aggregate_part(a, cell);
        if ((a->kind == SUM || a->kind == MEAN) && (isnan(m->sum) || isnan(m->lost))) return false;
        if ((a->kind == MIN || a->kind == MAX) && e->n && !isfinite(e->x)) return false;
        if (a->kind == QUANTILE && !kll_is_valid(aggregate_part(a, cell), s->kll_k)) return false;
        if (a->kind == DISTINCT && !is_profile(aggregate_part(a, cell))) return false;
    }
    return true;
}
