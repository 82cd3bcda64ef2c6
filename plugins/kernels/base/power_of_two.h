/* power_of_two.h -- tests whether a number is a power of two. */
#ifndef LEAT_KERNELS_BASE_POWER_OF_TWO_H
#define LEAT_KERNELS_BASE_POWER_OF_TWO_H

#include <stdbool.h>
#include <stdint.h>

static inline bool is_power_of_two(uint64_t n) { return n && !(n & (n - 1)); }

#endif
