/* test_cooccurrence_sum.c -- sums of leaves: the same in any order and tree, with bounds that hold.
 *
 * The oracle keeps all records and all leaves. It counts tokens and pairs in plain arrays, and
 * looks up each token and pair in every leaf. */
#include "support/suite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/mix64.h"
#include "kernels/counting/cooccurrence/cooccurrence_sum.h"

enum { LEAVES = 8, IDS = 300, RECORDS = 2400, MAX_LENGTH = 16, BLOCKS = 64 };

static const struct cooccurrence_options either = {.window = 4, .min_count = 5, .seed = 7},
                                         ordered = {.window = 4,
                                                    .min_count = 5,
                                                    .ordered = true,
                                                    .seed = 7};
static const struct cooccurrence_shape tiny = {40, 30, 50}, middle = {200, 500, 2000},
                                       whole = {20000, 10, 10};

/* ---- blocks ---- */

static void *block[BLOCKS];
static int blocks;

static void *take_block(size_t bytes)
{
    size_t whole_lines = (bytes + 63) & ~(size_t)63;
    ck_assert_int_lt(blocks, BLOCKS);
    block[blocks] = aligned_alloc(64, whole_lines);
    ck_assert_ptr_nonnull(block[blocks]);
    return memset(block[blocks++], 0, whole_lines);
}

static void free_blocks(void)
{
    while (blocks)
        free(block[--blocks]);
}

/* ---- records and their counts ---- */

static struct {
    uint32_t n, token[MAX_LENGTH];
} record[RECORDS];
static double exact[IDS], exact_pair[IDS][IDS], exact_tokens, exact_pairs;

static uint64_t id_of(uint32_t token) { return mix64(token + 1000); }

static uint32_t token_of(uint64_t id)
{
    uint32_t t = 0;
    while (id_of(t) != id)
        t++;
    ck_assert_uint_lt(t, IDS);
    return t;
}

static void make_records(uint64_t seed)
{
    for (uint32_t r = 0; r < RECORDS; r++) {
        record[r].n = (uint32_t)(mix64_next(&seed) % MAX_LENGTH);
        for (uint32_t k = 0; k < record[r].n; k++) {
            double u = (double)(mix64_next(&seed) >> 11) * 0x1p-53;
            record[r].token[k] = (uint32_t)(IDS * u * u * u);
        }
    }
}

static void forget_counts(void)
{
    memset(exact, 0, sizeof exact);
    memset(exact_pair, 0, sizeof exact_pair);
    exact_tokens = exact_pairs = 0;
}

static void count_pair(const struct cooccurrence_options *o, uint32_t u, uint32_t v, double weight)
{
    bool turned = !o->ordered && id_of(u) > id_of(v);
    exact_pair[turned ? v : u][turned ? u : v] += weight;
    exact_pairs += weight;
}

static void count_exactly(const struct cooccurrence_options *o, uint32_t from, uint32_t to,
                          double weight)
{
    for (uint32_t r = from; r < to; r++)
        for (uint32_t j = 0; j < record[r].n; j++) {
            exact[record[r].token[j]] += weight;
            exact_tokens += weight;
            for (uint32_t k = 0; k < j; k++)
                if (j - k < o->window)
                    count_pair(o, record[r].token[k], record[r].token[j], weight);
        }
}

/* ---- leaves ---- */

static void feed(struct cooccurrence *m, uint32_t from, uint32_t to)
{
    for (uint32_t r = from; r < to; r++) {
        uint64_t id[MAX_LENGTH];
        uint32_t entered[MAX_LENGTH];
        for (uint32_t k = 0; k < record[r].n; k++)
            id[k] = id_of(record[r].token[k]);
        cooccurrence_add(m, record[r].n, id, entered);
        cooccurrence_record(m);
    }
}

static struct cooccurrence make_leaf(const struct cooccurrence_shape *s,
                                     const struct cooccurrence_options *o)
{
    struct cooccurrence m;
    cooccurrence_init(&m, s, o, take_block(cooccurrence_block_bytes(s)));
    return m;
}

