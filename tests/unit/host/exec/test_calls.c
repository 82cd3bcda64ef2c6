/* test_calls.c -- the sources that are reported as not returning. */
#include <string.h>

#include "host/log/log.h"
#include "core/time/clock.h"
#include "host/exec/calls.h"
#include "host/exec/run.h"
#include "support/suite.h"

static const uint64_t SECOND = UINT64_C(1000000000);

/* A run of one source, which is inside a call. */
struct world {
    struct leat_stage stage;
    struct node node;
    struct graph graph;
    struct instance source, *sources[1];
    struct run run;
};

static void begin(struct world *w, const char *call, double ago)
{
    *w = (struct world){.stage = {.kind = LEAT_SOURCE}};
    w->node = (struct node){.stage = &w->stage, .label = "s (source.s)", .lanes = 1};
    w->graph = (struct graph){.node = &w->node, .n_nodes = 1};
    w->source.node = &w->node;
    w->sources[0] = &w->source;
    w->run.graph = &w->graph;
    w->run.instance = w->sources;
    atomic_store(&w->source.call, call);
    atomic_store(&w->source.call_ns, clock_ns() - (uint64_t)(ago * 1e9));
    log_set_level(-1);
}

/* Looks twice. Returns true if the source is reported as not returning. */
static bool told_in_two_looks(struct world *w)
{
    calls_look(&w->run);
    calls_look(&w->run);
    return w->source.reading.told_late;
}

START_TEST(a_produce_that_is_seen_twice_after_a_second_is_told_once)
{
    struct world w;
    begin(&w, "produce", 1.1);
    calls_look(&w.run);
    ck_assert(!w.source.reading.told_late);
    calls_look(&w.run);
    ck_assert(w.source.reading.told_late);
}
END_TEST

START_TEST(a_second_must_have_passed)
{
    struct world w;
    begin(&w, "produce", 0.5);
    ck_assert(!told_in_two_looks(&w));
}
END_TEST

START_TEST(another_produce_is_not_the_same)
{
    struct world w;
    begin(&w, "produce", 3);
    calls_look(&w.run);
    atomic_store(&w.source.call_ns, clock_ns() - 2 * SECOND);
    calls_look(&w.run);
    ck_assert(!w.source.reading.told_late);
}
END_TEST

START_TEST(looks_that_are_far_apart_count_for_nothing)
{
    struct world w;
    begin(&w, "produce", 3);
    calls_look(&w.run);
    w.run.looked_ns -= 2 * SECOND; /* the process was suspended */
    calls_look(&w.run);
    ck_assert(!w.source.reading.told_late);
    calls_look(&w.run);
    ck_assert(w.source.reading.told_late);
}
END_TEST

START_TEST(other_calls_may_take_as_long_as_they_do)
{
    static const char *const calls[] = {"header", "restore", "durable", NULL};
    struct world w;
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        begin(&w, calls[i], 100);
        ck_assert(!told_in_two_looks(&w));
    }
}
END_TEST

START_TEST(a_source_with_shards_may_read_their_states)
{
    struct world w;
    begin(&w, "produce", 100);
    w.node.plan.shards = 1;
    ck_assert(!told_in_two_looks(&w));
}
END_TEST

/* Writes the message about a stage that has taken `seconds` for 10 records. */
static const char *slow_sentence(double seconds, char *text, size_t cap)
{
    struct world w;
    begin(&w, NULL, 0);
    w.graph.options.batch_rows = 1024;
    atomic_store(&w.source.count.ns, (uint64_t)(seconds * 1e9));
    atomic_store(&w.source.count.in, 10);
    calls_slow(&w.run, text, cap);
    return text;
}

START_TEST(a_slow_stage_is_told_in_milliseconds_without_an_exponent)
{
    char text[300];
    ck_assert_ptr_nonnull(strstr(slow_sentence(0.12, text, sizeof text), " takes 12 ms a record:"));
    ck_assert_ptr_nonnull(strstr(slow_sentence(3, text, sizeof text), " takes 300 ms a record:"));
    ck_assert_str_eq(slow_sentence(0.001, text, sizeof text), "");
}
END_TEST

/* A call that has never returned may have a whole batch: 1024 records in 20 s. */
START_TEST(a_stage_in_its_first_call_takes_at_least_a_share_of_it)
{
    struct world w;
    char text[300];
    begin(&w, "process", 20);
    w.node.n_in = 1;
    w.graph.options.batch_rows = 1024;
    calls_slow(&w.run, text, sizeof text);
    ck_assert_ptr_nonnull(strstr(text, " takes at least 20 ms a record:"));
    w.node.n_in = 0; /* a source has no records in */
    calls_slow(&w.run, text, sizeof text);
    ck_assert_str_eq(text, "");
}
END_TEST

LEAT_SUITE("calls", a_produce_that_is_seen_twice_after_a_second_is_told_once,
           a_second_must_have_passed, another_produce_is_not_the_same,
           looks_that_are_far_apart_count_for_nothing, other_calls_may_take_as_long_as_they_do,
           a_source_with_shards_may_read_their_states,
           a_slow_stage_is_told_in_milliseconds_without_an_exponent,
           a_stage_in_its_first_call_takes_at_least_a_share_of_it)
