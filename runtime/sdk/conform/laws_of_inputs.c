/* laws_of_inputs.c -- laws of sources and sinks. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "laws.h"
#include "trace.h"

/* ---- sources ---- */

enum { CUTS = 4, MANY = 4096, BEGINNING = 256 };

static const char *inputs_is_source(const struct subject *s)
{
    return s->stage->kind == LEAT_SOURCE ? NULL : "it is not a source";
}

static const char *restores_source(const struct subject *s)
{
    if (inputs_is_source(s)) return inputs_is_source(s);
    return subject_has_state(s) ? NULL : "it has no snapshot and restore";
}

static const char *has_progress(const struct subject *s)
{
    if (inputs_is_source(s)) return inputs_is_source(s);
    return s->stage->source->progress ? NULL : "it has no progress";
}

static const char *has_durable(const struct subject *s)
{
    if (inputs_is_source(s)) return inputs_is_source(s);
    return s->stage->source->durable || s->stage->barrier ? NULL
                                                          : "it has neither durable nor barrier";
}

/* ---- batches ---- */

/* Shortens both traces to the lines that both contain, because the source is endless. */
static void same_beginning(struct trace *a, struct trace *b)
{
    size_t n = a->n < b->n ? a->n : b->n;
    while (n && a->text[n - 1] != '\n')
        n--;
    a->n = b->n = n;
    a->text[n] = b->text[n] = 0;
}

static void inputs_sizes(const struct subject *s)
{
    static const uint32_t tried[] = {1, 7, 1024};
    struct subject with = *s;
    struct harness *h = subject_open(s);
    struct trace expected = trace_produced(s, h, BEGINNING);
    bool ends = h->impl->ended;
    if (!ends && !expected.n) trial_skips("its input has no records and does not end");
    subject_close(h);
    for (size_t i = 0; i < sizeof tried / sizeof *tried; i++) {
        char what[80];
        with.batch = tried[i];
        h = subject_open(&with);
        struct trace found =
            trace_produced(&with, h, ends ? UINT32_MAX : BEGINNING * s->batch / tried[i] + 1);
        if (!ends) same_beginning(&expected, &found);
        snprintf(what, sizeof what, "its output in batches of %u records", tried[i]);
        trace_same(&expected, &found, what);
        trace_free(&found);
        subject_close(h);
    }
}

/* Checks that each record lies in the extent of its input. */
static void extents(const struct subject *s)
{
    struct harness *h = subject_open(s);
    int status = LEAT_OK;
    for (uint32_t k = 0; k < 100 && status == LEAT_OK; k++) {
        uint32_t next = 0;
        trial_step("produce, batch %u", k + 1);
        status = harness_produce(h);
        for (uint32_t i = 0; i < h->b.n_extents; i++) {
            const struct leat_extent *e = &h->b.extent[i];
            if (e->first != next)
                trial_fails("extent %u of batch %u begins at record %u\nexpected: %u", i, k + 1,
                            e->first, next);
            next = e->first + e->n;
        }
        if (h->b.n_extents && next != h->b.n)
            trial_fails("the extents of batch %u hold %u records\nexpected: %u", k + 1, next,
                        h->b.n);
    }
    subject_close(h);
}

/* ---- states ---- */

typedef struct trace traces(const struct subject *s, struct harness *h, uint32_t inputs_batches);

/* Compares two ways to read the rest of the input after `cut` batches (0 .. CUTS - 1). Either the
 * first instance continues, or a second instance continues from the state of the first. */
static void continues(const struct subject *s, traces *of, const char *what)
{
    for (uint32_t cut = 0; cut < CUTS; cut++) {
        struct harness *h = subject_open(s), *again = subject_new(s);
        struct trace before = of(s, h, cut);
        subject_barrier(h, 1);
        struct trace state = trace_bytes(h), expected = of(s, h, MANY);
        trial_step("restore after batch %u", cut);
        int status = harness_continue(again, s->batch, state.text, state.n);
        if (status < 0)
            trial_fails("restore refuses the state that the stage saved itself (%d): %s", status,
                        again->said);
        struct trace found = of(s, again, MANY);
        trace_same(&expected, &found, what);
        trace_free(&before), trace_free(&state), trace_free(&expected), trace_free(&found);
        subject_close(h);
        subject_close(again);
    }
}

