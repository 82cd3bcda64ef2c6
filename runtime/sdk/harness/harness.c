/* harness.c -- implementation of <leat/harness.h>: calls a stage as the host does. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness_impl.h"
#include "host/plugin/abi.h"
#include "host/plugin/call_status.h"
#include "host/params/param_type.h"

/* ---- parameters of a stage from text ---- */

static void param_take(struct harness *h, const struct leat_param *p, const union param_cell *cell,
                       const char *wrong)
{
    harness_must(h, !wrong, "%s", wrong);
    memcpy((char *)h->cfg + p->offset, cell, param_type_size(p->type));
}

static void harness_put(struct harness *h, const struct leat_param *p, const char *text)
{
    union param_cell cell;
    const struct value v = {.type = VALUE_TEXT, .text = text, .n = strlen(text)};
    const char *wrong = param_read(p, &v, &h->impl->arena, &cell);
    param_take(h, p, &cell, wrong);
}

const struct leat_param *harness_param(const struct leat_stage *s, uint32_t i)
{
    return (const struct leat_param *)(const void *)((const char *)s->params + i * s->param_size);
}

static const struct leat_param *harness_find(const struct leat_stage *s, const char *param)
{
    for (uint32_t i = 0; i < s->n_params; i++)
        if (!strcmp(harness_param(s, i)->name, param)) return harness_param(s, i);
    return NULL;
}

static const struct leat_param *find_needed(struct harness *h, const char *param)
{
    const struct leat_param *p = harness_find(h->stage, param);
    harness_must(h, p, "there is no parameter '%s'", param);
    h->impl->negotiated = false;
    return p;
}

bool harness_takes(const struct harness *h, const char *param)
{
    return harness_find(h->stage, param) != NULL;
}

void harness_set(struct harness *h, const char *param, const char *text)
{
    harness_put(h, find_needed(h, param), text);
}

void harness_set_list(struct harness *h, const char *param, const char *const *v, uint32_t n)
{
    const struct leat_param *p = find_needed(h, param);
    const struct leat_strings list = {.v = v, .n = n};
    harness_must(h, p->type == LEAT_STRINGS, "%s is not a list", param);
    memcpy((char *)h->cfg + p->offset, &list, sizeof list);
}

static void harness_defaults(struct harness *h)
{
    for (uint32_t i = 0; i < h->stage->n_params; i++) {
        const struct leat_param *p = harness_param(h->stage, i);
        union param_cell cell;
        if (!p->def || p->flags & LEAT_REQUIRED || p->type == LEAT_FUNCTION) continue;
        const char *wrong = param_default(p, &h->impl->arena, &cell);
        param_take(h, p, &cell, wrong);
    }
}

/* ---- begin and end of a stage in the harness ---- */

static const struct leat_stage *harness_find_stage(struct harness *h, const struct leat_plugin *p,
                                                   const char *name)
{
    for (uint32_t i = 0; i < p->n_stages; i++)
        if (!strcmp(p->stages[i]->name, name)) return p->stages[i];
    harness_must(h, 0, "plugin %s has no stage '%s'", p->name, name);
    return NULL;
}

struct harness *harness_of(const struct leat_plugin *plugin, const char *stage)
{
    struct harness *h = calloc(1, sizeof *h);
    const struct leat_plugin *p = NULL;
    harness_must(h, h && (h->impl = calloc(1, sizeof *h->impl)), "no memory");
    const char *refused = abi_adopt(plugin, 0, &h->impl->arena, &p);
    harness_must(h, !refused, "%s: %s", plugin->name, refused);
    h->stage = harness_find_stage(h, p, stage);
    h->cfg = harness_array(h, h->stage->cfg_size, 64, 0, "cfg");
    h->self = harness_array(h, h->stage->instance_size, 64, 0, "self");
    h->in = (struct leat_schema){.size = sizeof h->in, .has = LEAT_HAS_RECORDS};
    h->allocs_left = -1;
    h->seed = 1;
    harness_defaults(h);
    return h;
}

struct harness *harness_load(const char *file, const char *stage)
{
    char path[4096];
    snprintf(path, sizeof path, "%s%s", strchr(file, '/') ? "" : "./", file);
    void *dl = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    harness_must(NULL, dl, "%s", dlerror());
    const struct leat_plugin *p = dlsym(dl, "leat_plugin");
    harness_must(NULL, p, "%s exports no leat_plugin", file);
    struct harness *h = harness_of(p, stage);
    h->impl->dl = dl;
    return h;
}

