/* unit.c -- implementation of unit.h. */
#include "unit.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "core/mix64.h"

enum {
    FEWEST = 3,              /* values before the first unit                                      */
    EARLY = UNIT_SAMPLE + 1, /* values after which centre and spread move rarely                  */
    UNLIKE = 3,              /* samples that may be further away than the one that sets the limit */
    KNOWN = 8,               /* values beside the centre after which a spread may stay            */
    EXACT = 512,             /* values after which the centre is exact                            */
    WILD_SOME = 4,           /* wild values among the last 32 that are sampled                    */
    WILD_CHANGE = 16         /* wild values among the last 32 that mean a change                  */
};

static const float FAR = 3, NEAR = 0.5f, OF_QUANTILE = 0.78f, OF_MEDIAN = 1.48f, WILD = 1024;

/* Sorts a sample by insertion. */
static void unit_sort(float *v, uint32_t n)
{
    for (uint32_t k = 1; k < n; k++) {
        float one = v[k];
        uint32_t at = k;
        for (; at && v[at - 1] > one; at--)
            v[at] = v[at - 1];
        v[at] = one;
    }
}

static uint32_t unit_held(uint64_t n) { return n < UNIT_SAMPLE ? (uint32_t)n : UNIT_SAMPLE; }

/* Adds value number n, from 0, to a sample, or not. */
static void unit_sample(float *sample, uint64_t n, uint64_t seed, float x)
{
    uint64_t at = n < UNIT_SAMPLE ? n : mix64(n ^ seed) % (n + 1);
    if (at < UNIT_SAMPLE) sample[at] = x;
}

static float unit_median(const struct unit *u)
{
    float v[UNIT_SAMPLE];
    uint32_t n = unit_held(u->n);
    memcpy(v, u->value, n * sizeof *v);
    unit_sort(v, n);
    return v[(n - 1) / 2];
}

/* Writes the sorted distances of the samples from `centre` that are not 0. Returns their number. */
static uint32_t unit_distances(const struct unit *u, float centre, float *d)
{
    uint32_t n = 0, values = unit_held(u->n), away = unit_held(u->n_away);
    for (uint32_t k = 0; k < values; k++)
        if (u->value[k] != centre) d[n++] = fabsf(u->value[k] - centre);
    for (uint32_t k = 0; k < away; k++)
        if (u->away[k] != centre) d[n++] = fabsf(u->away[k] - centre);
    unit_sort(d, n);
    return n;
}

/* Returns the spread by n sorted distances. Of few, the median is less sure, but a wild one among
 * them does not count. */
static float unit_spread(const float *d, uint32_t n)
{
    if (!n) return 0;
    return n < UNIT_SAMPLE ? OF_MEDIAN * d[(n - 1) / 2]
                           : OF_QUANTILE * d[(uint32_t)(0.8 * (n - 1))];
}

/* Sets the limit of wild values by the distances from the centre. */
static void unit_set_limit(struct unit *u, const float *d, uint32_t n)
{
    u->limit = n > UNLIKE ? WILD * fmaxf(u->spread, d[n - 1 - UNLIKE]) : 0;
}

/* Moves centre and spread if they are far from those of the samples, unless they stay. */
static bool unit_fit(struct unit *u, bool stays)
{
    float d[2 * UNIT_SAMPLE], centre = unit_median(u);
    bool early = u->n < EARLY, moved = false;
    uint32_t n = unit_distances(u, centre, d);
    float spread = unit_spread(d, n), off = fabsf(centre - u->centre);
    if (stays && !early && u->spread > 0 && u->n_away >= KNOWN) {
        n = unit_distances(u, u->centre, d);
        unit_set_limit(u, d, n);
        return false;
    }
    if (off > (early && u->centre != 0 ? NEAR : FAR) * spread) {
        u->centre = centre;
        moved = true;
    } else {
        n = unit_distances(u, u->centre, d);
        spread = unit_spread(d, n);
    }
    float factor = early ? 1.5f : 4;
    if (spread > 0 && (spread > factor * u->spread || spread * factor < u->spread)) {
        u->spread = spread;
        moved = true;
    }
    unit_set_limit(u, d, n);
    return moved;
}

/* True if the unit is to be fitted after value number n: at each of the first ones, and eight times
 * while their number doubles. */
static bool unit_is_due(uint64_t n)
{
    if (n < UNIT_SAMPLE) return n >= FEWEST;
    return n % ((UINT64_C(1) << (63 - __builtin_clzll(n))) / 8) == 0;
}

/* Counts a value, which is wild or not. Returns true if it is to be sampled. */
static bool unit_admits(struct unit *u, float x, bool wild)
{
    u->recent = u->recent << 1 | wild;
    if (!wild) return true;
    int run = __builtin_popcount(u->recent);
    if (u->wild++ && x == u->last) {
        u->marker = x;
        u->marked = 1;
    }
    u->last = x;
    if (run >= WILD_CHANGE) *u = (struct unit){.wild = u->wild, .centre = u->centre};
    return run >= WILD_SOME;
}

/* Moves a centre that is not 0 to the mean of the values so far. */
static bool unit_refine(struct unit *u)
{
    float mean = (float)(u->sum / (double)u->n), off = fabsf(mean - u->centre);
    if (u->centre == 0 || !(off < u->spread)) return false;
    u->centre = mean;
    return off > 0;
}

bool unit_see(struct unit *u, float x, bool stays)
{
    if (!unit_admits(u, x, unit_is_wild(u, x))) return false;
    unit_sample(u->value, u->n++, 0, x);
    if (x != u->centre) unit_sample(u->away, u->n_away++, MIX64_GOLDEN, x);
    if (u->n >= UNIT_SAMPLE) u->given = 0;
    u->sum += (double)x;
    if (u->given || !unit_is_due(u->n)) return false;
    if (u->n == EXACT && !stays && unit_refine(u)) return true;
    return unit_fit(u, stays);
}

const char *unit_check(const struct unit *u)
{
    bool fits = isfinite(u->centre) && isfinite(u->spread) && isfinite(u->sum) && u->spread >= 0 &&
                u->limit >= 0 && u->n_away <= u->n && isfinite(u->limit) && isfinite(u->last) &&
                isfinite(u->marker);
    for (uint32_t k = 0; k < UNIT_SAMPLE; k++)
        fits &= isfinite(u->value[k]) && isfinite(u->away[k]);
    return fits ? NULL : "the unit of a number is damaged";
}
