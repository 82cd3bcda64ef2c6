/* test_splits.c -- splits of snapshots against naive sets; forged sections are refused. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/checkpoint/splits.h"
#include "support/random.h"
#include "support/suite.h"

#define DIGEST "0123456789abcdef0123456789abcdef"
#define SPLIT  "{\"id\": \"7\", \"records\": 3, \"bytes\": 9, \"digest\": \"" DIGEST "\"}"

#define WEIGHED(weight)                                                                            \
    "{\"id\": \"7\", \"records\": 3, \"bytes\": 9, \"digest\": \"" DIGEST                          \
    "\", \"weight\": " weight "}"

enum { NONE = -1, MOST = 6, IDS = 40 };

/* ---- reading the section ---- */

static json_t *read_text(const char *text, size_t n)
{
    char *exact = malloc(n ? n : 1); /* a read past the end is found */
    memcpy(exact, text, n);
    struct snapshot_section section = {"splits", exact, n};
    json_t *splits = splits_read(&(struct snapshot){.n = 1, .section = &section});
    free(exact);
    return splits;
}

START_TEST(what_was_made_is_read_back)
{
    struct snapshot_section state = {"stage/model/0", "abc", 3};
    json_t *one = splits_one("a \xc3\xa9/7", 12, 345, &state, 1);
    char *text = json_dumps(one, 0);
    json_t *read = read_text(text, strlen(text));
    ck_assert_int_eq(json_equal(one, read), 1);
    ck_assert_uint_eq(splits_sum(read, "records"), 12);
    ck_assert_uint_eq(splits_sum(read, "bytes"), 345);
    json_decref(one);
    json_decref(read);
    free(text);
}
END_TEST

START_TEST(forged_sections_are_refused)
{
    static const char *const forged[] = {
        "",
        "[",
        "7",
        "null",
        "{}",
        "[]",
        "[7]",
        "[null]",
        "[[]]",
        "[{}]",
        "[" SPLIT,
        SPLIT,
        "[" SPLIT "] 7",
        "[" SPLIT ", 7]",
        "[" SPLIT ", {}]",
        "[{\"id\": \"7\", \"records\": 3, \"bytes\": 9}]",
        "[{\"id\": \"7\", \"records\": 3, \"bytes\": 9, \"digest\": 7}]",
        "[{\"id\": \"7\", \"records\": 3, \"bytes\": 9, \"digest\": \"01\"}]",
        "[{\"id\": \"7\", \"records\": 3, \"bytes\": 9, \"digest\": \"" DIGEST "0\"}]",
        "[{\"id\": \"7\", \"records\": 3, \"bytes\": 9,"
        " \"digest\": \"0123456789abcdef0123456789abcdeg\"}]",
        "[{\"id\": 7, \"records\": 3, \"bytes\": 9, \"digest\": \"" DIGEST "\"}]",
        "[{\"id\": null, \"records\": 3, \"bytes\": 9, \"digest\": \"" DIGEST "\"}]",
        "[{\"id\": \"\\u0000\", \"records\": 3, \"bytes\": 9, \"digest\": \"" DIGEST "\"}]",
        "[{\"id\": \"\xff\", \"records\": 3, \"bytes\": 9, \"digest\": \"" DIGEST "\"}]",
        "[{\"id\": \"7\", \"records\": -3, \"bytes\": 9, \"digest\": \"" DIGEST "\"}]",
        "[{\"id\": \"7\", \"records\": 3, \"bytes\": -9, \"digest\": \"" DIGEST "\"}]",
        "[{\"id\": \"7\", \"records\": \"3\", \"bytes\": 9, \"digest\": \"" DIGEST "\"}]",
        "[{\"id\": \"7\", \"records\": 3.5, \"bytes\": 9, \"digest\": \"" DIGEST "\"}]",
        "[{\"id\": \"7\", \"bytes\": 9, \"digest\": \"" DIGEST "\"}]",
        "[" WEIGHED("0") "]",
        "[" WEIGHED("-1") "]",
        "[" WEIGHED("1e999") "]",
        "[" WEIGHED("null") "]",
        "[" WEIGHED("\"2\"") "]",
        "[{\"id\": \"7\", \"records\": 3, \"digest\": \"" DIGEST "\"}]"};
    static const char good[] = "[" SPLIT "]";
    json_t *read = read_text(good, strlen(good));
    ck_assert_uint_eq(json_array_size(read), 1);
    json_decref(read);
    for (size_t i = 0; i < sizeof forged / sizeof *forged; i++)
        ck_assert_msg(!read_text(forged[i], strlen(forged[i])), "%s", forged[i]);
    for (size_t n = 0; n + 1 < sizeof good; n++)
        ck_assert_msg(!read_text(good, n), "cut at %zu", n);
    ck_assert_ptr_null(splits_read(&(struct snapshot){0}));
}
END_TEST

