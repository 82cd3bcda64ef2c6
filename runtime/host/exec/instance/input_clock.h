/* input_clock.h -- event clocks of instances, and marks of sources (event_clock.h).
 *
 * A stage with LEAT_CLOCK has a clock, and a learner with queries by event time (ask_time.h). The
 * clock belongs to the instance, and only its worker uses it. */
#ifndef LEAT_HOST_EXEC_INSTANCE_INPUT_CLOCK_H
#define LEAT_HOST_EXEC_INSTANCE_INPUT_CLOCK_H

#include "instance.h"

struct instance_clock {
    struct event_clock times;
    struct clock_source {
        const struct node *node;
        bool branches; /* its records come on several paths, which a merge joins */
    } * source;        /* [times.n_sources] */
};

/* Makes the clock of an instance that needs one. Returns LEAT_OK or LEAT_ENOMEM. */
int input_clock_open(struct instance *i);
void input_clock_close(struct instance *i);
/* Takes the marks of the batch. Returns true if the stream has had more than one input. */
bool input_clock_has_several(struct instance *i, const struct hbatch *h);
/* Implements leat_host.event_time. */
int input_clock_take(struct instance *i, struct hbatch *h, uint32_t r, int64_t max_ahead,
                     struct leat_clock *out);
/* Implements leat_host.event_times. */
uint32_t input_clock_take_run(struct instance *i, struct hbatch *h, uint32_t k, uint32_t n,
                              int64_t max_ahead, int64_t until, struct leat_clock *out);

/* Implement leat_host.open_inputs and close_input. `row`: number of records in the batch that is
 * being filled. */
void input_clock_open_inputs(struct instance *source, uint32_t n);
int input_clock_close_input(struct instance *source, uint32_t input, uint32_t row);
/* True if an input closes in the next batch. */
static inline bool input_clock_is_due(const struct instance *source)
{
    return source->reading.marks.open != EVENT_UNMARKED && source->reading.marks.n_closing;
}
/* Puts the source's marks into its next batch. `ended`: the batch is the source's last. */
void input_clock_mark(struct instance *source, struct hbatch *h, bool ended);

#endif
