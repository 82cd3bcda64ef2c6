/* laws_of_memory.c -- laws of memory and of time: limits of a stage, and sources that wait. */
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/time/clock.h"
#include "host/params/params.h"
#include "laws.h"
#include "trace.h"

/* ---- memory ---- */

enum { RECORDS = 96, MAX_ALLOCS = 400, PASSES = 8, MOST_PASSES = 1024, GROWS_EACH = 8 };
/* A stage leaks if its memory grows in each of SPANS equal spans of batches, by at least LEAK_BYTES
 * per batch. That is the smallest block of malloc. */
enum { LEAK_BYTES = 16, SPANS = 4 };

static void memory_law_give(const struct subject *s, struct harness *h)
{
    trace_feed(s, h, (struct feeding){.flavour = PLAIN, .to = RECORDS}, NULL);
    trace_feed(s, h, (struct feeding){.flavour = HOSTILE, .to = RECORDS}, NULL);
}

static void memory_law_work(const struct subject *s, struct harness *h)
{
    if (s->stage->kind != LEAT_SOURCE) {
        memory_law_give(s, h);
        return;
    }
    struct trace t = trace_produced(s, h, 100);
    trace_free(&t);
}

/* FIRST_BATCHES: batches of a source before the measurement. MIN_BATCHES, MANY_BATCHES: fewest and
 * most batches to measure. IDLE: consecutive calls without a record after which a source counts as
 * empty. */
enum { FIRST_BATCHES = 16, MIN_BATCHES = 32, MANY_BATCHES = 1024, IDLE = 3 };

/* ---- plans ---- */

static void laws_of_memory_planned(const struct subject *s)
{
    struct harness *h = subject_open(s);
    memory_law_work(s, h);
    subject_close(h);
}

static void inside(const struct subject *s)
{
    struct harness *h = subject_open(s);
    memory_law_work(s, h);
    if (s->stage->learner->query) harness_query(h, LEAT_QUERY_TOP, 10, 0);
    trial_step("close");
    harness_free(h); /* checks the guard bytes around the stage's memory, too */
}

/* Makes a checkpoint as a run does. A sink that commits may keep memory until its checkpoint. */
static void memory_law_commit(const struct subject *s, struct harness *h)
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

/* Returns the bytes that this process uses, including large blocks. */
static size_t bytes_in_use(void)
{
    const struct mallinfo2 m = mallinfo2();
    return m.uordblks + m.hblkhd;
}

/* Returns the bytes that the stage and its libraries have allocated by other means than the
 * host. */
static int64_t bytes_beside(const struct harness *h)
{
    return (int64_t)bytes_in_use() - (int64_t)h->allocated;
}

/* Returns the growth of bytes_beside() during `passes` passes over the records. */
static int64_t growth(const struct subject *s, struct harness *h, uint32_t passes)
{
    const int64_t bytes = bytes_beside(h);
    for (uint32_t k = 1; k <= passes; k++) {
        memory_law_give(s, h);
        if (k % PASSES == 0) memory_law_commit(s, h);
    }
    return bytes_beside(h) - bytes;
}

static uint32_t batches_of(const struct subject *s, uint32_t passes)
{
    return passes * 2 * RECORDS / s->batch;
}

/* True if bytes_beside() has grown in each of SPANS spans of `passes` passes. Sets *more to the
 * growth in the last span that was measured. */
static bool has_grown(const struct subject *s, struct harness *h, uint32_t passes, int64_t *more)
{
    for (int k = 0; k < SPANS; k++) {
        *more = growth(s, h, passes);
        if (*more < (int64_t)batches_of(s, passes) * LEAK_BYTES) return false;
    }
    return true;
}

/* Fails the law if memory grows without end. As long as memory grows, doubles the number of passes.
 * The cache of a library, for example, may need many batches until it is full. */
static void must_end_growing(const struct subject *s, struct harness *h)
{
    uint32_t passes = PASSES;
    int64_t more;
    while (has_grown(s, h, passes, &more)) {
        if (passes >= MOST_PASSES)
            trial_fails("%lld bytes more are in use after %u more batches of the same "
                        "kind\nexpected: no more",
                        (long long)more, batches_of(s, passes));
        passes *= 2;
    }
}

static void must_not_allocate(const struct harness *h, uint64_t before, uint32_t batches,
                              const char *calls)
{
    const uint64_t blocks = h->impl->calls_allocated - before;
    if (blocks > batches / GROWS_EACH)
        trial_fails("%llu blocks are allocated in %s for %u more batches of the same "
                    "kind\nexpected: none",
                    (unsigned long long)blocks, calls, batches);
}

