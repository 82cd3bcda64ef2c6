/* test_batch.c -- the memory of batches: room, selections, origins, borrowing. */
#include <stdlib.h>
#include <string.h>

#include "host/flow/pool.h"
#include "support/suite.h"

static struct idle idle; /* no questions arrive */
static const struct options options = {.batch_rows = 8, .batch_bytes = 256};
static const struct leat_column columns[] = {{.name = "a", .type = LEAT_TEXT},
                                             {.name = "n", .type = LEAT_NUMBER}};
static const struct leat_schema schema = {.size = sizeof schema,
                                          .has = LEAT_HAS_RECORDS | LEAT_HAS_COLUMNS |
                                                 LEAT_HAS_EXAMPLES | LEAT_HAS_NAMES,
                                          .n_columns = 2,
                                          .column = columns,
                                          .examples_per_record = 3,
                                          .entries_per_record = 3,
                                          .parts_per_record = 2,
                                          .added_bytes_per_record = 16};

static struct pool *new_pool(int own_records, int own_examples, uint32_t n)
{
    struct pool *p = calloc(1, sizeof *p);
    struct batch_shape s = {.own_records = own_records, .own_examples = own_examples, .tables = 1};
    batch_shape_widen(&s, &schema, &options);
    ck_assert_int_eq(pool_init(p, n, &s), LEAT_OK);
    return p;
}

static void free_pool(struct pool *p)
{
    pool_fini(p);
    free(p);
}

/* Adds five records "r0" … "r4", one a line, from byte 100 and line 7 of an input. */
static struct hbatch *filled(struct pool *p)
{
    struct hbatch *h = pool_take(p, &idle);
    struct leat_batch *b = &h->b;
    for (int i = 0; i < 5; i++) {
        uint32_t off = leat_add_bytes(b, 3);
        memcpy(b->bytes + off, (char[]){'r', (char)('0' + i), '\n'}, 3);
        ck_assert_int_eq(leat_add_record(b, off, 2), i);
        b->sel[b->n_sel++] = (uint32_t)i;
        b->column[0].text[i] = b->raw[i];
        b->column[1].number[i] = i;
    }
    b->extent[b->n_extents++] = (struct leat_extent){.n = 5, .offset = 100, .line = 7};
    return h;
}

static void add_examples(struct hbatch *h, uint32_t per_record)
{
    uint32_t before = h->b.n_examples;
    for (LEAT_EACH_RECORD(&h->b, r))
        for (uint32_t k = 0; k < per_record; k++) {
            ck_assert_int_ge(leat_add_example(&h->b, r), 0);
            ck_assert_int_ge(leat_add_entry(&h->b, 10 * r + k, 1.0f), 0);
        }
    batch_select(h, before);
}

START_TEST(the_room_is_what_the_schema_says)
{
    struct pool *p = new_pool(1, 1, 1);
    struct hbatch *h = pool_take(p, &idle);
    ck_assert_uint_eq(h->b.cap, 8);
    ck_assert_uint_eq(h->b.cap_examples, 24);
    ck_assert_uint_eq(h->b.cap_entries, 24);
    ck_assert_uint_eq(h->b.cap_parts, 16);
    ck_assert_uint_eq(h->b.cap_bytes, 256 + 8 * 16);
    for (int i = 0; i < 8; i++)
        ck_assert_int_eq(leat_add_record(&h->b, 0, 0), i);
    ck_assert_int_eq(leat_add_record(&h->b, 0, 0), LEAT_EFULL);
    for (int i = 0; i < 24; i++) {
        ck_assert_int_eq(leat_add_example(&h->b, 0), i);
        ck_assert_int_eq(leat_add_entry(&h->b, 1, 1), i);
    }
    ck_assert_int_eq(leat_add_example(&h->b, 0), LEAT_EFULL);
    ck_assert_int_eq(leat_add_entry(&h->b, 1, 1), LEAT_EFULL);
    ck_assert_uint_eq(leat_add_bytes(&h->b, 385), LEAT_NULL);
    pool_release(h);
    free_pool(p);
}
END_TEST

START_TEST(a_filtered_record_takes_its_examples_along)
{
    struct pool *p = new_pool(1, 1, 1);
    struct hbatch *h = filled(p);
    leat_filter(&h->b, 1);
    batch_select(h, 0);
    ck_assert_uint_eq(h->b.n_sel, 4);
    add_examples(h, 2);
    ck_assert_uint_eq(h->b.n_ex_sel, 8);
    leat_filter(&h->b, 3);
    leat_filter(&h->b, 3);
    batch_select(h, h->b.n_examples);
    ck_assert_uint_eq(h->b.n_sel, 3);
    ck_assert_uint_eq(h->b.n_ex_sel, 6);
    for (LEAT_EACH_EXAMPLE(&h->b, e))
        ck_assert(h->b.ex_record[e] != 1 && h->b.ex_record[e] != 3);
    pool_release(h);
    free_pool(p);
}
END_TEST

START_TEST(the_origin_of_a_record_follows_from_its_run)
{
    struct pool *p = new_pool(1, 1, 1);
    struct hbatch *h = filled(p);
    struct batch_origin o = batch_origin(h, 3);
    ck_assert_uint_eq(o.offset, 109);
    ck_assert_uint_eq(o.line, 10);
    h->b.extent[0].line = 0; /* a topic: offsets count messages */
    ck_assert_uint_eq(batch_origin(h, 3).offset, 103);
    pool_release(h);
    free_pool(p);
}
END_TEST

