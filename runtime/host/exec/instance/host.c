/* host.c -- the services in struct leat_host, which act on the instance whose context they get. */

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "input_clock.h"
#include "core/time/clock.h"
#include "host/store/fault.h"
#include "host/log/log.h"
#include "core/mix64.h"
#include "host/flow/name_id.h"
#include "host/plugin/status_text.h"
#include "instance.h"
#include "host/graph/linalg.h"
#include "host/graph/stage_columns.h"
#include "host/plugin/stage_tables.h"
#include "core/report/byte_size.h"
#include "host/exec/plan/plan_memory.h"
#include "host/exec/run.h"

/* A stage may exceed its plan by 1/SLACK_SHARE of the plan plus SLACK_BYTES, for rounding. */
enum { SLACK_SHARE = 8, SLACK_BYTES = 64 << 10 };

static struct instance *host_instance(struct leat_ctx *ctx) { return (struct instance *)ctx; }

/* Checks run.memory_max, the memory limit for stages that are opened from a snapshot, before the
 * memory is allocated. */
static bool host_is_within_limit(struct run *r, size_t bytes)
{
    if (!r->memory_max) return true;
    if (bytes > r->memory_max - r->memory) {
        r->memory_refused = true;
        return false;
    }
    r->memory += bytes;
    return true;
}

/* Returns the most bytes that a stage may take. A merged state comes on top of the plan. */
static uint64_t host_limit(const struct instance *i)
{
    const struct leat_plan *p = &i->node->plan;
    uint64_t all = p->state_bytes + p->names_bytes + p->work_bytes;
    return all + all / SLACK_SHARE + SLACK_BYTES + i->memory.merged;
}

void host_note_merged(struct instance *i)
{
    i->memory.merged = 0;
    if (i->memory.bytes > host_limit(i)) i->memory.merged = i->memory.bytes;
}

/* Returns true if `bytes` more are within the stage's plan. Otherwise fails the run, because `leat
 * check` has promised the plan, even if the stage could do without the memory. A stage that was
 * opened only to look at it has no plan. During query, restore and merge the limit does not hold,
 * because the stage frees that memory. */
static bool host_is_planned(struct instance *i, size_t bytes)
{
    char more[BYTE_SIZE_TEXT], has[BYTE_SIZE_TEXT], planned[BYTE_SIZE_TEXT];
    const struct leat_plan *p = &i->node->plan;
    uint64_t all = p->state_bytes + p->names_bytes + p->work_bytes, limit = host_limit(i);
    if (!p->size || i->memory.borrows || (bytes <= limit && i->memory.bytes <= limit - bytes))
        return true;
    instance_fail(i, LEAT_ENOMEM,
                  "it asked for %s and has %s already, but planned only %s in all: its `plan` "
                  "must count all that it allocates",
                  byte_size(bytes, more), byte_size(i->memory.bytes, has), byte_size(all, planned));
    return false;
}

static void *host_alloc(struct leat_ctx *ctx, size_t bytes)
{
    struct instance *i = host_instance(ctx);
    if (!host_is_planned(i, bytes) || !host_is_within_limit(i->run, bytes)) return NULL;
    void *p = instance_memory_take(i, bytes);
    if (!p && i->run->memory_max) i->run->memory -= bytes;
    return p;
}

static void host_free(struct leat_ctx *ctx, void *p)
{
    struct instance *i = host_instance(ctx);
    size_t bytes = p ? instance_memory_give(i, p) : 0;
    if (i->run->memory_max) i->run->memory -= bytes;
}

static int host_fail(struct leat_ctx *ctx, int status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    instance_vfail(host_instance(ctx), status, format, args);
    va_end(args);
    return status;
}

static void host_log(struct leat_ctx *ctx, int level, const char *format, ...)
{
    const struct node *n = host_instance(ctx)->node;
    struct diag *heard = host_instance(ctx)->run->heard;
    va_list args;
    va_start(args, format);
    bool tried = heard && level == LEAT_WARN;
    /* `leat check` tries learners without a state, but the run may continue from a state. So it
     * does not report a learner's warnings. */
    if (tried && n->stage->kind != LEAT_LEARNER)
        diag_vadd(heard, DIAG_WARNING, n->at, n->label, NULL, format, args);
    else if (!tried && !host_instance(ctx)->run->mute)
        log_of_stage(level, n->id, n->label, format, args);
    va_end(args);
}

