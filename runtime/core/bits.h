/* bits.h -- the bits of floating-point numbers as integers, and back. */
#ifndef LEAT_CORE_BITS_H
#define LEAT_CORE_BITS_H

#include <stdbool.h>
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

/* Returns the float that is a number of 16 bits: sign 1, exponent 5, fraction 10. */
static inline float float_of_half(uint32_t half)
{
    const uint32_t sign = (half & 0x8000) << 16, shifted = (half & 0x7fff) << 13;
    const float scaled = float_of_bits(shifted) * 0x1p112f; /* the exponent's bias is 15, not 127 */
    const bool finite = (half & 0x7c00) != 0x7c00;
    return float_of_bits(sign | (finite ? bits_of_float(scaled) : shifted | 0x7f800000));
}

#endif
