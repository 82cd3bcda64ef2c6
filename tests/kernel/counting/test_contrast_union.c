/* test_contrast_union.c -- unions of random leaves, in random trees and orders.
 *
 * The oracle keeps all leaves, and adds up what each of them says of a feature. It also has the
 * true counts and sums of the records. */
#include "support/random.h"
#include "support/suite.h"
#include "support/united.h"
#include "core/mix64.h"

enum { IDS = 600, EACH = 5, LEAVES = 9, TREES = 12 };

static struct contrast leaf[LEAVES];
static void *leaf_block[LEAVES], *block[2 * LEAVES + 2];
static uint64_t truth[IDS][2], amounts[IDS][2], records[2];

/* ---- leaves ---- */

/* Makes an empty leaf of a shape. */
static struct contrast fresh(void **at, const struct contrast_shape *s,
                             const struct contrast_options *o)
{
    struct contrast m;
    free(*at);
    *at = aligned_alloc(64, contrast_block_bytes(s));
    memset(*at, 0, contrast_block_bytes(s));
    contrast_init(&m, s, o, *at);
    return m;
}

static void feed(struct contrast *m, uint64_t *seed, int n)
{
    for (int i = 0; i < n; i++) {
        int kind = mix64_next(seed) % 4 == 0;
        uint64_t amount = mix64_next(seed) % 1000;
        if (m->sums.member) ck_assert(contrast_amount(m, kind, amount));
        contrast_record(m, kind, 0);
        records[kind]++;
        for (uint32_t k = 0; k < EACH; k++) {
            double u = (double)(mix64_next(seed) >> 11) * 0x1p-53;
            uint64_t id = k * (IDS / EACH) + (uint64_t)(IDS / EACH * u * u * u);
            contrast_add(m, id, kind);
            if (contrast_samples(m, kind)) contrast_keep(m, kind, id);
            truth[id][kind]++;
            amounts[id][kind] += amount;
        }
    }
}

/* Makes leaves of very different lengths, some without a record that had to leave, and with cells
 * of 8 and of 16 bits. */
static void make_leaves(const struct contrast_shape *s, uint64_t *seed)
{
    static const int length[LEAVES] = {20, 3000, 0, 400, 5, 900, 3000, 60, 20000};
    const struct contrast_options o = {.seed = 7};
    memset(truth, 0, sizeof truth);
    memset(amounts, 0, sizeof amounts);
    memset(records, 0, sizeof records);
    for (int i = 0; i < LEAVES; i++) {
        leaf[i] = fresh(&leaf_block[i], s, &o);
        feed(&leaf[i], seed, length[i]);
    }
}

/* ---- unions ---- */

/* Unites all leaves: in each step, two models chosen at random. One of them grows in place if it
 * has room. */
static struct contrast unite_at_random(uint64_t *seed)
{
    struct contrast m[LEAVES];
    int n = LEAVES, at[LEAVES], blocks = LEAVES;
    for (int i = 0; i < LEAVES; i++) {
        m[i] = leaf[i];
        at[i] = i; /* blocks of leaves are not used */
    }
    while (n > 1) {
        int i = (int)(mix64_next(seed) % (unsigned)n), j = (int)(mix64_next(seed) % (unsigned)n);
        if (i == j) continue;
        if (contrast_union_fits(&m[i], contrast_union_of(&m[i], &m[j]))) {
            unite(&m[i], &m[j], 1);
        } else {
            m[i] = united(&block[blocks], &m[i], &m[j], 1);
            at[i] = blocks++;
        }
        m[j] = m[--n];
        at[j] = at[n];
    }
    void *kept = block[at[0]]; /* the next tree must not overwrite the first one */
    block[at[0]] = block[2 * LEAVES];
    block[2 * LEAVES] = kept;
    return m[0];
}

static void swap_nothing(void *held, uint32_t a, uint32_t b)
{
    (void)held;
    ck_assert_uint_ne(a, b);
}