/* Checks that a stage stops allocating memory. The records repeat, so that no model needs to grow.
 * A few blocks are allowed: a stage that stores all records doubles its memory now and then. */
static void takes_steadily(const struct subject *s)
{
    struct harness *h = subject_open(s);
    h->may_grow = 1;
    for (int k = 0; k < 3; k++)
        memory_law_give(s, h);
    uint64_t blocks = h->impl->calls_allocated;
    for (int k = 0; k < PASSES; k++)
        memory_law_give(s, h);
    must_not_allocate(h, blocks, batches_of(s, PASSES), "process or expand");
    must_end_growing(s, h);
    subject_close(h);
}

/* Takes at most `most` batches from a source and returns their number. Sets bytes[i] to the bytes
 * in use after i batches. */
static uint32_t memory_law_take(struct harness *h, uint32_t most, int64_t *bytes)
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

/* Fails the law if memory grows in all spans. A buffer that fills up grows only in some. */
static void must_not_leak(const int64_t *bytes, uint32_t n)
{
    for (uint32_t k = 0; k < SPANS; k++) {
        const uint32_t from = k * n / SPANS, to = (k + 1) * n / SPANS;
        if (bytes[to] - bytes[from] < (int64_t)(to - from) * LEAK_BYTES) return;
    }
    trial_fails("%lld bytes more are in use after %u batches\nexpected: no more",
                (long long)(bytes[n] - bytes[0]), n);
}

/* Checks that a source stops allocating memory. Batches have one record each, so that there are
 * many batches. Does not check for leaks if the source asks a server, because it may have threads
 * that read ahead. */
static void gives_steadily(const struct subject *s)
{
    static int64_t bytes[MANY_BATCHES + 1];
    struct subject few = *s;
    few.batch = 1;
    struct harness *h = subject_open(&few);
    h->may_grow = 1;
    memory_law_take(h, FIRST_BATCHES, bytes);
    const uint64_t blocks = h->impl->calls_allocated;
    const uint32_t n = memory_law_take(h, MANY_BATCHES, bytes);
    if (n >= MIN_BATCHES) { /* with fewer batches, growth may not have ended yet */
        must_not_allocate(h, blocks, n, "produce");
        /* memory that the source frees at the end must not hide a leak */
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

/* ---- lack of memory ---- */

static void told(const struct harness *h, const char *call, int n, int status)
{
    if (status != LEAT_ENOMEM)
        trial_fails("%s returned %d when allocation %d failed: %s\nexpected: LEAT_ENOMEM (-2)",
                    call, status, n + 1, h->said);
}

/* Checks that a stage works if its open() has succeeded although allocation n failed. */
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

static int memory_law_call(struct harness *h, enum call which, const struct trace *state)
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
        status = memory_law_call(h, which, bytes);
        h->allocs_left = -1;
        if (status == LEAT_OK) break;
        told(h, calls[which], n, status);
        if (h->allocations != blocks)
            trial_fails("%s, when allocation %d fails, leaves %zd blocks more\nexpected: none",
                        calls[which], n + 1, (ssize_t)(h->allocations - blocks));
        struct trace after = trace_state(s, h);
        trace_same(&before, &after, "its state, after a call that lacked memory,");
        trace_free(&after);
    }
    trace_free(&before);
}

static struct trace memory_law_state_of(const struct subject *s, enum flavour f)
{
    struct harness *h = subject_open(s);
    trace_feed(s, h, (struct feeding){.flavour = f, .to = RECORDS}, NULL);
    struct trace t = {0};
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
        struct trace other = memory_law_state_of(s, OTHER);
        if (subject_merges(s) && harness_merge(h, other.text, other.n, 1) == LEAT_OK)
            call_runs_out(s, h, MERGE, &other);
        call_runs_out(s, h, RESTORE, &other);
    }
    subject_close(h);
}

static const struct law laws[] = {
    {LAW("planned", "it takes no more memory than planned", NULL, laws_of_memory_planned),
     WATCH(BREACH_PLAN)},
    {LAW("inside", "it writes nothing outside its memory", NULL, inside), WATCH(BREACH_BEYOND)},
    {LAW("steady", "it allocates nothing for more batches of the same kind", NULL, steady)},
    {LAW("runs-out",
         "each allocation may fail: the stage reports it, and nothing is changed or lost", NULL,
         runs_out),
     WATCH(BREACH_RETURNED)},
};
const struct law_table laws_of_memory = {laws, sizeof laws / sizeof *laws};

/* ---- a source without records ---- */

enum { MANY = 4096, TRIES = 3, PATH = 4200, LIKE_IT = 300 };
enum { WAIT_MS = 250, STOPPED_MS = 50, SOON_MS = 500, STOP_AFTER_MS = 50 };
enum { HELD_MS = 2000, FOLLOWED_MS = 5000, PAUSE_MS = 20 };
static const off_t MAX_COPIED = 1 << 20;
static const uint64_t MS = 1000000;

