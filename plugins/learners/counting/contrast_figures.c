/* contrast_figures.c -- implementation of contrast_figures.h. */
#include "contrast_figures.h"

#include <math.h>

#include "kernels/base/loss.h"

/* Extreme sums of kind y, and the extreme ones of those that are neither 0 nor all. */
struct contrast_quotient_ends {
    double at[4];
};

static struct contrast_quotient_ends contrast_quotient_ends(const struct contrast *m,
                                                            const struct contrast_bounds *b, int y)
{
    double unit = 1 / contrast_mass_unit(m), most = contrast_mass(m, y) - unit;
    double low = b->low[y], high = b->high[y];
    return (struct contrast_quotient_ends){
        {low, high, fmin(fmax(low, unit), high), fmax(fmin(high, most), low)}};
}

/* Returns the bounds of f of sums. f adds a record where a sum is 0, or all, but not beside. So it
 * is monotone between these sums only. */
static struct contrast_figure contrast_quotient_of_sums(contrast_of_counts *f,
                                                        const struct contrast *m,
                                                        const struct contrast_bounds *b)
{
    const struct contrast_quotient_ends n1 = contrast_quotient_ends(m, b, 1),
                                        n0 = contrast_quotient_ends(m, b, 0);
    struct contrast_figure q = {.low = (double)INFINITY};
    for (int i = 0; i < 16; i++) {
        double x = f(n1.at[i / 4], n0.at[i % 4], contrast_mass(m, 1), contrast_mass(m, 0), true);
        q.low = fmin(q.low, x);
        q.high = fmax(q.high, x);
    }
    return q;
}

struct contrast_figure contrast_quotient(contrast_of_counts *f, const struct contrast *m,
                                         const struct contrast_bounds *b)
{
    double N1 = contrast_mass(m, 1), N0 = contrast_mass(m, 0);
    struct contrast_figure q = {.low = f(b->low[1], b->high[0], N1, N0, false),
                                .high = f(b->high[1], b->low[0], N1, N0, false)};
    if (m->shape.amounts) q = contrast_quotient_of_sums(f, m, b);
    q.shown = q.low == q.high ? q.low : sqrt(q.low * q.high);
    return q;
}

struct contrast_figure contrast_between(double low, double high)
{
    return (struct contrast_figure){0.5 * (low + high), low, high};
}

struct contrast_figure contrast_within(struct contrast_figure of, struct contrast_figure above,
                                       struct contrast_figure own)
{
    double least = fmax(above.low, own.low), most = fmin(1, above.high + own.high);
    double low = fmin(fmax(of.low, least), most), high = fmax(fmin(of.high, most), low);
    return (struct contrast_figure){fmin(fmax(of.shown, low), high), low, high};
}

struct contrast_figure contrast_share(const struct contrast *m, const struct contrast_bounds *b,
                                      int y)
{
    double N = contrast_mass(m, y);
    if (!(N > 0)) return contrast_between((double)NAN, (double)NAN);
    return contrast_between(fmin(1, b->low[y] / N), fmin(1, b->high[y] / N));
}

struct contrast_figure contrast_rate(const struct contrast *m, const struct contrast_bounds *b)
{
    double low[2], high[2];
    for (int y = 0; y < 2; y++) {
        low[y] = fmin(b->low[y], contrast_mass(m, y));
        high[y] = fmin(b->high[y], contrast_mass(m, y));
    }
    bool none = !(high[0] > 0) && !(high[1] > 0); /* all its records have decayed */
    double least = high[0] > 0 ? low[1] / (low[1] + high[0]) : 1;
    double most = high[1] > 0 ? high[1] / (high[1] + low[0]) : 0;
    return none ? contrast_between(0, 1) : contrast_between(least, most);
}

struct contrast_figure contrast_amount_figure(const struct contrast_held *h, uint32_t slot)
{
    const struct contrast_sum of = contrast_slot_sum(&h->model, slot);
    uint64_t high = of.sum[0] + of.sum[1], low = high - of.excess[0] - of.excess[1];
    return contrast_between(amounts_of(h->amounts, (double)low),
                            amounts_of(h->amounts, (double)high));
}

struct contrast_figure contrast_change(const struct contrast_held *h, uint32_t slot)
{
    struct contrast_bounds b = contrast_slot_bounds(&h->model, slot);
    double low = b.low[1] - b.high[0], high = b.high[1] - b.low[0];
    if (!h->amounts) return contrast_between(low, high);
    const struct contrast_sum of = contrast_slot_sum(&h->model, slot);
    low = (double)(int64_t)(of.sum[1] - of.excess[1] - of.sum[0]);
    high = (double)(int64_t)(of.sum[1] - (of.sum[0] - of.excess[0]));
    return contrast_between(amounts_of(h->amounts, low), amounts_of(h->amounts, high));
}

struct contrast_figure contrast_share_of_change(const struct contrast *m,
                                                const struct contrast_bounds *b)
{
    double all = contrast_mass(m, 1) - contrast_mass(m, 0);
    double x = (b->low[1] - b->high[0]) / all, y = (b->high[1] - b->low[0]) / all;
    if (all == 0) x = y = (double)NAN;
    return contrast_between(fmin(x, y), fmax(x, y));
}

double contrast_log_ratio(const struct contrast *m, double n1, double n0, double prior)
{
    return sgd_log_ratio(n1, n0, contrast_mass(m, 1), contrast_mass(m, 0), prior);
}

/* Returns the prior, in records, of the weight in an answer: the number of records of which one, on
 * average, has the rarer label. If that label is rare, even a hundred records of the other label
 * are little evidence. */
static double prior_shown(const struct contrast *m)
{
    double N1 = contrast_mass(m, 1), N0 = contrast_mass(m, 0);
    return (N1 + N0) / fmin(N1, N0);
}

double contrast_weight(const struct contrast *m, const struct contrast_bounds *b)
{
    double prior = prior_shown(m), low = contrast_log_ratio(m, b->low[1], b->high[0], prior);
    double high = contrast_log_ratio(m, b->high[1], b->low[0], prior);
    return low > 0 ? low : high < 0 ? high : 0;
}
