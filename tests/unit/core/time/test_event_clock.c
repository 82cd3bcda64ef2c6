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

static int64_t take_twice(struct event_clock *c, uint32_t source, uint32_t number, int64_t ns)
{
    take(c, source, number, ns);
    return take(c, source, number, ns).now;
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
    ck_assert(event_clock_init(&read, c->n_sources));
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
        if (v[i].open && below(seed, 16) == 0) {
            m.row[m.n_closing] = (m.n_closing ? m.row[m.n_closing - 1] : 0) + below(seed, 9);
            m.closing[m.n_closing++] = i;
        }
    m.ended = below(seed, 50) == 0;
    for (uint32_t k = 0; k < m.n_closing; k++)
        if (!event_clock_find(c, s, m.closing[k]))
            event_clock_continue(c, s, m.closing[k], m.closing[k] + 1);
    event_clock_mark(c, s, seq, &m);
    event_clock_mark(c, s, seq, &m);
}

/* Closes the inputs that close in the last batch, before a row. */
static void close_inputs(const struct event_clock *c, struct naive v[SOURCES][INPUTS], uint32_t row)
{
    for (uint32_t k = 0; k < c->marks.n_closing; k++)
        if (c->marks.row[k] <= row) v[c->of][c->marks.closing[k]].open = false;
    for (uint32_t i = 0; row == UINT32_MAX && c->marks.ended && i < INPUTS; i++)
        v[c->of][i].open = false;
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
    for (int round = 0; round < 4000; round++) {
        uint32_t s = (uint32_t)below(&seed, SOURCES);
        close_inputs(&c, v, UINT32_MAX);
        send_batch(&c, v[s], s, seq[s]++, &seed);
        now = naive_now((const struct naive(*)[INPUTS])v, now);
        for (uint32_t k = 0; k < 20; k++) {
            event_clock_reach(&c, k);
            close_inputs(&c, v, k);
            now = naive_now((const struct naive(*)[INPUTS])v, now);
            ck_assert_int_eq(c.now, now);
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
        if (round % 10 != 9) continue;
        close_inputs(&c, v, UINT32_MAX);
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

/* An input by the words of event_clock.h, with the times of all records far ahead in a row. */
struct naive_input {
    int64_t time, far[64], sample;
    int n_far, records;
    bool sure;
    uint64_t ahead;
};

static int64_t least_far(const struct naive_input *n)
{
    int64_t least = n->far[0];
    for (int i = 1; i < n->n_far; i++)
        if (n->far[i] < least) least = n->far[i];
    return least;
}

/* Takes the records far ahead as wrong, because another record follows. */
static void naive_forget_far(struct naive_input *n)
{
    if (n->n_far) n->sample = least_far(n);
    n->ahead += (uint64_t)n->n_far;
    n->n_far = 0;
}

/* Returns true if the record is far ahead and moves nothing. */
static bool naive_take(struct naive_input *n, int64_t ns)
{
    bool first = n->time < 0, before = !n->sure && !first && n->time - ns > AHEAD;
    n->records++;
    if (!first && !before && ns - n->time > AHEAD) {
        n->far[n->n_far++] = ns;
        if (n->n_far < EVENT_CONFIRMED) return true;
        n->time = least_far(n);
        n->n_far = 0;
        n->sure = true;
        return false;
    }
    if (before) n->far[n->n_far++] = n->time;
    n->sure |= (!first && !before) || n->records >= EVENT_CONFIRMED;
    if (n->sure) naive_forget_far(n);
    if (first || before || ns > n->time) n->time = ns;
    return false;
}

START_TEST(an_input_moves_by_the_rule_and_its_state_is_that_of_each_moment)
{
    static const int64_t steps[] = {0, 1, -1, AHEAD, AHEAD + 1, -AHEAD, -AHEAD - 1, 3 * AHEAD};
    uint64_t seed = seed_given(), seq = 0;
    for (int round = 0; round < 2000; round++) {
        struct event_clock c;
        struct naive_input n = {.time = -1};
        const struct event_marks m = marks(1);
        const bool mixed = below(&seed, 2), jumps = below(&seed, 2);
        int64_t ns = below(&seed, 2) ? 0 : 20 * AHEAD, now = -1;
        ck_assert(event_clock_init(&c, 1));
        event_clock_mark(&c, 0, seq++, &m);
        for (int i = 0; i < 40; i++) {
            int64_t step = steps[below(&seed, sizeof steps / sizeof *steps)];
            ns = ns + step < 0 ? 0 : ns + step;
            if (jumps && below(&seed, 6) == 0) ns += 10 * AHEAD;
            bool ahead = naive_take(&n, ns);
            struct leat_clock is = take(&c, 0, 0, ns);
            if (n.sure && n.time > now) now = n.time;
            ck_assert_int_eq(is.ahead, ahead);
            ck_assert_int_eq(is.input, n.sure ? n.time : -1);
            ck_assert_int_eq(is.now, now);
            ck_assert_int_eq(is.latest, now);
            ck_assert_uint_eq(is.ahead_records, n.ahead);
            ck_assert_int_eq(is.ahead_sample, n.sample);
            if (mixed && below(&seed, 4)) continue;
            restart(&c);
            event_clock_mark(&c, 0, seq++, &m);
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
        m.row[0] = 1;
        event_clock_mark(&c, 0, i, &m);
        take(&c, 0, i, i);
        ck_assert_int_eq(take(&c, 0, i, i).now, i == 99999 ? 99999 : -1);
    }
    ck_assert_uint_le(c.cap, 2048);
    event_clock_fini(&c);
}
END_TEST

START_TEST(inputs_that_stay_open_hold_the_clock_while_others_come_and_go)
{
    enum { SLOW = 3, SHORT = 3000 };
    const int after[SLOW] = {60, 50, 49};
    struct event_clock c;
    ck_assert(event_clock_init(&c, 1));
    for (uint32_t i = 0; i < SLOW + SHORT; i++) {
        struct event_marks m = marks(SLOW + 1);
        if (i >= SLOW) m.closing[m.n_closing++] = i;
        if (i == 2 * SHORT / 3) restart(&c); /* inputs of the snapshot outlive the others, too */
        event_clock_mark(&c, 0, i, &m);
        ck_assert_int_eq(take_twice(&c, 0, i, i < SLOW ? 50 - i : 100 + i), i < SLOW ? -1 : 48);
    }
    for (uint32_t i = SLOW; i-- > 0;) {
        struct event_marks m = marks(i + 1);
        m.closing[m.n_closing++] = i;
        event_clock_mark(&c, 0, SLOW + SHORT + i, &m);
        ck_assert_int_eq(take_twice(&c, 0, i, 60), after[i]);
    }
    event_clock_fini(&c);
}
END_TEST

START_TEST(an_input_that_does_not_come_back_holds_nothing_back)
{
    struct event_clock c;
    const struct event_marks all = marks(3), fewer = marks(2);
    ck_assert(event_clock_init(&c, 1));
    event_clock_mark(&c, 0, 0, &all);
    for (uint32_t i = 0; i < 3; i++)
        ck_assert_int_eq(take_twice(&c, 0, i, 10 * i + 10), i < 2 ? -1 : 10);
    restart(&c);
    event_clock_mark(&c, 0, 1, &fewer);
    ck_assert_int_eq(take_twice(&c, 0, 0, 40), 20);
    ck_assert_int_eq(take_twice(&c, 0, 2, 50), 40);
    event_clock_fini(&c);
}
END_TEST

START_TEST(a_source_without_marks_is_one_input_that_closes_while_nothing_comes)
{
    struct event_clock c;
    struct event_marks m = marks(EVENT_UNMARKED);
    ck_assert(event_clock_init(&c, 2));
    event_clock_mark(&c, 0, 0, &m);
    ck_assert_int_eq(take_twice(&c, 0, EVENT_WHOLE, 100), -1);
    event_clock_mark(&c, 1, 0, &m);
    ck_assert_int_eq(take_twice(&c, 1, EVENT_WHOLE, 50), 50);
    m.closing[m.n_closing++] = EVENT_WHOLE;
    event_clock_mark(&c, 1, 1, &m);
    m.n_closing = 0;
    event_clock_mark(&c, 0, 1, &m);
    ck_assert_int_eq(take_twice(&c, 0, EVENT_WHOLE, 110), 110);
    event_clock_mark(&c, 1, 2, &m);
    ck_assert_int_eq(take_twice(&c, 1, EVENT_WHOLE, 120), 110);
    ck_assert_int_eq(take_twice(&c, 1, EVENT_WHOLE, 130), 110);
    event_clock_fini(&c);
}
END_TEST

START_TEST(a_clock_that_is_restarted_is_a_new_one)
{
    struct event_clock c;
    const struct event_marks m = marks(2);
    ck_assert(event_clock_init(&c, 1));
    for (int round = 0; round < 2; round++) {
        event_clock_mark(&c, 0, (uint64_t)round, &m);
        ck_assert_int_eq(take_twice(&c, 0, 0, 5 - round), -1);
        ck_assert_int_eq(take_twice(&c, 0, 1, 9 - round), 5 - round);
        event_clock_restart(&c);
    }
    event_clock_fini(&c);
}
END_TEST

/* Takes n records, in runs where that is possible. Without a run, a record is taken by itself. No
 * run may move `now` to `until`. Returns the clock after the last record. */
static struct leat_clock take_in_runs(struct event_clock *c, uint32_t number, const int64_t *time,
                                      uint32_t n, uint64_t *seed, uint32_t *in_runs)
{
    struct leat_clock now = {0};
    uint32_t row[64];
    for (uint32_t i = 0; i < n; i++)
        row[i] = i;
    for (uint32_t k = 0, took; k < n; k += took) {
        struct event_input *in = event_clock_find(c, 0, number);
        const int64_t until = c->now + (int64_t)below(seed, 3 * AHEAD);
        took = !in ? 0
                   : event_clock_take_run(c, in, time, row + k, (uint32_t)below(seed, n - k + 1),
                                          AHEAD, until, &now);
        if (took) ck_assert_int_lt(c->now, until);
        *in_runs += took;
        if (took) continue;
        now = take(c, 0, number, time[k]);
        took = 1;
    }
    return now;
}

START_TEST(records_taken_in_runs_move_it_as_single_ones)
{
    struct event_clock one, runs;
    uint64_t seed = seed_given();
    uint32_t in_runs = 0;
    int64_t time = 1;
    ck_assert(event_clock_init(&one, SOURCES) && event_clock_init(&runs, SOURCES));
    for (uint64_t seq = 0; seq < 3000; seq++) {
        struct event_marks m = marks(3);
        if (seq == 2000) m = (struct event_marks){.open = 3, .n_closing = 1, .closing = {1}};
        event_clock_mark(&one, 0, seq, &m);
        event_clock_mark(&runs, 0, seq, &m);
        int64_t of[64];
        const uint32_t n = 1 + (uint32_t)below(&seed, 63), input = (uint32_t)below(&seed, 3);
        for (uint32_t i = 0; i < n; i++) {
            time += (int64_t)below(&seed, 4) * (int64_t)below(&seed, 100);
            of[i] = time - (int64_t)below(&seed, 200);
            if (below(&seed, 50) == 0) of[i] += AHEAD + (int64_t)below(&seed, 3 * AHEAD);
            if (of[i] < 0) of[i] = 0;
        }
        struct leat_clock is = {0};
        for (uint32_t i = 0; i < n; i++)
            is = take(&one, 0, input, of[i]);
        const struct leat_clock was = take_in_runs(&runs, input, of, n, &seed, &in_runs);
        ck_assert(!memcmp(&is, &was, sizeof is));
    }
    ck_assert_uint_gt(in_runs, 10000);
    event_clock_fini(&one);
    event_clock_fini(&runs);
}
END_TEST

LEAT_SUITE("event_clock", records_taken_in_runs_move_it_as_single_ones,
           it_is_the_slowest_open_input, one_wrong_clock_moves_nothing, ten_in_a_row_are_a_gap,
           an_input_moves_by_the_rule_and_its_state_is_that_of_each_moment, closed_inputs_make_room,
           inputs_that_stay_open_hold_the_clock_while_others_come_and_go,
           an_input_that_does_not_come_back_holds_nothing_back,
           a_source_without_marks_is_one_input_that_closes_while_nothing_comes,
           a_clock_that_is_restarted_is_a_new_one)
