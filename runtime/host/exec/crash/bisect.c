/* bisect.c -- implementation of bisect.h. */
#include "bisect.h"

#include <stdbool.h>
#include <stdio.h>

#include "crash_notes.h"
#include "host/exec/run.h"
#include "host/exec/worker/worker.h"
#include "host/log/log.h"
#include "host/plugin/crash_probe.h"

/* Limits of a trial in ms. Only if the run hung, a trial that takes longer counts. */
enum { CRASH_MS = 30000, HANG_WORK_MS = 2000, HANG_WAIT_MS = 10000, FATE_BYTES = 160 };

struct bisection {
    struct worker *w;
    struct instance *i;
    struct hbatch *h;
    bisect_call *call;
    const struct crash_note *note;
    uint32_t n;            /* number of selected records to try       */
    bool stopped;          /* the run must end before the search does */
    char fate[FATE_BYTES]; /* end of the last trial that did not pass */
};

/* Runs in the child. */
static void bisect_trial(void *arg)
{
    struct bisection *t = arg;
    struct leat_batch *b = &t->h->b;
    for (uint32_t k = t->n; k < b->n_sel; k++)
        leat_filter(b, b->sel[k]);
    batch_select(t->h, b->n_examples);
    (void)t->call(t->w, t->i, t->h);
}

/* True if the stage ends the process with the first n records, or hangs if the run did. */
static bool bisect_ends(struct bisection *t, uint32_t n)
{
    struct arena a = {0};
    struct probe p = {.work_ms = t->note->hung ? HANG_WORK_MS : CRASH_MS,
                      .wait_ms = t->note->hung ? HANG_WAIT_MS : CRASH_MS,
                      .alone = true,
                      .deadline = &t->w->run->control.deadline,
                      .doing = "at this record"};
    if (t->stopped || !n) return false;
    t->n = n;
    const char *why = probe(&p, bisect_trial, t, &a);
    bool ends = why && !p.stopped && (!p.timed_out || t->note->hung);
    if (ends) snprintf(t->fate, sizeof t->fate, "%s", p.timed_out ? "did not return" : why);
    t->stopped |= p.stopped;
    arena_free(&a);
    return ends;
}

/* An interval of numbers of first records: `passes` do, and `ends` end the process. */
struct interval {
    uint32_t passes, ends;
};

/* Sets *in to where an earlier search has stopped in the batch, if the trials confirm it. Else sets
 * it to the whole batch. Returns false if the whole batch passes. */
static bool bisect_begin(struct bisection *t, struct interval *in)
{
    const struct crash_notes *notes = &t->w->run->crashes;
    const struct leat_batch *b = &t->h->b;
    for (uint32_t i = notes->n, from, to; i-- > 0;) { /* the newest is the narrowest */
        if (!crash_notes_rows(&notes->v[i], t->i, t->h, &from, &to)) continue;
        *in = (struct interval){0, 0};
        while (in->passes < b->n_sel && b->sel[in->passes] < from)
            in->passes++;
        while (in->ends < b->n_sel && b->sel[in->ends] <= to)
            in->ends++;
        if (in->ends > in->passes && bisect_ends(t, in->ends) && !bisect_ends(t, in->passes))
            return true;
    }
    *in = (struct interval){0, b->n_sel};
    return bisect_ends(t, b->n_sel);
}

/* Narrows the interval to one record. A signal may stop it before that. Notes how far it came. */
static void bisect_narrow(struct bisection *t, struct interval *in)
{
    const uint32_t *sel = t->h->b.sel, known = in->ends - in->passes;
    while (in->ends - in->passes > 1 && !t->stopped) {
        uint32_t half = in->passes + (in->ends - in->passes) / 2;
        if (bisect_ends(t, half))
            in->ends = half;
        else if (!t->stopped)
            in->passes = half;
    }
    if (in->ends - in->passes < known)
        crash_notes_found(t->i, t->h, sel[in->passes], sel[in->ends - 1], t->fate);
}

static void bisect_reject(struct bisection *t, uint32_t r, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void bisect_reject(struct bisection *t, uint32_t r, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    dead_letters_note(t->h, t->i, r, LEAT_R_CRASH, format, args);
    va_end(args);
    batch_select(t->h, t->h->b.n_examples);
}

/* Fails the run, because the stage must not get the batch. */
static void bisect_stop(struct bisection *t)
{
    instance_fail(t->i, LEAT_EIO,
                  "a signal came while the records of a batch that ended a run were tried in "
                  "parts (the stage %s). What is found so far is kept, and the next run continues "
                  "from the last snapshot, with the search",
                  t->note->fate);
    control_halt(&t->w->run->control);
}

static void bisect_search(struct bisection *t)
{
    uint32_t found = 0;
    log_message(LEAT_WARN,
                "%s: an earlier run ended at this batch (the stage %s), so its %u records are "
                "tried in parts",
                t->i->node->label, t->note->fate, t->h->b.n_sel);
    for (struct interval in; t->h->b.n_sel && bisect_begin(t, &in); found++) {
        bisect_narrow(t, &in);
        if (t->stopped) break;
        bisect_reject(t, t->h->b.sel[in.passes],
                      "the stage %s, when a batch that ended a run was tried in parts", t->fate);
    }
    if (t->stopped)
        bisect_stop(t);
    else if (!found)
        log_message(LEAT_WARN,
                    "%s: an earlier run ended at a batch (the stage %s) that passes now, so no "
                    "record of it is rejected",
                    t->i->node->label, t->note->fate);
}

void bisect_batch(struct worker *w, struct instance *i, struct hbatch *h, const char *name,
                  bisect_call *call)
{
    const struct crash_note *note = crash_notes_find(&w->run->crashes, i, name, h);
    struct bisection t = {.w = w, .i = i, .h = h, .call = call, .note = note};
    if (!note || !h->b.n_sel) return;
    atomic_store(&i->own->works_on, NULL); /* the search does not hang in the stage */
    bisect_search(&t);
    atomic_store(&i->own->works_on, h);
}
