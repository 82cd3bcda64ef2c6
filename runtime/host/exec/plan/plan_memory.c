/* plan_memory.c -- implementation of plan_memory.h: adds up bytes, checks limits. */
#include "plan_memory.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <link.h>

#include "core/report/byte_size.h"
#include "host/exec/answers/ask.h"
#include "host/flow/ring.h"
#include "host/graph/pure_calls.h"
#include "host/memory/process_memory.h"
#include "host/metrics/progressive.h"
#include "host/params/params.h"

/* PROCESS_BYTES: the program with its libraries, small plugins and the script. LIBRARY_BYTES: each
 * large library. THREAD_BYTES: stack and share of the heap of a thread. SYSTEM_THREADS: threads
 * that run no stages. Measured: 9 MB for an empty pipeline, 3 MB more with OpenBLAS, 2 MB more with
 * librdkafka. */
enum {
    PROCESS_BYTES = 9 << 20,
    LIBRARY_BYTES = 4 << 20,
    THREAD_BYTES = 1 << 17,
    SYSTEM_THREADS = 3
};

/* ---- memory of the process: program, libraries, threads ---- */

static int memory_is_library(struct dl_phdr_info *info, size_t size, void *name)
{
    return strstr(info->dlpi_name, name) != NULL;
}

static bool memory_uses(const char *library)
{
    return dl_iterate_phdr(memory_is_library, (void *)library) != 0;
}

static uint64_t memory_process_bytes(uint32_t threads)
{
    static const char *const large[] = {"/libopenblas", "/librdkafka", "/libcurl"};
    uint64_t libraries = 0;
    for (size_t k = 0; k < sizeof large / sizeof *large; k++)
        libraries += memory_uses(large[k]) ? LIBRARY_BYTES : 0;
    return PROCESS_BYTES + libraries + (uint64_t)(threads + SYSTEM_THREADS) * THREAD_BYTES;
}

/* ---- memory of the stages ---- */

int plan_memory_stage(const struct graph *g, struct node *n)
{
    n->plan = (struct leat_plan){.size = sizeof n->plan, .split = g->split != NULL};
    return n->stage->plan ? pure_plan(n, &n->plan) : LEAT_OK;
}

void plan_memory_stages(struct plan *p, struct graph *g, struct diag *d)
{
    for (uint32_t i = 0; i < g->n_nodes; i++) {
        struct node *n = &g->node[i];
        if (!n->stage) continue;
        size_t before = d->errors;
        n->n_inputs = 0;
        int status = plan_memory_stage(g, n);
        if (status < 0) {
            const char *why = n->plan.note;
            diag_add(d, DIAG_ERROR, n->at, n->label, NULL,
                     "the stage cannot plan its memory for these parameters%s%.*s",
                     *why ? ": " : "", (int)sizeof n->plan.note - 1, why);
        }
        pure_is_kept(d, n, "plan", status, before);
        p->n_asks += n->asked != NULL;
    }
}

static uint64_t memory_stage_bytes(const struct node *n)
{
    uint64_t bytes =
        n->stage->instance_size + n->plan.state_bytes + n->plan.names_bytes + n->plan.work_bytes;
    if (n->stage->kind == LEAT_LEARNER) bytes += progressive_bytes(graph_score(n));
    return (uint64_t)n->lanes * bytes;
}

/* Returns the bytes of a snapshot of the stage: twice its state, because the buffer with the copy
 * of the state may be moved while it grows (store/state_writer.c). */
static uint64_t memory_snapshot(const struct node *n)
{
    uint64_t state = n->stage->state->snapshot ? n->plan.state_bytes + n->plan.names_bytes : 0;
    return 2 * (uint64_t)n->lanes * state;
}

/* ---- states of shards, which exist for each input ---- */

static uint64_t memory_of_input(const struct node *n)
{
    const struct leat_plan *p = &n->plan;
    uint64_t state = p->state_bytes + p->names_bytes;
    if (n->stage->kind == LEAT_LEARNER) state += progressive_bytes(graph_score(n));
    return 3 * state + p->work_bytes; /* 3: in the instance, as saved, as bytes for the source */
}

/* Returns the bytes that a learner's state takes in a shard without instances. */
static uint64_t memory_of_shown(const struct node *n)
{
    const struct leat_plan *p = &n->plan;
    return n->stage->kind == LEAT_LEARNER
               ? p->state_bytes + p->names_bytes + progressive_bytes(graph_score(n))
               : 0;
}

/* Returns the number of shards to count: of a source that tells later how many there will be, those
 * that it has told so far, or one. */
