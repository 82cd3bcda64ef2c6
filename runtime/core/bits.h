/* bits.h -- the bits of floating-point numbers as integers, and back. */
#ifndef LEAT_CORE_BITS_H
#define LEAT_CORE_BITS_H

#include <stdint.h>

union float_bits {
    float number;
    uint32_t bits;
};

union double_bits {
    double number;
    uint64_t bits;
};

static inline uint32_t bits_of_float(float v) { return (union float_bits){.number = v}.bits; }
static inline float float_of_bits(uint32_t v) { return (union float_bits){.bits = v}.number; }
static inline uint64_t bits_of_double(double v) { return (union double_bits){.number = v}.bits; }
static inline double double_of_bits(uint64_t v) { return (union double_bits){.bits = v}.number; }

#endif
