/* compact.c -- the steps of one-byte accumulators; see compact.h. */
#include "compact.h"

/* 2^(1/5) to 2^(4/5), as floats */
#define FIFTH_1 0x1.261118p+0f
#define FIFTH_2 0x1.51cb46p+0f
#define FIFTH_3 0x1.8406p+0f
#define FIFTH_4 0x1.bdb8cep+0f

enum { LOWEST = -30, TOP = 255 }; /* the exponent of code 1; the last code */

#define VALUES(ONE) (ONE), (ONE)*FIFTH_1, (ONE)*FIFTH_2, (ONE)*FIFTH_3, (ONE)*FIFTH_4
#define UPS(ONE)                                                                                   \
    0x1p24f / ((ONE) * (FIFTH_1 - 1)), 0x1p24f / ((ONE) * (FIFTH_2 - FIFTH_1)),                    \
        0x1p24f / ((ONE) * (FIFTH_3 - FIFTH_2)), 0x1p24f / ((ONE) * (FIFTH_4 - FIFTH_3)),          \
        0x1p24f / ((ONE) * (2 - FIFTH_4))
#define TEN(OF, FIRST)                                                                             \
    OF(FIRST), OF(2 * (FIRST)), OF(4 * (FIRST)), OF(8 * (FIRST)), OF(16 * (FIRST)),                \
        OF(32 * (FIRST)), OF(64 * (FIRST)), OF(128 * (FIRST)), OF(256 * (FIRST)),                  \
        OF(512 * (FIRST))
#define ALL(OF)                                                                                    \
    TEN(OF, 0x1p-30f), TEN(OF, 0x1p-20f), TEN(OF, 0x1p-10f), TEN(OF, 0x1p0f), TEN(OF, 0x1p10f)

/* 51 octaves of five codes. From the last code nothing leads up. */
const struct compact_steps compact_steps = {
    .value = {0, ALL(VALUES), VALUES(0x1p20f), 0x1p21f},
    .up = {0x1p54f, ALL(UPS), 0x1p4f / (FIFTH_1 - 1), 0x1p4f / (FIFTH_2 - FIFTH_1),
           0x1p4f / (FIFTH_3 - FIFTH_2), 0x1p4f / (FIFTH_4 - FIFTH_3), 0}};

uint8_t compact_floor(float v)
{
    if (v < 0x1p-30f) return 0;
    if (v >= compact_steps.value[TOP]) return TOP;
    uint32_t bits = bits_of_float(v);
    float fraction = float_of_bits((bits & 0x7fffff) | 0x3f800000); /* 1 .. 2 */
    int fifth = (fraction >= FIFTH_1) + (fraction >= FIFTH_2) + (fraction >= FIFTH_3) +
                (fraction >= FIFTH_4);
    return (uint8_t)(1 + 5 * ((int)(bits >> 23) - 127 - LOWEST) + fifth);
}

uint8_t compact_sum_of(float v, uint32_t random)
{
    uint8_t code = compact_floor(v);
    float over = v - compact_steps.value[code];
    return (uint8_t)(code + (over * compact_steps.up[code] > (float)random));
}
