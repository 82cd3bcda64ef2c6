/* aggregate_kinds.c -- the table of aggregates (aggregates.h): count, sum, mean, …, top.
 *
 * Each section has the functions of one aggregate. The table is at the end. */
#include "aggregates.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/le.h"
#include "core/mix64.h"
#include "common/cells/cell.h"
#include "kernels/base/feature_id.h"
#include "kernels/base/sort.h"

/* ---- values of a column as texts ---- */

/* Returns record r's value in the column of `a`, as a text; NULL if there is none. A number is
 * written to `number`, in decimal. */
static const char *aggregate_cell_text(const struct aggregate *a, const struct leat_batch *b,
                                       uint32_t r, char number[TEXT_NUMBER], size_t *n)
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

/* True if the text is blank. A blank text counts as a missing value, also in columns of texts. */
static bool aggregate_is_blank(const char *text, size_t n)
{
    while (n && cell_is_blank(text[n - 1]))
        n--;
    return !n;
}

/* Returns record r's value in the column of `a`, as a text; NULL if there is none, or it is
 * blank. */
static const char *aggregate_text(const struct aggregate *a, const struct leat_batch *b, uint32_t r,
                                  char number[TEXT_NUMBER], size_t *n)
{
    const char *text = aggregate_cell_text(a, b, r, number, n);
    return text && !aggregate_is_blank(text, *n) ? text : NULL;
}

/* ---- count ---- */

static void count_add(struct aggregates *s, const struct aggregate *a,
                      const struct aggregate_rows *rows, const double *x)
{
    const uint32_t at = a->at, n_rows = rows->n;
    const bool all = !*a->of;
    char number[TEXT_NUMBER];
    size_t n;
    for (uint32_t k = 0; all && k < n_rows; k++)
        ++*(uint64_t *)(void *)((char *)rows->cell[k] + at);
    for (uint32_t k = 0; !all && k < n_rows; k++)
        if (aggregate_text(a, rows->b, rows->row[k], number, &n))
            ++*(uint64_t *)aggregate_part(a, rows->cell[k]);
}

static double count_unite(struct aggregates *s, const struct aggregate *a, void *const *cell,
                          uint32_t n)
{
    uint64_t all = 0;
    for (uint32_t i = 0; i < n; i++)
        all += *(const uint64_t *)aggregate_part(a, cell[i]);
    return (double)all;
}

static void count_turn(const struct aggregates *s, void *at, bool save)
{
    le_turn_members(at, "8");
}

/* ---- sum, mean ---- */

/* Part of a sum or mean. `lost` is the sum of the rounding errors of `sum` (A. Neumaier 1974). When
 * a partial sum exceeds the range of double, `sum` and `lost` are scaled by 2^-128 from then on. So
 * no sum of 2^63 values overflows, and later values may bring it back into the range. */
struct moments {
    uint64_t n; /* number of values; MOMENTS_SCALED: `sum` and `lost` are scaled by 2^-128 */
    double sum, lost;
};
#define MOMENTS_SCALED (UINT64_C(1) << 63)

static void moments_scale(struct moments *m)
{
    if (m->n & MOMENTS_SCALED) return;
    m->n |= MOMENTS_SCALED;
    m->sum *= 0x1p-128;
    m->lost *= 0x1p-128;
}

/* Adds x, which is scaled like m->sum. An infinite sum, as in states of older versions, stays
 * infinite. */
static void moments_add_part(struct moments *m, double x)
{
    double sum = m->sum + x;
    if (!isfinite(sum)) {
        if (isinf(m->sum)) return;
        moments_scale(m);
        x *= 0x1p-128;
        sum = m->sum + x;
    }
    m->lost += fabs(m->sum) >= fabs(x) ? m->sum - sum + x : x - sum + m->sum;
    m->sum = sum;
}

static void moments_add(struct moments *m, double x)
{
    m->n++;
    moments_add_part(m, m->n & MOMENTS_SCALED ? x * 0x1p-128 : x);
}

static uint64_t moments_count(const struct moments *m) { return m->n & ~MOMENTS_SCALED; }

/* Returns the unscaled sum divided by `by`; infinite if that exceeds the range of double. */
static double moments_sum(const struct moments *m, double by)
{
    double sum = (m->sum + m->lost) / by;
    return m->n & MOMENTS_SCALED ? sum * 0x1p128 : sum;
}

