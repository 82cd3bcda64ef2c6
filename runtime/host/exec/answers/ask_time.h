/* ask_time.h -- the event time by which answers are due: that of the slowest input.
 *
 * A learner whose queries repeat by event time has an event clock (input_clock.h), like a window.
 * An answer is due right after the record with which the clock reaches a multiple of the interval:
 *
 *     every = 1 h     input 0   9:50  10:20  11:40                      all before input 1
 *                     input 1                       9:55  10:10  11:05
 *     answers                                               ^      ^    of 10:00 and 11:00
 *
 * Max_ahead is twice the shortest interval. A stream that has had only one input follows its latest
 * time, so a gap in it delays no answer. So does a stream behind a stage with LEAT_CLOCK, which
 * gives records in the order of time.
 *
 * The clock takes the records of a batch before the learner does, up to the first with which an
 * answer is due. There the batch is cut (pieces.h).
 */
#ifndef LEAT_HOST_EXEC_ANSWERS_ASK_TIME_H
#define LEAT_HOST_EXEC_ANSWERS_ASK_TIME_H

#include <stdbool.h>
#include <stdint.h>

struct hbatch;
struct instance;
struct leat_reader;
struct leat_writer;
struct observer;

/* Event times are in ns since 1970, + 1; 0: none. */
struct ask_time {
    bool counts;     /* a query to the learner repeats by event time                           */
    bool several;    /* the stream has had several inputs, so the clock counts                 */
    uint64_t now;    /* time that all inputs have reached, at the last record of the learner   */
    uint64_t before; /* `now` at the last ask_questions(); while there is none, earliest time  */
    uint32_t taken;  /* number of rows of the batch that the clock has taken                   */
    uint32_t row;    /* row of the batch with which an answer is due; or LEAT_NULL             */
};

/* Returns the row of the first record of the rest of a batch with which an answer may be due;
 * LEAT_NULL if there is none. `first`: the rest is the whole batch. */
uint32_t ask_time_row(struct instance *learner, struct hbatch *h, bool first);
/* True if the time has passed a multiple of the interval since the last ask_questions(). */
bool ask_time_has_passed(const struct ask_time *t, uint64_t every);
/* Notes that the queries were looked at. */
void ask_time_asked(struct ask_time *t);

extern const struct observer ask_time_observer;

/* Write the time with its clock into section `host` of the learner, and read it. A stream of one
 * input continues from `latest`, the latest time that the learner has seen. */
int ask_time_write(const struct instance *learner, struct leat_writer *w);
int ask_time_read(struct instance *learner, struct leat_reader *r, uint32_t version,
                  uint64_t latest);

#endif
