/* half_life.h -- fading: learned state loses half of its weight in each half-life. */
#ifndef LEAT_KERNELS_BASE_HALF_LIFE_H
#define LEAT_KERNELS_BASE_HALF_LIFE_H

#include <math.h>
#include <stdint.h>

#include "loss.h"

/* Smallest share that half_life_share_at() returns: the share after 22 half-lives. It reduces a
 * count of a million to less than 1/2. */
#define HALF_LIFE_LEAST_SHARE 0x1p-22

/* Returns the share of the weight that remains, 2^(-passed / half_life). Returns 1 if half_life is
 * 0 (no fading). Both arguments have the same unit. */
static inline double half_life_share(double passed, double half_life)
{
    return half_life > 0 ? loss_exp(-0x1.62e42fefa39efp-1 * (passed / half_life)) : 1;
}

/* Moves the clock *newest to an event time (ns since 1970), and returns the share of the weight
 * that remains. Returns 1 for the first event time of a stream, and for a time that is not later
 * than *newest. Also returns 1 for a negative time, which means that the record has no time. */
static inline double half_life_share_at(uint64_t *newest, double half_life, int64_t time)
{
    if (time < 0 || (uint64_t)time <= *newest) return 1;
    double passed = (double)((uint64_t)time - *newest);
    double share = *newest ? half_life_share(passed, half_life) : 1;
    *newest = (uint64_t)time;
    return fmax(share, HALF_LIFE_LEAST_SHARE);
}

#endif
