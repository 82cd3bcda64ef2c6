/* count_sketch.c -- implementation of count_sketch.h */
#include "count_sketch.h"

#include "core/mix64.h"

void count_sketch_draw(struct count_sketch *s, uint64_t seed)
{
    s->seed = (uint32_t)mix64(seed);
    for (uint32_t j = 0; j < s->depth; j++) {
        uint64_t r = mix64(~seed + j * MIX64_GOLDEN);
        s->multiplier[j] = (uint32_t)r | 1;
        s->addend[j] = (uint32_t)(r >> 32);
    }
}

/* Sorts by insertion, because there are few rows. */
float count_sketch_median(float *v, uint32_t n)
{
    for (uint32_t i = 1; i < n; i++) {
        float x = v[i];
        uint32_t j = i;
        for (; j && v[j - 1] > x; j--)
            v[j] = v[j - 1];
        v[j] = x;
    }
    return n % 2 ? v[n / 2] : 0.5f * (v[n / 2 - 1] + v[n / 2]);
}

float count_sketch_estimate(const struct count_sketch *s, uint32_t mix)
{
    float v[COUNT_SKETCH_MAX_DEPTH];
    uint32_t sign;
    for (uint32_t j = 0; j < s->depth; j++) {
        size_t c = count_sketch_at(s, j, mix, &sign);
        v[j] = count_sketch_signed(s->cell[c], sign);
    }
    return count_sketch_median(v, s->depth);
}

float count_sketch_add(struct count_sketch *s, uint32_t mix, float d, float limit)
{
    float v[COUNT_SKETCH_MAX_DEPTH];
    uint32_t sign;
    for (uint32_t j = 0; j < s->depth; j++) {
        float *cell = &s->cell[count_sketch_at(s, j, mix, &sign)];
        float sum = count_sketch_signed(*cell, sign) + d;
        sum = sum < limit ? sum : limit;
        v[j] = sum > -limit ? sum : -limit;
        *cell = count_sketch_signed(v[j], sign);
    }
    return count_sketch_median(v, s->depth);
}
