/* rejects.c -- see rejects.h. */
#include "rejects.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "report/text_out.h"
#include "base/utf8.h"
#include "base/status_text.h"
#include "instance.h"
#include "metrics/read_checked.h"
#include "returned.h"
#include "run.h"

enum {
    LOG_FIRST = 10,
    ADVICE = 80,       /* bytes of the end of a message that is not said again */
    RATIO_FROM = 1000, /* records from which the share of all is looked at while running */
    AT_LEAST = 20,     /* rejections that end a run whose input is shorter               */
    MESSAGE_MAX = 1000,
    READER_MS = 20,    /* between two looks whether somebody reads a pipe */
    SAID_REASONS = 3,  /* in the message that ends a run: the most frequent ones */
    LATER_SHOWN = 150, /* of an example of the second and third                  */
    SAID_BYTES = REJECT_SHOWN + 2 * LATER_SHOWN + SAID_REASONS * 80
};

void rejects_init(struct rejects *r, const struct options *o, struct run *run)
{
    *r = (struct rejects){.options = o, .run = run};
    reject_counts_init(&r->counts, run->graph);
    pthread_mutex_init(&r->mu, NULL);
}

/* As a sink's path. */
static bool is_standard(const struct rejects *r) { return !strcmp(r->options->dead_letters, "-"); }

/* From now on who looks at the run sees that it waits here; 0: it has gone on. */
static void set_waiting(struct rejects *r, uint64_t since)
{
    atomic_store_explicit(&r->waits_since, since, memory_order_relaxed);
}

/* A pipe without a reader is waited for, until the run is stopped. */
static int open_file(struct rejects *r, const char *path)
{
    const struct timespec moment = {0, READER_MS * 1000000};
    const int flags = O_WRONLY | O_CREAT | O_CLOEXEC | O_APPEND;
    int fd = open(path, flags | O_NONBLOCK, REJECTS_MODE);
    if (fd < 0 && errno == ENXIO) {
        log_message(LEAT_WARN,
                    "dead_letters = \"%s\" is a pipe that nobody reads yet: the run waits "
                    "for a reader",
                    path);
        set_waiting(r, clock_ns());
    }
    while (fd < 0 && errno == ENXIO && !atomic_load(&r->run->stopping)) {
        nanosleep(&moment, NULL);
        fd = open(path, flags | O_NONBLOCK, REJECTS_MODE);
    }
    set_waiting(r, 0);
    if (fd >= 0) (void)fcntl(fd, F_SETFL, flags & ~(O_CREAT | O_CLOEXEC));
    return fd;
}

int rejects_open(struct rejects *r)
{
    const char *path = r->options->dead_letters;
    if (!path || !*path) return LEAT_OK;
    int fd = is_standard(r) ? fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
                            : open_file(r, path);
    r->out = fd < 0 ? NULL : fdopen(fd, "a");
    return r->out ? LEAT_OK
                  : run_fail(r->run, LEAT_EIO, "dead_letters = \"%s\" cannot be opened: %s", path,
                             errno == ENXIO ? "nobody reads this pipe" : strerror(errno));
}

/* A file that may be cut: standard output is its owner's. */
static bool is_file(const struct rejects *r)
{
    struct stat st;
    return r->out && !is_standard(r) && fstat(fileno(r->out), &st) == 0 && S_ISREG(st.st_mode);
}

int rejects_begin(struct rejects *r)
{
    if (!is_file(r)) return LEAT_OK;
    struct stat st;
    int bad = fstat(fileno(r->out), &st);
    if (!bad && (uint64_t)st.st_size < r->resume_at)
        return run_fail(
            r->run, LEAT_EDATA,
            "dead_letters = \"%s\" has %llu bytes, fewer than the %llu that the snapshot "
            "continues after",
            r->options->dead_letters, (unsigned long long)st.st_size,
            (unsigned long long)r->resume_at);
    bad = bad || ftruncate(fileno(r->out), (off_t)r->resume_at);
    return bad ? run_fail(r->run, LEAT_EIO, "dead_letters = \"%s\": %s", r->options->dead_letters,
                          strerror(errno))
               : LEAT_OK;
}