static uint32_t memory_inputs(const struct plan *p, const struct graph *g)
{
    uint32_t told = 1;
    if (!p->open_shards) return p->shards;
    for (uint32_t i = 0; i < g->n_nodes; i++)
        if (g->node[i].n_inputs > told) told = g->node[i].n_inputs;
    return told < p->shards ? told : p->shards;
}

static uint64_t memory_of_inputs(const struct plan *p, const struct graph *g)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; p->shards && i < g->n_nodes; i++)
        if (g->node[i].by_input)
            bytes += p->shows_states ? memory_of_input(&g->node[i]) +
                                           p->counted_shards * memory_of_shown(&g->node[i])
                                     : p->counted_shards * memory_of_input(&g->node[i]);
    return bytes;
}

/* ---- the sum of all parts of a run ---- */

static uint64_t memory_ring_bytes_of(const struct plan *p)
{
    uint32_t rings = 0;
    for (uint32_t i = 0; i < p->n_links; i++) {
        uint32_t a = p->link[i].from->lanes, b = p->link[i].to->lanes;
        rings += a > b ? a : b;
    }
    return rings * ring_bytes(p->ring_slots);
}

void plan_memory_add_up(struct plan *p, const struct graph *g)
{
    uint32_t batches = 0;
    p->pool_bytes = p->stage_bytes = p->answer_bytes = p->snapshot_bytes = 0;
    for (uint32_t i = 0; i < p->n_pools; i++) {
        p->pool_bytes += p->pool[i].n * batch_bytes(&p->pool[i].shape);
        batches += p->pool[i].n;
    }
    p->ring_slots = batches + p->n_segments + 1;
    p->ring_bytes = memory_ring_bytes_of(p);
    for (uint32_t i = 0; i < g->n_nodes; i++) {
        const struct node *n = &g->node[i];
        if (!n->stage) continue;
        p->stage_bytes += memory_stage_bytes(n);
        p->snapshot_bytes += memory_snapshot(n);
        if (n->asked) p->answer_bytes += ask_bytes(&n->ask);
    }
    p->counted_shards = memory_inputs(p, g);
    p->shard_bytes = memory_of_inputs(p, g);
    p->process_bytes = memory_process_bytes(p->threads);
    p->bytes = p->process_bytes + p->pool_bytes + p->ring_bytes + p->stage_bytes + p->answer_bytes +
               p->shard_bytes + (g->snapshots ? p->snapshot_bytes : 0);
}

/* ---- the option `memory`, and values of max_features that fit ---- */

/* Returns the parameter max_features, which limits the growth of a stage; NULL if the stage has
 * none. */
static const struct leat_param *memory_growth_param(const struct leat_stage *s)
{
    return params_integer(s, "max_features");
}

/* Returns the address of the value of max_features; NULL if the stage has no such parameter. */
static int64_t *memory_max_features(const struct node *n)
{
    const struct leat_param *p = memory_growth_param(n->stage);
    return p ? (int64_t *)(void *)((char *)n->cfg + p->offset) : NULL;
}

uint64_t plan_memory_usual(struct node *n)
{
    int64_t *max = memory_max_features(n), was = max ? *max : 0;
    if (!max || !memory_growth_param(n->stage)->def) return 0;
    int64_t usual = strtoll(memory_growth_param(n->stage)->def, NULL, 10);
    if (was > usual) *max = usual;
    struct leat_plan p = {.size = sizeof p};
    int status = n->stage->plan ? pure_plan(n, &p) : LEAT_OK;
    *max = was;
    return status == LEAT_OK ? (uint64_t)n->lanes * p.state_bytes : 0;
}

/* Returns the stage with the most bytes among those whose max_features can be reduced; NULL if
 * there is none. */
static struct node *memory_largest(const struct graph *g)
{
    struct node *found = NULL;
    for (uint32_t i = 0; i < g->n_nodes; i++) {
        struct node *n = &g->node[i];
        const int64_t *max = memory_max_features(n);
        if (max && *max > 1 && (!found || memory_stage_bytes(n) > memory_stage_bytes(found)))
            found = n;
    }
    return found;
}

static void memory_halve(const struct graph *g, struct node *n)
{
    int64_t *max = memory_max_features(n), power = 1;
    while (2 * power < *max)
        power *= 2;
    *max = power;
    plan_memory_stage(g, n);
}

/* Returns "max_features = 65536 of model (learn.sftrl) fits; or ": values of max_features with
 * which the plan is within the limit. Returns "" if there are none. */
