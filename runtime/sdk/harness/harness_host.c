/* harness_host.c -- the services that the host offers to stages, with the strictest checks. */
#include "harness_impl.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/flow/name_id.h"
#include "host/plugin/stage_tables.h"

enum { HEAD = 64, TAIL = 64, CANARY = 0x5c };

static struct harness *of_ctx(struct leat_ctx *ctx)
{
    return (struct harness *)((char *)ctx - offsetof(struct harness, ctx));
}

/* ---- memory ---- */

#define MAX_BYTES ((size_t)1 << 30) /* largest allocation; forged states may request any size */

static void *harness_host_alloc(struct leat_ctx *ctx, size_t bytes)
{
    struct harness *h = of_ctx(ctx);
    if (h->impl->in_call && !h->may_grow)
        harness_breach(h, BREACH_ALLOCATES, "process() or expand() allocates %zu bytes", bytes);
    h->impl->calls_allocated += h->impl->in_call;
    h->impl->refused += h->allocs_left == 0;
    if (h->allocs_left == 0 || bytes > MAX_BYTES) return NULL;
    h->allocs_left -= h->allocs_left > 0;
    if (!h->impl->borrows && h->allocated + bytes > h->impl->limit)
        harness_breach(h, BREACH_PLAN, "%zu bytes in addition to %zu are more than planned", bytes,
                       h->allocated);
    /* A header lies before the memory, which is aligned to 64 bytes. Unused pages of large blocks
     * are never touched. */
    char *whole = calloc(1, bytes + 64 + HEAD + TAIL);
    if (!whole) return NULL;
    struct harness_block *b = (void *)(((uintptr_t)whole + 63) & ~(uintptr_t)63);
    *b = (struct harness_block){h->impl->blocks, NULL, bytes, whole};
    memset((char *)b + HEAD + bytes, CANARY, TAIL);
    if (b->next) b->next->before = b;
    h->impl->blocks = b;
    h->allocated += bytes;
    if (h->allocated > h->peak) h->peak = h->allocated;
    h->allocations++;
    /* cppcheck-suppress memleak ; b->allocated has it */
    return (char *)b + HEAD;
}

static void free_block(struct harness *h, struct harness_block *b)
{
    const char *tail = (char *)b + HEAD + b->bytes;
    for (size_t i = 0; i < TAIL; i++)
        if (tail[i] != CANARY) {
            harness_breach(h, BREACH_BEYOND, "wrote beyond the end of a block of %zu bytes",
                           b->bytes);
            break;
        }
    if (b->next) b->next->before = b->before;
    *(b->before ? &b->before->next : &h->impl->blocks) = b->next;
    h->allocated -= b->bytes;
    h->allocations--;
    free(b->allocated);
}

void harness_free_blocks(struct harness *h)
{
    while (h->impl->blocks)
        free_block(h, h->impl->blocks);
}

static void harness_host_free(struct leat_ctx *ctx, void *p)
{
    if (p) free_block(of_ctx(ctx), (struct harness_block *)(void *)((char *)p - HEAD));
}

/* ---- messages ---- */

static int harness_host_fail(struct leat_ctx *ctx, int status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    harness_say(of_ctx(ctx), NULL, format, args);
    va_end(args);
    return status;
}

static void harness_host_log(struct leat_ctx *ctx, int level, const char *format, ...) {}

static bool harness_knows_reason(struct harness *h, int reason)
{
    if (reason > LEAT_R_NONE && stage_tables_reason(h->stage, reason)) return true;
    harness_breach(h, BREACH_WHOLE,
                   "reject: reason %d is not one of the host's, nor one of the stage's %u", reason,
                   h->stage->n_reasons);
    return false;
}

static void harness_note(struct harness *h, uint32_t r, int reason, const char *format,
                         va_list args)
{
    harness_must(h, h->n_rejections < HARNESS_REJECTIONS,
                 "more than %d records are rejected: call harness_clear to forget them",
                 HARNESS_REJECTIONS);
    struct harness_rejection *j = &h->rejection[h->n_rejections++];
    j->record = r;
    j->reason = reason;
    vsnprintf(j->text, sizeof j->text, format, args);
}

