/* compact.c -- conversions between floats and the one-byte codes of accumulators */
#include "compact.h"

/* 2^(1/3) and 2^(2/3), as floats */
#define THIRD_1 0x1.428a3p+0f
#define THIRD_2 0x1.965feap+0f

enum { LOWEST = -30, TOP = 255 }; /* LOWEST: exponent of code 1; TOP: the last code */

#define VALUES(ONE) (ONE), (ONE)*THIRD_1, (ONE)*THIRD_2
#define UPS(ONE)                                                                                   \
    0x1p24f / ((ONE) * (THIRD_1 - 1)), 0x1p24f / ((ONE) * (THIRD_2 - THIRD_1)),                    \
        0x1p24f / ((ONE) * (2 - THIRD_2))
#define FIVE(OF, FIRST)                                                                            \
    OF(FIRST), OF(2 * (FIRST)), OF(4 * (FIRST)), OF(8 * (FIRST)), OF(16 * (FIRST))
/* Applies OF to the first value of each octave, except the last octave. */
#define ALL(OF)                                                                                    \
    FIVE(OF, 0x1p-30f), FIVE(OF, 0x1p-25f), FIVE(OF, 0x1p-20f), FIVE(OF, 0x1p-15f),                \
        FIVE(OF, 0x1p-10f), FIVE(OF, 0x1p-5f), FIVE(OF, 0x1p0f), FIVE(OF, 0x1p5f),                 \
        FIVE(OF, 0x1p10f), FIVE(OF, 0x1p15f), FIVE(OF, 0x1p20f), FIVE(OF, 0x1p25f),                \
        FIVE(OF, 0x1p30f), FIVE(OF, 0x1p35f), FIVE(OF, 0x1p40f), FIVE(OF, 0x1p45f), OF(0x1p50f),   \
        OF(0x1p51f), OF(0x1p52f), OF(0x1p53f)

/* 85 octaves of three codes. TOP cannot step up, so its `up` is 0. */
const struct compact_steps compact_steps = {
    .value = {0, ALL(VALUES), VALUES(0x1p54f), 0x1p55f},
    .up = {0x1p54f, ALL(UPS), 0x1p-30f / (THIRD_1 - 1), 0x1p-30f / (THIRD_2 - THIRD_1), 0}};

uint8_t compact_floor(float v)
{
    if (v < 0x1p-30f) return 0;
    if (v >= compact_steps.value[TOP]) return TOP;
    uint32_t bits = bits_of_float(v);
    float fraction = float_of_bits((bits & 0x7fffff) | 0x3f800000); /* in [1, 2) */
    int third = (fraction >= THIRD_1) + (fraction >= THIRD_2);
    return (uint8_t)(1 + 3 * ((int)(bits >> 23) - 127 - LOWEST) + third);
}

uint8_t compact_sum_of(float v, uint32_t random)
{
    uint8_t code = compact_floor(v);
    float over = v - compact_steps.value[code];
    return (uint8_t)(code + (over * compact_steps.up[code] > (float)random));
}
