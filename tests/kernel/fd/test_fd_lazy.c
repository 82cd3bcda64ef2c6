/* test_fd_lazy.c -- lazily rotated columns against an eager dense twin, growth, and copies. */
#include "support/suite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/fd/fd_weights.h"
#include "support/fd_rig.h"

enum { D = 1200, NNZ = 3 };

struct example {
    uint32_t feature[NNZ];
    double x[NNZ];
};

/* Draws from the features known so far, low numbers more often; a feature may repeat. */
static struct example draw(uint64_t *s, uint32_t k, uint32_t examples)
{
    struct example e;
    double known = 10 + (D - 10) * (double)k / examples;
    for (uint32_t i = 0; i < NNZ; i++) {
        double a = (double)(fd_random(s) >> 11) * 0x1p-53;
        e.feature[i] = (uint32_t)(a * a * a * known);
        e.x[i] = fd_normal(s);
    }
    if (k % 7 == 0) e.feature[1] = e.feature[0];
    return e;
}

/* Computes c, one number a row: the sum over features j of B_rj cos j. It turns with the rows. */
static void coefficients(uint32_t rows, const double *b, double *c)
{
    memset(c, 0, rows * sizeof *c);
    for (uint32_t r = 0; r < rows; r++)
        for (uint32_t j = 0; j < D; j++)
            c[r] += b[(size_t)r * D + j] * cos(j);
}

static double eager_square(const struct fd_dense *o, const double *x)
{
    double all = 0;
    for (uint32_t r = 0; r < o->rows; r++) {
        double s = 0;
        for (uint32_t j = 0; j < D; j++)
            s += o->b[(size_t)r * D + j] * x[j];
        all += s * s;
    }
    return all;
}

/* Compares w = u + B'c of all features with the eager twin's, computed one feature at a time and
 * all at once. */
static void same_weights(const struct fd_rig *t, const struct fd_dense *o)
{
    double *b = fd_rig_dense(t, D, NULL), w[D], one, worst = 0;
    double *c = calloc(t->f.rows + 1, sizeof *c), *eager = calloc(o->rows + 1, sizeof *eager);
    coefficients(t->f.rows, b, c);
    coefficients(o->rows, o->b, eager);
    fd_weights(&t->f, t->row, t->stride, 0, t->known, c, w);
    for (uint32_t j = 0; j < t->known; j++) {
        double is = o->u[j];
        for (uint32_t r = 0; r < o->rows; r++)
            is += eager[r] * o->b[(size_t)r * D + j];
        fd_weights(&t->f, t->row, t->stride, j, 1, c, &one);
        ck_assert(one == w[j]);
        worst = fd_larger(worst, fabs(w[j] - is) / (1 + fabs(is)));
    }
    ck_assert_double_le(worst, 1e-9);
    free(b), free(c), free(eager);
}

static void same_sketch(const struct fd_rig *t, const struct fd_dense *o)
{
    double u[D] = {0}, *b = fd_rig_dense(t, D, u), *e = calloc((size_t)D * D, sizeof *e);
    fd_add_square(t->f.rows, D, b, 1, e);
    fd_add_square(o->rows, D, o->b, -1, e);
    double worst = 0, weight = 0;
    for (uint32_t i = 0; i < D * D; i++)
        worst = fd_larger(worst, fabs(e[i]));
    for (uint32_t j = 0; t->f.opt.weights && j < D; j++)
        weight = fd_larger(weight, fabs(u[j] - o->u[j]) / (1 + fabs(o->u[j])));
    ck_assert_double_le(worst, 1e-9 * (1 + o->lost));
    ck_assert_double_le(weight, 1e-9);
    free(b), free(e);
}

/* Compares |B x|^2 at each example, and all of B and u at the end. */
static void compare(struct fd_options opt, uint32_t examples)
{
    struct fd_rig *t = fd_rig_new(opt);
    struct fd_dense *o = fd_dense_new(opt, D);
    uint64_t s = opt.m;
    double worst = 0, *c = calloc(fd_max_rows(&opt), sizeof *c);
    for (uint32_t k = 0; k < examples; k++) {
        struct example e = draw(&s, k, examples);
        double dense[D] = {0};
        for (uint32_t i = 0; i < NNZ; i++)
            dense[e.feature[i]] += e.x[i];
        double eager = eager_square(o, dense);
        double lazy = fd_rig_append(t, NNZ, e.feature, e.x, 1);
        fd_dense_append(o, dense);
        worst = fd_larger(worst, fabs(lazy - eager) / (1 + eager));
        if (!fd_dense_full(o)) continue;
        if (opt.weights) {
            double *b = fd_rig_dense(t, D, NULL);
            coefficients(o->rows, b, c);
            fd_rig_shrink(t, c);
            coefficients(o->rows, o->b, c);
            fd_dense_shrink(o, c);
            free(b);
        } else {
            fd_rig_shrink(t, NULL);
            fd_dense_shrink(o, NULL);
        }
    }
    ck_assert_double_le(worst, 1e-9);
    ck_assert_uint_eq(t->f.log.n, o->shrinks);
    ck_assert_double_le(fabs(t->f.lost - o->lost), 1e-9 * o->lost);
    same_sketch(t, o);
    if (opt.weights) same_weights(t, o);
    free(c);
    fd_rig_free(t);
    fd_dense_free(o);
}

