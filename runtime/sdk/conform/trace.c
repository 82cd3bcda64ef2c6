/* trace.c -- implementation of trace.h: feeds stages, writes and compares their output. */
#include "trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/time/clock.h"
#include "sdk/harness/harness_impl.h"
#include "trial.h"

enum { IDLE_TIMES = 3 };
static const uint64_t SERVER_NS = UINT64_C(5000000000);

/* ---- batches as text ---- */

static void trace_put_bytes(FILE *out, const struct leat_batch *b, struct leat_str s)
{
    if (s.len == LEAT_NULL) {
        fputs(" none", out);
        return;
    }
    fputs(" '", out);
    for (uint32_t i = 0; i < s.len; i++) {
        unsigned char c = (unsigned char)b->bytes[s.off + i];
        c<' ' || c> '~' ? fprintf(out, "\\x%02x", c) : putc(c, out);
    }
    putc('\'', out);
}

static void trace_put_columns(FILE *out, const struct leat_batch *b, const struct leat_schema *s,
                              uint32_t r)
{
    for (uint32_t c = 0; c < s->n_columns; c++) {
        fprintf(out, " %s", s->column[c].name);
        const uint32_t type = s->column[c].type;
        if (type == LEAT_NUMBER)
            fprintf(out, " %.17g", b->column[c].number[r]);
        else if (type == LEAT_INT64 || type == LEAT_TIME)
            fprintf(out, " %lld", (long long)b->column[c].int64[r]);
        else if (type == LEAT_BOOLEAN)
            fprintf(out, " %u", b->column[c].boolean[r]);
        else
            trace_put_bytes(out, b, b->column[c].text[r]);
    }
}

static void trace_put_example(FILE *out, const struct leat_batch *b, const struct leat_schema *s,
                              uint32_t e)
{
    fprintf(out, "  example label %g weight %g", (double)b->ex_label[e], (double)b->ex_weight[e]);
    if (s->has & LEAT_HAS_SCORE) fprintf(out, " score %.9g", (double)b->score[e]);
    for (uint32_t i = b->ex_start[e]; i < b->ex_start[e + 1]; i++) {
        char name[256];
        size_t n = leat_name_text(b, i, name, sizeof name);
        fprintf(out, " %llu:%.9g(%.*s)", (unsigned long long)b->id[i], (double)b->value[i],
                (int)(n < sizeof name ? n : sizeof name), name);
    }
    putc('\n', out);
}

static void put_rejected(FILE *out, const struct harness *h, uint32_t r)
{
    for (uint32_t i = 0; i < h->n_rejections; i++)
        if (h->rejection[i].record == r)
            fprintf(out, " rejected %d %s", h->rejection[i].reason, h->rejection[i].text);
}

static void trace_put_record(FILE *out, const struct harness *h, const struct leat_batch *b,
                             const struct leat_schema *s, uint32_t r)
{
    if (b->status[r] == LEAT_ROW_FILTERED) fputs(" filtered", out);
    if (b->status[r] == LEAT_ROW_REJECTED) put_rejected(out, h, r);
    if (b->status[r] == LEAT_ROW_OK) {
        trace_put_bytes(out, b, b->raw[r]);
        trace_put_columns(out, b, s, r);
        fprintf(out, " label %g weight %g", (double)b->label[r], (double)b->weight[r]);
        if (b->timestamp) fprintf(out, " time %lld", (long long)b->timestamp[r]);
    }
    putc('\n', out);
    for (uint32_t e = 0; b->status[r] == LEAT_ROW_OK && e < b->n_examples; e++)
        if (b->ex_record[e] == r) trace_put_example(out, b, s, e);
}

static void put_batch(FILE *out, const struct harness *h, const struct leat_batch *b,
                      const struct leat_schema *s)
{
    for (uint32_t r = 0; r < b->n; r++) {
        fputs("record", out);
        trace_put_record(out, h, b, s, r);
    }
}

/* Writes the output for the n records that were fed, numbered from `first` on. */
static void put_fed(FILE *out, const struct harness *h, enum arrangement how, uint32_t n,
                    uint32_t first)
{
    for (uint32_t i = 0; i < n; i++) {
        fprintf(out, "record %u", first + i);
        trace_put_record(out, h, &h->b, &h->out, arranged_at(how, n, i));
    }
}

void trace_batch(const struct harness *h, FILE *out) { put_batch(out, h, &h->b, &h->out); }

/* ---- feeding ---- */

