/* tracked_rig.h -- models of tracked features and random streams for their tests. */
#ifndef LEAT_TESTS_SUPPORT_TRACKED_RIG_H
#define LEAT_TESTS_SUPPORT_TRACKED_RIG_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/linear/tracked/tracked.h"
#include "linear_rig.h"
#include "suite.h"
#include "zeroed.h"

enum { RULES = 4 };

static const struct sgd_options plain = {.lambda = 1e-6, .eta0 = 0.1};

struct model {
    struct tracked m;
    void *block;
    size_t bytes;
};

static inline struct model model_new(struct linear_shape shape, struct linear_options opt)
{
    struct model t;
    if (opt.rule != TRACKED_COUNT_MIN) shape.width = shape.depth = 0;
    if (!opt.max_row) opt.max_row = MAX_ROW;
    t.bytes = store_block_bytes(&tracked_kernel, &shape, &opt);
    t.block = zeroed(t.bytes);
    store_init(&t.m.s, &tracked_kernel, &shape, &opt, t.block);
    return t;
}

static inline void learn(struct tracked *m, const struct linear_row *row)
{
    double z;
    if (store_learn(&m->s, row, &z) != LINEAR_OK) ck_abort_msg("a row was refused");
}

/* Bytes of the block up to the index: weights and other data of slots. */
static inline size_t state_bytes(const struct tracked *m)
{
    return (size_t)((const char *)m->s.set.id - (const char *)m->s.member.weight);
}

enum { UNIVERSE = 400 };

/* Learns a skewed stream; truth[id]: examples that had it. Returns the occurrences. */
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