/* Returns the reason; LEAT_R_OTHER after failing the run if the reason is unknown. */
static int host_check_reason(const struct instance *i, int reason)
{
    if (reason > LEAT_R_NONE && stage_tables_reason(i->node->stage, reason)) return reason;
    instance_fail(i, LEAT_EDATA,
                  "reject got reason %d, which is not one of leat/status.h, nor one of the %u that "
                  "the stage declares (LEAT_R_OWN(0) and so on)",
                  reason, i->node->stage->n_reasons);
    control_halt(&i->run->control);
    return LEAT_R_OTHER;
}

static void host_reject(struct leat_ctx *ctx, struct leat_batch *b, uint32_t r, int reason,
                        const char *format, ...)
{
    struct instance *i = host_instance(ctx);
    va_list args;
    reason = host_check_reason(i, reason);
    va_start(args, format);
    dead_letters_note((struct hbatch *)b, i, r, reason, format, args);
    va_end(args);
}

static size_t host_keep(struct leat_ctx *ctx, const struct leat_batch *b, uint32_t r, void *to,
                        size_t room)
{
    return dead_letters_keep((struct hbatch *)b, r, to, room);
}

static void host_reject_kept(struct leat_ctx *ctx, const void *kept, int reason, const char *format,
                             ...)
{
    struct instance *i = host_instance(ctx);
    va_list args;
    va_start(args, format);
    struct late_letter *late =
        dead_letters_refuse(kept, i, host_check_reason(i, reason), format, args);
    va_end(args);
    if (!late) {
        instance_fail(i, LEAT_ENOMEM, "a record could not be rejected: %s",
                      status_text(LEAT_ENOMEM));
        control_halt(&i->run->control);
        return;
    }
    if (!i->late) i->late_end = &i->late;
    *i->late_end = late;
    i->late_end = &late->next;
}

static void host_where(struct leat_ctx *ctx, const struct leat_batch *b, uint32_t r,
                       const char **input, uint64_t *offset, uint64_t *line)
{
    struct hbatch *h = (struct hbatch *)b;
    struct batch_origin o = batch_origin(h, r);
    *input = instance_origin(h->source, &o);
    *offset = o.offset;
    *line = o.line;
}

static void host_came_from(struct leat_ctx *ctx, struct leat_batch *out, uint32_t r,
                           struct leat_str input, uint64_t offset, uint64_t line)
{
    batch_place((struct hbatch *)out, r, leat_text(out, input), offset, line);
}

static int host_name_input(struct leat_ctx *ctx, uint32_t input, const char *name)
{
    return instance_name_input(host_instance(ctx), input, name);
}

static void host_metric(struct leat_ctx *ctx, const char *name, double value)
{
    struct instance *i = host_instance(ctx);
    uint32_t k = 0;
    while (k < i->n_metrics && strcmp(i->metric[k].figure->name, name))
        k++;
    if (k == i->n_metrics) {
        const struct leat_figure *figure = stage_tables_figure(i->node->stage, name);
        if (!figure) {
            instance_fail(i, LEAT_EDATA,
                          "metric got '%s', which is not among the figures that the stage declares "
                          "(LEAT_FIGURES)",
                          name);
            control_halt(&i->run->control);
            return;
        }
        i->metric[i->n_metrics++].figure = figure;
    }
    i->metric[k].value = value;
}

static void host_lag(struct leat_ctx *ctx, int64_t total, const struct leat_lag *worst, uint32_t n)
{
    instance_lag(host_instance(ctx), total, worst, n);
}

static int host_group(struct leat_ctx *ctx, const struct leat_group *group)
{
    struct instance *i = host_instance(ctx);
    if (group) instance_group(i, group);
    return atomic_load_explicit(&i->run->visits.expected, memory_order_relaxed);
}

static void host_waits(struct leat_ctx *ctx, const char *reason)
{
    instance_waits(host_instance(ctx), reason);
}

