/* test_panes.c -- bounds of counts in periods against exact counts, late records, copies, merges.
 *
 * SEED=… replays other random records. */
#include "support/random.h"
#include "support/suite.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/counting/panes/panes.h"

enum { IDS = 400, BASES = 600, EVERY = 1000, RECORDS = 60000, MODELS = 3 };

static struct panes model[MODELS];
static void *block[MODELS];
static uint32_t exact[BASES][IDS], records[BASES]; /* of each base pane */

static struct panes *fresh(int k, uint32_t room, int64_t keep)
{
    const struct panes_options o = {.every = EVERY, .keep = keep * EVERY, .seed = 5};
    size_t bytes = (panes_block_bytes(&o, room) + 63) & ~(size_t)63;
    free(block[k]);
    block[k] = aligned_alloc(64, bytes);
    memset(block[k], 0, bytes);
    panes_init(&model[k], &o, room, block[k]);
    return &model[k];
}

static uint64_t id_of(uint32_t i) { return mix64(i + 77); }

/* Skewed, and another one in each fifth of the time. */
static uint32_t feature(uint64_t *s, int64_t base)
{
    double u = uniform(s, 0, 1);
    uint32_t i = (uint32_t)(IDS * u * u * u);
    return (i + (u < 0.3 ? (uint32_t)(5 * base / BASES) * 40 : 0)) % IDS;
}

/* Adds a record of a base pane, and counts it. */
static bool add(struct panes *p, uint64_t *s, int64_t base)
{
    if (!panes_record(p, base * EVERY + below(s, EVERY))) return false;
    records[base]++;
    for (int k = 0; k < 3; k++) {
        uint32_t i = feature(s, base);
        panes_add(p, id_of(i));
        exact[base][i]++;
    }
    return true;
}

/* Time rises, and each tenth record is up to 30 base panes late. */
static void learn(struct panes *p, uint64_t seed, uint32_t n)
{
    memset(exact, 0, sizeof exact);
    memset(records, 0, sizeof records);
    for (uint32_t i = 0; i < n; i++) {
        int64_t base = (int64_t)i * BASES / n;
        if (below(&seed, 10) == 0) base -= below(&seed, 30);
        if (base >= 0) add(p, &seed, base);
        if (i % 1000 == 0) ck_assert_msg(!panes_check(p), "%s", panes_check(p));
    }
}

/* ---- sums against exact counts ---- */

static struct id_slots slots;
static uint32_t slot_id[IDS + 2], slot_next[IDS + 2], slot_head[4096];
static uint64_t slot_wide[IDS];
static struct panes_bounds bounds[IDS];

static void name_ids(uint32_t n, const uint64_t *id)
{
    slots = (struct id_slots){.capacity = IDS,
                              .made_for = ID_SLOTS_FEW,
                              .seed = 3,
                              .id = slot_id,
                              .wide = slot_wide,
                              .next = slot_next,
                              .head = slot_head};
    id_slots_rebuild(&slots);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t slot = id_slots_take(&slots);
        id_slots_set(&slots, slot, id[i]);
        id_slots_link(&slots, slot);
    }
}

static uint32_t slot_of(uint64_t id)
{
    return id_slots_find(&slots, id, id_slots_mix(slots.seed, id_slots_fold(id)));
}

static void name_all(void)
{
    uint64_t id[IDS];
    for (uint32_t i = 0; i < IDS; i++)
        id[i] = id_of(i);
    name_ids(IDS, id);
}

static struct panes_sum sum_of(const struct panes *p, struct panes_times t)
{
    bool in[PANES_MOST];
    struct panes_sum s = {.bounds = bounds};
    memset(bounds, 0, sizeof bounds);
    for (uint32_t i = 0; i < p->n; i++)
        in[i] = panes_in(p, &p->pane[i], t);
    panes_sum(p, in, &slots, &s);
    return s;
}

/* Checks the sum of a period. Returns the share of features whose bounds are equal. */
static double holds(const struct panes *p, struct panes_times t)
{
    struct panes_sum s = sum_of(p, t);
    uint64_t n = 0, equal = 0;
    for (int64_t b = s.times.from / EVERY; b < s.times.to / EVERY && b < BASES; b++)
        n += records[b];
    ck_assert_uint_eq(n, s.records);
    for (uint32_t i = 0; i < IDS; i++) {
        uint64_t count = 0;
        for (int64_t b = s.times.from / EVERY; b < s.times.to / EVERY && b < BASES; b++)
            count += exact[b][i];
        uint32_t slot = slot_of(id_of(i));
        ck_assert_msg(bounds[slot].low <= count && count <= bounds[slot].high,
                      "%u: %llu <= %llu <= %llu", i, (unsigned long long)bounds[slot].low,
                      (unsigned long long)count, (unsigned long long)bounds[slot].high);
        equal += bounds[slot].low == bounds[slot].high;
    }
    return (double)equal / IDS;
}