static void resumes(const struct subject *s)
{
    continues(s, trace_produced, "its output after a restore");
}

static void keeps_places(const struct subject *s)
{
    continues(s, trace_places, "the origin of a record, after a restore,");
}

/* ---- time ---- */

static void progress_stays(const struct subject *s)
{
    struct harness *h = subject_open(s);
    uint64_t done[2] = {0}, total[2] = {0};
    trial_step("produce");
    harness_produce(h);
    for (int k = 0; k < 2; k++) {
        trial_step("progress");
        s->stage->source->progress(h->self, &done[k], &total[k]);
        usleep(30000);
    }
    if (done[0] != done[1])
        trial_fails("progress moves without a produce\nexpected: %llu\nfound:    %llu",
                    (unsigned long long)done[0], (unsigned long long)done[1]);
    subject_close(h);
}

/* ---- checkpoints ---- */

static void inputs_durable(struct harness *h, uint64_t checkpoint)
{
    trial_step("durable %llu", (unsigned long long)checkpoint);
    if (h->stage->source->durable)
        subject_returned(h, "durable", h->stage->source->durable(&h->ctx, h->self, checkpoint));
}

/* Makes checkpoints: some with no batch since the previous checkpoint, one for which durable() is
 * never called, and one for which it is called after stop. */
static void checkpoints(const struct subject *s)
{
    struct harness *h = subject_open(s);
    uint64_t n = 0;
    for (uint32_t k = 0; k < CUTS && !h->impl->ended; k++) {
        struct trace t = trace_produced(s, h, 2);
        trace_free(&t);
        subject_barrier(h, ++n);
        if (k != 1) inputs_durable(h, n);
        subject_barrier(h, ++n);
        inputs_durable(h, n);
    }
    subject_barrier(h, ++n);
    trial_step("stop");
    int status = s->stage->stop ? s->stage->stop(&h->ctx, h->self) : LEAT_OK;
    subject_returned(h, "stop", status);
    h->impl->started = false;
    inputs_durable(h, n);
    subject_close(h);
}

static const struct law laws[] = {
    {LAW("source-sizes", "its output does not depend on the sizes of batches", inputs_is_source,
         inputs_sizes)},
    {LAW("extents", "extents hold the records of a batch", inputs_is_source, extents)},
    {LAW("source-restore", "after a restore, it continues with the same output", restores_source,
         resumes),
     WATCH(BREACH_RETURNED)},
    {LAW("places", "after a restore, it tells the same origins of its records", restores_source,
         keeps_places)},
    {LAW("progress", "progress does not depend on time", has_progress, progress_stays)},
    {LAW("checkpoints", "it takes each checkpoint, the last one after stop", has_durable,
         checkpoints)},
};
const struct law_table laws_of_sources = {laws, sizeof laws / sizeof *laws};

/* ---- sinks ---- */

enum { BATCHES = 6 };

static bool writes_files(const struct subject *s)
{
    for (uint32_t i = 0; i < s->stage->n_params; i++)
        if (harness_param(s->stage, i)->flags & LEAT_WRITES_FILE) return true;
    return false;
}

static const char *writes_records(const struct subject *s)
{
    if (s->stage->kind != LEAT_SINK) return "it is not a sink";
    if (s->stage->asker->ask) return "it writes answers, not records";
    if (!law_commits(s)) return "its output is seen only after a commit";
    return writes_files(s) ? NULL : "it has no parameter that names a file to write";
}

