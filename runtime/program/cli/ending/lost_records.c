/* lost_records.c -- see lost_records.h. */
#include "lost_records.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "host/log/diag.h"
#include "host/log/log.h"
#include "host/exec/worker/worker.h"

enum { KEYS_SHOWN = 10 };

/* A stage that let no record pass, so that those after it got none. */
static void warn_of_filter(const struct run *r, const struct node *n)
{
    uint64_t in = 0, out = 0, filtered = 0;
    for (int lane = 0; lane < n->lanes; lane++) {
        struct instance *at = run_instance(r, n, (uint32_t)lane);
        in += atomic_load(&at->count.in);
        out += atomic_load(&at->count.out);
        filtered += atomic_load(&at->count.filtered);
    }
    if (filtered && !out)
        log_message(
            LEAT_WARN,
            "%s: filtered %llu of the %llu records that it saw, and let none pass: no stage "
            "after it got one",
            n->label, (unsigned long long)filtered, (unsigned long long)in);
}

/* ---- routes ---- */

static const char *key_of(const struct run *r, const struct node *n, uint32_t branch)
{
    return r->graph->edge[n->out[branch]].key;
}

static void warn_of_lost(const struct run *r, const struct node *n, const struct worker *w)
{
    uint64_t in = atomic_load(&w->fork_in), lost = atomic_load(&w->fork_filtered);
    if (lost)
        log_message(LEAT_WARN, "%s: %llu of %llu records took no branch and are dropped: %s",
                    n->label, (unsigned long long)lost, (unsigned long long)in,
                    route_lost(&w->seen, r->graph, n, r->graph->arena));
}

/* The value that was meant by `key`; NULL: none is like it. */
static const char *meant_by(const char *key, const struct route *s)
{
    const char *values[SEEN_VALUES];
    for (uint32_t i = 0; i < s->n; i++) {
        values[i] = s->value[i];
        if (!strcasecmp(key, s->value[i])) return s->value[i];
    }
    return diag_suggest(key, values, s->n);
}

/* Branches that took none, by whether a value of the records may be what was meant: those that are
 * like no value are told together. */
static void warn_of_meant(const struct node *n, const char *key, const char *meant, uint64_t in)
{
    log_message(LEAT_WARN, "%s: the branch '%s' took none of %llu records: did you mean '%s'?",
                n->label, key, (unsigned long long)in, meant);
}

static void warn_of_empty(const struct node *n, const char *keys, uint32_t n_keys,
                          const struct route *s, uint64_t in)
{
    log_message(LEAT_WARN, "%s: the branch%s %s took none of %llu record%s%s%s%s", n->label,
                n_keys == 1 ? "" : "es", keys, (unsigned long long)in, in == 1 ? "" : "s",
                s->n ? "; a value without a branch of its own is '" : "", s->n ? s->value[0] : "",
                s->n ? "'" : "");
}

/* No news where every value has its branch, but what is in there gets nothing. */
static void tell_of_rest(const struct node *n, uint64_t in)
{
    log_message(LEAT_INFO, "%s: the branch '*' took none of %llu record%s: each has its own",
                n->label, (unsigned long long)in, in == 1 ? "" : "s");
}

static void tell_of_branches(const struct run *r, const struct node *n, const struct worker *w)
{
    const uint64_t in = atomic_load(&w->fork_in);
    const char *keys = "";
    uint32_t n_keys = 0;
    for (uint32_t j = 0; in && j < n->n_out; j++) {
        const char *key = key_of(r, n, j), *meant = meant_by(key, &w->seen);
        if (w->seen.taken[j]) continue;
        if (!strcmp(key, "*"))
            tell_of_rest(n, in);
        else if (meant)
            warn_of_meant(n, key, meant, in);
        else if (n_keys++ < KEYS_SHOWN)
            keys = arena_printf(r->graph->arena, "%s%s'%s'", keys, n_keys > 1 ? ", " : "", key);
    }
    if (n_keys > KEYS_SHOWN) keys = arena_printf(r->graph->arena, "%s, …", keys);
    if (n_keys) warn_of_empty(n, keys, n_keys, &w->seen, in);
}

static void warn_of_route(const struct run *r, const struct node *n)
{
    for (uint32_t k = 0; k < r->n_workers; k++) {
        const struct worker *w = &r->worker[k];
        if (w->segment->fork != n) continue;
        warn_of_lost(r, n, w);
        tell_of_branches(r, n, w);
    }
}

void lost_records_warn(const struct run *r)
{
    for (uint32_t i = 0; i < r->graph->n_nodes; i++) {
        const struct node *n = r->graph->order[i];
        if (n->stage) warn_of_filter(r, n);
        if (n->kind == NODE_ROUTE) warn_of_route(r, n);
    }
}
