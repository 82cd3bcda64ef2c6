/* test_event_clock.c -- the clock of several inputs against a naive one, which keeps every record.
 * */
#include "support/suite.h"

#include "core/time/event_clock.h"
#include "host/store/state_codec.h"
#include "support/random.h"

enum { SOURCES = 3, INPUTS = 40, AHEAD = 1000 };

static struct event_marks marks(uint32_t open) { return (struct event_marks){.open = open}; }

static struct leat_clock take(struct event_clock *c, uint32_t source, uint32_t number, int64_t ns)
{
    struct leat_clock now;
    struct event_input *in = event_clock_find(c, source, number);
    if (!in) in = event_clock_continue(c, source, number, number + 1);
    if (!in) in = event_clock_add(c, source, number, number + 1);
    ck_assert_ptr_nonnull(in);
    event_clock_take(c, in, ns, AHEAD, &now);
    return now;
}

/* Holds whether an input is open, whether it has come since then, and its latest time. */
struct naive {
    bool open, came;
    int64_t time;
};

static int64_t naive_now(const struct naive v[SOURCES][INPUTS], int64_t before)
{
    int64_t least = INT64_MAX, latest = -1;
    for (int s = 0; s < SOURCES; s++)
        for (int i = 0; i < INPUTS; i++) {
            const struct naive *n = &v[s][i];
            if (n->open && !n->came) return before;
            if (n->open && n->time < least) least = n->time;
            if (n->time > latest) latest = n->time;
        }
    if (least == INT64_MAX) least = latest;
    return least > before ? least : before;
}

static uint32_t naive_open(const struct naive v[INPUTS])
{
    uint32_t n = 0;
    for (int i = 0; i < INPUTS; i++)
        n += v[i].open;
    return n;
}

/* Saves the clock and restores it, as a killed run does. */
static void restart(struct event_clock *c)
{
    struct state_writer w;
    struct state_reader r;
    struct event_clock read;
    ck_assert_int_eq(state_writer_init(&w, "clock", 1), LEAT_OK);
    ck_assert_int_eq(event_clock_write(c, &w.base), LEAT_OK);
    ck_assert_int_eq(state_writer_finish(&w), LEAT_OK);
    ck_assert_int_eq(state_reader_init(&r, w.bytes, w.n), LEAT_OK);
    ck_assert(event_clock_init(&read, SOURCES));
    ck_assert_msg(event_clock_read(&read, &r.base) == LEAT_OK, "%s", r.error);
    event_clock_fini(c);
    *c = read;
    state_reader_free(&r);
    state_writer_free(&w);
}

/* Sends a batch of a source: records of open inputs, each later than the one before, and at the end
 * some inputs close. Closed inputs may open again. */
static void send_batch(struct event_clock *c, struct naive v[INPUTS], uint32_t s, uint64_t seq,
                       uint64_t *seed)
{
    bool opens = below(seed, 4) == 0;
    for (uint32_t i = 0; opens && i < INPUTS; i++)
        if (!v[i].open && below(seed, 4) == 0) v[i].open = true, v[i].came = false;
    struct event_marks m = marks(naive_open(v));
    for (uint32_t i = 0; i < INPUTS && m.n_closing < LEAT_CLOSING; i++)
        if (v[i].open && below(seed, 16) == 0) m.closing[m.n_closing++] = i;
    for (uint32_t k = 0; k < m.n_closing; k++)
        if (!event_clock_find(c, s, m.closing[k]))
            event_clock_continue(c, s, m.closing[k], m.closing[k] + 1);
    event_clock_mark(c, s, seq, &m);
}

/* Closes the inputs that close after the last batch. */
static void close_inputs(const struct event_clock *c, struct naive v[SOURCES][INPUTS])
{
    for (uint32_t k = 0; k < c->marks.n_closing; k++)
        v[c->of][c->marks.closing[k]].open = false;
}