void harness_free(struct harness *h)
{
    struct harness_impl *m = h->impl;
    int s = m->started && h->stage->stop ? h->stage->stop(&h->ctx, h->self) : LEAT_OK;
    if (harness_returned(h, "stop", s) < 0)
        harness_breach(h, BREACH_RETURNED, "stop returned %d: %s", s, h->said);
    if (m->opened && h->stage->close) h->stage->close(&h->ctx, h->self);
    harness_free_blocks(h);
    harness_free_arrays(h);
    for (int i = 0; i < 2 && m->stop_pipe[1]; i++)
        close(m->stop_pipe[i]);
    state_writer_free(&m->snapshot);
    event_clock_fini(&m->clock);
    arena_free(&m->arena);
    if (m->dl) dlclose(m->dl);
    free(m);
    free(h);
}

/* Sets the limit of the stage's memory, as the host does. */
static void set_limit(struct harness *h)
{
    struct leat_plan p = harness_plan(h);
    uint64_t all = p.state_bytes + p.names_bytes + p.work_bytes;
    h->impl->limit = all + all / 8 + (64 << 10);
}

static bool commits(const struct harness *h)
{
    const struct leat_transaction *t = h->stage->transaction;
    return t->name && t->fence && t->name(h->cfg);
}

static int harness_open_stage(struct harness *h, uint32_t records)
{
    if (!h->impl->negotiated) harness_must(h, harness_negotiate(h) == 0, "%s", h->said);
    harness_make_batches(h, records);
    h->ctx = (struct leat_ctx){.size = sizeof h->ctx,
                               .lane = h->lane,
                               .split = h->split,
                               .host = &harness_host,
                               .id = "stage",
                               .cfg = h->cfg,
                               .in = &h->impl->node.shown_in,
                               .out = &h->out,
                               .framing = h->framing,
                               .pipeline = "test",
                               .transactional = commits(h)};
    set_limit(h);
    event_clock_fini(&h->impl->clock);
    harness_must(h, event_clock_init(&h->impl->clock, 1), "there is no memory for a clock");
    h->impl->cutting = (struct cutting){.max_record = h->b.fill_bytes, .name = harness_input};
    int s = h->stage->open ? h->stage->open(&h->ctx, h->self) : LEAT_OK;
    if (s < 0) harness_free_blocks(h);
    h->impl->opened = s >= 0;
    return harness_returned(h, "open", s);
}

/* Takes the source's header after open, as the host does, if the first parser wants one. */
static int harness_take_header(struct harness *h)
{
    const char *text = NULL;
    uint32_t len = 0;
    if (!h->framing.header || !h->stage->source->header) return LEAT_OK;
    int s = harness_returned(h, "header", h->stage->source->header(&h->ctx, h->self, &text, &len));
    if (s != LEAT_OK || !len) return s < 0 ? s : LEAT_OK;
    h->out.header = harness_keep(h, text, len);
    h->out.header_len = len;
    return LEAT_OK;
}

/* Fences earlier instances, as the host does before start. They cannot commit afterwards. */
static int harness_fence(struct harness *h)
{
    if (!commits(h)) return LEAT_OK;
    int s =
        harness_returned(h, "fence", h->stage->transaction->fence(&h->ctx, h->self, &h->committed));
    return s < 0 ? s : LEAT_OK;
}

static int start_stage(struct harness *h)
{
    int s = h->stage->start ? h->stage->start(&h->ctx, h->self) : LEAT_OK;
    h->impl->started = s >= 0;
    return harness_returned(h, "start", s);
}

int harness_open(struct harness *h, uint32_t records)
{
    int s = harness_open_stage(h, records);
    if (s >= 0) s = harness_take_header(h);
    if (s >= 0) s = harness_fence(h);
    return s < 0 ? s : start_stage(h);
}

int harness_continue(struct harness *h, uint32_t records, const void *state, size_t n)
{
    int s = harness_open_stage(h, records);
    if (s >= 0) s = harness_take_header(h);
    if (s >= 0) s = harness_fence(h);
    if (s >= 0) s = harness_restore(h, state, n);
    return s < 0 ? s : start_stage(h);
}

/* ---- stages with expand, and the batches that they make ---- */

