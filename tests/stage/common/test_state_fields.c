/* test_state_fields.c -- states by tables of their fields.
 *
 * Written values are read back. Impossible values are refused by name, value and bound. */
#include "support/suite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/store/state_codec.h"
#include "common/state/state_fields.h"
#include "common/state/state_prefix.h"

enum order { FIFO, RANDOM };
static const char *const orders[] = {"fifo", "random", NULL};

enum { MAX_ROWS = 4, WIDTH = 3 };

/* A state with a member of every kind. */
struct toy {
    uint32_t width, max_rows, rows;
    enum order order;
    bool named, marked;
    uint8_t level;
    uint64_t examples;
    int64_t shift, since, range[2];
    float rate;
    double bias, free;
    uint64_t records[2];
    const float *weight;
    const uint32_t *count; /* or NULL */
    uint32_t n_ids;
    const uint64_t *id; /* at most max_rows */
    double *scratch;    /* WIDTH */
};

#define AT(member) STATE_MEMBER(struct toy, member)
static const struct state_field fields[] = {
    {"width", STATE_SAME, .at = AT(width)},
    {"order", STATE_SAME, .at = AT(order), .choices = orders},
    {"named", STATE_SAME, .at = AT(named), .choices = state_false_true},
    {"rate", STATE_SAME, .at = AT(rate)},
    {"marked", STATE_VALUE, .at = AT(marked), .max = 1},
    {"level", STATE_VALUE, .at = AT(level)},
    {"rows", STATE_VALUE, .at = AT(rows), .limit = AT(max_rows), .hint = "max_rows"},
    {"examples", STATE_VALUE, .at = AT(examples)},
    {"shift", STATE_SAME, .at = AT(shift)},
    {"since", STATE_VALUE, .at = AT(since), .min = -5, .max = 0x1p63},
    {"range", STATE_INSIDE, .at = AT(range), .each = 2, .min = -9, .max = 9},
    {"bias", STATE_VALUE, .at = AT(bias), .min = -10, .max = 10},
    {"free", STATE_VALUE, .at = AT(free)},
    {"records", STATE_INSIDE, .at = AT(records), .each = 2, .min = 0, .max = 100},
    {"ids", STATE_LENT, .at = AT(id), .count = {AT(n_ids)}, .sets_count = true,
     .limit = AT(max_rows), .hint = "max_rows"},
    {"weights", STATE_LENT, .at = AT(weight), .count = {AT(rows), AT(width)}},
    {"counts", STATE_LENT, .at = AT(count), .each = 2, .count = {AT(rows)}, .optional = true},
    {"scratch", STATE_COPIED, .at = AT(scratch), .count = {AT(width)}, .min = 0, .max = 1},
};
#undef AT

static float weights[MAX_ROWS * WIDTH] = {1, 2, 3, 4, 5, 6};
static uint32_t counts[2 * MAX_ROWS] = {7, 8, 9, 10};
static const uint64_t ids[MAX_ROWS] = {21, 22, 23, 24};
static double scratch[WIDTH] = {0, 0.5, 1};
static double room[WIDTH];

static struct toy toy(void)
{
    return (struct toy){.width = WIDTH,
                        .max_rows = MAX_ROWS,
                        .rows = 2,
                        .order = RANDOM,
                        .named = true,
                        .marked = true,
                        .level = 200,
                        .examples = UINT64_MAX,
                        .shift = INT64_MIN,
                        .since = INT64_MAX,
                        .range = {-9, 9},
                        .rate = 0.1f,
                        .bias = -3.5,
                        .free = 1e300,
                        .records = {11, 12},
                        .weight = weights,
                        .count = counts,
                        .n_ids = 3,
                        .id = ids,
                        .scratch = scratch};
}

/* Returns a model with nothing learned. */
static struct toy fresh(void)
{
    struct toy t = {.width = WIDTH,
                    .max_rows = MAX_ROWS,
                    .order = RANDOM,
                    .named = true,
                    .shift = INT64_MIN,
                    .rate = 0.1f,
                    .count = counts,
                    .scratch = room};
    memset(room, 0, sizeof room);
    return t;
}

/* ---- from one to the other ---- */

static struct state_writer writer;
static struct state_reader reader;

static void write_toy(const struct toy *t)
{
    ck_assert_int_eq(state_writer_init(&writer, "toy", 1), LEAT_OK);
    ck_assert_int_eq(state_write(&writer.base, STATE_TABLE(fields), t), LEAT_OK);
    ck_assert_int_eq(state_writer_finish(&writer), LEAT_OK);
}