static void sort(struct contrast *u)
{
    struct contrast_rank *rank = calloc(u->index.n + 1u, sizeof *rank);
    contrast_union_sort(u, rank, swap_nothing, NULL);
    free(rank);
    for (uint32_t s = 1; s < u->index.n; s++)
        ck_assert_uint_lt(u->index.wide[s - 1], u->index.wide[s]);
    ck_assert_ptr_null(contrast_check(u));
}

static void same_sample(const struct contrast_sampled *a, const struct contrast_sampled *b)
{
    ck_assert_uint_eq(a->limit, b->limit);
    ck_assert_uint_eq(a->n, b->n);
    ck_assert_mem_eq(a->word, b->word, a->n * sizeof *a->word);
}

static void same_bytes(const struct contrast *a, const struct contrast *b)
{
    const struct contrast_parts p = contrast_parts(a), q = contrast_parts(b);
    ck_assert_uint_eq(p.n, q.n);
    ck_assert_uint_eq(p.grain, q.grain);
    ck_assert_uint_eq(p.clock.t, q.clock.t);
    ck_assert(p.occurrences == q.occurrences);
    ck_assert_mem_eq(p.id, q.id, p.n * sizeof *p.id);
    ck_assert_mem_eq(p.count, q.count, 2 * p.n * sizeof *p.count);
    ck_assert_mem_eq(p.beside, q.beside, 6 * p.n * sizeof *p.beside);
    ck_assert_mem_eq(p.signatures, q.signatures, p.n * sizeof *p.signatures);
    ck_assert_uint_eq(p.words, q.words);
    ck_assert_mem_eq(p.word, q.word, p.words * sizeof *p.word);
    ck_assert_mem_eq(p.registers, q.registers, DISTINCT_REGISTERS);
    for (int y = 0; y < 2; y++)
        same_sample(&p.sample[y], &q.sample[y]);
    if (!a->sums.member) return;
    ck_assert_uint_eq(p.sums.occurrences, q.sums.occurrences);
    ck_assert_mem_eq(p.member_sums, q.member_sums, 6 * p.n * sizeof *p.member_sums);
    ck_assert_mem_eq(p.own_sums, q.own_sums, 4 * p.n * sizeof *p.own_sums);
    ck_assert_uint_eq(p.sum_words, q.sum_words);
    ck_assert_mem_eq(p.sum_cells, q.sum_cells, p.sum_words * sizeof *p.sum_cells);
}

/* ---- the oracle ---- */

/* Bounds of a feature of kind y, added up leaf by leaf: as a member, or by its least cell of all
 * leaves where it is none. The cells are chosen by the hash of the header of contrast_keys.h. */
static void naive_bounds(uint64_t id, int y, double *low, double *high)
{
    uint64_t mix = id_slots_mix(7 + 0xa0761d6478bd642fu, id_slots_fold(id)), row[2] = {0, 0};
    *low = *high = 0;
    for (int i = 0; i < LEAVES; i++) {
        const struct contrast *m = &leaf[i];
        if (contrast_has(m, id)) {
            struct contrast_bounds b = contrast_bounds_of(m, id);
            *low += b.low[y];
            *high += b.high[y];
        } else {
            row[0] += packed_cells_get(&m->cells, 2 * (uint32_t)y, (uint32_t)(mix >> 32));
            row[1] += packed_cells_get(&m->cells, 2 * (uint32_t)y + 1, (uint32_t)mix);
        }
    }
    *high += (double)(row[0] < row[1] ? row[0] : row[1]);
}

static void expect_bounds(const struct contrast *u)
{
    for (uint64_t id = 0; id < IDS; id++) {
        struct contrast_bounds b = contrast_bounds_of(u, id);
        for (int y = 0; y < 2; y++) {
            double low, high;
            naive_bounds(id, y, &low, &high);
            ck_assert(b.low[y] == low && b.high[y] == high);
            ck_assert(low <= (double)truth[id][y] && (double)truth[id][y] <= high);
        }
    }
    for (int y = 0; y < 2; y++)
        ck_assert(contrast_records(u, y) == (double)records[y]);
}

