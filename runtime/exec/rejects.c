/* rejects.c -- see rejects.h. */
#include "rejects.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <jansson.h>

#include "base/json_text.h"
#include "base/log.h"
#include "base/status_text.h"
#include "instance.h"
#include "metrics/read_checked.h"
#include "run.h"

enum { LOG_FIRST = 10, RATIO_FROM = 1000, MESSAGE_MIN = 128 };

static const char *const reason_names[LEAT_R_COUNT] = {
    [LEAT_R_NONE] = "none",           [LEAT_R_SYNTAX] = "syntax",
    [LEAT_R_NUMBER] = "number",       [LEAT_R_NONFINITE] = "nonfinite",
    [LEAT_R_LABEL] = "label",         [LEAT_R_QUOTE] = "quote",
    [LEAT_R_TOO_LARGE] = "too_large", [LEAT_R_FIELDS] = "fields",
    [LEAT_R_INPUT] = "input",         [LEAT_R_LUA] = "lua",
    [LEAT_R_LIMIT] = "lua_limit",     [LEAT_R_OTHER] = "other"};

const char *rejects_reason_name(int reason)
{
    return reason > 0 && reason < LEAT_R_COUNT ? reason_names[reason] : "other";
}

void rejects_init(struct rejects *r, const struct options *o, struct run *run)
{
    *r = (struct rejects){.options = o, .run = run};
    pthread_mutex_init(&r->mu, NULL);
}

int rejects_open(struct rejects *r)
{
    const char *path = r->options->dead_letters;
    if (!path || !*path) return LEAT_OK;
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_APPEND, REJECTS_MODE);
    r->out = fd < 0 ? NULL : fdopen(fd, "a");
    return r->out ? LEAT_OK
                  : run_fail(r->run, LEAT_EIO, "dead_letters = \"%s\" cannot be opened: %s", path,
                             strerror(errno));
}

static bool is_file(FILE *f)
{
    struct stat st;
    return f && fstat(fileno(f), &st) == 0 && S_ISREG(st.st_mode);
}

int rejects_begin(struct rejects *r)
{
    if (!is_file(r->out)) return LEAT_OK;
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
    if (r->out && fclose(r->out)) {
        r->out = NULL;
        run_fail(r->run, LEAT_EIO, "dead_letters = \"%s\": %s", r->options->dead_letters,
                 strerror(errno));
    }
    pthread_mutex_destroy(&r->mu);
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
    uint32_t left = REJECT_TEXT_BYTES - h->n_reject_text;
    struct rejection *j = &h->rejection[h->n_rejections++];
    *j = (struct rejection){record, reason, by, h->n_reject_text, 0};
    if (left < MESSAGE_MIN) return; /* the reason is its text */
    int n = vsnprintf(h->reject_text + h->n_reject_text, left, format, args);
    uint32_t max = left - 1 < 1000 ? left - 1 : 1000;
    j->text_len = n < 0 ? 0 : (uint32_t)n < max ? (uint32_t)n : max;
    h->n_reject_text += j->text_len;
}

/* What the stage said, n bytes; or the reason, when the batch had no room left for texts. */
static const char *message_of(const struct hbatch *h, const struct rejection *j, uint32_t *n)
{
    const char *reason = rejects_reason_name(j->reason);
    *n = j->text_len ? j->text_len : (uint32_t)strlen(reason);
    return j->text_len ? h->reject_text + j->text_off : reason;
}

void rejects_describe(const struct hbatch *h, const struct rejection *j, char *text, size_t cap)
{
    struct batch_origin o = batch_origin(&h->b, j->record);
    char line[32] = "";
    if (o.line) snprintf(line, sizeof line, ":%llu", (unsigned long long)o.line);
    uint32_t n;
    const char *message = message_of(h, j, &n);
    snprintf(text, cap, "%s%s (%s %llu): %s: %.*s", run_input(h->source, o.input), line,
             o.line ? "byte" : "record", (unsigned long long)o.offset, j->by->node->label, (int)n,
             message);
}

/* Raw bytes as JSON text; bytes that are not UTF-8 in hexadecimal, under another name. */
static void set_record(json_t *o, const char *bytes, size_t n)
{
    json_t *text = json_stringn(bytes, n);
    if (text) {
        json_object_set_new(o, "record", text);
        return;
    }
    char *hex = malloc(2 * n + 1);
    for (size_t i = 0; hex && i < n; i++)
        snprintf(hex + 2 * i, 3, "%02x", (unsigned char)bytes[i]);
    if (hex) json_object_set_new(o, "record_hex", json_stringn(hex, 2 * n));
    free(hex);
}

