/* harness.c -- the life of a stage in the harness: see leat/harness.h. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/plugin/call_status.h"
#include "harness_host.h"
#include "host/plugin/abi.h"

int harness_returned(struct harness *h, const char *call, int status)
{
    char why[300];
    const struct call_status_of of = {.source = h->stage->kind == LEAT_SOURCE,
                                      .stopping = h->stopping};
    if (!call_status_may_be(status, call, of, why, sizeof why))
        harness_breach(h, BREACH_RETURNED, "%s", why);
    return status;
}

void *harness_room(struct harness *h, size_t bytes)
{
    void *p = arena_alloc(&h->impl->arena, bytes ? bytes : 1);
    harness_must(h, p, "no memory");
    return p ? memset(p, 0, bytes) : NULL;
}

char *harness_keep(struct harness *h, const char *text, size_t len)
{
    return memcpy(harness_room(h, len + 1), text, len);
}

static const struct leat_stage *find_stage(struct harness *h, const struct leat_plugin *p,
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
    h->stage = find_stage(h, p, stage);
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
    arena_free(&m->arena);
    if (m->dl) dlclose(m->dl);
    free(m);
    free(h);
}

/* As the host does. */
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

static int open_stage(struct harness *h, uint32_t records)
{
    if (!h->impl->negotiated) harness_must(h, harness_negotiate(h) == 0, "%s", h->said);
    harness_make_batches(h, records);
    h->ctx = (struct leat_ctx){.size = sizeof h->ctx,
                               .lane = h->lane,
                               .host = &harness_host,
                               .id = "stage",
                               .cfg = h->cfg,
                               .in = &h->impl->node.shown_in,
                               .out = &h->out,
                               .framing = h->framing,
                               .pipeline = "test",
                               .transactional = commits(h)};
    set_limit(h);
    h->impl->cutting = (struct cutting){.max_record = h->b.fill_bytes, .name = harness_input};
    int s = h->stage->open ? h->stage->open(&h->ctx, h->self) : LEAT_OK;
    if (s < 0) harness_free_blocks(h);
    h->impl->opened = s >= 0;
    return harness_returned(h, "open", s);
}

/* As the host does after open, where the first parser wants a header. */
static int take_header(struct harness *h)
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

/* No earlier instance commits any more: the host asks for it before start. */
static int fence(struct harness *h)
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
    int s = open_stage(h, records);
    if (s >= 0) s = take_header(h);
    if (s >= 0) s = fence(h);
    return s < 0 ? s : start_stage(h);
}

int harness_continue(struct harness *h, uint32_t records, const void *state, size_t n)
{
    int s = open_stage(h, records);
    if (s >= 0) s = take_header(h);
    if (s >= 0) s = fence(h);
    if (s >= 0) s = harness_restore(h, state, n);
    return s < 0 ? s : start_stage(h);
}
