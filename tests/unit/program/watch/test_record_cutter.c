/* test_record_cutter.c -- the text of a request as records, and numbers in requests. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "support/suite.h"
#include "program/watch/record_cutter.h"
#include "program/watch/server.h"

static const struct leat_source lines = {.framings = LEAT_FRAMINGS_OF_TEXT};
static const struct leat_source messages = {.framings = LEAT_FRAMINGS_OF_MESSAGES};

static char told[200]; /* reason of the last rejected record */

static void reject(struct leat_ctx *ctx, struct leat_batch *b, uint32_t r, int reason,
                   const char *format, ...)
{
    va_list args;
    (void)ctx;
    ck_assert_int_eq(reason, LEAT_R_QUOTE);
    b->status[r] = LEAT_ROW_REJECTED;
    va_start(args, format);
    vsnprintf(told, sizeof told, format, args);
    va_end(args);
}

/* Returns the records as "a|b", rejected ones in < >; or "!" and the error. */
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
    const struct leat_host host = {.reject = reject};
    struct leat_ctx ctx = {.host = &host};
    const char *fault = record_cutter_fill(h, &node, &ctx, text, strlen(text));
    size_t n = 0;
    *out = 0;
    for (uint32_t r = 0; r < h->b.n; r++)
        n += (size_t)sprintf(out + n, h->b.status[r] == LEAT_ROW_OK ? "%s%.*s" : "%s<%.*s>",
                             r ? "|" : "", (int)h->b.raw[r].len, leat_text(&h->b, h->b.raw[r]));
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
}
END_TEST

START_TEST(a_quote_that_is_never_closed_rejects_its_line_alone)
{
    ck_assert_str_eq(cut(&lines, LEAT_CSV, "1,\"a\nb"), "<1,\"a>|b");
    ck_assert_str_eq(cut(&lines, LEAT_CSV, "1,\"a\nb\"\n2,\"c\n3,d\n"), "1,\"a\nb\"|<2,\"c>|3,d");
    ck_assert(strstr(told, "line 3: a quote opens a field and is never closed: close it"));
    ck_assert_str_eq(cut(&lines, LEAT_CSV, "1,\"a\n2,\"b\"\n3,c"), "<1,\"a>|2,\"b\"|3,c");
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
           a_quote_that_is_never_closed_rejects_its_line_alone, a_message_is_one_record,
           what_does_not_fit_is_refused, numbers_of_rows)