static void moments_merge(struct moments *all, struct moments m)
{
    uint64_t n = moments_count(all) + moments_count(&m);
    if ((all->n | m.n) & MOMENTS_SCALED) {
        moments_scale(all);
        moments_scale(&m);
    }
    moments_add_part(all, m.sum);
    if (all->n & ~m.n & MOMENTS_SCALED) moments_scale(&m); /* adding m.sum has scaled `all` */
    moments_add_part(all, m.lost);
    all->n = n | (all->n & MOMENTS_SCALED);
}

static void moments_add_rows(struct aggregates *s, const struct aggregate *a,
                             const struct aggregate_rows *rows, const double *x)
{
    for (uint32_t k = 0; k < rows->n; k++)
        if (!isnan(x[k])) moments_add(aggregate_part(a, rows->cell[k]), x[k]);
}

/* Returns the sum, or the mean if `mean`. Returns NAN if there is no value, or if the sum exceeds
 * the range of double. */
static double moments_unite(struct aggregates *s, const struct aggregate *a, void *const *cell,
                            uint32_t n, bool mean)
{
    struct moments all = {.n = 0};
    for (uint32_t i = 0; i < n; i++)
        moments_merge(&all, *(const struct moments *)aggregate_part(a, cell[i]));
    if (!moments_count(&all)) return (double)NAN;
    double x = moments_sum(&all, mean ? (double)moments_count(&all) : 1);
    if (isfinite(x)) return x;
    s->overflows++;
    return (double)NAN;
}

static double sum_unite(struct aggregates *s, const struct aggregate *a, void *const *cell,
                        uint32_t n)
{
    return moments_unite(s, a, cell, n, false);
}

static double mean_unite(struct aggregates *s, const struct aggregate *a, void *const *cell,
                         uint32_t n)
{
    return moments_unite(s, a, cell, n, true);
}

static bool moments_is_valid(const struct aggregates *s, const void *at)
{
    const struct moments *m = at;
    return !isnan(m->sum) && !isnan(m->lost);
}

static void moments_turn(const struct aggregates *s, void *at, bool save)
{
    le_turn_members(at, "888");
}

/* ---- min, max ---- */

struct extreme {
    uint64_t n;
    double x;
};

static void extreme_add(struct extreme *e, double x, bool greater)
{
    if (!e->n++ || (greater ? x > e->x : x < e->x)) e->x = x;
}

static void min_add(struct aggregates *s, const struct aggregate *a,
                    const struct aggregate_rows *rows, const double *x)
{
    for (uint32_t k = 0; k < rows->n; k++)
        if (!isnan(x[k])) extreme_add(aggregate_part(a, rows->cell[k]), x[k], false);
}

static void max_add(struct aggregates *s, const struct aggregate *a,
                    const struct aggregate_rows *rows, const double *x)
{
    for (uint32_t k = 0; k < rows->n; k++)
        if (!isnan(x[k])) extreme_add(aggregate_part(a, rows->cell[k]), x[k], true);
}

static double extreme_unite(const struct aggregate *a, void *const *cell, uint32_t n, bool greater)
{
    struct extreme all = {.n = 0};
    for (uint32_t i = 0; i < n; i++) {
        const struct extreme *e = aggregate_part(a, cell[i]);
        if (e->n) extreme_add(&all, e->x, greater);
    }
    return all.n ? all.x : (double)NAN;
}

static double min_unite(struct aggregates *s, const struct aggregate *a, void *const *cell,
                        uint32_t n)
{
    return extreme_unite(a, cell, n, false);
}

static double max_unite(struct aggregates *s, const struct aggregate *a, void *const *cell,
                        uint32_t n)
{
    return extreme_unite(a, cell, n, true);
}

static bool extreme_is_valid(const struct aggregates *s, const void *at)
{
    const struct extreme *e = at;
    return !e->n || isfinite(e->x);
}

static void extreme_turn(const struct aggregates *s, void *at, bool save)
{
    le_turn_members(at, "88");
}

/* ---- quantile ---- */

static void quantile_name_it(struct aggregate *a)
{
    snprintf(a->name, sizeof a->name, "p%g_%.200s", 100 * a->argument, a->of);
}

