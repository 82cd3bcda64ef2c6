/* test_exposition.c -- the text that Prometheus reads. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/suite.h"
#include "program/watch/exposition.h"

static char text[1000];

static int keep(void *to, const char *bytes, size_t n)
{
    strncat(text, bytes, n);
    return 0;
}

static const char *sample(const struct label *labels, double value)
{
    char buffer[64];
    struct text_out out = {.buf = buffer, .cap = sizeof buffer, .drain = keep};
    struct exposition e = {&out, "leat_x"};
    *text = 0;
    exposition_sample(&e, labels, value);
    text_flush(&out);
    return text;
}

START_TEST(a_family_has_help_and_type)
{
    char buffer[64];
    struct text_out out = {.buf = buffer, .cap = sizeof buffer, .drain = keep};
    struct exposition e = {.out = &out};
    *text = 0;
    exposition_family(&e, "leat_x_total", "counter", "Things.");
    exposition_sample(&e, NULL, 3);
    text_flush(&out);
    ck_assert_str_eq(text,
                     "# HELP leat_x_total Things.\n# TYPE leat_x_total counter\nleat_x_total 3\n");
}
END_TEST

START_TEST(labels_are_escaped)
{
    ck_assert_str_eq(sample((const struct label[3]){{"a", "q\"b\\n\nz"}, {"b", ""}}, 1),
                     "leat_x{a=\"q\\\"b\\\\n\\nz\",b=\"\"} 1\n");
}
END_TEST

START_TEST(what_is_no_utf8_is_replaced)
{
    ck_assert_str_eq(sample((const struct label[2]){{"a", "\xff\xc3\xa9\xed\xa0\x80}"}}, 1),
                     "leat_x{a=\"\xef\xbf\xbd\xc3\xa9\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd}\"} 1\n");
}
END_TEST

START_TEST(numbers_read_back)
{
    ck_assert_str_eq(sample(NULL, (double)NAN), "leat_x NaN\n");
    ck_assert_str_eq(sample(NULL, (double)INFINITY), "leat_x +Inf\n");
    ck_assert_str_eq(sample(NULL, -(double)INFINITY), "leat_x -Inf\n");
    const double numbers[] = {0.1, 1e300, -2.5e-12, 9007199254740991.0, 1 / 3.0};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        ck_assert(strtod(sample(NULL, numbers[i]) + strlen("leat_x "), NULL) == numbers[i]);
}
END_TEST

LEAT_SUITE("exposition", a_family_has_help_and_type, labels_are_escaped,
           what_is_no_utf8_is_replaced, numbers_read_back)
