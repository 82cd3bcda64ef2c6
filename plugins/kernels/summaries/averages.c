/* averages.c -- implementation of averages.h. */
#include "averages.h"

#include <math.h>
#include <stddef.h>

#include "core/wide.h"

#define AVERAGES_LIMIT 1e30f /* the largest weight of any learner */

/* Numbers that one vector instruction handles. */
enum { AVERAGES_WIDE = 8 };

/* Members of AVERAGES_WIDE averages. Loops that copy them are unrolled, so the members stay in
 * vectors. Vectors read from memory would wait for the single numbers written there. */
struct averages_block {
    double weight[AVERAGES_WIDE], records[AVERAGES_WIDE], mean[AVERAGES_WIDE];
    double centre[AVERAGES_WIDE], scatter[AVERAGES_WIDE];
};

/* Returns the smaller number; `most` if v is NaN. Written out because fmin would be a call. */
WIDE_INLINE double averages_at_most(double v, double most) { return v < most ? v : most; }

WIDE_INLINE void averages_update(struct averages_block *b, double records)
{
    double limit = (double)AVERAGES_LIMIT;
    for (int i = 0; i < AVERAGES_WIDE; i++) {
        double w = averages_at_most(b->weight[i], limit);
        w = w > -limit ? w : -limit;
        double total = b->records[i] + records, part = records / total;
        double v = b->mean[i], c = b->centre[i], g = averages_at_most(3 * part, 1);
        v += (w - v) * averages_at_most(1.5 * part, 1);
        double square = b->scatter[i] * b->scatter[i] + (v - c) * (v - c) * g;
        b->records[i] = total;
        b->mean[i] = v;
        b->centre[i] = c + (v - c) * g;
        b->scatter[i] = sqrt((1 - g) * square);
    }
}

WIDE_INLINE void averages_load(struct averages_block *b, uint32_t n, const struct average *a,
                               const double *weight)
{
#pragma GCC unroll 8
    for (uint32_t i = 0; i < n; i++) {
        b->weight[i] = weight[i];
        b->records[i] = (double)a[i].records;
        b->mean[i] = (double)a[i].mean;
        b->centre[i] = (double)a[i].centre;
        b->scatter[i] = (double)a[i].scatter;
    }
}

WIDE_INLINE void averages_store(const struct averages_block *b, uint32_t n, struct average *a,
                                const float *stored)
{
#pragma GCC unroll 8
    for (uint32_t i = 0; i < n; i++)
        a[i] = (struct average){.records = (float)b->records[i],
                                .mean = (float)b->mean[i],
                                .centre = (float)b->centre[i],
                                .scatter = (float)b->scatter[i],
                                .last = stored[i],
                                .moves = a[i].moves + (stored[i] != a[i].last ? 1.0f : 0.0f)};
}

WIDE void averages_add(struct average *a, uint32_t n, const double *weight, const float *stored,
                       double records)
{
    struct averages_block b;
    uint32_t at = 0;
    for (; at + AVERAGES_WIDE <= n; at += AVERAGES_WIDE) {
        averages_load(&b, AVERAGES_WIDE, a + at, weight + at);
        averages_update(&b, records);
        averages_store(&b, AVERAGES_WIDE, a + at, stored + at);
    }
    if (at == n) return;
    b = (struct averages_block){.weight = {0}};
    averages_load(&b, n - at, a + at, weight + at);
    averages_update(&b, records);
    averages_store(&b, n - at, a + at, stored + at);
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
