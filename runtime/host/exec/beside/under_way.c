/* under_way.c -- see under_way.h. */
#include "under_way.h"

#include <inttypes.h>
#include <stdio.h>

#include "core/time/clock.h"
#include "host/exec/run.h"

struct call {
    const struct instance *in;
    const char *name;
    uint64_t since;
};

static struct call call_of(struct instance *i)
{
    const char *name = atomic_load(&i->call);
    return (struct call){name ? i : NULL, name, atomic_load(&i->call_ns)};
}

static void earlier(struct call *best, struct call c)
{
    if (c.in && (!best->in || c.since < best->since)) *best = c;
}

static struct call node_call(const struct run *r, const struct node *n)
{
    struct call best = {0};
    for (int lane = 0; lane < n->lanes && n->stage; lane++)
        earlier(&best, call_of(run_instance(r, n, (uint32_t)lane)));
    return best;
}

static const double SHORT = 0.1; /* s, of a call that has just begun */

static double lasted(const struct call *c)
{
    uint64_t now = clock_ns();
    return now > c->since ? (double)(now - c->since) / 1e9 : 0.0;
}

static struct call longest(const struct run *r)
{
    struct call best = {0};
    for (uint32_t k = 0; k < r->graph->n_nodes; k++)
        earlier(&best, node_call(r, &r->graph->node[k]));
    return best;
}

uint64_t under_way_ns(const struct run *r)
{
    struct call best = longest(r);
    uint64_t now = clock_ns();
    return best.in && now > best.since ? now - best.since : 0;
}

void under_way_longest(const struct run *r, char *out, size_t cap)
{
    struct call best = longest(r);
    struct call letters = {.since = atomic_load(&r->rejects.waits_since)};
    if (letters.since && (!best.in || letters.since <= best.since))
        snprintf(out, cap, "dead_letters = \"%s\" has taken nothing for %.1f s",
                 r->graph->options.dead_letters, lasted(&letters));
    else if (best.in && lasted(&best) < SHORT)
        snprintf(out, cap, "%s: %s is at work", best.in->node->label, best.name);
    else if (best.in)
        snprintf(out, cap, "%s: %s has not returned for %.1f s", best.in->node->label, best.name,
                 lasted(&best));
    else
        snprintf(out, cap, "no stage is in a call");
}

/* Of a record of the stage, so far, with the call that it is in. */
static double seconds_a_record(const struct run *r, const struct node *n)
{
    double ns = 0, in = 0;
    for (int lane = 0; lane < n->lanes && n->stage; lane++) {
        struct instance *i = run_instance(r, n, (uint32_t)lane);
        struct call c = call_of(i);
        ns += (double)atomic_load(&i->count.ns) + (c.in ? lasted(&c) * 1e9 : 0);
        in += (double)atomic_load(&i->count.in);
    }
    return in > 0 ? ns / in / 1e9 : 0; /* a source has none in */
}

void under_way_slow(const struct run *r, char *out, size_t cap)
{
    double rows = (double)r->graph->options.batch_rows, most = 0;
    const struct node *slow = NULL;
    for (uint32_t k = 0; k < r->graph->n_nodes; k++) {
        double s = seconds_a_record(r, &r->graph->node[k]);
        if (s > most) most = s, slow = &r->graph->node[k];
    }
    *out = 0;
    if (slow && rows > 1 && most * rows >= 1)
        snprintf(out, cap,
                 "; %s takes %.2g ms a record: with a batch_rows smaller than %.0f snapshots and a "
                 "stop wait for fewer",
                 slow->label, most * 1e3, rows);
}

static uint64_t total(const struct run *r, const struct node *n, size_t counter)
{
    uint64_t sum = 0;
    for (int lane = 0; lane < n->lanes; lane++)
        sum +=
            atomic_load((_Atomic uint64_t *)((char *)run_instance(r, n, (uint32_t)lane) + counter));
    return sum;
}

void under_way_each(const struct run *r, void (*line)(const char *text))
{
    char text[512];
    for (uint32_t k = 0; k < r->graph->n_nodes; k++) {
        const struct node *n = &r->graph->node[k];
        if (!n->stage) continue;
        struct call c = node_call(r, n);
        int used = snprintf(text, sizeof text,
                            "leat: %s: %" PRIu64 " records in, %" PRIu64 " filtered, %" PRIu64
                            " rejected; ",
                            n->label, total(r, n, offsetof(struct instance, count.in)),
                            total(r, n, offsetof(struct instance, count.filtered)),
                            total(r, n, offsetof(struct instance, count.rejected)));
        if (used < 0 || (size_t)used >= sizeof text) continue;
        if (c.in)
            snprintf(text + used, sizeof text - (size_t)used, "in %s for %.1f s", c.name,
                     lasted(&c));
        else
            snprintf(text + used, sizeof text - (size_t)used, "in no call");
        line(text);
    }
}
