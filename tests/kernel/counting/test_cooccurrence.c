/* test_cooccurrence.c -- bounds of tokens, pairs and PMI against exact counts, in any order.
 *
 * It also tests the pairs that stay, and copies. */
#include "support/suite.h"
#include "support/touched.h"
#include "core/mix64.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/feature_id.h"
#include "kernels/counting/cooccurrence/cooccurrence.h"

/* ---- models ---- */

enum { MODELS = 2 };
static void *block[MODELS];

static struct cooccurrence model(int number, struct cooccurrence_shape s,
                                 struct cooccurrence_options o)
{
    struct cooccurrence m;
    size_t bytes = (cooccurrence_block_bytes(&s) + 63) & ~(size_t)63;
    free(block[number]);
    block[number] = aligned_alloc(64, bytes);
    memset(block[number], 0, bytes);
    cooccurrence_init(&m, &s, &o, block[number]);
    return m;
}

static const struct cooccurrence_options either = {.window = 6, .min_count = 5, .seed = 7},
                                         ordered = {.window = 6,
                                                    .min_count = 5,
                                                    .ordered = true,
                                                    .seed = 7};
static const struct cooccurrence_shape tiny = {40, 30, 50}, middle = {300, 500, 2000},
                                       whole = {150000, 10, 10};

/* ---- records: tokens 0 .. IDS - 1, skewed; some come twice at once; "2i, 2i + 1"
 * are planted ---- */

enum { IDS = 600, RECORDS = 4000, MAX_LENGTH = 24, FIRST_PLANTED = 500 };
struct record {
    uint32_t n;
    uint16_t token[MAX_LENGTH];
};
static struct record record[RECORDS];
static uint32_t exact[IDS], exact_pair[IDS][IDS]; /* unordered: the lesser number first */
static uint64_t exact_tokens, exact_pairs;

static uint64_t id_of(uint32_t token) { return mix64(token + 1000); }

static uint32_t token_of(uint64_t id)
{
    uint32_t t = 0;
    while (id_of(t) != id)
        t++;
    return t;
}

static void make_records(uint64_t seed)
{
    for (int i = 0; i < RECORDS; i++) {
        struct record *r = &record[i];
        uint32_t n = (uint32_t)(mix64_next(&seed) % (MAX_LENGTH - 1));
        for (r->n = 0; r->n < n;) {
            double u = (double)(mix64_next(&seed) >> 11) * 0x1p-53;
            uint32_t t = (uint32_t)(FIRST_PLANTED * u * u * u);
            r->token[r->n++] = (uint16_t)t;
            if (mix64_next(&seed) % 20 == 0 && r->n < n) r->token[r->n++] = (uint16_t)t;
        }
        if (i % 8 || n + 2 > MAX_LENGTH) continue;
        uint32_t planted = FIRST_PLANTED + 2 * (uint32_t)(mix64_next(&seed) % 40);
        r->token[r->n++] = (uint16_t)planted;
        r->token[r->n++] = (uint16_t)(planted + 1);
    }
}

enum order { AS_IT_IS, REVERSED, SORTED, SORTED_BACK, SHORT_FIRST, ORDERS };

static int by_tokens(const void *a, const void *b)
{
    const struct record *x = a, *y = b;
    for (uint32_t i = 0; i < x->n && i < y->n; i++)
        if (x->token[i] != y->token[i]) return x->token[i] - y->token[i];
    return (int)x->n - (int)y->n;
}

static int by_length(const void *a, const void *b)
{
    const struct record *x = a, *y = b;
    return x->n == y->n ? by_tokens(a, b) : (int)x->n - (int)y->n;
}

static void put_in(enum order order)
{
    if (order == SORTED || order == SORTED_BACK) qsort(record, RECORDS, sizeof *record, by_tokens);
    if (order == SHORT_FIRST) qsort(record, RECORDS, sizeof *record, by_length);
    for (int i = 0, j = RECORDS - 1; (order == REVERSED || order == SORTED_BACK) && i < j;
         i++, j--) {
        struct record r = record[i];
        record[i] = record[j];
        record[j] = r;
    }
}

