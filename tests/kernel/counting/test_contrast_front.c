/* test_contrast_front.c -- a model with a front has the bytes of a model without one. */
#include "support/random.h"
#include "support/suite.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/base/feature_id.h"
#include "kernels/counting/contrast/contrast.h"

enum { FEATURES = 10, MANY = 3000, RECORDS = 1000 }; /* a record has less than FEATURES */
enum { EDGES = 5, CROSSED = 3 };                     /* of the ladder of a front */
static const uint32_t crossed[CROSSED] = {0, 2, 3};  /* edges that join features */
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
    const struct contrast_front_size size = {
        .members = m->shape.members, .owns = 2 * EDGES, .sides = 2 * CROSSED, .steps = CROSSED + 2};
    contrast_front_init(f, &size, fresh(2, contrast_front_bytes(&size)));
    contrast_front_set_ladder(f, 0, EDGES, CROSSED);
    m->front = f;
}

/* A feature of a record that no cell has counted: its place in the order, and its cell or codes. */
struct waiting {
    uint64_t id;
    uint32_t order, a, b; /* a, b: codes of a pair */
    uint64_t *cell;       /* NULL: it has none, or it is a pair */
    struct contrast_front_single *place;
};
enum { WAITING = 3 * FEATURES * FEATURES };
struct block {
    uint32_t n;
    struct waiting of[WAITING];
};

static void count(struct contrast *m, struct block *k, uint64_t *cell, struct waiting w, int kind)
{
    if (cell && contrast_front_add(cell, contrast_one(m, kind)))
        m->occurrences += 1;
    else
        k->of[k->n++] = w;
}

/* Gives a member its cell. */
static void take(struct contrast *m, const struct waiting *w, uint32_t slot)
{
    struct contrast_front *f = m->front;
    if (!f || slot == CONTRAST_NONE) return;
    if (w->place) contrast_front_own(f, w->place, w->id);
    if (w->place && w->place->id == w->id)
        contrast_take(m, contrast_front_cell(f, w->place, w->id), slot);
    else if (w->cell)
        contrast_take(m, w->cell, slot);
    else if (!w->place)
        contrast_take_pair(m, w->a, w->b, slot);
}

static int by_order(const void *x, const void *y)
{
    const struct waiting *a = x, *b = y;
    return (a->order > b->order) - (a->order < b->order);
}

/* Counts all that wait: the members first, then the others in their order. */
static void count_waiting(struct contrast *m, struct block *k, int kind)
{
    bool is_other[WAITING], entered = false;
    uint32_t slot[ID_SLOTS_FORESEEN];
    qsort(k->of, k->n, sizeof *k->of, by_order);
    for (uint32_t i = 0; i < k->n; i++) {
        is_other[i] = contrast_add_members(m, 1, &k->of[i].id, kind, slot);
        ck_assert_int_eq(is_other[i], *slot == CONTRAST_NONE);
        take(m, &k->of[i], *slot);
    }
    for (uint32_t i = 0; i < k->n; i++) {
        if (!is_other[i]) continue;
        contrast_add_other(m, k->of[i].id, kind, &entered, slot);
        take(m, &k->of[i], *slot);
    }
    k->n = 0;
}

static uint64_t pair_of(uint64_t a, uint64_t b)
{
    return feature_id_and2(feature_id_part(a), feature_id_part(b));
}

/* Returns the cell of two codes, or nobody's if one is 0. */
static uint64_t *pair_cell(const struct contrast_front *f, uint32_t a, uint32_t b)
{
    if (!a || !b || a == b) return f->cell;
    return contrast_front_pair(a, contrast_front_row(f, a), b, contrast_front_row(f, b));
}

/* Returns the feature of the side of edge k that holds at a step of the ladder. */
static uint64_t side_of(uint32_t k, uint32_t step) { return 1000000 + 2 * k + (k < step); }

/* Counts the sides of all edges at a step: by its bin, or by their cells; or without a front. */
static void count_step(struct contrast *m, struct block *k, uint32_t step, int kind)
{
    struct contrast_front *f = m->front;
    for (int try = 0; f && try < 2; try++) {
        if (contrast_front_add(&f->bin[step], contrast_one(m, kind))) {
            m->occurrences += EDGES;
            return;
        }
        contrast_take_step(m, 0, step);
    }
    for (uint32_t e = 0; e < EDGES; e++) {
        uint64_t *cell = f ? &f->own[2 * e + (e < step)] : NULL;
        struct waiting w = {.id = side_of(e, step), .order = FEATURES + e, .cell = cell};
        count(m, k, cell, w, kind);
    }
}

