/* rejects.c -- implementation of rejects.h: file and sinks of dead letters, messages, snapshots. */
#include "rejects.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/time/clock.h"
#include "host/log/log.h"
#include "host/flow/name_id.h"
#include "core/report/text_out.h"
#include "host/plugin/status_text.h"
#include "dead_letter_json.h"
#include "host/exec/instance/instance.h"
#include "host/metrics/read_checked.h"
#include "host/exec/run.h"

#define AS_ABOVE ": as above"

enum {
    LOG_FIRST = 10,
    ADVICE = 80,   /* least bytes of a common end that later messages leave out */
    READER_MS = 20 /* ms between two attempts to open a pipe that has no reader */
};

void rejects_init(struct rejects *r, const struct options *o, struct run *run)
{
    *r = (struct rejects){.options = o, .run = run, .places = dead_letters_places(run->graph)};
    reject_counts_init(&r->counts, run->graph);
    pthread_mutex_init(&r->mu, NULL);
}

/* True if dead letters go to standard output: the path is "-". */
static bool rejects_is_standard(const struct rejects *r)
{
    return !strcmp(r->options->dead_letters, "-");
}

/* Sets r->waits_since, which other threads read. */
static void rejects_set_waiting(struct rejects *r, uint64_t since)
{
    atomic_store_explicit(&r->waits_since, since, memory_order_relaxed);
}

/* Opens the file of dead letters. If it is a pipe, waits for a reader until the run is stopped. */
static int rejects_open_file(struct rejects *r, const char *path)
{
    const struct timespec moment = {0, READER_MS * 1000000};
    const int flags = O_WRONLY | O_CREAT | O_CLOEXEC | O_APPEND;
    int fd = open(path, flags | O_NONBLOCK, REJECTS_MODE);
    if (fd < 0 && errno == ENXIO) {
        log_message(LEAT_WARN,
                    "dead_letters = \"%s\" is a pipe without a reader: the run waits for one",
                    path);
        rejects_set_waiting(r, clock_ns());
    }
    while (fd < 0 && errno == ENXIO && !atomic_load(&r->run->control.stopping)) {
        nanosleep(&moment, NULL);
        fd = open(path, flags | O_NONBLOCK, REJECTS_MODE);
    }
    rejects_set_waiting(r, 0);
    if (fd >= 0) (void)fcntl(fd, F_SETFL, flags & ~(O_CREAT | O_CLOEXEC));
    return fd;
}

int rejects_open(struct rejects *r)
{
    const char *path = r->options->dead_letters;
    if (!path || !*path) return LEAT_OK;
    int fd = rejects_is_standard(r) ? fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
                                    : rejects_open_file(r, path);
    r->out = fd < 0 ? NULL : fdopen(fd, "a");
    return r->out ? LEAT_OK
                  : control_fail(&r->run->control, LEAT_EIO,
                                 "dead_letters = \"%s\" cannot be opened: %s", path,
                                 errno == ENXIO ? "this pipe has no reader" : strerror(errno));
}

/* True if dead letters go to a regular file of their own, which may be truncated. Standard output
 * must not be truncated. */
static bool rejects_is_file(const struct rejects *r)
{
    struct stat st;
    return r->out && !rejects_is_standard(r) && fstat(fileno(r->out), &st) == 0 &&
           S_ISREG(st.st_mode);
}

static uint64_t rejects_path_id(const struct rejects *r)
{
    const char *path = r->options->dead_letters;
    return name_id("", 0, path, strlen(path));
}

int rejects_begin(struct rejects *r)
{
    if (!rejects_is_file(r)) return LEAT_OK;
    struct stat st;
    if (r->resume_of != rejects_path_id(r)) r->resume_at = 0;
    int bad = fstat(fileno(r->out), &st);
    if (!bad && (uint64_t)st.st_size < r->resume_at)
        return control_fail(
            &r->run->control, LEAT_EDATA,
            "dead_letters = \"%s\" has %llu bytes, but had %llu at the snapshot: bring the file "
            "back, or name another one",
            r->options->dead_letters, (unsigned long long)st.st_size,
            (unsigned long long)r->resume_at);
    bad = bad || ftruncate(fileno(r->out), (off_t)r->resume_at);
    return bad ? control_fail(&r->run->control, LEAT_EIO, "dead_letters = \"%s\": %s",
                              r->options->dead_letters, strerror(errno))
               : LEAT_OK;
}

