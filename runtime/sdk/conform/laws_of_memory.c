/* laws_of_memory.c -- memory: what is planned, what is written, what runs out. */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "laws.h"
#include "trace.h"

enum { RECORDS = 96, MAX_ALLOCS = 400, PASSES = 8, MOST_PASSES = 1024, GROWS_EACH = 8 };
/* A leak takes at least this much with each batch, in each of so many spans of batches: it is the
 * least that malloc gives. */
enum { LEAK_BYTES = 16, SPANS = 4 };

static void give(const struct subject *s, struct harness *h)
{
    trace_feed(s, h, (struct feeding){.flavour = PLAIN, .to = RECORDS}, NULL);
    trace_feed(s, h, (struct feeding){.flavour = HOSTILE, .to = RECORDS}, NULL);
}

static void work(const struct subject *s, struct harness *h)
{
    if (s->stage->kind != LEAT_SOURCE) {
        give(s, h);
        return;
    }
    struct trace t = trace_produced(s, h, 100);
    trace_free(&t);
}

/* Of sources: batches before it is looked at, and then. */
enum { FIRST_BATCHES = 16, MIN_BATCHES = 32, MANY_BATCHES = 1024, IDLE = 3 };

/* ---- what is planned ---- */

static void planned(const struct subject *s)
{
    struct harness *h = subject_open(s);
    work(s, h);
    subject_close(h);
}

static void inside(const struct subject *s)
{
    struct harness *h = subject_open(s);
    work(s, h);
    if (s->stage->learner->query) harness_query(h, LEAT_QUERY_TOP, 10, 0);
    trial_step("close");
    harness_free(h); /* which looks at what lies behind its memory */
}

/* As a run does: what a sink that commits keeps until then ends there. */
static void commit(const struct subject *s, struct harness *h)
{
    const struct leat_position at = {
        .source = "", .format = "leat.run/1", .bytes = "position", .n = 8};
    if (law_commits(s)) return;
    h->committed++;
    trial_step("barrier and commit %llu", (unsigned long long)h->committed);
    int status = s->stage->barrier ? s->stage->barrier(&h->ctx, h->self, h->committed) : LEAT_OK;
    if (status == LEAT_OK)
        status = s->stage->transaction->commit(&h->ctx, h->self, h->committed, &at, 1);
    if (status != LEAT_OK) trial_fails("barrier or commit returned %d: %s", status, h->said);
}

/* Bytes of this process, large blocks included. */
static size_t bytes_in_use(void)
{
    const struct mallinfo2 m = mallinfo2();
    return m.uordblks + m.hblkhd;
}

/* Bytes that a stage and its libraries have beside what the host gave them, which is planned. */
static int64_t bytes_beside(const struct harness *h)
{
    return (int64_t)bytes_in_use() - (int64_t)h->allocated;
}

/* How much it has more after so many passes. */
static int64_t growth(const struct subject *s, struct harness *h, uint32_t passes)
{
    const int64_t bytes = bytes_beside(h);
    for (uint32_t k = 1; k <= passes; k++) {
        give(s, h);
        if (k % PASSES == 0) commit(s, h);
    }
    return bytes_beside(h) - bytes;
}

static uint32_t batches_of(const struct subject *s, uint32_t passes)
{
    return passes * 2 * RECORDS / s->batch;
}

/* In all spans, or in one it has not. *more: in the last one. */
static bool has_grown(const struct subject *s, struct harness *h, uint32_t passes, int64_t *more)
{
    for (int k = 0; k < SPANS; k++) {
        *more = growth(s, h, passes);
        if (*more < (int64_t)batches_of(s, passes) * LEAK_BYTES) return false;
    }
    return true;
}

/* A cache of some library grows until it is full: a leak grows as long as records come. */
static void must_end_growing(const struct subject *s, struct harness *h)
{
    uint32_t passes = PASSES;
    int64_t more;
    while (has_grown(s, h, passes, &more)) {
        if (passes >= MOST_PASSES)
            trial_fails("%lld bytes more are in use after %u batches like those before\n"
                        "expected: no more",
                        (long long)more, batches_of(s, passes));
        passes *= 2;
    }
}

