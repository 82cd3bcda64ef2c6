/* plan.h -- from a negotiated graph to threads and bytes: segments, links, pools.
 *
 * A segment is a thread that calls stages one after the other on the same batch. Segments are
 * joined by links (rings); where a segment is replicated into lanes, batches are dealt out and
 * collected in turn, so they keep their order. Batches come from pools: one for each source, one
 * for each branch of a tee or route. The pools bound what is under way, so a source that runs ahead
 * waits for a batch: this is the back-pressure. Why no run can stick: plan.c.
 *
 *     [source] ===> [parse] ===> [featurize, lane 0] ===> [learn, tee] ===> [sink a]
 *                          \==> [featurize, lane 1] ===/             \==> [sink b]
 *
 *     [ ] segments or lanes, that is threads; ==> rings
 */
#ifndef LEAT_HOST_EXEC_PLAN_PLAN_H
#define LEAT_HOST_EXEC_PLAN_PLAN_H

#include "host/flow/batch.h"
#include "host/graph/graph.h"

enum { MERGE_COPIES_MAX = 65536 };

/* input[from .. last] comes again as long as a batch taken at `last` has this bit in `more`. */
struct merge_loop {
    uint32_t from, last;
    uint64_t bit;
};

struct merge_turn {
    const struct node *source;
    uint32_t n, cap;
    uint16_t *input;         /* n indexes of the merge's links         */
    struct merge_loop *loop; /* n_loops, those within others before them */
    uint32_t n_loops, cap_loops;
};

/* Stages that make other records, of a pipeline: each has a bit. */
enum { EXPANDS_MAX = 64 };

struct segment {
    uint32_t index;
    uint32_t lanes;
    uint32_t n_nodes;
    struct node **node;   /* stages only, in order           */
    uint32_t n_in, n_out; /* links                           */
    struct link **in, **out;
    const struct node *fork; /* tee or route at its end, or NULL */
    bool merges;             /* it begins with a merge           */
    uint64_t more_bit; /* it begins with a stage that makes other records: its bit in hbatch.more */
    bool ends_apart;   /* it begins with a source: after its last batch comes one without records */
    const struct node *at; /* that merge                       */
    uint32_t n_turns;      /* of a merge: one for each source  */
    struct merge_turn *turn;
};

struct link {
    struct segment *from, *to;
    const struct edge *branch; /* of a fork: its edge; else NULL       */
    struct pool_plan *pool;    /* of a fork: where its batches come from */
};

struct pool_plan {
    const char *what; /* "source.file" or "branch of tee at line 7" */
    struct batch_shape shape;
    uint32_t n;
    bool open;          /* its columns are not known yet, and so not counted */
    struct node *maker; /* source, or stage with expand; NULL: the pool is of a branch */
    const struct leat_schema *schema; /* of its batches at first       */
};

struct plan {
    struct arena *arena;
    uint32_t n_segments, n_links, n_pools, n_asks;
    struct segment *segment;
    struct link *link;
    struct pool_plan *pool;
    uint32_t threads;    /* of the stages                     */
    uint32_t ring_slots; /* of each ring: every batch fits    */
    uint64_t bytes;      /* in all                            */
    uint64_t process_bytes, pool_bytes, ring_bytes, stage_bytes, answer_bytes;
    uint64_t snapshot_bytes; /* in `bytes` only if the graph asks for snapshots */
    uint32_t shards;         /* inputs with states of their own (plan.c), or 0 */
    uint64_t shard_bytes;
};

/* True if it begins with a stage that makes other records. Such a stage always begins one. */
static inline bool segment_expands(const struct segment *s)
{
    return s->n_nodes && s->node[0]->stage->expand;
}

/* Ask every stage what it will take, and cut the graph into segments. Problems (a batch too large,
 * more than the memory limit) go to d. LEAT_OK, or LEAT_EARG. */
int plan_make(struct plan *p, struct graph *g, struct diag *d);

#endif
