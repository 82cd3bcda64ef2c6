/* distinct.c -- the estimate of HyperLogLog; see distinct.h. */
#include "distinct.h"

#include <math.h>

#include "kernels/base/loss.h"

double distinct_count(const uint8_t *registers)
{
    const double m = DISTINCT_REGISTERS, alpha = 0.7213 / (1 + 1.079 / m);
    double sum = 0;
    int empty = 0;
    for (int i = 0; i < DISTINCT_REGISTERS; i++) {
        sum += ldexp(1.0, -registers[i]);
        empty += !registers[i];
    }
    double estimate = alpha * m * m / sum; /* E = alpha m^2 / sum 2^-M */
    return estimate <= 2.5 * m && empty ? m * loss_log(m / empty) : estimate;
}
