/* plan.c -- see plan.h. */
#include "plan.h"

#include <string.h>

#include "host/graph/stage_columns.h"
#include "host/plugin/params.h"
#include "plan_memory.h"
#include "shard_plan.h"

struct planner {
    struct plan *p;
    struct graph *g;
    struct diag *d;
    struct segment **of; /* by node: the segment it runs in, or that forks for it */
};

static struct segment *add_segment(struct planner *k, uint32_t lanes)
{
    struct segment *s = &k->p->segment[k->p->n_segments];
    s->index = k->p->n_segments++;
    s->lanes = lanes;
    s->node = arena_alloc(k->g->arena, (k->g->n_nodes + 1) * sizeof *s->node);
    s->in = arena_alloc(k->g->arena, (k->g->n_edges + 1) * sizeof *s->in);
    s->out = arena_alloc(k->g->arena, (k->g->n_edges + 1) * sizeof *s->out);
    return s;
}

static void add_link(struct planner *k, struct segment *from, struct segment *to,
                     const struct edge *branch)
{
    struct link *l = &k->p->link[k->p->n_links++];
    *l = (struct link){.from = from, .to = to, .branch = branch};
    from->out[from->n_out++] = l;
    to->in[to->n_in++] = l;
}

static struct segment *add_linked(struct planner *k, struct segment *from, uint32_t lanes,
                                  const struct edge *branch)
{
    struct segment *s = add_segment(k, lanes);
    add_link(k, from, s, branch);
    return s;
}

static bool has_learner(const struct segment *s)
{
    for (uint32_t i = 0; i < s->n_nodes; i++)
        if (s->node[i]->stage->kind == LEAT_LEARNER) return true;
    return false;
}

/* Must, or should, stage n get a thread of its own after segment s? */
static bool starts_segment(const struct planner *k, const struct segment *s, const struct node *n)
{
    int64_t threads = k->g->options.threads;
    uint32_t lanes = (uint32_t)n->lanes;
    if (s->lanes != lanes) return true;
    if (lanes > 1) return false;
    if (n->stage->expand) return s->n_nodes > 0;
    if (s->n_nodes && s->node[s->n_nodes - 1]->stage->kind == LEAT_SOURCE) return threads >= 2;
    return threads >= 3 && n->stage->kind == LEAT_LEARNER && !has_learner(s) && s->n_nodes > 0;
}

static void place_stage(struct planner *k, struct node *n)
{
    const struct node *before = graph_before(k->g, n);
    struct segment *s = before ? k->of[before->index] : NULL;
    uint32_t lanes = (uint32_t)n->lanes;
    if (!s) {
        s = add_segment(k, 1);
    } else if (before->kind == NODE_TEE || before->kind == NODE_ROUTE) {
        s = add_linked(k, s, 1, &k->g->edge[n->in[0]]);
        if (lanes > 1) s = add_linked(k, s, lanes, NULL);
    } else if (starts_segment(k, s, n)) {
        if (s->lanes > 1 && lanes > 1) /* another number of lanes: collect first */
            s = add_linked(k, s, 1, NULL);
        s = add_linked(k, s, lanes, NULL);
    }
    s->node[s->n_nodes++] = n;
    k->of[n->index] = s;
}

/* A merge begins a segment; the stages after it may join that. */
static void place_merge(struct planner *k, struct node *n)
{
    struct segment *s = add_segment(k, 1);
    s->merges = true;
    s->at = n;
    for (uint32_t i = 0; i < n->n_in; i++) {
        const struct edge *e = &k->g->edge[n->in[i]];
        const struct node *before = &k->g->node[e->from];
        bool forks = before->kind == NODE_TEE || before->kind == NODE_ROUTE;
        struct segment *from = k->of[e->from];
        if (from->lanes > 1) from = add_linked(k, from, 1, NULL);
        add_link(k, from, s, forks ? e : NULL);
    }
    k->of[n->index] = s;
}

static void place_fork(struct planner *k, struct node *n)
{
    const struct node *before = graph_before(k->g, n);
    struct segment *s = k->of[before->index];
    if (s->lanes > 1)
        s = add_linked(k, s, 1, NULL);
    else if (s->fork)
        s = add_linked(k, s, 1, &k->g->edge[n->in[0]]);
    s->fork = n;
    k->of[n->index] = s;
}

static void place_all(struct planner *k)
{
    size_t max = 2 * (size_t)k->g->n_nodes + k->g->n_edges + 2;
    k->p->segment = arena_alloc(k->g->arena, max * sizeof *k->p->segment);
    k->p->link = arena_alloc(k->g->arena, max * sizeof *k->p->link);
    k->p->pool = arena_alloc(k->g->arena, max * sizeof *k->p->pool);
    k->of = arena_alloc(k->g->arena, (k->g->n_nodes + 1) * sizeof *k->of);
    for (uint32_t i = 0; i < k->g->n_nodes; i++) {
        struct node *n = k->g->order[i];
        if (n->kind == NODE_STAGE)
            place_stage(k, n);
        else if (n->kind == NODE_MERGE)
            place_merge(k, n);
        else
            place_fork(k, n);
    }
    for (uint32_t i = 0; i < k->p->n_segments; i++)
        k->p->threads += k->p->segment[i].lanes;
}

bool segment_expands(const struct segment *s) { return s->n_nodes && s->node[0]->stage->expand; }

/* What is converted for a stage is written into the batch. */
static void widen_for(struct planner *k, struct pool_plan *pp, const struct node *n)
{
    struct leat_schema room = stage_columns_room(n);
    batch_shape_widen(&pp->shape, &room, &k->g->options);
    pp->shape.own_records |= n->n_conversions > 0;
}

/* What the batches of one pool go through: widen their shape by every stage up to the next fork, or
 * to a stage that makes others of them. `made`: by the first stage of s. */
