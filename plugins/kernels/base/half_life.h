/* half_life.h -- what is left of what was learned: half of it after a half-life, in records or in
 * event time. */
#ifndef LEAT_KERNELS_BASE_HALF_LIFE_H
#define LEAT_KERNELS_BASE_HALF_LIFE_H

#include <math.h>
#include <stdint.h>

#include "loss.h"

/* A span of more half-lives counts as so many: what was counted a million times is gone by then. */
#define HALF_LIFE_LEAST_SHARE 0x1p-22

/* The share 2^(-passed / half_life), both in the same unit; half_life 0: all. */
static inline double half_life_share(double passed, double half_life)
{
    return half_life > 0 ? loss_exp(-0x1.62e42fefa39efp-1 * (passed / half_life)) : 1;
}

/* The clock goes to an event time, in ns since 1970: the share that is left. It never goes back: 1
 * when the time is not later than *newest, when it is the first, and when it is negative (a record
 * without one). */
static inline double half_life_share_at(uint64_t *newest, double half_life, int64_t time)
{
    if (time < 0 || (uint64_t)time <= *newest) return 1;
    double passed = (double)((uint64_t)time - *newest);
    double share = *newest ? half_life_share(passed, half_life) : 1;
    *newest = (uint64_t)time;
    return fmax(share, HALF_LIFE_LEAST_SHARE);
}

#endif
