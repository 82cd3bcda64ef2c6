/* merge_turns.h -- in which order a merge takes from its inputs, and why no run gets stuck.
 *
 * A fork makes a copy of each batch for each of its branches, and a merge after it receives one
 * copy for each path that leads to it. The order of all batches is the order of a run without
 * threads, which follows each batch of a source down all paths, the first branch of each fork
 * first, before it takes the next. For each source that reaches a merge, its turn is the list of
 * inputs on which the copies of one batch come in that order. A merge continues with the source
 * whose next batch begins earliest (run_position; of equal ones the first in the script), and takes
 * its whole turn.
 *
 *     source --> tee 1 --a--> merge 1 --> tee 2 --c--> merge 2      turn of merge 1: a b
 *                     \--b-->/                 \--d-->/             turn of merge 2: c d c d
 *
 * No run gets stuck, however few batches a pool has. Let x be the earliest batch, in this order,
 * that somebody still has to take, or a source to make. Somebody can continue with it:
 *   - Rings hold every batch of the run (plan.ring_slots), so none that pushes waits.
 *   - x lies in a ring, in the order of its worker: before it nothing is left to be taken. A merge
 *     takes it next, since a merge only waits for the earliest batch that comes to it. The same
 *     holds for lanes, which are collected as they were dealt.
 *   - A fork or source that is to make x finds its pool full: this pool has served only batches
 *     before x, and a batch is away from its pool only while a copy of it is still to be taken,
 *     which x, as the earliest, rules out.
 *   - A stage that makes other records (expand.h) waits for one of its own batches likewise.
 *
 * What such a stage makes of a batch goes down all paths one by one: o1 to c and d, then o2 to c
 * and d. So the part of a turn that leads through it comes again while more follows (merge_loop).
 *
 *     source --> tee 1 --> flat --> tee 2 --c--> merge       turn: (c d) e, c d as often as
 *                     \                  \--d-->/              flat makes batches of one
 *                      \----------e------------>/
 *
 * So it is not the number of batches that makes runs end, but this order: pools may be as small as
 * is fast enough. A merge knows where a source's next batch begins from the batch before it, and
 * the last one of a source that shares a merge with others is an empty one after which the next
 * begins at infinity. Where all other sources wait after a barrier, it comes before its time, and
 * merges that follow take it then (intake.c).
 */
#ifndef LEAT_HOST_EXEC_PLAN_MERGE_TURNS_H
#define LEAT_HOST_EXEC_PLAN_MERGE_TURNS_H

#include <stdint.h>

#include "host/log/diag.h"
#include "host/graph/graph.h"

struct plan;

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

/* Fills the turns of all merges of a plan whose segments are linked. A merge that would get more
 * than MERGE_COPIES_MAX copies of a batch is reported to d. */
void merge_turns_make(struct plan *p, const struct graph *g, struct diag *d);

#endif