/* Counts the tokens of record r, `together` in a call. Sets entered[] of each. */
static void feed_record(struct cooccurrence *m, const struct record *r, uint32_t together,
                        uint32_t *entered)
{
    uint64_t id[MAX_LENGTH];
    for (uint32_t k = 0; k < r->n; k++)
        id[k] = id_of(r->token[k]);
    for (uint32_t k = 0; k < r->n; k += together)
        cooccurrence_add(m, r->n - k < together ? r->n - k : together, id + k, entered + k);
    cooccurrence_record(m);
}

static void feed(struct cooccurrence *m, int from, int to)
{
    uint32_t entered[MAX_LENGTH];
    for (int i = from; i < to; i++)
        feed_record(m, &record[i], MAX_LENGTH, entered);
}

/* ---- exact counts: over all pairs of positions ---- */

static uint32_t *pair_of(uint32_t u, uint32_t v, bool in_order)
{
    return in_order || u < v ? &exact_pair[u][v] : &exact_pair[v][u];
}

static void forget_counts(void)
{
    memset(exact, 0, sizeof exact);
    memset(exact_pair, 0, sizeof exact_pair);
    exact_tokens = exact_pairs = 0;
}

static void count_exactly(int from, int to, const struct cooccurrence_options *o, uint32_t weight)
{
    for (int i = from; i < to; i++) {
        const struct record *r = &record[i];
        exact_tokens += (uint64_t)weight * r->n;
        for (uint32_t j = 0; j < r->n; j++) {
            exact[r->token[j]] += weight;
            for (uint32_t k = 0; k < j; k++) {
                if (j - k >= o->window) continue;
                exact_pairs += weight;
                *pair_of(r->token[k], r->token[j], o->ordered) += weight;
            }
        }
    }
}

static double exact_pmi(uint32_t u, uint32_t v, bool in_order)
{
    double N = (double)exact_tokens, chance = exact[u] / N * (exact[v] / N);
    if (!in_order && u != v) chance *= 2;
    return log(*pair_of(u, v, in_order) / (double)exact_pairs / chance);
}

static void expect_within(const char *what, struct cooccurrence_bounds b, double truth)
{
    ck_assert_msg(b.low - 1e-9 <= truth && truth <= b.high + 1e-9, "%s: %g is not in [%g, %g]",
                  what, truth, b.low, b.high);
}

static void expect_bounds(const struct cooccurrence *m)
{
    ck_assert(m->n_tokens == exact_tokens);
    ck_assert(m->n_pairs == exact_pairs);
    for (uint32_t t = 0; t < m->token.index.n; t++)
        expect_within("token", cooccurrence_token_count(m, t),
                      exact[token_of(m->token.index.wide[t])]);
    for (uint32_t p = 0; p < m->pair.n; p++) {
        uint32_t u = token_of(m->token.index.wide[m->pair.at[p].first]),
                 v = token_of(m->token.index.wide[m->pair.at[p].second]);
        expect_within("pair", cooccurrence_pair_count(m, p), *pair_of(u, v, m->opt.ordered));
        expect_within("pmi", cooccurrence_pmi(m, p), exact_pmi(u, v, m->opt.ordered));
    }
    ck_assert_ptr_null(cooccurrence_check(m));
}

/* ---- equal models ---- */

static void expect_equal(const struct cooccurrence *a, const struct cooccurrence *b)
{
    struct cooccurrence_parts p = cooccurrence_parts(a), q = cooccurrence_parts(b);
    ck_assert(p.n_tokens == q.n_tokens && p.n_pairs == q.n_pairs);
    ck_assert(p.tokens == q.tokens && p.pairs == q.pairs);
    ck_assert(p.token_cursor == q.token_cursor && p.pair_cursor == q.pair_cursor);
    ck_assert_mem_eq(p.id, q.id, p.tokens * sizeof *p.id);
    ck_assert_mem_eq(p.token_count, q.token_count, p.tokens * sizeof *p.token_count);
    ck_assert_mem_eq(p.token_excess, q.token_excess, p.tokens * sizeof *p.token_excess);
    ck_assert_mem_eq(a->pair.at, b->pair.at, p.pairs * sizeof *a->pair.at);
    ck_assert_mem_eq(p.token_cell, q.token_cell, p.token_cells);
    ck_assert_mem_eq(p.pair_cell, q.pair_cell, p.pair_cells);
    ck_assert_mem_eq(p.registers, q.registers, DISTINCT_REGISTERS);
}

