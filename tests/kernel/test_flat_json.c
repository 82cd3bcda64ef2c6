/* test_flat_json.c -- what jansson writes is read as it was, what it refuses is refused. */
#include "tests/support/suite.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "plugins/kernels/flat_json.h"

static uint32_t next_random(uint64_t *s)
{
    *s = *s * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*s >> 33);
}

/* Characters of every length of UTF-8, and those that are escaped. */
static size_t random_text(uint64_t *s, char *to)
{
    static const char *const some[] = {"a",    "\"",   "\\",   "/", "\n", "\t",
                                       "\x01", "\x1f", "\x7f", "é", "€",  "\xf0\x9f\x99\x82",
                                       " ",    "{",    "}",    ",", ":"};
    size_t n = 0;
    for (uint32_t k = next_random(s) % 20; k; k--) {
        uint32_t which = next_random(s) % (sizeof some / sizeof *some + 1);
        if (which == sizeof some / sizeof *some) {
            to[n++] = 0;
            continue;
        }
        size_t len = strlen(some[which]);
        memcpy(to + n, some[which], len);
        n += len;
    }
    return n;
}

START_TEST(strings_come_back_as_they_were)
{
    uint64_t seed = 3;
    char text[100], back[100];
    for (int round = 0; round < 2000; round++) {
        size_t n = random_text(&seed, text);
        json_t *o = json_pack("{s:s%}", "name", text, n);
        char *dumped = json_dumps(o, round % 2 ? JSON_ENSURE_ASCII | JSON_INDENT(1) : JSON_COMPACT);
        struct flat_json j;
        struct flat_member m;
        flat_json_begin(&j, dumped, strlen(dumped));
        ck_assert_int_eq(flat_json_next(&j, &m), 1);
        ck_assert(m.is_string && m.n_name == 4 && !memcmp(m.name, "name", 4));
        ck_assert_int_eq(flat_json_unescape(m.value, m.n_value, NULL), (long)n);
        ck_assert_int_eq(flat_json_unescape(m.value, m.n_value, back), (long)n);
        ck_assert(!memcmp(back, text, n));
        ck_assert_int_eq(flat_json_next(&j, &m), 0);
        free(dumped);
        json_decref(o);
    }
}
END_TEST

/* 1: an object to its end, with strings that can be read. */
static int reads(const char *text, size_t n)
{
    struct flat_json j;
    struct flat_member m;
    int s;
    char *exact = malloc(n + 1); /* of its size: a sanitizer sees what reads on */
    memcpy(exact, text, n);
    flat_json_begin(&j, exact, n);
    while ((s = flat_json_next(&j, &m)) == 1)
        if (flat_json_unescape(m.name, m.n_name, NULL) < 0 ||
            (m.is_string && flat_json_unescape(m.value, m.n_value, NULL) < 0))
            break;
    free(exact);
    return s == 0;
}

START_TEST(a_text_that_is_cut_or_goes_on_is_refused)
{
    static const char whole[] = "{\"a\":\"x\\u00e9\\n\",\"b\" : -12.5e3, \"c\":true,\"d\":null}";
    size_t n = strlen(whole);
    ck_assert(reads(whole, n));
    ck_assert(reads("{}", 2));
    for (size_t k = 0; k < n; k++)
        ck_assert_msg(!reads(whole, k), "%zu bytes", k);
    ck_assert(!reads("{}{}", 4));
    ck_assert(!reads("{}\0", 3));
}
END_TEST

START_TEST(what_is_no_flat_object_is_refused)
{
    static const char *const wrong[] = {"x",
                                        "[]",
                                        "{,}",
                                        "{\"a\"}",
                                        "{\"a\":}",
                                        "{\"a\":1,}",
                                        "{\"a\":1 \"b\":2}",
                                        "{\"a\":[1]}",
                                        "{\"a\":{}}",
                                        "{a:1}",
                                        "{\"a\":tru}",
                                        "{\"a\":'x'}",
                                        "{\"a\":\"\\x\"}",
                                        "{\"a\":\"\\u12\"}",
                                        "{\"a\":\"\\u12g4\"}",
                                        "{\"a\":\"\\ud83d\"}",
                                        "{\"a\":\"\\ud83d\\u0041\"}",
                                        "{\"a\":\"\\udc00\"}",
                                        "{\"a\":\"\n\"}",
                                        "{\"a\":\"x}",
                                        "{\"a\":\"\\"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        ck_assert_msg(!reads(wrong[i], strlen(wrong[i])), "%s", wrong[i]);
}
END_TEST

/* A byte of a good text changed: both take it, or this one is the stricter one. */
START_TEST(it_takes_nothing_that_jansson_refuses)
{
    static const char whole[] = "{\"a\":\"x\\u0041\\n\",\"b\":12,\"c\":true}";
    char text[sizeof whole];
    size_t n = strlen(whole);
    for (size_t k = 0; k < n; k++)
        for (int c = 0; c < 128; c++) {
            if (k == 21 || k == 22) continue; /* a number: only its characters are looked at */
            memcpy(text, whole, sizeof whole);
            text[k] = (char)c;
            json_t *o = json_loadb(text, n, JSON_ALLOW_NUL, NULL);
            if (reads(text, n)) ck_assert_msg(o != NULL, "%s", text);
            json_decref(o);
        }
}
END_TEST

LEAT_SUITE("flat_json", strings_come_back_as_they_were, a_text_that_is_cut_or_goes_on_is_refused,
           what_is_no_flat_object_is_refused, it_takes_nothing_that_jansson_refuses)
