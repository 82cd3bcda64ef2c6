/* laws_of_waits.c -- a source with nothing to give: at the end of what it reads, with a pipe into
 * which nobody writes, and when the run is being stopped. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/time/clock.h"
#include "laws.h"
#include "host/plugin/params.h"
#include "trace.h"

enum { MANY = 4096, TRIES = 3, PATH = 4200, LIKE_IT = 300 };
enum { WAIT_MS = 250, STOPPED_MS = 50, SOON_MS = 500, STOP_AFTER_MS = 50 };
enum { HELD_MS = 2000, FOLLOWED_MS = 5000, PAUSE_MS = 20 };
static const off_t MAX_COPIED = 1 << 20;
static const uint64_t MS = 1000000;

static const char *is_source(const struct subject *s)
{
    return s->stage->kind == LEAT_SOURCE ? NULL : "it is no source";
}

static const char *reads_file(const struct subject *s)
{
    if (is_source(s)) return is_source(s);
    return subject_input(s) ? NULL : "no parameter of it names a file that it reads";
}

/* ---- time ---- */

/* How long this thread has worked, and has waited for a processor. */
static uint64_t busy_ns(void)
{
    unsigned long long worked = 0, queued = 0;
    FILE *in = fopen("/proc/thread-self/schedstat", "re");
    if (in && fscanf(in, "%llu %llu", &worked, &queued) != 2) worked = queued = 0;
    if (in) fclose(in);
    return worked + queued;
}

/* The shortest wait of some produces, with records or without: each waits, then. */
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

/* One that has no `wake` has host->stop_fd alone. */
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
    if (!h->impl->ended) must_not_wait(h, " with nothing to give");
    if (!h->impl->ended) must_stop(h);
    subject_close(h);
}

static void append(const char *to, const char *from)
{
    char part[4096];
    size_t n;
    FILE *in = fopen(from, "re"), *out = fopen(to, "ae");
    while (in && out && (n = fread(part, 1, sizeof part, in)) > 0)
        fwrite(part, 1, n, out);
    if (in) fclose(in);
    if (out) fclose(out);
}

/* The file of the script, which is left alone, or one that is made. */
static const char *original(const struct subject *s, char *path)
{
    struct stat st;
    const char *named = s->node ? params_text(subject_input(s), s->cfg, 0) : NULL;
    if (named && (stat(named, &st) || !S_ISREG(st.st_mode) || st.st_size > MAX_COPIED))
        trial_skips("its input is no plain file of %lld bytes at most", (long long)MAX_COPIED);
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

/* One that follows its file does not end, and gives what is added. */
static void ends(const struct subject *s)
{
    char own[2 * PATH], made[PATH];
    const char *from = original(s, made), *name = strrchr(from, '/');
    snprintf(own, sizeof own, "%s/own", s->dir);
    mkdir(own, 0700);
    snprintf(own, sizeof own, "%s/own/%s", s->dir, name ? name + 1 : from);
    append(own, from);
    struct subject with = *s;
    with.input = own;
    struct harness *h = subject_open(&with);
    struct trace all = trace_produced(&with, h, MANY);
    trace_free(&all);
    if (!h->impl->ended) {
        append(own, from);
        if (!gives_more(&with, h))
            trial_fails("produce does not return LEAT_EOS where its file has ended, and gives "
                        "nothing of what is added to the file then\nexpected: LEAT_EOS");
    }
    subject_close(h);
}

/* ---- a pipe ---- */

struct pipe_held {
    int fd;
    volatile bool given_up;
};

/* A source may wait in open until something comes: then the pipe ends, so that it returns. */
static void *give_up(void *of)
{
    struct pipe_held *p = of;
    usleep(HELD_MS * 1000);
    p->given_up = true;
    close(p->fd);
    return NULL;
}

/* NULL: it takes no pipe, or waits for it where it may. */
static struct harness *open_at_pipe(const struct subject *s, struct pipe_held *p)
{
    pthread_t other;
    struct harness *h = subject_new(s);
    h->framing.header = 0;
    trial_step("open, with a pipe");
    pthread_create(&other, NULL, give_up, p);
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

typedef int call(struct harness *h, uint32_t records);
static int produce(struct harness *h, uint32_t records) { return harness_produce(h); }

/* A call with a pipe into which nobody writes; meanwhile the run is stopped. */
static int stopped_in(struct harness *h, uint32_t records, call *of, const char *name)
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

/* header waits for as long as there is none, but no longer than the run. */
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
        trial_skips("no pipe can be made: %s", strerror(errno));
    struct subject with = *s;
    with.input = path;
    struct harness *h = open_at_pipe(&with, &p);
    if (!h) return;
    if (stopped_in(h, s->batch, produce, "produce") != LEAT_EOS) must_stop(h);
    subject_close(h);
    if (s->stage->source->header) header_stops(&with);
}

static const struct law laws[] = {
    {LAW("idle", "produce returns soon with nothing to give, and when it is woken", is_source,
         idles)},
    {LAW("ends", "at the end of its file it ends, or follows the file", reads_file, ends)},
    {LAW("stops", "it waits no longer when the run is being stopped", reads_file, stops)},
};
const struct law_table laws_of_waits = {laws, sizeof laws / sizeof *laws};
