/* test_contrast_front.c -- a model with a front has the bytes of a model without one. */
#include "support/random.h"
#include "support/suite.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/base/feature_id.h"
#include "kernels/counting/contrast/contrast.h"

enum { FEATURES = 10, MANY = 3000, RECORDS = 1000 }; /* a record has less than FEATURES */
enum { EDGES = 5 };                                  /* of a ladder, if a front has one */
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

static void give_front(struct contrast *m, struct contrast_front *f)
{
    contrast_front_init(f, m->shape.members, 2 * EDGES,
                        fresh(2, contrast_front_bytes(m->shape.members, 2 * EDGES)));
    for (uint32_t i = 0; i < 2 * EDGES; i++)
        f->ladder[i] = (struct contrast_front_ladder){0, EDGES};
    m->front = f;
}

/* Features of a record that a model with a front counts as a stage does. */
struct block {
    uint32_t n;
    uint64_t id[ID_SLOTS_FORESEEN];
    uint64_t *cell[ID_SLOTS_FORESEEN];
    struct contrast_front_single *place[ID_SLOTS_FORESEEN];
};

static void count(struct contrast *m, struct block *k, uint64_t *cell,
                  struct contrast_front_single *place, uint64_t id, int kind)
{
    if (contrast_front_add(cell, contrast_one(m, kind))) {
        m->occurrences += 1;
        return;
    }
    k->id[k->n] = id;
    k->cell[k->n] = cell;
    k->place[k->n++] = place;
}

static void count_others(struct contrast *m, struct block *k, int kind)
{
    uint32_t slot[ID_SLOTS_FORESEEN];
    contrast_add_all(m, k->n, k->id, kind, slot);
    for (uint32_t i = 0; i < k->n; i++) {
        if (slot[i] == CONTRAST_NONE) continue;
        if (k->place[i]) contrast_front_own(m->front, k->place[i], k->id[i]);
        if (k->place[i] && k->place[i]->id != k->id[i]) continue;
        if (k->place[i]) k->cell[i] = contrast_front_cell(m->front, k->place[i], k->id[i]);
        contrast_take(m, k->cell[i], slot[i]);
    }
    k->n = 0;
}

static uint64_t pair_of(uint64_t a, uint64_t b)
{
    return feature_id_and2(feature_id_part(a), feature_id_part(b));
}

/* Returns the cell of the pair of two codes, or nobody's if the pair has none. */
static uint64_t *pair_cell(const struct contrast_front *f, uint32_t a, uint32_t b)
{
    if (!a || !b || a == b) return f->cell;
    return contrast_front_pair(a, contrast_front_row(f, a), b, contrast_front_row(f, b));
}

/* Returns the feature of the side of edge k that holds at a step of the ladder. */
static uint64_t side_of(uint32_t k, uint32_t step) { return 1000000 + 2 * k + (k < step); }

/* Counts the sides of all edges at a step. */
static void count_step(struct contrast *m, uint32_t step, int kind)
{
    uint64_t *bin = &m->front->bin[step];
    struct block k = {.n = 0};
    contrast_record(m, kind, 0);
    for (int try = 0; try < 2; try++) {
        if (contrast_front_add(bin, contrast_one(m, kind))) {
            m->occurrences += EDGES;
            return;
        }
        contrast_take_step(m, 0, step);
    }
    for (uint32_t e = 0; e < EDGES; e++)
        count(m, &k, &m->front->own[2 * e + (e < step)], NULL, side_of(e, step), kind);
    count_others(m, &k, kind);
}

/* Does the same without a front. */
static void count_sides(struct contrast *m, uint32_t step, int kind)
{
    uint64_t id[EDGES];
    uint32_t slot[EDGES];
    contrast_record(m, kind, 0);
    for (uint32_t e = 0; e < EDGES; e++)
        id[e] = side_of(e, step);
    contrast_add_all(m, EDGES, id, kind, slot);
}

static void feed_with(struct contrast *m, uint32_t n, const uint64_t *id, int kind)
{
    uint32_t code[FEATURES], seen = 0;
    struct contrast_front_single *place[FEATURES];
    struct block k = {.n = 0};
    contrast_record(m, kind, 0);
    for (uint32_t i = 0; i < n; i++) {
        place[i] = contrast_front_single(m->front, id[i]);
        count(m, &k, contrast_front_cell(m->front, place[i], id[i]), place[i], id[i], kind);
    }
    count_others(m, &k, kind);
    for (uint32_t i = 0; i < n; i++)
        code[i] = place[i] && place[i]->id == id[i] ? place[i]->code : 0;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = i + 1; j < n; j++) {
            count(m, &k, pair_cell(m->front, code[i], code[j]), NULL, pair_of(id[i], id[j]), kind);
            if (++seen % ID_SLOTS_FORESEEN == 0) count_others(m, &k, kind);
        }
    count_others(m, &k, kind);
}

static void feed_without(struct contrast *m, uint32_t n, const uint64_t *id, int kind)
{
    uint64_t pair[ID_SLOTS_FORESEEN];
    uint32_t slot[ID_SLOTS_FORESEEN], many = 0;
    contrast_record(m, kind, 0);
    contrast_add_all(m, n, id, kind, slot);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = i + 1; j < n; j++) {
            pair[many++] = pair_of(id[i], id[j]);
            if (many == ID_SLOTS_FORESEEN) contrast_add_all(m, many, pair, kind, slot), many = 0;
        }
    contrast_add_all(m, many, pair, kind, slot);
}