static void expect_sums(const struct contrast *u)
{
    double unit = contrast_mass_unit(u);
    for (uint64_t id = 0; id < IDS; id++) {
        struct contrast_bounds b = contrast_mass_of(u, id);
        for (int y = 0; y < 2; y++)
            ck_assert(b.low[y] * unit <= (double)amounts[id][y] * (1 + 1e-12) &&
                      (double)amounts[id][y] <= b.high[y] * unit * (1 + 1e-12));
    }
}

/* The sample must have exactly the records of all leaves below the largest limit at which they have
 * room. */
static void expect_sample(const struct contrast *u, int y)
{
    uint64_t limit = UINT64_C(1) << 32, words = UINT64_MAX, found = 0;
    for (int i = 0; i < LEAVES; i++)
        if (leaf[i].clock.t && leaf[i].sample[y].limit < limit) limit = leaf[i].sample[y].limit;
    for (limit *= 2; words > u->sample[y].capacity;) {
        limit /= 2;
        words = 0;
        for (int i = 0; i < LEAVES; i++) {
            const struct contrast_sample *s = &leaf[i].sample[y];
            for (uint32_t at = 0; at < s->used; at += s->head + s->word[at + 1])
                words += s->word[at] < limit ? s->head + s->word[at + 1] : 0;
        }
    }
    for (uint32_t at = 0; at < u->sample[y].used;
         at += u->sample[y].head + u->sample[y].word[at + 1])
        found += u->sample[y].head + u->sample[y].word[at + 1];
    ck_assert_uint_eq(u->sample[y].limit, limit);
    ck_assert_uint_eq(found, words);
}

/* ---- tests ---- */

static void try_trees(const struct contrast_shape *s, uint64_t seed)
{
    make_leaves(s, &seed);
    struct contrast first = unite_at_random(&seed);
    void *kept = block[2 * LEAVES];
    block[2 * LEAVES] = NULL;
    sort(&first);
    expect_bounds(&first);
    if (s->amounts) expect_sums(&first);
    for (int y = 0; y < 2; y++)
        expect_sample(&first, y);
    for (int i = 0; i < TREES; i++) {
        struct contrast u = unite_at_random(&seed);
        sort(&u);
        same_bytes(&first, &u);
    }
    free(kept);
}

