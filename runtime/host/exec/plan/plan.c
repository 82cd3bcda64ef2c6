/* plan.c -- implementation of plan.h: segments, pools, shards of inputs, turns of merges. */
#include "plan.h"

#include <string.h>

#include "host/exec/answers/ask.h"
#include "host/graph/stage_columns.h"
#include "host/params/params.h"
#include "plan_memory.h"

struct planner {
    struct plan *p;
    struct graph *g;
    struct diag *d;
    /* Segment of each node, by node->index. The segment of a fork is the one that ends with it. */
    struct segment **of;
};

static struct segment *plan_add_segment(struct planner *k, uint32_t lanes)
{
    struct segment *s = &k->p->segment[k->p->n_segments];
    s->index = k->p->n_segments++;
    s->lanes = lanes;
    s->node = arena_alloc(k->g->arena, (k->g->n_nodes + 1) * sizeof *s->node);
    s->in = arena_alloc(k->g->arena, (k->g->n_edges + 1) * sizeof *s->in);
    s->out = arena_alloc(k->g->arena, (k->g->n_edges + 1) * sizeof *s->out);
    return s;
}

static void plan_add_link(struct planner *k, struct segment *from, struct segment *to,
                          const struct edge *branch)
{
    struct link *l = &k->p->link[k->p->n_links++];
    *l = (struct link){.from = from, .to = to, .branch = branch};
    from->out[from->n_out++] = l;
    to->in[to->n_in++] = l;
}

static struct segment *plan_add_linked(struct planner *k, struct segment *from, uint32_t lanes,
                                       const struct edge *branch)
{
    struct segment *s = plan_add_segment(k, lanes);
    plan_add_link(k, from, s, branch);
    return s;
}

static bool plan_has_learner(const struct segment *s)
{
    for (uint32_t i = 0; i < s->n_nodes; i++)
        if (s->node[i]->stage->kind == LEAT_LEARNER) return true;
    return false;
}

/* True if n is a learner that is asked for answers after certain records. */
static bool plan_cuts(const struct graph *g, const struct node *n)
{
    for (uint32_t i = 0; i < g->n_nodes; i++)
        if (g->node[i].asked == n && ask_counts(&g->node[i].ask)) return true;
    return false;
}

static bool segment_cuts(const struct segment *s) { return s->cutter < s->n_nodes; }

/* True if stage n should begin a new segment, and not be added to segment s. */
static bool plan_starts_segment(const struct planner *k, const struct segment *s,
                                const struct node *n)
{
    int64_t threads = k->g->options.threads;
    uint32_t lanes = (uint32_t)n->lanes;
    if (s->lanes != lanes) return true;
    if (lanes > 1) return false;
    if (n->stage->expand) return s->n_nodes > 0;
    if (segment_cuts(s) && plan_cuts(k->g, n)) return true;
    if (s->n_nodes && s->node[s->n_nodes - 1]->stage->kind == LEAT_SOURCE) return threads >= 2;
    return threads >= 3 && n->stage->kind == LEAT_LEARNER && !plan_has_learner(s) && s->n_nodes > 0;
}

static void plan_place_stage(struct planner *k, struct node *n)
{
    const struct node *before = graph_before(k->g, n);
    struct segment *s = before ? k->of[before->index] : NULL;
    uint32_t lanes = (uint32_t)n->lanes;
    if (!s) {
        s = plan_add_segment(k, 1);
    } else if (before->kind == NODE_TEE || before->kind == NODE_ROUTE) {
        s = plan_add_linked(k, s, 1, &k->g->edge[n->in[0]]);
        if (lanes > 1) s = plan_add_linked(k, s, lanes, NULL);
    } else if (plan_starts_segment(k, s, n)) {
        if (s->lanes > 1 && lanes > 1) /* a segment with one lane collects the batches */
            s = plan_add_linked(k, s, 1, NULL);
        s = plan_add_linked(k, s, lanes, NULL);
    }
    if (!plan_cuts(k->g, n)) s->cutter += s->cutter == s->n_nodes;
    s->node[s->n_nodes++] = n;
    k->of[n->index] = s;
}

