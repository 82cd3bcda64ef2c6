/* calls.c -- implementation of calls.h. */
#include "calls.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/time/clock.h"
#include "host/exec/run.h"
#include "host/log/log.h"

struct call {
    const struct instance *in;
    const char *name;
    uint64_t since;
};

static struct call calls_of_instance(struct instance *i)
{
    const char *name = atomic_load(&i->call);
    return (struct call){name ? i : NULL, name, atomic_load(&i->call_ns)};
}

static void calls_earlier(struct call *best, struct call c)
{
    if (c.in && (!best->in || c.since < best->since)) *best = c;
}

static struct call calls_of_node(const struct run *r, const struct node *n)
{
    struct call best = {0};
    for (int lane = 0; lane < n->lanes && n->stage; lane++)
        calls_earlier(&best, calls_of_instance(run_instance(r, n, (uint32_t)lane)));
    return best;
}

static const double SHORT = 0.1; /* in seconds; a shorter call is reported as "at work" */

static double calls_lasted(const struct call *c)
{
    uint64_t now = clock_ns();
    return now > c->since ? (double)(now - c->since) / 1e9 : 0.0;
}

static struct call calls_find_longest(const struct run *r)
{
    struct call best = {0};
    for (uint32_t k = 0; k < r->graph->n_nodes; k++)
        calls_earlier(&best, calls_of_node(r, &r->graph->node[k]));
    return best;
}

const struct instance *calls_longest_in(const struct run *r) { return calls_find_longest(r).in; }

uint64_t calls_ns(const struct run *r)
{
    struct call best = calls_find_longest(r);
    uint64_t now = clock_ns();
    return best.in && now > best.since ? now - best.since : 0;
}

void calls_longest(const struct run *r, char *out, size_t cap)
{
    struct call best = calls_find_longest(r);
    struct call letters = {.since = atomic_load(&r->rejects.waits_since)};
    if (letters.since && (!best.in || letters.since <= best.since))
        snprintf(out, cap, "dead_letters = \"%s\" has accepted nothing for %.1f s",
                 r->graph->options.dead_letters, calls_lasted(&letters));
    else if (best.in && calls_lasted(&best) < SHORT)
        snprintf(out, cap, "%s: %s is at work", best.in->node->label, best.name);
    else if (best.in)
        snprintf(out, cap, "%s: %s has not returned for %.1f s", best.in->node->label, best.name,
                 calls_lasted(&best));
    else
        snprintf(out, cap, "no stage is in a call");
}

/* Returns the time that the stage takes for a record, in seconds, including its current call.
 * During the stage's first call its number of records is unknown. The batch then counts as full,
 * and *least becomes true. */
static double calls_seconds_a_record(const struct run *r, const struct node *n, bool *least)
{
    double ns = 0, in = 0;
    for (int lane = 0; lane < n->lanes && n->stage; lane++) {
        struct instance *i = run_instance(r, n, (uint32_t)lane);
        struct call c = calls_of_instance(i);
        ns += (double)atomic_load(&i->count.ns) - (double)atomic_load(&i->reading.waited_ns) +
              (c.in ? calls_lasted(&c) * 1e9 : 0);
        in += (double)atomic_load(&i->count.in);
    }
    *least = in <= 0 && n->n_in;
    if (*least) in = (double)r->graph->options.batch_rows;
    return in > 0 ? ns / in / 1e9 : 0; /* a source has no incoming records */
}

/* Writes a sentence about the slowest stage, if it takes a second or more for a batch. */
static void calls_slowest(const struct run *r, char *out, size_t cap)
{
    char ms[32];
    double rows = (double)r->graph->options.batch_rows, most = 0;
    const struct node *slow = NULL;
    bool least = false, at_least = false;
    for (uint32_t k = 0; k < r->graph->n_nodes; k++) {
        double s = calls_seconds_a_record(r, &r->graph->node[k], &least);
        if (s > most) most = s, slow = &r->graph->node[k], at_least = least;
    }
    *out = 0;
    if (!slow || rows <= 1 || most * rows < 1) return;
    snprintf(ms, sizeof ms, most < 0.1 ? "%.2g" : "%.0f", most * 1e3); /* %.2g would write 3e+02 */
    snprintf(out, cap,
             "; %s takes %s%s ms a record: set batch_rows below %.0f, so that snapshots and stops "
             "wait for fewer records",
             slow->label, at_least ? "at least " : "", ms, rows);
}

void calls_slow(struct run *r, char *out, size_t cap)
{
    char waits[CALLS_TEXT - 2];
    if (run_waits(r, waits, sizeof waits))
        snprintf(out, cap, "; %s", waits);
    else
        calls_slowest(r, out, cap);
}

static uint64_t calls_total(const struct run *r, const struct node *n, size_t counter)
{
    uint64_t sum = 0;
    for (int lane = 0; lane < n->lanes; lane++)
        sum +=
            atomic_load((_Atomic uint64_t *)((char *)run_instance(r, n, (uint32_t)lane) + counter));
    return sum;
}

void calls_each(const struct run *r, void (*line)(const char *text))
{
    char text[512];
    for (uint32_t k = 0; k < r->graph->n_nodes; k++) {
        const struct node *n = &r->graph->node[k];
        if (!n->stage) continue;
        struct call c = calls_of_node(r, n);
        int used = snprintf(text, sizeof text,
                            "leat: %s: %" PRIu64 " records in, %" PRIu64 " filtered, %" PRIu64
                            " rejected; ",
                            n->label, calls_total(r, n, offsetof(struct instance, count.in)),
                            calls_total(r, n, offsetof(struct instance, count.filtered)),
                            calls_total(r, n, offsetof(struct instance, count.rejected)));
        if (used < 0 || (size_t)used >= sizeof text) continue;
        if (c.in)
            snprintf(text + used, sizeof text - (size_t)used, "in %s for %.1f s", c.name,
                     calls_lasted(&c));
        else
            snprintf(text + used, sizeof text - (size_t)used, "in no call");
        line(text);
    }
}

/* ---- sources whose produce does not return ---- */

static const uint64_t LATE_NS = UINT64_C(1000000000);

/* Returns the time when the source's current call of produce began; 0 if it is not in produce. */
static uint64_t calls_produce_since(const struct instance *source)
{
    const char *call = atomic_load_explicit(&source->call, memory_order_acquire);
    return call && !strcmp(call, "produce") ? atomic_load(&source->call_ns) : 0;
}

static void calls_look_at(struct instance *source, bool in_turn, uint64_t now)
{
    uint64_t since = calls_produce_since(source), before = source->reading.seen_ns;
    source->reading.seen_ns = since;
    if (!since || since != before || !in_turn || now - since < LATE_NS || source->reading.told_late)
        return;
    source->reading.told_late = true;
    log_message(
        LEAT_WARN,
        "%s: produce has not returned for %.1f s, and meanwhile nothing is flushed or shown and "
        "no checkpoint is made. It must return LEAT_AGAIN within 100 ms if it has no records "
        "(leat/stage.h)",
        source->node->label, (double)(now - since) / 1e9);
}

void calls_look(struct run *r)
{
    uint64_t now = clock_ns();
    bool in_turn = now - r->looked_ns < 3 * CALLS_LOOK_NS;
    r->looked_ns = now;
    for (uint32_t i = 0; i < r->graph->n_nodes; i++) {
        const struct node *n = &r->graph->node[i];
        if (n->stage && n->stage->kind == LEAT_SOURCE && !n->plan.shards)
            calls_look_at(run_instance(r, n, 0), in_turn, now);
    }
}