/* Member of a record that joins others: a feature, or the sides of the crossed edges at a step. */
struct item {
    uint32_t n, code, first; /* features; their code in a front; number of the first one */
    uint64_t id[CROSSED];
    uint32_t codes[CROSSED];
};

static struct item item_of_step(const struct contrast_front *f, uint32_t step)
{
    struct item i = {.n = CROSSED};
    uint32_t at = 0;
    while (at < CROSSED && crossed[at] < step)
        at++;
    for (uint32_t c = 0; c < CROSSED; c++) {
        i.id[c] = side_of(crossed[c], step);
        i.codes[c] = f ? contrast_front_side(&f->ladder[0], c, at) : 0;
    }
    i.code = f ? f->ladder[0].step + at : 0;
    return i;
}

/* Counts the pair of feature i of x and feature j of y. Returns true if its cell counts it. */
static bool add_pair(struct contrast *m, struct block *k, const struct item *x, uint32_t i,
                     const struct item *y, uint32_t j, int kind)
{
    const uint32_t n = k->n, a = x->codes[i], b = y->codes[j];
    const struct waiting w = {.id = pair_of(x->id[i], y->id[j]),
                              .order = (x->first + i) << 16 | (y->first + j),
                              .a = a,
                              .b = b};
    count(m, k, m->front ? pair_cell(m->front, a, b) : NULL, w, kind);
    return k->n == n;
}

/* Counts the pairs of features of two items, or those of a ladder's ranges: by the cell of their
 * codes, or one by one. */
static void add_pairs(struct contrast *m, struct block *k, const struct item *x, uint32_t x_end,
                      const struct item *y, uint32_t y_from, uint32_t code, int kind)
{
    bool all = true;
    uint32_t n = x_end * (y->n - y_from);
    if (m->front && n &&
        contrast_front_add(pair_cell(m->front, x->code, code), contrast_one(m, kind))) {
        m->occurrences += n;
        return;
    }
    for (uint32_t i = 0; i < x_end; i++)
        for (uint32_t j = y_from; j < y->n; j++)
            all &= add_pair(m, k, x, i, y, j, kind);
    if (m->front && n && all && (x->n > 1 || y->n > 1)) contrast_take_spots(m, x->code, code);
}

static void count_all_pairs(struct contrast *m, uint32_t n, const struct item *item, int kind)
{
    struct block k = {.n = 0};
    for (uint32_t i = 0; i < n; i++) {
        const struct item *x = &item[i];
        if (x->n > 1) { /* ranges: above an edge, and below a higher one */
            uint32_t above = 0;
            while (above < x->n && (x->id[above] & 1))
                above++;
            add_pairs(m, &k, x, above, x, above, m->front ? m->front->ladder[0].itself : 0, kind);
        }
        for (uint32_t j = i + 1; j < n; j++)
            add_pairs(m, &k, x, x->n, &item[j], 0, item[j].code, kind);
    }
    count_waiting(m, &k, kind);
}

/* A record: features, and the step of a number that comes as one of them; NO_STEP: it has none. */
enum { NO_STEP = 99 };
struct record {
    uint32_t n, step, at;
    uint64_t id[FEATURES];
    int kind;
};

static void feed_one(struct contrast *m, const struct record *r)
{
    struct contrast_front *f = m->front;
    struct contrast_front_single *place[FEATURES] = {NULL};
    struct item item[FEATURES + 1];
    struct block k = {.n = 0};
    uint32_t n = 0, first = 0;
    contrast_record(m, r->kind, 0);
    for (uint32_t i = 0; i < r->n; i++) {
        if (f) place[i] = contrast_front_single(f, r->id[i]);
        struct waiting w = {.id = r->id[i], .order = i, .place = place[i]};
        count(m, &k, f ? contrast_front_cell(f, place[i], r->id[i]) : NULL, w, r->kind);
    }
    if (r->step != NO_STEP) count_step(m, &k, r->step, r->kind);
    count_waiting(m, &k, r->kind);
    for (uint32_t i = 0; i <= r->n; i++) {
        if (i == r->at && r->step != NO_STEP) item[n++] = item_of_step(f, r->step);
        if (i == r->n) break;
        uint32_t code = place[i] && place[i]->id == r->id[i] ? place[i]->code : 0;
        item[n++] = (struct item){.n = 1, .code = code, .id = {r->id[i]}, .codes = {code}};
    }
    for (uint32_t i = 0; i < n; first += item[i++].n)
        item[i].first = first;
    count_all_pairs(m, n, item, r->kind);
}

