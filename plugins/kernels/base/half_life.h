/* half_life.h -- fading: learned state loses half of its weight in each half-life.
 *
 * With a half-life H in event time, a record of time t counts 2^(-(T - t) / H) when the clock shows
 * T, the latest time of all records. That depends on the records alone. If a record moves the clock
 * forward by d, the state fades by 2^(-d/H), and the record counts 1. If a record is d earlier than
 * the clock, nothing fades, and the record counts 2^(-d/H). So several files or partitions may come
 * in any order, one after the other or mixed:
 *
 *     T        10:00  10:10  10:10  10:20      H = 10 minutes
 *     record   10:00  10:10  10:00  10:20
 *     counts   1      1      1/2    1          at the end: 1/4 + 1/2 + 1/4 + 1
 *
 * A wrong clock must not let everything fade. A record that is more than HALF_LIFE_AHEAD half-lives
 * ahead counts 1 and does not move the clock, unless others are ahead, too. Each such record adds
 * HALF_LIFE_STEP to `ahead`, and each other record takes 1 away. At HALF_LIFE_SURE the clock moves
 * to the earliest of them: after ten in a row, or after more if they are over a tenth of all.
 * One of the first ten records may turn out to be that far ahead: the clock then goes back. */
#ifndef LEAT_KERNELS_BASE_HALF_LIFE_H
#define LEAT_KERNELS_BASE_HALF_LIFE_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "loss.h"

/* Smallest share that half_life_take() returns: the share after 22 half-lives. It reduces a count
 * of a million to less than 1/2. */
#define HALF_LIFE_LEAST_SHARE  0x1p-22
#define HALF_LIFE_LEAST_WEIGHT 0x1p-64 /* of a record */

enum { HALF_LIFE_AHEAD = 8, HALF_LIFE_STEP = 9, HALF_LIFE_SURE = 90, HALF_LIFE_FIRST = 10 };

struct half_life_clock {
    uint64_t newest; /* latest event time that counts, ns since 1970; 0: none yet */
    uint64_t least;  /* earliest time of the records far ahead, if `ahead` is not 0 */
    uint32_t ahead;  /* below HALF_LIFE_SURE */
    uint32_t seen;   /* number of records, at most HALF_LIFE_FIRST */
};

/* Returns the share of the weight that remains, 2^(-passed / half_life). Returns 1 if half_life is
 * 0 (no fading). Both arguments have the same unit. */
static inline double half_life_share(double passed, double half_life)
{
    return half_life > 0 ? loss_exp(-0x1.62e42fefa39efp-1 * (passed / half_life)) : 1;
}

/* Moves the clock forward, and returns the share of the weight that remains. */
static inline double half_life_move(struct half_life_clock *c, double half_life, uint64_t time)
{
    double share = c->newest ? half_life_share((double)(time - c->newest), half_life) : 1;
    c->newest = time;
    return fmax(share, HALF_LIFE_LEAST_SHARE);
}

/* Takes the time of a record that is far ahead. Returns true if it moves the clock, to c->least. */
static inline bool half_life_ahead(struct half_life_clock *c, uint64_t time)
{
    if (!c->ahead || time < c->least) c->least = time;
    c->ahead += HALF_LIFE_STEP;
    if (c->ahead < HALF_LIFE_SURE) return false;
    c->ahead = 0;
    return true;
}

/* Takes the event time of a record, ns since 1970; below 0: none. Returns the share of the state's
 * weight that remains, and sets *weight to the weight of the record. */
static inline double half_life_take(struct half_life_clock *c, double half_life, int64_t time,
                                    double *weight)
{
    const double far = HALF_LIFE_AHEAD * half_life;
    uint64_t t = (uint64_t)time;
    *weight = 1;
    if (time < 0) return 1;
    bool first = c->seen < HALF_LIFE_FIRST;
    c->seen += first;
    if (t <= c->newest && (double)(c->newest - t) > far && first) {
        c->newest = t;
    } else if (t <= c->newest) {
        *weight = half_life_share((double)(c->newest - t), half_life);
        *weight = fmax(*weight, HALF_LIFE_LEAST_WEIGHT);
    } else if (c->newest && (double)(t - c->newest) > far) {
        return half_life_ahead(c, t) ? half_life_move(c, half_life, c->least) : 1;
    }
    c->ahead -= c->ahead > 0;
    return t > c->newest ? half_life_move(c, half_life, t) : 1;
}

/* Moves the clock to that of another model, unless it is later. Returns the share that remains. */
static inline double half_life_meet(struct half_life_clock *c, double half_life,
                                    const struct half_life_clock *other)
{
    c->seen = other->seen > c->seen ? other->seen : c->seen;
    return other->newest > c->newest ? half_life_move(c, half_life, other->newest) : 1;
}

#endif
