/* test_same_fold.c -- features whose ids fold to the same 32 bits are counted apart.
 *
 * Three ids each have the same fold. Their counts are compared with those of a plain array. */
#include "support/suite.h"
#include "support/united.h"

#include <stdlib.h>
#include <string.h>

#include "core/mix64.h"
#include "kernels/counting/contrast/contrast.h"
#include "kernels/counting/cooccurrence/cooccurrence_sum.h"
#include "kernels/counting/panes/panes.h"

enum { FOLDS = 40, EACH_FOLD = 3, IDS = FOLDS * EACH_FOLD, RECORDS = 3000, LONGEST = 8 };

static uint64_t id_of(uint32_t i)
{
    uint32_t fold = (uint32_t)mix64(i / EACH_FOLD + 1), high = (uint32_t)mix64(i + 1000);
    return (uint64_t)high << 32 | (fold ^ high);
}

static uint32_t number_of(uint64_t id)
{
    uint32_t i = 0;
    while (i < IDS && id_of(i) != id)
        i++;
    ck_assert_uint_lt(i, IDS);
    return i;
}

/* ---- records of different features, and their counts ---- */

static struct {
    int kind;
    uint32_t n, id[LONGEST];
} record[RECORDS];
static uint64_t count[IDS][2], pairs[IDS][IDS];

static void make_records(uint64_t seed)
{
    memset(count, 0, sizeof count);
    memset(pairs, 0, sizeof pairs);
    for (uint32_t r = 0; r < RECORDS; r++) {
        uint32_t n = 1 + (uint32_t)(mix64_next(&seed) % (LONGEST - 1)), at = 0;
        record[r].kind = mix64_next(&seed) % 4 == 0;
        while (at < n) {
            uint32_t i = (uint32_t)(mix64_next(&seed) % IDS);
            bool again = false;
            for (uint32_t k = 0; k < at; k++)
                again |= record[r].id[k] == i;
            if (!again) record[r].id[at++] = i;
        }
        record[r].n = n;
        for (uint32_t k = 0; k < n; k++)
            count[record[r].id[k]][record[r].kind]++;
        for (uint32_t k = 1; k < n; k++)
            pairs[record[r].id[k - 1]][record[r].id[k]]++;
    }
}

static void *block_of(size_t bytes)
{
    void *block = aligned_alloc(64, (bytes + 63) / 64 * 64);
    ck_assert_ptr_nonnull(block);
    return memset(block, 0, (bytes + 63) / 64 * 64);
}

/* ---- contrast ---- */

static struct contrast contrast_of(uint32_t members, void **block)
{
    const struct contrast_shape s = {members, 64, 4000, 0};
    const struct contrast_options o = {.both = true, .seed = 5};
    struct contrast m;
    *block = block_of(contrast_block_bytes(&s));
    contrast_init(&m, &s, &o, *block);
    return m;
}

static void contrast_feed(struct contrast *m, uint32_t from, uint32_t to)
{
    for (uint32_t r = from; r < to; r++) {
        uint64_t id[LONGEST];
        contrast_record(m, record[r].kind, 0);
        for (uint32_t k = 0; k < record[r].n; k++)
            id[k] = id_of(record[r].id[k]);
        for (uint32_t k = 0; k < record[r].n; k++)
            contrast_add(m, id[k], record[r].kind);
    }
    ck_assert_ptr_null(contrast_check(m));
}

static void contrast_holds(const struct contrast *m, bool exact)
{
    for (uint32_t i = 0; i < IDS; i++) {
        struct contrast_bounds b = contrast_bounds_of(m, id_of(i));
        for (int y = 0; y < 2; y++) {
            double n = (double)count[i][y];
            ck_assert(b.low[y] <= n && n <= b.high[y] && (!exact || b.low[y] == b.high[y]));
        }
    }
}

START_TEST(contrast_counts_them_apart)
{
    void *block[4];
    for (uint32_t members = IDS; members; members = members == IDS ? IDS / 2 : 0) {
        struct contrast all = contrast_of(members, &block[0]), a = contrast_of(members, &block[1]),
                        b = contrast_of(members, &block[2]);
        make_records(members);
        contrast_feed(&all, 0, RECORDS);
        contrast_holds(&all, members == IDS);
        contrast_feed(&a, 0, RECORDS / 2);
        struct contrast_parts p = contrast_parts(&a);
        ck_assert_ptr_null(contrast_load(&b, &p));
        contrast_feed(&b, RECORDS / 2, RECORDS);
        contrast_holds(&b, members == IDS);
        free(block[2]);
        b = contrast_of(members, &block[2]);
        contrast_feed(&b, RECORDS / 2, RECORDS);
        block[3] = NULL;
        struct contrast ab = united(&block[3], &a, &b, 1);
        ck_assert_ptr_null(contrast_check(&ab));
        contrast_holds(&ab, members == IDS);
        for (int i = 0; i < 4; i++)
            free(block[i]);
    }
}
END_TEST

/* ---- cooccurrence: pairs of neighbours ---- */

static struct cooccurrence cooccurrence_of(uint32_t kept, void **block)
{
    const struct cooccurrence_shape s = {kept, 4096, 65536};
    const struct cooccurrence_options o = {.window = 2, .min_count = 1, .ordered = true, .seed = 5};
    struct cooccurrence m;
    *block = block_of(cooccurrence_block_bytes(&s));
    cooccurrence_init(&m, &s, &o, *block);
    return m;
}

