/* weights.h -- which importance weights records may have: 0, or what floats can multiply. */
#ifndef LEAT_COMMON_LEARNERS_WEIGHTS_H
#define LEAT_COMMON_LEARNERS_WEIGHTS_H

#include <stdbool.h>

#define WEIGHTS_MIN 1e-30 /* but 0 */
#define WEIGHTS_MAX 1e15

static inline bool weights_possible(double x)
{
    return x == 0 || (x >= WEIGHTS_MIN && x <= WEIGHTS_MAX);
}

#endif