void rejects_close(struct rejects *r)
{
    free(r->held.text);
    r->held.text = NULL;
    for (struct dead_letters *s; (s = r->free_letters);) {
        r->free_letters = s->next_free;
        dead_letters_free(s);
    }
    if (r->out && fclose(r->out)) {
        r->out = NULL;
        control_fail(&r->run->control, LEAT_EIO, "dead_letters = \"%s\": %s",
                     r->options->dead_letters, strerror(errno));
    }
    pthread_mutex_destroy(&r->mu);
}

/* Describes a rejection: "a.csv:17 (byte 1234): parse (parse.csv): 11 columns expected, 9
 * found". */
static void rejects_describe(const struct dead_letter *x, char *text, size_t cap)
{
    const struct leat_dead_letter *l = &x->l;
    char line[32] = "";
    if (l->line) snprintf(line, sizeof line, ":%llu", (unsigned long long)l->line);
    snprintf(text, cap, "%s%s (%s %llu): %s: %.*s", l->input, line, l->line ? "byte" : "record",
             (unsigned long long)l->offset, x->by->node->label, (int)l->n_message, l->message);
}

static void rejects_fail_write(struct rejects *r)
{
    control_fail(&r->run->control, LEAT_EIO, "dead_letters = \"%s\": %s", r->options->dead_letters,
                 strerror(errno));
    control_halt(&r->run->control);
}

/* text_out.drain for dead letters that are held back. */
static int rejects_append(void *to, const char *text, size_t n)
{
    struct rejects_held *held = to;
    if (n > held->cap - held->n) {
        size_t cap = 2 * (held->n + n);
        char *larger = realloc(held->text, cap);
        if (!larger) return -1;
        held->text = larger;
        held->cap = cap;
    }
    memcpy(held->text + held->n, text, n);
    held->n += n;
    return 0;
}

static int rejects_write_out(void *to, const char *text, size_t n)
{
    struct rejects *r = to;
    rejects_set_waiting(r, clock_ns());
    bool good = fwrite(text, 1, n, r->out) == n;
    rejects_set_waiting(r, 0);
    return good ? 0 : -1;
}

/* Flushes the file, so that a reader finds the dead letters of all batches so far. */
static void rejects_flush_letters(struct rejects *r)
{
    if (!r->out) return;
    rejects_set_waiting(r, clock_ns());
    if (fflush(r->out)) rejects_fail_write(r);
    rejects_set_waiting(r, 0);
}

static void rejects_write_letter(struct rejects *r, const struct leat_dead_letter *l, bool hold)
{
    char buffer[4096];
    struct text_out o = {.buf = buffer,
                         .cap = sizeof buffer,
                         .drain = hold ? rejects_append : rejects_write_out,
                         .to = hold ? (void *)&r->held : (void *)r};
    dead_letter_json(&o, l);
    if (text_flush(&o)) rejects_fail_write(r);
}

/* Returns the next sink that takes dead letters, from node *i on; NULL after the last one. Sets *i
 * to the node after it. */
static struct instance *rejects_next_taker(const struct rejects *r, uint32_t *i)
{
    const struct graph *g = r->run->graph;
    while (*i < g->n_nodes) {
        const struct node *n = &g->node[(*i)++];
        if (n->stage && n->stage->letters->take) return run_instance(r->run, n, 0);
    }
    return NULL;
}

static void rejects_taker_failed(const struct rejects *r, const struct instance *taker, int status)
{
    instance_fail(taker, status, "dead letters cannot be delivered: %s", status_text(status));
    control_halt(&r->run->control);
}

/* Writes a dead letter to the file, and passes it to the sinks that take dead letters. `hold` holds
 * it back only from the file: a sink cannot be cut to the barrier, so it gets the letter at
 * once. */
static void rejects_send_letter(struct rejects *r, struct leat_dead_letter *l, bool hold)
{
    uint32_t i = 0;
    bool sent = r->out != NULL;
    l->pipeline = r->run->graph->name;
    if (r->out) rejects_write_letter(r, l, hold);
    for (struct instance *to; (to = rejects_next_taker(r, &i)); sent = true) {
        instance_enter(to, "take", clock_ns());
        int status = to->node->stage->letters->take(&to->ctx, to->self, l);
        status = instance_return(to, "take", status);
        if (status < 0) rejects_taker_failed(r, to, status);
    }
    r->sent += sent;
}