static void cooccurrence_feed(struct cooccurrence *m, uint32_t from, uint32_t to)
{
    for (uint32_t r = from; r < to; r++) {
        uint64_t id[LONGEST];
        uint32_t entered[LONGEST];
        cooccurrence_record(m);
        for (uint32_t k = 0; k < record[r].n; k++)
            id[k] = id_of(record[r].id[k]);
        cooccurrence_add(m, record[r].n, id, entered);
    }
    cooccurrence_record(m);
    ck_assert_ptr_null(cooccurrence_check(m));
}

/* Checks that a model of all pairs has each with its exact count. */
static void cooccurrence_is_exact(const struct cooccurrence *m)
{
    uint32_t kinds = 0;
    for (uint32_t i = 0; i < IDS; i++)
        for (uint32_t j = 0; j < IDS; j++)
            kinds += pairs[i][j] > 0;
    ck_assert_uint_eq(m->pair.n, kinds);
    for (uint32_t p = 0; p < m->pair.n; p++) {
        struct cooccurrence_bounds b = cooccurrence_pair_count(m, p);
        uint32_t u = number_of(m->token.index.wide[m->pair.at[p].first]);
        uint32_t v = number_of(m->token.index.wide[m->pair.at[p].second]);
        ck_assert(b.low == b.high && b.low == (double)pairs[u][v]);
    }
}

START_TEST(cooccurrence_counts_them_apart)
{
    enum { KEPT = IDS * IDS };
    void *block[5];
    struct cooccurrence all = cooccurrence_of(KEPT, &block[0]),
                        a = cooccurrence_of(KEPT, &block[1]), b = cooccurrence_of(KEPT, &block[2]);
    const struct cooccurrence_sum_room room = cooccurrence_sum_room_for(IDS, KEPT);
    struct cooccurrence_sum ab;
    struct cooccurrence view;
    make_records(3);
    cooccurrence_feed(&all, 0, RECORDS);
    cooccurrence_is_exact(&all);
    cooccurrence_feed(&a, 0, RECORDS / 2);
    cooccurrence_feed(&b, RECORDS / 2, RECORDS);
    block[3] = block_of(cooccurrence_sum_bytes(&a.shape, &room));
    cooccurrence_sum_init(&ab, &a.shape, &a.opt, &room, block[3]);
    cooccurrence_sum_add_leaf(&ab, &a, 1);
    cooccurrence_sum_add_leaf(&ab, &b, 1);
    block[4] = block_of(cooccurrence_sum_view_bytes(&ab));
    cooccurrence_sum_view(&ab, &view, block[4]);
    cooccurrence_is_exact(&view);
    for (int i = 0; i < 5; i++)
        free(block[i]);
}
END_TEST

/* ---- panes ---- */

START_TEST(panes_count_them_apart)
{
    const struct panes_options o = {.every = 10, .keep = 1000, .seed = 5};
    struct panes p;
    void *block = block_of(panes_block_bytes(&o, 400));
    struct contrast names;
    void *of_names;
    panes_init(&p, &o, 400, block);
    make_records(9);
    for (uint32_t r = 0; r < RECORDS; r++) {
        ck_assert(panes_record(&p, r * 1000 / RECORDS));
        for (uint32_t k = 0; k < record[r].n; k++)
            panes_add(&p, id_of(record[r].id[k]));
    }
    ck_assert_ptr_null(panes_check(&p));
    names = contrast_of(IDS, &of_names);
    contrast_feed(&names, 0, RECORDS);
    bool in[PANES_MOST];
    struct panes_bounds bounds[IDS] = {{0}};
    struct panes_sum s = {.bounds = bounds};
    for (uint32_t i = 0; i < PANES_MOST; i++)
        in[i] = true;
    panes_sum(&p, in, &names.index, &s);
    for (uint32_t slot = 0; slot < names.index.n; slot++) {
        const uint64_t *n = count[number_of(names.index.wide[slot])];
        ck_assert(bounds[slot].low == n[0] + n[1] && bounds[slot].high == n[0] + n[1]);
    }
    ck_assert_uint_eq(names.index.n, IDS);
    free(block);
    free(of_names);
}
END_TEST

/* ---- the table ---- */

START_TEST(a_table_of_whole_ids_knows_who_shares_a_fold)
{
    uint32_t fold[8], next[8], head[64];
    uint64_t wide[6];
    struct id_slots s = {.capacity = 6, .id = fold, .next = next, .head = head, .wide = wide};
    id_slots_rebuild(&s);
    for (uint32_t i = 0; i < 4; i++) { /* three with one fold, and another one */
        id_slots_set(&s, s.n, id_of(i));
        id_slots_link(&s, s.n++);
        ck_assert_ptr_null(id_slots_check(&s));
    }
    ck_assert(id_slots_shares(&s, id_of(0)) && !id_slots_shares(&s, id_of(3)));
    ck_assert(id_slots_shares(&s, id_of(4)) && !id_slots_shares(&s, id_of(6)));
    id_slots_unlink(&s, 1);
    const uint64_t mix = id_slots_mix(s.seed, id_slots_fold(id_of(0)));
    ck_assert_uint_eq(id_slots_find(&s, id_of(0), mix), 0);
    ck_assert_uint_eq(id_slots_find(&s, id_of(1), mix), ID_SLOTS_NONE);
    ck_assert_uint_eq(id_slots_find(&s, id_of(2), mix), 2);
    id_slots_set(&s, 1, id_of(2));
    id_slots_link(&s, 1);
    ck_assert_ptr_nonnull(id_slots_check(&s)); /* an id has two slots */
}
END_TEST

LEAT_SUITE("same_fold", contrast_counts_them_apart, cooccurrence_counts_them_apart,
           panes_count_them_apart, a_table_of_whole_ids_knows_who_shares_a_fold)