/* Begins a segment with a merge; the stages after the merge may be added to it. */
static void plan_place_merge(struct planner *k, struct node *n)
{
    struct segment *s = plan_add_segment(k, 1);
    s->merges = true;
    s->at = n;
    for (uint32_t i = 0; i < n->n_in; i++) {
        const struct edge *e = &k->g->edge[n->in[i]];
        const struct node *before = &k->g->node[e->from];
        bool forks = before->kind == NODE_TEE || before->kind == NODE_ROUTE;
        struct segment *from = k->of[e->from];
        if (from->lanes > 1) from = plan_add_linked(k, from, 1, NULL);
        plan_add_link(k, from, s, forks ? e : NULL);
    }
    k->of[n->index] = s;
}

static void plan_place_fork(struct planner *k, struct node *n)
{
    const struct node *before = graph_before(k->g, n);
    struct segment *s = k->of[before->index];
    if (s->lanes > 1)
        s = plan_add_linked(k, s, 1, NULL);
    else if (s->fork)
        s = plan_add_linked(k, s, 1, &k->g->edge[n->in[0]]);
    s->fork = n;
    k->of[n->index] = s;
}

static void plan_place_all(struct planner *k)
{
    size_t max = 2 * (size_t)k->g->n_nodes + k->g->n_edges + 2;
    k->p->segment = arena_alloc(k->g->arena, max * sizeof *k->p->segment);
    k->p->link = arena_alloc(k->g->arena, max * sizeof *k->p->link);
    k->p->pool = arena_alloc(k->g->arena, max * sizeof *k->p->pool);
    k->of = arena_alloc(k->g->arena, (k->g->n_nodes + 1) * sizeof *k->of);
    for (uint32_t i = 0; i < k->g->n_nodes; i++) {
        struct node *n = k->g->order[i];
        if (n->kind == NODE_STAGE)
            plan_place_stage(k, n);
        else if (n->kind == NODE_MERGE)
            plan_place_merge(k, n);
        else
            plan_place_fork(k, n);
    }
    for (uint32_t i = 0; i < k->p->n_segments; i++)
        k->p->threads += k->p->segment[i].lanes;
}

/* Raises the pool's shape to the needs of a stage. A stage with converted columns needs batches
 * with their own records, because the conversions write into the batch. */
static void plan_widen_for(struct planner *k, struct pool_plan *pp, const struct node *n)
{
    struct leat_schema room = stage_columns_room(n);
    batch_shape_widen(&pp->shape, &room, &k->g->options);
    pp->shape.own_records |= n->n_conversions > 0;
}

/* Raises the pool's shape to the needs of every stage from number `first` of segment s on that gets
 * its batches: up to the next fork, or to the next stage with expand. */
static void plan_widen_along(struct planner *k, struct pool_plan *pp, const struct segment *s,
                             uint32_t first)
{
    pp->n += 2 * s->lanes;
    if (segment_expands(s) && !first) {
        plan_widen_for(k, pp, s->node[0]);
        return;
    }
    for (uint32_t i = first; i < s->n_nodes; i++) {
        const struct node *n = s->node[i];
        const struct leat_schema *in = &n->schema_in, *out = &n->schema_out;
        plan_widen_for(k, pp, n);
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
        plan_widen_along(k, pp, s->out[i]->to, 0);
}

/* Adds a pool for a source or a stage with expand (maker); or, without a maker, for batches that
 * borrow: those of a branch of a fork, or pieces. The first stage that gets its batches is number
 * `first` of segment s. */
static struct pool_plan *plan_add_pool(struct planner *k, const char *what, struct node *maker,
                                       const struct leat_schema *schema, const struct segment *s,
                                       uint32_t first)
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
    plan_widen_along(k, pp, s, first);
    return pp;
}

static void plan_add_pieces(struct planner *k, struct segment *s, const struct node *learner)
{
    s->pieces = plan_add_pool(k, arena_printf(k->g->arena, "pieces after %s", learner->label), NULL,
                              &learner->schema_out, s, s->cutter + 1);
}

