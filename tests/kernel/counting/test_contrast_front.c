/* test_contrast_front.c -- a model with a front has the bytes of a model without one. */
#include "support/random.h"
#include "support/suite.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/base/feature_id.h"
#include "kernels/counting/contrast/contrast_front.h"

enum { FEATURES = 10, MANY = 3000, RECORDS = 1000 }; /* a record has less than FEATURES */
static void *block[3];

static void *fresh(int i, size_t bytes)
{
    free(block[i]);
    block[i] = aligned_alloc(64, (bytes + 63) & ~(size_t)63);
    return memset(block[i], 0, bytes);
}

static struct contrast model(int i, const struct contrast_shape *s, struct contrast_options o)
{
    struct contrast m;
    contrast_init(&m, s, &o, fresh(i, contrast_block_bytes(s)));
    return m;
}

static struct contrast_front front(const struct contrast *m)
{
    struct contrast_front f;
    contrast_front_init(&f, m, fresh(2, contrast_front_bytes(&m->shape)));
    return f;
}

/* Counts a feature as a stage does. Returns what contrast_add() returns. */
static uint32_t count(struct contrast_front *f, struct contrast *m,
                      struct contrast_front_cell *cell, uint64_t id, int kind)
{
    if (cell && contrast_front_add(cell, m, id, kind)) {
        m->occurrences += 1;
        return CONTRAST_NONE;
    }
    uint32_t slot = contrast_add(m, id, kind);
    if (cell) contrast_front_take(f, cell, id);
    return slot;
}

/* Counts the pair of two codes as a stage does. */
static uint32_t count_pair(struct contrast_front *f, struct contrast *m, uint32_t a, uint32_t b,
                           uint64_t id, int kind)
{
    if (contrast_front_add_pair(contrast_front_pair(f, a, b), contrast_front_one(m, kind))) {
        m->occurrences += 1;
        return CONTRAST_NONE;
    }
    uint32_t slot = contrast_add(m, id, kind);
    contrast_front_take_pair(f, m, a, b);
    return slot;
}

static uint64_t pair_of(uint64_t a, uint64_t b)
{
    return feature_id_and2(feature_id_part(a), feature_id_part(b));
}

/* Counts a record's features and pairs in a model with a front, and in one without. */
static void feed(struct contrast_front *f, struct contrast *with, struct contrast *without,
                 uint32_t n, const uint64_t *id, int kind)
{
    uint32_t code[FEATURES];
    contrast_record(with, kind);
    contrast_record(without, kind);
    bool cells = contrast_front_begin(f, with, n + n * (n - 1) / 2);
    for (uint32_t i = 0; i < n; i++) {
        struct contrast_front_cell *cell = cells ? contrast_front_single(f, id[i]) : NULL;
        ck_assert_uint_eq(count(f, with, cell, id[i], kind), contrast_add(without, id[i], kind));
        code[i] = cell ? cell->code : 0;
    }
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = i + 1; j < n; j++) {
            uint64_t pair = pair_of(id[i], id[j]);
            ck_assert_uint_eq(cells ? count_pair(f, with, code[i], code[j], pair, kind)
                                    : contrast_add(with, pair, kind),
                              contrast_add(without, pair, kind));
        }
}

static void expect_same(const struct contrast *a, const struct contrast *b)
{
    const struct contrast_parts p = contrast_parts(a), q = contrast_parts(b);
    ck_assert_uint_eq(p.n, q.n);
    ck_assert(p.occurrences == q.occurrences && p.cell_bits == q.cell_bits);
    ck_assert_int_eq(memcmp(p.id, q.id, p.n * sizeof *p.id), 0);
    ck_assert_int_eq(memcmp(p.count, q.count, 2 * p.n * sizeof *p.count), 0);
    ck_assert_int_eq(memcmp(p.excess, q.excess, p.n * sizeof *p.excess), 0);
    ck_assert_int_eq(memcmp(p.signatures, q.signatures, p.n * sizeof *p.signatures), 0);
    ck_assert_int_eq(memcmp(p.key, q.key, p.n * sizeof *p.key), 0);
    ck_assert_int_eq(memcmp(p.word, q.word, p.words * sizeof *p.word), 0);
    ck_assert_int_eq(memcmp(p.registers, q.registers, DISTINCT_REGISTERS), 0);
    ck_assert_ptr_null(contrast_check(a));
}

/* Returns a feature of 0 .. `of` - 1; small ones come most. 0 has the id 0, which no cell has. */
static uint64_t some_feature(uint64_t *seed, uint32_t of)
{
    double u = uniform(seed, 0, 1);
    uint32_t feature = (uint32_t)(of * u * u * u);
    return feature ? mix64(feature) : 0;
}

