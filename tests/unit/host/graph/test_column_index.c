/* test_column_index.c -- columns by name, against a linear search. */
#include <stdio.h>
#include <string.h>

#include "host/graph/column_type.h"
#include "support/suite.h"

enum { COLUMNS = 3000 };

static struct arena arena;
static char name[COLUMNS][16];
static struct leat_column column[COLUMNS];

static void name_all(void)
{
    for (int i = 0; i < COLUMNS; i++) {
        snprintf(name[i], sizeof name[i], "c%d", i);
        column[i].name = name[i];
    }
}

START_TEST(every_column_is_found_by_its_name_however_many_are_entered_at_once)
{
    static const uint32_t entered[] = {1, 1, 2, 31, 32, 33, 900, COLUMNS};
    struct column_index x = {0};
    name_all();
    ck_assert_uint_eq(column_index_find(&x, column, "c0", 2), COLUMN_NONE);
    for (size_t k = 0; k < sizeof entered / sizeof *entered; k++) {
        column_index_extend(&x, &arena, column, entered[k]);
        for (uint32_t i = 0; i < COLUMNS; i++)
            ck_assert_uint_eq(column_index_find(&x, column, name[i], strlen(name[i])),
                              i < entered[k] ? i : COLUMN_NONE);
    }
    ck_assert_uint_ge(x.slots, 2 * COLUMNS);
    arena_free(&arena);
}
END_TEST

START_TEST(a_part_of_a_name_and_a_name_with_a_zero_byte_are_other_names)
{
    struct column_index x = {0};
    name_all();
    column_index_extend(&x, &arena, column, 100);
    ck_assert_uint_eq(column_index_find(&x, column, "c12", 2), 1);
    ck_assert_uint_eq(column_index_find(&x, column, "c1\0", 3), COLUMN_NONE);
    ck_assert_uint_eq(column_index_find(&x, column, "", 0), COLUMN_NONE);
    arena_free(&arena);
}
END_TEST

LEAT_SUITE("column_index", every_column_is_found_by_its_name_however_many_are_entered_at_once,
           a_part_of_a_name_and_a_name_with_a_zero_byte_are_other_names)