START_TEST(lazy_columns_equal_an_eager_sketch_while_features_arrive)
{
    compare((struct fd_options){.m = 10}, 20000);
    compare((struct fd_options){.m = 2}, 5000);
    compare((struct fd_options){.m = 3, .buffer = 1}, 3000);
    compare((struct fd_options){.m = 20, .warm = 20}, 3000);
    compare((struct fd_options){.m = 40, .buffer = 5}, 2000);
}
END_TEST

START_TEST(weights_take_up_the_rows_as_lazily)
{
    compare((struct fd_options){.m = 5, .weights = true}, 3000);
    compare((struct fd_options){.m = 1, .weights = true}, 1000);
    compare((struct fd_options){.m = 40, .buffer = 8, .weights = true}, 1000);
}
END_TEST

/* A feature is touched only at the beginning, while the sweep goes round and the log wraps many
 * times. Other features arrive at the end. */
START_TEST(a_column_that_waits_for_thousands_of_shrinks_is_not_lost)
{
    struct fd_options opt = {.m = 2, .buffer = 1};
    struct fd_rig *t = fd_rig_new(opt);
    struct fd_dense *o = fd_dense_new(opt, D);
    uint64_t s = 1;
    double dense[D], x[2];
    for (uint32_t k = 0; k < 6000; k++) {
        uint32_t feature[2] = {k < D ? k : 0, (uint32_t)(fd_random(&s) % 5)};
        x[0] = 1, x[1] = 1 + (double)(k % 3);
        memset(dense, 0, sizeof dense);
        dense[feature[0]] += x[0], dense[feature[1]] += x[1];
        fd_rig_append(t, 2, feature, x, 1);
        fd_dense_append(o, dense);
        if (fd_full(&t->f)) fd_rig_shrink(t, NULL);
        if (fd_dense_full(o)) fd_dense_shrink(o, NULL);
    }
    ck_assert_uint_gt(t->f.log.n, 5900);
    same_sketch(t, o);
    fd_rig_free(t);
    fd_dense_free(o);
}
END_TEST

/* ---- growth and copies: bit for bit ---- */

static void step(struct fd_rig *t, uint64_t *s, uint32_t k)
{
    struct example e = draw(s, k, 4000);
    fd_rig_append(t, NNZ, e.feature, e.x, 1);
    if (!fd_full(&t->f)) return;
    double c[100];
    for (uint32_t r = 0; r < t->f.rows; r++)
        c[r] = fd_normal(s);
    fd_rig_shrink(t, c);
}

static void same_bits(const struct fd_rig *a, const struct fd_rig *b)
{
    double ua[D] = {0}, ub[D] = {0}, *p = fd_rig_dense(a, D, ua), *q = fd_rig_dense(b, D, ub);
    uint32_t rows = a->f.rows;
    ck_assert_uint_eq(rows, b->f.rows);
    ck_assert_mem_eq(p, q, (size_t)rows * D * sizeof *p);
    ck_assert_mem_eq(ua, ub, sizeof ua);
    uint32_t other = 0;
    for (uint32_t i = 0; i < rows; i++)
        for (uint32_t j = 0; j < rows; j++)
            other += fd_gram(&a->f, i, j) != fd_gram(&b->f, j, i);
    ck_assert_uint_eq(other, 0);
    ck_assert(a->f.lost == b->f.lost);
    ck_assert_uint_eq(a->f.log.n, b->f.log.n);
    free(p), free(q);
}

static const struct fd_options both[] = {{.m = 10}, {.m = 2, .buffer = 1, .weights = true}};

START_TEST(room_changes_nothing)
{
    struct fd_options opt = both[_i];
    struct fd_rig *small = fd_rig_new_for(opt, D + 1, 200),
                  *large = fd_rig_new_for(opt, 20000, 2000);
    uint64_t s = 3, z = 3;
    for (uint32_t k = 0; k < 4000; k++) {
        step(small, &s, k);
        step(large, &z, k);
        if (k % 1000 == 999) same_bits(small, large);
    }
    fd_rig_free(small);
    fd_rig_free(large);
}
END_TEST

/* The copy has more room than the original, or exactly enough. */
static struct fd_rig *copy(const struct fd_rig *t, uint32_t features, uint32_t touched)
{
    struct fd_rig *c = fd_rig_new_for(t->f.opt, features, touched);
    memcpy(c->row, t->row, (size_t)t->known * t->stride * sizeof *c->row);
    c->known = t->known;
    ck_assert_ptr_null(fd_load(&c->f, &t->f, c->row, c->stride, c->known));
    return c;
}