/* Makes one call of expand(), with an empty batch to fill. */
static int expand_once(struct harness *h)
{
    struct batch_seen seen;
    const char *owes, *name;
    char text[400];
    uint32_t record;
    harness_empty(&h->made);
    memset(h->impl->came_from, 0, h->made.cap * sizeof *h->impl->came_from);
    union leat_cells *all = harness_columns_show(h);
    h->b.column = all;
    batch_see(&seen, &h->b, &h->in);
    batch_poison(&h->out, &h->made, 0, h->made.cap);
    h->b.column = h->impl->shown;
    h->impl->in_call = true;
    int s = h->stage->expand(&h->ctx, h->self, &h->b, &h->made);
    h->impl->in_call = false;
    h->b.column = all;
    const char *what = batch_changed(&seen, &h->b, &h->in, h->stage->caps, &owes);
    if (what) harness_breach(h, BREACH_CHANGED, "expand changed %s%s", what, owes);
    if (batch_is_wrong(&h->made, &h->out, text, sizeof text))
        harness_breach(h, BREACH_WHOLE, "expand %s", text);
    else if ((name = batch_unfilled(&h->out, &h->made, 0, &record)))
        harness_breach(h, BREACH_UNFILLED, "expand did not fill its column '%s' for record %u",
                       name, record);
    if (s == LEAT_AGAIN && !h->made.n)
        harness_breach(h, BREACH_RETURNED, "expand returns LEAT_AGAIN, but an empty batch");
    return harness_returned(h, "expand", s);
}

int harness_expand(struct harness *h, bool end, void (*take)(struct harness *h, void *arg),
                   void *arg)
{
    int s = LEAT_AGAIN;
    h->b.kind = end ? LEAT_BATCH_END : LEAT_BATCH_DATA;
    while (s == LEAT_AGAIN) {
        s = expand_once(h);
        if (h->made.n) take(h, arg);
        if (s == LEAT_AGAIN && !h->made.n) return LEAT_EFULL;
    }
    if (end && s == LEAT_OK) event_clock_restart(&h->impl->clock);
    h->lines += h->b.n;
    h->b.seq++;
    harness_empty(&h->b);
    return s;
}

uint64_t harness_came_from(const struct harness *h, uint32_t r)
{
    uint64_t said = h->impl->came_from[r];
    if (said) return said;
    return h->made.from[r] == LEAT_NULL ? 0 : h->lines + h->made.from[r] + 1;
}

/* ---- questions to a learner ---- */

struct result_of {
    struct leat_result base;
    struct harness *h;
};

/* Checks that an answer begins with the columns that learner->columns() has announced. */
static void check_promised(struct harness *h, const char *const *names, uint32_t n)
{
    uint32_t n_promised = 0;
    if (!h->stage->learner->columns) return;
    const char *const *promised = h->stage->learner->columns(h->cfg, &n_promised);
    if (n < n_promised)
        harness_breach(h, BREACH_ANSWER, "the answer has %u columns, but %u are promised", n,
                       n_promised);
    for (uint32_t i = 0; i < n && i < n_promised; i++)
        if (strcmp(names[i], promised[i]))
            harness_breach(h, BREACH_ANSWER,
                           "column %u of the answer is '%s', but '%s' is promised", i, names[i],
                           promised[i]);
}

static int result_columns(struct leat_result *r, const char *const *names, uint32_t n)
{
    struct harness *h = ((struct result_of *)r)->h;
    struct harness_answer *a = &h->impl->answer;
    check_promised(h, names, n);
    harness_must(h, n <= HARNESS_FIGURES, "an answer has more than %d columns", HARNESS_FIGURES);
    a->n_columns = n;
    memcpy(a->column, names, n * sizeof *names);
    return LEAT_OK;
}

static int result_row(struct leat_result *r, const char *name, size_t len, const double *values)
{
    struct harness_answer *a = &((struct result_of *)r)->h->impl->answer;
    if (a->n_rows == HARNESS_NOTES) return LEAT_EFULL;
    snprintf(a->name[a->n_rows], HARNESS_TEXT, "%.*s", (int)len, name);
    memcpy(a->value[a->n_rows++], values, a->n_columns * sizeof *values);
    return LEAT_OK;
}

static int result_also(struct leat_result *r, const char *name, size_t len) { return LEAT_OK; }

int harness_question(struct harness *h, const struct leat_query *q)
{
    struct result_of r = {{sizeof r.base, 0, result_columns, result_row, result_also}, h};
    memset(&h->impl->answer, 0, sizeof h->impl->answer);
    h->impl->borrows = true;
    int s = h->stage->learner->query(&h->ctx, h->self, q, &r.base);
    h->impl->borrows = false;
    return harness_returned(h, "query", s);
}

int harness_ask(struct harness *h, uint32_t kind, uint32_t k, uint32_t min_count)
{
    const struct leat_query q = {.size = sizeof q, .kind = kind, .k = k, .min_count = min_count};
    return harness_question(h, &q);
}