uint64_t rejects_each(struct rejects *r, void (*see)(void *to, const char *word, uint64_t n),
                      void *to)
{
    pthread_mutex_lock(&r->mu);
    for (uint32_t k = LEAT_R_NONE + 1; k < r->counts.n; k++)
        see(to, r->counts.reason[k].word, r->counts.reason[k].n);
    uint64_t sent = r->sent;
    pthread_mutex_unlock(&r->mu);
    return sent;
}

static int rejects_call_flush(struct instance *taker)
{
    const struct leat_letters *role = taker->node->stage->letters;
    if (!role->flush) return LEAT_OK;
    instance_enter(taker, "flush", clock_ns());
    int status = role->flush(&taker->ctx, taker->self);
    return instance_return(taker, "flush", status);
}

int rejects_deliver(struct rejects *r)
{
    uint32_t i = 0;
    int status = LEAT_OK;
    pthread_mutex_lock(&r->mu);
    for (struct instance *to; status >= 0 && (to = rejects_next_taker(r, &i));) {
        status = rejects_call_flush(to);
        if (status < 0) rejects_taker_failed(r, to, status);
    }
    pthread_mutex_unlock(&r->mu);
    return status < 0 ? status : LEAT_OK;
}

static bool rejects_is_held_back(const struct rejects *r, uint64_t checkpoint)
{
    return r->holding && checkpoint >= r->holding;
}

static struct reject_count *rejects_count_of(const struct rejects *r, const struct dead_letter *x)
{
    return reject_counts_of(&r->counts, x->by->node->stage, x->reason);
}

static void rejects_count_one(struct rejects *r, const struct dead_letter *x, bool hold)
{
    struct reject_count *k = rejects_count_of(r, x);
    int of = x->made ? REJECTS_OF_STAGES : REJECTS_OF_INPUTS;
    r->count++;
    k->n++;
    r->of[of].rejected++;
    if (!hold) return;
    r->held.count++;
    k->held++;
    r->held.rejected[of]++;
}

static void rejects_count_passed(struct rejects *r, enum rejects_of k, uint64_t records, bool hold)
{
    r->of[k].passed += records;
    if (hold) r->held.passed[k] += records;
}

/* Replaces the end that `text` has in common with `first`, the first message of the same reason, so
 * that long advice is shown once. The common end begins at the last ": " with at least ADVICE bytes
 * after it. If there is no such place, `text` stays as it is. */
static void rejects_cut_common_end(char *text, const char *first)
{
    size_t n = strlen(text), k = strlen(first), same = 0;
    while (same < n && same < k && text[n - same - 1] == first[k - same - 1])
        same++;
    char *colon = NULL, *next = text + n - same;
    while ((next = strstr(next, ": ")) && strlen(next) >= ADVICE)
        colon = next++;
    if (colon) strcpy(colon, AS_ABOVE);
}

static void rejects_tell_more(struct rejects *r)
{
    r->told_more = true;
    if (r->places)
        log_passing("further rejected records are counted, and shown only for a new reason; all "
                    "are in %s",
                    r->places);
    else
        log_passing("further rejected records are counted, and shown only for a new reason "
                    "(dead_letters = \"FILE\" keeps them)");
}

/* Logs the first LOG_FIRST rejections of the run and the first of each reason. With on_error =
 * "fail", fails the run instead. If no dead letters are written, stages need not make messages for
 * further rejections (wordless). */
static void rejects_show(struct rejects *r, const struct dead_letter *x)
{
    struct reject_count *k = rejects_count_of(r, x);
    char text[1400], *first = k->first;
    bool fails = r->options->on_error == ON_ERROR_FAIL, new = !first[0];
    bool shown = r->logged++ < LOG_FIRST || new;
    if (fails || shown) rejects_describe(x, text, sizeof text);
    if (new)
        snprintf(first, REJECT_SHOWN, "%.*s", REJECT_SHOWN - 1, text);
    else if (!fails && shown)
        rejects_cut_common_end(text, first);
    if (fails) {
        r->shown = 1; /* the message of the failure shows it */
        control_fail(&r->run->control, LEAT_EDATA, "%s", text);
        control_halt(&r->run->control);
    } else if (shown) {
        log_passing("%s", text);
        r->shown++;
    } else if (!r->told_more) {
        rejects_tell_more(r);
    } else if (!r->places) {
        atomic_store_explicit(&k->wordless, true, memory_order_relaxed);
    }
}

/* ---- gathering and writing the dead letters of a batch ---- */