START_TEST(a_loaded_copy_goes_on_bit_for_bit)
{
    struct fd_options opt = both[_i];
    for (uint32_t at = 0; at < 4000; at += 571) {
        struct fd_rig *t = fd_rig_new(opt);
        uint64_t s = 9;
        for (uint32_t k = 0; k < at; k++)
            step(t, &s, k);
        struct fd_rig *tight = copy(t, D, 200), *wide = copy(t, 20000, 2000);
        uint64_t z = s, y = s;
        for (uint32_t k = at; k < at + 500; k++) {
            step(t, &s, k);
            step(tight, &z, k);
            step(wide, &y, k);
        }
        same_bits(t, tight);
        same_bits(t, wide);
        fd_rig_free(t), fd_rig_free(tight), fd_rig_free(wide);
    }
}
END_TEST

/* ---- invalid parts ---- */

enum {
    KEPT,
    ROWS,
    SLOTS,
    LOST,
    SHRINKS,
    SWEEP,
    MAPS,
    GRAM,
    BLOCK,
    MAP,
    VALUE,
    VERSION,
    FRACTION,
    FUTURE,
    SLOT,
    PLACELESS,
    OLD,
    LIES
};

/* Checks the parts of t with one of them falsified. Returns the reason of the refusal. */
static const char *lie_about(struct fd_rig *t, int lie)
{
    struct fd p = t->f;
    struct fd_rig *c = fd_rig_new_for(t->f.opt, t->known, t->f.slots);
    memcpy(c->row, t->row, (size_t)t->known * t->stride * sizeof *c->row);
    double *map = malloc(p.log.ring * fd_map_size(&t->f.opt) * 8), *own = NULL;
    size_t square = (size_t)fd_max_rows(&t->f.opt) * fd_max_rows(&t->f.opt);
    double *gram = malloc(square * 8);
    double *block = malloc(p.slots * fd_ld(&t->f.opt) * 8);
    memcpy(map, p.log.map, p.log.ring * fd_map_size(&t->f.opt) * 8);
    memcpy(gram, p.gram, square * 8);
    memcpy(block, p.block, p.slots * fd_ld(&t->f.opt) * 8);
    p.log.map = map, p.gram = gram, p.block = block;
    uint32_t idle = 0, placed = p.feature[0];
    while (c->row[idle * c->stride + 2 + 9] <= 0)
        idle++;
    own = c->row + idle * c->stride + 2;
    if (lie == KEPT) p.kept = 10;
    if (lie == ROWS) p.rows = 21;
    if (lie == SLOTS) p.slots++;
    if (lie == LOST) p.lost = -1;
    if (lie == SHRINKS) p.log.n = UINT64_MAX;
    if (lie == SWEEP) p.log.end = c->capacity + 1;
    if (lie == MAPS) p.log.ring = 3;
    if (lie == GRAM) gram[0] = NAN;
    if (lie == BLOCK) block[5] = INFINITY;
    if (lie == MAP) map[7] = NAN;
    if (lie == VALUE) own[3] = -INFINITY;
    if (lie == VERSION) own[9] = NAN;
    if (lie == FRACTION) own[9] -= 0.5;
    if (lie == FUTURE) own[9] = (double)p.log.n + 2;
    if (lie == SLOT) own[9] = -1;
    if (lie == PLACELESS) c->row[placed * c->stride + 2 + 9] = 0;
    if (lie == OLD) own[9] = 1;
    const char *wrong = fd_load(&c->f, &p, c->row, c->stride, t->known);
    free(map), free(gram), free(block);
    fd_rig_free(c);
    return wrong;
}

START_TEST(parts_that_are_no_sketch_are_refused)
{
    struct fd_rig *t = fd_rig_new((struct fd_options){.m = 10, .buffer = 2});
    uint64_t s = 4;
    for (uint32_t k = 0; k < 4000; k++)
        step(t, &s, k);
    ck_assert_uint_gt(t->f.slots, 0);
    ck_assert_uint_gt(t->f.log.n, t->f.log.ring);
    for (int lie = 0; lie < LIES; lie++)
        ck_assert_msg(lie_about(t, lie), "lie %d was believed", lie);
    ck_assert_ptr_null(lie_about(t, LIES));
    fd_rig_free(t);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("fd_lazy");
    TCase *c = tcase_create("fd_lazy");
    tcase_set_timeout(c, 60);
    tcase_add_test(c, lazy_columns_equal_an_eager_sketch_while_features_arrive);
    tcase_add_test(c, weights_take_up_the_rows_as_lazily);
    tcase_add_test(c, a_column_that_waits_for_thousands_of_shrinks_is_not_lost);
    tcase_add_loop_test(c, room_changes_nothing, 0, 2);
    tcase_add_loop_test(c, a_loaded_copy_goes_on_bit_for_bit, 0, 2);
    tcase_add_test(c, parts_that_are_no_sketch_are_refused);
    suite_add_tcase(s, c);
    return s;
}
