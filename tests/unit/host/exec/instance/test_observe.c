/* test_observe.c -- the last of many records are stored, as text. */
#include <stdio.h>
#include <string.h>

#include "host/exec/instance/observe.h"
#include "support/suite.h"

enum { ROWS = 64, TEXT_CAP = 1 << 13 };

static struct leat_column column[LAST_COLUMNS + 1] = {{.name = "n", .type = LEAT_NUMBER},
                                                      {.name = "t", .type = LEAT_TEXT}};
static struct node sink;
static const struct leat_stage stage = {.kind = LEAT_SINK};
static struct arena arena;

static struct last_rows *of_columns(uint32_t n, uint32_t derived)
{
    for (uint32_t i = 2; i < n; i++)
        column[i] = (struct leat_column){.name = "more", .type = LEAT_NUMBER};
    sink = (struct node){.stage = &stage,
                         .schema_in = {.n_columns = n, .column = column, .derived = derived}};
    return last_rows_new(&sink, &arena);
}

/* Takes a batch of `n` records from number `first` on. The records at odd places are selected. */
static void take(struct last_rows *l, uint32_t first, uint32_t n)
{
    static double number[ROWS];
    static struct leat_str text[ROWS];
    static char bytes[TEXT_CAP];
    static uint32_t sel[ROWS];
    union leat_cells cells[LAST_COLUMNS + 1];
    struct leat_batch b = {.n = n, .bytes = bytes, .column = cells, .sel = sel};
    for (uint32_t i = 0; i <= LAST_COLUMNS; i++)
        cells[i].number = number;
    cells[1].text = text;
    for (uint32_t r = 0; r < n; r++) {
        number[r] = first + r;
        int len = snprintf(bytes + b.n_bytes, 20, "t%u", (unsigned)(first + r));
        text[r] = (struct leat_str){b.n_bytes, (uint32_t)len};
        b.n_bytes += (uint32_t)len;
        if (r % 2) sel[b.n_sel++] = r;
    }
    last_rows_take(l, &sink.schema_in, &b);
}

static void is_cell(const struct last_rows *l, uint64_t row, uint32_t c, const char *text)
{
    const struct last_cell *cell = &l->cell[row % LAST_ROWS][c];
    ck_assert(cell->has);
    ck_assert_msg(cell->len == strlen(text) && !memcmp(cell->text, text, cell->len), "%.*s, not %s",
                  cell->len, cell->text, text);
}

START_TEST(the_last_rows_are_kept_whatever_the_batches)
{
    static const uint32_t sizes[] = {1, 2, 7, 40, 50, ROWS};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        struct last_rows *l = of_columns(2, 1);
        uint32_t odd[400], n = 0;
        for (uint32_t first = 0; first < 300; first += sizes[s]) {
            take(l, first, sizes[s]);
            for (uint32_t r = 1; r < sizes[s]; r += 2)
                odd[n++] = first + r;
        }
        ck_assert_uint_eq(l->n, n);
        for (uint32_t i = n > LAST_ROWS ? n - LAST_ROWS : 0; i < n; i++) {
            char text[20];
            snprintf(text, sizeof text, "t%u", (unsigned)odd[i]);
            is_cell(l, i, 0, text + 1);
            is_cell(l, i, 1, text);
        }
        arena_free(&arena);
    }
}
END_TEST

START_TEST(a_long_text_is_cut_before_a_character)
{
    struct last_rows *l = of_columns(2, 1);
    char bytes[LAST_TEXT + 10];
    double number = (double)NAN;
    struct leat_str text = {0, LAST_TEXT + 4};
    uint32_t sel = 0;
    union leat_cells cells[2] = {{.number = &number}, {.text = &text}};
    struct leat_batch b = {.n = 1, .n_sel = 1, .sel = &sel, .bytes = bytes, .column = cells};
    memset(bytes, 'x', LAST_TEXT - 1);
    memcpy(bytes + LAST_TEXT - 1,
           "\xe2\x82\xac"
           "yy",
           5);
    last_rows_take(l, &sink.schema_in, &b);
    ck_assert(!l->cell[0][0].has);
    ck_assert(l->cell[0][1].has && l->cell[0][1].cut);
    ck_assert_uint_eq(l->cell[0][1].len, LAST_TEXT - 1);
    text.len = LAST_TEXT - 1;
    last_rows_take(l, &sink.schema_in, &b);
    ck_assert(!l->cell[1][1].cut);
    arena_free(&arena);
}
END_TEST

START_TEST(only_records_that_a_stage_has_made_are_kept)
{
    ck_assert_ptr_null(of_columns(2, 0));
    ck_assert_ptr_null(of_columns(0, 1));
    ck_assert_uint_eq(of_columns(LAST_COLUMNS + 1, 1)->n_columns, LAST_COLUMNS);
    arena_free(&arena);
}
END_TEST

LEAT_SUITE("last_rows", the_last_rows_are_kept_whatever_the_batches,
           a_long_text_is_cut_before_a_character, only_records_that_a_stage_has_made_are_kept)