/* The first leaf has half of all records, and the last one has none. */
static uint32_t begin_of(int leaf)
{
    return leaf ? RECORDS / 2 + (uint32_t)(leaf - 1) * (RECORDS / 2) / (LEAVES - 2) : 0;
}

static uint32_t end_of(int leaf) { return leaf < LEAVES - 1 ? begin_of(leaf + 1) : RECORDS; }

static void make_leaves(struct cooccurrence *leaf, const struct cooccurrence_shape *s,
                        const struct cooccurrence_options *o)
{
    for (int i = 0; i < LEAVES; i++) {
        leaf[i] = make_leaf(s, o);
        feed(&leaf[i], begin_of(i), end_of(i));
    }
}

/* ---- sums ---- */

static struct cooccurrence_sum make_sum(const struct cooccurrence_shape *s,
                                        const struct cooccurrence_options *o, uint32_t tokens,
                                        uint32_t pairs)
{
    const struct cooccurrence_sum_room room = cooccurrence_sum_room_for(tokens, pairs);
    struct cooccurrence_sum sum;
    cooccurrence_sum_init(&sum, s, o, &room, take_block(cooccurrence_sum_bytes(s, &room)));
    return sum;
}

static struct cooccurrence_sum sum_of(const struct cooccurrence *leaf, double weight)
{
    struct cooccurrence_sum s = make_sum(&leaf->shape, &leaf->opt, IDS, IDS * IDS);
    cooccurrence_sum_add_leaf(&s, leaf, weight);
    return s;
}

static void expect_same_tokens(const struct cooccurrence_sum *a, const struct cooccurrence_sum *b)
{
    ck_assert_uint_eq(a->tokens, b->tokens);
    for (uint32_t i = 0; i < a->tokens; i++) {
        const struct cooccurrence_sum_token *t = &a->token[a->token_order[i]],
                                            *u = &b->token[b->token_order[i]];
        ck_assert(t->id == u->id && t->count == u->count && t->low == u->low);
        ck_assert_mem_eq(t->own, u->own, sizeof t->own);
    }
}

static void expect_same_pairs(const struct cooccurrence_sum *a, const struct cooccurrence_sum *b)
{
    ck_assert_uint_eq(a->pairs, b->pairs);
    for (uint32_t i = 0; i < a->pairs; i++) {
        const struct cooccurrence_sum_pair *p = &a->pair[a->pair_order[i]],
                                           *q = &b->pair[b->pair_order[i]];
        ck_assert_uint_eq(a->rank[p->first], b->rank[q->first]);
        ck_assert_uint_eq(a->rank[p->second], b->rank[q->second]);
        ck_assert(p->count == q->count && p->low == q->low);
        ck_assert_mem_eq(p->own, q->own, sizeof p->own);
        ck_assert_mem_eq(p->of, q->of, sizeof p->of);
    }
}

static void expect_same(const struct cooccurrence_sum *a, const struct cooccurrence_sum *b)
{
    ck_assert(a->n_tokens == b->n_tokens && a->n_pairs == b->n_pairs);
    cooccurrence_sum_order(a);
    cooccurrence_sum_order(b);
    expect_same_tokens(a, b);
    expect_same_pairs(a, b);
    ck_assert_mem_eq(a->token_cell, b->token_cell,
                     COOCCURRENCE_TOKEN_DEPTH * 4 * (size_t)a->shape.token_width);
    ck_assert_mem_eq(a->pair_cell, b->pair_cell,
                     COOCCURRENCE_PAIR_DEPTH * 4 * (size_t)a->shape.pair_width);
    ck_assert_mem_eq(a->registers, b->registers, DISTINCT_REGISTERS);
}

/* ---- bounds ---- */

static void expect_within(const char *what, struct cooccurrence_bounds b, double truth)
{
    ck_assert_msg(b.low <= truth && (truth <= b.high || b.high >= UINT32_MAX),
                  "%s: %g is not in [%g, %g]", what, truth, b.low, b.high);
}