static const char *delivers_files(const struct subject *s)
{
    if (s->stage->caps & LEAT_STATEFUL) return "its output is a report on all records";
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

static struct feeding inputs_batches(const struct subject *s, enum flavour f, uint32_t from,
                                     uint32_t to)
{
    return (struct feeding){.flavour = f, .from = from * s->batch, .to = to * s->batch};
}

static struct trace written(const struct subject *s, int instance)
{
    struct trace t = {0};
    t.text = subject_written(s, instance, &t.n);
    return t;
}

/* ---- the laws of sinks ---- */

static void delivers(const struct subject *s)
{
    struct harness *h = subject_open(s);
    int instance = h->impl->instance;
    trace_feed(s, h, inputs_batches(s, PLAIN, 0, BATCHES), NULL);
    subject_barrier(h, 1);
    struct trace found = written(s, instance);
    subject_close(h);
    struct trace expected = written(s, instance);
    trace_same(&expected, &found, "the content of its files after barrier");
}

/* Fails the law if the files of a sink that has taken records are empty. Only the file of a report
 * (LEAT_STATEFUL) may be empty. */
static void must_have_written(const struct subject *s, int instance, uint32_t taken, size_t bytes)
{
    const bool reports = s->stage->caps & LEAT_STATEFUL;
    if (!taken || bytes || (reports && subject_has_written(s, instance))) return;
    trial_fails("its files are empty after %u records, stop and close", taken);
}

/* Returns the bytes of the files after an instance has taken records and closed. With `barrier`,
 * calls barrier() before stop(), as in a run with checkpoints. Otherwise stop() is the only call at
 * the end. */
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

static void inputs_keeps(const struct subject *s)
{
    struct trace expected = kept(s, true), found = kept(s, false);
    trace_same(&expected, &found,
               "the content of its files after stop and close, without a barrier,");
}

/* Checks a sink that continues after a kill: its files must not contain the records after the
 * snapshot. */
static void sinks_resume(const struct subject *s)
{
    struct feeding all = inputs_batches(s, PLAIN, 0, BATCHES);
    struct trace expected = trace_of(s, all);
    for (uint32_t cut = 1; cut < BATCHES; cut++) {
        struct subject same = *s;
        struct harness *h = subject_open(s);
        size_t n;
        trace_feed(s, h, inputs_batches(s, PLAIN, 0, cut), NULL);
        subject_barrier(h, 1);
        const void *state = harness_snapshot(h, &n);
        if (!state) trial_fails("snapshot failed: %s", h->said);
        trace_feed(s, h, inputs_batches(s, OTHER, 0, 2), NULL);
        subject_barrier(h, 2);             /* barrier of a checkpoint that is never written */
        same.instance = h->impl->instance; /* h never stops or closes, like a killed process */
        struct harness *again = subject_new(&same);
        trial_step("restore after batch %u", cut);
        int status = harness_continue(again, s->batch, state, n);
        if (status < 0)
            trial_fails("restore refuses the state that the stage saved itself (%d): %s", status,
                        again->said);
        trace_feed(s, again, inputs_batches(s, PLAIN, cut, BATCHES), NULL);
        subject_close(again);
        struct trace found = written(s, same.instance);
        trace_same(&expected, &found, "the content of its files after a restore");
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

static void inputs_show(struct harness *h, uint32_t rows, bool last)
{
    subject_returned(h, "show", law_show(h, rows, last));
}

static void takes_answers(const struct subject *s)
{
    struct harness *h = subject_open(s);
    inputs_show(h, 0, false);
    inputs_show(h, 3, false);
    if (s->stage->process)
        trace_feed(s, h, (struct feeding){.flavour = PLAIN, .to = s->batch}, NULL);
    inputs_show(h, 3, true);
    subject_close(h);
}

static const struct law sinks_laws[] = {
    {LAW("writes", "at the end, all its records are in its files, also without a barrier",
         keeps_files, inputs_keeps)},
    {LAW("delivers", "records before a barrier are delivered when the barrier returns",
         delivers_files, delivers)},
    {LAW("resumes", "after a restore, its files have the same content in the end", resumes_files,
         sinks_resume),
     WATCH(BREACH_RETURNED)},
    {LAW("show", "it shows answers, also empty ones", shows, takes_answers)},
};
const struct law_table laws_of_sinks = {sinks_laws, sizeof sinks_laws / sizeof *sinks_laws};