static uint32_t quantile_bytes(uint32_t kll_k) { return (uint32_t)kll_bytes(kll_k); }

static void quantile_begin(const struct aggregates *s, void *at, uint64_t seed)
{
    kll_init(at, s->kll_k, seed);
}

static void quantile_add(struct aggregates *s, const struct aggregate *a,
                         const struct aggregate_rows *rows, const double *x)
{
    for (uint32_t k = 0; k < rows->n; k++)
        if (!isnan(x[k])) kll_add(aggregate_part(a, rows->cell[k]), x[k]);
}

static double quantile_unite(struct aggregates *s, const struct aggregate *a, void *const *cell,
                             uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        s->work.sketch[i] = aggregate_part(a, cell[i]);
    return kll_at(s->work.item, kll_gather(s->work.sketch, n, s->work.item), a->argument);
}

static bool quantile_is_valid(const struct aggregates *s, const void *at)
{
    return kll_is_valid(at, s->kll_k);
}

static void quantile_turn(const struct aggregates *s, void *at, bool save)
{
    kll_turn(at, kll_capacity(s->kll_k));
}

/* ---- distinct ---- */

static void distinct_add_texts(struct aggregates *s, const struct aggregate *a,
                               const struct aggregate_rows *rows, const double *x)
{
    char number[TEXT_NUMBER];
    size_t n;
    for (uint32_t k = 0; k < rows->n; k++) {
        const char *text = aggregate_text(a, rows->b, rows->row[k], number, &n);
        if (!text) continue;
        distinct_set_add(aggregate_part(a, rows->cell[k]), mix64(feature_id_name(text, n)));
    }
}

#define IS_LESS(a, b) ((a) < (b))
SORT(hashes, uint64_t, IS_LESS)

static uint32_t distinct_hashes_count(uint64_t *hash, uint32_t n)
{
    uint32_t different = 0;
    if (n) hashes_sort(hash, n);
    for (uint32_t i = 0; i < n; i++)
        different += !i || hash[i] != hash[i - 1];
    return different;
}

/* Returns the number of different texts. It is exact if all parts are exact. It never exceeds the
 * number of texts. */
static double distinct_unite_cells(struct aggregates *s, const struct aggregate *a,
                                   void *const *cell, uint32_t n)
{
    uint8_t registers[DISTINCT_REGISTERS] = {0};
    uint64_t texts = 0, *hash = s->work.hash;
    uint32_t found = 0;
    bool exact = true;
    for (uint32_t i = 0; i < n; i++) {
        const struct distinct_set *of = aggregate_part(a, cell[i]);
        texts += of->values;
        exact &= distinct_set_is_exact(of);
        if (!distinct_set_is_exact(of)) distinct_unite(registers, of->space.registers);
        memcpy(hash + found, of->space.hash, of->listed * sizeof *hash);
        found += (uint32_t)of->listed;
    }
    if (exact) return distinct_hashes_count(hash, found);
    for (uint32_t i = 0; i < found; i++)
        distinct_add(registers, hash[i]);
    return fmin(round(distinct_count(registers)), (double)texts);
}

static bool distinct_is_valid(const struct aggregates *s, const void *at)
{
    const struct distinct_set *of = at;
    if (of->listed > DISTINCT_LISTED || of->listed > of->values) return false;
    for (uint32_t i = 0; i < DISTINCT_REGISTERS && !of->listed; i++)
        if (of->space.registers[i] > DISTINCT_MOST) return false;
    return true;
}

static void distinct_turn(const struct aggregates *s, void *at, bool save)
{
    struct distinct_set *of = at;
    if (save) le_turn(of->space.hash, sizeof *of->space.hash, of->listed);
    le_turn_members(of, "88");
    if (!save && of->listed <= DISTINCT_LISTED)
        le_turn(of->space.hash, sizeof *of->space.hash, of->listed);
}

/* ---- top ---- */

static void top_add(struct aggregates *s, const struct aggregate *a,
                    const struct aggregate_rows *rows, const double *x)
{
    char number[TEXT_NUMBER];
    size_t n;
    for (uint32_t k = 0; k < rows->n; k++) {
        const char *text = aggregate_text(a, rows->b, rows->row[k], number, &n);
        if (text) tallies_add(&s->tallies, aggregate_part(a, rows->cell[k]), text, n);
    }
}