static void must_not_allocate(const struct harness *h, uint64_t before, uint32_t batches,
                              const char *calls)
{
    const uint64_t blocks = h->impl->calls_allocated - before;
    if (blocks > batches / GROWS_EACH)
        trial_fails("%llu blocks are allocated in %s for %u batches like those before\n"
                    "expected: none",
                    (unsigned long long)blocks, calls, batches);
}

/* What has come once makes no model grow; what keeps all that has come grows by doubling. */
static void takes_steadily(const struct subject *s)
{
    struct harness *h = subject_open(s);
    h->may_grow = 1;
    for (int k = 0; k < 3; k++)
        give(s, h);
    uint64_t blocks = h->impl->calls_allocated;
    for (int k = 0; k < PASSES; k++)
        give(s, h);
    must_not_allocate(h, blocks, batches_of(s, PASSES), "process or expand");
    must_end_growing(s, h);
    subject_close(h);
}

/* How many batches came: `most`, or fewer. bytes[i]: what it had after i of them. */
static uint32_t take(struct harness *h, uint32_t most, int64_t *bytes)
{
    uint32_t n = 0;
    bytes[0] = bytes_beside(h);
    for (uint32_t idle = 0; n < most && idle < IDLE && !h->impl->ended;) {
        trial_step("produce, batch %u", n + 1);
        int status = harness_produce(h);
        if (status < 0) subject_fails(h, "produce", status);
        h->impl->ended = status == LEAT_EOS;
        idle = h->b.n ? 0 : idle + 1;
        n += h->b.n > 0;
        bytes[n] = bytes_beside(h);
    }
    return n;
}

/* In all spans, as a buffer does not. */
static void must_not_leak(const int64_t *bytes, uint32_t n)
{
    for (uint32_t k = 0; k < SPANS; k++) {
        const uint32_t from = k * n / SPANS, to = (k + 1) * n / SPANS;
        if (bytes[to] - bytes[from] < (int64_t)(to - from) * LEAK_BYTES) return;
    }
    trial_fails("%lld bytes more are in use after %u batches\nexpected: no more",
                (long long)(bytes[n] - bytes[0]), n);
}

/* A record each, so that there are many. What asks a server may have threads that read ahead. */
static void gives_steadily(const struct subject *s)
{
    static int64_t bytes[MANY_BATCHES + 1];
    struct subject few = *s;
    few.batch = 1;
    struct harness *h = subject_open(&few);
    h->may_grow = 1;
    take(h, FIRST_BATCHES, bytes);
    const uint64_t blocks = h->impl->calls_allocated;
    const uint32_t n = take(h, MANY_BATCHES, bytes);
    if (n >= MIN_BATCHES) { /* of fewer nobody knows whether it would end */
        must_not_allocate(h, blocks, n, "produce");
        /* what it gives back at its end is not to hide what it has taken */
        if (!s->stage->online) must_not_leak(bytes, h->impl->ended ? n - 1 : n);
    }
    subject_close(h);
}

static void steady(const struct subject *s)
{
    if (s->stage->kind == LEAT_SOURCE)
        gives_steadily(s);
    else
        takes_steadily(s);
}

/* ---- what runs out ---- */

static void told(const struct harness *h, const char *call, int n, int status)
{
    if (status != LEAT_ENOMEM)
        trial_fails("%s returned %d when allocation %d failed: %s\nexpected: LEAT_ENOMEM (-2)",
                    call, status, n + 1, h->said);
}

/* It may do without what it did not get: then it works. */
static void works_without(const struct subject *s, struct harness *h, int n)
{
    trial_step("a batch, after an open without allocation %d,", n + 1);
    if (s->stage->kind != LEAT_SOURCE) {
        trace_feed(s, h, (struct feeding){.flavour = PLAIN, .to = s->batch}, NULL);
        return;
    }
    int status = harness_produce(h);
    if (status < 0)
        trial_fails("open succeeded although allocation %d failed, and produce returned %d: %s",
                    n + 1, status, h->said);
}