static void trace_put_made(struct harness *h, void *to)
{
    if (to) put_batch(to, h, &h->made, &h->out);
}

static void trace_fail_call(const struct harness *h, const char *call, int status)
{
    trial_fails("%s returned %d for these records, but must reject them: %s", call, status,
                *h->said ? h->said : "no reason");
}

static void trace_expand(struct harness *h, bool end, FILE *out)
{
    h->said[0] = 0;
    int status = harness_expand(h, end, trace_put_made, out);
    subject_told(h, "expand", status);
    if (status != LEAT_OK) trace_fail_call(h, "expand", status);
    for (uint32_t i = 0; out && i < h->n_rejections; i++)
        fprintf(out, "rejected %s\n", h->rejection[i].text);
}

static void trace_process(struct harness *h, enum arrangement how, uint32_t n, uint32_t first,
                          FILE *out)
{
    h->said[0] = 0;
    int status = h->stage->process ? harness_process(h) : LEAT_OK;
    subject_told(h, "process", status);
    if (status < 0) trace_fail_call(h, "process", status);
    /* h->b is empty if the harness found it incomplete. Another law reports that. */
    if (out && h->b.n) put_fed(out, h, how, n, first);
}

/* Returns the size of batch number `at`, at most `size`. */
static uint32_t trace_size_of(const struct feeding *f, uint32_t size, uint32_t at)
{
    static const uint32_t uneven[] = {1, 13, 2, 16, 5};
    const uint32_t n = uneven[at % (sizeof uneven / sizeof *uneven)];
    return f->uneven && n < size ? n : size;
}

void trace_feed(const struct subject *s, struct harness *h, struct feeding f, FILE *out)
{
    const uint32_t size = f.batch ? f.batch : s->batch;
    const char *call = s->stage->expand ? "expand" : "process";
    uint32_t batch = 0;
    h->impl->slice = f.slice;
    for (uint32_t k = f.from, n; k < f.to; k += n) {
        n = trace_size_of(&f, size, batch);
        if (n > f.to - k) n = f.to - k;
        trial_step("%s, batch %u", call, ++batch);
        harness_clear(h);
        records_add(s, h, f.flavour, k, n);
        arrange(h, f.arranged);
        h->lines = k;
        if (s->stage->expand)
            trace_expand(h, false, out);
        else
            trace_process(h, f.arranged, n, k, out);
        if (f.flavour != HOSTILE) trial_saw(n, n - h->n_rejections);
        harness_clear(h);
    }
    if (f.end && s->stage->expand) trace_expand(h, true, out);
    harness_clear(h);
}

struct trace trace_next(const struct subject *s, struct harness *h, struct feeding f)
{
    struct trace t = {0};
    FILE *out = open_memstream(&t.text, &t.n);
    trace_feed(s, h, f, out);
    fclose(out);
    return t;
}

/* Returns the files of a sink, or the output of another stage. */
struct trace trace_of(const struct subject *s, struct feeding f)
{
    struct subject with = *s;
    if (!f.batch) f.batch = s->batch;
    with.batch = f.arranged ? ARRANGED_ROOM * f.batch : f.batch;
    struct harness *h = subject_open(&with);
    struct trace t = trace_next(&with, h, f);
    int instance = h->impl->instance;
    subject_close(h);
    if (s->stage->kind != LEAT_SINK) return t;
    trace_free(&t);
    t.text = subject_written(s, instance, &t.n);
    return t;
}

struct trace trace_answer(const struct subject *s, struct harness *h)
{
    struct trace t = {0};
    FILE *out = open_memstream(&t.text, &t.n);
    if (s->stage->learner->query) {
        trial_step("query");
        const struct harness_answer *a = harness_query(h, LEAT_QUERY_TOP, HARNESS_NOTES, 0);
        for (uint32_t r = 0; r < a->n_rows; r++) {
            fprintf(out, "answer %s", a->name[r]);
            for (uint32_t c = 0; c < a->n_columns; c++)
                fprintf(out, " %.17g", a->value[r][c]);
            putc('\n', out);
        }
    }
    fclose(out);
    return t;
}

struct trace trace_bytes(struct harness *h)
{
    struct trace t = {0};
    trial_step("snapshot");
    const void *bytes = harness_snapshot(h, &t.n);
    if (!bytes) trial_fails("snapshot failed: %s", h->said);
    t.text = memcpy(aligned_alloc(64, (t.n + 63) & ~(size_t)63), bytes, t.n);
    return t;
}

