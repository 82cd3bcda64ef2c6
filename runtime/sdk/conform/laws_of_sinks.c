/* laws_of_sinks.c -- where records go. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "laws.h"
#include "trace.h"

enum { BATCHES = 6 };

static bool writes_files(const struct subject *s)
{
    for (uint32_t i = 0; i < s->stage->n_params; i++)
        if (harness_param(s->stage, i)->flags & LEAT_WRITES_FILE) return true;
    return false;
}

static const char *writes_records(const struct subject *s)
{
    if (s->stage->kind != LEAT_SINK) return "it is no sink";
    if (s->stage->asker->ask) return "it writes answers, not records";
    if (!law_commits(s)) return "what it writes is seen when it has committed";
    return writes_files(s) ? NULL : "no parameter of it names a file that it writes";
}

static const char *delivers_files(const struct subject *s)
{
    if (s->stage->caps & LEAT_STATEFUL) return "what it writes is a report of all";
    return writes_records(s);
}

static const char *resumes_files(const struct subject *s)
{
    if (writes_records(s)) return writes_records(s);
    return subject_has_state(s) ? NULL : "it has no snapshot and restore";
}

static const char *keeps_files(const struct subject *s)
{
    if (writes_records(s)) return writes_records(s);
    return s->stage->process ? NULL : "it has no process";
}

static struct feeding batches(const struct subject *s, enum flavour f, uint32_t from, uint32_t to)
{
    return (struct feeding){.flavour = f, .from = from * s->batch, .to = to * s->batch};
}

static struct trace written(const struct subject *s, int instance)
{
    struct trace t = {NULL};
    t.text = subject_written(s, instance, &t.n);
    return t;
}

/* ---- laws ---- */

static void delivers(const struct subject *s)
{
    struct harness *h = subject_open(s);
    int instance = h->impl->instance;
    trace_feed(s, h, batches(s, PLAIN, 0, BATCHES), NULL);
    subject_barrier(h, 1);
    struct trace found = written(s, instance);
    subject_close(h);
    struct trace expected = written(s, instance);
    trace_same(&expected, &found, "what is in its files when barrier has returned");
}

/* A report may have nothing to tell, and then its file is empty. */
static void must_have_written(const struct subject *s, int instance, uint32_t taken, size_t bytes)
{
    const bool reports = s->stage->caps & LEAT_STATEFUL;
    if (!taken || bytes || (reports && subject_has_written(s, instance))) return;
    trial_fails(
        "nothing is in the files that its parameters name, after %u records, stop and close",
        taken);
}

/* What is in its files after a life: with a barrier at its end, or as a run without checkpoints
 * ends, whose last call on its own thread is stop. */
static struct trace kept(const struct subject *s, bool barrier)
{
    uint32_t taken = 0;
    struct harness *h = subject_open(s);
    int instance = h->impl->instance;
    for (uint32_t k = 0; k < BATCHES; k++) {
        trial_step("process, batch %u", k + 1);
        records_add(s, h, PLAIN, k * s->batch, s->batch);
        if (harness_process(h) < 0) trial_fails("process failed: %s", h->said);
        taken += h->b.n - h->n_rejections;
        harness_clear(h);
    }
    if (barrier) subject_barrier(h, 1);
    subject_close(h);
    struct trace t = written(s, instance);
    must_have_written(s, instance, taken, t.n);
    return t;
}

static void keeps(const struct subject *s)
{
    struct trace expected = kept(s, true), found = kept(s, false);
    trace_same(&expected, &found, "what is in its files after stop and close, without a barrier,");
}

/* As after a kill: what came after the snapshot is not to be seen. */
static void resumes(const struct subject *s)
{
    struct feeding all = batches(s, PLAIN, 0, BATCHES);
    struct trace expected = trace_of(s, all);
    for (uint32_t cut = 1; cut < BATCHES; cut++) {
        struct subject same = *s;
        struct harness *h = subject_open(s);
        size_t n;
        trace_feed(s, h, batches(s, PLAIN, 0, cut), NULL);
        subject_barrier(h, 1);
        const void *state = harness_snapshot(h, &n);
        if (!state) trial_fails("snapshot failed: %s", h->said);
        trace_feed(s, h, batches(s, OTHER, 0, 2), NULL);
        subject_barrier(h, 2);             /* of a checkpoint that is never written */
        same.instance = h->impl->instance; /* h ends without stop and close */
        struct harness *again = subject_new(&same);
        trial_step("restore after batch %u", cut);
        int status = harness_continue(again, s->batch, state, n);
        if (status < 0) trial_fails("its own state is refused (%d): %s", status, again->said);
        trace_feed(s, again, batches(s, PLAIN, cut, BATCHES), NULL);
        subject_close(again);
        struct trace found = written(s, same.instance);
        trace_same(&expected, &found, "what is in its files after a restore");
        trace_free(&found);
    }
}

/* ---- answers ---- */

static const char *shows(const struct subject *s)
{
    return s->stage->asker->show ? NULL : "it asks no learner";
}

int law_show(struct harness *h, uint32_t rows, bool last)
{
    enum { MOST = 3 };
    static const char *const names[MOST] = {"red", "", "\xff\"&"};
    static const uint32_t len[MOST] = {3, 0, 3};
    static const double values[2 * MOST] = {1.5, 10, -2.5, (double)NAN, 0, 1e300};
    const struct leat_table t = {.size = sizeof t,
                                 .kind = LEAT_QUERY_TOP,
                                 .learner = "model",
                                 .examples = 100,
                                 .last = last,
                                 .n_columns = 2,
                                 .n_rows = rows,
                                 .columns = harness_answers,
                                 .names = names,
                                 .name_len = len,
                                 .values = values,
                                 .time = -1};
    trial_step("show, %u rows", rows);
    return h->stage->asker->show(&h->ctx, h->self, &t);
}

static void show(struct harness *h, uint32_t rows, bool last)
{
    subject_returned(h, "show", law_show(h, rows, last));
}

static void takes_answers(const struct subject *s)
{
    struct harness *h = subject_open(s);
    show(h, 0, false);
    show(h, 3, false);
    if (s->stage->process)
        trace_feed(s, h, (struct feeding){.flavour = PLAIN, .to = s->batch}, NULL);
    show(h, 3, true);
    subject_close(h);
}

static const struct law laws[] = {
    {LAW("writes", "all that it got is in its files at the end, without a barrier, too",
         keeps_files, keeps)},
    {LAW("delivers", "what it got before a barrier is delivered when that returns", delivers_files,
         delivers)},
    {LAW("resumes", "restored, its files hold what they would have held", resumes_files, resumes),
     WATCH(BREACH_RETURNED)},
    {LAW("show", "it shows answers, empty ones as well", shows, takes_answers)},
};
const struct law_table laws_of_sinks = {laws, sizeof laws / sizeof *laws};