static int host_stopping(struct leat_ctx *ctx)
{
    return atomic_load_explicit(&host_instance(ctx)->run->control.stopping, memory_order_relaxed);
}

static int64_t host_time_left(struct leat_ctx *ctx)
{
    uint64_t deadline = atomic_load(&host_instance(ctx)->run->control.deadline), now = clock_ns();
    if (!deadline) return INT64_MAX;
    return deadline > now ? (int64_t)(deadline - now) : 0;
}

static int host_stop_fd(struct leat_ctx *ctx) { return host_instance(ctx)->run->control.stop_fd; }

/* Hash of the stage's first id (graph_first_id) by FNV-1a, mixed with the pipeline's seed. All
 * lanes of a stage have the same seed, because a record's result must not depend on its lane. "awm"
 * and "awm{rate=1}" have the same seed, too: when settings of a learner are compared, only the
 * setting may differ. */
static uint64_t host_seed(struct leat_ctx *ctx)
{
    const struct instance *i = host_instance(ctx);
    uint64_t h = UINT64_C(14695981039346656037);
    for (const char *p = graph_first_id(i->node); *p && *p != '{'; p++)
        h = (h ^ (unsigned char)*p) * UINT64_C(1099511628211);
    return mix64(h ^ (uint64_t)i->run->graph->options.seed * MIX64_GOLDEN);
}

static void host_checkpoint_soon(struct leat_ctx *ctx)
{
    struct run *r = host_instance(ctx)->run;
    if (r->checkpoint_hooks) r->checkpoint_hooks->request(r);
}

static int host_shard_begin(struct leat_ctx *ctx, const char *name, const void *state, size_t n,
                            uint32_t *input)
{
    struct run *r = host_instance(ctx)->run;
    if (!r->shard_hooks) return LEAT_EFULL;
    int status = r->shard_hooks->begin(r, name, state, n, input);
    return status == LEAT_OK ? host_name_input(ctx, *input, name) : status;
}

static void host_shard_state(struct leat_ctx *ctx, uint32_t input, const void **state, size_t *n)
{
    struct run *r = host_instance(ctx)->run;
    assert(r->shard_hooks);
    r->shard_hooks->state(r, input, state, n);
}

static void host_shard_end(struct leat_ctx *ctx, uint32_t input)
{
    struct run *r = host_instance(ctx)->run;
    assert(r->shard_hooks);
    r->shard_hooks->end(r, input);
}

/* Duplicates the descriptor, because the stage may close its own while a snapshot is being
 * written. */
static int host_sync_file(struct leat_ctx *ctx, int fd)
{
    struct instance *i = host_instance(ctx);
    if (!i->saved || i->writing.output > 0) return LEAT_OK;
    i->writing.output = fcntl(fd, F_DUPFD_CLOEXEC, 3);
    return i->writing.output < 0
               ? host_fail(ctx, LEAT_EIO, "its output cannot be held open for a snapshot: %s",
                           strerror(errno))
               : LEAT_OK;
}

static int host_column(struct leat_ctx *ctx, const char *name, uint32_t types, uint32_t *index)
{
    if (stage_columns_find(host_instance(ctx)->node, name, types, index)) return LEAT_OK;
    return host_fail(ctx, LEAT_EARG,
                     "open asks for column '%s', but negotiate has not asked for it with one of "
                     "these types",
                     name);
}

static int host_is_read(struct leat_ctx *ctx, uint32_t column)
{
    const struct instance *i = host_instance(ctx);
    return stage_columns_is_read(i->run->graph, i->node, column);
}

static void *host_linalg(struct leat_ctx *ctx, const char *name)
{
    return linalg_function(host_instance(ctx)->run->graph->options.linalg, name);
}

static const char *host_made_later(struct leat_ctx *ctx, uint32_t k, const char **by)
{
    const struct node *n = host_instance(ctx)->node;
    if (k >= n->n_made) return NULL;
    *by = n->made[k].by->label;
    return n->made[k].name;
}