static void harness_host_reject(struct leat_ctx *ctx, struct leat_batch *b, uint32_t r, int reason,
                                const char *format, ...)
{
    struct harness *h = of_ctx(ctx);
    if (!harness_knows_reason(h, reason)) return;
    if (r >= b->n) {
        harness_breach(h, BREACH_WHOLE, "reject: record %u of %u", r, b->n);
        return;
    }
    if (b->status[r] == LEAT_ROW_REJECTED) return;
    b->status[r] = LEAT_ROW_REJECTED;
    b->reason[r] = (uint16_t)reason;
    b->touched = 1;
    va_list args;
    va_start(args, format);
    harness_note(h, r, reason, format, args);
    va_end(args);
}

static size_t harness_host_keep(struct leat_ctx *ctx, const struct leat_batch *b, uint32_t r,
                                void *to, size_t room)
{
    if (room >= sizeof r) memcpy(to, &r, sizeof r);
    return sizeof r;
}

static void harness_host_reject_kept(struct leat_ctx *ctx, const void *kept, int reason,
                                     const char *format, ...)
{
    struct harness *h = of_ctx(ctx);
    uint32_t record;
    va_list args;
    memcpy(&record, kept, sizeof record);
    va_start(args, format);
    if (harness_knows_reason(h, reason)) harness_note(h, record, reason, format, args);
    va_end(args);
}

static void harness_host_where(struct leat_ctx *ctx, const struct leat_batch *b, uint32_t r,
                               const char **input, uint64_t *offset, uint64_t *line)
{
    const struct harness *h = of_ctx(ctx);
    *input = "test";
    *offset = b->raw[r].off;
    *line = h->lines + (h->impl->number ? h->impl->number[r] : r) + 1;
}

static int harness_host_column(struct leat_ctx *ctx, const char *name, uint32_t types,
                               uint32_t *index)
{
    return harness_columns_find(ctx, of_ctx(ctx), name, types, index);
}

static void harness_host_came_from(struct leat_ctx *ctx, struct leat_batch *out, uint32_t r,
                                   struct leat_str input, uint64_t offset, uint64_t line)
{
    struct harness *h = of_ctx(ctx);
    const char *name = leat_text(out, input);
    if (out != &h->made || r >= out->n)
        harness_breach(h, BREACH_WHOLE, "came_from: expand has not made a record %u", r);
    else if (input.len != 4 || memcmp(name, "test", 5))
        harness_breach(h, BREACH_WHOLE, "came_from: the input is not the one from `where`");
    else
        h->impl->came_from[r] = line;
}

static int harness_host_name_input(struct leat_ctx *ctx, uint32_t input, const char *name)
{
    struct harness *h = of_ctx(ctx);
    if (!strcmp(harness_input(ctx, input), name)) return LEAT_OK;
    struct harness_input *i = harness_room(h, sizeof *i);
    *i = (struct harness_input){h->impl->inputs, input, harness_keep(h, name, strlen(name))};
    h->impl->inputs = i;
    return LEAT_OK;
}

/* Checks that a counter never falls. It starts at 0, and may restart after a restore. */
static void check_counter(struct harness *h, const struct leat_figure *f, double value)
{
    double *least = &h->impl->counter[f - h->stage->figures];
    if (!(value >= *least))
        harness_breach(h, BREACH_FIGURE, "figure '%s' is a counter, and goes from %g to %g",
                       f->name, *least, value);
    *least = value;
}

static void harness_host_metric(struct leat_ctx *ctx, const char *name, double value)
{
    struct harness *h = of_ctx(ctx);
    const struct leat_figure *f = stage_tables_figure(h->stage, name);
    uint32_t i = 0;
    if (!f)
        harness_breach(h, BREACH_FIGURE,
                       "metric '%s' is not among the figures that the stage declares", name);
    else if (f->kind == LEAT_COUNTER)
        check_counter(h, f, value);
    while (i < h->n_metrics && strcmp(h->metric[i].name, name))
        i++;
    if (i == sizeof h->metric / sizeof *h->metric) {
        harness_breach(h, BREACH_MISUSE, "more than %u metrics", i);
        return;
    }
    h->metric[i] = (struct harness_metric){name, value};
    h->n_metrics += i == h->n_metrics;
}

