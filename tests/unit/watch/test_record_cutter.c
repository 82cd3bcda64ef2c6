/* test_record_cutter.c -- the text of a request as records, and numbers in a request. */
#include <stdio.h>
#include <string.h>

#include "support/suite.h"
#include "watch/record_cutter.h"
#include "watch/request.h"

static const struct leat_source lines = {.framings = LEAT_FRAMINGS_OF_TEXT};
static const struct leat_source messages = {.framings = LEAT_FRAMINGS_OF_MESSAGES};

/* "a|b" of the records; or "!" and what is wrong. */
static const char *cut(const struct leat_source *source, enum leat_framing_kind kind,
                       const char *text)
{
    static char out[1000];
    const struct batch_shape shape = {.records = 4,
                                      .bytes = 64,
                                      .fill_bytes = 64,
                                      .extents = 4,
                                      .own_records = true,
                                      .own_examples = true};
    const struct leat_stage stage = {.source = source};
    const struct node node = {.stage = &stage,
                              .framing = {.kind = kind, .delimiter = ',', .quote = '"'}};
    struct hbatch *h = batch_new(&shape);
    const char *fault = record_cutter_fill(h, &node, text, strlen(text));
    size_t n = 0;
    *out = 0;
    for (uint32_t r = 0; r < h->b.n; r++)
        n += (size_t)sprintf(out + n, "%s%.*s", r ? "|" : "", (int)h->b.raw[r].len,
                             leat_text(&h->b, h->b.raw[r]));
    if (fault) ck_assert_uint_eq(h->b.n, 0);
    if (fault) snprintf(out, sizeof out, "!%s", fault);
    batch_free(h);
    return out;
}

START_TEST(lines_are_records)
{
    ck_assert_str_eq(cut(&lines, LEAT_LINES, "a\nb\r\nc"), "a|b|c");
    ck_assert_str_eq(cut(&lines, LEAT_LINES, "a\n\nb\n"), "a||b");
    ck_assert_str_eq(cut(&lines, LEAT_LINES, "\"a\nb\""), "\"a|b\"");
}
END_TEST

START_TEST(a_quoted_field_has_line_ends)
{
    ck_assert_str_eq(cut(&lines, LEAT_CSV, "1,\"a\nb\"\n2,c\n"), "1,\"a\nb\"|2,c");
    ck_assert(strstr(cut(&lines, LEAT_CSV, "1,\"a\nb"), "!a quote opens"));
}
END_TEST

START_TEST(a_message_is_one_record)
{
    ck_assert_str_eq(cut(&messages, LEAT_CSV, "a\nb\n"), "a\nb\n");
}
END_TEST

START_TEST(what_does_not_fit_is_refused)
{
    ck_assert(strstr(cut(&lines, LEAT_LINES, ""), "!the request has no record"));
    ck_assert(strstr(cut(&lines, LEAT_LINES, "1\n2\n3\n4\n5\n"), "!there are too many records"));
    ck_assert(strstr(cut(&lines, LEAT_LINES,
                         "0123456789012345678901234567890123456789012345678901234567890123456789"),
                     "!the request is longer"));
}
END_TEST

START_TEST(numbers_of_rows)
{
    ck_assert_uint_eq(request_count(NULL, 20, 1000), 20);
    ck_assert_uint_eq(request_count("1000", 20, 1000), 1000);
    static const char *const none[] = {"",   "0",  "1001", "-1",  "+1",
                                       " 1", "1 ", "1e2",  "0x1", "99999999999999999999"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        ck_assert_msg(!request_count(none[i], 20, 1000), "%s", none[i]);
}
END_TEST

LEAT_SUITE("record_cutter", lines_are_records, a_quoted_field_has_line_ends,
           a_message_is_one_record, what_does_not_fit_is_refused, numbers_of_rows)