static void top_forget(struct aggregates *s, void *at) { tallies_forget(&s->tallies, at); }

/* Sorts texts by hash, so that equal texts become neighbours. */
#define TOP_HASH_BEFORE(a, b) ((a).hash < (b).hash)
SORT(by_hash, struct united_text, TOP_HASH_BEFORE)

static uint32_t top_shown_bytes(const struct united_text *t)
{
    return t->len < TALLY_TEXT ? t->len : TALLY_TEXT;
}

static bool top_more_before(const struct united_text *a, const struct united_text *b)
{
    if (a->count != b->count) return a->count > b->count;
    uint32_t n_a = top_shown_bytes(a), n_b = top_shown_bytes(b);
    int by = memcmp(a->text, b->text, n_a < n_b ? n_a : n_b);
    if (by) return by < 0;
    return n_a != n_b ? n_a < n_b : a->hash < b->hash;
}
#define TOP_COUNT_BEFORE(a, b) top_more_before(&(a), &(b))
SORT(by_count, struct united_text, TOP_COUNT_BEFORE)

/* Merges neighbours that are equal texts, and adds up their counts and excesses. Returns the number
 * of texts that remain. */
static uint32_t top_unite_equal(struct united_text *all, uint32_t n)
{
    uint32_t kept = 0;
    by_hash_sort(all, n);
    for (uint32_t i = 0; i < n; i++) {
        if (!kept || all[kept - 1].hash != all[i].hash) {
            all[kept++] = all[i];
            continue;
        }
        all[kept - 1].count += all[i].count;
        all[kept - 1].excess += all[i].excess;
    }
    return kept;
}

/* Merges the tallies of n panes into s->work.text. A text that a pane's tally lacks may have
 * occurred there up to the tally's bound. So the count of each text begins with *bound, the sum of
 * all bounds. A pane whose tally has the text then adds its count minus its bound. */
static uint32_t top_unite_tallies(const struct aggregates *s, const struct aggregate *a,
                                  void *const *cell, uint32_t n, uint64_t *bound)
{
    struct united_text *all = s->work.text;
    uint32_t found = 0;
    *bound = 0;
    for (uint32_t i = 0; i < n; i++) {
        const struct tally *of = aggregate_part(a, cell[i]);
        *bound += of->bound;
        for (const struct tallied *t = NULL; (t = tallies_next(&s->tallies, of, t));)
            all[found++] = (struct united_text){.hash = t->hash,
                                                .count = t->count - of->bound,
                                                /* may wrap below 0; adding *bound corrects that */
                                                .excess = t->excess - of->bound,
                                                .text = t->text,
                                                .len = t->len};
    }
    found = top_unite_equal(all, found);
    for (uint32_t i = 0; i < found; i++) {
        all[i].count += *bound;
        all[i].excess += *bound;
    }
    return found;
}

/* Counts a top() result of `given` texts in s if it may be wrong. The result is certain if no count
 * has an excess, and if no other text (count at most `bound`) can exceed the last of k texts. */
static void top_note_certainty(struct aggregates *s, uint32_t given, uint32_t k, uint64_t bound)
{
    const struct united_text *all = s->work.text;
    bool certain = !bound || (given == k && all[k - 1].count > bound);
    for (uint32_t i = 0; i < given; i++) {
        certain &= !all[i].excess;
        if (all[i].excess > s->farthest) s->farthest = all[i].excess;
    }
    s->estimated += !certain;
    s->pressed |= !certain && s->tallies.limit < s->tallies.most;
}

/* Appends the result of a top(), such as "/a (12), /b (~7)", to `out`. The sign ~ precedes a count
 * that is only an upper bound. */