static struct dead_letters *rejects_take_free(struct rejects *r)
{
    struct dead_letters *s = r->free_letters;
    if (!s) return calloc(1, sizeof *s);
    r->free_letters = s->next_free;
    return s;
}

static void rejects_give_free(struct rejects *r, struct dead_letters *s)
{
    dead_letters_empty(s);
    s->next_free = r->free_letters;
    r->free_letters = s;
}

static void rejects_fail_memory(struct rejects *r)
{
    control_fail(&r->run->control, LEAT_ENOMEM, "rejected records: %s", status_text(LEAT_ENOMEM));
    control_halt(&r->run->control);
}

/* Moves the rejections noted in h to root->dead_letters. */
static void rejects_gather(struct rejects *r, struct hbatch *root, struct hbatch *h)
{
    if (!h->n_rejections) return;
    if (!root->dead_letters) root->dead_letters = rejects_take_free(r);
    if (!root->dead_letters || dead_letters_add(root->dead_letters, h) != LEAT_OK)
        rejects_fail_memory(r);
    h->n_rejections = h->n_reject_text = 0;
}

static void rejects_write_letters(struct rejects *r, struct hbatch *root, bool hold)
{
    struct dead_letters *s = root->dead_letters;
    if (!s) return;
    bool kept = r->places;
    dead_letters_settle(s);
    for (uint32_t i = 0; i < s->n; i++) {
        const struct dead_letter *x = &s->letter[i];
        bool again = i && x[-1].record == x->record; /* rejected in another branch before */
        if (!again) rejects_count_one(r, x, hold);
        if (!again && !x->counted) rejects_show(r, x);
        if (kept) rejects_send_letter(r, &s->letter[i].l, hold);
    }
    if (s->n && !hold) rejects_flush_letters(r);
    root->dead_letters = NULL;
    rejects_give_free(r, s);
}

static struct hbatch *rejects_root_of(struct hbatch *h)
{
    while (h->parent)
        h = h->parent;
    return h;
}

void rejects_passed(struct rejects *r, struct hbatch *h, uint32_t copies, uint64_t checkpoint)
{
    struct hbatch *root = rejects_root_of(h);
    pthread_mutex_lock(&r->mu);
    bool hold = rejects_is_held_back(r, checkpoint);
    rejects_gather(r, root, h);
    root->under_way += copies;
    if (--root->under_way == 0) {
        rejects_write_letters(r, root, hold);
        rejects_count_passed(r, REJECTS_OF_INPUTS, root->b.n, hold);
        rejects_count_passed(r, REJECTS_OF_STAGES, root->n_made, hold);
        reject_ratio_check(r, REJECTS_OF_INPUTS);
        reject_ratio_check(r, REJECTS_OF_STAGES);
    }
    pthread_mutex_unlock(&r->mu);
}

static void rejects_late_one(struct rejects *r, struct late_letter *late, bool hold)
{
    rejects_count_one(r, &late->x, hold);
    rejects_show(r, &late->x);
    if (r->places) rejects_send_letter(r, &late->x.l, hold);
    reject_ratio_check(r, late->x.made ? REJECTS_OF_STAGES : REJECTS_OF_INPUTS);
}

void rejects_late(struct rejects *r, struct instance *by, uint64_t checkpoint)
{
    uint64_t n = 0;
    if (!by->late) return;
    pthread_mutex_lock(&r->mu);
    bool hold = rejects_is_held_back(r, checkpoint);
    for (struct late_letter *late; (late = by->late); n++) {
        by->late = late->next;
        rejects_late_one(r, late, hold);
        free(late);
    }
    if (!hold) rejects_flush_letters(r);
    pthread_mutex_unlock(&r->mu);
    instance_count(&by->own->count.rejected, n);
    instance_count(&by->own->count.out, -n);
}

void rejects_derived(struct rejects *r, struct hbatch *h)
{
    pthread_mutex_lock(&r->mu);
    rejects_root_of(h)->under_way++;
    rejects_root_of(h)->n_made += h->n_made;
    pthread_mutex_unlock(&r->mu);
}

void rejects_fail(struct rejects *r, struct hbatch *h)
{
    pthread_mutex_lock(&r->mu);
    struct dead_letters *s = rejects_take_free(r);
    if (s && dead_letters_add(s, h) == LEAT_OK) {
        dead_letters_settle(s);
        rejects_show(r, &s->letter[0]);
    } else {
        rejects_fail_memory(r);
    }
    if (s) rejects_give_free(r, s);
    pthread_mutex_unlock(&r->mu);
}