static void open_runs_out(const struct subject *s)
{
    bool refused = true;
    for (int n = 0; refused && n < MAX_ALLOCS; n++) {
        struct harness *h = subject_new(s);
        trial_step("open, when allocation %d fails", n + 1);
        h->allocs_left = n;
        int status = harness_open(h, s->batch);
        h->allocs_left = -1;
        refused = h->impl->refused;
        if (status < 0 && !refused) subject_fails(h, "open", status);
        if (status < 0) told(h, "open", n, status);
        if (status >= 0 && refused) works_without(s, h, n);
        trial_forgets(h);
        harness_free(h);
    }
}

enum call { RESTORE, MERGE, QUERY };
static const char *const calls[] = {"restore", "merge", "query"};

static int call(struct harness *h, enum call which, const struct trace *state)
{
    if (which == RESTORE) return harness_restore(h, state->text, state->n);
    if (which == MERGE) return harness_merge(h, state->text, state->n, 1);
    return harness_ask(h, LEAT_QUERY_TOP, 10, 0);
}

static void call_runs_out(const struct subject *s, struct harness *h, enum call which,
                          const struct trace *bytes)
{
    struct trace before = trace_state(s, h);
    int status = LEAT_ENOMEM;
    for (int n = 0; status != LEAT_OK && n < MAX_ALLOCS; n++) {
        size_t blocks = h->allocations;
        trial_step("%s, when allocation %d fails", calls[which], n + 1);
        h->allocs_left = n;
        status = call(h, which, bytes);
        h->allocs_left = -1;
        if (status == LEAT_OK) break;
        told(h, calls[which], n, status);
        if (h->allocations != blocks)
            trial_fails("%s, when allocation %d fails, leaves %zd blocks more\nexpected: none",
                        calls[which], n + 1, (ssize_t)(h->allocations - blocks));
        struct trace after = trace_state(s, h);
        trace_same(&before, &after, "its state, after a call for which memory was missing,");
        trace_free(&after);
    }
    trace_free(&before);
}

static struct trace state_of(const struct subject *s, enum flavour f)
{
    struct harness *h = subject_open(s);
    trace_feed(s, h, (struct feeding){.flavour = f, .to = RECORDS}, NULL);
    struct trace t = {NULL};
    const void *bytes = harness_snapshot(h, &t.n);
    if (!bytes) trial_fails("snapshot failed: %s", h->said);
    t.text = memcpy(malloc(t.n), bytes, t.n);
    subject_close(h);
    return t;
}

static void runs_out(const struct subject *s)
{
    open_runs_out(s);
    if (s->stage->kind == LEAT_SOURCE || s->stage->kind == LEAT_SINK) return;
    struct harness *h = subject_open(s);
    trace_feed(s, h, (struct feeding){.flavour = PLAIN, .to = RECORDS}, NULL);
    if (s->stage->learner->query) call_runs_out(s, h, QUERY, NULL);
    if (subject_has_state(s)) {
        struct trace other = state_of(s, OTHER);
        if (subject_merges(s) && harness_merge(h, other.text, other.n, 1) == LEAT_OK)
            call_runs_out(s, h, MERGE, &other);
        call_runs_out(s, h, RESTORE, &other);
    }
    subject_close(h);
}

static const struct law laws[] = {
    {LAW("planned", "it takes no more memory than it has planned", NULL, planned),
     WATCH(BREACH_PLAN)},
    {LAW("inside", "it writes nothing outside its memory", NULL, inside), WATCH(BREACH_BEYOND)},
    {LAW("steady", "it allocates nothing for batches like those before", NULL, steady)},
    {LAW("runs-out", "each allocation may fail: it is told, and nothing is changed or lost", NULL,
         runs_out),
     WATCH(BREACH_RETURNED)},
};
const struct law_table laws_of_memory = {laws, sizeof laws / sizeof *laws};
