/* harness_state.c -- snapshots, restores and merges of one stage; see leat/harness.h. */
#include <stdio.h>
#include <stdlib.h>

#include "harness_inside.h"

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
    if (status == LEAT_OK) status = state_writer_finish(w);
    if (status < 0 && status != LEAT_ENOMEM)
        harness_breach(h, BREACH_RETURNED, "snapshot returned %d%s%s", status,
                       w->error[0] ? ": " : "", w->error);
    if (status != LEAT_OK && !h->said[0]) snprintf(h->said, sizeof h->said, "%s", w->error);
    *n = w->n;
    return status == LEAT_OK ? w->bytes : NULL;
}

/* A stage that refuses says why, and does not say it and go on. */
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
        memset(h->impl->counter, 0, sizeof h->impl->counter); /* what it counts may begin again */
        if ((status == LEAT_EDATA) != (r->error[0] != 0))
            harness_breach(h, BREACH_RETURNED, "it reports \"%s\" and returns %d", r->error,
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
    return harness_returned(h, "restore", h->stage->state->restore(&h->ctx, h->self, &r->base, of));
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
