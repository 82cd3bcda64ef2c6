/* mission_rig.h -- for tests of MISSION and BEAR: a few features that share no
 * cell, and rows of them. */
#ifndef LEAT_TESTS_SUPPORT_MISSION_RIG_H
#define LEAT_TESTS_SUPPORT_MISSION_RIG_H

#include "kernels/linear/linear.h"
#include "kernels/summaries/count_sketch.h"
#include "random.h"

enum { IDS = 40, ENTRIES = 7 };

struct sample {
    uint64_t id[ENTRIES];
    float x[ENTRIES];
    struct linear_row row;
};

/* Finds ids of which no two share a cell in any row of a wide sketch. */
static inline void apart(const struct count_sketch *s, uint64_t id[IDS])
{
    uint32_t n = 0, sign;
    for (uint32_t candidate = 1; n < IDS; candidate++) {
        bool shares = false;
        for (uint32_t j = 0; j < s->depth; j++)
            for (uint32_t i = 0; i < n; i++)
                shares |= count_sketch_at(s, j, count_sketch_mix(s, candidate), &sign) ==
                          count_sketch_at(s, j, count_sketch_mix(s, (uint32_t)id[i]), &sign);
        if (!shares) id[n++] = candidate;
    }
}

/* Draws a row. Values are multiples of 1/steps. The label follows the sign of the features' numbers
 * modulo 3. A feature may come twice; a row may be empty. */
static inline void draw(uint64_t *s, const uint64_t *id, int steps, struct sample *a)
{
    double score = 0;
    uint32_t n = below(s, ENTRIES + 1);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t f = below(s, IDS);
        f %= 1 + below(s, IDS); /* C leaves the order of calls in one expression open */
        a->id[i] = id[f];
        a->x[i] = (float)(1 + below(s, 8)) / (float)steps;
        score += ((int)(f % 3) - 1) * (double)a->x[i];
    }
    a->row = (struct linear_row){.id = a->id,
                                 .x = a->x,
                                 .n = n,
                                 .weight = below(s, 4) ? 1 : 2,
                                 .y = score + normal(s) > 0 ? 1 : -1,
                                 .new_record = true};
}

#endif