START_TEST(any_tree_and_order_give_the_same_bytes_and_the_bounds_of_all_leaves)
{
    static const struct contrast_shape shapes[] = {
        {60, 40, 200, 0}, {60, 40, 200, 1}, {8, 4, 60, 0}, {250, 128, 16000, 0}, {IDS, 16, 40, 1}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (uint64_t seed = 1; seed <= 3; seed++)
            try_trees(&shapes[i], seed);
}
END_TEST

START_TEST(where_nothing_left_all_counts_are_exact)
{
    const struct contrast_shape s = {IDS, 16, 40, 0};
    uint64_t seed = 4;
    make_leaves(&s, &seed);
    struct contrast u = unite_at_random(&seed);
    ck_assert_uint_eq(u.united.grain, 0);
    for (uint64_t id = 0; id < IDS; id++) {
        struct contrast_bounds b = contrast_bounds_of(&u, id);
        for (int y = 0; y < 2; y++)
            ck_assert(b.low[y] == (double)truth[id][y] && b.high[y] == (double)truth[id][y]);
    }
}
END_TEST

START_TEST(a_weight_of_two_is_two_merges)
{
    const struct contrast_shape s = {60, 40, 0, 1};
    uint64_t seed = 5;
    make_leaves(&s, &seed);
    struct contrast once = united(&block[0], &leaf[1], &leaf[6], 2);
    struct contrast one = united(&block[1], &leaf[1], &leaf[6], 1);
    struct contrast twice = united(&block[2], &one, &leaf[6], 1);
    for (uint32_t m = 0; m < once.index.n; m++) /* hashes of records are not weighed */
        once.signatures[m] = twice.signatures[m] = 0;
    sort(&once);
    sort(&twice);
    same_bytes(&once, &twice);
}
END_TEST

START_TEST(counts_at_their_end_bound_nothing)
{
    const struct contrast_shape s = {2, 4, 0, 0};
    const struct contrast_options o = {.seed = 7};
    const double many = 4294967290.0;
    for (int i = 0; i < 2; i++) {
        uint32_t slot;
        bool entered = false;
        leaf[i] = fresh(&leaf_block[i], &s, &o);
        contrast_record(&leaf[i], 1, 0);
        contrast_add_other(&leaf[i], 5, 1, &entered, &slot);
        leaf[i].count[2 * (size_t)slot + 1] = (uint32_t)many;
        leaf[i].occurrences = many;
        leaf[i].has_cells = true;
        packed_cells_raise(&leaf[i].cells, 2, 99, (uint32_t)many);
        packed_cells_raise(&leaf[i].cells, 3, 99, (uint32_t)many);
    }
    struct contrast u = united(&block[0], &leaf[0], &leaf[1], 1);
    struct contrast_bounds b = contrast_bounds_of(&u, 5);
    ck_assert(b.high[1] >= 2 * many && b.low[1] <= 2 * many);
    for (uint64_t id = 6; id < 60; id++) { /* some of them share the cell */
        struct contrast_bounds of = contrast_bounds_of(&u, id);
        ck_assert(of.high[1] == 0 || of.high[1] >= 2 * many);
    }
}
END_TEST

/* The last leaf settles, too: into a fourth of its budget. */
START_TEST(a_settled_union_learns_on_within_its_bounds)
{
    for (uint32_t times = 1; times <= 4; times *= 4)
        for (uint32_t sums = 0; sums < 2; sums++) {
            const struct contrast_shape s = {60 * times, 40 * times, 200 * times, sums},
                                        small = {60, 40, 200, sums};
            const struct contrast_options o = {.seed = 7};
            uint64_t seed = 6 + times;
            make_leaves(&s, &seed);
            struct contrast u = unite_at_random(&seed), m = fresh(&block[0], &small, &o);
            settle(&m, &u);
            feed(&m, &seed, 2000);
            ck_assert_ptr_null(contrast_check(&m));
            ck_assert_uint_eq(m.index.n, small.members);
            for (uint64_t id = 0; id < IDS; id++) {
                struct contrast_bounds b = contrast_bounds_of(&m, id);
                for (int y = 0; y < 2; y++)
                    ck_assert(b.low[y] <= (double)truth[id][y] &&
                              (double)truth[id][y] <= b.high[y]);
            }
            if (sums) expect_sums(&m);
        }
}
END_TEST

START_TEST(settling_keeps_the_bounds_of_the_members_that_stay)
{
    const struct contrast_shape s = {60, 40, 200, 0}, large = {IDS, 40, 200, 0};
    const struct contrast_options o = {.seed = 7};
    uint64_t seed = 8;
    make_leaves(&s, &seed);
    struct contrast u = unite_at_random(&seed), m = fresh(&block[0], &large, &o);
    settle(&m, &u);
    ck_assert_uint_eq(m.index.n, u.index.n);
    for (uint64_t id = 0; id < IDS; id++) {
        struct contrast_bounds a = contrast_bounds_of(&u, id), b = contrast_bounds_of(&m, id);
        for (int y = 0; y < 2; y++) {
            ck_assert(contrast_has(&u, id) ? a.high[y] == b.high[y] : a.high[y] <= b.high[y]);
            ck_assert(a.low[y] >= b.low[y] && a.low[y] <= b.low[y] + 1e-3 * a.high[y]);
        }
    }
}
END_TEST

START_TEST(the_example_of_the_header_is_what_happens)
{
    struct contrast_beside of[2] = {{{0, 0}, {{0, 0}, {5, 5}}}, {{0, 0}, {{0, 0}, {2, 2}}}};
    const struct contrast_shape s = {2, 1, 0, 0};
    const struct contrast_options o = {.seed = 7};
    leaf[0] = fresh(&leaf_block[0], &s, &o);
    struct contrast u = union_like(&block[0], &leaf[0], (struct contrast_union_size){2, 1});
    for (uint32_t i = 0; i < 2; i++) {
        id_slots_take(&u.index);
        id_slots_set(&u.index, i, 7 + 2 * i);
        id_slots_link(&u.index, i);
        u.count[2 * i + 1] = 3 + i;
        u.united.beside[i] = of[i];
    }
    u.united.cell[2] = u.united.cell[3] = 7;
    struct contrast_bounds seven = contrast_bounds_of(&u, 7), nine = contrast_bounds_of(&u, 9);
    ck_assert(seven.low[1] == 3 && seven.high[1] == 5);
    ck_assert(nine.low[1] == 4 && nine.high[1] == 9);
    u.united.beside[0].own[1][0] = 8;
    ck_assert_ptr_nonnull(contrast_check(&u));
}
END_TEST

static void count_swap(void *held, uint32_t a, uint32_t b)
{
    ck_assert_uint_ne(a, b);
    ++*(uint32_t *)held;
}

/* A union in order gets a new first member, so that each other one moves by a place. */
START_TEST(a_long_cycle_of_members_is_sorted)
{
    const struct contrast_shape s = {IDS, 1, 0, 0};
    const struct contrast_options o = {.seed = 7};
    leaf[0] = fresh(&leaf_block[0], &s, &o);
    leaf[1] = fresh(&leaf_block[1], &s, &o);
    contrast_record(&leaf[0], 1, 0);
    for (uint64_t id = 1; id < s.members; id++)
        contrast_add(&leaf[0], id, 1);
    contrast_record(&leaf[1], 1, 0);
    contrast_add(&leaf[1], 0, 1);
    struct contrast u = united(&block[0], &leaf[0], &leaf[1], 1);
    uint32_t swaps = 0;
    struct contrast_rank rank[IDS];
    contrast_union_sort(&u, rank, count_swap, &swaps);
    ck_assert_ptr_null(contrast_check(&u));
    ck_assert_uint_eq(u.index.n, IDS);
    ck_assert_uint_eq(swaps, IDS - 1);
    for (uint32_t i = 0; i < IDS; i++)
        ck_assert_uint_eq(u.index.wide[i], i);
}
END_TEST

/* A member of one record may have a largest amount above half of it. */
START_TEST(a_weight_below_1_leaves_sums_that_can_be_loaded)
{
    const struct contrast_shape s = {IDS, 40, 0, 1};
    const struct contrast_options o = {.seed = 7};
    uint64_t seed = 11;
    make_leaves(&s, &seed);
    struct contrast u = united(&block[0], &leaf[3], &leaf[5], 0.5);
    ck_assert_ptr_null(contrast_check(&u));
    leaf[0] = fresh(&leaf_block[0], &s, &o);
    u = united(&block[0], &leaf[0], &leaf[4], 0.5);
    ck_assert_ptr_null(contrast_check(&u));
}
END_TEST

LEAT_SUITE("contrast_union", any_tree_and_order_give_the_same_bytes_and_the_bounds_of_all_leaves,
           where_nothing_left_all_counts_are_exact, a_weight_of_two_is_two_merges,
           counts_at_their_end_bound_nothing, a_settled_union_learns_on_within_its_bounds,
           settling_keeps_the_bounds_of_the_members_that_stay, a_long_cycle_of_members_is_sorted,
           a_weight_below_1_leaves_sums_that_can_be_loaded,
           the_example_of_the_header_is_what_happens)