/* Checks all bounds of a model against the exact counts. */
static void expect_bounds(const struct cooccurrence *m)
{
    ck_assert(fabs((double)m->n_tokens - exact_tokens) <= LEAVES);
    for (uint32_t t = 0; t < m->token.index.n; t++)
        expect_within("token", cooccurrence_token_count(m, t),
                      exact[token_of(m->token.index.wide[t])]);
    for (uint32_t p = 0; p < m->pair.n; p++) {
        uint32_t u = token_of(m->token.index.wide[m->pair.at[p].first]),
                 v = token_of(m->token.index.wide[m->pair.at[p].second]);
        bool turned = !m->opt.ordered && id_of(u) > id_of(v);
        expect_within("pair", cooccurrence_pair_count(m, p),
                      exact_pair[turned ? v : u][turned ? u : v]);
    }
}

static struct cooccurrence view_of(const struct cooccurrence_sum *s)
{
    struct cooccurrence view;
    cooccurrence_sum_view(s, &view, take_block(cooccurrence_sum_view_bytes(s)));
    return view;
}

/* Returns the slot of a token in a leaf, or COOCCURRENCE_NONE. */
static uint32_t slot_in(const struct cooccurrence *leaf, uint64_t id)
{
    for (uint32_t t = 0; t < leaf->token.index.n; t++)
        if (leaf->token.index.wide[t] == id) return t;
    return COOCCURRENCE_NONE;
}

/* Checks that the lower bounds of a view are the sums of those of the leaves, and that tokens of
 * all leaves have the sums of the upper bounds. */
static void expect_sums(const struct cooccurrence *view, const struct cooccurrence *leaf)
{
    for (uint32_t t = 0; t < view->token.index.n; t++) {
        double low = 0, high = 0;
        int in = 0;
        for (int i = 0; i < LEAVES; i++) {
            uint32_t slot = slot_in(&leaf[i], view->token.index.wide[t]);
            if (slot == COOCCURRENCE_NONE) continue;
            low += cooccurrence_token_count(&leaf[i], slot).low;
            high += cooccurrence_token_count(&leaf[i], slot).high;
            in++;
        }
        ck_assert(in && cooccurrence_token_count(view, t).low == low);
        ck_assert(cooccurrence_token_count(view, t).high >= high);
        if (in == LEAVES - 1) ck_assert(cooccurrence_token_count(view, t).high == high);
    }
}

/* ---- tests ---- */

START_TEST(any_order_and_any_tree_give_the_same_sum)
{
    const struct cooccurrence_shape *shapes[] = {&tiny, &middle, &whole};
    for (int with = 0; with < 6; with++) {
        const struct cooccurrence_options *o = with % 2 ? &ordered : &either;
        struct cooccurrence leaf[LEAVES];
        uint64_t seed = (uint64_t)with;
        make_records(seed + 1);
        make_leaves(leaf, shapes[with / 2], o);
        struct cooccurrence_sum flat = sum_of(&leaf[0], 1);
        for (int i = 1; i < LEAVES; i++)
            cooccurrence_sum_add_leaf(&flat, &leaf[i], 1);
        for (int tree = 0; tree < 4; tree++) {
            int before = blocks, n = LEAVES;
            struct cooccurrence_sum part[LEAVES];
            for (int i = 0; i < LEAVES; i++)
                part[i] = sum_of(&leaf[i], 1);
            for (; n > 1; n--) { /* adds a part to another one, and forgets it */
                int from = (int)(mix64_next(&seed) % (uint64_t)n), last = n - 1;
                struct cooccurrence_sum more = part[from];
                part[from] = part[last];
                cooccurrence_sum_add(&part[mix64_next(&seed) % (uint64_t)last], &more, 1);
            }
            expect_same(&flat, &part[0]);
            while (blocks > before)
                free(block[--blocks]);
        }
        free_blocks();
    }
}
END_TEST

