/* instance.c -- implementation of instance.h: statuses, memory, names of inputs, calls. */
#include "instance.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "input_clock.h"
#include "core/time/clock.h"
#include "host/exec/run.h"
#include "host/flow/convert.h"
#include "host/metrics/progressive.h"
#include "host/memory/memory.h"
#include "host/plugin/call_status.h"
#include "host/plugin/status_text.h"

/* ---- statuses of calls ---- */

int instance_vfail(const struct instance *i, int status, const char *format, va_list args)
{
    char text[1200];
    vsnprintf(text, sizeof text, format, args);
    return control_fail(&i->run->control, status, "%s: %s", i->node->label, text);
}

int instance_fail(const struct instance *i, int status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    instance_vfail(i, status, format, args);
    va_end(args);
    return status;
}

void instance_failed(const struct instance *i, const char *call, int status)
{
    instance_fail(i, status, "%s failed: %s", call, status_text(status));
    if (i->node->stage->kind != LEAT_SOURCE) control_halt(&i->run->control);
}

int instance_check(const struct instance *i, const char *call, int status)
{
    char why[300];
    const struct call_status_of of = {.source = i->node->stage->kind == LEAT_SOURCE,
                                      .stopping = atomic_load(&i->run->control.stopping)};
    if (status <= 0 || call_status_may_be(status, call, of, why, sizeof why)) return status;
    return instance_fail(i, LEAT_EDATA, "%s", why);
}

/* ---- memory that a stage gets from leat_host.alloc ---- */

/* Bytes before the stage's memory that hold struct block. They are a multiple of 64, the memory's
 * alignment. */
enum { HEAD = 64 };
struct block {
    struct block *next, *before;
    size_t bytes;
    void *allocated;
};

/* LARGE: size from which a block has its own mapping, so that only its touched pages count as used.
 * PAGES: pages that one call of mincore() looks at. */
enum { LARGE = 1 << 20, PAGES = 4096 };

static struct block *block_of(void *p) { return (struct block *)(void *)((char *)p - HEAD); }

/* Returns how many of the `pages` pages from `from` on are in memory. `page` is the size of a
 * page. */
static size_t block_count_given(char *from, size_t pages, size_t page)
{
    unsigned char given[PAGES];
    size_t n = 0;
    for (size_t at = 0, some; at < pages; at += some) {
        some = pages - at < PAGES ? pages - at : PAGES;
        if (mincore(from + at * page, some * page, given)) return pages;
        for (size_t k = 0; k < some; k++)
            n += given[k] & 1;
    }
    return n;
}

static uint64_t block_used(const struct block *b)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *from = (char *)b->allocated - (uintptr_t)b->allocated % page,
         *end = (char *)b + HEAD + b->bytes;
    size_t used = page * block_count_given(from, ((size_t)(end - from) + page - 1) / page, page);
    return used < b->bytes ? used : b->bytes;
}

uint64_t instance_memory_used(struct instance *i)
{
    uint64_t used = i->memory.small_bytes;
    for (const struct block *b = i->memory.blocks; b; b = b->next)
        if (b->bytes >= LARGE) used += block_used(b);
    if (used > atomic_load(&i->memory.most_used)) atomic_store(&i->memory.most_used, used);
    return i->memory.used = used;
}

void instance_memory_settle(struct instance *i)
{
    atomic_store(&i->memory.most_used, 0);
    instance_memory_used(i);
}

static void block_count_small(struct instance *i, size_t bytes)
{
    i->memory.small_bytes += bytes;
    if (i->memory.small_bytes > atomic_load(&i->memory.most_used))
        atomic_store(&i->memory.most_used, i->memory.small_bytes);
}

void *instance_memory_take(struct instance *i, size_t bytes)
{
    if (bytes > SIZE_MAX - 3 * HEAD) return NULL;
    size_t whole = ((bytes + HEAD - 1) & ~(size_t)(HEAD - 1)) + 2 * HEAD;
    char *allocated = calloc(whole, 1);
    if (!allocated) return NULL;
    char *p = allocated + 2 * HEAD - (uintptr_t)allocated % HEAD;
    struct block *b = block_of(p);
    *b = (struct block){i->memory.blocks, NULL, bytes, allocated};
    if (i->memory.blocks) i->memory.blocks->before = b;
    i->memory.blocks = b;
    i->memory.bytes += bytes;
    if (bytes < LARGE) block_count_small(i, bytes);
    return p;
}

size_t instance_memory_give(struct instance *i, void *p)
{
    struct block *b = block_of(p);
    size_t bytes = b->bytes;
    if (bytes >= LARGE)
        instance_memory_used(i); /* updates most_used while the block still counts */
    else
        i->memory.small_bytes -= bytes;
    if (b->next) b->next->before = b->before;
    *(b->before ? &b->before->next : &i->memory.blocks) = b->next;
    i->memory.bytes -= bytes;
    free(b->allocated);
    return bytes;
}

