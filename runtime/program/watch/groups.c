/* groups.c -- implementation of groups.h. */
#include "groups.h"

#include <string.h>

#include "core/time/clock.h"
#include "host/log/json_text.h"
#include "program/page/fields.h"

enum { GROUPS_REASON = 600 };

/* Returns a count as JSON; null if it is negative, which means unknown. */
static json_t *groups_count(int64_t n) { return n < 0 ? json_null() : json_integer(n); }

/* ---- why this process is behind ---- */

/* Returns the time that a stage takes for a record, in ns; 0 if it had none. Lanes work at the same
 * time. */
static double stage_ns(const struct figures *f, const struct node *n)
{
    uint64_t busy = 0, records = 0;
    for (uint32_t k = 0; k < f->n; k++)
        for (uint32_t i = 0; i < f->worker[k].n; i++)
            if (f->worker[k].stage[i].node == n) busy += f->worker[k].stage[i].busy_ns;
    for (int lane = 0; lane < n->lanes; lane++) {
        const struct instance *i = run_instance(f->run, n, (uint32_t)lane);
        records +=
            n->stage->kind == LEAT_SOURCE ? atomic_load(&i->count.out) : atomic_load(&i->count.in);
    }
    return records ? (double)busy / (double)records / (double)n->lanes : 0;
}

/* Returns the stage that takes longest for a record; NULL if none had one. */
static const struct node *slowest_stage(const struct figures *f, double *ns)
{
    const struct node *slowest = NULL;
    *ns = 0;
    for (uint32_t k = 0; k < f->run->graph->n_nodes; k++) {
        const struct node *n = f->run->graph->order[k];
        double took = n->stage ? stage_ns(f, n) : 0;
        if (took <= *ns) continue;
        *ns = took;
        slowest = n;
    }
    return slowest;
}

static const char *groups_own_reason(const struct figures *f, struct arena *a)
{
    char waits[GROUPS_REASON];
    double ns;
    if (run_waits((struct run *)f->run, waits, sizeof waits)) return arena_strdup(a, waits);
    const struct node *slowest = slowest_stage(f, &ns);
    if (!slowest) return NULL;
    return arena_printf(a, "stage %s takes %.2g µs a record", slowest->label, ns / 1e3);
}

/* ---- findings ---- */

static const char *member_finding(const struct figures *f, const struct group_answer *g, uint32_t k,
                                  struct arena *a)
{
    const char *why = NULL;
    double still = (double)g->member[k].still_ns / 1e9;
    if (g->member[k].own)
        why = groups_own_reason(f, a);
    else if (still > 0)
        why = arena_printf(a, "it has committed nothing for %s, and may be stopped or hang",
                           field_span(still, a));
    if (!strcmp(g->state, "rebalancing")) why = "the group shares its partitions out anew";
    return arena_printf(
        a, "member %s%s%s%s: %u of %s, lag %s%s%s%s", g->member[k].name,
        *g->member[k].host ? " (" : "", g->member[k].host, *g->member[k].host ? ")" : "",
        g->member[k].inputs, field_counted(g->inputs, "partition", a),
        g->member[k].records < 0 ? "unknown" : field_count((double)g->member[k].records, a),
        g->member[k].grown > 0 ? " and growing" : "", why ? ": " : "", why ? why : "");
}

/* Returns a sentence about an input that no member has. */
static const char *share_finding(const struct group_answer *g, uint32_t k, struct arena *a)
{
    if (g->share[k].records < 0)
        return arena_printf(a, "partition %s: no member has it, and nothing of it is committed",
                            g->share[k].input);
    return arena_printf(a, "partition %s: %s behind: no member has it", g->share[k].input,
                        field_count((double)g->share[k].records, a));
}

static json_t *groups_findings(const struct figures *f, const struct group_answer *g,
                               struct arena *a)
{
    json_t *all = json_array();
    bool all_known = g->n_members && g->n_members < LEAT_MEMBERS;
    for (uint32_t k = 0; k < g->n_shares && all_known; k++)
        if (g->share[k].member == UINT32_MAX && g->share[k].records != 0)
            json_array_append_new(all, json_text(share_finding(g, k, a)));
    for (uint32_t k = 0; k < g->n_members; k++)
        if (g->member[k].grown > 0 || g->member[k].still_ns)
            json_array_append_new(all, json_text(member_finding(f, g, k, a)));
    return all;
}

/* ---- the group ---- */

static json_t *groups_members(const struct group_answer *g)
{
    json_t *all = json_array();
    for (uint32_t k = 0; k < g->n_members; k++) {
        json_t *names = json_array();
        for (uint32_t i = 0; i < g->n_shares; i++)
            if (g->share[i].member == k) json_array_append_new(names, json_text(g->share[i].input));
        json_array_append_new(
            all, json_pack("{s:o, s:o, s:i, s:o, s:o, s:o, s:f, s:b}", "name",
                           json_text(g->member[k].name), "host", json_text(g->member[k].host),
                           "partitions", (int)g->member[k].inputs, "has", names, "lag",
                           groups_count(g->member[k].records), "grown",
                           g->member[k].grown == INT64_MIN ? json_null()
                                                           : json_integer(g->member[k].grown),
                           "still", (double)g->member[k].still_ns / 1e9, "own", g->member[k].own));
    }
    return all;
}

static json_t *groups_partitions(const struct group_answer *g)
{
    json_t *all = json_array();
    for (uint32_t k = 0; k < g->n_shares; k++) {
        uint32_t m = g->share[k].member;
        json_array_append_new(
            all, json_pack("{s:o, s:o, s:o}", "partition", json_text(g->share[k].input), "lag",
                           groups_count(g->share[k].records), "member",
                           m == UINT32_MAX ? json_null() : json_text(g->member[m].name)));
    }
    return all;
}

static json_t *group_json(const struct figures *f, const struct node *source,
                          const struct group_answer *g)
{
    struct arena a = {0};
    double age = (double)((int64_t)clock_unix_ns() - g->answered) / 1e9;
    json_t *o =
        json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:i, s:o, s:o, s:o}", "source",
                  json_text(source->id), "group", json_text(g->name), "state", json_text(g->state),
                  "age", g->answered ? json_real(age > 0 ? age : 0) : json_null(), "why",
                  *g->why ? json_text(g->why) : json_null(), "lag", groups_count(g->records),
                  "partitions", (int)g->inputs, "members", groups_members(g), "worst",
                  groups_partitions(g), "findings", groups_findings(f, g, &a));
    arena_free(&a);
    return o;
}

json_t *groups_json(const struct figures *f)
{
    json_t *all = json_array();
    for (uint32_t k = 0; k < f->n; k++)
        for (uint32_t i = 0; i < f->worker[k].n; i++) {
            const struct stage_figures *s = &f->worker[k].stage[i];
            if (s->group) json_array_append_new(all, group_json(f, s->node, s->group));
        }
    return all;
}