/* Reads the written bytes by a table into t. Lent pointers are valid until forget(). */
static int read_by(const struct state_field *field, size_t n, void *t)
{
    ck_assert_int_eq(state_reader_init(&reader, writer.bytes, writer.n), LEAT_OK);
    int status = state_read(&reader.base, field, n, t);
    ck_assert_int_eq(status != LEAT_OK, reader.error[0] != 0);
    return status;
}

static void forget(void)
{
    state_reader_free(&reader);
    state_writer_free(&writer);
}

/* Checks that `here` refuses the state of `there` with these words. */
static void refused(const struct toy *there, struct toy here, const char *words)
{
    write_toy(there);
    ck_assert_int_eq(read_by(STATE_TABLE(fields), &here), LEAT_EDATA);
    ck_assert_str_eq(reader.error, words);
    forget();
}

START_TEST(what_is_written_comes_back)
{
    struct toy a = toy(), b = fresh();
    write_toy(&a);
    ck_assert_int_eq(read_by(STATE_TABLE(fields), &b), LEAT_OK);
    ck_assert_uint_eq(b.rows, 2);
    ck_assert(b.marked && b.level == 200 && b.examples == UINT64_MAX);
    ck_assert(b.since == INT64_MAX && b.range[0] == -9 && b.range[1] == 9);
    ck_assert(b.bias == -3.5 && b.free == 1e300);
    ck_assert(b.records[0] == 11 && b.records[1] == 12);
    ck_assert(b.weight != weights && !memcmp(b.weight, weights, 6 * sizeof *weights));
    ck_assert(b.count != counts && !memcmp(b.count, counts, 4 * sizeof *counts));
    ck_assert(b.n_ids == 3 && b.id != ids && !memcmp(b.id, ids, 3 * sizeof *ids));
    ck_assert(b.scratch == room && !memcmp(room, scratch, sizeof scratch));
    forget();
}
END_TEST

START_TEST(the_empty_model_comes_back)
{
    struct toy a = fresh(), b = fresh();
    write_toy(&a);
    ck_assert_int_eq(read_by(STATE_TABLE(fields), &b), LEAT_OK);
    ck_assert_uint_eq(b.rows, 0);
    forget();
}
END_TEST

START_TEST(an_array_that_is_not_here_is_not_asked_for)
{
    struct toy a = toy(), b = fresh();
    a.count = b.count = NULL;
    write_toy(&a);
    ck_assert_int_eq(read_by(STATE_TABLE(fields), &b), LEAT_OK);
    ck_assert_ptr_null(b.count);
    forget();
    refused(&a, fresh(), "field counts is missing");
}
END_TEST

START_TEST(parameters_must_be_the_same)
{
    struct toy t = toy();
    t.width = 1;
    refused(&t, fresh(), "width is 1 in the saved state and 3 here");
    t = toy();
    t.order = FIFO;
    refused(&t, fresh(), "order is fifo in the saved state and random here");
    t.order = 7;
    refused(&t, fresh(), "order is something unknown in the saved state and random here");
    t = toy();
    t.named = false;
    refused(&t, fresh(), "named is false in the saved state and true here");
    t = toy();
    t.rate = 0.5f;
    refused(&t, fresh(), "rate is 0.5 in the saved state and 0.1 here");
    t = toy();
    t.shift = -1;
    refused(&t, fresh(), "shift is -1 in the saved state and -9223372036854775808 here");
}
END_TEST

START_TEST(values_out_of_range_are_refused)
{
    struct toy t = toy();
    t.rows = 4;
    struct toy small = fresh();
    small.max_rows = 3;
    refused(&t, small, "rows is 4; it must be 0 to 3 (max_rows)");
    small.max_rows = 2;
    t = toy();
    refused(&t, small, "ids has 3 elements; there must be 0 to 2 (max_rows)");
    t.bias = 10.5;
    refused(&t, fresh(), "bias is 10.5; it must be -10 to 10");
    t.bias = (double)NAN;
    refused(&t, fresh(), "bias is nan; it must be -10 to 10");
    t = toy();
    t.free = (double)INFINITY;
    refused(&t, fresh(), "free is inf; it must be a finite number");
    t = toy();
    t.since = -6;
    refused(&t, fresh(), "since is -6; it must be -5 to 9.223372037e+18");
    t.since = 0;
    t.range[0] = INT64_MIN;
    refused(&t, fresh(), "range[0] is -9223372036854775808; it must be -9 to 9");
}
END_TEST