static void plan_pools(struct planner *k)
{
    for (uint32_t i = 0; i < k->p->n_segments; i++) {
        struct segment *s = &k->p->segment[i];
        struct node *maker = !s->n_in || segment_expands(s) ? s->node[0] : NULL;
        if (maker) plan_add_pool(k, maker->label, maker, &maker->schema_out, s, segment_expands(s));
        if (segment_cuts(s)) plan_add_pieces(k, s, s->node[s->cutter]);
        for (uint32_t j = 0; s->fork && j < s->n_out; j++)
            s->out[j]->pool = plan_add_pool(
                k,
                s->out[j]->branch && s->out[j]->branch->key
                    ? arena_printf(k->g->arena, "%s %s", s->fork->label, s->out[j]->branch->key)
                    : arena_printf(k->g->arena, "%s %u", s->fork->label, (unsigned)j + 1),
                NULL, &s->fork->schema_in, s->out[j]->to, 0);
    }
}

/* Warns if nothing shows or saves the model. --state saves it; so does a source with shards. A
 * summary does not count, because it only describes the run. */
static void plan_check_result(const struct plan *p, const struct graph *g, struct diag *d)
{
    bool learns = false, shows = false;
    for (uint32_t i = 0; i < g->n_nodes; i++) {
        const struct leat_stage *s = g->node[i].stage;
        learns |= s && s->kind == LEAT_LEARNER;
        shows |= s && s->kind == LEAT_SINK;
    }
    if (learns && !shows && !g->snapshots && !p->shards)
        diag_add(d, DIAG_WARNING, g->at, "pipeline", NULL,
                 "the model is neither shown nor saved, so it is lost at the end of the run: "
                 "add a sink, such as leat.sink.top {}, or give --state DIR");
}

/* Returns the number of classes if a learner has one model for each class; else 0. */
static uint32_t plan_classes_of(const struct node *learner)
{
    if (learner->schema_out.score != LEAT_SCORE_CLASS) return 0;
    if (learner->schema_in.n_classes) return learner->schema_in.n_classes;
    const struct leat_param *p = params_integer(learner->stage, "classes");
    const int64_t *given =
        p ? (const int64_t *)(const void *)((char *)learner->cfg + p->offset) : NULL;
    return given ? (uint32_t)*given : 0;
}

/* Warns if an answer has fewer rows than the learner has classes, because the last classes then get
 * no row. */
static void plan_check_rows(const struct graph *g, struct diag *d)
{
    for (uint32_t i = 0; i < g->n_nodes; i++) {
        const struct node *n = &g->node[i];
        uint32_t classes =
            n->asked && n->ask.kind == LEAT_QUERY_TOP ? plan_classes_of(n->asked) : 0;
        if (n->ask.k >= classes) continue;
        diag_add(d, DIAG_WARNING, n->at, n->label, NULL,
                 "k = %u rows are shared by the %u classes of %s, which leaves %u of them "
                 "without a row: make k at least %u",
                 (unsigned)n->ask.k, (unsigned)classes, n->asked->label,
                 (unsigned)(classes - n->ask.k), (unsigned)classes);
    }
}

/* ---- shards: stages that have an instance for each input ----
 *
 * If a source's plan has `shards` > 0 (host.h), every transform and learner with a state has an
 * instance for each input (checkpoint/shards.h, node.by_input). So has every stage with expand,
 * because the records that it holds back belong to an input.
 *
 *   source --> window --> learner --> top (result) --> map
 *              [0 1 2]    [0 1 2]     one              one
 *
 * A stage that makes records from answers, such as "result", has only one instance, because an
 * answer is about all inputs. So has every stage after it. The states of these stages are not
 * saved, so they must not depend on earlier records. */

enum { SHARDS_MOST = 4096 };

/* True if the stage has a state that depends on records. Sources and sinks do not count: their
 * states are places in their input or output. */
static bool shards_keep(const struct node *n)
{
    return n->stage && n->stage->state->snapshot &&
           (n->stage->kind == LEAT_TRANSFORM || n->stage->kind == LEAT_LEARNER);
}

