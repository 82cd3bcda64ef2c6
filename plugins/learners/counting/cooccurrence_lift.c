/* cooccurrence_lift.c -- implementation of cooccurrence_lift.h. */
#include "cooccurrence_lift.h"

#include <math.h>

#include "kernels/base/always.h"

#define LIFT_Z 1.96 /* 95 % */

/* Returns Byar's limit for a count n: if z > 0 the upper one of n - 1, otherwise the lower one of
 * n. */
static double byar(double n, double z)
{
    double root = 1 - 1 / (9 * n) + z / (3 * sqrt(n));
    return n > 0 && root > 0 ? n * root * root * root : 0;
}

/* Returns the factor of n(u) n(v) M / N^2. */
static double lift_ways(const struct cooccurrence *m, uint32_t pair)
{
    return !m->opt.ordered && m->pair.at[pair].first != m->pair.at[pair].second ? 2 : 1;
}

struct cooccurrence_lift cooccurrence_lift(const struct cooccurrence *m, uint32_t pair)
{
    const struct cooccurrence_bounds n = cooccurrence_pair_count(m, pair),
                                     u = cooccurrence_token_count(m, m->pair.at[pair].first),
                                     v = cooccurrence_token_count(m, m->pair.at[pair].second);
    double N = (double)m->n_tokens;
    double each = lift_ways(m, pair) * (double)m->n_pairs / N / N; /* E of tokens that came once */
    double low = n.low / (each * u.high * v.high), high = n.high / (each * u.low * v.low);
    return (struct cooccurrence_lift){.shown = low + (high - low) / 3, /* nearest to the truth */
                                      .low = byar(n.low, -LIFT_Z) / (each * u.high * v.high),
                                      .high = byar(n.high + 1, LIFT_Z) / (each * u.low * v.low)};
}

double cooccurrence_could_be_rows(const struct cooccurrence *m, double min_count)
{
    double reach = m->opt.sides ? 1 : 2.0 * (m->opt.window - 1); /* pairs of one occurrence */
    double least = fmax(1, ceil(min_count / reach)), counted = 0, tokens = 0;
    for (uint32_t t = 0; t < m->token.index.n; t++) {
        struct cooccurrence_bounds n = cooccurrence_token_count(m, t);
        counted += n.low;
        tokens += n.high >= least;
    }
    if (m->opt.sides) return fmax(1, tokens * tokens / 4); /* most pairs if the sides are equal */
    tokens += fmax(0, floor(((double)m->n_tokens - counted) / least));
    return fmax(1, m->opt.ordered ? tokens * tokens : tokens * (tokens + 1) / 2);
}

double cooccurrence_luck(const struct cooccurrence *m, uint32_t pair, double could_be_rows,
                         bool again)
{
    double N = (double)m->n_tokens, M = (double)m->n_pairs;
    double u = cooccurrence_token_count(m, m->pair.at[pair].first).high;
    double v = cooccurrence_token_count(m, m->pair.at[pair].second).high;
    double with_u = M * fmax(u, v) / N, with_v = M * fmin(u, v) / N; /* symmetric */
    double n = cooccurrence_pair_count(m, pair).low, of = fmin(M, lift_ways(m, pair) * with_v);
    return could_be_rows *
           always_tail_if(again, fmin(n, of), fmin(fmax(0, with_u - n), M - of), of, M - of);
}