/* Counts a record's features and pairs in a model with a front, and in one without. */
static void feed(struct contrast *with, struct contrast *without, uint32_t n, const uint64_t *id,
                 int kind)
{
    feed_with(with, n, id, kind);
    feed_without(without, n, id, kind);
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

static void run(uint32_t members, uint32_t features, bool both)
{
    struct contrast_shape s = {.members = members, .width = 64, .sample = 0};
    struct contrast with = model(0, &s, (struct contrast_options){.seed = 7, .both = both});
    struct contrast without = model(1, &s, (struct contrast_options){.seed = 7, .both = both});
    struct contrast_front f;
    uint64_t seed = seed_given(), id[FEATURES];
    give_front(&with, &f);
    for (int i = 0; i < RECORDS; i++) {
        uint32_t n = below(&seed, FEATURES);
        for (uint32_t k = 0; k < n; k++)
            id[k] = some_feature(&seed, features);
        feed(&with, &without, n, id, (int)below(&seed, 2));
        for (int kind = 0; kind < 2 && n % 3 == 0; kind++) { /* records of a number alone */
            uint32_t step = below(&seed, EDGES + 1);
            count_step(&with, step, kind);
            count_sides(&without, step, kind);
        }
        if (below(&seed, 200) && i + 1 < RECORDS) continue;
        contrast_flush(&with);
        expect_same(&with, &without);
        if (below(&seed, 2)) contrast_front_restart(&f);
    }
    ck_assert_uint_eq(without.index.n == members, members < 1000);
}

START_TEST(a_model_with_a_front_has_the_bytes_of_one_without)
{
    run(2000, 30, false);
    run(300000, MANY, false);              /* more features than codes */
    for (int both = 0; both < 2; both++) { /* more pairs than members */
        run(400, 60, both);
        run(40, 30, both);
        run(3, 30, both);
        run(1, 30, both);
    }
}
END_TEST

START_TEST(the_example_of_the_header_is_what_happens)
{
    struct contrast_shape s = {.members = 100, .width = 8, .sample = 0};
    struct contrast m = model(0, &s, (struct contrast_options){.seed = 7});
    struct contrast_front f;
    const uint64_t id[2] = {7, 9};
    give_front(&m, &f);
    for (uint64_t i = 0; i < 3; i++) {
        feed_with(&m, 2, id, 1);
        for (uint32_t k = 0; k < 2; k++) {
            struct contrast_front_single *place = contrast_front_single(&f, id[k]);
            ck_assert_uint_eq(place->code, k + 1);
            ck_assert_uint_eq(*contrast_front_cell(&f, place, id[k]) >> 16 & 0x7fff, i);
        }
        ck_assert_ptr_eq(pair_cell(&f, 1, 2), &f.pair[2]);
        ck_assert_ptr_eq(pair_cell(&f, 2, 1), &f.pair[2]);
        ck_assert_uint_eq(f.pair[2] >> 16 & 0x7fff, i);
    }
    for (uint32_t slot = 0; slot < 3; slot++)
        ck_assert_uint_eq(m.count[2 * slot + 1], 1);
    contrast_flush(&m);
    for (uint32_t slot = 0; slot < 3; slot++)
        ck_assert_uint_eq(m.count[2 * slot + 1], 3);
}
END_TEST

/* More occurrences than a cell can count. */
START_TEST(full_cells_are_emptied)
{
    enum { OCCURRENCES = 140000 };
    struct contrast_shape s = {.members = 100, .width = 8, .sample = 0};
    struct contrast with = model(0, &s, (struct contrast_options){.seed = 7});
    struct contrast without = model(1, &s, (struct contrast_options){.seed = 7});
    struct contrast_front f;
    const uint64_t id[2] = {mix64(1), mix64(2)};
    give_front(&with, &f);
    for (int i = 0; i < OCCURRENCES; i++)
        feed(&with, &without, 2, id, i % 2);
    contrast_flush(&with);
    expect_same(&with, &without);
    uint64_t pair = pair_of(id[0], id[1]);
    uint32_t slot =
        id_slots_find(&with.index, pair, id_slots_mix(with.index.seed, id_slots_fold(pair)));
    ck_assert_uint_eq(with.count[2 * slot], OCCURRENCES / 2);
    for (int i = 0; i < OCCURRENCES; i++) {
        count_step(&with, 2, i % 2);
        count_sides(&without, 2, i % 2);
    }
    contrast_flush(&with);
    expect_same(&with, &without);
}
END_TEST

START_TEST(a_step_is_counted_once_for_all_its_sides)
{
    struct contrast_shape s = {.members = 100, .width = 8, .sample = 0};
    struct contrast m = model(0, &s, (struct contrast_options){.seed = 7});
    struct contrast_front f;
    give_front(&m, &f);
    for (uint32_t i = 0; i < 10; i++)
        count_step(&m, 3, 1);
    ck_assert_uint_eq(f.bin[3] >> 16 & 0x7fff, 9);
    ck_assert_uint_eq(f.own[1] >> 16 & 0x7fff, 0);
    contrast_flush(&m);
    for (uint32_t slot = 0; slot < EDGES; slot++)
        ck_assert_uint_eq(m.count[2 * slot + 1], 10);
}
END_TEST

LEAT_SUITE("contrast_front", a_model_with_a_front_has_the_bytes_of_one_without,
           a_step_is_counted_once_for_all_its_sides, full_cells_are_emptied,
           the_example_of_the_header_is_what_happens)
