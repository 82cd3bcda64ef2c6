/* half_life.h -- share that is left of learned state: half after each half-life. */
#ifndef LEAT_KERNELS_BASE_HALF_LIFE_H
#define LEAT_KERNELS_BASE_HALF_LIFE_H

#include <math.h>
#include <stdint.h>

#include "loss.h"

/* Least share after one step, of 22 half-lives. A count of a million then rounds to 0. */
#define HALF_LIFE_LEAST_SHARE 0x1p-22

/* Share 2^(-passed / half_life), both in one unit; 1 if half_life is 0. */
static inline double half_life_share(double passed, double half_life)
{
    return half_life > 0 ? loss_exp(-0x1.62e42fefa39efp-1 * (passed / half_life)) : 1;
}

/* Moves the clock *newest to an event time, in ns since 1970. Returns the share that is left. The
 * share is 1 for the first time, and for a time that is not later than *newest. It is also 1 for a
 * negative time, of a record without one. */
static inline double half_life_share_at(uint64_t *newest, double half_life, int64_t time)
{
    if (time < 0 || (uint64_t)time <= *newest) return 1;
    double passed = (double)((uint64_t)time - *newest);
    double share = *newest ? half_life_share(passed, half_life) : 1;
    *newest = (uint64_t)time;
    return fmax(share, HALF_LIFE_LEAST_SHARE);
}

#endif
