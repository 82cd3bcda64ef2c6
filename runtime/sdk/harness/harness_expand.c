/* harness_expand.c -- a stage with expand and the batches that it makes; see leat/harness.h. */
#include <string.h>

#include "harness_columns.h"

/* One call, with an empty batch to fill. */
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
        harness_breach(h, BREACH_RETURNED, "expand has more to give, and gives nothing");
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