static void widen_along(struct planner *k, struct pool_plan *pp, const struct segment *s, bool made)
{
    bool expands = segment_expands(s);
    pp->n += 2 * s->lanes;
    if (expands && !made) {
        widen_for(k, pp, s->node[0]);
        return;
    }
    for (uint32_t i = expands; i < s->n_nodes; i++) {
        const struct node *n = s->node[i];
        const struct leat_schema *in = &n->schema_in, *out = &n->schema_out;
        widen_for(k, pp, n);
        pp->open |= out->open != 0;
        uint32_t added = out->has & ~in->has;
        if (n->stage->caps & LEAT_UNPACKS) pp->shape.places = true;
        if ((n->stage->caps & (LEAT_REWRITES | LEAT_UNPACKS)) || out->n_columns > in->n_columns ||
            out->open || out->added_bytes_per_record > in->added_bytes_per_record ||
            out->copies_text > in->copies_text || out->added_names > in->added_names ||
            (added & (LEAT_HAS_COLUMNS | LEAT_HAS_KEY | LEAT_HAS_TIMESTAMP | LEAT_HAS_HEADERS)))
            pp->shape.own_records = true;
        if ((n->stage->caps & LEAT_REWRITES) || (added & LEAT_HAS_EXAMPLES))
            pp->shape.own_examples = true;
    }
    if (s->fork) return;
    for (uint32_t i = 0; i < s->n_out; i++)
        widen_along(k, pp, s->out[i]->to, false);
}

/* maker NULL: the pool is of a branch. */
static struct pool_plan *add_pool(struct planner *k, const char *what, struct node *maker,
                                  const struct leat_schema *schema, const struct segment *first)
{
    struct pool_plan *pp = &k->p->pool[k->p->n_pools++];
    pp->what = what;
    pp->maker = maker;
    pp->shape.derived = maker && maker->stage->expand;
    pp->shape.own_records = pp->shape.own_examples = maker != NULL;
    pp->schema = schema;
    pp->n = 2;
    pp->shape.tables = k->p->n_asks;
    batch_shape_widen(&pp->shape, schema, &k->g->options);
    widen_along(k, pp, first, maker != NULL);
    return pp;
}

static void plan_pools(struct planner *k)
{
    for (uint32_t i = 0; i < k->p->n_segments; i++) {
        struct segment *s = &k->p->segment[i];
        struct node *maker = !s->n_in || segment_expands(s) ? s->node[0] : NULL;
        if (maker) add_pool(k, maker->label, maker, &maker->schema_out, s);
        for (uint32_t j = 0; s->fork && j < s->n_out; j++)
            s->out[j]->pool = add_pool(
                k,
                s->out[j]->branch && s->out[j]->branch->key
                    ? arena_printf(k->g->arena, "%s %s", s->fork->label, s->out[j]->branch->key)
                    : arena_printf(k->g->arena, "%s %u", s->fork->label, (unsigned)j + 1),
                NULL, &s->fork->schema_in, s->out[j]->to);
    }
}

/* With --state, and where a source keeps states of its inputs, what was learned outlives the run. A
 * summary is no answer: it is a record of the run. */
static void check_result(const struct plan *p, const struct graph *g, struct diag *d)
{
    bool learns = false, shows = false;
    for (uint32_t i = 0; i < g->n_nodes; i++) {
        const struct leat_stage *s = g->node[i].stage;
        learns |= s && s->kind == LEAT_LEARNER;
        shows |= s && s->kind == LEAT_SINK;
    }
    if (learns && !shows && !g->snapshots && !p->shards)
        diag_add(d, DIAG_WARNING, g->at, "pipeline", NULL,
                 "no stage shows what is learned and nothing keeps it, so it is lost at the end of "
                 "the run: add a sink, such as leat.sink.top {}, or give --state DIR");
}

/* That a learner tells apart, each by a model of its own; 0: it is not one of several. */
static uint32_t classes_of(const struct node *learner)
{
    if (learner->schema_out.score != LEAT_SCORE_CLASS) return 0;
    if (learner->schema_in.n_classes) return learner->schema_in.n_classes;
    const struct leat_param *p = params_integer(learner->stage, "classes");
    const int64_t *given =
        p ? (const int64_t *)(const void *)((char *)learner->cfg + p->offset) : NULL;
    return given ? (uint32_t)*given : 0;
}

/* Several classes share the rows of an answer: where these are few, the last have none. */
static void check_rows(const struct graph *g, struct diag *d)
{
    for (uint32_t i = 0; i < g->n_nodes; i++) {
        const struct node *n = &g->node[i];
        uint32_t classes = n->asked && n->ask.kind == LEAT_QUERY_TOP ? classes_of(n->asked) : 0;
        if (n->ask.k >= classes) continue;
        diag_add(d, DIAG_WARNING, n->at, n->label, NULL,
                 "k = %u rows are shared by the %u classes of %s, which leaves %u of them without "
                 "any: make k at least %u",
                 (unsigned)n->ask.k, (unsigned)classes, n->asked->label,
                 (unsigned)(classes - n->ask.k), (unsigned)classes);
    }
}

int plan_make(struct plan *p, struct graph *g, struct diag *d)
{
    struct planner k = {.p = p, .g = g, .d = d};
    size_t before = d->errors;
    *p = (struct plan){.arena = g->arena};
    plan_memory_stages(p, g, d);
    shard_plan_make(p, g, d);
    check_result(p, g, d);
    check_rows(g, d);
    place_all(&k);
    merge_turns_make(p, g, d);
    plan_pools(&k);
    plan_memory_add_up(p, g);
    plan_memory_check(p, g, d);
    return d->errors > before ? LEAT_EARG : LEAT_OK;
}