/* Says how much memory the states of all inputs may take. Fails the run if it is too much. */
static void host_open_shards(struct instance *source, uint32_t n)
{
    char all[BYTE_SIZE_TEXT], states[BYTE_SIZE_TEXT];
    const struct run *r = source->run;
    struct plan p = r->plan;
    source->node->n_inputs += n;
    if (!p.bytes) return; /* `leat check` asks, without a run */
    plan_memory_add_up(&p, r->graph);
    log_message(LEAT_INFO, "%s: %u inputs: the run takes at most %s, their states %s of it",
                source->node->label, (unsigned)p.counted_shards, byte_size(p.bytes, all),
                byte_size(p.shard_bytes, states));
    if (r->graph->options.memory && p.bytes > (uint64_t)r->graph->options.memory)
        instance_fail(source, LEAT_EARG,
                      "the states of %u inputs may take %s, and the pipeline %s, more than memory "
                      "= %s: lower budgets, or start more processes with partitions_max",
                      (unsigned)p.counted_shards, states, all,
                      byte_size((uint64_t)r->graph->options.memory, states));
}

static void host_open_inputs(struct leat_ctx *ctx, uint32_t n)
{
    struct instance *source = host_instance(ctx);
    if (source->node->plan.shards)
        host_open_shards(source, n);
    else
        input_clock_open_inputs(source, n);
}

static int host_close_input(struct leat_ctx *ctx, uint32_t input)
{
    struct instance *source = host_instance(ctx);
    return input_clock_close_input(source, input, source->reading.filling->n);
}

static int host_event_time(struct leat_ctx *ctx, const struct leat_batch *in, uint32_t r,
                           int64_t max_ahead, struct leat_clock *clock)
{
    return input_clock_take(host_instance(ctx), (struct hbatch *)in, r, max_ahead, clock);
}

static uint32_t host_event_times(struct leat_ctx *ctx, const struct leat_batch *in, uint32_t k,
                                 uint32_t n, int64_t max_ahead, int64_t until,
                                 struct leat_clock *clock)
{
    return input_clock_take_run(host_instance(ctx), (struct hbatch *)in, k, n, max_ahead, until,
                                clock);
}

static int host_cut(struct leat_ctx *ctx, struct leat_batch *b, uint32_t input, const char *bytes,
                    size_t n, int end, size_t *taken)
{
    return cut_records(&host_instance(ctx)->reading.cutting, ctx, b, input, bytes, n, end, taken);
}

static int host_cut_header(struct leat_ctx *ctx, uint32_t input, const char *bytes, size_t n,
                           int end, size_t *taken, const char **text, uint32_t *len)
{
    return cut_header(&host_instance(ctx)->reading.cutting, ctx, input, bytes, n, end, taken, text,
                      len);
}

static void host_cut_place(struct leat_ctx *ctx, uint32_t input, uint64_t *offset, uint64_t *line)
{
    cut_place(&host_instance(ctx)->reading.cutting, input, offset, line);
}

static int host_cut_continue(struct leat_ctx *ctx, uint32_t input, uint64_t offset, uint64_t line)
{
    return cut_continue(&host_instance(ctx)->reading.cutting, ctx, input, offset, line);
}

static void host_fault(struct leat_ctx *ctx, const char *point) { fault(point); }

const struct leat_host host_services = {.size = sizeof(struct leat_host),
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
                                        .group = host_group,
                                        .stopping = host_stopping,
                                        .stop_fd = host_stop_fd,
                                        .seed = host_seed,
                                        .checkpoint_soon = host_checkpoint_soon,
                                        .shard_begin = host_shard_begin,
                                        .shard_state = host_shard_state,
                                        .shard_end = host_shard_end,
                                        .time_left = host_time_left,
                                        .sync_file = host_sync_file,
                                        .fault = host_fault,
                                        .came_from = host_came_from,
                                        .cut = host_cut,
                                        .cut_header = host_cut_header,
                                        .cut_place = host_cut_place,
                                        .cut_continue = host_cut_continue,
                                        .column = host_column,
                                        .feature_id = name_id,
                                        .made_later = host_made_later,
                                        .open_inputs = host_open_inputs,
                                        .close_input = host_close_input,
                                        .event_time = host_event_time,
                                        .event_times = host_event_times,
                                        .is_read = host_is_read,
                                        .linalg = host_linalg,
                                        .waits = host_waits,
                                        .keep = host_keep,
                                        .reject_kept = host_reject_kept};