START_TEST(bounds_hold_and_are_sums_of_those_of_the_leaves)
{
    const struct cooccurrence_shape *shapes[] = {&tiny, &middle, &whole};
    for (int with = 0; with < 6; with++) {
        const struct cooccurrence_options *o = with % 2 ? &ordered : &either;
        struct cooccurrence leaf[LEAVES];
        make_records(21 + (uint64_t)with);
        forget_counts();
        count_exactly(o, 0, RECORDS, 1);
        make_leaves(leaf, shapes[with / 2], o);
        struct cooccurrence_sum s = sum_of(&leaf[0], 1);
        for (int i = 1; i < LEAVES; i++)
            cooccurrence_sum_add_leaf(&s, &leaf[i], 1);
        struct cooccurrence view = view_of(&s);
        expect_bounds(&view);
        expect_sums(&view, leaf);
        for (uint32_t p = 0; p < view.pair.n && shapes[with / 2] == &whole; p++)
            ck_assert(!cooccurrence_is_late(&view, p));
        ck_assert(cooccurrence_sum_is_whole(&s) == (shapes[with / 2] == &whole));
        free_blocks();
    }
}
END_TEST

START_TEST(a_sum_of_one_leaf_has_the_bounds_of_the_leaf)
{
    struct cooccurrence leaf = make_leaf(&tiny, &either);
    make_records(31);
    feed(&leaf, 0, RECORDS);
    struct cooccurrence_sum s = sum_of(&leaf, 1);
    struct cooccurrence view = view_of(&s);
    ck_assert_uint_eq(view.pair.n, leaf.pair.n);
    for (uint32_t t = 0; t < view.token.index.n; t++) {
        uint32_t slot = slot_in(&leaf, view.token.index.wide[t]);
        ck_assert_uint_lt(slot, leaf.token.index.n);
        ck_assert_uint_eq(view.token.count[t], leaf.token.count[slot]);
        ck_assert_uint_eq(view.token.excess[t], leaf.token.excess[slot]);
    }
    double wide[2] = {0};
    for (uint32_t p = 0; p < view.pair.n; p++) {
        wide[0] += view.pair.at[p].excess;
        wide[1] += leaf.pair.at[p].excess;
    }
    ck_assert(wide[0] == wide[1] && view.pair.young == leaf.pair.young);
    free_blocks();
}
END_TEST

START_TEST(weights_multiply_what_is_added_and_large_ones_bound_nothing)
{
    const double weights[] = {3, 0.5, 1e9};
    for (int w = 0; w < 3; w++) {
        struct cooccurrence leaf[LEAVES];
        make_records(41);
        forget_counts();
        make_leaves(leaf, &tiny, &either);
        struct cooccurrence_sum s = make_sum(&tiny, &either, IDS, IDS * IDS);
        for (int i = 0; i < LEAVES; i++) {
            double weight = i == 2 ? weights[w] : 1;
            count_exactly(&either, begin_of(i), end_of(i), weight);
            cooccurrence_sum_add_leaf(&s, &leaf[i], weight);
        }
        struct cooccurrence view = view_of(&s);
        expect_bounds(&view);
        free_blocks();
    }
}
END_TEST

START_TEST(a_cell_of_more_than_any_count_bounds_nothing)
{
    struct cooccurrence leaf[LEAVES];
    make_records(41);
    make_leaves(leaf, &tiny, &either);
    struct cooccurrence_sum s = make_sum(&tiny, &either, IDS, IDS * IDS);
    leaf[0].n_tokens = UINT32_MAX;
    leaf[0].token.cell[0] = UINT8_MAX;
    cooccurrence_sum_add_leaf(&s, &leaf[0], 1 + 1e-10);
    ck_assert_uint_eq(s.token_cell[0], UINT32_MAX);
    free_blocks();
}
END_TEST