void rejects_close(struct rejects *r)
{
    free(r->held.text);
    r->held.text = NULL;
    for (struct letters *s; (s = r->free_letters);) {
        r->free_letters = s->next_free;
        letters_free(s);
    }
    if (r->out && fclose(r->out)) {
        r->out = NULL;
        run_fail(r->run, LEAT_EIO, "dead_letters = \"%s\": %s", r->options->dead_letters,
                 strerror(errno));
    }
    pthread_mutex_destroy(&r->mu);
}

/* Ends a text that is longer than its space with "…", and not inside a character. */
static uint32_t cut_message(char *text, uint32_t space)
{
    uint32_t n = space - (uint32_t)sizeof "…";
    while (n && ((unsigned char)text[n] & 0xc0) == 0x80)
        n--;
    memcpy(text + n, "…", sizeof "…");
    return n + (uint32_t)sizeof "…" - 1;
}

/* Where records are only looked at there are no counts. */
static bool is_wordless(const struct instance *by, int reason)
{
    const struct reject_counts *c = &by->run->rejects.counts;
    return c->n && atomic_load_explicit(&reject_counts_of(c, by->node->stage, reason)->wordless,
                                        memory_order_relaxed);
}

/* Bytes that a message may take at the end of those of the batch: MESSAGE_MAX, however many there
 * are, so that no message depends on which records share a batch. */
static size_t message_space(struct hbatch *h, const struct instance *by)
{
    size_t wanted = (size_t)h->n_reject_text + MESSAGE_MAX, cap = 2 * (size_t)h->cap_reject_text;
    if (wanted <= h->cap_reject_text) return MESSAGE_MAX;
    if (cap < wanted) cap = wanted;
    char *more = cap <= UINT32_MAX ? realloc(h->reject_more, cap) : NULL;
    if (!more) {
        run_fail(by->run, LEAT_ENOMEM,
                 "there is not enough memory for what rejected records are told");
        return h->cap_reject_text - h->n_reject_text;
    }
    if (!h->reject_more) memcpy(more, h->reject_text, h->n_reject_text);
    h->reject_text = h->reject_more = more;
    h->cap_reject_text = (uint32_t)cap;
    return MESSAGE_MAX;
}

/* What the stage says. */
static uint32_t note_text(struct hbatch *h, const struct instance *by, const char *format,
                          va_list args)
{
    size_t space = message_space(h, by);
    char *text = h->reject_text + h->n_reject_text;
    int n = vsnprintf(text, space, format, args);
    if (n <= 0 || space <= sizeof "…") return 0;
    return (size_t)n < space ? (uint32_t)n : cut_message(text, (uint32_t)space);
}

void rejects_note(struct hbatch *h, const struct instance *by, uint32_t record, int reason,
                  const char *format, va_list args)
{
    if (record >= h->b.n || h->b.status[record] == LEAT_ROW_REJECTED ||
        h->n_rejections == h->shape.records)
        return;
    h->b.status[record] = LEAT_ROW_REJECTED;
    h->b.reason[record] = (uint16_t)reason;
    h->b.touched = 1;
    struct rejection *j = &h->rejection[h->n_rejections++];
    *j = (struct rejection){.record = record,
                            .reason = reason,
                            .by = by,
                            .text_off = h->n_reject_text,
                            .counted = is_wordless(by, reason)};
    if (!j->counted) j->text_len = note_text(h, by, format, args);
    h->n_reject_text += j->text_len;
}

/* "a.csv:17 (byte 1234): parse (parse.csv): 11 columns expected, 9 found" */
static void describe(const struct letter *x, char *text, size_t cap)
{
    const struct leat_dead_letter *l = &x->l;
    char line[32] = "";
    if (l->line) snprintf(line, sizeof line, ":%llu", (unsigned long long)l->line);
    snprintf(text, cap, "%s%s (%s %llu): %s: %.*s", l->input, line, l->line ? "byte" : "record",
             (unsigned long long)l->offset, x->by->node->label, (int)l->n_message, l->message);
}

