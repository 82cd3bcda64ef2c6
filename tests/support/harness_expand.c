/* harness_expand.c -- a stage with expand and the batches that it makes; see harness.h. */
#include <check.h>
#include <string.h>

#include "harness_columns.h"
#include "harness_impl.h"

/* One call, with an empty batch to fill. */
static int expand_once(struct harness *h)
{
    harness_empty(&h->made);
    memset(h->impl->came_from, 0, h->made.cap * sizeof *h->impl->came_from);
    h->impl->in_process = 1;
    union leat_cells *all = harness_columns_show(h);
    int s = h->stage->expand(&h->ctx, h->self, &h->b, &h->made);
    h->b.column = all;
    h->impl->in_process = 0;
    ck_assert_uint_le(h->made.n, h->made.cap);
    ck_assert_uint_le(h->made.n_bytes, h->made.cap_bytes);
    ck_assert_msg(s != LEAT_AGAIN || h->made.n, "expand has more to give, and gives nothing");
    ck_assert_msg(s <= 0 || s == LEAT_AGAIN, "expand returned %d", s);
    return s;
}

int harness_expand(struct harness *h, bool end, void (*take)(struct harness *h, void *arg),
                   void *arg)
{
    int s = LEAT_AGAIN;
    h->b.kind = end ? LEAT_BATCH_END : LEAT_BATCH_DATA;
    while (s == LEAT_AGAIN) {
        s = expand_once(h);
        if (h->made.n) take(h, arg);
    }
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
