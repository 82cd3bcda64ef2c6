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
                      .doing = "at this record"};
    t->n = n;
    const char *why = probe(&p, bisect_trial, t, &a);
    bool ends = why && (!p.timed_out || t->note->hung);
    if (ends) snprintf(t->fate, sizeof t->fate, "%s", p.timed_out ? "did not return" : why);
    arena_free(&a);
    return ends;
}

/* Returns the smallest number of first records with which the stage ends the process; `ends` is
 * such a number. */
static uint32_t bisect_shortest(struct bisection *t, uint32_t ends)
{
    uint32_t passes = 0;
    while (ends - passes > 1) {
        uint32_t half = passes + (ends - passes) / 2;
        if (bisect_ends(t, half))
            ends = half;
        else
            passes = half;
    }
    return ends;
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

void bisect_batch(struct worker *w, struct instance *i, struct hbatch *h, bisect_call *call)
{
    const struct crash_note *note = crash_notes_find(&w->run->crashes, i, h);
    struct bisection t = {.w = w, .i = i, .h = h, .call = call, .note = note};
    uint32_t found = 0;
    if (t.note && h->b.n_sel)
        log_message(LEAT_WARN,
                    "%s: an earlier run ended at this batch (the stage %s), so its %u records are "
                    "tried in parts",
                    i->node->label, t.note->fate, h->b.n_sel);
    while (t.note && h->b.n_sel && bisect_ends(&t, h->b.n_sel)) {
        uint32_t r = h->b.sel[bisect_shortest(&t, h->b.n_sel) - 1];
        bisect_reject(&t, r, "the stage %s, when a batch that ended a run was tried in parts",
                      t.fate);
        found++;
    }
    if (t.note && !found)
        log_message(LEAT_WARN,
                    "%s: an earlier run ended at a batch (the stage %s) that passes now, so no "
                    "record of it is rejected",
                    i->node->label, t.note->fate);
}
