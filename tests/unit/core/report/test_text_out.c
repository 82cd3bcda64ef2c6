/* test_text_out.c -- written JSON against jansson, numbers against strtod and strtof. */
#include "support/suite.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/report/text_out.h"
#include "core/text/utf8.h"

/* ---- a text_out with a small buffer that drains into memory ---- */

enum { ROOM = 1 << 16 };

struct memory {
    struct text_out o;
    char buf[64];
    char text[ROOM];
    size_t n;
    int drains, fail_at;
};

static int keep(void *to, const char *bytes, size_t n)
{
    struct memory *m = to;
    if (++m->drains == m->fail_at) return -ENOSPC;
    ck_assert_uint_gt(n, 0);
    ck_assert_uint_lt(m->n + n, ROOM);
    memcpy(m->text + m->n, bytes, n);
    m->n += n;
    m->text[m->n] = 0;
    return 0;
}

static struct text_out *fresh(struct memory *m)
{
    memset(m, 0, sizeof *m);
    m->o = (struct text_out){.buf = m->buf, .cap = sizeof m->buf, .drain = keep, .to = m};
    return &m->o;
}

static struct memory m;

static uint64_t state = 1;

static uint64_t next(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

START_TEST(texts_longer_than_the_buffer_arrive_whole)
{
    char long_text[1000];
    for (size_t i = 0; i < sizeof long_text; i++)
        long_text[i] = (char)('a' + i % 26);
    for (size_t len = 0; len < sizeof long_text; len += 13) {
        struct text_out *o = fresh(&m);
        text_char(o, '<');
        text_bytes(o, long_text, len);
        text_str(o, ">");
        ck_assert_int_eq(text_flush(o), 0);
        ck_assert_uint_eq(m.n, len + 2);
        ck_assert_mem_eq(m.text + 1, long_text, len);
        ck_assert(m.text[len + 1] == '>');
    }
}
END_TEST

START_TEST(after_a_failed_drain_nothing_more_is_drained)
{
    struct text_out *o = fresh(&m);
    m.fail_at = 2;
    for (int i = 0; i < 100; i++)
        text_str(o, "0123456789");
    ck_assert_int_eq(text_flush(o), -ENOSPC);
    ck_assert_int_eq(o->failed, -ENOSPC);
    ck_assert_int_eq(m.drains, 2);
    ck_assert_uint_eq(m.n, sizeof m.buf);
}
END_TEST

/* ---- JSON ---- */

static json_t *parse(void)
{
    json_error_t e;
    json_t *j = json_loadb(m.text, m.n, JSON_DECODE_ANY | JSON_ALLOW_NUL, &e);
    ck_assert_msg(j != NULL, "%s: %s", e.text, m.text);
    return j;
}

static const char *json_of(const char *s, size_t n)
{
    text_json(fresh(&m), s, n);
    ck_assert_int_eq(text_flush(&m.o), 0);
    return m.text;
}

START_TEST(json_string_of_any_valid_text_reads_back)
{
    static const char *const texts[] = {"",
                                        "plain",
                                        "quote \" backslash \\ slash /",
                                        "\b\f\n\r\t\x01\x1f\x7f",
                                        "payee=VERIZON & office=SERGEANT AT ARMS",
                                        "na\xc3\xafve \xe2\x82\xac \xf0\x9f\x98\x80 \xef\xbf\xbf",
                                        "\xed\x9f\xbf\xee\x80\x80\xf4\x8f\xbf\xbf"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        json_of(texts[i], strlen(texts[i]));
        json_t *j = parse();
        ck_assert_str_eq(json_string_value(j), texts[i]);
        json_decref(j);
    }
    json_of("a\0b", 3);
    json_t *j = parse();
    ck_assert_uint_eq(json_string_length(j), 3);
    ck_assert_mem_eq(json_string_value(j), "a\0b", 3);
    json_decref(j);
}
END_TEST

START_TEST(json_string_replaces_each_bad_byte)
{
    static const struct {
        const char *bytes, *want;
    } cases[] = {
        {"\xff", "\"\xef\xbf\xbd\""},
        {"a\x80z", "\"a\xef\xbf\xbdz\""},
        {"\xc0\xaf", "\"\xef\xbf\xbd\xef\xbf\xbd\""},                 /* overlong */
        {"\xe0\x80\xaf", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""}, /* overlong */
        {"\xed\xa0\x80", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""}, /* surrogate */
        {"\xf4\x90\x80\x80", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""},
        {"\xe2\x82", "\"\xef\xbf\xbd\xef\xbf\xbd\""}, /* broken off */
        {"\xe2\"", "\"\xef\xbf\xbd\\\"\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        ck_assert_str_eq(json_of(cases[i].bytes, strlen(cases[i].bytes)), cases[i].want);
}
END_TEST

START_TEST(json_string_of_random_bytes_is_json)
{
    for (int i = 0; i < 20000; i++) {
        unsigned char bytes[40];
        size_t n = next() % sizeof bytes;
        for (size_t k = 0; k < n; k++)
            bytes[k] = next() % 3 ? (unsigned char)(0x80 + next() % 0x78) : (unsigned char)next();
        json_of((char *)bytes, n);
        json_decref(parse());
    }
}
END_TEST

/* One byte at each place of each length, among others of one kind. */
START_TEST(a_byte_is_written_the_same_wherever_it_stands)
{
    static const char *const others[] = {"a", "\x7f", "\xc3\xa9", "\xe2\x82\xac"};
    for (int c = 1; c < 256; c++) {
        char alone[32], want[256], text[256];
        const char one[] = {(char)c, 0};
        strcpy(alone, json_of(one, 1));
        bool quoted = strchr(";\"\n\r", c) != NULL;
        int n_alone = (int)strlen(alone) - 2;
        for (int length = 0; length <= 40; length++) {
            const char *other = others[(c + length) % 4];
            int at = c % 3 ? length * c / 256 : length;
            size_t n_text = 0, n_want = 0;
            for (int i = 0; i <= length; i++) {
                const char *plain = i == at ? one : other;
                n_text += (size_t)sprintf(text + n_text, "%s", plain);
                n_want += (size_t)sprintf(want + n_want, "%.*s", i == at ? n_alone : 9,
                                          i == at ? alone + 1 : plain);
            }
            json_of(text, strlen(text));
            ck_assert_uint_eq(m.n, strlen(want) + 2);
            ck_assert_mem_eq(m.text + 1, want, strlen(want));
            text_csv(fresh(&m), text, strlen(text), ';');
            text_flush(&m.o);
            ck_assert_uint_eq(m.n, strlen(text) + (quoted ? 2 : 0) + (c == '"'));
        }
    }
}
END_TEST

/* ---- CSV and TSV ---- */

/* Reads the first field of s by RFC 4180. Returns its length. */
static size_t csv_first(const char *s, size_t n, char delimiter, char *out)
{
    size_t len = 0, i = 0;
    if (n && s[0] == '"') {
        for (i = 1; i < n; i++) {
            if (s[i] == '"' && (i + 1 == n || s[i + 1] != '"')) break;
            if (s[i] == '"') i++;
            out[len++] = s[i];
        }
        return len;
    }
    while (i < n && s[i] != delimiter && s[i] != '\n' && s[i] != '\r')
        out[len++] = s[i++];
    return len;
}

START_TEST(csv_field_reads_back)
{
    for (int i = 0; i < 20000; i++) {
        char text[24], back[64];
        size_t n = next() % sizeof text;
        for (size_t k = 0; k < n; k++)
            text[k] = "ab,;\"\"\n\r \t\xff\0"[next() % 12];
        char delimiter = i % 2 ? ',' : ';';
        struct text_out *o = fresh(&m);
        text_csv(o, text, n, delimiter);
        text_char(o, delimiter);
        text_str(o, "next");
        text_flush(o);
        ck_assert_uint_eq(csv_first(m.text, m.n, delimiter, back), n);
        ck_assert_mem_eq(back, text, n);
    }
}
END_TEST

START_TEST(csv_quotes_only_where_it_must)
{
    static const char *const cases[][2] = {{"plain text", "plain text"},
                                           {"a;b", "a;b"},
                                           {"a,b", "\"a,b\""},
                                           {"", "\"\""},
                                           {"say \"x\"", "\"say \"\"x\"\"\""},
                                           {"\"", "\"\"\"\""},
                                           {"l1\nl2", "\"l1\nl2\""}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        text_csv(fresh(&m), cases[i][0], strlen(cases[i][0]), ',');
        text_flush(&m.o);
        ck_assert_str_eq(m.text, cases[i][1]);
    }
}
END_TEST

START_TEST(tsv_field_holds_no_tab_and_no_line_end)
{
    text_tsv(fresh(&m), "a\tb\nc\rd\\e", 9);
    text_flush(&m.o);
    ck_assert_str_eq(m.text, "a\\tb\\nc\\rd\\\\e");
}
END_TEST

START_TEST(shown_text_cannot_act_on_a_terminal_and_fits)
{
    static const char name[] = "\x1b[2J\xc2\x9b\x7f caf\xc3\xa9 \xff\xe2\x80\xae\xe2\x81\xa6";
    text_shown(fresh(&m), name, sizeof name - 1, 0);
    text_flush(&m.o);
    ck_assert_str_eq(m.text, "?[2J?? caf\xc3\xa9 \\xff??");
    ck_assert_uint_eq(text_width(name, sizeof name - 1), 18);
    for (size_t width = 1; width < 24; width++) {
        text_shown(fresh(&m), name, sizeof name - 1, width);
        text_flush(&m.o);
        size_t shown = text_width(m.text, m.n), most = width < 18 ? width : 18;
        ck_assert(shown <= most && shown + 3 >= most); /* the form of a byte is never cut */
    }
}
END_TEST

#define CUT "\xe2\x80\xa6"

START_TEST(long_text_keeps_its_beginning_and_its_end)
{
    static const struct {
        const char *text;
        size_t width;
        const char *shown;
    } cases[] = {
        {"description=STAFF OF THE CENTRAL OPERATIONS", 36,
         "description=STAFF " CUT "ENTRAL OPERATIONS"},
        {"description=STAFF OF THE EASTERN OPERATIONS", 36,
         "description=STAFF " CUT "ASTERN OPERATIONS"},
        {"line_type=three data line & office=SENATOR DIANNE FEINSTEIN", 40,
         "line_type" CUT "ata line & office=SE" CUT "FEINSTEIN"},
        {"day=3 & office=SENATOR DIANNE FEINSTEIN", 28, "day=3 & office=SEN" CUT "FEINSTEIN"},
        {"office=SENATOR DIANNE FEINSTEIN & day=3", 28, "office=SEN" CUT "FEINSTEIN & day=3"},
        {"a=one of three & b=two of three & c=three of three", 36,
         "a=one" CUT "three & b=two of th" CUT "e of three"},
        {"a=one of three & b=two of three & c=three of three", 30,
         "a=one of three " CUT "three of three"},
        {"abcdef", 6, "abcdef"},
        {"abcdef", 5, "ab" CUT "ef"},
        {"abcdef", 4, "ab" CUT "f"},
        {"abcdef", 1, CUT},
        {"h\xc3\xa9llo", 3, "h" CUT "o"},
        {"h\xc3\xa9llo", 4, "h\xc3\xa9" CUT "o"},
        {"\xff\xfe\xfd\xfc\xfb", 9, "\\xff" CUT "\\xfb"},
        {"\xff\xfe\xfd\xfc\xfb", 3, CUT},
        /* two columns each; a half is never shown */
        {"\xe6\x9d\xb1\xe4\xba\xac\xe9\x83\xbd", 6, "\xe6\x9d\xb1\xe4\xba\xac\xe9\x83\xbd"},
        {"\xe6\x9d\xb1\xe4\xba\xac\xe9\x83\xbd", 5, "\xe6\x9d\xb1" CUT "\xe9\x83\xbd"},
        {"\xe6\x9d\xb1\xe4\xba\xac\xe9\x83\xbd", 4, "\xe6\x9d\xb1" CUT},
        /* o and a combining acute stay together */
        {"o\xcc\x81o\xcc\x81o\xcc\x81o\xcc\x81", 3, "o\xcc\x81" CUT "o\xcc\x81"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        text_shown(fresh(&m), cases[i].text, strlen(cases[i].text), cases[i].width);
        text_flush(&m.o);
        ck_assert_str_eq(m.text, cases[i].shown);
    }
}
END_TEST

/* ---- numbers ---- */

static bool reads_as(const char *text, double x, bool single)
{
    return single ? strtof(text, NULL) == (float)x : strtod(text, NULL) == x;
}

/* True if a text of `digits` digits reads back as x: one of the two next to x, of all its digits.
 * Others are farther away, so none of them does. */
static bool fits_digits(double x, int digits, bool single)
{
    char exact[1200], text[1300];
    int e, n = snprintf(exact, sizeof exact, "%.800e", fabs(x)); /* exact: no double has more */
    exact[1] = exact[0];                                         /* D.DDD as DDDD */
    ck_assert_int_gt(n, 800);
    sscanf(strchr(exact, 'e'), "e%d", &e);
    const char *all = exact + 1;
    snprintf(text, sizeof text, "%.*se%d", digits, all, e - digits + 1);
    if (reads_as(text, fabs(x), single)) return true;
    uint64_t above = strtoull(text, NULL, 10) + 1;
    snprintf(text, sizeof text, "%llue%d", (unsigned long long)above, e - digits + 1);
    return reads_as(text, fabs(x), single);
}

/* Returns the number of digits of a text, without zeros at its ends. */
static int digits_of(const char *s)
{
    int digits = 0, zeros = 0;
    for (; *s && *s != 'e'; s++) {
        if (*s == '-' || *s == '.' || (*s == '0' && !digits)) continue;
        zeros = *s == '0' ? zeros + 1 : 0;
        digits++;
    }
    return digits - zeros;
}

/* Checks a text of n bytes: it reads back as x, and no text of fewer digits does. */
static void check_text(char *s, size_t n, double x, bool single)
{
    ck_assert_uint_lt(n, TEXT_NUMBER);
    s[n] = 0;
    ck_assert_msg(reads_as(s, x, single), "%a as %s", x, s);
    ck_assert_msg(isfinite(strtod(s, NULL)), "%s", s);
    int digits = digits_of(s);
    bool whole = !strpbrk(s, ".e"); /* all digits before the point are written */
    ck_assert_msg(!whole || strtod(s, NULL) == x, "%a as %s", x, s);
    if (digits > 1 && !whole)
        ck_assert_msg(!fits_digits(x, digits - 1, single), "%a has fewer digits than %s", x, s);
}

static void check_float(float x)
{
    char s[TEXT_NUMBER + 1];
    check_text(s, text_format_float(s, x), (double)x, true);
}

static void check_double(double x)
{
    char s[TEXT_NUMBER + 1];
    check_text(s, text_format_double(s, x), x, false);
}

START_TEST(every_kind_of_float_reads_back_from_its_shortest_text)
{
    for (int i = 0; i < 40000; i++) {
        uint32_t bits = (uint32_t)next();
        float x;
        memcpy(&x, &bits, sizeof x);
        if (isfinite(x)) check_float(x);
        check_float((float)((double)(int64_t)next() * 0x1p-60));          /* about 1 */
        check_float(ldexpf((float)(bits >> 8), (int)(next() % 60) - 40)); /* usual sizes */
        check_float((float)((double)(bits % 100000) / 1000));             /* short decimals */
    }
    for (int e = -149; e < 128; e++) {
        check_float(ldexpf(1, e));
        check_float(nextafterf(ldexpf(1, e), 0));
        check_float(-nextafterf(ldexpf(1, e), INFINITY));
    }
    for (float x = 1e-6f; x < 1e12f; x *= 10)
        check_float(x), check_float(nextafterf(x, 0)), check_float(nextafterf(x, INFINITY));
}
END_TEST

START_TEST(every_kind_of_double_reads_back_from_its_shortest_text)
{
    for (int i = 0; i < 40000; i++) {
        uint64_t bits = next();
        double x;
        memcpy(&x, &bits, sizeof x);
        if (isfinite(x)) check_double(x);
        check_double((double)(int64_t)next() * 0x1p-60);
        check_double((double)(bits % 1000000007) / 1e4);
        check_double((double)(int64_t)(bits >> 14));
    }
    for (int e = -1074; e < 1024; e++) {
        check_double(ldexp(1, e)), check_double(-nextafter(ldexp(1, e), 0));
        check_double(nextafter(ldexp(1, e), INFINITY));
    }
    for (int e = -323; e <= 308; e++) {
        char text[16];
        snprintf(text, sizeof text, "1e%d", e);
        double x = strtod(text, NULL);
        check_double(x), check_double(nextafter(x, 0)), check_double(nextafter(x, INFINITY));
    }
    for (int i = 0; i < 20000; i++) {
        uint64_t bits = next() >> (12 + next() % 52); /* subnormal, of any size */
        double x;
        memcpy(&x, &bits, sizeof x);
        check_double(x);
    }
}
END_TEST

START_TEST(the_shortest_text_is_the_one_that_people_write)
{
    static const char *const texts[] = {"5e-324",
                                        "1e-323",
                                        "2.2250738585072014e-308",
                                        "1e-310",
                                        "5.684341886080802e-14",
                                        "1e+23",
                                        "1.7976931348623157e+308",
                                        "123456789012345.67"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char s[TEXT_NUMBER + 1];
        s[text_format_double(s, strtod(texts[i], NULL))] = 0;
        ck_assert_str_eq(s, texts[i]);
    }
    char s[TEXT_NUMBER + 1];
    s[text_format_float(s, 0x1p-149f)] = 0;
    ck_assert_str_eq(s, "1e-45");
}
END_TEST

START_TEST(numbers_of_binary_formats_keep_their_sign_and_their_names)
{
    static const struct {
        double x;
        const char *want;
    } cases[] = {{-0.0, "-0"},
                 {0.0, "0"},
                 {NAN, "NaN"},
                 {INFINITY, "Infinity"},
                 {-1.5, "-1.5"},
                 {2.5, "2.5"},
                 {-INFINITY, "-Infinity"}};
    for (size_t i = 0; i < 2 * (sizeof cases / sizeof *cases); i++) {
        char s[TEXT_NUMBER + 1];
        s[text_format_real(s, cases[i / 2].x, i % 2)] = 0;
        ck_assert_str_eq(s, cases[i / 2].want);
    }
    char s[TEXT_NUMBER + 1];
    s[text_format_real(s, (double)0.1f, true)] = 0;
    ck_assert_str_eq(s, "0.1");
}
END_TEST

START_TEST(short_decimals_stay_short)
{
    static const struct {
        double x;
        const char *want;
    } cases[] = {{0, "0"},           {-0.0, "0"},          {1, "1"},
                 {-1.5, "-1.5"},     {0.1, "0.1"},         {100, "100"},
                 {1e6, "1000000"},   {0.25, "0.25"},       {1234.5, "1234.5"},
                 {0.0001, "0.0001"}, {-273.15, "-273.15"}, {12.3, "12.3"},
                 {NAN, "nan"},       {INFINITY, "inf"},    {-INFINITY, "-inf"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        text_double(fresh(&m), cases[i].x);
        text_char(&m.o, ' ');
        text_float(&m.o, (float)cases[i].x);
        text_flush(&m.o);
        size_t n = strlen(cases[i].want);
        ck_assert_msg(!strncmp(m.text, cases[i].want, n) && m.text[n] == ' ', "%s", m.text);
        ck_assert_str_eq(m.text + n + 1, cases[i].want);
    }
}
END_TEST

START_TEST(json_has_null_for_what_is_no_number)
{
    struct text_out *o = fresh(&m);
    text_char(o, '[');
    text_json_double(o, NAN), text_char(o, ','), text_json_double(o, -INFINITY), text_char(o, ',');
    text_json_float(o, NAN), text_char(o, ','), text_json_float(o, 0.5f), text_char(o, ',');
    text_json_double(o, 1e300), text_char(o, ','), text_uint(o, UINT64_MAX / 2), text_char(o, ']');
    text_flush(o);
    json_t *j = parse();
    for (size_t i = 0; i < 3; i++)
        ck_assert(json_is_null(json_array_get(j, i)));
    ck_assert(json_number_value(json_array_get(j, 3)) == 0.5);
    ck_assert(json_number_value(json_array_get(j, 4)) == 1e300);
    ck_assert(json_integer_value(json_array_get(j, 5)) == INT64_MAX);
    json_decref(j);
}
END_TEST

START_TEST(grouped_numbers_have_a_comma_every_three_digits)
{
    static const struct {
        uint64_t x;
        const char *want;
    } cases[] = {{0, "0"},
                 {7, "7"},
                 {999, "999"},
                 {1000, "1,000"},
                 {123456, "123,456"},
                 {1234567, "1,234,567"},
                 {UINT64_MAX, "18,446,744,073,709,551,615"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char s[TEXT_NUMBER + 1];
        size_t n = text_format_grouped(s, cases[i].x);
        ck_assert_uint_lt(n, TEXT_NUMBER);
        s[n] = 0;
        ck_assert_str_eq(s, cases[i].want);
    }
}
END_TEST

LEAT_SUITE("text_out", texts_longer_than_the_buffer_arrive_whole,
           after_a_failed_drain_nothing_more_is_drained, json_string_of_any_valid_text_reads_back,
           json_string_replaces_each_bad_byte, json_string_of_random_bytes_is_json,
           a_byte_is_written_the_same_wherever_it_stands, csv_field_reads_back,
           csv_quotes_only_where_it_must, tsv_field_holds_no_tab_and_no_line_end,
           shown_text_cannot_act_on_a_terminal_and_fits, long_text_keeps_its_beginning_and_its_end,
           every_kind_of_float_reads_back_from_its_shortest_text,
           every_kind_of_double_reads_back_from_its_shortest_text,
           the_shortest_text_is_the_one_that_people_write,
           numbers_of_binary_formats_keep_their_sign_and_their_names, short_decimals_stay_short,
           json_has_null_for_what_is_no_number, grouped_numbers_have_a_comma_every_three_digits)
