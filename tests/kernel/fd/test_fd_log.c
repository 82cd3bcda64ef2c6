/* test_fd_log.c -- columns catch up with thousands of maps, exactly.
 *
 * A column (x, 1) and maps x -> s x + t with s = 1 or -1 and whole t do not commute. All numbers
 * are whole, so prefix sums give the value at any time, which must match exactly. */
#include "support/suite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/fd/fd_log.h"
#include "support/fd_rig.h"

enum { DIM = 2, STRIDE = DIM + 1, COLUMNS = 30000, MAPS = 9000 };

struct world {
    struct fd_log g;
    void *block;
    double *row;                     /* COLUMNS x STRIDE */
    double *x0;                      /* value of column j when it came */
    uint32_t *came;                  /* at that time */
    double s[MAPS + 1], t[MAPS + 1]; /* all maps before n as one */
};

static void lay_out(struct world *w, uint32_t columns)
{
    struct layout c = {NULL, 0};
    struct fd_log old = w->g;
    void *before = w->block;
    fd_log_lay_out(&w->g, &c, DIM, columns);
    w->block = memset(aligned_alloc(64, c.used), 0, c.used);
    c = (struct layout){w->block, 0};
    fd_log_lay_out(&w->g, &c, DIM, columns);
    if (before) fd_log_copy(&w->g, &old);
    free(before);
}

static struct world *world_new(uint32_t columns)
{
    struct world *w = calloc(1, sizeof *w);
    w->row = calloc((size_t)COLUMNS * STRIDE, sizeof *w->row);
    w->x0 = calloc(COLUMNS, sizeof *w->x0);
    w->came = calloc(COLUMNS, sizeof *w->came);
    w->s[0] = 1;
    lay_out(w, columns);
    return w;
}

static void world_free(struct world *w)
{
    free(w->block), free(w->row), free(w->x0), free(w->came), free(w);
}

static void column_comes(struct world *w, uint32_t j)
{
    double *c = w->row + (size_t)j * STRIDE;
    w->came[j] = (uint32_t)w->g.n;
    w->x0[j] = c[0] = j % 1000;
    c[1] = 1;
    c[DIM] = fd_log_version(w->g.n);
}

static void push(struct world *w, uint64_t *seed)
{
    double s = fd_random(seed) % 2 ? 1 : -1, t = (double)(fd_random(seed) % 9) - 4;
    double *map = fd_log_next(&w->g);
    uint64_t n = w->g.n;
    map[0] = s, map[1] = 0;
    map[w->g.ld] = t, map[w->g.ld + 1] = 1;
    fd_log_push(&w->g);
    w->s[n + 1] = s * w->s[n];
    w->t[n + 1] = s * w->t[n] + t;
}

static double value(const struct world *w, uint32_t j)
{
    uint32_t v = w->came[j];
    return w->s[w->g.n] * w->s[v] * (w->x0[j] - w->t[v]) + w->t[w->g.n];
}

static uint32_t wrong(const struct world *w, uint32_t columns, uint32_t step)
{
    uint32_t n = 0;
    for (uint32_t j = 0; j < columns; j += step) {
        const double *c = w->row + (size_t)j * STRIDE;
        double now[DIM];
        fd_log_catch_up(&w->g, c[DIM], c, now);
        n += now[0] != value(w, j) || now[1] != 1;
    }
    return n;
}

/* Adds columns until `arrive`, and sometimes touches one. The log moves every `move` maps. Returns
 * how many columns were ever wrong. */
static uint32_t run(uint32_t room, uint32_t columns, uint32_t arrive, uint32_t move, uint32_t maps)
{
    struct world *w = world_new(room);
    uint64_t seed = columns;
    uint32_t known = 0, bad = 0;
    for (uint32_t n = 0; n < maps; n++) {
        uint32_t to = n >= arrive ? columns : (uint32_t)((uint64_t)columns * n / arrive);
        if (to > room) lay_out(w, room = 2 * to < COLUMNS ? 2 * to : COLUMNS);
        if (n % move == move - 1) lay_out(w, room);
        while (known < to)
            column_comes(w, known++);
        for (int k = 0; k < 5 && known; k++) {
            double *c = w->row + (size_t)(fd_random(&seed) % known) * STRIDE;
            fd_log_catch_up(&w->g, c[DIM], c, c);
            c[DIM] = fd_log_version(w->g.n);
        }
        push(w, &seed);
        fd_log_sweep(&w->g, w->row, STRIDE, known);
        if (n % 97 == 0) bad += wrong(w, known, 13);
    }
    bad += wrong(w, known, 1);
    world_free(w);
    return bad;
}