static void run(uint32_t members, uint32_t features, bool stays_on)
{
    struct contrast_shape s = {.members = members, .width = 64, .sample = 0};
    struct contrast with = model(0, &s, (struct contrast_options){.seed = 7});
    struct contrast without = model(1, &s, (struct contrast_options){.seed = 7});
    struct contrast_front f = front(&with);
    uint64_t seed = seed_given(), id[FEATURES];
    for (int i = 0; i < RECORDS; i++) {
        uint32_t n = below(&seed, FEATURES);
        for (uint32_t k = 0; k < n; k++)
            id[k] = some_feature(&seed, features);
        feed(&f, &with, &without, n, id, (int)below(&seed, 2));
        if (below(&seed, 200) && i + 1 < RECORDS) continue;
        contrast_front_flush(&f, &with);
        expect_same(&with, &without);
        if (below(&seed, 2)) contrast_front_restart(&f, &with);
    }
    ck_assert_int_eq(f.on, stays_on);
}

START_TEST(a_model_with_a_front_has_the_bytes_of_one_without)
{
    run(2000, 30, true);
    run(300000, MANY, true); /* more features than codes */
    run(400, 60, false);     /* more pairs than members */
    run(40, 30, false);
    run(3, 30, false);
}
END_TEST

START_TEST(the_example_of_the_header_is_what_happens)
{
    struct contrast_shape s = {.members = 100, .width = 8, .sample = 0};
    struct contrast m = model(0, &s, (struct contrast_options){.seed = 7});
    struct contrast_front f = front(&m);
    for (int i = 0; i < 3; i++) {
        uint32_t code[2];
        contrast_record(&m, 1);
        ck_assert(contrast_front_begin(&f, &m, 3));
        for (uint32_t k = 0; k < 2; k++) {
            struct contrast_front_cell *cell = contrast_front_single(&f, 7 + 2 * k);
            count(&f, &m, cell, 7 + 2 * k, 1);
            code[k] = cell->code;
            ck_assert_uint_eq(code[k], k + 1);
            ck_assert_uint_eq(cell->count[1], (uint32_t)i);
        }
        uint64_t *pair = contrast_front_pair(&f, code[0], code[1]);
        count_pair(&f, &m, code[0], code[1], pair_of(7, 9), 1);
        ck_assert_ptr_eq(pair, &f.pair[2]);
        ck_assert_uint_eq(*pair >> 16 & 0x7fff, (uint32_t)i);
    }
    for (uint32_t slot = 0; slot < 3; slot++)
        ck_assert_uint_eq(m.count[2 * slot + 1], 1);
    contrast_front_flush(&f, &m);
    for (uint32_t slot = 0; slot < 3; slot++)
        ck_assert_uint_eq(m.count[2 * slot + 1], 3);
}
END_TEST

/* More occurrences than a cell of a pair can count. */
START_TEST(full_cells_of_pairs_are_emptied)
{
    enum { OCCURRENCES = 140000 };
    struct contrast_shape s = {.members = 100, .width = 8, .sample = 0};
    struct contrast with = model(0, &s, (struct contrast_options){.seed = 7});
    struct contrast without = model(1, &s, (struct contrast_options){.seed = 7});
    struct contrast_front f = front(&with);
    const uint64_t id[2] = {mix64(1), mix64(2)};
    for (int i = 0; i < OCCURRENCES; i++)
        feed(&f, &with, &without, 2, id, i % 2);
    contrast_front_flush(&f, &with);
    expect_same(&with, &without);
    uint32_t slot = id_slots_seek(&with.index, id_slots_fold(pair_of(id[0], id[1])));
    ck_assert_uint_eq(with.count[2 * slot], OCCURRENCES / 2);
}
END_TEST

static bool has_front(uint32_t amounts, double half_life)
{
    struct contrast_shape s = {.members = 100, .width = 8, .amounts = amounts};
    struct contrast m = model(0, &s, (struct contrast_options){.half_life = half_life});
    struct contrast_front f = front(&m);
    contrast_front_restart(&f, &m);
    return contrast_front_begin(&f, &m, 1);
}

START_TEST(a_model_that_fades_or_has_amounts_has_no_front)
{
    ck_assert(has_front(0, 0));
    ck_assert(!has_front(1, 0));
    ck_assert(!has_front(0, 5));
}
END_TEST

LEAT_SUITE("contrast_front", a_model_with_a_front_has_the_bytes_of_one_without,
           full_cells_of_pairs_are_emptied, a_model_that_fades_or_has_amounts_has_no_front,
           the_example_of_the_header_is_what_happens)