/* ---- dead letters and counts in snapshots ---- */

void rejects_hold(struct rejects *r, uint64_t checkpoint)
{
    pthread_mutex_lock(&r->mu);
    assert(checkpoint && !r->holding);
    r->holding = checkpoint;
    pthread_mutex_unlock(&r->mu);
}

void rejects_release(struct rejects *r)
{
    pthread_mutex_lock(&r->mu);
    struct rejects_held *held = &r->held;
    if (held->n && r->out && fwrite(held->text, 1, held->n, r->out) != held->n)
        rejects_fail_write(r);
    if (held->n) rejects_flush_letters(r);
    *held = (struct rejects_held){.text = held->text, .cap = held->cap};
    for (uint32_t k = 0; k < r->counts.n; k++)
        r->counts.reason[k].held = 0;
    r->holding = 0;
    pthread_mutex_unlock(&r->mu);
}

/* Returns the length of the file of dead letters. If this run has no file, returns the length in
 * the snapshot that the run continues from, so that a later run with the file continues there. */
static uint64_t rejects_file_length(struct rejects *r)
{
    struct stat st;
    if (!rejects_is_file(r)) return r->resume_at;
    if (fflush(r->out) || fstat(fileno(r->out), &st)) {
        rejects_fail_write(r);
        return 0;
    }
    return (uint64_t)st.st_size;
}

int rejects_sync(struct rejects *r)
{
    return rejects_is_file(r) && fdatasync(fileno(r->out)) ? errno : 0;
}

void rejects_write(struct rejects *r, struct leat_writer *w, bool with_file)
{
    pthread_mutex_lock(&r->mu);
    w->u64(w, "passed", r->of[REJECTS_OF_INPUTS].passed - r->held.passed[REJECTS_OF_INPUTS]);
    w->u64(w, "rejected", r->count - r->held.count);
    w->u64(w, "made_passed", r->of[REJECTS_OF_STAGES].passed - r->held.passed[REJECTS_OF_STAGES]);
    w->u64(w, "made_rejected",
           r->of[REJECTS_OF_STAGES].rejected - r->held.rejected[REJECTS_OF_STAGES]);
    reject_counts_write(&r->counts, w);
    uint64_t path = rejects_is_file(r) ? rejects_path_id(r) : r->resume_of;
    w->u64(w, "dead_letters", with_file ? rejects_file_length(r) : 0);
    w->u64(w, "dead_letters_path", with_file ? path : 0);
    pthread_mutex_unlock(&r->mu);
}

static void rejects_begin_share(struct rejects_share *s, uint64_t passed, uint64_t rejected)
{
    *s = (struct rejects_share){.passed = passed, .rejected = rejected};
    s->mark[0] = (struct rejects_mark){passed, rejected};
}

int rejects_read(struct rejects *r, struct leat_reader *from)
{
    uint64_t passed, count = 0, made, made_rejected = 0, resume_at, resume_of;
    int status = read_checked_count(from, "passed", &passed);
    if (status == LEAT_OK) status = read_checked_count(from, "rejected", &count);
    if (status == LEAT_OK) status = read_checked_count(from, "made_passed", &made);
    if (status == LEAT_OK) status = read_checked_count(from, "made_rejected", &made_rejected);
    if (status == LEAT_OK && made_rejected > count)
        status =
            from->refuse(from, "made_rejected is %llu, but must not be more than rejected, %llu",
                         (unsigned long long)made_rejected, (unsigned long long)count);
    if (status == LEAT_OK) status = read_checked_count(from, "dead_letters", &resume_at);
    if (status == LEAT_OK) status = from->u64(from, "dead_letters_path", &resume_of);
    if (status == LEAT_OK) status = reject_counts_read(&r->counts, from, count);
    if (status != LEAT_OK) return status;
    rejects_begin_share(&r->of[REJECTS_OF_INPUTS], passed, count - made_rejected);
    rejects_begin_share(&r->of[REJECTS_OF_STAGES], made, made_rejected);
    r->count = count;
    r->resume_at = resume_at;
    r->resume_of = resume_of;
    return LEAT_OK;
}

void rejects_add(struct rejects *r, const struct rejects *other)
{
    for (int k = 0; k < REJECTS_OF; k++) {
        r->of[k].passed += other->of[k].passed;
        r->of[k].rejected += other->of[k].rejected;
    }
    r->count += other->count;
    reject_counts_add(&r->counts, &other->counts);
}
