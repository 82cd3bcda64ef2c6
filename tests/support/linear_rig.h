/* linear_rig.h -- random rows for tests of linear models. */
#ifndef LEAT_TESTS_SUPPORT_LINEAR_RIG_H
#define LEAT_TESTS_SUPPORT_LINEAR_RIG_H

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <check.h>

#include "kernels/linear/store.h"
#include "random.h"

enum { MAX_ROW = 24, LONGEST_ROW = 1000 };

struct sample {
    uint64_t id[LONGEST_ROW];
    float x[LONGEST_ROW];
    struct linear_row row;
};

/* DISTINCT, REPEATED: ids of a row, with values in [-1, 1]. TIES: repeated ids, values 1 and -1.
 * SINGLE: one feature of value 1 or -1, four rows a record. */
enum kind { DISTINCT, REPEATED, SINGLE, TIES, KINDS };

/* Draws a row of fewer than `max` entries over `ids` features, small ids often. The label follows
 * the low bit of the first id, with noise. */
static inline void draw_up_to(struct sample *a, uint64_t *s, uint32_t ids, int kind, uint32_t max)
{
    uint32_t n = kind == SINGLE ? 1 : below(s, max), first = below(s, ids);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t skew = below(s, ids);
        skew %= 1 + below(s, ids); /* C leaves the order of calls in one expression open */
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

/* Draws a row; its values sometimes have all sizes. */
static inline void draw_any(struct sample *a, uint64_t *s, uint32_t ids, int kind)
{
    draw(a, s, ids, kind);
    for (uint32_t i = 0; i < a->row.n && below(s, 3) == 0; i++)
        if (below(s, 4) == 0) a->x[i] *= (float)exp2(uniform(s, -20, 20));
    if (below(s, 10) == 0) a->row.weight = (float)exp2(uniform(s, -20, 20));
}

/* Draws a row whose values and weight are as large and as small as a float can be. */
static inline void draw_extreme(struct sample *a, uint64_t *s, uint32_t ids, int kind)
{
    static const float extreme[] = {FLT_MAX, -FLT_MAX, 1e-38f,      0,     1e20f,
                                    1e30f,   -1e-30f,  FLT_MIN / 4, 1e-45f};
    draw(a, s, ids, kind);
    for (uint32_t i = 0; i < a->row.n; i++)
        a->x[i] = extreme[below(s, sizeof extreme / sizeof *extreme)];
    a->row.weight = below(s, 5) ? 1 : FLT_MAX;
}

static inline int learn_store(void *m, const struct linear_row *row, double *margin)
{
    return store_learn(m, row, margin);
}

/* A model under test: its function to learn, and the bytes of its state, without scratch. */
struct linear_subject {
    int (*learn)(void *m, const struct linear_row *row, double *margin);
    void *model, *block;
    size_t model_bytes, block_bytes;
};

static inline void expect_row_refused(const struct linear_subject *t, const struct linear_row *row,
                                      int status)
{
    double margin;
    void *model = malloc(t->model_bytes), *block = malloc(t->block_bytes);
    memcpy(model, t->model, t->model_bytes);
    memcpy(block, t->block, t->block_bytes);
    ck_assert_int_eq(t->learn(t->model, row, &margin), status);
    ck_assert(!memcmp(model, t->model, t->model_bytes));
    ck_assert(!memcmp(block, t->block, t->block_bytes));
    free(model);
    free(block);
}

/* Learns 600 rows. After each, a row with a number that is not finite must be refused. At the end
 * one that is too long must be refused. Neither may change the model or its block. */
static inline void expect_bad_rows_refused(const struct linear_subject *t, uint64_t seed)
{
    static const float bad[] = {NAN, INFINITY, -INFINITY};
    struct sample a;
    double margin;
    for (int k = 0; k < 600; k++) {
        draw(&a, &seed, 50, DISTINCT);
        t->learn(t->model, &a.row, &margin);
        if (!a.row.n) continue;
        a.x[below(&seed, a.row.n)] = bad[k % 3];
        expect_row_refused(t, &a.row, LINEAR_NONFINITE);
    }
    a.row.n = MAX_ROW + 1;
    expect_row_refused(t, &a.row, LINEAR_TOO_LONG);
}

#endif