/* Counts a record's features and pairs in a model with a front, and in one without. */
static void feed(struct contrast *with, struct contrast *without, const struct record *r)
{
    feed_one(with, r);
    feed_one(without, r);
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
    ck_assert_uint_eq(p.words, q.words);
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

static struct record some_record(uint64_t *seed, uint32_t features)
{
    struct record r = {.n = below(seed, FEATURES), .step = NO_STEP, .kind = (int)below(seed, 2)};
    for (uint32_t k = 0; k < r.n; k++)
        r.id[k] = some_feature(seed, features);
    r.at = below(seed, r.n + 1);
    if (below(seed, 3)) r.step = below(seed, EDGES + 1);
    return r;
}

static void run(uint32_t members, uint32_t features, bool both)
{
    struct contrast_shape s = {.members = members, .width = 64, .sample = 0};
    struct contrast with = model(0, &s, (struct contrast_options){.seed = 7, .both = both});
    struct contrast without = model(1, &s, (struct contrast_options){.seed = 7, .both = both});
    struct contrast_front f;
    uint64_t seed = seed_given();
    give_front(&with, &f);
    for (int i = 0; i < RECORDS; i++) {
        struct record r = some_record(&seed, features);
        feed(&with, &without, &r);
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
    const struct record r = {.n = 2, .step = NO_STEP, .id = {7, 9}, .kind = 1};
    struct contrast_front_size size = {.members = m.shape.members};
    contrast_front_init(&f, &size, fresh(2, contrast_front_bytes(&size)));
    m.front = &f;
    for (uint64_t i = 0; i < 3; i++) {
        feed_one(&m, &r);
        for (uint32_t k = 0; k < 2; k++) {
            struct contrast_front_single *place = contrast_front_single(&f, r.id[k]);
            ck_assert_uint_eq(place->code, k + 1);
            ck_assert_uint_eq(*contrast_front_cell(&f, place, r.id[k]) >> 16 & 0x7fff, i);
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
    struct record r = {.n = 2, .step = 3, .at = 1, .id = {mix64(1), mix64(2)}};
    give_front(&with, &f);
    for (int i = 0; i < OCCURRENCES; i++) {
        r.kind = i % 2;
        feed(&with, &without, &r);
    }
    contrast_flush(&with);
    expect_same(&with, &without);
    uint64_t pair = pair_of(r.id[0], r.id[1]);
    uint32_t slot =
        id_slots_find(&with.index, pair, id_slots_mix(with.index.seed, id_slots_fold(pair)));
    ck_assert_uint_eq(with.count[2 * slot], OCCURRENCES / 2);
}
END_TEST

START_TEST(a_step_is_counted_once_for_all_its_sides)
{
    struct contrast_shape s = {.members = 100, .width = 8, .sample = 0};
    struct contrast m = model(0, &s, (struct contrast_options){.seed = 7});
    struct contrast_front f;
    const struct record r = {.n = 1, .step = 3, .at = 1, .id = {mix64(1)}, .kind = 1};
    give_front(&m, &f);
    for (uint32_t i = 0; i < 10; i++)
        feed_one(&m, &r);
    ck_assert_uint_eq(f.bin[3] >> 16 & 0x7fff, 9);
    ck_assert_uint_eq(f.own[1] >> 16 & 0x7fff, 0);
    uint32_t code = contrast_front_single(&f, r.id[0])->code, step = f.ladder[0].step + 2;
    ck_assert_uint_eq(*pair_cell(&f, step, code) >> 16 & 0x7fff, 8);
    ck_assert_uint_eq(*pair_cell(&f, step, f.ladder[0].itself) >> 16 & 0x7fff, 8);
    contrast_flush(&m);
    ck_assert_uint_eq(m.index.n, EDGES + 1 + CROSSED + 2); /* two ranges: from 0 or 2 to 3 */
    for (uint32_t slot = 0; slot < m.index.n; slot++)
        ck_assert_uint_eq(m.count[2 * slot + 1], 10);
}
END_TEST

LEAT_SUITE("contrast_front", a_model_with_a_front_has_the_bytes_of_one_without,
           a_step_is_counted_once_for_all_its_sides, full_cells_are_emptied,
           the_example_of_the_header_is_what_happens)
