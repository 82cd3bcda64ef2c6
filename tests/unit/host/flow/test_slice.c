/* test_slice.c -- parts of a batch's selections. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <leat/status.h>

#include "host/flow/batch.h"
#include "support/suite.h"

enum { RECORDS = 200, EXAMPLES = 600 };

static uint32_t sel[RECORDS], ex_sel[EXAMPLES], ex_record[EXAMPLES];
static struct leat_batch b;

/* Records with 0 to 3 examples each, some of which are selected. */
static void fill(unsigned seed)
{
    srand(seed);
    b = (struct leat_batch){.size = sizeof b, .sel = sel, .ex_sel = ex_sel, .ex_record = ex_record};
    for (uint32_t r = 0; r < RECORDS; r++) {
        bool selected = rand() % 3 != 0;
        if (selected) sel[b.n_sel++] = r;
        for (int k = rand() % 4; k-- > 0;) {
            if (selected) ex_sel[b.n_ex_sel++] = b.n_examples;
            ex_record[b.n_examples++] = r;
        }
    }
    b.n = RECORDS;
}

static bool is_selected(uint32_t record)
{
    for (uint32_t k = 0; k < b.n_sel; k++)
        if (b.sel[k] == record) return true;
    return false;
}

START_TEST(slices_are_the_whole_and_end_between_records)
{
    for (unsigned seed = 1; seed < 50; seed++)
        for (uint32_t n = 1; n < 40; n += 3) {
            fill(seed);
            struct leat_batch all = b;
            struct slicing s = slice_begin(&b);
            uint32_t records = 0, examples = 0, before = 0;
            do {
                uint32_t k = slice_next(&s, &b, n);
                ck_assert_uint_eq(k, b.n_ex_sel);
                ck_assert(k >= n || slice_was_last(&s));
                ck_assert(k < n + 3 || slice_was_last(&s));
                ck_assert_ptr_eq(b.sel, sel + records);
                ck_assert_ptr_eq(b.ex_sel, ex_sel + examples);
                for (uint32_t e = 0; e < k; e++)
                    ck_assert(is_selected(ex_record[b.ex_sel[e]]));
                ck_assert(!examples || !k || ex_record[b.ex_sel[0]] > before);
                records += b.n_sel;
                examples += k;
                if (k) before = ex_record[b.ex_sel[k - 1]];
            } while (!slice_was_last(&s));
            ck_assert_uint_eq(records, all.n_sel);
            ck_assert_uint_eq(examples, all.n_ex_sel);
            slice_end(&s, &b);
            ck_assert_int_eq(memcmp(&b, &all, sizeof b), 0);
        }
}
END_TEST

START_TEST(without_a_size_and_out_of_order_the_batch_is_one_slice)
{
    fill(7);
    struct slicing s = slice_begin(&b);
    ck_assert_uint_eq(slice_next(&s, &b, 0), b.n_ex_sel);
    ck_assert(slice_was_last(&s));
    slice_end(&s, &b);
    uint32_t first = ex_record[ex_sel[0]];
    ex_record[ex_sel[0]] = ex_record[ex_sel[b.n_ex_sel - 1]];
    ex_record[ex_sel[b.n_ex_sel - 1]] = first;
    s = slice_begin(&b);
    ck_assert_uint_eq(slice_next(&s, &b, 5), s.n_ex_sel);
    ck_assert(slice_was_last(&s) && b.n_sel == s.n_sel);
}
END_TEST

START_TEST(records_without_examples_are_a_slice)
{
    fill(3);
    b.n_ex_sel = 0;
    struct slicing s = slice_begin(&b);
    ck_assert_uint_eq(slice_next(&s, &b, 5), 0);
    ck_assert(slice_was_last(&s) && b.n_sel == s.n_sel);
}
END_TEST

START_TEST(a_slice_up_to_a_row_has_its_record_and_no_later_one)
{
    for (uint32_t row = 0; row < RECORDS; row += 7) {
        fill(row);
        struct leat_batch all = b;
        struct slicing s = slice_begin(&b);
        slice_upto(&s, &b, row);
        uint32_t records = b.n_sel, examples = b.n_ex_sel;
        ck_assert(!records || sel[records - 1] <= row);
        ck_assert(!examples || ex_record[ex_sel[examples - 1]] <= row);
        slice_rest(&s, &b);
        ck_assert_uint_eq(b.n_sel, all.n_sel - records);
        ck_assert_uint_eq(b.n_ex_sel, all.n_ex_sel - examples);
        ck_assert(!b.n_sel || b.sel[0] > row);
        ck_assert(!b.n_ex_sel || ex_record[b.ex_sel[0]] > row);
        slice_upto(&s, &b, LEAT_NULL);
        ck_assert(slice_was_last(&s));
        slice_end(&s, &b);
        ck_assert_int_eq(memcmp(&b, &all, sizeof b), 0);
    }
}
END_TEST

LEAT_SUITE("slices of batches", a_slice_up_to_a_row_has_its_record_and_no_later_one,
           slices_are_the_whole_and_end_between_records,
           without_a_size_and_out_of_order_the_batch_is_one_slice,
           records_without_examples_are_a_slice)