static void harness_host_lag(struct leat_ctx *ctx, int64_t total, const struct leat_lag *worst,
                             uint32_t n)
{
}

/* ---- the run ---- */

static int harness_host_stopping(struct leat_ctx *ctx) { return of_ctx(ctx)->stopping; }

static int harness_host_stop_fd(struct leat_ctx *ctx)
{
    struct harness *h = of_ctx(ctx);
    if (!h->impl->stop_pipe[1] && pipe2(h->impl->stop_pipe, O_CLOEXEC | O_NONBLOCK)) return -1;
    if (h->stopping && write(h->impl->stop_pipe[1], "", 1) < 0) return -1;
    return h->impl->stop_pipe[0];
}

void harness_stop(struct harness *h)
{
    h->stopping = 1;
    if (h->impl->stop_pipe[1] && write(h->impl->stop_pipe[1], "", 1) < 0)
        harness_must(h, 0, "the pipe of stop_fd is full");
}

static int64_t harness_host_time_left(struct leat_ctx *ctx) { return INT64_MAX; }

static int harness_host_sync_file(struct leat_ctx *ctx, int fd) { return LEAT_OK; }

static uint64_t harness_host_seed(struct leat_ctx *ctx) { return of_ctx(ctx)->seed; }

static void harness_host_checkpoint_soon(struct leat_ctx *ctx) {}

static void harness_host_fault(struct leat_ctx *ctx, const char *place) {}

/* Gives a new input its number. In a harness, no input has a saved state. */
static int harness_host_shard_begin(struct leat_ctx *ctx, const char *name, const void *state,
                                    size_t n, uint32_t *input)
{
    if (*input == LEAT_NEW_INPUT) *input = of_ctx(ctx)->impl->n_inputs++;
    return LEAT_OK;
}

static void harness_host_shard_state(struct leat_ctx *ctx, uint32_t input, const void **state,
                                     size_t *n)
{
    *state = NULL;
    *n = 0;
}

static void harness_host_shard_end(struct leat_ctx *ctx, uint32_t input) {}

/* ---- records from bytes ---- */

const char *harness_input(struct leat_ctx *ctx, uint32_t input)
{
    for (const struct harness_input *i = of_ctx(ctx)->impl->inputs; i; i = i->next)
        if (i->number == input) return i->name;
    return "test";
}

/* Cuts records. The memory for cutting belongs to the host, so it does not count as allocated by
 * the stage, even in produce(). */
static int harness_host_cut(struct leat_ctx *ctx, struct leat_batch *b, uint32_t input,
                            const char *bytes, size_t n, int end, size_t *taken)
{
    struct harness_impl *m = of_ctx(ctx)->impl;
    bool in_call = m->in_call;
    m->in_call = false;
    int status = cut_records(&m->cutting, ctx, b, input, bytes, n, end, taken);
    m->in_call = in_call;
    return status;
}

static int harness_host_cut_header(struct leat_ctx *ctx, uint32_t input, const char *bytes,
                                   size_t n, int end, size_t *taken, const char **text,
                                   uint32_t *len)
{
    return cut_header(&of_ctx(ctx)->impl->cutting, ctx, input, bytes, n, end, taken, text, len);
}

static void harness_host_cut_place(struct leat_ctx *ctx, uint32_t input, uint64_t *offset,
                                   uint64_t *line)
{
    cut_place(&of_ctx(ctx)->impl->cutting, input, offset, line);
}

static int harness_host_cut_continue(struct leat_ctx *ctx, uint32_t input, uint64_t offset,
                                     uint64_t line)
{
    return cut_continue(&of_ctx(ctx)->impl->cutting, ctx, input, offset, line);
}

/* Returns NULL, because a harness has no later stages. */
static const char *harness_host_made_later(struct leat_ctx *ctx, uint32_t k, const char **by)
{
    return NULL;
}

/* Returns 1, because a test may look at any column. */
static int harness_host_is_read(struct leat_ctx *ctx, uint32_t column) { return 1; }