/* The type of a member limits the values that it accepts. */
START_TEST(a_value_that_does_not_fit_its_member_is_refused)
{
    static const struct state_field wide[] = {{"v", STATE_VALUE, .at = {0, LEAT_U64}}};
    static const struct state_field narrow[] = {{"v", STATE_VALUE, .at = {0, LEAT_U32}}};
    static const struct state_field byte[] = {{"v", STATE_VALUE, .at = {0, LEAT_U8}}};
    uint64_t v = 1ull << 32;
    ck_assert_int_eq(state_writer_init(&writer, "toy", 1), LEAT_OK);
    state_write(&writer.base, STATE_TABLE(wide), &v);
    state_writer_finish(&writer);
    ck_assert_int_eq(read_by(STATE_TABLE(narrow), &v), LEAT_EDATA);
    ck_assert_str_eq(reader.error, "v is 4294967296; it must be 0 to 4294967295");
    state_reader_free(&reader);
    ck_assert_int_eq(read_by(STATE_TABLE(byte), &v), LEAT_EDATA);
    ck_assert_str_eq(reader.error, "v is 4294967296; it must be 0 to 255");
    forget();
}
END_TEST

START_TEST(elements_out_of_range_are_refused)
{
    struct toy t = toy();
    weights[4] = NAN;
    refused(&t, fresh(), "weights[4] is nan; it must be a finite number");
    weights[4] = 5;
    t.records[1] = 101;
    refused(&t, fresh(), "records[1] is 101; it must be 0 to 100");
    t = toy();
    scratch[0] = -0.25;
    refused(&t, fresh(), "scratch[0] is -0.25; it must be 0 to 1");
    ck_assert(room[1] == 0); /* nothing has been copied */
    scratch[0] = 0;
}
END_TEST

START_TEST(arrays_of_another_length_are_refused)
{
    static const struct state_field three[] = {
        {"records", STATE_INSIDE, .at = {offsetof(struct toy, records), LEAT_U64}, .each = 1}};
    struct toy t = toy();
    write_toy(&t);
    ck_assert_int_eq(read_by(STATE_TABLE(three), &t), LEAT_EDATA);
    ck_assert_str_eq(reader.error, "records has 2 elements in the saved state and 1 here");
    forget();
}
END_TEST

START_TEST(two_models_have_fields_of_their_own)
{
    struct toy a = toy(), b = fresh(), c = fresh();
    struct state_prefix_writer pw;
    struct state_prefix_reader pr;
    a.bias = 10.5;
    ck_assert_int_eq(state_writer_init(&writer, "toy", 1), LEAT_OK);
    state_write(state_prefix_writer(&pw, &writer.base, "0."), STATE_TABLE(fields), &b);
    state_write(state_prefix_writer(&pw, &writer.base, "1."), STATE_TABLE(fields), &a);
    ck_assert_int_eq(state_writer_finish(&writer), LEAT_OK);
    ck_assert_int_eq(state_reader_init(&reader, writer.bytes, writer.n), LEAT_OK);
    struct leat_reader *r = state_prefix_reader(&pr, &reader.base, "0.", "class 0");
    ck_assert_int_eq(state_read(r, STATE_TABLE(fields), &c), LEAT_OK);
    r = state_prefix_reader(&pr, &reader.base, "1.", "class 1");
    ck_assert_int_eq(state_read(r, STATE_TABLE(fields), &c), LEAT_EDATA);
    ck_assert_str_eq(reader.error, "class 1: bias is 10.5; it must be -10 to 10");
    forget();
}
END_TEST

START_TEST(versions_and_weights_of_a_merge_are_checked)
{
    struct toy t = toy();
    write_toy(&t);
    ck_assert_int_eq(state_reader_init(&reader, writer.bytes, writer.n), LEAT_OK);
    ck_assert_int_eq(state_check_version(&reader.base, 2, 2), LEAT_OK);
    ck_assert_int_eq(state_check_weight(&reader.base, 0), LEAT_OK);
    ck_assert_int_eq(state_check_weight(&reader.base, STATE_MAX_WEIGHT), LEAT_OK);
    ck_assert_int_eq(state_check_weight(&reader.base, (double)NAN), LEAT_EDATA);
    ck_assert_str_eq(reader.error, "merge weight nan is out of range; it must be 0 to 1e+09");
    forget();
}
END_TEST

LEAT_SUITE("state_fields", what_is_written_comes_back, the_empty_model_comes_back,
           an_array_that_is_not_here_is_not_asked_for, parameters_must_be_the_same,
           values_out_of_range_are_refused, a_value_that_does_not_fit_its_member_is_refused,
           elements_out_of_range_are_refused, arrays_of_another_length_are_refused,
           two_models_have_fields_of_their_own, versions_and_weights_of_a_merge_are_checked)