static const char *memory_law_is_source(const struct subject *s)
{
    return s->stage->kind == LEAT_SOURCE ? NULL : "it is not a source";
}

static const char *reads_file(const struct subject *s)
{
    if (memory_law_is_source(s)) return memory_law_is_source(s);
    return subject_input(s) ? NULL : "it has no parameter that names a file to read";
}

/* ---- time ---- */

/* Returns the time for which this thread has run or waited for a processor. */
static uint64_t busy_ns(void)
{
    unsigned long long worked = 0, queued = 0;
    FILE *in = fopen("/proc/thread-self/schedstat", "re");
    if (in && fscanf(in, "%llu %llu", &worked, &queued) != 2) worked = queued = 0;
    if (in) fclose(in);
    return worked + queued;
}

/* Returns the shortest duration of several calls of produce, in ms. */
static uint64_t wait_of_produce(struct harness *h, const char *when)
{
    uint64_t least = UINT64_MAX;
    int status = LEAT_OK;
    for (int k = 0; k < TRIES && status != LEAT_EOS; k++) {
        trial_step("produce%s, batch %d", when, k + 1);
        uint64_t begin = clock_ns(), busy = busy_ns();
        status = harness_produce(h);
        uint64_t took = clock_ns() - begin, worked = busy_ns() - busy;
        if (status < 0) subject_fails(h, "produce", status);
        uint64_t waited = took > worked ? took - worked : 0;
        if (waited < least) least = waited;
    }
    h->impl->ended = status == LEAT_EOS;
    return least / MS;
}

static void must_not_wait(struct harness *h, const char *when)
{
    const uint64_t ms = wait_of_produce(h, when);
    if (ms > WAIT_MS)
        trial_fails("produce%s waits for %llu ms in each call\n"
                    "expected: 100 ms at most, then LEAT_AGAIN",
                    when, (unsigned long long)ms);
}

static void *wake_soon(void *of)
{
    struct harness *h = of;
    usleep(STOP_AFTER_MS * 1000);
    if (h->stage->source->wake) h->stage->source->wake(h->self);
    return NULL;
}

/* Checks that produce returns soon when the run stops. A source that has no wake() notices the stop
 * only by host->stop_fd. */
static void must_stop(struct harness *h)
{
    const bool woken = h->stage->source->wake != NULL;
    pthread_t other;
    harness_stop(h);
    pthread_create(&other, NULL, wake_soon, h);
    const uint64_t ms = wait_of_produce(h, ", when the run is being stopped");
    pthread_join(other, NULL);
    if (ms > (woken ? SOON_MS : STOPPED_MS))
        trial_fails("produce waits for %llu ms in each call when the run is being stopped\n"
                    "expected: it returns soon: poll host->stop_fd as well%s",
                    (unsigned long long)ms, woken ? ", or return when `wake` is called" : "");
}

/* ---- at the end of its input ---- */

static void idles(const struct subject *s)
{
    struct harness *h = subject_open(s);
    must_not_wait(h, "");
    if (!h->impl->ended) {
        struct trace t = trace_produced(s, h, MANY);
        trace_free(&t);
    }
    if (!h->impl->ended) must_not_wait(h, " without records");
    if (!h->impl->ended) must_stop(h);
    subject_close(h);
}

static void memory_law_append(const char *to, const char *from)
{
    char part[4096];
    size_t n;
    FILE *in = fopen(from, "re"), *out = fopen(to, "ae");
    while (in && out && (n = fread(part, 1, sizeof part, in)) > 0)
        fwrite(part, 1, n, out);
    if (in) fclose(in);
    if (out) fclose(out);
}

/* Returns the path of the source's input file, which must not be changed: the file that the script
 * names, or a generated file. */
static const char *memory_law_original(const struct subject *s, char *path)
{
    struct stat st;
    const char *named = s->node ? params_text(subject_input(s), s->cfg, 0) : NULL;
    if (named && (stat(named, &st) || !S_ISREG(st.st_mode) || st.st_size > MAX_COPIED))
        trial_skips("its input is not a regular file of at most %lld bytes", (long long)MAX_COPIED);
    if (named) return named;
    snprintf(path, PATH, "%s/records.csv", s->dir);
    records_file(path, PLAIN, LIKE_IT);
    return path;
}

static bool gives_more(const struct subject *s, struct harness *h)
{
    for (int ms = 0; ms < FOLLOWED_MS; ms += PAUSE_MS) {
        struct trace t = trace_produced(s, h, 1);
        if (t.n || h->impl->ended) return true;
        trace_free(&t);
        usleep(PAUSE_MS * 1000);
    }
    return false;
}