/* Checks 1,000 pairs of periods. */
static double hold(const struct panes *p, uint64_t seed)
{
    double equal = 0;
    for (int i = 0; i < 2000; i++) {
        int64_t a = below(&seed, BASES + 1), b = below(&seed, BASES + 1);
        equal += holds(p, (struct panes_times){(a < b ? a : b) * EVERY, (a > b ? a : b) * EVERY});
    }
    return equal / 2000;
}

START_TEST(bounds_hold_in_any_period)
{
    uint64_t seed = seed_given();
    struct panes *p = fresh(0, 160, BASES); /* room for 108 of 400 features */
    name_all();
    learn(p, seed, RECORDS);
    hold(p, seed + 1);
    p = fresh(0, 2000, BASES);
    learn(p, seed, RECORDS);
    ck_assert_double_eq(hold(p, seed + 1), 1); /* all features have room */
    ck_assert_uint_eq(p->late, 0);
}
END_TEST

START_TEST(panes_are_in_proportion_to_their_age)
{
    uint64_t seed = seed_given();
    struct panes *p = fresh(0, 160, BASES);
    learn(p, seed, RECORDS);
    ck_assert_uint_le(p->n, panes_most(&p->opt));
    for (uint32_t i = 0; i < p->n; i++) {
        int64_t length = (int64_t)1 << p->pane[i].level, age = p->newest + 1 - p->pane[i].first;
        ck_assert(length == 1 || length * PANES_SPAN <= 2 * age + 2 * length);
    }
}
END_TEST

/* Returns the level of the pane of a base pane, by the rule of the header. */
static uint32_t level_by_rule(int64_t newest, int64_t base)
{
    uint32_t l = 0;
    for (;; l++) {
        int64_t length = (int64_t)2 << l, end = (base / length + 1) * length; /* of the parent */
        if (newest + 1 - end < ((int64_t)PANES_SPAN << l)) return l;
    }
}

START_TEST(panes_are_those_of_the_rule)
{
    uint64_t seed = seed_given();
    for (int64_t newest = 39; newest < 3000; newest += 1 + below(&seed, 200)) {
        struct panes *p = fresh(0, 64, 4096);
        for (int64_t base = newest; base >= 0; base--)
            ck_assert(panes_record(p, base * EVERY + EVERY - 1));
        for (uint32_t i = 0; i < p->n; i++) {
            const struct pane *t = &p->pane[i];
            for (int64_t b = t->first; b < t->first + ((int64_t)1 << t->level); b++)
                ck_assert_uint_eq(t->level, level_by_rule(newest, b));
            ck_assert_uint_eq(t->records, i ? (uint64_t)1 << t->level : 1);
            ck_assert_int_eq(i ? t->first + ((int64_t)1 << t->level) : newest + 1,
                             i ? p->pane[i - 1].first : t->first + 1);
        }
        ck_assert_int_eq(p->pane[p->n - 1].first, 0);
        if (newest == 39) ck_assert_uint_eq(p->n, 2 + 8 + 16); /* the example of the header */
    }
}
END_TEST

/* Finds n features that stand at a place of an empty table. */
static void find_features(uint32_t place, uint32_t n, uint64_t *id)
{
    for (uint64_t i = 0, found = 0; found < n; i++) {
        struct panes *empty = fresh(1, 160, BASES);
        ck_assert(panes_record(empty, 0));
        panes_add(empty, mix64(i));
        if (empty->pane[0].table.count[place]) id[found++] = mix64(i);
    }
}

START_TEST(periods_beside_each_other_have_each_pane_once)
{
    uint64_t seed = seed_given();
    struct panes *p = fresh(0, 160, BASES);
    name_all();
    learn(p, seed, RECORDS);
    struct panes_sum all = sum_of(p, (struct panes_times){0, BASES * EVERY});
    ck_assert_uint_eq(all.panes, p->n);
    for (int64_t t = 0; t <= BASES * EVERY; t += EVERY / 2) {
        struct panes_sum a = sum_of(p, (struct panes_times){0, t});
        struct panes_sum b = sum_of(p, (struct panes_times){t, BASES * EVERY});
        ck_assert_uint_eq(a.panes + b.panes, p->n);
        ck_assert_uint_eq(a.records + b.records, all.records);
    }
    for (uint32_t i = 0; i < p->n; i++) {
        struct panes_sum own = sum_of(p, panes_times_of(p, &p->pane[i]));
        ck_assert(own.panes == 1 && own.records == p->pane[i].records);
    }
}
END_TEST