/* Whatever a forger changes, what is read can be used. */
START_TEST(changed_sections_are_refused_or_usable)
{
    static const char good[] = "[" SPLIT ", " SPLIT "]";
    uint64_t seed = seed_given(), usable = 0;
    for (int round = 0; round < 20000; round++) {
        char text[sizeof good], missing[256], name[48];
        memcpy(text, good, sizeof good);
        for (uint32_t k = below(&seed, 4) + 1; k; k--)
            text[below(&seed, sizeof good - 1)] =
                below(&seed, 2) ? (char)below(&seed, 256) : "{}[]\":,-0e\\u"[below(&seed, 12)];
        json_t *read = read_text(text, sizeof good - 1), *all = json_array();
        const json_t *which;
        if (read) {
            usable++;
            splits_add(all, read);
            ck_assert_int_ne(splits_meet(all, read, &which), SPLITS_NEW);
            ck_assert_uint_gt(strlen(splits_name(which, name)), 0);
            splits_missing(all, 5, missing);
            ck_assert_uint_eq(splits_sum(all, "records"), splits_sum(read, "records"));
        }
        json_decref(read);
        json_decref(all);
    }
    ck_assert_uint_gt(usable, 100);
}
END_TEST

/* ---- comparing splits ---- */

struct split {
    int id; /* or NONE */
    unsigned learned, records;
};

static json_t *as_json(const struct split *s, size_t n)
{
    json_t *all = json_array();
    for (size_t i = 0; i < n; i++) {
        char digest[33], id[12];
        snprintf(digest, sizeof digest, "%032x", s[i].learned);
        snprintf(id, sizeof id, "%d", s[i].id);
        json_array_append_new(all, json_pack("{s:s*, s:i, s:i, s:s}", "id",
                                             s[i].id == NONE ? NULL : id, "records",
                                             (int)s[i].records, "bytes", 1, "digest", digest));
    }
    return all;
}

/* Makes up to MOST splits with different ids. Few learned anything different. */
static size_t make_splits(struct split *s, uint64_t *seed)
{
    size_t n = 0, wanted = below(seed, MOST) + 1;
    bool used[8] = {false};
    while (n < wanted) {
        unsigned learned = below(seed, 7);
        struct split one = {(int)below(seed, 8), learned, learned ? 5 : 0};
        if (used[one.id]) continue;
        used[one.id] = true;
        if (below(seed, 2)) one.learned = (unsigned)one.id + 100, one.records = 5;
        if (!below(seed, 9)) one.id = NONE;
        s[n++] = one;
    }
    return n;
}

/* How one split of an input relates to all others, each as a question of its own. */
struct relation {
    bool held, differs, unnamed, alike;
};

static struct relation relate(const struct split *all, size_t n, struct split s)
{
    struct relation r = {false, false, false, false};
    for (size_t i = 0; i < n; i++) {
        bool same_id = s.id != NONE && all[i].id == s.id, same = all[i].learned == s.learned;
        r.held |= same_id && same;
        r.differs |= same_id && !same;
        r.unnamed |= same && s.records && (s.id == NONE || all[i].id == NONE);
        r.alike |= same && s.records && s.id != NONE && all[i].id != NONE && !same_id;
    }
    if (r.held || r.differs) r.unnamed = r.alike = false; /* its id decides */
    return r;
}

START_TEST(splits_meet_as_in_a_naive_comparison)
{
    uint64_t seed = seed_given(), found[SPLITS_UNNAMED + 1] = {0};
    for (int round = 0; round < 30000; round++) {
        struct split a[MOST], b[MOST];
        size_t n_a = make_splits(a, &seed), n_b = make_splits(b, &seed);
        size_t held = 0, differ = 0, unnamed = 0, alike = 0;
        for (size_t i = 0; i < n_b; i++) {
            struct relation r = relate(a, n_a, b[i]);
            held += r.held, differ += r.differs, unnamed += r.unnamed, alike += r.alike;
        }
        enum splits_meeting expected = unnamed       ? SPLITS_UNNAMED
                                       : differ      ? SPLITS_DIFFER
                                       : held == n_b ? SPLITS_HELD
                                       : held        ? SPLITS_PARTLY
                                       : alike       ? SPLITS_ALIKE
                                                     : SPLITS_NEW;
        json_t *all = as_json(a, n_a), *more = as_json(b, n_b);
        const json_t *which;
        ck_assert_int_eq(splits_meet(all, more, &which), expected);
        ck_assert_int_eq(!which, expected == SPLITS_NEW);
        for (size_t i = 0; which && json_array_get(more, i) != which; i++) {
            struct relation r = relate(a, n_a, b[i]); /* values before the first are better */
            ck_assert(!r.unnamed && (unnamed || !r.differs));
            ck_assert(unnamed || differ || !r.held);
        }
        found[expected]++;
        json_decref(all);
        json_decref(more);
    }
    for (int k = SPLITS_NEW; k <= SPLITS_UNNAMED; k++)
        ck_assert_msg(found[k] > 50, "%d came %" PRIu64 " times", k, found[k]);
}
END_TEST

