/* test_lookup.c -- shape.lookup: values of records, and refused files. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/expect.h"
#include "support/harness.h"
#include "support/random.h"
#include "support/suite.h"

static char path[] = "/tmp/leat-lookup-XXXXXX";

static void write_file(const char *text)
{
    FILE *f = fopen(path, "w");
    ck_assert(f && fputs(text, f) >= 0 && fclose(f) == 0);
}

static struct harness *lookup(const char *columns)
{
    struct harness *h = harness_new("shape", "shape.lookup");
    harness_column(h, "ip", LEAT_TEXT);
    harness_column(h, "id", LEAT_NUMBER);
    harness_set(h, "path", path);
    harness_set(h, "key", "ip");
    harness_set(h, "columns", columns);
    harness_set(h, "memory", "64KB");
    return h;
}

/* Returns the cell of a record; "-" if it has none. Column 2 is the first new one. */
static const char *cell(const struct harness *h, uint32_t column, uint32_t r)
{
    static char text[256];
    struct leat_str s = h->b.column[column].text[r];
    if (s.len == LEAT_NULL) return "-";
    snprintf(text, sizeof text, "%.*s", (int)s.len, leat_text(&h->b, s));
    return text;
}

START_TEST(records_get_the_columns_of_their_row)
{
    struct harness *h = lookup("owner,site");
    write_file("\xef\xbb\xbf"
               "site,ip,owner\r\neu,a,ann\n\n\"u\"\"s\",b,\"bob, jr\"\n,c,\n");
    ck_assert_msg(harness_open(h, 10) == LEAT_OK, "%s", h->said);
    static const char *const rows[] = {"a|1", "b|1", "c|1", "d|1", "\\N|1", "a|1", "|1"};
    static const char *const wanted[][2] = {{"ann", "eu"}, {"bob, jr", "u\"s"}, {"-", "-"},
                                            {"-", "-"},    {"-", "-"},          {"ann", "eu"},
                                            {"-", "-"}};
    for (int again = 0; again < 2; again++) {
        harness_clear(h);
        for (int i = 0; i < 7; i++)
            harness_row(h, rows[i]);
        ck_assert_int_eq(harness_process(h), LEAT_OK);
        for (uint32_t r = 0; r < 7; r++)
            for (uint32_t c = 0; c < 2; c++)
                ck_assert_str_eq(cell(h, 2 + c, r), wanted[r][c]);
        ck_assert_uint_eq(h->b.column[2].text[0].off, h->b.column[2].text[5].off); /* stored once */
    }
    harness_free(h);
}
END_TEST

/* A repeated name does not matter in columns that the stage does not read. */
START_TEST(names_that_are_not_used_may_be_there_twice)
{
    struct harness *h = lookup("owner");
    write_file("ip,note,owner,note\na,x,ann,y\n");
    ck_assert_msg(harness_open(h, 10) == LEAT_OK, "%s", h->said);
    harness_row(h, "a|1");
    harness_process(h);
    ck_assert_str_eq(cell(h, 2, 0), "ann");
    harness_free(h);
}
END_TEST

START_TEST(a_key_may_be_a_number_of_another_name)
{
    struct harness *h = lookup("owner");
    write_file("number,owner\n7,ann\n0.5,bob\n");
    harness_set(h, "key", "id");
    harness_set(h, "file_key", "number");
    harness_set(h, "prefix", "host_");
    ck_assert_msg(harness_open(h, 10) == LEAT_OK, "%s", h->said);
    ck_assert_str_eq(h->out.column[2].name, "host_owner");
    harness_row(h, "x|7"), harness_row(h, "x|0.5"), harness_row(h, "x|\\N");
    harness_process(h);
    ck_assert_str_eq(cell(h, 2, 0), "ann");
    ck_assert_str_eq(cell(h, 2, 1), "bob");
    ck_assert_str_eq(cell(h, 2, 2), "-");
    harness_free(h);
}
END_TEST

START_TEST(a_record_that_is_not_there_is_kept_rejected_or_filtered)
{
    static const char *const policies[] = {"keep", "reject", "filter"};
    write_file("ip,owner\na,ann\n");
    for (int i = 0; i < 3; i++) {
        struct harness *h = lookup("owner");
        harness_set(h, "missing", policies[i]);
        ck_assert_int_eq(harness_open(h, 10), LEAT_OK);
        harness_row(h, "a|1"), harness_row(h, "zz|1"), harness_row(h, "\\N|1");
        harness_process(h);
        ck_assert_uint_eq(h->b.n_sel, i == 0 ? 3 : 1);
        ck_assert_uint_eq(h->n_rejections, i == 1 ? 2 : 0);
        if (i == 1) {
            expect_rejected_for(h, 1, LEAT_R_UNMATCHED,
                                "column 'ip': 'zz' is not in /tmp/leat-lookup");
            expect_rejected(h, 2, LEAT_R_UNMATCHED, "column 'ip' is empty");
        }
        harness_free(h);
    }
}
END_TEST