static void instance_memory_give_all(struct instance *i)
{
    while (i->memory.blocks)
        instance_memory_give(i, (char *)i->memory.blocks + HEAD);
}

/* ---- names of inputs ---- */

const char *instance_input_name(const struct instance *source, uint32_t input)
{
    pthread_mutex_lock(&source->run->control.mu);
    const char *name = input < source->reading.n_inputs ? source->reading.input[input] : NULL;
    pthread_mutex_unlock(&source->run->control.mu);
    return name;
}

static const char *instance_input(const struct instance *source, uint32_t input)
{
    const char *name = source ? instance_input_name(source, input) : NULL;
    return name ? name : "input";
}

/* Makes s->input large enough for number `input`. Call it with control.mu held. */
static int instance_reserve_names(struct instance_reading *s, uint32_t input)
{
    if (input < s->n_inputs) return LEAT_OK;
    const char **all = realloc(s->input, (input + 1) * sizeof *all);
    if (!all) return LEAT_ENOMEM;
    memset(all + s->n_inputs, 0, (input + 1 - s->n_inputs) * sizeof *all);
    s->input = all;
    s->n_inputs = input + 1;
    return LEAT_OK;
}

int instance_name_input(struct instance *source, uint32_t input, const char *name)
{
    struct instance_reading *s = &source->reading;
    pthread_mutex_lock(&source->run->control.mu);
    int status = instance_reserve_names(s, input);
    int same = status == LEAT_OK && s->input[input] && !strcmp(s->input[input], name);
    char *copy = status == LEAT_OK && !same ? strdup(name) : NULL;
    if (copy) {
        free((char *)s->input[input]);
        s->input[input] = copy;
    }
    pthread_mutex_unlock(&source->run->control.mu);
    return same || copy ? LEAT_OK : LEAT_ENOMEM;
}

/* ---- opening, starting and closing a stage; other calls ---- */

static const char *instance_cut_name(struct leat_ctx *ctx, uint32_t input)
{
    return instance_input((const struct instance *)ctx, input);
}

static void instance_free_memory(struct instance *i)
{
    input_clock_close(i);
    i->reading.cutting = (struct cutting){0};
    if (i->run->memory_max) i->run->memory -= i->memory.bytes;
    instance_memory_give_all(i);
}

struct progressive *instance_figures(const struct node *learner, struct progressive_table *table)
{
    struct progressive *p = progressive_new(learner->id, graph_score(learner), table);
    if (p && learner->stage->needs & LEAT_HAS_LABEL) progressive_count_labels(p);
    return p;
}

int instance_open(struct instance *i)
{
    const struct leat_stage *stage = i->node->stage;
    i->reading.cutting = (struct cutting){
        .max_record = (uint32_t)i->run->graph->options.batch_bytes, .name = instance_cut_name};
    instance_enter(i, "open", clock_ns());
    i->reading.marks = (struct event_marks){.open = EVENT_UNMARKED};
    int status = input_clock_open(i);
    if (status == LEAT_OK && stage->open) status = stage->open(&i->ctx, i->self);
    status = instance_return(i, "open", status);
    i->phase = status >= 0 ? INSTANCE_OPEN : INSTANCE_CLOSED;
    if (status >= 0) return LEAT_OK;
    instance_free_memory(i);
    return instance_fail(i, status, "cannot be opened: %s", status_text(status));
}

int instance_start(struct instance *i)
{
    const struct leat_stage *stage = i->node->stage;
    instance_enter(i->own, "start", clock_ns());
    int status = stage->start ? stage->start(&i->ctx, i->self) : LEAT_OK;
    status = instance_return(i->own, "start", status);
    if (status >= 0) i->phase = INSTANCE_STARTED;
    return status;
}

void instance_close(struct instance *i)
{
    instance_enter(i, "close", clock_ns());
    if (i->phase != INSTANCE_CLOSED && i->node->stage->close)
        i->node->stage->close(&i->ctx, i->self);
    instance_leave(i);
    i->phase = INSTANCE_CLOSED;
    instance_free_memory(i);
}

int instance_query(struct instance *i, const struct leat_query *q, struct leat_result *out)
{
    instance_enter(i->own, "query", clock_ns());
    i->memory.borrows = true;
    int status = i->node->stage->learner->query(&i->ctx, i->self, q, out);
    i->memory.borrows = false;
    return instance_return(i->own, "query", status);
}

void instance_wake(struct instance *source)
{
    const struct node *n = source->node;
    if (!n->stage->source->wake) return;
    call_trap_enter(n->label, "wake");
    n->stage->source->wake(source->self);
    call_trap_leave();
}