static bool shards_of_answers(const struct node *n)
{
    return n->stage && n->stage->expand && n->stage->asker->ask;
}

/* Returns the first stage before n that makes records from answers; NULL if there is none. `from`
 * has the result for all nodes before n. */
static const struct node *shards_answers_before(const struct graph *g, const struct node *n,
                                                const struct node *const *from)
{
    const struct node *found = NULL;
    for (uint32_t k = 0; k < n->n_in && !found; k++) {
        const struct node *before = &g->node[g->edge[n->in[k]].from];
        found = shards_of_answers(before) ? before : from[before->index];
    }
    return found;
}

/* Reports an error if stage n cannot have shards but would need them. `answers` is the stage before
 * n that makes records from answers, or NULL. After such a stage only sinks, and further such
 * stages, may have a state. */
static void shards_check(const struct graph *g, const struct node *n, const struct node *answers,
                         struct diag *d)
{
    const char *why = NULL;
    if (!n->stage) return;
    bool depends = n->stage->kind == LEAT_LEARNER || n->stage->caps & LEAT_STATEFUL;
    if (depends && !n->stage->state->snapshot)
        why = "cannot save its state";
    else if (depends && answers && n->stage->kind != LEAT_SINK && !shards_of_answers(n))
        why = arena_printf(g->arena,
                           "its records come from %s (line %d), which mixes all inputs. Put it "
                           "before that stage, or into another branch of a leat.tee",
                           answers->label, answers->at.line);
    else if (n->stage->kind == LEAT_LEARNER && !n->stage->state->merge)
        why = "models of the inputs cannot be merged for one answer";
    else if (n->by_input && n->lanes > 1)
        why = "it runs in several lanes";
    if (why)
        diag_add(d, DIAG_ERROR, n->at, n->label, NULL,
                 "the source keeps a state for each of its inputs, but this stage cannot: %s", why);
}

static void shards_plan(struct plan *p, struct graph *g, struct diag *d)
{
    const struct node *source = NULL, *other = NULL;
    for (uint32_t i = 0; i < g->n_nodes; i++) {
        const struct node *n = &g->node[i];
        if (!n->stage || n->stage->kind != LEAT_SOURCE) continue;
        if (n->plan.shards) source = n;
        if (n->plan.shards > p->shards) p->shards = n->plan.shards;
        p->open_shards |= n->plan.shards == UINT32_MAX;
    }
    p->shows_states = source && !source->stage->source->durable;
    if (p->open_shards) p->shards = SHARDS_MOST;
    const struct node **answers = arena_alloc(g->arena, (g->n_nodes + 1) * sizeof *answers);
    for (uint32_t i = 0; i < g->n_nodes && source; i++) {
        struct node *n = g->order[i];
        answers[n->index] = shards_answers_before(g, n, answers);
        n->by_input = shards_keep(n) && !shards_of_answers(n) && !answers[n->index];
        shards_check(g, n, answers[n->index], d);
        if (n->stage && n->stage->kind == LEAT_SOURCE && n != source) other = n;
    }
    if (other)
        diag_add(d, DIAG_ERROR, source->at, source->label, NULL,
                 "this source keeps a state for each of its inputs, so it must be the only source: "
                 "remove %s (line %d)",
                 other->label, other->at.line);
}