START_TEST(a_leaf_goes_on_from_a_sum_within_its_bounds)
{
    for (uint32_t wider = 1; wider <= 4; wider *= 2) {
        const struct cooccurrence_shape wide = {wider * tiny.kept, wider * tiny.token_width,
                                                wider * tiny.pair_width};
        struct cooccurrence a = make_leaf(&wide, &either), b = make_leaf(&wide, &either);
        struct cooccurrence m = make_leaf(&tiny, &either);
        make_records(51);
        forget_counts();
        count_exactly(&either, 0, RECORDS * 2 / 3, 1);
        feed(&a, 0, RECORDS / 3);
        feed(&b, RECORDS / 3, RECORDS * 2 / 3);
        struct cooccurrence_sum s = sum_of(&a, 1);
        cooccurrence_sum_add_leaf(&s, &b, 1);
        cooccurrence_sum_settle(&s, &m);
        ck_assert_ptr_null(cooccurrence_check(&m));
        ck_assert_uint_eq(m.token.index.n, tiny.kept);
        ck_assert_uint_ge(m.pair.n, tiny.kept * 3 / 4);
        expect_bounds(&m);
        feed(&m, RECORDS * 2 / 3, RECORDS);
        count_exactly(&either, RECORDS * 2 / 3, RECORDS, 1);
        ck_assert_ptr_null(cooccurrence_check(&m));
        expect_bounds(&m);
        free_blocks();
    }
}
END_TEST

START_TEST(a_sum_moves_with_all_that_it_has)
{
    struct cooccurrence leaf = make_leaf(&middle, &ordered);
    make_records(61);
    feed(&leaf, 0, RECORDS);
    struct cooccurrence_sum s = sum_of(&leaf, 1);
    struct cooccurrence_sum to = make_sum(&middle, &ordered, 4 * IDS, 4 * IDS * IDS);
    s.token[3].name = 17;
    cooccurrence_sum_move(&to, &s);
    expect_same(&s, &to);
    ck_assert_uint_eq(to.token[cooccurrence_sum_find(&to, s.token[3].id)].name, 17);
    ck_assert_uint_eq(cooccurrence_sum_find(&to, 5), COOCCURRENCE_NONE);
    free_blocks();
}
END_TEST

START_TEST(the_example_of_the_header_is_what_happens)
{
    static const uint32_t cells_of_b[] = {1, 4, 5}, own[] = {2, 3, 2}, all[] = {3, 7, 7};
    struct cooccurrence a = make_leaf(&tiny, &either), b = make_leaf(&tiny, &either);
    uint64_t u = id_of(0);
    uint32_t entered;
    for (int i = 0; i < 7; i++) {
        cooccurrence_add(&a, 1, &u, &entered);
        cooccurrence_record(&a);
    }
    b.n_tokens = 20;
    for (uint32_t row = 0; row < COOCCURRENCE_TOKEN_DEPTH; row++) {
        memset(a.token.cell + row * tiny.token_width, (int)own[row], tiny.token_width);
        memset(b.token.cell + row * tiny.token_width, (int)cells_of_b[row], tiny.token_width);
    }
    struct cooccurrence_sum s = sum_of(&a, 1);
    cooccurrence_sum_add_leaf(&s, &b, 1);
    ck_assert_uint_eq(s.token[0].low, 7);
    ck_assert_uint_eq(s.token[0].count, 7);
    ck_assert_mem_eq(s.token[0].own, own, sizeof own);
    for (uint32_t row = 0; row < COOCCURRENCE_TOKEN_DEPTH; row++)
        ck_assert_uint_eq(s.token_cell[row * tiny.token_width], all[row]);
    ck_assert_uint_eq(cooccurrence_sum_token_high(&s, 0), 8);
    free_blocks();
}
END_TEST