/* ---- bounds ---- */

START_TEST(bounds_hold_the_exact_counts_in_any_order)
{
    const uint32_t windows[] = {2, 6, 64};
    for (enum order order = AS_IT_IS; order < ORDERS; order++)
        for (int with = 0; with < 12; with++) {
            struct cooccurrence_options o = with % 2 ? ordered : either;
            o.window = windows[with / 4];
            struct cooccurrence m = model(0, with % 4 < 2 ? tiny : middle, o);
            make_records(1);
            put_in(order);
            forget_counts();
            count_exactly(0, RECORDS, &o, 1);
            feed(&m, 0, RECORDS);
            ck_assert_uint_eq(m.token.index.n, m.shape.kept);
            ck_assert_uint_gt(m.pair.n, m.shape.kept / 2);
            expect_bounds(&m);
        }
}
END_TEST

START_TEST(tokens_of_one_call_are_counted_as_those_of_several)
{
    const uint32_t windows[] = {2, 6, 64};
    for (int with = 0; with < 12; with++) {
        struct cooccurrence_options o = with % 2 ? ordered : either;
        o.window = windows[with / 4];
        struct cooccurrence m[] = {model(0, with % 4 < 2 ? tiny : middle, o),
                                   model(1, with % 4 < 2 ? tiny : middle, o)};
        make_records(13);
        for (int i = 0; i < RECORDS; i++) {
            uint32_t entered[2][MAX_LENGTH];
            feed_record(&m[0], &record[i], MAX_LENGTH, entered[0]);
            feed_record(&m[1], &record[i], 1 + (uint32_t)i % 4, entered[1]);
            ck_assert_mem_eq(entered[0], entered[1], record[i].n * sizeof *entered[0]);
        }
        expect_equal(&m[0], &m[1]);
    }
}
END_TEST

START_TEST(all_counts_are_exact_until_something_has_to_leave)
{
    for (int in_order = 0; in_order < 2; in_order++) {
        const struct cooccurrence_options *o = in_order ? &ordered : &either;
        struct cooccurrence m = model(0, whole, *o);
        uint64_t kept = 0;
        make_records(2);
        forget_counts();
        count_exactly(0, RECORDS, o, 1);
        feed(&m, 0, RECORDS);
        expect_bounds(&m);
        for (uint32_t p = 0; p < m.pair.n; p++) {
            kept += m.pair.at[p].count;
            ck_assert(!cooccurrence_is_late(&m, p));
        }
        ck_assert(kept == exact_pairs);
    }
}
END_TEST

/* Returns 1 + the slot of a pair; 0 if the pair is not stored. */
static uint32_t find_pair(const struct cooccurrence *m, uint64_t u, uint64_t v)
{
    for (uint32_t p = 0; p < m->pair.n; p++)
        if (m->token.index.wide[m->pair.at[p].first] == u &&
            m->token.index.wide[m->pair.at[p].second] == v)
            return p + 1;
    return 0;
}

START_TEST(a_pair_of_a_new_token_is_exact_however_full_the_sketch_is)
{
    struct cooccurrence m = model(0, (struct cooccurrence_shape){300, 4000, 1}, ordered);
    uint32_t kept = 0;
    make_records(3);
    feed(&m, 0, RECORDS);
    ck_assert_uint_eq(m.pair.cell[0], UINT8_MAX);
    for (uint32_t i = 0, entered[2]; i < 100; i++) {
        uint64_t id[] = {id_of(10000 + 2 * i), id_of(10001 + 2 * i)};
        cooccurrence_add(&m, 2, id, entered);
        cooccurrence_record(&m);
        uint32_t p = find_pair(&m, id[0], id[1]);
        if (p) ck_assert_uint_eq(m.pair.at[p - 1].count, 1);
        if (p) ck_assert_uint_eq(m.pair.at[p - 1].excess, 0);
        kept += p > 0;
    }
    ck_assert_uint_gt(kept, 20);
}
END_TEST