/* ---- merges: the order in which a merge takes batches from its inputs; why no run gets stuck ----
 *
 * A fork copies each batch for each of its branches. A merge after the fork receives one copy for
 * each path that leads to the merge. The merge takes the copies in the order of a run with one
 * thread, which follows each batch down all paths before it takes the next batch, and takes the
 * first branch of a fork first. The "turn" of a source at a merge is the list of the merge's inputs
 * on which the copies of one batch arrive, in this order. The merge chooses the source whose next
 * batch begins at the smallest run_position (among equals, the first in the script), and takes the
 * whole turn of that source.
 *
 *     source --> tee 1 --a--> merge 1 --> tee 2 --c--> merge 2      turn of merge 1: a b
 *                     \--b-->/                 \--d-->/             turn of merge 2: c d c d
 *
 * No run gets stuck, however few batches a pool has. Let x be the first batch, in this order, that
 * some worker must still take or some source must still make. A worker can continue with x:
 *   - Rings have room for all batches (plan.ring_slots), so a push never waits.
 *   - If x is in a ring, its worker has taken everything before x and can take x. A merge
 *     takes x next, because a merge waits only for the first batch that comes to it. The same
 *     holds for lanes, which are collected in the order in which batches were dealt.
 *   - If a fork or source must make x, its pool has a free batch. The pool has given out only
 *     batches before x, and each is back unless a copy of it must still be taken.
 *     No such copy exists, because x is the first batch.
 *   - The same holds for a stage with expand (expand.c), or a learner that cuts batches (pieces.c),
 *     that needs a batch.
 *
 * The batches that a stage with expand makes go down all paths one by one: o1 to c and d, then o2
 * to c and d. So the part of a turn that leads through the stage repeats as long as the stage makes
 * more batches (merge_loop). The same holds for the pieces of a batch.
 *
 *     source --> tee 1 --> flat --> tee 2 --c--> merge       turn: (c d) e; c d repeats
 *                     \                  \--d-->/              for each batch of flat
 *                      \----------e------------>/
 *
 * So pools may have any size; they need to be large only for speed. Each batch tells the merge the
 * position of its source's next batch (hbatch.next). If several sources share a merge, each source
 * sends an empty last batch, whose `next` is infinity. If all other sources wait after a barrier, a
 * merge takes this last batch early, and so do later merges (worker.c).
 */

struct merge_walk {
    const struct graph *g;
    struct plan *p;
    const struct node *source;
    const struct segment *too_many; /* merge with more than MERGE_COPIES_MAX copies, or NULL */
    bool expands;                   /* a stage after the source has expand                   */
};

static struct merge_turn *merge_turn_of(const struct merge_walk *w, struct segment *merge)
{
    for (uint32_t i = 0; i < merge->n_turns; i++)
        if (merge->turn[i].source == w->source) return &merge->turn[i];
    struct merge_turn *t = &merge->turn[merge->n_turns++];
    *t = (struct merge_turn){.source = w->source};
    return t;
}

static void merge_add_input(struct merge_walk *w, struct segment *merge, const struct link *l)
{
    uint16_t i = 0;
    struct merge_turn *t = merge_turn_of(w, merge);
    while (merge->in[i] != l)
        i++;
    if (t->n == MERGE_COPIES_MAX) {
        w->too_many = merge;
        return;
    }
    if (t->n == t->cap) {
        t->cap = t->cap ? 2 * t->cap : 8;
        uint16_t *larger = arena_alloc(w->g->arena, t->cap * sizeof *larger);
        if (t->n) memcpy(larger, t->input, t->n * sizeof *larger);
        t->input = larger;
    }
    t->input[t->n++] = i;
}

static void merge_add_loop(struct merge_walk *w, struct merge_turn *t, uint32_t from, uint64_t bit)
{
    if (t->n == from) return;
    if (t->n_loops == t->cap_loops) {
        t->cap_loops = t->cap_loops ? 2 * t->cap_loops : 4;
        struct merge_loop *larger = arena_alloc(w->g->arena, t->cap_loops * sizeof *larger);
        if (t->n_loops) memcpy(larger, t->loop, t->n_loops * sizeof *larger);
        t->loop = larger;
    }
    t->loop[t->n_loops++] = (struct merge_loop){from, t->n - 1, bit};
}

static void merge_follow(struct merge_walk *w, const struct segment *s);

/* Returns the length that the source's turn at a merge has so far. */
static uint32_t merge_length_at(const struct merge_walk *w, const struct segment *merge)
{
    for (uint32_t i = 0; i < merge->n_turns; i++)
        if (merge->turn[i].source == w->source) return merge->turn[i].n;
    return 0;
}

