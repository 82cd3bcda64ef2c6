/* batch.h -- a batch as the host sees it: memory, origins of records, borrowing, slices.
 *
 * The host allocates all batches before the run starts, with capacities from the schemas of the
 * stages that use them. A batch circulates: a source or fork takes it from its pool (pool.h) and
 * fills it, segments pass it on, and the last segment gives it back. After a tee or route, each
 * branch has batches of its own. Arrays that no stage of the branch writes are borrowed from the
 * batch before the fork, the parent. The parent goes back to its pool when no batch borrows from it
 * any more.
 */
#ifndef LEAT_HOST_FLOW_BATCH_H
#define LEAT_HOST_FLOW_BATCH_H

#include <stdatomic.h>
#include <stdbool.h>

#include <leat/plugin.h>

#include "core/time/event_clock.h"
#include "host/graph/options.h"

struct guarded;
struct instance;
struct dead_letters;
struct table;

/* Capacities of a batch. */
struct batch_shape {
    uint32_t records, bytes, fill_bytes;
    uint32_t columns, extents;
    uint32_t examples, entries, parts;
    bool keys, timestamps, headers, names;
    bool own_records;  /* bytes, columns and origins are its own, not a parent's  */
    bool own_examples; /* ids, values and names are its own, not a parent's       */
    uint32_t tables;   /* most answers that travel with the batch                 */
    bool places;       /* a stage may replace the bytes of records (LEAT_UNPACKS) */
    bool derived;      /* the batches are filled by a stage's expand              */
    bool guarded;      /* a guard page follows each array (guarded.h)             */
};

/* A rejected record. The stage that rejects it notes it in the batch. When all segments are done
 * with the batch, the rejections are gathered, so that dead letters keep the order of the input
 * (rejects.h). */
struct rejection {
    uint32_t record;
    int32_t reason;
    const struct instance *by;
    uint32_t text_off, text_len;
    bool counted; /* there is no text, because nobody will see it (rejects.h) */
};

/* The place up to which batch_origin() has counted the lines of an extent. {0}: nothing is
 * counted. */
struct batch_cursor {
    uint32_t extent, at; /* line ends before `at` are counted                   */
    uint64_t line;       /* line of the byte at `at`; 0: nothing is counted yet */
};

struct batch_origin {
    uint32_t input;               /* number of the input; unused if a stage made the record   */
    uint64_t offset, line;        /* place in the input (leat_host.where); line 0: no lines   */
    const struct instance *maker; /* stage that made the record from no other record, or NULL */
    const char *name; /* if a stage held the record back (leat_host.came_from): name of the input,
                       * in the text of a batch; else NULL */
};

/* For a record that a stage's expand has made: the origin of the record from which it was made, and
 * its place in the order of dead letters. */
struct derived {
    struct batch_origin origin;
    uint64_t order;
};

#define BATCH_NO_INPUT UINT32_MAX

struct hbatch {
    struct leat_batch b; /* first member: the batch as plugins see it */
    struct batch_shape shape;
    struct pool *pool;
    struct hbatch *next_free; /* next in the pool's list */
    /* Batch whose arrays this one borrows, or from which it was made; NULL: none. */
    struct hbatch *parent;
    _Atomic uint32_t borrowers; /* 1 + number of batches whose parent is this one */
    /* In a batch without a parent: number of batches, among this one and those derived from it,
     * that are still in the pipeline. */
    uint32_t under_way;
    struct dead_letters
        /* In a batch without a parent: rejections in it and in batches derived from it (rejects.c);
         * NULL: none. */
        *dead_letters;
    const struct instance *source;
    /* Position at which the source's next batch begins (run_position); infinity if there is
     * none. */
    double next;
    uint32_t *own_sel, *own_ex_sel;
    /* place[r]: offset in `bytes` where record r arrived. If `place` is NULL, it is raw[r].off. */
    const uint32_t *place;
    uint32_t *own_place;
    const struct derived *derived; /* for each record; NULL: the records come from a source */
    struct derived *own_derived;
    uint32_t *own_from;
    /* A bit for each stage with expand that will make more batches from the same input batch
     * (plan.h). */
    uint64_t more;
    bool last;                /* last batch of the stream                                       */
    bool later_piece;         /* its rows are those of the batch before it (pieces.h)           */
    uint32_t input;           /* input of its records, if inputs have shards; or BATCH_NO_INPUT */
    struct event_marks marks; /* open and closing inputs of the source */
    /* In a batch that expand has made: number of its records. In a batch without a parent: sum over
     * the batches that were made from it. */
    uint32_t n_made;
    struct batch_cursor cursor;
    union leat_cells *own_column; /* columns of this batch; b.column may be the parent's */
    struct rejection *rejection;
    uint32_t n_rejections;
    /* Messages of rejections; in the batch's block, or equal to reject_more. */
    char *reject_text;
    /* A separate block for the messages, if the batch's block is too small for them; else NULL. */
    char *reject_more;
    uint32_t n_reject_text, cap_reject_text;
    struct table **table;
    uint32_t n_tables;
    /* If shape.guarded: memory of all arrays. Else all arrays are in one block, which begins at
     * own_sel. */
    struct guarded *guarded;
};