START_TEST(a_count_is_encoded_as_no_less_and_at_most_a_sixteenth_more)
{
    for (uint32_t n = 0; n < 400000; n++) {
        uint32_t back = cooccurrence_decode(cooccurrence_encode(n));
        ck_assert_uint_ge(back, n);
        ck_assert_uint_le(back, n + n / 16);
        ck_assert(n >= 32 || back == n);
    }
    ck_assert_uint_eq(cooccurrence_encode(1000000), UINT8_MAX);
    ck_assert_uint_eq(cooccurrence_encode(UINT32_MAX), UINT8_MAX);
}
END_TEST

/* ---- pairs that stay ---- */

START_TEST(pairs_that_always_come_together_stay)
{
    for (enum order order = AS_IT_IS; order < ORDERS; order++) {
        struct cooccurrence m = model(0, (struct cooccurrence_shape){1500, 2000, 9000}, ordered);
        uint32_t planted = 0;
        make_records(4);
        put_in(order);
        forget_counts();
        count_exactly(0, RECORDS, &ordered, 1);
        feed(&m, 0, RECORDS);
        for (uint32_t p = 0; p < m.pair.n; p++) {
            uint32_t u = token_of(m.token.index.wide[m.pair.at[p].first]),
                     v = token_of(m.token.index.wide[m.pair.at[p].second]);
            planted += u >= FIRST_PLANTED && v == u + 1 && cooccurrence_pair_count(&m, p).low >= 5;
        }
        ck_assert_msg(planted >= 36, "order %d: %u of 40 are kept", (int)order, planted);
    }
}
END_TEST

/* ---- copies ---- */

/* Returns the state with the arrays of pairs, in memory that lasts until the next call. */
static struct cooccurrence_parts parts_of(const struct cooccurrence *m)
{
    static uint32_t column[PAIR_AGE + 1][2000];
    struct cooccurrence_parts p = cooccurrence_parts(m);
    ck_assert_uint_le(p.pairs, 2000);
    for (int c = PAIR_FIRST; c <= PAIR_AGE; c++)
        memcpy(column[c], cooccurrence_pair_column(m, (enum cooccurrence_column)c),
               p.pairs * (c == PAIR_AGE ? sizeof *p.age : sizeof *p.first));
    p.first = column[PAIR_FIRST];
    p.second = column[PAIR_SECOND];
    p.count = column[PAIR_COUNT];
    p.excess = column[PAIR_EXCESS];
    p.age = (const uint8_t *)column[PAIR_AGE];
    return p;
}

START_TEST(a_copy_goes_on_as_the_model_that_it_was_taken_from)
{
    struct cooccurrence m = model(0, middle, ordered), copy = model(1, middle, ordered);
    make_records(8);
    feed(&m, 0, RECORDS / 2);
    struct cooccurrence_parts p = parts_of(&m);
    ck_assert_ptr_null(cooccurrence_load(&copy, &p));
    feed(&m, RECORDS / 2, RECORDS);
    feed(&copy, RECORDS / 2, RECORDS);
    expect_equal(&m, &copy);
}
END_TEST

START_TEST(parts_that_no_model_can_have_are_refused)
{
    struct cooccurrence m = model(0, middle, ordered);
    make_records(12);
    feed(&m, 0, 300);
    const struct cooccurrence_parts is = parts_of(&m);
    static uint64_t ids[300];
    static uint32_t numbers[300];
    for (int which = 0; which < 8; which++) {
        struct cooccurrence_parts p = is;
        memcpy(ids, is.id, is.tokens * sizeof *ids);
        memcpy(numbers,
               which == 1   ? is.token_excess
               : which == 2 ? is.first
                            : is.excess,
               (which == 1 ? is.tokens : is.pairs) * sizeof *numbers);
        if (which == 0) ids[1] = ids[0], p.id = ids;
        if (which == 1) numbers[1] = is.token_count[1], p.token_excess = numbers;
        if (which == 2) numbers[1] = is.tokens, p.first = numbers;
        if (which == 3) numbers[1] = is.count[1], p.excess = numbers;
        if (which == 4) p.n_pairs = 0;
        if (which == 5) p.pair_cursor = is.pairs;
        if (which == 6) p.n_tokens = 1; /* tokens came more often */
        if (which == 7) p.n_pairs = 1;
        struct cooccurrence copy = model(1, middle, ordered);
        ck_assert_msg(cooccurrence_load(&copy, &p) != NULL, "%d is taken", which);
    }
}
END_TEST

