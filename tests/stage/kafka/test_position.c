/* test_position.c -- a position of Kafka offsets is read back as it was written.
 *
 * Changed or cut bytes are never taken for a position. */
#include "kafka/states/position.c"

#include <stdarg.h>
#include <stdio.h>

#include "support/suite.h"

static char said[400];

static int fail_to(struct leat_ctx *ctx, int status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(said, sizeof said, format, args);
    va_end(args);
    return status;
}

static const struct leat_host host = {.fail = fail_to};
static struct leat_ctx ctx = {.host = &host};

static struct leat_position given(const struct position_bytes *b)
{
    return (struct leat_position){"topics", POSITION_FORMAT, b->bytes, b->n};
}

static void make(struct position *p)
{
    const struct position_state state = {"a\tgroup\tt\t1", 77, {76, -1, 5}, 3, 1};
    p->member = rd_kafka_consumer_group_metadata_new_with_genid("group", 4, "me", "one");
    p->offsets = rd_kafka_topic_partition_list_new(1);
    rd_kafka_topic_partition_t *t = rd_kafka_topic_partition_list_add(p->offsets, "t", 1);
    t->offset = INT64_C(1) << 40;
    t->metadata = strdup("leat 0 1");
    t->metadata_size = 8;
    ck_assert(position_add(p, &state));
    p->state_topic = strdup("states");
    p->state_partitions = 9;
    p->max_message = 1000000;
}

static void write_one(struct position_bytes *b)
{
    struct position p = {0};
    make(&p);
    ck_assert(position_write(&p, b));
    position_free(&p);
}

START_TEST(what_is_written_comes_back)
{
    struct position p = {0};
    struct position_bytes b = {0}, again = {0};
    write_one(&b);
    const struct leat_position g = given(&b);
    ck_assert_int_eq(position_read(&ctx, &g, &p), LEAT_OK);
    ck_assert_int_eq(p.offsets->cnt, 1);
    ck_assert_str_eq(p.offsets->elems[0].topic, "t");
    ck_assert_int_eq(p.offsets->elems[0].offset, INT64_C(1) << 40);
    ck_assert_str_eq(p.offsets->elems[0].metadata, "leat 0 1");
    ck_assert_uint_eq(p.n_states, 1);
    ck_assert_str_eq(p.state[0].name, "a\tgroup\tt\t1");
    ck_assert_int_eq(p.state[0].last.time, -1);
    ck_assert_str_eq(p.state_topic, "states");
    ck_assert(position_write(&p, &again));
    ck_assert_uint_eq(again.n, b.n);
    ck_assert_mem_eq(again.bytes, b.bytes, b.n);
    position_free(&p);
    position_bytes_free(&b);
    position_bytes_free(&again);
}
END_TEST

START_TEST(without_offsets_and_states_there_are_no_bytes)
{
    struct position p = {0};
    struct position_bytes b = {.n = 5};
    ck_assert(position_write(&p, &b));
    ck_assert_uint_eq(b.n, 0);
}
END_TEST

static void refused(const struct position_bytes *b)
{
    struct position p = {0};
    const struct leat_position g = given(b);
    ck_assert_int_eq(position_read(&ctx, &g, &p), LEAT_EDATA);
    ck_assert(strstr(said, "the position of topics is damaged"));
    position_free(&p);
}

START_TEST(no_changed_byte_and_no_cut_is_taken_for_a_position)
{
    struct position_bytes b = {0};
    write_one(&b);
    for (size_t i = 0; i < b.n; i++) {
        b.bytes[i] ^= 16;
        refused(&b);
        b.bytes[i] ^= 16;
    }
    for (; b.n; b.n--)
        if (b.n < 100) refused(&b);
    position_bytes_free(&b);
}
END_TEST

/* A faulty writer: the checksum is right, but the lengths are wrong. */
START_TEST(lengths_are_compared_with_the_bytes_there_are)
{
    struct position_bytes b = {0};
    write_one(&b);
    size_t n = b.n - CHECKSUM;
    for (size_t i = 0; i < n; i++) {
        struct position p = {0};
        const struct leat_position g = given(&b);
        b.bytes[i] ^= 255;
        le_put(b.bytes + n, XXH3_64bits(b.bytes, n), CHECKSUM);
        position_read(&ctx, &g, &p);
        position_free(&p);
        b.bytes[i] ^= 255;
    }
    position_bytes_free(&b);
}
END_TEST

START_TEST(another_format_is_refused_with_both_names)
{
    struct position p = {0};
    const struct leat_position g = {"topics", "kafka.offsets/2", "x", 1};
    ck_assert_int_eq(position_read(&ctx, &g, &p), LEAT_EARG);
    ck_assert(strstr(said, "kafka.offsets/2, and this sink commits kafka.offsets/1"));
}
END_TEST

LEAT_SUITE("position", what_is_written_comes_back, without_offsets_and_states_there_are_no_bytes,
           no_changed_byte_and_no_cut_is_taken_for_a_position,
           lengths_are_compared_with_the_bytes_there_are, another_format_is_refused_with_both_names)