/* Returns the bytes in a batch's block for the messages of rejected records. If they need more,
 * which is rare, they get a block of their own (reject_more). */
enum { REJECT_TEXT_BYTES = 16384, REJECT_TEXT_RECORD = 80 };
static inline size_t reject_text_bytes(uint32_t records)
{
    return REJECT_TEXT_BYTES + (size_t)records * REJECT_TEXT_RECORD;
}

/* Raises the capacities to those that a stage with this schema needs. */
void batch_shape_widen(struct batch_shape *s, const struct leat_schema *schema,
                       const struct options *o);
uint64_t batch_bytes(const struct batch_shape *s);

/* Makes a batch with its memory in one block, whose pages are touched only when they are used.
 * Returns NULL if there is no memory. */
struct hbatch *batch_new(const struct batch_shape *s);
void batch_free(struct hbatch *h);
/* Empties the batch. */
void batch_reset(struct hbatch *h);

/* Fills `h`, a new batch of a branch's pool, with the contents of `parent`. The shape of `h`
 * determines which arrays are borrowed and which are copied. Selections, labels and statuses are
 * always copied. */
void batch_borrow(struct hbatch *h, struct hbatch *parent, const struct leat_schema *schema);

/* Updates sel and ex_sel after a stage's call: removes filtered and rejected rows, and adds the
 * examples from number examples_before on. */
void batch_select(struct hbatch *h, uint32_t examples_before);

/* Saves the offsets where records arrived, before a stage replaces raw (LEAT_UNPACKS). */
void batch_keep_places(struct hbatch *h);

/* A stage with expand: its node's number in the graph, and the number of records that it has made
 * before. */
struct batch_maker {
    const struct instance *stage;
    uint32_t node;
    uint64_t n;
};

/* Makes `parent` the parent of `h`, whose records a stage's expand has made. Computes origin and
 * order of each record from b.from, then sets b.from to NULL. The parent stays until h is given
 * back. h->input becomes that of the parent. */
void batch_derive(struct hbatch *h, struct hbatch *parent, const struct batch_maker *by);

/* Sets the origin of record r, during expand, to a record of an earlier batch. b.from[r] must be
 * LEAT_NULL. `name`, the name of the input, is text in h. */
void batch_place(struct hbatch *h, uint32_t r, const char *name, uint64_t offset, uint64_t line);

/* Returns the place of record r in the order of dead letters. Records that were made from a record
 * of the source come right after it. Records that a stage made from no record come last, in the
 * order of making. */
uint64_t batch_order(const struct hbatch *h, uint32_t r);

/* Returns the origin of record r. Cheap if called for records in ascending order. Only the thread
 * that has the batch calls it. */
struct batch_origin batch_origin(struct hbatch *h, uint32_t r);
/* Returns the same, counting by a cursor of the caller's, {0} at first: changes no batch. */
struct batch_origin batch_origin_from(const struct hbatch *h, uint32_t r, struct batch_cursor *c);
/* Returns the number of the input of record r, for event_clock.h. */
uint32_t batch_clock_input(struct hbatch *h, uint32_t r);
/* Returns how many of the n records row[0], row[1], …, in ascending order, are of the input of the
 * first one. n is at least 1. */
uint32_t batch_clock_same(struct hbatch *h, const uint32_t *row, uint32_t n);

/* ---- slices: parts of a batch's selection, cut between records ----
 *
 * The host may pass a batch to a stage in slices, one after the other. For a slice it shortens sel
 * and ex_sel; the stage treats the slice like a whole batch. */

/* The whole selections of a batch, and how much of them earlier slices had. */
struct slicing {
    uint32_t *sel, *ex_sel;
    uint32_t n_sel, n_ex_sel;
    uint32_t records, examples; /* number of selected records and examples in the slices so far */
    bool whole;                 /* the whole batch is one slice: examples do not follow records */
};

struct slicing slice_begin(const struct leat_batch *b);
/* Shortens the selections to the next slice. It has n examples, or more if otherwise the slice
 * would end within a record. If n is 0 or s->whole, it has all remaining examples. Returns the
 * number of examples in the slice. */
uint32_t slice_next(struct slicing *s, struct leat_batch *b, uint32_t n);
/* Shortens the selections to the records that no slice has had, up to row number `row`. If `row` is
 * LEAT_NULL or s->whole, to all of them. */
void slice_upto(struct slicing *s, struct leat_batch *b, uint32_t row);
/* Restores the selections to what no slice has had. */
void slice_rest(const struct slicing *s, struct leat_batch *b);
/* True if the slices so far cover the whole selections. */
static inline bool slice_was_last(const struct slicing *s)
{
    return s->examples == s->n_ex_sel && s->records == s->n_sel;
}
/* Restores the batch's whole selections. */
void slice_end(const struct slicing *s, struct leat_batch *b);

#endif