START_TEST(columns_catch_up_exactly_however_far_behind)
{
    ck_assert_uint_eq(run(COLUMNS, COLUMNS, 1, MAPS, MAPS), 0);
    ck_assert_uint_eq(run(20, 20, 1, MAPS, 3000), 0);
}
END_TEST

START_TEST(columns_may_arrive_at_any_pace)
{
    ck_assert_uint_eq(run(COLUMNS, COLUMNS, MAPS, MAPS, MAPS), 0);
    ck_assert_uint_eq(run(COLUMNS, COLUMNS, 900, MAPS, MAPS), 0);
}
END_TEST

START_TEST(a_log_may_grow_at_any_time)
{
    ck_assert_uint_eq(run(1, COLUMNS, MAPS, MAPS, MAPS), 0);
    ck_assert_uint_eq(run(1, COLUMNS, 777, 64, MAPS), 0);
}
END_TEST

START_TEST(the_ring_is_as_long_as_columns_ask_for)
{
    struct world *w = world_new(COLUMNS);
    uint64_t seed = 1;
    uint32_t asked = 0;
    ck_assert_uint_gt(w->g.max_ring, 4 * w->g.block);
    ck_assert_uint_gt(MAPS, 2 * w->g.max_ring);
    for (uint32_t columns = 10; columns <= COLUMNS; columns *= 2) {
        uint32_t before = w->g.ring;
        for (uint32_t round = 0; round < 2 * w->g.max_ring; round++) {
            push(w, &seed);
            fd_log_sweep(&w->g, w->row, STRIDE, columns);
            if (w->g.n == MAPS) w->g.n = 0; /* no column has a version */
        }
        asked += w->g.ring > before;
    }
    ck_assert_uint_gt(asked, 2);
    ck_assert_uint_le(w->g.ring, w->g.max_ring);
    world_free(w);
}
END_TEST

START_TEST(a_column_never_touched_stays_so)
{
    struct world *w = world_new(COLUMNS);
    uint64_t seed = 1;
    double out[DIM] = {9, 9};
    for (uint32_t n = 0; n < 700; n++) {
        push(w, &seed);
        fd_log_sweep(&w->g, w->row, STRIDE, 100);
    }
    for (uint32_t k = 0; k < 100 * STRIDE; k++)
        ck_assert(w->row[k] == 0);
    fd_log_catch_up(&w->g, FD_NEVER, w->row, out);
    ck_assert(out[0] == 0 && out[1] == 0);
    world_free(w);
}
END_TEST

/* 2^-1030 is subnormal; processors multiply such numbers a hundred times more slowly. */
START_TEST(tiny_numbers_become_0)
{
    for (int maps = 30; maps < 134; maps += 4) {
        struct world *w = world_new(COLUMNS);
        double column[STRIDE] = {1, 1, fd_log_version(0)}, out[STRIDE];
        for (int k = 0; k < maps; k++) {
            double *map = fd_log_next(&w->g);
            map[0] = 0x1p-8, map[1] = map[w->g.ld] = 0, map[w->g.ld + 1] = 1;
            fd_log_push(&w->g);
        }
        fd_log_catch_up(&w->g, column[DIM], column, out);
        ck_assert_msg(out[0] == (8 * maps <= 500 ? ldexp(1, -8 * maps) : 0), "%d maps: %g", maps,
                      out[0]);
        ck_assert(out[1] == 1);
        world_free(w);
    }
}
END_TEST

LEAT_SUITE("fd_log", columns_catch_up_exactly_however_far_behind, columns_may_arrive_at_any_pace,
           a_log_may_grow_at_any_time, the_ring_is_as_long_as_columns_ask_for,
           a_column_never_touched_stays_so, tiny_numbers_become_0)