/* Random keys, some twice, against a search from end to end. */
START_TEST(the_first_row_of_a_key_is_used)
{
    enum { ROWS = 700 };
    static char text[40000];
    static uint32_t key[ROWS];
    uint64_t seed = seed_given();
    size_t n = (size_t)sprintf(text, "ip,owner\n");
    for (uint32_t i = 0; i < ROWS; i++) {
        key[i] = below(&seed, 900);
        n += (size_t)sprintf(text + n, "k%u,%u\n", key[i], i);
    }
    write_file(text);
    struct harness *h = lookup("owner");
    ck_assert_msg(harness_open(h, 1000) == LEAT_OK, "%s", h->said);
    for (uint32_t k = 0; k < 900; k++) {
        char row[32];
        snprintf(row, sizeof row, "k%u|1", k);
        harness_row(h, row);
    }
    harness_process(h);
    for (uint32_t k = 0; k < 900; k++) {
        char wanted[32] = "-";
        for (uint32_t i = ROWS; i-- > 0;)
            if (key[i] == k) snprintf(wanted, sizeof wanted, "%u", i);
        ck_assert_str_eq(cell(h, 2, k), wanted);
    }
    harness_free(h);
}
END_TEST

START_TEST(a_wrong_file_is_refused_with_its_line)
{
    static const struct {
        const char *text, *told;
    } cases[] = {
        {"", "is empty, and its first line must name the columns"},
        {"\n\n", "is empty, and its first line must name the columns"},
        {"ip,ownr\na,b\n",
         "line 1: has no column 'owner': did you mean 'ownr'? (columns: ip, ownr)"},
        {"addr,owner\na,b\n", "line 1: has no column 'ip' (columns: addr, owner)"},
        {"ip,owner,site,owner\na,b,c,d\n",
         "line 1: has 2 columns named 'owner': give them different names"},
        {"ip,ip,owner\na,b,c\n", "line 1: has 2 columns named 'ip': give them different names"},
        {"ip,owner\na,b\nc\n", "line 3: has 1 field, and the heading has 2"},
        {"ip,owner\n\na,b,c\n", "line 3: has 3 fields, and the heading has 2"},
        {"ip,owner\n\"a\nb\",c\nd\n", "line 4: has 1 field"},
        {"ip,owner\n\"a\"x,b\n", "line 2: a quote is wrong at byte 4"},
        {"ip,owner\n\"a,b\n", "line 2: a quote is never closed"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct harness *h = lookup("owner");
        write_file(cases[i].text);
        ck_assert_int_eq(harness_open(h, 10), LEAT_EDATA);
        ck_assert_msg(says(h, cases[i].told), "%s: %s", cases[i].text, h->said);
        harness_free(h);
    }
}
END_TEST

START_TEST(a_file_that_does_not_fit_is_refused)
{
    static char text[9000] = "ip,owner\n";
    for (int i = 0; i < 200; i++)
        sprintf(text + strlen(text), "k%d,%d\n", i, i);
    write_file(text);
    for (int bytes = 4096; bytes < 20000; bytes += 500) {
        char memory[32];
        struct harness *h = lookup("owner");
        snprintf(memory, sizeof memory, "%d", bytes);
        harness_set(h, "memory", memory);
        int status = harness_open(h, 10);
        ck_assert(status == (bytes < 10500 ? LEAT_EDATA : LEAT_OK) ||
                  (bytes >= 8000 && bytes < 15000));
        if (status != LEAT_OK) ck_assert_msg(says(h, "make memory larger"), "%s", h->said);
        harness_free(h);
    }
}
END_TEST

START_TEST(values_that_do_not_fit_the_batch_reject_the_record)
{
    static char text[4000] = "ip,owner\n";
    for (int i = 0; i < 20; i++)
        sprintf(text + strlen(text), "k%d,%0100d\n", i, i);
    write_file(text);
    struct harness *h = lookup("owner");
    harness_set(h, "text_bytes", "1");
    ck_assert_int_eq(harness_open(h, 20), LEAT_OK);
    for (int i = 0; i < 20; i++) {
        char row[32];
        snprintf(row, sizeof row, "k%d|1", i);
        harness_row(h, row);
    }
    h->b.cap_bytes = h->b.n_bytes + 350;
    harness_process(h);
    ck_assert_uint_eq(h->n_rejections, 17);
    expect_rejected_for(h, 3, LEAT_R_TOO_LARGE, "make text_bytes larger");
    harness_free(h);
}
END_TEST

START_TEST(wrong_parameters_are_refused)
{
    struct harness *h = lookup("owner");
    write_file("ip,owner\n");
    harness_set(h, "key", "address");
    expect_refused_and_free(h, "address");
    h = lookup("id");
    expect_refused_and_free(h, "id");
    h = lookup("owner");
    harness_set(h, "delimiter", ";;");
    expect_refused_and_free(h, "';;' must be one character other than a quote");
}
END_TEST

static struct harness *some_lookup(void) { return lookup("owner"); }

START_TEST(failed_allocations_are_told)
{
    write_file("ip,owner\na,b\n");
    expect_failed_allocations_told(some_lookup);
}
END_TEST

static void remove_file(void) { unlink(path); }

Suite *suite(void)
{
    const TTest *tests[] = {
        records_get_the_columns_of_their_row,
        names_that_are_not_used_may_be_there_twice,
        a_key_may_be_a_number_of_another_name,
        a_record_that_is_not_there_is_kept_rejected_or_filtered,
        the_first_row_of_a_key_is_used,
        a_wrong_file_is_refused_with_its_line,
        a_file_that_does_not_fit_is_refused,
        values_that_do_not_fit_the_batch_reject_the_record,
        wrong_parameters_are_refused,
        failed_allocations_are_told,
    };
    Suite *s = suite_create("lookup");
    TCase *c = tcase_create("lookup");
    if (mkstemp(path) < 0) abort();
    tcase_set_timeout(c, 300);
    tcase_add_unchecked_fixture(c, NULL, remove_file);
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
        tcase_add_test(c, tests[i]);
    suite_add_tcase(s, c);
    return s;
}
