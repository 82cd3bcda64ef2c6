/* contrast_figures.c -- implementation of contrast_figures.h. */
#include "contrast_figures.h"

#include <math.h>

#include "kernels/base/loss.h"

double contrast_ratio(double n1, double n0, double N1, double N0)
{
    if (n1 < 0.5 || n0 < 0.5 || N1 < 0.5 || N0 < 0.5) n1 += 0.5, n0 += 0.5, N1 += 0.5, N0 += 0.5;
    return n1 / N1 / (n0 / N0);
}

struct contrast_figure contrast_quotient(contrast_of_counts *f, const struct contrast *m,
                                         const struct contrast_bounds *b)
{
    double N1 = contrast_records(m, 1), N0 = contrast_records(m, 0);
    struct contrast_figure q = {.low = f(b->low[1], b->high[0], N1, N0),
                                .high = f(b->high[1], b->low[0], N1, N0)};
    q.shown = q.low == q.high ? q.low : sqrt(q.low * q.high);
    return q;
}

struct contrast_figure contrast_between(double low, double high)
{
    return (struct contrast_figure){0.5 * (low + high), low, high};
}

struct contrast_figure contrast_share(const struct contrast *m, const struct contrast_bounds *b,
                                      int y)
{
    double N = contrast_records(m, y);
    if (!(N > 0)) return contrast_between((double)NAN, (double)NAN);
    return contrast_between(fmin(1, b->low[y] / N), fmin(1, b->high[y] / N));
}

struct contrast_figure contrast_rate(const struct contrast *m, const struct contrast_bounds *b)
{
    double low[2], high[2];
    for (int y = 0; y < 2; y++) {
        low[y] = fmin(b->low[y], contrast_records(m, y));
        high[y] = fmin(b->high[y], contrast_records(m, y));
    }
    bool none = !(high[0] > 0) && !(high[1] > 0); /* all its records have decayed */
    double least = high[0] > 0 ? low[1] / (low[1] + high[0]) : 1;
    double most = high[1] > 0 ? high[1] / (high[1] + low[0]) : 0;
    return none ? contrast_between(0, 1) : contrast_between(least, most);
}

double contrast_log_ratio(const struct contrast *m, double n1, double n0, double prior)
{
    double N1 = contrast_records(m, 1) + 0.5, N0 = contrast_records(m, 0) + 0.5;
    const struct sgd_prior p = sgd_prior(loss_log(N1 / N0), prior);
    return sgd_log_odds_ratio(n1, n0, &p);
}

/* Returns the prior, in records, of the weight in an answer: the number of records of which one, on
 * average, has the rarer label. If that label is rare, even a hundred records of the other label
 * are little evidence. */
static double prior_shown(const struct contrast *m)
{
    double N1 = contrast_records(m, 1) + 0.5, N0 = contrast_records(m, 0) + 0.5;
    return (N1 + N0) / fmin(N1, N0);
}

double contrast_weight(const struct contrast *m, const struct contrast_bounds *b)
{
    double prior = prior_shown(m), low = contrast_log_ratio(m, b->low[1], b->high[0], prior);
    double high = contrast_log_ratio(m, b->high[1], b->low[0], prior);
    return low > 0 ? low : high < 0 ? high : 0;
}
