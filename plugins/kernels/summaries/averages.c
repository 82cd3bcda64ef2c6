/* averages.c -- implementation of averages.h. */
#include "averages.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "core/wide.h"

#define AVERAGES_LIMIT 1e30f /* the largest weight of any learner */

/* Doubles of the averages of a block. */
struct averages_sums {
    double weight[AVERAGES_WIDE], records[AVERAGES_WIDE], mean[AVERAGES_WIDE];
    double centre[AVERAGES_WIDE], scatter[AVERAGES_WIDE];
};

typedef float averages_floats __attribute__((vector_size(4 * AVERAGES_WIDE)));
typedef double averages_doubles __attribute__((vector_size(8 * AVERAGES_WIDE)));

/* Returns the smaller number; `most` if v is NaN. Written out because fmin would be a call. */
WIDE_INLINE double averages_at_most(double v, double most) { return v < most ? v : most; }

WIDE_INLINE void averages_update(struct averages_sums *b, double records)
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

WIDE_INLINE void averages_widen(double *to, const float *from)
{
    averages_floats v;
    memcpy(&v, from, sizeof v);
    averages_doubles d = __builtin_convertvector(v, averages_doubles);
    memcpy(to, &d, sizeof d);
}

WIDE_INLINE void averages_narrow(float *to, const double *from)
{
    averages_doubles d;
    memcpy(&d, from, sizeof d);
    averages_floats v = __builtin_convertvector(d, averages_floats);
    memcpy(to, &v, sizeof v);
}

/* Counts the weights that have moved since the last sample. */
WIDE_INLINE void averages_move(struct averages_block *a, const float *stored)
{
    averages_floats now, last, moves;
    memcpy(&now, stored, sizeof now);
    memcpy(&last, a->last, sizeof last);
    memcpy(&moves, a->moves, sizeof moves);
    moves -= __builtin_convertvector(now != last, averages_floats); /* -1 where unequal */
    memcpy(a->last, &now, sizeof now);
    memcpy(a->moves, &moves, sizeof moves);
}

WIDE_INLINE void averages_add_block(struct averages_block *a, const double *weight,
                                    const float *stored, double records)
{
    struct averages_sums b;
    averages_move(a, stored);
    memcpy(b.weight, weight, sizeof b.weight);
    averages_widen(b.records, a->records);
    averages_widen(b.mean, a->mean);
    averages_widen(b.centre, a->centre);
    averages_widen(b.scatter, a->scatter);
    averages_update(&b, records);
    averages_narrow(a->records, b.records);
    averages_narrow(a->mean, b.mean);
    averages_narrow(a->centre, b.centre);
    averages_narrow(a->scatter, b.scatter);
}

WIDE static void averages_add_blocks(struct averages_block *a, uint32_t blocks,
                                     const double *weight, const float *stored, double records)
{
    for (uint32_t k = 0; k < blocks; k++, weight += AVERAGES_WIDE, stored += AVERAGES_WIDE)
        averages_add_block(&a[k], weight, stored, records);
}

void averages_add(struct averages *a, uint32_t from, uint32_t n, const double *weight,
                  const float *stored, double records)
{
    assert(from % AVERAGES_WIDE == 0);
    uint32_t rest = n % AVERAGES_WIDE;
    averages_add_blocks(a->of + from / AVERAGES_WIDE, n / AVERAGES_WIDE, weight, stored, records);
    if (!rest) return;
    struct averages_block *of = a->of + (from + n) / AVERAGES_WIDE, last = *of;
    double w[AVERAGES_WIDE] = {0};
    float s[AVERAGES_WIDE] = {0};
    memcpy(w, weight + n - rest, rest * sizeof *w);
    memcpy(s, stored + n - rest, rest * sizeof *s);
    averages_add_blocks(&last, 1, w, s, records);
    for (uint32_t i = 0; i < rest; i++)
        averages_set(&(struct averages){.of = of}, i,
                     averages_get(&(struct averages){.of = &last}, i));
}

void averages_restart(struct averages *a, uint32_t n)
{
    for (uint32_t f = 0; a->of && f < n; f++)
        averages_set(a, f, (struct average){0});
}

double averages_variance(const struct average *a)
{
    double off = (double)a->centre - (double)a->mean, b = (double)a->scatter * (double)a->scatter;
    return (b + off * off) / 3;
}

double averages_spread(const struct averages *of, uint64_t f)
{
    struct average a = averages_get(of, f);
    if (!(a.moves >= AVERAGES_MOVES)) return (double)NAN;
    return AVERAGES_REACH * sqrt(averages_variance(&a));
}

struct average averages_of(double records, double mean, double variance, double moves)
{
    return (struct average){.records = (float)fmin(records, (double)AVERAGES_LIMIT),
                            .mean = (float)mean,
                            .centre = (float)mean,
                            .scatter = (float)sqrt(3 * variance),
                            .last = (float)mean,
                            .moves = (float)moves};
}

void averages_join(struct averages *to, uint64_t at, const struct averages *from, uint64_t f,
                   double count)
{
    struct average a = averages_get(to, at), b = averages_get(from, f);
    double la = (double)a.records, lb = count * (double)b.records, l = la + lb;
    if (!(lb > 0)) return;
    double p = la / l, q = lb / l;
    double mean = p * (double)a.mean + q * (double)b.mean;
    double v = p * p * averages_variance(&a) + q * q * averages_variance(&b);
    averages_set(to, at, averages_of(l, mean, v, (double)a.moves + (double)b.moves));
}

const char *averages_check(const struct averages *a, uint32_t n)
{
    for (uint32_t f = 0; f < n; f++) {
        struct average v = averages_get(a, f);
        if (!(v.records >= 0 && v.moves >= 0 && v.scatter >= 0))
            return "averages has a count or a scatter below 0";
        if (!(fabsf(v.mean) <= AVERAGES_LIMIT && fabsf(v.centre) <= AVERAGES_LIMIT))
            return "averages has a mean above 1e30";
    }
    return NULL;
}
