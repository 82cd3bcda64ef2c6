/* contrast_sums.c -- implementation of contrast_sums.h. */
#include "contrast_sums.h"

#include <assert.h>

enum { CONTRAST_SUMS_ROWS = 2 }; /* rows of a kind */

/* ---- cells ---- */

uint64_t *contrast_sums_cell(const struct contrast_sums *s, int kind, uint32_t row, uint64_t mix)
{
    uint32_t hash = (uint32_t)(row ? mix : mix >> 32);
    uint64_t at = (uint64_t)hash * s->width >> 32;
    return &s->cell[(CONTRAST_SUMS_ROWS * (uint64_t)kind + row) * s->width + at];
}

uint64_t contrast_sums_least(const struct contrast_sums *s, int kind, uint64_t mix)
{
    uint64_t a = *contrast_sums_cell(s, kind, 0, mix), b = *contrast_sums_cell(s, kind, 1, mix);
    return a < b ? a : b;
}

void contrast_sums_raise(struct contrast_sums *s, int kind, uint64_t mix, uint64_t sum)
{
    for (uint32_t row = 0; row < CONTRAST_SUMS_ROWS; row++) {
        uint64_t *cell = contrast_sums_cell(s, kind, row, mix);
        if (*cell < sum) *cell = sum;
    }
}

/* ---- records ---- */

static uint64_t contrast_sums_larger(uint64_t a, uint64_t b) { return a > b ? a : b; }
static uint64_t contrast_sums_smaller(uint64_t a, uint64_t b) { return a < b ? a : b; }

void contrast_sums_record(struct contrast_sums *s, int kind, uint64_t amount)
{
    assert(amount <= CONTRAST_SUMS_TOTAL - s->total[0] - s->total[1]);
    s->amount = amount;
    s->total[kind] += amount;
    s->largest[kind] = contrast_sums_larger(s->largest[kind], amount);
}

static void contrast_sums_add_to(struct contrast_sum *of, int kind, uint64_t amount)
{
    of->sum[kind] = contrast_sums_add(of->sum[kind], amount);
    of->largest[kind] = contrast_sums_larger(of->largest[kind], amount);
}

/* Returns what is known of a feature that is no member. */
static struct contrast_sum contrast_sums_other(const struct contrast_sums *s, uint64_t mix)
{
    struct contrast_sum of;
    for (int y = 0; y < 2; y++) {
        of.sum[y] = of.excess[y] = contrast_sums_least(s, y, mix);
        of.largest[y] = contrast_sums_smaller(of.excess[y], s->largest[y]);
    }
    return of;
}

struct contrast_sum contrast_sums_newcomer(struct contrast_sums *s, int kind, uint64_t mix)
{
    s->occurrences = contrast_sums_add(s->occurrences, s->amount);
    struct contrast_sum of = contrast_sums_other(s, mix);
    contrast_sums_add_to(&of, kind, s->amount);
    return of;
}

void contrast_sums_count(struct contrast_sums *s, uint32_t slot, int kind)
{
    s->occurrences = contrast_sums_add(s->occurrences, s->amount);
    contrast_sums_add_to(&s->member[slot], kind, s->amount);
}

double contrast_sums_mean(const struct contrast_sums *s, uint64_t records)
{
    double mean = ((double)s->total[0] + (double)s->total[1]) / (records ? (double)records : 1);
    return mean > 1 ? mean : 1;
}

const char *contrast_sums_check(const struct contrast_sums *s, uint32_t n)
{
    if (s->total[0] > CONTRAST_SUMS_TOTAL || s->total[1] > CONTRAST_SUMS_TOTAL - s->total[0])
        return "the amounts add up to too much";
    for (uint32_t i = 0; i < n; i++)
        for (int y = 0; y < 2; y++) {
            const struct contrast_sum *of = &s->member[i];
            if (of->excess[y] > of->sum[y] || of->sum[y] > CONTRAST_SUMS_MOST)
                return "a sum is below its excess, or too large";
            if (of->largest[y] > CONTRAST_SUMS_TOTAL) return "a largest amount is too large";
        }
    return NULL;
}

/* ---- merging ---- */

void contrast_sums_add_all(struct contrast_sums *s, const struct contrast_sums *from, double count)
{
    for (int y = 0; y < 2; y++) {
        s->total[y] = contrast_sums_plus(s->total[y], from->total[y], count);
        s->largest[y] = contrast_sums_larger(s->largest[y], from->largest[y]);
    }
    s->occurrences = contrast_sums_plus(s->occurrences, from->occurrences, count);
    for (uint64_t i = 0; i < 2 * CONTRAST_SUMS_ROWS * (uint64_t)s->width; i++)
        s->cell[i] = contrast_sums_plus(s->cell[i], from->cell[i], count);
}

void contrast_sums_unite(struct contrast_sum *to, const struct contrast_sum *from, double count)
{
    for (int y = 0; y < 2; y++) {
        to->sum[y] = contrast_sums_plus(to->sum[y], from->sum[y], count);
        to->excess[y] = contrast_sums_plus(to->excess[y], from->excess[y], count);
        to->largest[y] = contrast_sums_larger(to->largest[y], from->largest[y]);
    }
}