START_TEST(it_is_the_slowest_open_input)
{
    struct event_clock c;
    struct naive v[SOURCES][INPUTS] = {{{0}}};
    uint64_t seed = seed_given(), seq[SOURCES] = {0};
    int64_t now = -1;
    ck_assert(event_clock_init(&c, SOURCES));
    for (int s = 0; s < SOURCES; s++)
        for (int i = 0; i < INPUTS; i++)
            v[s][i].open = true;
    for (int s = 0; s < SOURCES; s++) {
        const struct event_marks m = marks(INPUTS);
        event_clock_mark(&c, (uint32_t)s, seq[s]++, &m);
    }
    for (int round = 0; round < 4000; round++) {
        uint32_t s = (uint32_t)below(&seed, SOURCES);
        close_inputs(&c, v);
        send_batch(&c, v[s], s, seq[s]++, &seed);
        now = naive_now((const struct naive(*)[INPUTS])v, now);
        for (int k = 0; k < 20; k++) {
            uint32_t i = (uint32_t)below(&seed, INPUTS);
            if (!v[s][i].open) continue;
            v[s][i].time += (int64_t)below(&seed, AHEAD);
            v[s][i].came = true;
            take(&c, s, i, v[s][i].time); /* the first time counts once it is confirmed */
            struct leat_clock is = take(&c, s, i, v[s][i].time);
            now = naive_now((const struct naive(*)[INPUTS])v, now);
            ck_assert_msg(is.now == now, "round %d: %lld, not %lld", round, (long long)is.now,
                          (long long)now);
        }
        if (round % 500 != 499) continue;
        close_inputs(&c, v);
        restart(&c);
    }
    ck_assert_int_gt(now, 0);
    event_clock_fini(&c);
}
END_TEST

/* A record far ahead moves nothing, first or later, unless others of the input follow. */
START_TEST(one_wrong_clock_moves_nothing)
{
    for (int wrong = 0; wrong < 20; wrong++) {
        struct event_clock c;
        struct leat_clock is = {0};
        const struct event_marks m = marks(1);
        ck_assert(event_clock_init(&c, 1));
        event_clock_mark(&c, 0, 0, &m);
        for (int i = 0; i < 20; i++) {
            is = take(&c, 0, 0, i == wrong ? 1000000 : i);
            ck_assert_int_lt(is.now, 20);
        }
        ck_assert_int_eq(is.now, wrong == 19 ? 18 : 19);
        ck_assert_uint_eq(is.ahead_records, wrong != 19);
        event_clock_fini(&c);
    }
}
END_TEST

START_TEST(ten_in_a_row_are_a_gap)
{
    struct event_clock c;
    struct leat_clock is = {0};
    const struct event_marks m = marks(1);
    ck_assert(event_clock_init(&c, 1));
    event_clock_mark(&c, 0, 0, &m);
    for (int i = 0; i < 5; i++)
        take(&c, 0, 0, i);
    for (int i = 0; i < EVENT_CONFIRMED; i++) {
        ck_assert_int_lt(is.now, 5);
        is = take(&c, 0, 0, 1000000 - i);
    }
    ck_assert_int_eq(is.now, 1000000 - EVENT_CONFIRMED + 1);
    event_clock_fini(&c);
}
END_TEST

/* After a gap the first time of an input stays unconfirmed for some records. */
START_TEST(the_state_of_each_moment_is_read_back)
{
    for (int first = 1; first < 4; first++) {
        struct event_clock c;
        const struct event_marks m = marks(1);
        ck_assert(event_clock_init(&c, SOURCES));
        event_clock_mark(&c, 0, 0, &m);
        for (int i = 0; i < 4 * EVENT_CONFIRMED; i++) {
            take(&c, 0, 0, i < first ? i : 1000000 * (i % 3) + i);
            restart(&c);
        }
        event_clock_fini(&c);
    }
}
END_TEST

/* Many short inputs one after the other take no more memory than a thousand. */
START_TEST(closed_inputs_make_room)
{
    struct event_clock c;
    ck_assert(event_clock_init(&c, 1));
    for (uint32_t i = 0; i < 100000; i++) {
        struct event_marks m = marks(100000 - i);
        m.closing[m.n_closing++] = i;
        event_clock_mark(&c, 0, i, &m);
        take(&c, 0, i, i);
        ck_assert_int_eq(take(&c, 0, i, i).now, i == 99999 ? 99999 : -1);
    }
    ck_assert_uint_le(c.cap, 2048);
    event_clock_fini(&c);
}
END_TEST

LEAT_SUITE("event_clock", it_is_the_slowest_open_input, one_wrong_clock_moves_nothing,
           ten_in_a_row_are_a_gap, the_state_of_each_moment_is_read_back, closed_inputs_make_room)