/* Checks a source at the end of its file: it must end, or else follow the file and emit records
 * that are added. */
static void ends(const struct subject *s)
{
    char own[2 * PATH], made[PATH];
    const char *from = memory_law_original(s, made), *name = strrchr(from, '/');
    snprintf(own, sizeof own, "%s/own", s->dir);
    mkdir(own, 0700);
    snprintf(own, sizeof own, "%s/own/%s", s->dir, name ? name + 1 : from);
    memory_law_append(own, from);
    struct subject with = *s;
    with.input = own;
    struct harness *h = subject_open(&with);
    struct trace all = trace_produced(&with, h, MANY);
    trace_free(&all);
    if (!h->impl->ended) {
        memory_law_append(own, from);
        if (!gives_more(&with, h))
            trial_fails("produce does not return LEAT_EOS at the end of its file, and does not "
                        "give records that are added to the file later\nexpected: LEAT_EOS");
    }
    subject_close(h);
}

/* ---- a pipe ---- */

struct pipe_held {
    int fd;
    volatile bool given_up;
};

/* Closes the pipe after a while, so that a source that waits in open() returns. */
static void *memory_law_give_up(void *of)
{
    struct pipe_held *p = of;
    usleep(HELD_MS * 1000);
    p->given_up = true;
    close(p->fd);
    return NULL;
}

/* Opens a source whose input is a pipe without data. Returns NULL if the source accepts no pipe, or
 * if it waits in open(), which is allowed. */
static struct harness *open_at_pipe(const struct subject *s, struct pipe_held *p)
{
    pthread_t other;
    struct harness *h = subject_new(s);
    h->framing.header = 0;
    trial_step("open, with a pipe");
    pthread_create(&other, NULL, memory_law_give_up, p);
    int status = harness_open(h, s->batch);
    pthread_cancel(other);
    pthread_join(other, NULL);
    if (status >= 0 && !p->given_up) return h;
    trial_forgets(h);
    harness_free(h);
    return NULL;
}

static void *stop_soon(void *of)
{
    usleep(STOP_AFTER_MS * 1000);
    harness_stop(of);
    return wake_soon(of);
}

typedef int waiting_call(struct harness *h, uint32_t records);
static int memory_law_produce(struct harness *h, uint32_t records) { return harness_produce(h); }

/* Makes the call `of`, which reads from a pipe without a writer, and stops the run meanwhile. Fails
 * the law if the call does not return soon. Returns the call's status. */
static int stopped_in(struct harness *h, uint32_t records, waiting_call *of, const char *name)
{
    pthread_t other;
    trial_step("%s, when the run is being stopped", name);
    uint64_t begin = clock_ns(), busy = busy_ns();
    pthread_create(&other, NULL, stop_soon, h);
    int status = of(h, records);
    uint64_t took = clock_ns() - begin, worked = busy_ns() - busy;
    pthread_join(other, NULL);
    if (status < 0) subject_fails(h, name, status);
    if (took > worked + SOON_MS * MS)
        trial_fails("%s waits for %llu ms when the run is being stopped\n"
                    "expected: it returns soon: poll host->stop_fd as well",
                    name, (unsigned long long)((took - worked) / MS));
    return status;
}

/* Checks that header() returns soon when the run stops while header() waits for input. */
static void header_stops(const struct subject *s)
{
    struct harness *h = subject_new(s);
    h->framing.header = 1;
    stopped_in(h, s->batch, harness_open, "header");
    subject_close(h);
}

static void stops(const struct subject *s)
{
    char path[PATH];
    snprintf(path, sizeof path, "%s/pipe", s->dir);
    struct pipe_held p = {.fd = -1};
    if (mkfifo(path, 0600) || (p.fd = open(path, O_RDWR | O_CLOEXEC)) < 0)
        trial_skips("a pipe cannot be made: %s", strerror(errno));
    struct subject with = *s;
    with.input = path;
    struct harness *h = open_at_pipe(&with, &p);
    if (!h) return;
    if (stopped_in(h, s->batch, memory_law_produce, "produce") != LEAT_EOS) must_stop(h);
    subject_close(h);
    if (s->stage->source->header) header_stops(&with);
}

static const struct law waits_laws[] = {
    {LAW("idle", "produce returns soon if it has no records, and if it is woken",
         memory_law_is_source, idles)},
    {LAW("ends", "at the end of its file it ends, or follows the file", reads_file, ends)},
    {LAW("stops", "it stops waiting when the run is being stopped", reads_file, stops)},
};
const struct law_table laws_of_waits = {waits_laws, sizeof waits_laws / sizeof *waits_laws};