static struct leat_str top_unite_text(struct aggregates *s, const struct aggregate *a,
                                      void *const *cell, uint32_t n, struct leat_batch *out)
{
    uint64_t bound;
    uint32_t found = top_unite_tallies(s, a, cell, n, &bound), i = 0;
    const uint32_t k = (uint32_t)a->argument;
    char *from = out->bytes + out->n_bytes, *at = from;
    by_count_sort(s->work.text, found);
    for (; i < k && i < found; i++) {
        const struct united_text *t = &s->work.text[i];
        uint32_t bytes = top_shown_bytes(t);
        if (i) at = mempcpy(at, ", ", 2);
        at = mempcpy(at, t->text, bytes); /* the text may have zero bytes */
        at += sprintf(at, "%s (%s%llu)", t->len > bytes ? "…" : "", t->excess ? "~" : "",
                      (unsigned long long)t->count);
    }
    top_note_certainty(s, i, k, bound);
    struct leat_str text = {out->n_bytes, at > from ? (uint32_t)(at - from) : LEAT_NULL};
    out->n_bytes += (uint32_t)(at - from);
    return text;
}

static void tally_turn(const struct aggregates *s, void *at, bool save)
{
    struct tally *of = at;
    if (save) of->first = of->last = of->reserved = 0;
    le_turn_members(of, "44448");
}

/* ---- the table ---- */

enum {
    AGGREGATE_MAX_TOP = TALLIES_LEAST / 2,
    AGGREGATE_TOP_BYTES = TALLY_TEXT + 32,
    /* Booleans and times are converted to texts. */
    AGGREGATE_TAKES_TEXTS =
        LEAT_TAKES_TEXT | LEAT_TAKES_BYTES | LEAT_TAKES_NUMBER | LEAT_TAKES_INT64
};

#define AGGREGATE_OF_NUMBERS .needs_column = true, .takes = CELL_TAKES, .numbers = true
#define AGGREGATE_OF_TEXTS   .needs_column = true, .takes = AGGREGATE_TAKES_TEXTS

const struct aggregate_kind aggregate_kinds[AGGREGATE_KINDS] = {
    {
        .name = "count",
        .takes = AGGREGATE_TAKES_TEXTS,
        .cell_bytes = sizeof(uint64_t),
        .add = count_add,
        .unite = count_unite,
        .turn = count_turn,
    },
    {
        .name = "sum",
        AGGREGATE_OF_NUMBERS,
        .cell_bytes = sizeof(struct moments),
        .add = moments_add_rows,
        .unite = sum_unite,
        .turn = moments_turn,
        .is_valid = moments_is_valid,
    },
    {
        .name = "mean",
        AGGREGATE_OF_NUMBERS,
        .cell_bytes = sizeof(struct moments),
        .add = moments_add_rows,
        .unite = mean_unite,
        .turn = moments_turn,
        .is_valid = moments_is_valid,
    },
    {
        .name = "min",
        AGGREGATE_OF_NUMBERS,
        .cell_bytes = sizeof(struct extreme),
        .add = min_add,
        .unite = min_unite,
        .turn = extreme_turn,
        .is_valid = extreme_is_valid,
    },
    {
        .name = "max",
        AGGREGATE_OF_NUMBERS,
        .cell_bytes = sizeof(struct extreme),
        .add = max_add,
        .unite = max_unite,
        .turn = extreme_turn,
        .is_valid = extreme_is_valid,
    },
    {
        .name = "quantile",
        AGGREGATE_OF_NUMBERS,
        .argument = {0, 1, false, "a quantile is a share from 0 to 1, such as 0.99"},
        .name_it = quantile_name_it,
        .sketch_bytes = quantile_bytes,
        .begin = quantile_begin,
        .add = quantile_add,
        .unite = quantile_unite,
        .turn = quantile_turn,
        .is_valid = quantile_is_valid,
    },
    {
        .name = "distinct",
        AGGREGATE_OF_TEXTS,
        .cell_bytes = sizeof(struct distinct_set),
        .add = distinct_add_texts,
        .unite = distinct_unite_cells,
        .turn = distinct_turn,
        .is_valid = distinct_is_valid,
    },
    {
        .name = "top",
        AGGREGATE_OF_TEXTS,
        .tallies = true,
        .text_bytes = AGGREGATE_TOP_BYTES,
        .argument = {1, AGGREGATE_MAX_TOP, true,
                     "top gives 1 to 16 values: write for example \"top(path, 3)\""},
        .cell_bytes = sizeof(struct tally),
        .add = top_add,
        .forget = top_forget,
        .unite_text = top_unite_text,
        .turn = tally_turn,
    },
};
