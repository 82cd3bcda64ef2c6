/* harness_state.c -- snapshots, restores and merges of one stage; see harness.h. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>

#include "harness_impl.h"

const void *harness_snapshot(struct harness *h, size_t *n)
{
    struct state_writer *w = &h->impl->snapshot;
    state_writer_free(w);
    h->said[0] = 0;
    ck_assert_int_eq(state_writer_init(w, h->stage->name, h->stage->state->version), LEAT_OK);
    int status = h->stage->state->snapshot(&h->ctx, h->self, &w->base);
    if (status == LEAT_OK) status = state_writer_finish(w);
    ck_assert(status == LEAT_OK || status == LEAT_ENOMEM);
    if (status != LEAT_OK && !h->said[0]) snprintf(h->said, sizeof h->said, "%s", w->error);
    *n = w->n;
    return status == LEAT_OK ? w->bytes : NULL;
}

/* A stage that refuses says why, and does not say it and go on. */
static int with_reader(struct harness *h, const void *bytes, size_t n, int exact,
                       int (*call)(struct harness *, struct state_reader *, double), double weight)
{
    struct state_reader *r = malloc(sizeof *r);
    h->said[0] = 0;
    int status = state_reader_init(r, bytes, n);
    if (status == LEAT_OK)
        status =
            state_reader_expect(r, h->stage->name, h->stage->state->version, exact, "the stage");
    if (status == LEAT_OK) {
        h->impl->borrows = 1;
        status = call(h, r, weight);
        h->impl->borrows = 0;
        ck_assert_msg((status == LEAT_EDATA) == (r->error[0] != 0), "%d: %s", status, r->error);
    }
    if (r->error[0]) snprintf(h->said, sizeof h->said, "%s", r->error);
    ck_assert_msg(status == LEAT_OK || h->said[0], "refused without a word");
    state_reader_free(r);
    free(r);
    return status;
}

static int call_restore(struct harness *h, struct state_reader *r, double version)
{
    return h->stage->state->restore(&h->ctx, h->self, &r->base,
                                    version < 0 ? r->version : (uint32_t)version);
}

static int call_merge(struct harness *h, struct state_reader *r, double weight)
{
    return h->stage->state->merge(&h->ctx, h->self, &r->base, weight);
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