/* ---- adding splits ---- */

static void shuffle(json_t *all, uint64_t *seed)
{
    for (size_t i = json_array_size(all); i > 1; i--) {
        size_t k = below(seed, (uint32_t)i);
        json_t *a = json_incref(json_array_get(all, k));
        json_array_set(all, k, json_array_get(all, i - 1));
        json_array_set_new(all, i - 1, a);
    }
}

START_TEST(the_order_of_additions_changes_no_byte)
{
    static const char *const parts[] = {"",  "0",  "00", "1", "9",       "10",
                                        "a", "a0", "-",  ".", "\xc3\xa9"};
    uint64_t seed = seed_given();
    for (int round = 0; round < 500; round++) {
        json_t *more = json_array(), *sorted[2] = {json_array(), json_array()};
        char *text[2], id[16];
        for (uint32_t k = 0; k < 20; k++) {
            const char *a = parts[below(&seed, 11)], *b = parts[below(&seed, 11)];
            snprintf(id, sizeof id, "%s%s%s", a, b, parts[below(&seed, 11)]);
            json_array_append_new(more, json_pack("{s:s, s:s}", "id", id, "digest", DIGEST));
        }
        for (int k = 0; k < 2; k++) {
            for (size_t i = 0; i < 20; i++) {
                json_t *one = json_pack("[O]", json_array_get(more, i));
                splits_add(sorted[k], one);
                json_decref(one);
            }
            text[k] = json_dumps(sorted[k], 0);
            json_decref(sorted[k]);
            shuffle(more, &seed);
        }
        ck_assert_str_eq(text[0], text[1]);
        free(text[0]);
        free(text[1]);
        json_decref(more);
    }
}
END_TEST

START_TEST(numbers_come_in_their_order_and_the_nameless_last)
{
    static const struct split s[] = {{10, 1, 5}, {NONE, 9, 5}, {2, 2, 5}, {NONE, 3, 5}, {1, 7, 5}};
    static const struct split expected[] = {
        {1, 7, 5}, {2, 2, 5}, {10, 1, 5}, {NONE, 3, 5}, {NONE, 9, 5}};
    json_t *all = json_array(), *more = as_json(s, 5), *sorted = as_json(expected, 5);
    splits_add(all, more);
    ck_assert_int_eq(json_equal(all, sorted), 1);
    json_decref(all);
    json_decref(more);
    json_decref(sorted);
}
END_TEST

/* ---- weights ---- */

START_TEST(weights_multiply_and_are_part_of_what_a_split_is)
{
    static const struct split s[] = {{1, 7, 5}, {NONE, 9, 5}};
    json_t *once = as_json(s, 2), *thrice = as_json(s, 2);
    const json_t *which;
    splits_weigh(thrice, 1);
    ck_assert_int_eq(json_equal(once, thrice), 1);
    splits_weigh(thrice, 1.5);
    splits_weigh(thrice, 2);
    ck_assert(json_number_value(json_object_get(json_array_get(thrice, 0), "weight")) == 3);
    ck_assert(json_number_value(json_object_get(json_array_get(thrice, 1), "weight")) == 3);
    ck_assert(splits_hold(thrice, thrice) && splits_hold(once, once));
    ck_assert(!splits_hold(thrice, once) && !splits_hold(once, thrice));
    json_array_remove(once, 1);
    ck_assert_int_eq(splits_meet(thrice, once, &which), SPLITS_DIFFER);
    for (int k = 0; k < 1200; k++)
        splits_weigh(thrice, k < 600 ? 1e300 : 1e-300); /* neither end leaves the doubles */
    char *text = json_dumps(thrice, 0);
    json_t *read = read_text(text, strlen(text));
    ck_assert_uint_eq(json_array_size(read), 2);
    free(text);
    json_decref(read);
    json_decref(once);
    json_decref(thrice);
}
END_TEST