/* ---- shapes ---- */

START_TEST(a_budget_is_kept_and_nearly_used)
{
    for (uint64_t bytes = COOCCURRENCE_MIN_BUDGET; bytes <= 64 << 20; bytes *= 2) {
        uint32_t names;
        struct cooccurrence_shape s = cooccurrence_shape_from_budget(bytes, &names);
        uint64_t charged = cooccurrence_charged_bytes(&s) + names;
        ck_assert_uint_ge(s.kept, 2);
        ck_assert_uint_le(charged, bytes);
        ck_assert_uint_ge(charged + 64, bytes);
        ck_assert_uint_le(cooccurrence_budget_for(s.kept), bytes + 256);
    }
}
END_TEST

/* A split is to be wider than its budget, whatever the budget. */
START_TEST(a_shape_becomes_as_wide_as_a_model_may_be)
{
    for (uint64_t bytes = COOCCURRENCE_MIN_BUDGET; bytes <= UINT64_C(4) << 30; bytes *= 2) {
        uint32_t names;
        struct cooccurrence_shape s = cooccurrence_shape_from_budget(bytes, &names);
        uint32_t wider = cooccurrence_widest(&s, 4);
        ck_assert_uint_eq(wider, bytes <= UINT64_C(1) << 30   ? 4
                                 : bytes <= UINT64_C(2) << 30 ? 2
                                                              : 1);
        ck_assert_uint_le(s.kept * wider, COOCCURRENCE_MAX_KEPT);
        ck_assert_uint_le(s.token_width * wider, COOCCURRENCE_MAX_WIDTH);
        ck_assert_uint_le(s.pair_width * wider, COOCCURRENCE_MAX_WIDTH);
    }
}
END_TEST

START_TEST(few_pairs_touch_little_of_a_large_model)
{
    uint32_t names;
    struct cooccurrence_shape s = cooccurrence_shape_from_budget(64 << 20, &names);
    size_t bytes = cooccurrence_block_bytes(&s);
    void *fresh = touched_none(bytes);
    struct cooccurrence m;
    cooccurrence_init(&m, &s, &(struct cooccurrence_options){.window = 2, .min_count = 5}, fresh);
    for (uint64_t i = 0; i < 3000; i++) {
        uint64_t id = i % 1000 * 0x9e3779b97f4a7c15u;
        uint32_t entered;
        cooccurrence_add(&m, 1, &id, &entered);
        ck_assert_uint_eq(entered, i < 1000 ? i : COOCCURRENCE_NONE);
    }
    cooccurrence_record(&m);
    ck_assert_uint_eq(cooccurrence_used_bytes(&m), 1000 * (20 + 17));
    size_t now = touched_bytes(fresh), own = cooccurrence_used_bytes(&m);
    ck_assert_msg(now <= own + (256 << 10), "%zu bytes are touched, %zu are used", now, own);
    touched_free(fresh, bytes);
}
END_TEST

START_TEST(the_example_of_the_header_is_what_happens)
{
    struct cooccurrence m = model(0, tiny, (struct cooccurrence_options){2, 1, true, 7, false});
    cooccurrence_record(&m);
    uint32_t entered[4];
    cooccurrence_add(&m, 4, (uint64_t[]){0, 1, 0, 1}, entered);
    cooccurrence_record(&m);
    ck_assert(entered[0] == 0 && entered[1] == 1 && entered[2] == COOCCURRENCE_NONE);
    ck_assert(m.n_tokens == 4 && m.n_pairs == 3 && m.pair.n == 2);
    for (uint32_t p = 0; p < 2; p++) {
        bool ab = m.token.index.wide[m.pair.at[p].first] == 0;
        struct cooccurrence_bounds pmi = cooccurrence_pmi(&m, p);
        ck_assert_uint_eq(m.pair.at[p].count, ab ? 2 : 1);
        ck_assert(pmi.low == pmi.high);
        ck_assert_double_eq_tol(pmi.low, ab ? 0.981 : 0.288, 5e-4);
    }
}
END_TEST