START_TEST(parts_that_no_sum_can_have_are_refused)
{
    static const uint64_t ids[] = {5, 9};
    static const uint32_t counts[] = {4, 3}, lows[] = {4, 2}, high[] = {5, 2}, first[] = {0, 0},
                          second[] = {0, 1}, back[] = {1, 0}, beyond[] = {0, 2}, own[6] = {1},
                          cells[3 * 30] = {0}, pair_cells[2 * 50] = {0}, of[4] = {0};
    static const uint8_t registers[DISTINCT_REGISTERS];
    static const uint64_t ids_back[] = {9, 5};
    const struct cooccurrence_sum_parts good = {.n_tokens = 9,
                                                .n_pairs = 9,
                                                .tokens = 2,
                                                .pairs = 2,
                                                .id = ids,
                                                .token_count = counts,
                                                .token_low = lows,
                                                .first = first,
                                                .second = second,
                                                .count = counts,
                                                .low = lows,
                                                .of = of,
                                                .registers = registers};
    for (int which = 0; which < 11; which++) {
        struct cooccurrence_sum_parts p = good;
        if (which == 1) p.id = ids_back;
        if (which == 2) p.token_low = high;
        if (which == 3) p.low = high;
        if (which == 4) p.second = back;
        if (which == 5) p.second = beyond;
        if (which == 6) p.n_tokens = 0;
        if (which == 7) p.first = back, p.second = first;
        if (which == 8) {
            p.cells = 1;
            p.token_own = p.own = own;
            p.token_cell = cells;
            p.pair_cell = pair_cells;
        }
        if (which == 9) p.n_tokens = 3; /* one token came four times */
        if (which == 10) p.n_pairs = 3;
        struct cooccurrence_sum s = make_sum(&tiny, &either, 2, 2);
        ck_assert_msg((cooccurrence_sum_load(&s, &p) == NULL) == (which == 0), "%d", which);
    }
    free_blocks();
}
END_TEST

/* ---- two sides: the first half of a record against the second ---- */

static struct cooccurrence_place side[MAX_LENGTH];

static void feed_sides(struct cooccurrence *m, uint32_t from, uint32_t to)
{
    for (uint32_t r = from; r < to; r++) {
        cooccurrence_begin_sides(m, side);
        for (uint32_t k = 0; k < record[r].n; k++)
            cooccurrence_add_side(m, id_of(record[r].token[k]), k >= record[r].n / 2);
    }
    cooccurrence_record(m);
}

static bool has(uint32_t r, uint32_t from, uint32_t to, uint32_t token)
{
    for (uint32_t k = from; k < to; k++)
        if (record[r].token[k] == token) return true;
    return false;
}

static double exact_of_sides(uint32_t u, uint32_t v)
{
    uint32_t n = 0;
    for (uint32_t r = 0; r < RECORDS; r++)
        n += has(r, 0, record[r].n / 2, u) && has(r, record[r].n / 2, record[r].n, v);
    return n;
}

START_TEST(pairs_of_two_sides_stay_within_bounds)
{
    const struct cooccurrence_options o = {
        .window = 2, .min_count = 5, .ordered = true, .seed = 7, .sides = true};
    struct cooccurrence a = make_leaf(&middle, &o), b = make_leaf(&middle, &o);
    make_records(71);
    feed_sides(&a, 0, RECORDS / 3);
    feed_sides(&b, RECORDS / 3, RECORDS);
    struct cooccurrence_sum s = sum_of(&a, 1);
    cooccurrence_sum_add_leaf(&s, &b, 1);
    struct cooccurrence view = view_of(&s);
    ck_assert_uint_gt(view.pair.n, middle.kept);
    for (uint32_t p = 0; p < view.pair.n; p++)
        expect_within("pair", cooccurrence_pair_count(&view, p),
                      exact_of_sides(token_of(view.token.index.wide[view.pair.at[p].first]),
                                     token_of(view.token.index.wide[view.pair.at[p].second] -
                                              COOCCURRENCE_RIGHT)));
    free_blocks();
}
END_TEST

LEAT_SUITE("cooccurrence_sum", any_order_and_any_tree_give_the_same_sum,
           bounds_hold_and_are_sums_of_those_of_the_leaves,
           a_sum_of_one_leaf_has_the_bounds_of_the_leaf,
           weights_multiply_what_is_added_and_large_ones_bound_nothing,
           a_cell_of_more_than_any_count_bounds_nothing,
           a_leaf_goes_on_from_a_sum_within_its_bounds, a_sum_moves_with_all_that_it_has,
           parts_that_no_sum_can_have_are_refused, the_example_of_the_header_is_what_happens,
           pairs_of_two_sides_stay_within_bounds)
