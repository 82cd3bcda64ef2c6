/* event_clock.h -- event time of a stream that has several inputs: the slowest input counts.
 *
 * Partitions of a topic, and files, are read at different speeds. An input is open while records of
 * it may come. The clock shows the event time that all open inputs have reached, so records that
 * are in order within their inputs are never late, however their inputs are mixed:
 *
 *     input 0    ---------------> 10:40    open
 *     input 1    ------> 10:15             open       now = 10:15, latest = 10:40
 *     input 2    --> 10:05                 closed: it is at its end, so nobody waits for it
 *     input 3                              open, no record yet: `now` stays where it was
 *
 * A source says how many of its inputs are open, and which ones close after a batch (event_marks).
 * A source that says nothing is one input, EVENT_WHOLE, which closes while nothing comes from it.
 * Marks travel with the batches. An input closes before the first record that follows its end, so
 * the clock depends on the records, and not on how they are cut into batches:
 *
 *     batch      r0 r1 r2 | r3 r4      input 0 closes at row 3: event_clock_reach(3) closes it
 *     of input    0  0  0 |  1  1
 *
 * A merge of branches takes all copies of a batch one after the other. A clock behind it does not
 * call event_clock_reach(): the inputs close when another batch comes.
 *
 * One record with a wrong clock must not move the time of its input. A record that is more than
 * max_ahead later than the input moves it only as one of EVENT_CONFIRMED such records in a row; the
 * input then has the earliest time of these. The first time of an input counts when a second record
 * is within max_ahead of it. A record that is earlier than that replaces the first time.
 *
 *     max_ahead = 10    5  7  [99]  8  9  ...          99 moves nothing
 *                       [99]  5  6  ...                99 was the first, and moves nothing
 *
 * `now` never goes back. Times are ns since 1970. A tree of minima finds the slowest input in
 * O(log inputs); a record of another input than the slowest costs O(1). */
#ifndef LEAT_CORE_TIME_EVENT_CLOCK_H
#define LEAT_CORE_TIME_EVENT_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include <leat/host.h>
#include <leat/state.h>

/* EVENT_INPUTS: most inputs that a clock knows at a time. */
enum { EVENT_CONFIRMED = 10, EVENT_INPUTS = 1 << 16 };
#define EVENT_WHOLE    (UINT32_MAX - 1) /* number of the only input of a source without marks */
#define EVENT_UNBOUND  UINT32_MAX /* number of an input that a snapshot has, before it comes */
#define EVENT_UNMARKED UINT32_MAX /* event_marks.open of a source that marks no inputs */

/* Statement of a batch about the inputs of its source. */
struct event_marks {
    /* Number of open inputs, those of `closing` included; or EVENT_UNMARKED. 0: as before, because
     * all are closed, or the source does not know its inputs yet. */
    uint32_t open;
    uint32_t n_closing; /* inputs that close in the batch, in order */
    uint32_t closing[LEAT_CLOSING];
    uint32_t row[LEAT_CLOSING]; /* row before which each closes */
    bool ended;                 /* the source has ended: all its inputs close after the batch */
};

struct event_input {
    uint64_t key;  /* hash of its name, by which a later run finds it again */
    int64_t time;  /* latest event time that counts; below 0: none */
    int64_t least; /* earliest of the `run` records */
    uint32_t source, number;
    uint32_t run;  /* number of records far ahead in a row */
    uint32_t seen; /* number of records while `time` is not confirmed, at most EVENT_CONFIRMED */
    bool sure;     /* `time` is confirmed */
    bool open;
};

struct event_source {
    uint32_t open;  /* number of open inputs that the source has stated  */
    uint32_t known; /* number of open inputs that are in event_clock.input */
};

struct event_clock {
    struct event_source *source;
    uint32_t n_sources;
    struct event_input *input; /* n of cap; cap is a power of two */
    int64_t *tree;             /* tree[cap + i]: time of input i; others: minimum of two below */
    uint32_t *index;           /* 2 cap slots: number of an input + 1, or 0 */
    uint32_t n, cap, unbound;  /* unbound: number of inputs of a snapshot that have not come yet */
    uint32_t waits;            /* number of open inputs that are not in `input` */
    uint32_t last;             /* the input that was found last */
    uint32_t of;               /* source of the last batch */
    uint64_t seq;              /* number of the last batch + 1; 0: none came */
    struct event_marks marks;  /* of the last batch */
    uint32_t closed;           /* how many of marks.closing are closed */
    int64_t now, latest;
    uint64_t ahead;
    int64_t ahead_sample;
};

/* Initialises the clock of a stream from n sources, 1 or more. Returns false if there is no memory.
 * Always call event_clock_fini(). */
bool event_clock_init(struct event_clock *c, uint32_t n);
void event_clock_fini(struct event_clock *c);
/* Forgets all times, at the end of the stream. */
void event_clock_restart(struct event_clock *c);

/* Takes the marks of batch `seq` of a source. Further calls for the same batch take only its rows,
 * which differ in batches that are made from it. */
void event_clock_mark(struct event_clock *c, uint32_t source, uint64_t seq,
                      const struct event_marks *m);
/* Closes the inputs that close before a row of the last batch. */
void event_clock_reach(struct event_clock *c, uint32_t row);

/* Returns an input of a source; NULL if it is new. */
struct event_input *event_clock_find(struct event_clock *c, uint32_t source, uint32_t number);
/* Continues the input with this key that a snapshot had. Returns NULL if there is none. Inputs that
 * close must be continued first, if `unbound` is not 0. */
struct event_input *event_clock_continue(struct event_clock *c, uint32_t source, uint32_t number,
                                         uint64_t key);
/* Adds the new input. Returns NULL if there is no memory, or if EVENT_INPUTS inputs are open. */
struct event_input *event_clock_add(struct event_clock *c, uint32_t source, uint32_t number,
                                    uint64_t key);
/* Takes a record of the input at time `ns`, 0 or later. */
void event_clock_take(struct event_clock *c, struct event_input *in, int64_t ns, int64_t max_ahead,
                      struct leat_clock *out);
/* Takes the first of n records of the input, whose times are time[row[0]], time[row[1]], …, as
 * event_clock_take() does. Stops before a record without a time, a record that is far ahead or may
 * confirm others that were, a record before which an input closes, and a record that may move
 * `now` to `until` or later. Returns the number of records that it has taken. If it is 0, `out`
 * does not change. */
uint32_t event_clock_take_run(struct event_clock *c, struct event_input *in, const int64_t *time,
                              const uint32_t *row, uint32_t n, int64_t max_ahead, int64_t until,
                              struct leat_clock *out);
/* Fills `out` without a record. */
void event_clock_look(const struct event_clock *c, struct leat_clock *out);

/* Write the clock into a stage's state, and read it. event_clock_read() fills `to`, which is
 * initialised and empty. */
int event_clock_write(const struct event_clock *c, struct leat_writer *w);
int event_clock_read(struct event_clock *to, struct leat_reader *r);

#endif
