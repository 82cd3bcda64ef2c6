/* laws_of_sources.c -- where records come from. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "laws.h"
#include "trace.h"

enum { CUTS = 4, MANY = 4096, BEGINNING = 256 };

static const char *is_source(const struct subject *s)
{
    return s->stage->kind == LEAT_SOURCE ? NULL : "it is no source";
}

static const char *restores_source(const struct subject *s)
{
    if (is_source(s)) return is_source(s);
    return subject_has_state(s) ? NULL : "it has no snapshot and restore";
}

static const char *has_progress(const struct subject *s)
{
    if (is_source(s)) return is_source(s);
    return s->stage->source->progress ? NULL : "it has no progress";
}

static const char *has_durable(const struct subject *s)
{
    if (is_source(s)) return is_source(s);
    return s->stage->source->durable || s->stage->barrier ? NULL
                                                          : "it has no durable and no barrier";
}

/* ---- batches ---- */

/* Of a source that goes on, as many whole lines as both traces have. */
static void same_beginning(struct trace *a, struct trace *b)
{
    size_t n = a->n < b->n ? a->n : b->n;
    while (n && a->text[n - 1] != '\n')
        n--;
    a->n = b->n = n;
    a->text[n] = b->text[n] = 0;
}

static void sizes(const struct subject *s)
{
    static const uint32_t tried[] = {1, 7, 1024};
    struct subject with = *s;
    struct harness *h = subject_open(s);
    struct trace expected = trace_produced(s, h, BEGINNING);
    bool ends = h->impl->ended;
    if (!ends && !expected.n) trial_skips("its input gives nothing and does not end");
    subject_close(h);
    for (size_t i = 0; i < sizeof tried / sizeof *tried; i++) {
        char what[80];
        with.batch = tried[i];
        h = subject_open(&with);
        struct trace found =
            trace_produced(&with, h, ends ? UINT32_MAX : BEGINNING * s->batch / tried[i] + 1);
        if (!ends) same_beginning(&expected, &found);
        snprintf(what, sizeof what, "what it gives in batches of %u records", tried[i]);
        trace_same(&expected, &found, what);
        trace_free(&found);
        subject_close(h);
    }
}

/* Each record is in the extent that says where it came from. */
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

typedef struct trace traces(const struct subject *s, struct harness *h, uint32_t batches);

/* A part, then the rest: in one life, and in another one after a restore. */
static void continues(const struct subject *s, traces *of, const char *what)
{
    for (uint32_t cut = 0; cut < CUTS; cut++) {
        struct harness *h = subject_open(s), *again = subject_new(s);
        struct trace before = of(s, h, cut);
        subject_barrier(h, 1);
        struct trace state = trace_bytes(h), expected = of(s, h, MANY);
        trial_step("restore after batch %u", cut);
        int status = harness_continue(again, s->batch, state.text, state.n);
        if (status < 0) trial_fails("its own state is refused (%d): %s", status, again->said);
        struct trace found = of(s, again, MANY);
        trace_same(&expected, &found, what);
        trace_free(&before), trace_free(&state), trace_free(&expected), trace_free(&found);
        subject_close(h);
        subject_close(again);
    }
}

static void resumes(const struct subject *s)
{
    continues(s, trace_produced, "what it gives after a restore");
}

static void keeps_places(const struct subject *s)
{
    continues(s, trace_places, "where a record came from, after a restore,");
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

static void durable(struct harness *h, uint64_t checkpoint)
{
    trial_step("durable %llu", (unsigned long long)checkpoint);
    if (h->stage->source->durable)
        subject_returned(h, "durable", h->stage->source->durable(&h->ctx, h->self, checkpoint));
}

/* Also where nothing came since the last one, where one is skipped, and after stop. */
static void checkpoints(const struct subject *s)
{
    struct harness *h = subject_open(s);
    uint64_t n = 0;
    for (uint32_t k = 0; k < CUTS && !h->impl->ended; k++) {
        struct trace t = trace_produced(s, h, 2);
        trace_free(&t);
        subject_barrier(h, ++n);
        if (k != 1) durable(h, n);
        subject_barrier(h, ++n);
        durable(h, n);
    }
    subject_barrier(h, ++n);
    trial_step("stop");
    int status = s->stage->stop ? s->stage->stop(&h->ctx, h->self) : LEAT_OK;
    subject_returned(h, "stop", status);
    h->impl->started = false;
    durable(h, n);
    subject_close(h);
}

static const struct law laws[] = {
    {LAW("source-sizes", "what it gives does not depend on the sizes of batches", is_source,
         sizes)},
    {LAW("extents", "extents hold the records of a batch", is_source, extents)},
    {LAW("source-restore", "restored, it gives what it would have given", restores_source, resumes),
     WATCH(BREACH_RETURNED)},
    {LAW("places", "restored, it gives the places where its records came from", restores_source,
         keeps_places)},
    {LAW("progress", "progress does not depend on time", has_progress, progress_stays)},
    {LAW("checkpoints", "it takes each checkpoint, the last one after stop", has_durable,
         checkpoints)},
};
const struct law_table laws_of_sources = {laws, sizeof laws / sizeof *laws};