START_TEST(splits_that_were_not_in_order_are_read_in_order)
{
    static const char text[] = "[" WEIGHED("2") ", " SPLIT "]";
    json_t *read = read_text(text, strlen(text));
    ck_assert_ptr_null(json_object_get(json_array_get(read, 0), "weight"));
    ck_assert(splits_hold(read, read));
    json_decref(read);
}
END_TEST

/* ---- splits that are missing ---- */

/* Checks a list such as "3, 5 to 7" against the numbers that are there. */
static void check_missing(const char *text, const bool *there, uint64_t first, uint64_t n)
{
    uint64_t k = first, a, b;
    int used;
    for (const char *at = text; at && *at && strcmp(at, " ..."); at += used) {
        if (at != text) ck_assert_int_eq(strncmp(at, ", ", 2), 0);
        at += at != text ? 2 : 0;
        ck_assert_int_eq(sscanf(at, "%" SCNu64 "%n", &a, &used), 1);
        at += used;
        b = a, used = 0;
        if (!strncmp(at, " to ", 4)) sscanf(at, " to %" SCNu64 "%n", &b, &used);
        for (; k < a; k++)
            ck_assert_msg(there[k], "%" PRIu64 " is not in %s", k, text);
        for (; k <= b; k++)
            ck_assert_msg(!there[k], "%" PRIu64 " is in %s", k, text);
    }
    if (text && strstr(text, " ...")) return;
    for (; k < first + n; k++)
        ck_assert_msg(there[k], "%" PRIu64 " is not in %s", k, text ? text : "the list");
}

START_TEST(missing_splits_are_those_of_a_naive_set)
{
    uint64_t seed = seed_given();
    for (int round = 0; round < 3000; round++) {
        bool there[3 * IDS + 1] = {false};
        char text[256];
        struct split s[3 * IDS + 1];
        uint64_t n = below(&seed, 3 * IDS) + 1, first = below(&seed, 2);
        uint32_t density = below(&seed, 11);
        size_t count = 0;
        for (uint64_t k = first; k < first + n; k++)
            if ((!first && !k) || below(&seed, 10) < density) {
                there[k] = true;
                s[count++] = (struct split){(int)k, 1, 1};
            }
        json_t *splits = as_json(s, count);
        const char *missing = splits_missing(splits, n, text);
        ck_assert_int_eq(!missing, count == n);
        ck_assert(!missing || strlen(missing) < 256);
        check_missing(missing, there, first, n);
        json_decref(splits);
    }
}
END_TEST

START_TEST(other_ids_are_only_counted)
{
    static const char *const other[] = {
        "a", "", "1 again", "-1", "+1", " 1", "9", "1e0", "99999999999999999999999"};
    char text[256];
    for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
        json_t *splits = json_pack("[{s:s, s:s}, {s:s, s:s}]", "id", "1", "digest", DIGEST, "id",
                                   other[i], "digest", DIGEST);
        ck_assert_str_eq(splits_missing(splits, 5, text), "3 of 5");
        ck_assert_ptr_null(splits_missing(splits, 2, text));
        json_decref(splits);
    }
    json_t *nameless = json_pack("[{s:s}]", "digest", DIGEST);
    ck_assert_str_eq(splits_missing(nameless, 3, text), "2 of 3");
    json_decref(nameless);
}
END_TEST

START_TEST(a_long_name_is_cut)
{
    char name[48];
    json_t *split = json_pack("{s:s}", "id", DIGEST DIGEST);
    ck_assert_str_eq(splits_name(split, name), "0123456789abcdef0123456789abcdef01234567");
    json_decref(split);
    for (size_t n = 37; n < 41; n++) { /* between characters of two bytes */
        char id[64];
        snprintf(id, sizeof id, "%.*s\xc3\xa9\xc3\xa9\xc3\xa9", (int)n, DIGEST DIGEST);
        split = json_pack("{s:s}", "id", id);
        json_t *whole = json_string(splits_name(split, name)); /* NULL if it is no UTF-8 */
        ck_assert_ptr_nonnull(whole);
        ck_assert_uint_ge(strlen(name), 39);
        json_decref(whole);
        json_decref(split);
    }
}
END_TEST

LEAT_SUITE("splits", what_was_made_is_read_back, forged_sections_are_refused,
           changed_sections_are_refused_or_usable, splits_meet_as_in_a_naive_comparison,
           the_order_of_additions_changes_no_byte,
           numbers_come_in_their_order_and_the_nameless_last,
           weights_multiply_and_are_part_of_what_a_split_is,
           splits_that_were_not_in_order_are_read_in_order, missing_splits_are_those_of_a_naive_set,
           other_ids_are_only_counted, a_long_name_is_cut)
