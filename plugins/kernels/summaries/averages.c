/* averages.c -- implementation of averages.h. */
#include "averages.h"

#include <math.h>
#include <stddef.h>

#define AVERAGES_LIMIT 1e30f /* the largest weight of any learner */

void averages_add(struct average *a, double weight, float stored, double records)
{
    double limit = (double)AVERAGES_LIMIT, w = fmax(-limit, fmin(limit, weight));
    double total = (double)a->records + records, part = records / total;
    double v = (double)a->mean, c = (double)a->centre, g = fmin(1, 3 * part);
    v += (w - v) * fmin(1, 1.5 * part);
    double b = (double)a->scatter * (double)a->scatter + (v - c) * (v - c) * g;
    a->moves += stored != a->last;
    a->last = stored;
    a->records = (float)total;
    a->mean = (float)v;
    a->centre = (float)(c + (v - c) * g);
    a->scatter = (float)sqrt((1 - g) * b);
}

void averages_restart(struct averages *a, uint32_t n)
{
    for (uint32_t f = 0; a->of && f < n; f++)
        a->of[f] = (struct average){0};
}

/* Returns the variance V of an average. */
static double averages_variance(const struct average *a)
{
    double off = (double)a->centre - (double)a->mean, b = (double)a->scatter * (double)a->scatter;
    return (b + off * off) / 3;
}

double averages_spread(const struct average *a)
{
    if (!(a->moves >= AVERAGES_MOVES)) return (double)NAN;
    return AVERAGES_REACH * sqrt(averages_variance(a));
}

void averages_join(struct average *a, const struct average *b, double count)
{
    double la = (double)a->records, lb = count * (double)b->records, l = la + lb;
    if (!(lb > 0)) return;
    double p = la / l, q = lb / l;
    double mean = p * (double)a->mean + q * (double)b->mean;
    double v = p * p * averages_variance(a) + q * q * averages_variance(b);
    *a = (struct average){.records = (float)fmin(l, (double)AVERAGES_LIMIT),
                          .mean = (float)mean,
                          .centre = (float)mean,
                          .scatter = (float)sqrt(3 * v),
                          .last = (float)mean,
                          .moves = a->moves + b->moves};
}

const char *averages_check(const struct averages *a, uint32_t n)
{
    for (uint32_t f = 0; f < n; f++) {
        const struct average *v = &a->of[f];
        if (!(v->records >= 0 && v->moves >= 0 && v->scatter >= 0))
            return "averages has a count or a scatter below 0";
        if (!(fabsf(v->mean) <= AVERAGES_LIMIT && fabsf(v->centre) <= AVERAGES_LIMIT))
            return "averages has a mean above 1e30";
    }
    return NULL;
}