static void put_member(struct text_out *o, const char *name, const char *text, size_t n)
{
    text_str(o, name);
    text_json(o, text, n);
}

static bool is_utf8(const char *text, size_t n)
{
    for (size_t i = 0, len; i < n; i += len)
        if (!(len = utf8_length((const unsigned char *)text + i, n - i))) return false;
    return true;
}

/* Raw bytes as JSON text; bytes that are not UTF-8 in hexadecimal, under another name. */
static void put_bytes(struct text_out *o, const char *name, const char *bytes, size_t n)
{
    text_char(o, '"');
    text_str(o, name);
    if (is_utf8(bytes, n)) {
        put_member(o, "\":", bytes, n);
        return;
    }
    text_str(o, "_hex\":\"");
    for (size_t i = 0; i < n; i++) {
        text_char(o, "0123456789abcdef"[(unsigned char)bytes[i] >> 4]);
        text_char(o, "0123456789abcdef"[bytes[i] & 15]);
    }
    text_char(o, '"');
}

/* [{"name":"trace","value":"t1"},…]; without "value": it has none. */
static void put_headers(struct text_out *o, const char *text, uint32_t n)
{
    struct leat_header h;
    text_str(o, ",\"headers\":[");
    for (bool first = true; leat_next_header(&text, &n, &h); first = false) {
        text_str(o, first ? "{" : ",{");
        put_bytes(o, "name", h.name, h.n_name);
        if (h.value) text_char(o, ',');
        if (h.value) put_bytes(o, "value", h.value, h.n_value);
        text_char(o, '}');
    }
    text_char(o, ']');
}

static void fail_write(struct rejects *r)
{
    run_fail(r->run, LEAT_EIO, "dead_letters = \"%s\": %s", r->options->dead_letters,
             strerror(errno));
    run_halt(r->run);
}

static void put_letter(struct text_out *o, const struct leat_dead_letter *l)
{
    put_member(o, "{\"input\":", l->input, strlen(l->input));
    if (l->line) text_str(o, ",\"line\":");
    if (l->line) text_uint(o, l->line);
    text_str(o, ",\"offset\":");
    text_uint(o, l->offset);
    put_member(o, ",\"stage\":", l->stage, strlen(l->stage));
    put_member(o, ",\"reason\":", l->reason, strlen(l->reason));
    put_member(o, ",\"message\":", l->message, l->n_message);
    if (l->cut) text_str(o, ",\"cut\":true");
    if (l->n_headers) put_headers(o, l->headers, l->n_headers);
    text_char(o, ',');
    put_bytes(o, "record", l->record, l->n_record);
    text_str(o, "}\n");
}

/* Like write_out, but into what is held back. */
static int append(void *to, const char *text, size_t n)
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

static int write_out(void *to, const char *text, size_t n)
{
    struct rejects *r = to;
    set_waiting(r, clock_ns());
    bool good = fwrite(text, 1, n, r->out) == n;
    set_waiting(r, 0);
    return good ? 0 : -1;
}

static void write_letter(struct rejects *r, const struct leat_dead_letter *l, bool hold)
{
    char buffer[4096];
    struct text_out o = {.buf = buffer,
                         .cap = sizeof buffer,
                         .drain = hold ? append : write_out,
                         .to = hold ? (void *)&r->held : (void *)r};
    put_letter(&o, l);
    if (text_flush(&o)) fail_write(r);
}

/* The next sink that takes dead letters; NULL after the last one. */
static struct instance *next_taker(const struct rejects *r, uint32_t *i)
{
    const struct graph *g = r->run->graph;
    while (*i < g->n_nodes) {
        const struct node *n = &g->node[(*i)++];
        if (n->stage && n->stage->letters->take) return run_instance(r->run, n, 0);
    }
    return NULL;
}