const struct harness_answer *harness_query(struct harness *h, uint32_t kind, uint32_t k,
                                           uint32_t min_count)
{
    int s = harness_ask(h, kind, k, min_count);
    if (s < 0) harness_breach(h, BREACH_RETURNED, "query returned %d: %s", s, h->said);
    return &h->impl->answer;
}

double harness_metric(const struct harness *h, const char *name)
{
    for (uint32_t i = 0; i < h->n_metrics; i++)
        if (!strcmp(h->metric[i].name, name)) return h->metric[i].value;
    return (double)NAN;
}

/* ---- snapshots ---- */

const void *harness_snapshot(struct harness *h, size_t *n)
{
    struct state_writer *w = &h->impl->snapshot;
    state_writer_free(w);
    h->said[0] = 0;
    harness_must(h, h->stage->state->snapshot, "it has no snapshot");
    harness_must(h, state_writer_init(w, h->stage->name, h->stage->state->version) == LEAT_OK,
                 "no memory for a snapshot");
    int status =
        harness_returned(h, "snapshot", h->stage->state->snapshot(&h->ctx, h->self, &w->base));
    if (status == LEAT_OK && h->stage->caps & LEAT_CLOCK)
        status = event_clock_write(&h->impl->clock, &w->base);
    if (status == LEAT_OK) status = state_writer_finish(w);
    if (status < 0 && status != LEAT_ENOMEM)
        harness_breach(h, BREACH_RETURNED, "snapshot returned %d%s%s", status,
                       w->error[0] ? ": " : "", w->error);
    if (status != LEAT_OK && !h->said[0]) snprintf(h->said, sizeof h->said, "%s", w->error);
    *n = w->n;
    return status == LEAT_OK ? w->bytes : NULL;
}

/* Restores or merges a state by `call`. Checks that the stage gives a reason exactly if it refuses
 * the state. */
static int with_reader(struct harness *h, const void *bytes, size_t n, int exact,
                       int (*call)(struct harness *, struct state_reader *, double), double weight)
{
    struct state_reader *r = malloc(sizeof *r);
    harness_must(h, r, "there is no memory to read a state");
    if (!r) return LEAT_ENOMEM;
    h->said[0] = 0;
    int status = state_reader_init(r, bytes, n);
    if (status == LEAT_OK)
        status =
            state_reader_expect(r, h->stage->name, h->stage->state->version, exact, "the stage");
    if (status == LEAT_OK) {
        h->impl->borrows = true;
        status = call(h, r, weight);
        h->impl->borrows = false;
        memset(h->impl->counter, 0, sizeof h->impl->counter); /* counters may restart from 0 */
        if ((status == LEAT_EDATA) != (r->error[0] != 0))
            harness_breach(h, BREACH_RETURNED, "it reports \"%s\" but returns %d", r->error,
                           status);
    }
    if (r->error[0]) snprintf(h->said, sizeof h->said, "%s", r->error);
    if (status != LEAT_OK && status != LEAT_ENOMEM && !h->said[0])
        harness_breach(h, BREACH_RETURNED, "it refuses a state without a reason (%d)", status);
    state_reader_free(r);
    free(r);
    return status;
}

static int call_restore(struct harness *h, struct state_reader *r, double version)
{
    uint32_t of = version < 0 ? r->version : (uint32_t)version;
    struct event_clock read = {0};
    int status = LEAT_OK;
    if (h->stage->caps & LEAT_CLOCK) {
        harness_must(h, event_clock_init(&read, 1), "there is no memory for a clock");
        status = event_clock_read(&read, &r->base);
    }
    if (status == LEAT_OK)
        status = harness_returned(h, "restore",
                                  h->stage->state->restore(&h->ctx, h->self, &r->base, of));
    if (status == LEAT_OK && read.n_sources) {
        event_clock_fini(&h->impl->clock);
        h->impl->clock = read;
    } else {
        event_clock_fini(&read);
    }
    return status;
}

static int call_merge(struct harness *h, struct state_reader *r, double weight)
{
    return harness_returned(h, "merge", h->stage->state->merge(&h->ctx, h->self, &r->base, weight));
}

int harness_restore(struct harness *h, const void *bytes, size_t n)
{
    return with_reader(h, bytes, n, 0, call_restore, -1);
}

int harness_restore_as(struct harness *h, const void *bytes, size_t n, uint32_t version)
{
    return with_reader(h, bytes, n, 0, call_restore, version);
}

int harness_merge(struct harness *h, const void *bytes, size_t n, double weight)
{
    return with_reader(h, bytes, n, 1, call_merge, weight);
}