START_TEST(features_of_one_place_have_bounds)
{
    struct panes *p = fresh(0, 160, BASES);
    uint64_t id[64];
    uint32_t n = 0;
    for (uint32_t end = 0; end < 2; end++) { /* the first place of hashes, and the last one */
        uint32_t count = end ? sizeof id / sizeof *id : 8;
        p = fresh(0, 160, BASES);
        find_features(end ? p->main - 1 : 0, count, id);
        name_ids(count, id);
        ck_assert(panes_record(p, 0));
        for (uint32_t i = 0; i < 2 * count; i++) {
            panes_add(p, id[i / 2]);
            ck_assert_msg(!panes_check(p), "%s", panes_check(p));
        }
        struct panes_sum s = sum_of(p, (struct panes_times){0, BASES * EVERY});
        ck_assert_uint_eq(s.records, 1);
        for (uint32_t i = 0; i < count; i++) {
            const struct panes_bounds *of = &bounds[slot_of(id[i])];
            ck_assert(of->low <= 2 && of->high >= 2 && (end || of->low == of->high));
            n += of->low == 2;
        }
    }
    ck_assert_uint_lt(p->pane[0].n, sizeof id / sizeof *id);
    ck_assert(n > 8 && p->timeless == 0);
}
END_TEST

/* Each record of a copy counts 0.3 or 2.5 times: its counts are those of the original, scaled. */
START_TEST(a_scaled_copy_has_the_bounds_of_the_scaled_counts)
{
    uint64_t seed = seed_given();
    struct panes *a = fresh(0, 160, BASES);
    learn(a, seed, 20000);
    for (uint32_t i = 0; i < a->n; i++)
        for (int k = 0; k < 2; k++) {
            const double times = k ? 2.5 : 0.3;
            const struct pane *was = &a->pane[i];
            struct pane of = *was;
            struct panes_entries e = panes_entries(a, was), t = was->table;
            panes_scale(&of, &e, times);
            ck_assert_double_eq_tol((double)of.records, times * (double)was->records, 0.51);
            ck_assert_double_ge(of.missing, times * was->missing);
            ck_assert(of.n <= was->n && (k == 0 || of.n == was->n));
            for (uint32_t j = 0, at = 0; j < of.n; j++, at++) {
                while (!t.count[at] || t.id[at] != e.id[j])
                    ck_assert_uint_lt(++at, a->room);
                ck_assert(e.count[j] > 0 && e.count[j] <= times * t.count[at] &&
                          e.count[j] > times * t.count[at] - 1);
                double high = times * ((double)t.count[at] + t.excess[at]);
                ck_assert((double)e.count[j] + e.excess[j] >= high &&
                          (double)e.count[j] + e.excess[j] < high + 1);
                ck_assert_uint_le(e.excess[j], of.missing);
            }
            uint32_t stay = 0;
            for (uint32_t at = 0; at < a->room; at++) {
                stay += times * t.count[at] >= 1;
                if (t.count[at] && times * t.count[at] < 1)
                    ck_assert_double_ge(of.missing, times * ((double)t.count[at] + t.excess[at]));
            }
            ck_assert_uint_eq(of.n, stay);
        }
}
END_TEST

START_TEST(old_times_and_none_are_counted)
{
    uint64_t seed = seed_given();
    struct panes *p = fresh(0, 200, 100);
    learn(p, seed, 3000);
    ck_assert(!panes_record(p, 10 * EVERY) && !panes_record(p, -1));
    ck_assert_uint_eq(p->late, 1);
    ck_assert_uint_eq(p->timeless, 1);
    ck_assert(p->pane[p->n - 1].first + ((int64_t)1 << p->pane[p->n - 1].level) >
              p->newest + 1 - 100);
    for (int i = 0; i < 10; i++) /* the tenth drops all others */
        ck_assert_int_eq(panes_record(p, 5000 * EVERY), i == 9);
    ck_assert_uint_eq(p->n, 1);
    ck_assert_uint_eq(p->ahead, 9);
    ck_assert_msg(!panes_check(p), "%s", panes_check(p));
}
END_TEST

/* Adds the panes of one model to another, as a state or a merge does. */
static void copy(struct panes *to, struct panes *from)
{
    if (from->newest > to->newest) panes_advance(to, from->newest);
    for (uint32_t i = 0; i < from->n; i++) {
        struct panes_entries e = panes_entries(from, &from->pane[i]);
        ck_assert_ptr_null(panes_unite(to, &from->pane[i], &e));
    }
}

