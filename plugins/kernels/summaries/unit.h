/* unit.h -- the unit of a number: its centre and its spread, so that learners need not know either.
 *
 * A linear model learns slowly what is far from 0 compared with how it varies, such as a year or a
 * temperature in Kelvin. So a learner replaces x by (x - centre) / spread. The function that it
 * learns stays linear in x: w (x - c) / s is w / s for each x, and a constant.
 *
 *   centre   0, unless the median is further from 0 than 3 spreads; then the median
 *   spread   0.78 times the 80 % quantile of |x - centre|, without zeros: one standard deviation
 *            of normal values; at first 1.48 times the median, which no single value sways
 *
 * A median of few values is not exact. So after 512 values a centre that is not 0 becomes their
 * mean, once, unless it has to stay.
 *
 * Both come from two samples of 32 values each: of all values, and of those that differ from the
 * centre, as most values may be 0. Each value so far is in its sample with the same chance
 * (reservoir sampling: Vitter, Random Sampling with a Reservoir, ACM TOMS 1985), drawn from its
 * number alone. So equal streams have equal units.
 *
 * Centre and spread move only if they are far off, because each move changes what the weights mean.
 * After 32 values the centre must be off by 3 spreads, and the spread by a factor of 4. Learners
 * that take numbers of any unit alike, but cannot learn anew, let them stay then, once 8 values
 * differed from the centre.
 *
 * Wild values. A value 1024 times as far from the centre as the spread, and as all but three of the
 * samples, is unlike all others. It is drawn in to a 32nd of that limit, and nothing should be
 * learned of it. If the same wild value comes twice in a row, it marks a missing number, as -9999
 * does: from then on it is 0 in the new unit. Wild values are not sampled unless 4 of the last 32
 * values are wild. If 16 of them are, the column has changed, and all begins anew.
 *
 * Example. The values 2001, 2003, 1999, 2002 have the centre 2001. The distances 1, 2 and 2 have
 * the median 2, so the spread is 2.96, and 2003 becomes 0.68.
 */
#ifndef LEAT_KERNELS_SUMMARIES_UNIT_H
#define LEAT_KERNELS_SUMMARIES_UNIT_H

#include <stdbool.h>
#include <stdint.h>

enum { UNIT_SAMPLE = 32 };

struct unit {
    uint64_t n, n_away; /* values since the beginning: all, and those that differ from the centre */
    uint64_t wild;      /* values that were wild, in all                                          */
    uint32_t recent;    /* the last 32 values: bit 0 is the last one; 1: it was wild              */
    uint32_t
        given; /* 1: centre and spread come from a merge, and stay for UNIT_SAMPLE values      */
    float centre;
    float spread; /* 0: not known yet                                                             */
    float limit;  /* values further from the centre are wild; 0: none are                         */
    float last, marker; /* the last wild value; the last that came twice                          */
    uint32_t marked;    /* 1: there is a marker                                                   */
    double sum;         /* of the values since the beginning that were not wild */
    float value[UNIT_SAMPLE], away[UNIT_SAMPLE];
};

/* Takes a value, which is finite. `stays`: centre and spread stay after UNIT_SAMPLE values, unless
 * the column has changed. Returns true if the centre or the spread has moved. */
bool unit_see(struct unit *u, float x, bool stays);

/* True if x is unlike all others. */
static inline bool unit_is_wild(const struct unit *u, float x)
{
    float d = x - u->centre;
    return u->limit > 0 && (d < 0 ? -d : d) > u->limit;
}

/* True if x marks a missing number. */
static inline bool unit_is_marker(const struct unit *u, float x)
{
    return u->marked && x == u->marker;
}

/* Returns x in the unit, or without `scaled` only its distance from the centre. Returns 0 if the
 * spread is not known or x marks a missing number. */
static inline float unit_of(const struct unit *u, float x, bool scaled)
{
    float d = x - u->centre;
    if (!(u->spread > 0)) return 0;
    if (unit_is_wild(u, x)) d = unit_is_marker(u, x) ? 0 : (d < 0 ? -u->limit : u->limit) / 32;
    return d / (scaled ? u->spread : 1);
}

/* Returns a text if no unit can have these values, as in a damaged state; NULL if one can. */
const char *unit_check(const struct unit *u);

#endif
