/* plan.h -- divides a negotiated graph into threads, and computes its queues, pools and bytes.
 *
 * A segment is a sequence of stages that one thread calls, one after the other, on the same batch.
 * Links, each made of rings, connect the segments. A segment may have several lanes, one thread
 * each. Batches go to the lanes in rotation, and are collected in the same rotation, so they keep
 * their order. Each source, each stage with expand and each branch of a tee or route has a pool of
 * batches. The pools bound the number of batches in use, so a fast source waits (back-pressure).
 * plan.c shows why no run gets stuck.
 *
 *     [source] ===> [parse] ===> [featurize, lane 0] ===> [learn, tee] ===> [sink a]
 *                          \==> [featurize, lane 1] ===/             \==> [sink b]
 *
 *     [ ] a segment, or a lane of it: one thread; ==> a ring
 */
#ifndef LEAT_HOST_EXEC_PLAN_PLAN_H
#define LEAT_HOST_EXEC_PLAN_PLAN_H

#include "host/flow/batch.h"
#include "host/graph/graph.h"

enum { MERGE_COPIES_MAX = 65536 };

/* Part of a turn that repeats: after a batch from input[last] with `bit` in hbatch.more, the turn
 * continues at input[from]. */
struct merge_loop {
    uint32_t from, last;
    uint64_t bit;
};

struct merge_turn {
    const struct node *source;
    uint32_t n, cap;
    uint16_t *input;         /* n indexes of the merge's incoming links         */
    struct merge_loop *loop; /* n_loops elements, inner loops before outer ones */
    uint32_t n_loops, cap_loops;
};

/* Most segments in a pipeline that make several batches of one, because each needs a bit in
 * hbatch.more. */
enum { EXPANDS_MAX = 64 };

struct segment {
    uint32_t index;
    uint32_t lanes;
    uint32_t n_nodes;
    struct node **node; /* the stages, in order */
    uint32_t n_in, n_out;
    struct link **in, **out;
    const struct node *fork; /* tee or route at the segment's end, or NULL                        */
    bool merges;             /* the segment begins with a merge                                   */
    uint64_t more_bit;       /* if it makes several batches of one: its bit in hbatch.more        */
    uint32_t cutter;         /* index of the learner that cuts batches (pieces.h), or n_nodes     */
    struct pool_plan *pieces; /* pool of the pieces, or NULL                                      */
    bool ends_apart;       /* begins with a source that sends an empty batch after its last one */
    const struct node *at; /* the merge's node, if `merges`                                     */
    uint32_t n_turns;      /* of a merge: number of turns, one for each source                  */
    struct merge_turn *turn;
};

struct link {
    struct segment *from, *to;
    const struct edge *branch; /* edge of the fork's branch, or NULL    */
    struct pool_plan *pool;    /* pool of the branch's batches, or NULL */
};

struct pool_plan {
    const char *what; /* "source.file" or "branch of tee at line 7" */
    struct batch_shape shape;
    uint32_t n;
    bool open;          /* the batches' columns are not known yet; `shape` does not count them */
    struct node *maker; /* source or stage with expand that fills the batches; NULL: they borrow */
    const struct leat_schema *schema; /* schema of new batches */
};

struct plan {
    struct arena *arena;
    uint32_t n_segments, n_links, n_pools, n_asks;
    struct segment *segment;
    struct link *link;
    struct pool_plan *pool;
    uint32_t threads;    /* number of workers                          */
    uint32_t ring_slots; /* slots of each ring, enough for all batches */
    uint64_t bytes;      /* sum of the members below                   */
    uint64_t process_bytes, pool_bytes, ring_bytes, stage_bytes, answer_bytes;
    uint64_t snapshot_bytes; /* part of `bytes` only if graph->snapshots        */
    uint32_t shards;         /* most inputs that have shards at a time; 0: none */
    bool shows_states;       /* the source of the shards has no `durable`: it only shows states */
    bool open_shards;        /* the source tells later how many there will be   */
    uint32_t counted_shards; /* number that shard_bytes counts                     */
    uint64_t shard_bytes;
};

/* True if the segment begins with a stage with expand. Such a stage always begins a segment. */
static inline bool segment_expands(const struct segment *s)
{
    return s->n_nodes && s->node[0]->stage->expand;
}

/* Calls every stage's `plan`, divides the graph into segments, and adds up the bytes. Reports
 * errors to d, such as a batch that is too large, or a plan above the memory limit. Returns LEAT_OK
 * or LEAT_EARG. */
int plan_make(struct plan *p, struct graph *g, struct diag *d);

#endif