static void same(const struct panes *a, const struct panes *b)
{
    ck_assert_uint_eq(a->n, b->n);
    for (uint32_t i = 0; i < a->n; i++) {
        const struct pane *x = &a->pane[i], *y = &b->pane[i];
        ck_assert(x->first == y->first && x->level == y->level && x->records == y->records);
        ck_assert(x->missing == y->missing && x->n == y->n);
        for (uint32_t k = 0; k < a->room; k++) {
            ck_assert_uint_eq(x->table.count[k], y->table.count[k]);
            if (!x->table.count[k]) continue;
            ck_assert_uint_eq(x->table.id[k], y->table.id[k]);
            ck_assert_uint_eq(x->table.excess[k], y->table.excess[k]);
        }
    }
}

START_TEST(a_copy_continues_like_the_original)
{
    uint64_t seed = seed_given();
    struct panes *a = fresh(0, 160, BASES), *b = fresh(1, 160, BASES);
    learn(a, seed, 20000);
    copy(b, a);
    same(a, b);
    for (uint64_t s = 1, t = 1; s < 3000; s = t) {
        int64_t base = BASES - 1 - below(&t, 90);
        uint64_t again = t;
        add(a, &t, base);
        add(b, &again, base);
        t = s + 1;
    }
    same(a, b);
    ck_assert_msg(!panes_check(b), "%s", panes_check(b));
}
END_TEST

START_TEST(a_merge_has_the_records_of_both)
{
    uint64_t seed = seed_given();
    struct panes *a = fresh(0, 160, BASES), *b = fresh(1, 160, BASES), *m = fresh(2, 160, BASES);
    name_all();
    memset(exact, 0, sizeof exact);
    memset(records, 0, sizeof records);
    for (uint32_t i = 0; i < RECORDS; i++) /* b ends earlier */
        add(i % 2 || i > 50000 ? a : b, &seed, (int64_t)i * BASES / RECORDS);
    copy(m, b);
    copy(m, a);
    ck_assert_msg(!panes_check(m), "%s", panes_check(m));
    hold(m, seed + 1);
}
END_TEST

/* The first record, and later ones. */
START_TEST(one_wrong_clock_drops_no_pane)
{
    name_all();
    for (int wrong = 0; wrong < 3000; wrong += 600) {
        uint64_t seed = seed_given();
        struct panes *p = fresh(0, 2000, BASES);
        memset(exact, 0, sizeof exact);
        memset(records, 0, sizeof records);
        for (int i = 0; i < 3000; i++) {
            if (i == wrong) panes_record(p, (int64_t)100000 * EVERY);
            ck_assert(add(p, &seed, (int64_t)i * BASES / 3000));
        }
        ck_assert_int_eq(p->newest, BASES - 1);
        ck_assert_uint_eq(p->ahead, 1);
        ck_assert_double_eq(hold(p, seed), 1);
    }
}
END_TEST

/* Inputs that cover the same time, one after the other or mixed. */
START_TEST(the_order_of_inputs_plays_no_part)
{
    enum { INPUTS = 4, EACH = 2000 };
    struct panes *a = fresh(0, 2000, BASES), *b = fresh(1, 2000, BASES);
    for (uint64_t k = 0; k < INPUTS * EACH; k++) {
        uint64_t s = k + 1, t = k % EACH * INPUTS + k / EACH + 1; /* gives both the same */
        add(a, &s, (int64_t)(k / INPUTS * BASES / EACH));
        add(b, &t, (int64_t)(k % EACH * BASES / EACH));
    }
    same(a, b);
}
END_TEST

START_TEST(panes_that_none_writes_are_refused)
{
    uint64_t seed = seed_given();
    struct panes *a = fresh(0, 160, BASES), *b = fresh(1, 160, BASES);
    learn(a, seed, 20000);
    struct panes_entries e = panes_entries(a, &a->pane[3]);
    struct pane of = a->pane[3];
    panes_advance(b, a->newest);
    e.count[2] = 0;
    ck_assert_ptr_nonnull(panes_unite(b, &of, &e));
    e.count[2] = 1;
    e.excess[2] = of.missing + 1;
    ck_assert_ptr_nonnull(panes_unite(b, &of, &e));
    e.excess[2] = 0;
    e.id[2] = e.id[1];
    ck_assert_ptr_nonnull(panes_unite(b, &of, &e));
    of.n = a->limit + 1;
    ck_assert_ptr_nonnull(panes_unite(b, &of, &e));
    ck_assert_uint_eq(b->n, 0);
}
END_TEST

LEAT_SUITE("panes", bounds_hold_in_any_period, panes_are_in_proportion_to_their_age,
           panes_are_those_of_the_rule, periods_beside_each_other_have_each_pane_once,
           features_of_one_place_have_bounds, a_scaled_copy_has_the_bounds_of_the_scaled_counts,
           old_times_and_none_are_counted, a_copy_continues_like_the_original,
           a_merge_has_the_records_of_both, one_wrong_clock_drops_no_pane,
           the_order_of_inputs_plays_no_part, panes_that_none_writes_are_refused)