struct trace trace_state(const struct subject *s, struct harness *h)
{
    struct trace t = {0};
    FILE *out = open_memstream(&t.text, &t.n);
    size_t n = 0;
    trial_step("snapshot");
    const char *bytes = subject_has_state(s) ? harness_snapshot(h, &n) : NULL;
    if (subject_has_state(s) && !bytes) trial_fails("snapshot failed: %s", h->said);
    for (size_t i = 0; i < n; i++)
        fprintf(out, "%02x%s", (unsigned char)bytes[i], i % 32 == 31 ? "\n" : "");
    fclose(out);
    return t;
}

/* True if a source seems to have no more records: `times` calls in succession have returned none.
 * `since` is the time of the last record. A source that asks a server gets more time. */
static bool is_idle(const struct subject *s, uint32_t times, uint64_t since)
{
    return times >= IDLE_TIMES && (!s->stage->online || clock_ns() - since > SERVER_NS);
}

static void put_produced(FILE *out, struct harness *h) { put_batch(out, h, &h->b, &h->out); }

/* Writes the position of record r in its input, from the extent x to which the record belongs. */
static void put_place(FILE *out, struct harness *h, const struct leat_extent *x, uint32_t r)
{
    const uint32_t at = h->b.raw[r].off;
    uint64_t line = x->line, offset = x->offset + (line ? at - x->bytes_off : r - x->first);
    for (uint32_t i = x->bytes_off; line && i < at; i++)
        line += h->b.bytes[i] == '\n';
    fprintf(out, "%s byte %llu line %llu:", harness_input(&h->ctx, x->input),
            (unsigned long long)offset, (unsigned long long)line);
    trace_put_bytes(out, &h->b, h->b.raw[r]);
    putc('\n', out);
}

static void put_places(FILE *out, struct harness *h)
{
    for (uint32_t i = 0; i < h->b.n_extents; i++) {
        const struct leat_extent *x = &h->b.extent[i];
        for (uint32_t r = x->first; r < x->first + x->n && r < h->b.n; r++)
            put_place(out, h, x, r);
    }
}

static struct trace produced(const struct subject *s, struct harness *h, uint32_t batches,
                             void (*put)(FILE *, struct harness *))
{
    struct trace t = {0};
    FILE *out = open_memstream(&t.text, &t.n);
    int status = LEAT_OK;
    uint64_t since = clock_ns();
    uint32_t idle = 0, k = 0;
    while (k < batches && status != LEAT_EOS && !is_idle(s, idle, since)) {
        trial_step("produce, batch %u", k + 1);
        h->said[0] = 0;
        status = harness_produce(h);
        subject_told(h, "produce", status);
        if (status < 0) subject_fails(h, "produce", status);
        idle = status == LEAT_AGAIN && !h->b.n ? idle + 1 : 0;
        if (!idle) k++, since = clock_ns();
        put(out, h);
    }
    h->impl->ended = status == LEAT_EOS;
    fclose(out);
    return t;
}

struct trace trace_produced(const struct subject *s, struct harness *h, uint32_t batches)
{
    return produced(s, h, batches, put_produced);
}

struct trace trace_places(const struct subject *s, struct harness *h, uint32_t batches)
{
    return produced(s, h, batches, put_places);
}

/* ---- comparing ---- */

static int line_at(const char *text, size_t at, char *out, size_t cap)
{
    size_t begin = at;
    while (begin && text[begin - 1] != '\n')
        begin--;
    char line[280];
    snprintf(line, sizeof line, "%.*s", (int)strcspn(text + begin, "\n"), text + begin);
    return snprintf(out, cap, "%s", *line ? line : "nothing");
}

bool trace_is_same(const struct trace *a, const struct trace *b)
{
    return a->n == b->n && !memcmp(a->text, b->text, a->n);
}

void trace_same(const struct trace *a, const struct trace *b, const char *what)
{
    char expected[300], found[300];
    size_t n = a->n < b->n ? a->n : b->n, at = 0;
    if (trace_is_same(a, b)) return;
    while (at < n && a->text[at] == b->text[at])
        at++;
    line_at(a->text, at, expected, sizeof expected);
    line_at(b->text, at, found, sizeof found);
    trial_fails("%s differs\nexpected: %s\nfound:    %s", what, expected, found);
}

void trace_free(struct trace *t)
{
    free(t->text);
    *t = (struct trace){0};
}
