/* harness_host.c -- the host's services, as strict as they can be. */
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/flow/name_id.h"
#include "harness_columns.h"
#include "harness_host.h"
#include "host/plugin/stage_tables.h"

enum { HEAD = 64, TAIL = 64, CANARY = 0x5c };

static struct harness *of_ctx(struct leat_ctx *ctx)
{
    return (struct harness *)((char *)ctx - offsetof(struct harness, ctx));
}

void harness_say(struct harness *h, const char *param, const char *format, va_list args)
{
    size_t n = strlen(h->said);
    if (param) n += (size_t)snprintf(h->said + n, sizeof h->said - n, "%s: ", param);
    if (n < sizeof h->said) vsnprintf(h->said + n, sizeof h->said - n, format, args);
    n = strlen(h->said);
    if (n + 1 < sizeof h->said) memcpy(h->said + n, "\n", 2);
}

/* ---- memory ---- */

#define MAX_BYTES ((size_t)1 << 30) /* lying states ask for anything */

static void *host_alloc(struct leat_ctx *ctx, size_t bytes)
{
    struct harness *h = of_ctx(ctx);
    if (h->impl->in_call && !h->may_grow)
        harness_breach(h, BREACH_ALLOCATES, "process() or expand() allocates %zu bytes", bytes);
    h->impl->calls_allocated += h->impl->in_call;
    h->impl->refused += h->allocs_left == 0;
    if (h->allocs_left == 0 || bytes > MAX_BYTES) return NULL;
    h->allocs_left -= h->allocs_left > 0;
    if (!h->impl->borrows && h->allocated + bytes > h->impl->limit)
        harness_breach(h, BREACH_PLAN, "%zu bytes besides %zu are more than it has planned", bytes,
                       h->allocated);
    /* Before the memory, which is aligned to 64 bytes, its head. Pages of large blocks that nothing
     * uses are never touched. */
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

static void host_free(struct leat_ctx *ctx, void *p)
{
    if (p) free_block(of_ctx(ctx), (struct harness_block *)(void *)((char *)p - HEAD));
}

/* ---- words ---- */

static int host_fail(struct leat_ctx *ctx, int status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    harness_say(of_ctx(ctx), NULL, format, args);
    va_end(args);
    return status;
}

static void host_log(struct leat_ctx *ctx, int level, const char *format, ...) {}

static void host_reject(struct leat_ctx *ctx, struct leat_batch *b, uint32_t r, int reason,
                        const char *format, ...)
{
    struct harness *h = of_ctx(ctx);
    if (reason <= LEAT_R_NONE || !stage_tables_reason(h->stage, reason)) {
        harness_breach(h, BREACH_WHOLE,
                       "reject: reason %d is none of the host's, nor of its own %u", reason,
                       h->stage->n_reasons);
        return;
    }
    if (r >= b->n) {
        harness_breach(h, BREACH_WHOLE, "reject: record %u of %u", r, b->n);
        return;
    }
    if (b->status[r] == LEAT_ROW_REJECTED) return;
    b->status[r] = LEAT_ROW_REJECTED;
    b->reason[r] = (uint16_t)reason;
    b->touched = 1;
    harness_must(h, h->n_rejections < HARNESS_REJECTIONS,
                 "more than %d records are rejected: harness_clear forgets them",
                 HARNESS_REJECTIONS);
    struct harness_rejection *j = &h->rejection[h->n_rejections++];
    j->record = r;
    j->reason = reason;
    va_list args;
    va_start(args, format);
    vsnprintf(j->text, sizeof j->text, format, args);
    va_end(args);
}

static void host_where(struct leat_ctx *ctx, const struct leat_batch *b, uint32_t r,
                       const char **input, uint64_t *offset, uint64_t *line)
{
    const struct harness *h = of_ctx(ctx);
    *input = "test";
    *offset = b->raw[r].off;
    *line = h->lines + (h->impl->number ? h->impl->number[r] : r) + 1;
}

static int host_column(struct leat_ctx *ctx, const char *name, uint32_t types, uint32_t *index)
{
    return harness_columns_find(ctx, of_ctx(ctx), name, types, index);
}

static void host_came_from(struct leat_ctx *ctx, struct leat_batch *out, uint32_t r,
                           struct leat_str input, uint64_t offset, uint64_t line)
{
    struct harness *h = of_ctx(ctx);
    const char *name = leat_text(out, input);
    if (out != &h->made || r >= out->n)
        harness_breach(h, BREACH_WHOLE, "came_from: record %u is none that expand has made", r);
    else if (input.len != 4 || memcmp(name, "test", 5))
        harness_breach(h, BREACH_WHOLE, "came_from: the input is not what `where` has told");
    else
        h->impl->came_from[r] = line;
}

static int host_name_input(struct leat_ctx *ctx, uint32_t input, const char *name)
{
    struct harness *h = of_ctx(ctx);
    if (!strcmp(harness_input(ctx, input), name)) return LEAT_OK;
    struct harness_input *i = harness_room(h, sizeof *i);
    *i = (struct harness_input){h->impl->inputs, input, harness_keep(h, name, strlen(name))};
    h->impl->inputs = i;
    return LEAT_OK;
}

/* From 0 on it only grows; after a restore it may begin again. */
static void check_counter(struct harness *h, const struct leat_figure *f, double value)
{
    double *least = &h->impl->counter[f - h->stage->figures];
    if (!(value >= *least))
        harness_breach(h, BREACH_FIGURE, "figure '%s' is a counter, and goes from %g to %g",
                       f->name, *least, value);
    *least = value;
}

static void host_metric(struct leat_ctx *ctx, const char *name, double value)
{
    struct harness *h = of_ctx(ctx);
    const struct leat_figure *f = stage_tables_figure(h->stage, name);
    uint32_t i = 0;
    if (!f)
        harness_breach(h, BREACH_FIGURE, "metric '%s' is not among the figures that it declares",
                       name);
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

static void host_lag(struct leat_ctx *ctx, int64_t total, const struct leat_lag *worst, uint32_t n)
{
}

/* ---- the run ---- */

static int host_stopping(struct leat_ctx *ctx) { return of_ctx(ctx)->stopping; }

static int host_stop_fd(struct leat_ctx *ctx)
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

static int64_t host_time_left(struct leat_ctx *ctx) { return INT64_MAX; }

static int host_sync_file(struct leat_ctx *ctx, int fd) { return LEAT_OK; }

static uint64_t host_seed(struct leat_ctx *ctx) { return of_ctx(ctx)->seed; }

static void host_checkpoint_soon(struct leat_ctx *ctx) {}

static void host_fault(struct leat_ctx *ctx, const char *place) {}

/* Inputs begin from nothing, and their states are nothing. */
static int host_shard_begin(struct leat_ctx *ctx, const char *name, const void *state, size_t n,
                            uint32_t *input)
{
    if (*input == LEAT_NEW_INPUT) *input = of_ctx(ctx)->impl->n_inputs++;
    return LEAT_OK;
}

static void host_shard_state(struct leat_ctx *ctx, uint32_t input, const void **state, size_t *n)
{
    *state = NULL;
    *n = 0;
}

static void host_shard_end(struct leat_ctx *ctx, uint32_t input) {}

/* ---- records of bytes ---- */

const char *harness_input(struct leat_ctx *ctx, uint32_t input)
{
    for (const struct harness_input *i = of_ctx(ctx)->impl->inputs; i; i = i->next)
        if (i->number == input) return i->name;
    return "test";
}

/* What cutting takes is memory that the host takes in the stage's name: it may be in produce. */
static int host_cut(struct leat_ctx *ctx, struct leat_batch *b, uint32_t input, const char *bytes,
                    size_t n, int end, size_t *taken)
{
    struct harness_impl *m = of_ctx(ctx)->impl;
    bool in_call = m->in_call;
    m->in_call = false;
    int status = cut_records(&m->cutting, ctx, b, input, bytes, n, end, taken);
    m->in_call = in_call;
    return status;
}

static int host_cut_header(struct leat_ctx *ctx, uint32_t input, const char *bytes, size_t n,
                           int end, size_t *taken, const char **text, uint32_t *len)
{
    return cut_header(&of_ctx(ctx)->impl->cutting, ctx, input, bytes, n, end, taken, text, len);
}

static void host_cut_place(struct leat_ctx *ctx, uint32_t input, uint64_t *offset, uint64_t *line)
{
    cut_place(&of_ctx(ctx)->impl->cutting, input, offset, line);
}

static int host_cut_continue(struct leat_ctx *ctx, uint32_t input, uint64_t offset, uint64_t line)
{
    return cut_continue(&of_ctx(ctx)->impl->cutting, ctx, input, offset, line);
}

/* No stage comes after it. */
static const char *host_made_later(struct leat_ctx *ctx, uint32_t k, const char **by)
{
    return NULL;
}

const struct leat_host harness_host = {
    .size = sizeof harness_host,
    .abi_major = LEAT_ABI_MAJOR,
    .abi_minor = LEAT_ABI_MINOR,
    .alloc = host_alloc,
    .free = host_free,
    .fail = host_fail,
    .log = host_log,
    .reject = host_reject,
    .where = host_where,
    .name_input = host_name_input,
    .metric = host_metric,
    .lag = host_lag,
    .stopping = host_stopping,
    .stop_fd = host_stop_fd,
    .time_left = host_time_left,
    .sync_file = host_sync_file,
    .seed = host_seed,
    .came_from = host_came_from,
    .column = host_column,
    .feature_id = name_id,
    .made_later = host_made_later,
    .cut = host_cut,
    .cut_header = host_cut_header,
    .cut_place = host_cut_place,
    .cut_continue = host_cut_continue,
    .checkpoint_soon = host_checkpoint_soon,
    .fault = host_fault,
    .shard_begin = host_shard_begin,
    .shard_state = host_shard_state,
    .shard_end = host_shard_end,
};