static void fail_write(struct rejects *r)
{
    run_fail(r->run, LEAT_EIO, "dead_letters = \"%s\": %s", r->options->dead_letters,
             strerror(errno));
    run_halt(r->run);
}

static void set_key(struct leat_dead_letter *l, const struct leat_batch *b, uint32_t r)
{
    if (!b->key || b->key[r].len == LEAT_NULL) return;
    l->key = leat_text(b, b->key[r]);
    l->n_key = b->key[r].len;
}

/* A record that the source itself rejects as too large has come without its end. */
static struct leat_dead_letter dead_letter(const struct rejects *r, const struct hbatch *h,
                                           const struct rejection *j)
{
    struct batch_origin at = batch_origin(&h->b, j->record);
    struct leat_str raw = h->b.raw[j->record];
    struct leat_dead_letter l = {.size = sizeof l,
                                 .cut = j->by == h->source && j->reason == LEAT_R_TOO_LARGE,
                                 .pipeline = r->run->graph->name,
                                 .stage = j->by->node->id,
                                 .reason = rejects_reason_name(j->reason),
                                 .input = run_input(h->source, at.input),
                                 .offset = at.offset,
                                 .line = at.line,
                                 .record = leat_text(&h->b, raw),
                                 .n_record = raw.len,
                                 .timestamp = h->b.timestamp ? h->b.timestamp[j->record] : -1};
    l.message = message_of(h, j, &l.n_message);
    set_key(&l, &h->b, j->record);
    return l;
}

static json_t *as_json(const struct leat_dead_letter *l)
{
    json_t *o = json_object();
    json_object_set_new(o, "input", json_text(l->input));
    if (l->line) json_object_set_new(o, "line", json_integer((json_int_t)l->line));
    json_object_set_new(o, "offset", json_integer((json_int_t)l->offset));
    json_object_set_new(o, "stage", json_text(l->stage));
    json_object_set_new(o, "reason", json_string(l->reason));
    json_object_set_new(o, "message", json_text_n(l->message, l->n_message));
    if (l->cut) json_object_set_new(o, "cut", json_true());
    set_record(o, l->record, l->n_record);
    return o;
}

/* Like write_out, but into what is held back. */
static int append(const char *text, size_t n, void *to)
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

static int write_out(const char *text, size_t n, void *to)
{
    return fwrite(text, 1, n, to) == n ? 0 : -1;
}

static void write_letter(struct rejects *r, const struct leat_dead_letter *l, bool hold)
{
    json_t *o = as_json(l);
    json_dump_callback_t put = hold ? append : write_out;
    void *to = hold ? (void *)&r->held : (void *)r->out;
    if (json_dump_callback(o, put, to, JSON_COMPACT) || put("\n", 1, to)) fail_write(r);
    json_decref(o);
}

