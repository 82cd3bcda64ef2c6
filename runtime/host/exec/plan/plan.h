/* plan.h -- from a negotiated graph to threads and bytes: segments, links, pools.
 *
 * A segment is a thread that calls stages one after the other on the same batch. Segments are
 * joined by links (rings); where a segment is replicated into lanes, batches are dealt out and
 * collected in turn, so they keep their order. Batches come from pools: one for each source, and
 * one for each branch of a tee or route. The pools bound the number of batches under way, so a
 * source that runs ahead waits for a batch (back-pressure). plan.c shows why no run gets stuck.
 *
 *     [source] ===> [parse] ===> [featurize, lane 0] ===> [learn, tee] ===> [sink a]
 *                          \==> [featurize, lane 1] ===/             \==> [sink b]
 *
 *     [ ] a segment or lane, one thread each; ==> a ring
 */
#ifndef LEAT_HOST_EXEC_PLAN_PLAN_H
#define LEAT_HOST_EXEC_PLAN_PLAN_H

#include "host/flow/batch.h"
#include "host/graph/graph.h"

enum { MERGE_COPIES_MAX = 65536 };

/* Repeats input[from .. last] while a batch taken at `last` has this bit in `more`. */
struct merge_loop {
    uint32_t from, last;
    uint64_t bit;
};

struct merge_turn {
    const struct node *source;
    uint32_t n, cap;
    uint16_t *input;         /* n indexes of the merge's links         */
    struct merge_loop *loop; /* n_loops, inner loops before outer ones */
    uint32_t n_loops, cap_loops;
};

/* Stages with expand that a pipeline may have: each needs a bit. */
enum { EXPANDS_MAX = 64 };

struct segment {
    uint32_t index;
    uint32_t lanes;
    uint32_t n_nodes;
    struct node **node;   /* stages only, in order */
    uint32_t n_in, n_out; /* links                 */
    struct link **in, **out;
    const struct node *fork; /* tee or route at its end, or NULL */
    bool merges;             /* begins with a merge */
    uint64_t more_bit;       /* if its first stage makes other records: its bit in hbatch.more */
    bool ends_apart;         /* begins with a source whose last batch is followed by an empty one */
    const struct node *at;   /* the merge, if `merges` */
    uint32_t n_turns;        /* of a merge: one for each source */
    struct merge_turn *turn;
};

struct link {
    struct segment *from, *to;
    const struct edge *branch; /* of a fork: its edge; else NULL     */
    struct pool_plan *pool;    /* of a fork: the pool of its batches */
};

struct pool_plan {
    const char *what; /* "source.file" or "branch of tee at line 7" */
    struct batch_shape shape;
    uint32_t n;
    bool open;          /* its columns are not known yet, so they are not counted */
    struct node *maker; /* source, or stage with expand; NULL for the pool of a branch */
    const struct leat_schema *schema; /* of its new batches */
};

struct plan {
    struct arena *arena;
    uint32_t n_segments, n_links, n_pools, n_asks;
    struct segment *segment;
    struct link *link;
    struct pool_plan *pool;
    uint32_t threads;    /* of the stages                        */
    uint32_t ring_slots; /* of each ring, enough for every batch */
    uint64_t bytes;      /* of everything                        */
    uint64_t process_bytes, pool_bytes, ring_bytes, stage_bytes, answer_bytes;
    uint64_t snapshot_bytes; /* in `bytes` only if the graph asks for snapshots */
    uint32_t shards;         /* inputs that have states (plan.c), or 0 */
    uint64_t shard_bytes;
};

/* True if the segment begins with a stage that makes other records. Such a stage always begins
 * one. */
static inline bool segment_expands(const struct segment *s)
{
    return s->n_nodes && s->node[0]->stage->expand;
}

/* Asks every stage for its plan, and cuts the graph into segments. Problems (a batch too large,
 * more than the memory limit) go to d. Returns LEAT_OK or LEAT_EARG. */
int plan_make(struct plan *p, struct graph *g, struct diag *d);

#endif
