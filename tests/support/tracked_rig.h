/* tracked_rig.h -- models of tracked features and random streams for their tests. */
#ifndef LEAT_TESTS_SUPPORT_TRACKED_RIG_H
#define LEAT_TESTS_SUPPORT_TRACKED_RIG_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/linear/tracked/tracked.h"
#include "base/mix64.h"
#include "suite.h"

enum { MAX_ROW = 24, RULES = 4 };

static inline uint32_t below(uint64_t *s, uint32_t n)
{
    return (uint32_t)(mix64_next(s) >> 33) % n;
}

static const struct sgd_options plain = {.lambda = 1e-6, .eta0 = 0.1};

struct model {
    struct tracked m;
    void *block;
    size_t bytes;
};

static inline struct model model_new(struct tracked_shape shape, struct tracked_options opt)
{
    struct model t;
    shape.extra = tracked_extra(&opt);
    if (opt.rule != TRACKED_COUNT_MIN) shape.width = shape.depth = 0;
    if (!opt.max_row) opt.max_row = MAX_ROW;
    t.bytes = tracked_block_bytes(&shape, &opt);
    t.block = aligned_alloc(64, t.bytes);
    ck_assert_ptr_nonnull(t.block);
    memset(t.block, 0, t.bytes);
    tracked_init(&t.m, &shape, &opt, t.block);
    return t;
}

struct sample {
    uint64_t id[MAX_ROW];
    float x[MAX_ROW];
    struct linear_row row;
};

enum { DISTINCT = 0, REPEATED, SINGLE, TIES, KINDS };

/* A row over `ids` features, small ids often; labels follow the low bit of the first id, with
 * noise. TIES: values 1 and -1 only. */
static inline void draw(struct sample *a, uint64_t *s, uint32_t ids, int kind)
{
    uint32_t n = kind == SINGLE ? 1 : below(s, MAX_ROW), first = below(s, ids);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t skew = below(s, ids) % (1 + below(s, ids));
        a->id[i] = kind != DISTINCT ? skew : (first + i * (1 + ids / MAX_ROW)) % ids;
        a->x[i] = kind >= SINGLE ? (below(s, 2) ? 1.0f : -1.0f) : (float)below(s, 2001) / 1000 - 1;
        if (below(s, 10) == 0) a->x[i] = 0;
    }
    int y = ((n ? a->id[0] : 0) & 1) ^ (below(s, 5) == 0) ? 1 : -1;
    float weight = kind >= SINGLE ? 1.0f : (float)below(s, 4) * 0.5f;
    a->row = (struct linear_row){a->id, a->x, n, y, weight, kind != SINGLE || below(s, 4) == 0};
}

static inline void learn(struct tracked *m, const struct linear_row *row)
{
    double z;
    if (tracked_learn(m, row, &z) != LINEAR_OK) ck_abort_msg("a row was refused");
}

enum { UNIVERSE = 400 };

/* Learn a skewed stream; truth[id]: examples that had it. Returns the occurrences. */
static inline uint64_t count_stream(struct tracked *m, uint64_t seed, int rows, uint32_t *truth)
{
    struct sample a;
    uint64_t total = 0;
    for (int k = 0; k < rows; k++) {
        draw(&a, &seed, UNIVERSE, REPEATED);
        learn(m, &a.row);
        for (uint32_t i = 0; i < a.row.n; i++) {
            uint32_t j = 0;
            while (a.id[j] != a.id[i])
                j++;
            truth[a.id[i]] += j == i;
            total += j == i;
        }
    }
    return total;
}

#endif