static void taker_failed(const struct rejects *r, const struct instance *taker, int status)
{
    run_fail(r->run, status, "%s: dead letters cannot be delivered: %s", taker->node->label,
             status_text(status));
    run_halt(r->run);
}

/* Into the file, and to the sinks that take dead letters. Sinks get those after the barrier of the
 * checkpoint under way as well: a sink keeps what it has been given. */
static void send_letter(struct rejects *r, struct leat_dead_letter *l, bool hold)
{
    uint32_t i = 0;
    bool sent = r->out != NULL;
    l->pipeline = r->run->graph->name;
    if (r->out) write_letter(r, l, hold);
    for (struct instance *to; (to = next_taker(r, &i)); sent = true) {
        instance_enter(to, "take", clock_ns());
        int status = to->node->stage->letters->take(&to->ctx, to->self, l);
        instance_leave(to);
        status = returned(to, "take", status);
        if (status < 0) taker_failed(r, to, status);
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

static int call_flush(struct instance *taker)
{
    const struct leat_letters *role = taker->node->stage->letters;
    if (!role->flush) return LEAT_OK;
    instance_enter(taker, "flush", clock_ns());
    int status = role->flush(&taker->ctx, taker->self);
    instance_leave(taker);
    return returned(taker, "flush", status);
}

int rejects_deliver(struct rejects *r)
{
    uint32_t i = 0;
    int status = LEAT_OK;
    pthread_mutex_lock(&r->mu);
    for (struct instance *to; status >= 0 && (to = next_taker(r, &i));) {
        status = call_flush(to);
        if (status < 0) taker_failed(r, to, status);
    }
    pthread_mutex_unlock(&r->mu);
    return status < 0 ? status : LEAT_OK;
}

/* "label (300 of them), first a.csv:2 (byte 9): label (label.number): 'x' is no number; then for
 * fields (12 of them), first …" */
static void describe_most(const struct rejects *r, char *text, size_t cap)
{
    const struct reject_count *said[SAID_REASONS];
    size_t n = 0;
    *text = 0;
    for (uint32_t i = 0; i < SAID_REASONS; i++) {
        const struct reject_count *k = said[i] = reject_counts_most(&r->counts, said, i);
        if (!k) return;
        bool known = k->first[0] != '\0'; /* not after a restart */
        n += (size_t)snprintf(text + n, cap - n, "%s%s (%llu of them)%s%.*s",
                              i ? "; then for " : "", k->word, (unsigned long long)k->n,
                              known ? ", first " : "", i ? LATER_SHOWN : REJECT_SHOWN, k->first);
        if (n >= cap) return;
    }
}

void rejects_sentence(const struct rejects *r, char *text, size_t cap)
{
    const struct reject_count *k = reject_counts_most(&r->counts, NULL, 0);
    bool one = k && k->n == r->count;
    const struct rejects_share *came = &r->of[REJECTS_OF_INPUTS], *made = &r->of[REJECTS_OF_STAGES];
    char of_made[80] = "";
    if (made->rejected)
        snprintf(of_made, sizeof of_made, ", and %llu of %llu that stages made,",
                 (unsigned long long)made->rejected, (unsigned long long)made->passed);
    int n = snprintf(text, cap, "%llu of %llu records%s were rejected, %s for %s",
                     (unsigned long long)came->rejected, (unsigned long long)came->passed, of_made,
                     one ? "all" : "mostly", k ? k->word : "none");
    if (k && !one && n > 0 && (size_t)n < cap)
        snprintf(text + n, cap - (size_t)n, " (%llu of them)", (unsigned long long)k->n);
}

static const char *const which_records[REJECTS_OF] = {"", " that stages made"};

static void fail_ratio(struct rejects *r, enum rejects_of k, uint64_t rejected, uint64_t records,
                       const char *last)
{
    char most[SAID_BYTES];
    describe_most(r, most, sizeof most);
    run_fail(
        r->run, LEAT_EDATA,
        "%llu of %s%llu records%s were rejected, more than max_reject_ratio = %g; mostly for %s",
        (unsigned long long)rejected, last, (unsigned long long)records, which_records[k],
        r->options->max_reject_ratio, most);
    run_halt(r->run);
}

/* With 1 there is no bound. */
static bool exceeds(const struct rejects *r, uint64_t rejected, uint64_t records)
{
    double max = r->options->max_reject_ratio;
    return max < 1 && (double)rejected > max * (double)records;
}

/* The counts of some REJECT_WINDOW records ago, or of the start of the process. */
static const struct rejects_mark *window_start(const struct rejects_share *s)
{
    return &s->mark[s->n_marks < REJECT_MARKS ? 0 : (s->n_marks + 1) % (REJECT_MARKS + 1)];
}

static void move_window(struct rejects_share *s)
{
    const struct rejects_mark *last = &s->mark[s->n_marks % (REJECT_MARKS + 1)];
    if (s->passed - last->passed < REJECT_WINDOW / REJECT_MARKS) return;
    s->mark[++s->n_marks % (REJECT_MARKS + 1)] = (struct rejects_mark){s->passed, s->rejected};
}

/* Counts only records that have left the pipeline, so that it does not matter how far ahead the
 * source is: of the whole run, and of the last 10,000 or more, so that a stream that turns bad late
 * ends as soon. */
static void check_ratio(struct rejects *r, enum rejects_of k)
{
    struct rejects_share *s = &r->of[k];
    const struct rejects_mark *from = window_start(s);
    uint64_t records = s->passed - from->passed, rejected = s->rejected - from->rejected;
    move_window(s);
    if (s->passed >= RATIO_FROM && exceeds(r, s->rejected, s->passed))
        fail_ratio(r, k, s->rejected, s->passed, "");
    else if (records >= REJECT_WINDOW && exceeds(r, rejected, records))
        fail_ratio(r, k, rejected, records, "the last ");
}

static void finish(struct rejects *r, enum rejects_of k)
{
    const struct rejects_share *s = &r->of[k];
    char most[SAID_BYTES];
    if (!s->rejected) return;
    describe_most(r, most, sizeof most);
    if (s->rejected == s->passed)
        run_fail(r->run, LEAT_EDATA, "all %llu records%s were rejected, mostly for %s",
                 (unsigned long long)s->passed, which_records[k], most);
    else if (s->passed < RATIO_FROM && s->rejected >= AT_LEAST &&
             exceeds(r, s->rejected, s->passed))
        fail_ratio(r, k, s->rejected, s->passed, "");
}

void rejects_finish(struct rejects *r)
{
    for (enum rejects_of k = 0; k < REJECTS_OF && !atomic_load(&r->run->stopping); k++)
        finish(r, k);
}

static bool is_held_back(const struct rejects *r, uint64_t checkpoint)
{
    return r->holding && checkpoint >= r->holding;
}

static struct reject_count *count_of(const struct rejects *r, const struct letter *x)
{
    return reject_counts_of(&r->counts, x->by->node->stage, x->reason);
}

static void count_one(struct rejects *r, const struct letter *x, bool hold)
{
    struct reject_count *k = count_of(r, x);
    int of = x->made ? REJECTS_OF_STAGES : REJECTS_OF_INPUTS;
    r->count++;
    k->n++;
    r->of[of].rejected++;
    if (!hold) return;
    r->held.count++;
    k->held++;
    r->held.rejected[of]++;
}

static void count_passed(struct rejects *r, enum rejects_of k, uint64_t records, bool hold)
{
    r->of[k].passed += records;
    if (hold) r->held.passed[k] += records;
}

static bool is_kept(const struct rejects *r)
{
    uint32_t i = 0;
    return r->out || next_taker(r, &i);
}

/* Leaves out the end of `text` that it has in common with the first message of its reason, from the
 * last colon that has so much after it: what to do is said once. */
static void cut_common_end(char *text, const char *first)
{
    size_t n = strlen(text), k = strlen(first), same = 0;
    while (same < n && same < k && text[n - same - 1] == first[k - same - 1])
        same++;
    char *colon = NULL, *next = text + n - same;
    while ((next = strstr(next, ": ")) && strlen(next) >= ADVICE)
        colon = next++;
    if (colon) strcpy(colon, ": …");
}

/* The first rejections of a run, and of each reason, are put into words; the others cost none. */
static void show(struct rejects *r, const struct letter *x)
{
    struct reject_count *k = count_of(r, x);
    char text[1400], *first = k->first;
    bool fails = r->options->on_error == ON_ERROR_FAIL;
    if (fails || r->logged < LOG_FIRST || !first[0]) describe(x, text, sizeof text);
    if (!first[0])
        snprintf(first, REJECT_SHOWN, "%.*s", REJECT_SHOWN - 1, text);
    else if (!fails && r->logged < LOG_FIRST)
        cut_common_end(text, first);
    if (fails) {
        run_fail(r->run, LEAT_EDATA, "%s", text);
        run_halt(r->run);
    } else if (r->logged++ < LOG_FIRST) {
        log_passing("%s", text);
    } else if (r->logged == LOG_FIRST + 1) {
        log_passing("further rejected records are counted but not shown%s",
                    is_kept(r) ? "" : " (dead_letters = \"FILE\" keeps them)");
    } else if (!is_kept(r)) {
        atomic_store_explicit(&k->wordless, true, memory_order_relaxed);
    }
}

/* ---- the letters of a batch ---- */

static struct letters *take_letters(struct rejects *r)
{
    struct letters *s = r->free_letters;
    if (!s) return calloc(1, sizeof *s);
    r->free_letters = s->next_free;
    return s;
}

static void give_letters(struct rejects *r, struct letters *s)
{
    letters_empty(s);
    s->next_free = r->free_letters;
    r->free_letters = s;
}

static void fail_memory(struct rejects *r)
{
    run_fail(r->run, LEAT_ENOMEM, "rejected records: %s", status_text(LEAT_ENOMEM));
    run_halt(r->run);
}

/* Takes what h has noted to the letters of its root. */
static void gather(struct rejects *r, struct hbatch *root, struct hbatch *h)
{
    if (!h->n_rejections) return;
    if (!root->letters) root->letters = take_letters(r);
    if (!root->letters || letters_add(root->letters, h) != LEAT_OK) fail_memory(r);
    h->n_rejections = h->n_reject_text = 0;
}

static void write_letters(struct rejects *r, struct hbatch *root, bool hold)
{
    struct letters *s = root->letters;
    if (!s) return;
    bool kept = is_kept(r);
    letters_settle(s);
    for (uint32_t i = 0; i < s->n; i++) {
        const struct letter *x = &s->letter[i];
        bool again = i && x[-1].record == x->record; /* in another branch */
        if (!again) count_one(r, x, hold);
        if (!again && !x->counted) show(r, x);
        if (kept) send_letter(r, &s->letter[i].l, hold);
    }
    root->letters = NULL;
    give_letters(r, s);
}

static struct hbatch *root_of(struct hbatch *h)
{
    while (h->parent)
        h = h->parent;
    return h;
}

void rejects_passed(struct rejects *r, struct hbatch *h, uint32_t copies, uint64_t checkpoint)
{
    struct hbatch *root = root_of(h);
    pthread_mutex_lock(&r->mu);
    bool hold = is_held_back(r, checkpoint);
    gather(r, root, h);
    root->under_way += copies;
    if (--root->under_way == 0) {
        write_letters(r, root, hold);
        count_passed(r, REJECTS_OF_INPUTS, root->b.n, hold);
        count_passed(r, REJECTS_OF_STAGES, root->n_made, hold);
        check_ratio(r, REJECTS_OF_INPUTS);
        check_ratio(r, REJECTS_OF_STAGES);
    }
    pthread_mutex_unlock(&r->mu);
}

void rejects_derived(struct rejects *r, struct hbatch *h)
{
    pthread_mutex_lock(&r->mu);
    root_of(h)->under_way++;
    root_of(h)->n_made += h->n_made;
    pthread_mutex_unlock(&r->mu);
}

void rejects_fail(struct rejects *r, struct hbatch *h)
{
    pthread_mutex_lock(&r->mu);
    struct letters *s = take_letters(r);
    if (s && letters_add(s, h) == LEAT_OK) {
        letters_settle(s);
        show(r, &s->letter[0]);
    } else {
        fail_memory(r);
    }
    if (s) give_letters(r, s);
    pthread_mutex_unlock(&r->mu);
}

/* ---- snapshots ---- */

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
    if (held->n && r->out && fwrite(held->text, 1, held->n, r->out) != held->n) fail_write(r);
    *held = (struct rejects_held){.text = held->text, .cap = held->cap};
    for (uint32_t k = 0; k < r->counts.n; k++)
        r->counts.reason[k].held = 0;
    r->holding = 0;
    pthread_mutex_unlock(&r->mu);
}

/* A run without the file keeps the length of the snapshot that it continues from, so that a later
 * run with the file continues there. */
static uint64_t file_length(struct rejects *r)
{
    struct stat st;
    if (!is_file(r)) return r->resume_at;
    if (fflush(r->out) || fstat(fileno(r->out), &st)) {
        fail_write(r);
        return 0;
    }
    return (uint64_t)st.st_size;
}

int rejects_sync(struct rejects *r) { return is_file(r) && fdatasync(fileno(r->out)) ? errno : 0; }

void rejects_write(struct rejects *r, struct leat_writer *w)
{
    pthread_mutex_lock(&r->mu);
    w->u64(w, "passed", r->of[REJECTS_OF_INPUTS].passed - r->held.passed[REJECTS_OF_INPUTS]);
    w->u64(w, "rejected", r->count - r->held.count);
    w->u64(w, "made_passed", r->of[REJECTS_OF_STAGES].passed - r->held.passed[REJECTS_OF_STAGES]);
    w->u64(w, "made_rejected",
           r->of[REJECTS_OF_STAGES].rejected - r->held.rejected[REJECTS_OF_STAGES]);
    reject_counts_write(&r->counts, w);
    w->u64(w, "dead_letters", file_length(r));
    pthread_mutex_unlock(&r->mu);
}

static void begin_share(struct rejects_share *s, uint64_t passed, uint64_t rejected)
{
    *s = (struct rejects_share){.passed = passed, .rejected = rejected};
    s->mark[0] = (struct rejects_mark){passed, rejected};
}

int rejects_read(struct rejects *r, struct leat_reader *from)
{
    uint64_t passed, count = 0, made, made_rejected = 0, resume_at;
    int status = read_checked_count(from, "passed", &passed);
    if (status == LEAT_OK) status = read_checked_count(from, "rejected", &count);
    if (status == LEAT_OK) status = read_checked_count(from, "made_passed", &made);
    if (status == LEAT_OK) status = read_checked_count(from, "made_rejected", &made_rejected);
    if (status == LEAT_OK && made_rejected > count)
        status = from->refuse(from, "made_rejected is %llu, and rejected is %llu",
                              (unsigned long long)made_rejected, (unsigned long long)count);
    if (status == LEAT_OK) status = read_checked_count(from, "dead_letters", &resume_at);
    if (status == LEAT_OK) status = reject_counts_read(&r->counts, from, count);
    if (status != LEAT_OK) return status;
    begin_share(&r->of[REJECTS_OF_INPUTS], passed, count - made_rejected);
    begin_share(&r->of[REJECTS_OF_STAGES], made, made_rejected);
    r->count = count;
    r->resume_at = resume_at;
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