static const char *memory_what_fits(const struct plan *p, struct graph *g, uint64_t limit)
{
    struct plan less = *p;
    struct node *n;
    int64_t *was = arena_alloc(g->arena, g->n_nodes * sizeof *was);
    const char *text = "", *before = "";
    for (uint32_t i = 0; i < g->n_nodes; i++)
        was[i] = memory_max_features(&g->node[i]) ? *memory_max_features(&g->node[i]) : 0;
    while (less.bytes > limit && (n = memory_largest(g)) != NULL) {
        memory_halve(g, n);
        plan_memory_add_up(&less, g);
    }
    for (uint32_t i = 0; i < g->n_nodes; i++) {
        int64_t *max = memory_max_features(n = &g->node[i]);
        if (!max || *max == was[i]) continue;
        if (less.bytes <= limit)
            text = arena_printf(g->arena, "%s%smax_features = %lld of %s", text, before,
                                (long long)*max, n->label);
        before = " and ";
        *max = was[i];
        plan_memory_stage(g, n);
    }
    return *text ? arena_printf(g->arena, "%s fits; or ", text) : text;
}

static void memory_check_batches(const struct plan *p, const struct graph *g, struct diag *d)
{
    char size[BYTE_SIZE_TEXT];
    for (uint32_t i = 0; i < p->n_pools; i++)
        if (batch_bytes(&p->pool[i].shape) > UINT64_C(4) << 30)
            diag_add(d, DIAG_ERROR, g->at, NULL, NULL,
                     "a batch of %s may take %s, and the limit is 4096 MB: lower batch_rows, or "
                     "make fewer examples of a record",
                     p->pool[i].what, byte_size(batch_bytes(&p->pool[i].shape), size));
}

void plan_memory_check(const struct plan *p, struct graph *g, struct diag *d)
{
    uint64_t limit = (uint64_t)g->options.memory;
    char all[BYTE_SIZE_TEXT], most[BYTE_SIZE_TEXT];
    memory_check_batches(p, g, d);
    if (!limit || p->bytes <= limit) return;
    diag_add(d, DIAG_ERROR, g->at, NULL, NULL,
             "the pipeline may take %s, more than memory = %s: %slower batch_bytes, batch_rows "
             "or budgets (leat check lists the memory of each part)",
             byte_size(p->bytes, all), byte_size(limit, most), memory_what_fits(p, g, limit));
}

/* ---- the limit of addresses (ulimit -v) ---- */

enum { USUAL_STACK = 8 << 20 };

/* Returns the bytes of addresses that the stacks of the workers take. */
static uint64_t limit_stack_bytes(const struct plan *p)
{
    pthread_attr_t a;
    size_t stack = USUAL_STACK;
    if (!pthread_getattr_default_np(&a)) {
        pthread_attr_getstacksize(&a, &stack);
        pthread_attr_destroy(&a);
    }
    return p->threads * (uint64_t)stack;
}

static uint64_t limit_left(void)
{
    uint64_t limit = process_memory_limit(), used = process_memory_mapped();
    return used < limit ? limit - used : 0;
}

void plan_memory_check_limit(const struct plan *p, const struct graph *g, struct diag *d)
{
    char all[BYTE_SIZE_TEXT], copies[BYTE_SIZE_TEXT], cure[MEMORY_CURE_TEXT];
    uint64_t more = p->bytes - p->process_bytes + limit_stack_bytes(p);
    if (process_memory_limit() == UINT64_MAX || more <= limit_left()) return;
    const char *with =
        g->snapshots ? arena_printf(g->arena, ", %s of them for copies of the states (--state)",
                                    byte_size(p->snapshot_bytes, copies))
                     : "";
    diag_add(d, DIAG_WARNING, g->at, "pipeline", NULL,
             "it may take %s more%s, and the run ends where the system gives no more: %s, or lower "
             "max_features, budgets, batch_bytes or batch_rows",
             byte_size(more, all), with, memory_cure(cure));
}

const char *plan_memory_fault(const struct plan *p, struct arena *a)
{
    char all[BYTE_SIZE_TEXT], cure[MEMORY_CURE_TEXT];
    uint64_t more = limit_stack_bytes(p);
    if (process_memory_limit() == UINT64_MAX || more <= limit_left()) return NULL;
    return arena_printf(a,
                        "there is not enough memory for the stacks of threads, %s: %s, or lower "
                        "max_features, budgets, batch_bytes or batch_rows",
                        byte_size(more, all), memory_cure(cure));
}
