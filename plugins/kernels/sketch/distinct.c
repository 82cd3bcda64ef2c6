/* distinct.c -- the estimate of HyperLogLog; see distinct.h. */
#include "distinct.h"

#include <math.h>
#include <string.h>

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

uint32_t distinct_list(union distinct_space *s, uint32_t n, uint64_t hash)
{
    uint64_t listed[DISTINCT_LISTED];
    for (uint32_t i = 0; i < n; i++)
        if (s->hash[i] == hash) return n;
    if (n < DISTINCT_LISTED) {
        s->hash[n] = hash;
        return n + 1;
    }
    memcpy(listed, s->hash, sizeof listed);
    memset(s, 0, sizeof *s);
    for (uint32_t i = 0; i < n; i++)
        distinct_add(s->registers, listed[i]);
    distinct_add(s->registers, hash);
    return 0;
}