/* ---- two sides: the first half of a record against the second ---- */

static struct cooccurrence_place side[MAX_LENGTH];
static uint32_t exact_side[2][IDS], exact_records;

static void feed_sides(struct cooccurrence *m, int from, int to)
{
    for (int i = from; i < to; i++) {
        const struct record *r = &record[i];
        cooccurrence_begin_sides(m, side);
        for (uint32_t k = 0; k < r->n; k++)
            cooccurrence_add_side(m, id_of(r->token[k]), k >= r->n / 2);
    }
    cooccurrence_record(m);
}

static void count_sides(int from, int to)
{
    for (int i = from; i < to; i++, exact_records++) {
        const struct record *r = &record[i];
        bool has[2][IDS] = {{false}};
        for (uint32_t k = 0; k < r->n; k++)
            has[k >= r->n / 2][r->token[k]] = true;
        for (uint32_t u = 0; u < IDS; u++) {
            exact_side[0][u] += has[0][u];
            exact_side[1][u] += has[1][u];
            for (uint32_t v = 0; has[0][u] && v < IDS; v++)
                exact_pair[u][v] += has[1][v];
        }
    }
}

static void expect_sides(const struct cooccurrence *m, bool all)
{
    uint32_t found = 0, there = 0;
    ck_assert(m->n_tokens == exact_records && m->n_pairs == exact_records);
    for (uint32_t p = 0; p < m->pair.n; p++) {
        uint32_t first = m->pair.at[p].first, second = m->pair.at[p].second;
        uint32_t u = token_of(m->token.index.wide[first]),
                 v = token_of(m->token.index.wide[second] - COOCCURRENCE_RIGHT);
        double n = exact_pair[u][v], N = exact_records;
        expect_within("left", cooccurrence_token_count(m, first), exact_side[0][u]);
        expect_within("right", cooccurrence_token_count(m, second), exact_side[1][v]);
        expect_within("pair", cooccurrence_pair_count(m, p), n);
        expect_within("pmi", cooccurrence_pmi(m, p),
                      log(n / N / (exact_side[0][u] / N * exact_side[1][v] / N)));
        found += n > 0;
    }
    for (uint32_t i = 0; i < IDS * IDS; i++)
        there += exact_pair[i / IDS][i % IDS] > 0;
    if (all) ck_assert_uint_eq(found, there);
    ck_assert_ptr_null(cooccurrence_check(m));
}

START_TEST(pairs_of_two_sides_are_counted_once_a_record_and_stay_within_bounds)
{
    const struct cooccurrence_shape shapes[] = {tiny, middle, whole};
    const struct cooccurrence_options o = {
        .window = 2, .min_count = 5, .ordered = true, .seed = 7, .sides = true};
    make_records(11);
    forget_counts();
    count_sides(0, RECORDS);
    for (int i = 0; i < 3; i++) {
        struct cooccurrence m = model(0, shapes[i], o);
        feed_sides(&m, 0, RECORDS);
        expect_sides(&m, i == 2);
    }
}
END_TEST

LEAT_SUITE("cooccurrence", bounds_hold_the_exact_counts_in_any_order,
           tokens_of_one_call_are_counted_as_those_of_several,
           pairs_of_two_sides_are_counted_once_a_record_and_stay_within_bounds,
           all_counts_are_exact_until_something_has_to_leave,
           a_pair_of_a_new_token_is_exact_however_full_the_sketch_is,
           a_count_is_encoded_as_no_less_and_at_most_a_sixteenth_more,
           pairs_that_always_come_together_stay, a_copy_goes_on_as_the_model_that_it_was_taken_from,
           parts_that_no_model_can_have_are_refused, a_budget_is_kept_and_nearly_used,
           a_shape_becomes_as_wide_as_a_model_may_be, few_pairs_touch_little_of_a_large_model,
           the_example_of_the_header_is_what_happens)