/* Returns NULL, because a harness has no pipeline with options. */
static void *harness_host_linalg(struct leat_ctx *ctx, const char *name) { return NULL; }

/* Returns 0, because nobody watches a test. */
static int harness_host_group(struct leat_ctx *ctx, const struct leat_group *group) { return 0; }

static void harness_host_waits(struct leat_ctx *ctx, const char *reason) {}

/* ---- event time: the records of a harness are of one input ---- */

static void harness_host_open_inputs(struct leat_ctx *ctx, uint32_t n) {}

static int harness_host_close_input(struct leat_ctx *ctx, uint32_t input) { return LEAT_OK; }

static int harness_host_event_time(struct leat_ctx *ctx, const struct leat_batch *in, uint32_t r,
                                   int64_t max_ahead, struct leat_clock *clock)
{
    struct harness *h = of_ctx(ctx);
    struct event_clock *c = &h->impl->clock;
    const struct event_marks marks = {.open = EVENT_UNMARKED};
    harness_must(h, h->stage->caps & LEAT_CLOCK,
                 "event_time: the stage does not declare LEAT_CLOCK");
    event_clock_mark(c, 0, in->seq, &marks);
    event_clock_look(c, clock);
    if (r == LEAT_NULL || in->timestamp[r] < 0) return LEAT_OK;
    struct event_input *input = event_clock_find(c, 0, EVENT_WHOLE);
    if (!input) input = event_clock_continue(c, 0, EVENT_WHOLE, 0);
    if (!input) input = event_clock_add(c, 0, EVENT_WHOLE, 0);
    if (!input) return LEAT_ENOMEM;
    event_clock_take(c, input, in->timestamp[r], max_ahead, clock);
    return LEAT_OK;
}

static uint32_t harness_host_event_times(struct leat_ctx *ctx, const struct leat_batch *in,
                                         uint32_t k, uint32_t n, int64_t max_ahead, int64_t until,
                                         struct leat_clock *clock)
{
    struct harness *h = of_ctx(ctx);
    struct event_input *input = event_clock_find(&h->impl->clock, 0, EVENT_WHOLE);
    harness_must(h, k + n <= in->n_sel, "event_times: the batch has no such records");
    if (!input || h->impl->clock.seq != in->seq + 1) return 0;
    return event_clock_take_run(&h->impl->clock, input, in->timestamp, in->sel + k, n, max_ahead,
                                until, clock);
}

const struct leat_host harness_host = {
    .size = sizeof harness_host,
    .abi_major = LEAT_ABI_MAJOR,
    .abi_minor = LEAT_ABI_MINOR,
    .alloc = harness_host_alloc,
    .free = harness_host_free,
    .fail = harness_host_fail,
    .log = harness_host_log,
    .reject = harness_host_reject,
    .where = harness_host_where,
    .name_input = harness_host_name_input,
    .metric = harness_host_metric,
    .lag = harness_host_lag,
    .stopping = harness_host_stopping,
    .stop_fd = harness_host_stop_fd,
    .time_left = harness_host_time_left,
    .sync_file = harness_host_sync_file,
    .seed = harness_host_seed,
    .came_from = harness_host_came_from,
    .column = harness_host_column,
    .feature_id = name_id,
    .made_later = harness_host_made_later,
    .open_inputs = harness_host_open_inputs,
    .close_input = harness_host_close_input,
    .event_time = harness_host_event_time,
    .event_times = harness_host_event_times,
    .is_read = harness_host_is_read,
    .linalg = harness_host_linalg,
    .waits = harness_host_waits,
    .group = harness_host_group,
    .keep = harness_host_keep,
    .reject_kept = harness_host_reject_kept,
    .cut = harness_host_cut,
    .cut_header = harness_host_cut_header,
    .cut_place = harness_host_cut_place,
    .cut_continue = harness_host_cut_continue,
    .checkpoint_soon = harness_host_checkpoint_soon,
    .fault = harness_host_fault,
    .shard_begin = harness_host_shard_begin,
    .shard_state = harness_host_shard_state,
    .shard_end = harness_host_shard_end,
};