void instance_convert(struct instance *i, struct hbatch *h)
{
    const struct node *n = i->node;
    if (!n->n_conversions) return;
    for (uint32_t k = 0; k < n->n_conversions; k++)
        convert_column(&i->ctx, &n->conversion[k], &h->b);
    batch_select(h, h->b.n_examples);
}

void instance_prepare(struct instance *i, struct hbatch *h)
{
    if (i->node->stage->caps & LEAT_UNPACKS) batch_keep_places(h);
    instance_convert(i, h);
    h->b.fields = i->ctx.out->fields;
    h->b.n_columns = i->ctx.out->n_columns;
}

/* ---- progress of a source ---- */

void instance_progress(const struct instance *source, uint64_t *done, uint64_t *total)
{
    const struct node *n = source->node;
    *done = *total = 0;
    if (!n->stage->source->progress) return;
    call_trap_enter(n->label, "progress");
    n->stage->source->progress(source->self, done, total);
    call_trap_leave();
}

double instance_share(const struct instance *source)
{
    uint64_t done, total;
    instance_progress(source, &done, &total);
    return total ? (double)done / (double)total : -1.0;
}

static struct lag *instance_lag_of(struct instance *source)
{
    struct lag *l = atomic_load_explicit(&source->reading.lag, memory_order_relaxed);
    if (l) return l;
    l = memory_take(sizeof *l);
    *l = (struct lag){.n = 0};
    return l;
}

void instance_lag(struct instance *source, int64_t total, const struct leat_lag *worst, uint32_t n)
{
    struct lag *l = instance_lag_of(source);
    l->n = n < LEAT_LAGS ? n : LEAT_LAGS;
    for (uint32_t k = 0; k < l->n; k++) {
        snprintf(l->worst[k].input, sizeof l->worst[k].input, "%s", worst[k].input);
        l->worst[k].records = worst[k].records;
    }
    atomic_store_explicit(&l->total, total, memory_order_relaxed);
    atomic_store_explicit(&source->reading.lag, l, memory_order_release);
}

static void group_take_member(struct group_answer *to, uint32_t k, const struct leat_member *m)
{
    snprintf(to->member[k].name, sizeof to->member[k].name, "%s", m->name);
    snprintf(to->member[k].host, sizeof to->member[k].host, "%s", m->host ? m->host : "");
    to->member[k].inputs = m->inputs;
    to->member[k].own = m->own != 0;
    to->member[k].records = m->records;
    to->member[k].grown = m->grown;
    to->member[k].still_ns = m->still_ns;
}

void instance_group(struct instance *source, const struct leat_group *group)
{
    struct group_answer *to = source->reading.group;
    if (!to) to = source->reading.group = memory_take(sizeof *to);
    *to = (struct group_answer){.answered = group->answered, .records = group->records};
    snprintf(to->name, sizeof to->name, "%s", group->name);
    snprintf(to->state, sizeof to->state, "%s", group->state);
    snprintf(to->why, sizeof to->why, "%s", group->why ? group->why : "");
    to->inputs = group->inputs;
    to->n_members = group->n_members < LEAT_MEMBERS ? group->n_members : LEAT_MEMBERS;
    to->n_shares = group->n_shares < LEAT_LAGS ? group->n_shares : LEAT_LAGS;
    for (uint32_t k = 0; k < to->n_members; k++)
        group_take_member(to, k, &group->member[k]);
    for (uint32_t k = 0; k < to->n_shares; k++) {
        const struct leat_share *s = &group->share[k];
        snprintf(to->share[k].input, sizeof to->share[k].input, "%s", s->input);
        to->share[k].records = s->records;
        to->share[k].member = s->member < to->n_members ? s->member : UINT32_MAX;
    }
}

void instance_waits(struct instance *i, const char *reason)
{
    pthread_mutex_lock(&i->run->control.mu);
    snprintf(i->own->waits_for, sizeof i->own->waits_for, "%s", reason ? reason : "");
    pthread_mutex_unlock(&i->run->control.mu);
    atomic_store(&i->own->waits, reason != NULL);
}

const char *instance_origin(const struct instance *source, const struct batch_origin *o)
{
    if (o->name) return o->name;
    return o->maker ? o->maker->node->id : instance_input(source, o->input);
}

void instance_describe(const void *batch, char *out, size_t cap)
{
    struct hbatch *h = (struct hbatch *)batch;
    if (!h->b.n) return;
    struct batch_origin o = batch_origin(h, 0);
    const char *name = instance_origin(h->source, &o);
    if (o.line)
        snprintf(out, cap, "the batch begins at %s:%llu", name, (unsigned long long)o.line);
    else
        snprintf(out, cap, "the batch begins at record %llu of %s", (unsigned long long)o.offset,
                 name);
}
