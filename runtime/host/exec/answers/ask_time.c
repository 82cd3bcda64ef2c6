/* ask_time.c -- implementation of ask_time.h. */
#include "ask_time.h"

#include "ask.h"
#include "host/exec/instance/input_clock.h"
#include "host/exec/instance/observe.h"
#include "host/log/log.h"

static uint64_t ask_time_interval(const struct ask *a)
{
    return a->want.event_time && a->want.every.ns > 0 ? (uint64_t)a->want.every.ns : 0;
}

/* Returns the shortest interval of the queries by event time. */
static uint64_t ask_time_shortest(const struct instance *learner)
{
    uint64_t shortest = UINT64_MAX;
    for (uint32_t k = 0; k < learner->learning.n_asks; k++) {
        uint64_t every = ask_time_interval(learner->learning.asks[k]);
        if (every && every < shortest) shortest = every;
    }
    return shortest;
}

bool ask_time_has_passed(const struct ask_time *t, uint64_t every)
{
    return t->now && t->before && (t->now - 1) / every > (t->before - 1) / every;
}

void ask_time_asked(struct ask_time *t)
{
    if (t->now) t->before = t->now;
}

/* Returns the event time at which the next answer is due; 0 if any time may be. */
static int64_t ask_time_due(const struct instance *learner)
{
    uint64_t from = learner->learning.asked.before, due = INT64_MAX;
    for (uint32_t k = 0; from && k < learner->learning.n_asks; k++) {
        uint64_t every = ask_time_interval(learner->learning.asks[k]);
        uint64_t next = every ? ((from - 1) / every + 1) * every : due;
        if (next < due) due = next;
    }
    return from ? (int64_t)due : 0;
}

/* Returns the bound beyond which a record is far ahead of its input. */
static int64_t ask_time_max_ahead(const struct instance *learner)
{
    uint64_t every = ask_time_shortest(learner);
    return every < INT64_MAX / 2 ? (int64_t)(2 * every) : INT64_MAX;
}

/* ---- several inputs ---- */

/* Moves t->before to the earliest of n records. */
static void ask_time_begin(struct ask_time *t, const struct leat_batch *b, const uint32_t *row,
                           uint32_t n)
{
    for (uint32_t k = 0; k < n; k++) {
        int64_t ns = b->timestamp[row[k]];
        if (ns >= 0 && (!t->before || (uint64_t)ns + 1 < t->before)) t->before = (uint64_t)ns + 1;
    }
}

/* Passes the selected records that the clock has not taken to the clock, up to the one with which
 * an answer is due. */
static void ask_time_take(struct instance *learner, struct hbatch *h)
{
    struct ask_time *t = &learner->learning.asked;
    const struct leat_batch *b = &h->b;
    const int64_t max_ahead = ask_time_max_ahead(learner);
    struct leat_clock clock;
    uint32_t k = 0, n;
    while (k < b->n_sel && b->sel[k] < t->taken)
        k++;
    for (; k < b->n_sel && t->row == LEAT_NULL; k += n) {
        n = input_clock_take_run(learner, h, k, b->n_sel - k, max_ahead, ask_time_due(learner),
                                 &clock);
        if (!n && input_clock_take(learner, h, b->sel[k], max_ahead, &clock) != LEAT_OK) return;
        if (!n) n = 1;
        if (!t->now) ask_time_begin(t, b, b->sel + k, n);
        t->taken = b->sel[k + n - 1] + 1;
        if (clock.now >= ask_time_due(learner)) t->row = t->taken - 1;
    }
}

/* Warns if the first time that all inputs have reached is beyond several multiples of `every`, so
 * some answers are missing. */
static void ask_time_warn(const struct instance *learner, uint64_t now)
{
    const uint64_t every = ask_time_shortest(learner), from = learner->learning.asked.before;
    const uint64_t passed = (now - 1) / every - (from - 1) / every;
    if (passed > 1)
        log_message(LEAT_WARN,
                    "%s: no answer was given at the first %llu multiples of `every`, because event "
                    "time waits for files and partitions that are read later: put shape.sort "
                    "before the learner",
                    learner->node->label, (unsigned long long)passed - 1);
}

static bool ask_time_attends(struct instance *i) { return i->learning.asked.counts; }

