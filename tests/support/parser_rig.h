/* parser_rig.h -- runs a built parser on one batch, and checks the promises of parsers of sparse
 * text. */
#ifndef LEAT_TESTS_SUPPORT_PARSER_RIG_H
#define LEAT_TESTS_SUPPORT_PARSER_RIG_H

#include <check.h>
#include <stdbool.h>
#include <stdio.h>

#include "expect.h"
#include "host/graph/bounds.h"
#include "harness.h"

static inline struct harness *parser_new(const char *stage)
{
    struct harness *h = harness_new("parsers", stage);
    harness_has(h, LEAT_HAS_RECORDS);
    return h;
}

/* Parses one batch of these records (a list ended by NULL). PARSE(h, "a,b", "c,d") */
static inline void parse(struct harness *h, const char *const *records)
{
    ck_assert_msg(harness_open(h, 64) == LEAT_OK, "%s", h->said);
    for (; *records; records++)
        harness_record(h, *records);
    ck_assert_int_eq(harness_process(h), LEAT_OK);
}
#define PARSE(H, ...) parse(H, (const char *const[]){__VA_ARGS__, NULL})

/* Returns a text cell of a parser of columns; "NULL" if it has no value. The last four results stay
 * valid. */
static inline const char *cell(const struct harness *h, uint32_t column, uint32_t r)
{
    static char out[4][256];
    static int k;
    struct leat_str s = h->b.column[column].text[r];
    char *text = out[k++ % 4];
    if (s.len == LEAT_NULL) return "NULL";
    snprintf(text, sizeof out[0], "%.*s", (int)s.len, leat_text(&h->b, s));
    return text;
}

/* Checks that the densest text fits the declared bound, byte for byte: `head` and 0 to 49 times
 * `entry`. named: each entry has a name. */
static inline void parser_fits_its_bounds(struct harness *h, const char *head, const char *entry,
                                          bool named)
{
    ck_assert_int_eq(harness_open(h, 64), LEAT_OK);
    ck_assert_uint_eq(h->out.examples_per_record, 1);
    for (uint32_t entries = 0; entries < 50; entries++) {
        char text[512];
        size_t n = (size_t)sprintf(text, "%s", head);
        for (uint32_t i = 0; i < entries; i++)
            n += (size_t)sprintf(text + n, "%s", entry);
        harness_clear(h);
        harness_record(h, text);
        ck_assert_int_eq(harness_process(h), LEAT_OK);
        ck_assert_uint_eq(h->n_rejections, 0);
        ck_assert_uint_eq(h->b.n_entries, entries);
        ck_assert_uint_eq(h->b.n_parts, named ? entries : 0);
        ck_assert_uint_le(entries, bounds_entries_of_text(&h->out, n));
    }
    harness_free(h);
}

/* Checks that a record of three entries is rejected at its third if the batch has room for two. */
static inline void parser_refuses_the_third(struct harness *h, const char *record,
                                            const char *third)
{
    ck_assert_int_eq(harness_open(h, 4), LEAT_OK);
    harness_record(h, record);
    h->b.cap_entries = 2;
    ck_assert_int_eq(harness_process(h), LEAT_OK);
    expect_rejected_for(h, 0, LEAT_R_TOO_LARGE, third);
    ck_assert_uint_eq(h->b.n_entries, 0);
    harness_free(h);
}

#endif
