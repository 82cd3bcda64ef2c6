/* linear_rig.h -- random rows for tests of linear models. */
#ifndef LEAT_TESTS_SUPPORT_LINEAR_RIG_H
#define LEAT_TESTS_SUPPORT_LINEAR_RIG_H

#include <float.h>

#include "kernels/linear/linear.h"
#include "random.h"

enum { MAX_ROW = 24, LONGEST_ROW = 1000 };

struct sample {
    uint64_t id[LONGEST_ROW];
    float x[LONGEST_ROW];
    struct linear_row row;
};

/* DISTINCT, REPEATED: the ids of a row, with values in [-1, 1]. TIES: repeated ids, values 1 and -1.
 * SINGLE: one feature of value 1 or -1, four rows to a record. */
enum kind { DISTINCT, REPEATED, SINGLE, TIES, KINDS };

/* A row of fewer than `max` entries over `ids` features, small ids often; labels follow the low bit
 * of the first id, with noise. */
static inline void draw_up_to(struct sample *a, uint64_t *s, uint32_t ids, int kind, uint32_t max)
{
    uint32_t n = kind == SINGLE ? 1 : below(s, max), first = below(s, ids);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t skew = below(s, ids) % (1 + below(s, ids));
        a->id[i] = kind != DISTINCT ? skew : (first + i * (1 + ids / max)) % ids;
        a->x[i] = kind >= SINGLE ? (below(s, 2) ? 1.0f : -1.0f) : (float)below(s, 2001) / 1000 - 1;
        if (below(s, 10) == 0) a->x[i] = 0;
    }
    int y = ((n ? a->id[0] : 0) & 1) ^ (below(s, 5) == 0) ? 1 : -1;
    float weight = kind >= SINGLE ? 1.0f : (float)below(s, 4) * 0.5f;
    a->row = (struct linear_row){a->id, a->x, n, y, weight, kind != SINGLE || below(s, 4) == 0};
}

static inline void draw(struct sample *a, uint64_t *s, uint32_t ids, int kind)
{
    draw_up_to(a, s, ids, kind, MAX_ROW);
}

/* A row whose values and weight are as large and as small as a float can be. */
static inline void draw_extreme(struct sample *a, uint64_t *s, uint32_t ids, int kind)
{
    static const float extreme[] = {FLT_MAX, -FLT_MAX, 1e-38f,      0,     1e20f,
                                    1e30f,   -1e-30f,  FLT_MIN / 4, 1e-45f};
    draw(a, s, ids, kind);
    for (uint32_t i = 0; i < a->row.n; i++)
        a->x[i] = extreme[below(s, sizeof extreme / sizeof *extreme)];
    a->row.weight = below(s, 5) ? 1 : FLT_MAX;
}

#endif