/* Sets the time to that of the clock at the last record, unless the clock has gone further. */
static void ask_time_before(struct instance *i, struct hbatch *in, struct hbatch *out)
{
    struct instance *learner = i->own;
    struct ask_time *t = &learner->learning.asked;
    (void)out;
    if (!t->several || !in->b.n_sel || !in->b.timestamp) return;
    const uint32_t last = in->b.sel[in->b.n_sel - 1];
    for (ask_time_take(learner, in); t->row != LEAT_NULL && t->row <= last;
         ask_time_take(learner, in))
        t->row = LEAT_NULL;
    const uint64_t now = (uint64_t)(learner->clock->times.now + 1);
    if (t->row != LEAT_NULL || now <= t->now) return;
    if (!t->now) ask_time_warn(learner, now);
    t->now = now;
}

/* ---- one input ---- */

/* Sets the time to the latest that the learner has seen. */
static void ask_time_passed(struct instance *i, struct hbatch *h)
{
    struct ask_time *t = &i->own->learning.asked;
    const struct leat_batch *b = &h->b;
    if (t->several || !b->timestamp) return;
    for (uint32_t k = 0; !t->before && k < b->n_sel; k++)
        ask_time_begin(t, b, b->sel + k, 1);
    t->now = i->own->learning.time_end;
}

const struct observer ask_time_observer = {
    .attends = ask_time_attends, .before = ask_time_before, .passed = ask_time_passed};

uint32_t ask_time_row(struct instance *learner, struct hbatch *h, bool first)
{
    struct ask_time *t = &learner->learning.asked;
    const struct leat_batch *b = &h->b;
    if (first) {
        t->taken = 0;
        t->row = LEAT_NULL;
        t->several |= input_clock_has_several(learner, h);
    }
    if (!b->timestamp) return LEAT_NULL;
    if (t->several) {
        ask_time_take(learner, h);
        return t->row;
    }
    const int64_t due = ask_time_due(learner);
    for (LEAT_EACH_RECORD(b, r))
        if (b->timestamp[r] >= 0 && b->timestamp[r] >= due) return r;
    return LEAT_NULL;
}

/* ---- state ---- */

int ask_time_write(const struct instance *learner, struct leat_writer *w)
{
    const struct ask_time *t = &learner->learning.asked;
    int status = w->u64(w, "several", t->several);
    if (!t->several) return status;
    if (status == LEAT_OK) status = w->u64(w, "asked_now", t->now);
    if (status == LEAT_OK) status = w->u64(w, "asked_before", t->before);
    return status == LEAT_OK ? event_clock_write(&learner->clock->times, w) : status;
}

/* Reads the times of several inputs. */
static int ask_time_read_several(struct instance *learner, struct leat_reader *r,
                                 struct ask_time *to)
{
    struct event_clock read = {0};
    int status = r->u64(r, "asked_now", &to->now);
    if (status == LEAT_OK) status = r->u64(r, "asked_before", &to->before);
    if (status == LEAT_OK && (to->now > INT64_MAX || to->before > INT64_MAX))
        return r->refuse(r, "asked_now or asked_before is not a time");
    if (status == LEAT_OK && !event_clock_init(&read, learner->clock->times.n_sources))
        status = LEAT_ENOMEM;
    if (status == LEAT_OK) status = event_clock_read(&read, r);
    if (status != LEAT_OK) {
        event_clock_fini(&read);
        return status;
    }
    event_clock_fini(&learner->clock->times);
    learner->clock->times = read;
    return LEAT_OK;
}

int ask_time_read(struct instance *learner, struct leat_reader *r, uint32_t version,
                  uint64_t latest)
{
    uint64_t several = 0;
    struct ask_time read = {.counts = learner->learning.asked.counts,
                            .now = latest,
                            .before = latest,
                            .row = LEAT_NULL};
    int status = version < 3 ? LEAT_OK : r->u64(r, "several", &several);
    if (status == LEAT_OK && several > 1) return r->refuse(r, "several is not 0 or 1");
    read.several = several && learner->clock;
    if (status == LEAT_OK && read.several) status = ask_time_read_several(learner, r, &read);
    if (status == LEAT_OK) learner->learning.asked = read;
    return status;
}