/* The next sink that takes dead letters; NULL after the last one. */
static struct instance *next_taker(const struct rejects *r, uint32_t *i)
{
    const struct graph *g = r->run->graph;
    while (*i < g->n_nodes) {
        const struct node *n = &g->node[(*i)++];
        if (n->stage && n->stage->dead_letter) return run_instance(r->run, n, 0);
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
static void send_letter(struct rejects *r, const struct hbatch *h, const struct rejection *j,
                        bool hold)
{
    uint32_t i = 0;
    struct leat_dead_letter l = dead_letter(r, h, j);
    if (r->out) write_letter(r, &l, hold);
    for (struct instance *to; (to = next_taker(r, &i));) {
        int status = to->node->stage->dead_letter(&to->ctx, to->self, &l);
        if (status < 0) taker_failed(r, to, status);
    }
}

int rejects_deliver(struct rejects *r)
{
    uint32_t i = 0;
    int status = LEAT_OK;
    pthread_mutex_lock(&r->mu);
    for (struct instance *to; status >= 0 && (to = next_taker(r, &i));) {
        status = to->node->stage->flush ? to->node->stage->flush(&to->ctx, to->self) : LEAT_OK;
        if (status < 0) taker_failed(r, to, status);
    }
    pthread_mutex_unlock(&r->mu);
    return status < 0 ? status : LEAT_OK;
}

static int by_record(const void *a, const void *b)
{
    const struct rejection *x = a, *y = b;
    return (x->record > y->record) - (x->record < y->record);
}

/* Counts only records that have left the pipeline, so that it does not matter how far ahead the
 * source is. */
static void check_ratio(struct rejects *r)
{
    uint64_t records = r->passed;
    double max = r->options->max_reject_ratio;
    if (records < RATIO_FROM || (double)r->count <= max * (double)records) return;
    run_fail(r->run, LEAT_EDATA,
             "%llu of %llu records were rejected, more than max_reject_ratio = %g",
             (unsigned long long)r->count, (unsigned long long)records, max);
    run_halt(r->run);
}

static bool is_held_back(const struct rejects *r, uint64_t checkpoint)
{
    return r->holding && checkpoint >= r->holding;
}

static void count_one(struct rejects *r, int reason, bool hold)
{
    int k = reason > 0 && reason < LEAT_R_COUNT ? reason : LEAT_R_OTHER;
    r->count++;
    r->by_reason[k]++;
    if (!hold) return;
    r->held.count++;
    r->held.by_reason[k]++;
}

static bool is_kept(const struct rejects *r)
{
    uint32_t i = 0;
    return r->out || next_taker(r, &i);
}

void rejects_flush(struct rejects *r, struct hbatch *h, uint64_t checkpoint)
{
    char text[1400];
    if (!h->n_rejections) return;
    qsort(h->rejection, h->n_rejections, sizeof *h->rejection, by_record);
    pthread_mutex_lock(&r->mu);
    bool hold = is_held_back(r, checkpoint);
    for (uint32_t i = 0; i < h->n_rejections; i++) {
        const struct rejection *j = &h->rejection[i];
        count_one(r, j->reason, hold);
        rejects_describe(h, j, text, sizeof text);
        if (r->options->on_error == ON_ERROR_FAIL) {
            run_fail(r->run, LEAT_EDATA, "%s", text);
            run_halt(r->run);
        } else if (r->logged++ < LOG_FIRST) {
            log_message(LEAT_WARN, "%s", text);
        } else if (r->logged == LOG_FIRST + 1) {
            log_message(LEAT_WARN, "further rejected records are counted but not shown%s",
                        is_kept(r) ? "" : " (dead_letters = \"FILE\" keeps them)");
        }
        send_letter(r, h, j, hold);
    }
    h->n_rejections = h->n_reject_text = 0;
    pthread_mutex_unlock(&r->mu);
}

void rejects_passed(struct rejects *r, struct hbatch *h, uint64_t checkpoint)
{
    uint32_t n = h->parent ? 0 : h->b.n; /* a branch's records were counted before the fork */
    rejects_flush(r, h, checkpoint);
    pthread_mutex_lock(&r->mu);
    r->passed += n;
    if (is_held_back(r, checkpoint)) r->held.passed += n;
    check_ratio(r);
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
    r->holding = 0;
    pthread_mutex_unlock(&r->mu);
}

/* A run without the file keeps the length of the snapshot that it continues from, so that a later
 * run with the file continues there. */
static uint64_t file_length(struct rejects *r)
{
    struct stat st;
    if (!is_file(r->out)) return r->resume_at;
    if (fflush(r->out) || fstat(fileno(r->out), &st)) {
        fail_write(r);
        return 0;
    }
    return (uint64_t)st.st_size;
}

int rejects_sync(struct rejects *r)
{
    return is_file(r->out) && fdatasync(fileno(r->out)) ? errno : 0;
}

void rejects_write(struct rejects *r, struct leat_writer *w)
{
    uint64_t by_reason[LEAT_R_COUNT];
    pthread_mutex_lock(&r->mu);
    for (int k = 0; k < LEAT_R_COUNT; k++)
        by_reason[k] = r->by_reason[k] - r->held.by_reason[k];
    w->u64(w, "passed", r->passed - r->held.passed);
    w->u64(w, "rejected", r->count - r->held.count);
    w->array(w, "by_reason", LEAT_U64, by_reason, LEAT_R_COUNT);
    w->u64(w, "dead_letters", file_length(r));
    pthread_mutex_unlock(&r->mu);
}

int rejects_read(struct rejects *r, struct leat_reader *from)
{
    const void *by_reason;
    uint64_t n = LEAT_R_COUNT, passed, count, resume_at;
    int status = read_checked_count(from, "passed", &passed);
    if (status == LEAT_OK) status = read_checked_count(from, "rejected", &count);
    if (status == LEAT_OK) status = from->array(from, "by_reason", LEAT_U64, &by_reason, &n);
    if (status == LEAT_OK) status = read_checked_count(from, "dead_letters", &resume_at);
    if (status != LEAT_OK) return status;
    r->passed = passed;
    r->count = count;
    r->resume_at = resume_at;
    memcpy(r->by_reason, by_reason, sizeof r->by_reason);
    return LEAT_OK;
}

void rejects_add(struct rejects *r, const struct rejects *other)
{
    r->passed += other->passed;
    r->count += other->count;
    for (int k = 0; k < LEAT_R_COUNT; k++)
        r->by_reason[k] += other->by_reason[k];
}