START_TEST(origins_are_the_same_in_any_order)
{
    struct pool *p = new_pool(1, 1, 1);
    struct hbatch *h = filled(p);
    struct leat_extent *e = h->b.extent;
    for (uint32_t i = 0; i < h->b.n_bytes; i += 3)
        h->b.bytes[i] = '\n';
    e[1] = (struct leat_extent){2, e[0].n - 2, 7, h->b.raw[2].off, 900, 50};
    e[0].n = 2;
    h->b.n_extents = 2;
    static const uint32_t order[] = {0, 1, 1, 2, 4, 3, 0, 4, 2, 1};
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        uint32_t r = order[i];
        const struct leat_extent *of = &e[r >= 2];
        uint64_t line = of->line;
        for (uint32_t at = of->bytes_off; at < h->b.raw[r].off; at++)
            line += h->b.bytes[at] == '\n';
        struct batch_origin o = batch_origin(h, r);
        ck_assert_uint_eq(o.line, line);
        ck_assert_uint_eq(o.offset, of->offset + h->b.raw[r].off - of->bytes_off);
        ck_assert_uint_eq(o.input, of->input);
    }
    pool_release(h);
    free_pool(p);
}
END_TEST

START_TEST(a_borrower_shares_what_it_does_not_write_and_keeps_the_parent_alive)
{
    struct pool *p = new_pool(1, 1, 1), *branch = new_pool(0, 0, 2);
    struct hbatch *h = filled(p);
    add_examples(h, 1);
    struct hbatch *x = pool_take(branch, &idle), *y = pool_take(branch, &idle);
    batch_borrow(x, h, &schema);
    batch_borrow(y, h, &schema);
    ck_assert_ptr_eq(x->b.bytes, h->b.bytes);
    ck_assert_ptr_eq(x->b.id, h->b.id);
    ck_assert_uint_eq(leat_add_bytes(&x->b, 1), LEAT_NULL); /* a borrowed batch cannot grow */
    leat_filter(&x->b, 0);
    x->b.ex_label[1] = 5;
    batch_select(x, x->b.n_examples);
    ck_assert_uint_eq(x->b.n_ex_sel, 4);
    ck_assert_uint_eq(y->b.n_ex_sel, 5);
    ck_assert_int_eq(y->b.status[0], LEAT_ROW_OK);
    ck_assert(y->b.ex_label[1] != 5);
    pool_release(h);
    pool_release(x);
    ck_assert_ptr_null(p->free);
    pool_release(y);
    ck_assert_ptr_eq(p->free, h);
    free_pool(branch);
    free_pool(p);
}
END_TEST

START_TEST(a_copying_borrower_may_write)
{
    struct pool *p = new_pool(1, 1, 1), *branch = new_pool(1, 1, 1);
    struct hbatch *h = filled(p);
    add_examples(h, 1);
    struct hbatch *x = pool_take(branch, &idle);
    batch_borrow(x, h, &schema);
    ck_assert_ptr_ne(x->b.bytes, h->b.bytes);
    ck_assert_mem_eq(x->b.bytes, h->b.bytes, h->b.n_bytes);
    x->b.bytes[0] = 'X';
    x->b.column[1].number[2] = -1;
    x->b.value[0] = 7;
    ck_assert_int_eq(h->b.bytes[0], 'r');
    ck_assert_double_eq(h->b.column[1].number[2], 2);
    ck_assert_float_eq(h->b.value[0], 1);
    add_examples(x, 1);
    ck_assert_uint_eq(x->b.n_examples, 10);
    pool_release(x);
    pool_release(h);
    free_pool(branch);
    free_pool(p);
}
END_TEST

START_TEST(a_batch_comes_back_empty)
{
    struct pool *p = new_pool(1, 1, 1);
    struct hbatch *h = filled(p);
    add_examples(h, 3);
    pool_release(h);
    struct hbatch *again = pool_take(p, &idle);
    ck_assert_ptr_eq(again, h);
    ck_assert_uint_eq(again->b.n + again->b.n_bytes + again->b.n_examples + again->b.n_entries +
                          again->b.n_sel + again->b.n_ex_sel + again->b.n_extents,
                      0);
    pool_release(again);
    free_pool(p);
}
END_TEST

START_TEST(each_batch_is_handed_out_once_before_one_is_again)
{
    struct pool *p = new_pool(1, 1, 3);
    struct hbatch *h[3];
    for (int i = 0; i < 3; i++) {
        h[i] = pool_take(p, &idle);
        pool_release(h[i]);
    }
    ck_assert(h[0] != h[1] && h[1] != h[2] && h[0] != h[2]);
    for (int i = 0; i < 3; i++) { // the batch used last is in the cache
        struct hbatch *again = pool_take(p, &idle);
        ck_assert_ptr_eq(again, h[2]);
        pool_release(again);
    }
    free_pool(p);
}
END_TEST

LEAT_SUITE("batch", the_room_is_what_the_schema_says, a_filtered_record_takes_its_examples_along,
           the_origin_of_a_record_follows_from_its_run, origins_are_the_same_in_any_order,
           a_borrower_shares_what_it_does_not_write_and_keeps_the_parent_alive,
           a_copying_borrower_may_write, a_batch_comes_back_empty,
           each_batch_is_handed_out_once_before_one_is_again)