/* Follows the batches of a segment that makes several batches of one. */
static void merge_follow_repeating(struct merge_walk *w, const struct segment *s)
{
    uint32_t *from = arena_alloc(w->g->arena, w->p->n_segments * sizeof *from);
    for (uint32_t i = 0; i < w->p->n_segments; i++)
        from[i] = merge_length_at(w, &w->p->segment[i]);
    w->expands |= segment_expands(s);
    merge_follow(w, s);
    for (uint32_t i = 0; i < w->p->n_segments; i++)
        if (merge_length_at(w, &w->p->segment[i]) > from[i])
            merge_add_loop(w, merge_turn_of(w, &w->p->segment[i]), from[i], s->more_bit);
}

/* Follows a batch from the end of segment s down all paths, in the order of a run with one thread,
 * and adds its arrivals to the turns of the merges. */
static void merge_follow(struct merge_walk *w, const struct segment *s)
{
    for (uint32_t j = 0; j < s->n_out && !w->too_many; j++) {
        struct segment *to = s->out[j]->to;
        if (to->merges) merge_add_input(w, to, s->out[j]);
        if (to->more_bit)
            merge_follow_repeating(w, to);
        else
            merge_follow(w, to);
    }
}

static void merge_give_bits(struct plan *p, struct diag *d)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < p->n_segments; i++) {
        struct segment *s = &p->segment[i];
        if (!segment_expands(s) && !segment_cuts(s)) continue;
        s->more_bit = UINT64_C(1) << n % EXPANDS_MAX;
        if (n++ == EXPANDS_MAX)
            diag_add(d, DIAG_ERROR, s->node[0]->at, s->node[0]->label, NULL,
                     "the pipeline has more than %d stages that make new records, or are asked for "
                     "answers with `every`: join some of them into one",
                     EXPANDS_MAX);
    }
}

static void merge_follow_source(struct merge_walk *w, struct segment *s)
{
    w->expands = false;
    if (s->more_bit)
        merge_follow_repeating(w, s);
    else
        merge_follow(w, s);
    s->ends_apart = w->expands;
}

static void merge_mark_shared(struct plan *p, const struct segment *merge)
{
    for (uint32_t i = 0; i < p->n_segments && merge->n_turns > 1; i++)
        for (uint32_t k = 0; k < merge->n_turns && !p->segment[i].n_in; k++)
            p->segment[i].ends_apart |= p->segment[i].node[0] == merge->turn[k].source;
}

static void merge_turns_make(struct plan *p, const struct graph *g, struct diag *d)
{
    struct merge_walk w = {.g = g, .p = p};
    merge_give_bits(p, d);
    for (uint32_t i = 0; i < p->n_segments; i++)
        if (p->segment[i].merges)
            p->segment[i].turn = arena_alloc(g->arena, g->n_nodes * sizeof *p->segment[i].turn);
    for (uint32_t i = 0; i < g->n_nodes && !w.too_many; i++) {
        w.source = &g->node[i];
        for (uint32_t k = 0; k < p->n_segments && !w.too_many; k++)
            if (!p->segment[k].n_in && p->segment[k].node[0] == w.source)
                merge_follow_source(&w, &p->segment[k]);
    }
    for (uint32_t i = 0; i < p->n_segments; i++)
        merge_mark_shared(p, &p->segment[i]);
    if (w.too_many)
        diag_add(d, DIAG_ERROR, w.too_many->at->at, NULL, NULL,
                 "leat.merge() has more than %d paths that lead to it: put fewer tees or routes "
                 "in a row before it",
                 MERGE_COPIES_MAX);
}

/* ---- plan_make ---- */

int plan_make(struct plan *p, struct graph *g, struct diag *d)
{
    struct planner k = {.p = p, .g = g, .d = d};
    size_t before = d->errors;
    *p = (struct plan){.arena = g->arena};
    plan_memory_stages(p, g, d);
    shards_plan(p, g, d);
    plan_check_result(p, g, d);
    plan_check_rows(g, d);
    plan_place_all(&k);
    merge_turns_make(p, g, d);
    plan_pools(&k);
    plan_memory_add_up(p, g);
    plan_memory_check(p, g, d);
    return d->errors > before ? LEAT_EARG : LEAT_OK;
}
