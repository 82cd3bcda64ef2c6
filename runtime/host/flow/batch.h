/* batch.h -- the host's side of a batch: its memory, and data for the host alone.
 *
 * A batch is allocated once, with capacities computed from the schemas on its way. It circulates:
 * taken from its pool (pool.h), filled, handed from segment to segment, and given back. After a tee
 * each branch has its own batches. They borrow those arrays of the parent that no stage of the
 * branch writes. The parent goes back to its pool with the last borrower.
 */
#ifndef LEAT_HOST_FLOW_BATCH_H
#define LEAT_HOST_FLOW_BATCH_H

#include <stdatomic.h>
#include <stdbool.h>

#include <leat/plugin.h>

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
    bool own_records;  /* else bytes, columns and origin are borrowed from a parent */
    bool own_examples; /* else ids, values and names are borrowed from a parent     */
    uint32_t tables;   /* answers that may travel at once                           */
    bool places;       /* a stage may replace records' bytes (LEAT_UNPACKS)         */
    bool derived;      /* a stage's expand fills the batches                        */
    bool guarded;      /* a guard page follows each array (guarded.h)               */
};

/* One rejected record. It is noted while the batch travels and gathered at the end of its journey,
 * so that dead letters keep the order of the input (rejects.h). */
struct rejection {
    uint32_t record;
    int32_t reason;
    const struct instance *by;
    uint32_t text_off, text_len;
    bool counted; /* counted only: nobody will see its text (rejects.h) */
};

/* Place up to which the lines of an extent are counted. {0}: from its start. */
struct batch_cursor {
    uint32_t extent, at; /* bytes before `at` are counted */
    uint64_t line;       /* line of the byte at `at`; 0: the extent has not begun */
};

/* The origin of a record. */
struct batch_origin {
    uint32_t input;               /* number in its source; unused if a stage made the record */
    uint64_t offset, line;        /* bytes (or messages) before it; its line, 0: none */
    const struct instance *maker; /* the stage, if it made the record from no other; else NULL */
    const char *name; /* of the input, if a stage kept the record; lies in a batch; or NULL */
};

/* Data of a record of a stage's expand: the origin of the record it was made from, and its place in
 * the order of dead letters. */
struct derived {
    struct batch_origin origin;
    uint64_t order;
};

#define BATCH_NO_INPUT UINT32_MAX

struct hbatch {
    struct leat_batch b; /* first: the plugin's view */
    struct batch_shape shape;
    struct pool *pool;
    struct hbatch *next_free;   /* in the pool                            */
    struct hbatch *parent;      /* lender of its arrays, or NULL          */
    _Atomic uint32_t borrowers; /* 1 + branches that borrow from this one */
    uint32_t under_way; /* without a parent: itself and its copies that are not at their ends */
    struct dead_letters
        *dead_letters; /* without a parent: rejections of it and its copies, or NULL (rejects.c) */
    const struct instance *source;
    double next; /* where the source's next batch begins (run_position); infinity after the last */
    uint32_t *own_sel, *own_ex_sel;
    const uint32_t *place; /* where each record arrived in `bytes`; NULL: where it lies */
    uint32_t *own_place;
    const struct derived *derived; /* by record; NULL: the records are a source's */
    struct derived *own_derived;
    uint32_t *own_from;
    uint64_t more;   /* a bit for each stage that makes more batches of the same input batch */
    bool last;       /* no batch comes after it */
    bool short_end;  /* its source ended within it, so it has fewer records */
    uint32_t input;  /* the input of its records, if each input has a state; or BATCH_NO_INPUT */
    uint32_t n_made; /* records: its own, and those made of it */
    struct batch_cursor cursor;
    union leat_cells *own_column; /* arrays that this batch owns; b.column may borrow */
    struct rejection *rejection;
    uint32_t n_rejections;
    char *reject_text; /* in the batch's block, or reject_more */
    char *reject_more; /* a larger block, once the first was too small; or NULL */
    uint32_t n_reject_text, cap_reject_text;
    struct table **table;
    uint32_t n_tables;
    struct guarded *guarded; /* all arrays, if shape.guarded; else own_sel is their block */
};

/* Bytes for the messages of rejected records. If they need more, which is rare, they get another
 * block. */
enum { REJECT_TEXT_BYTES = 16384, REJECT_TEXT_RECORD = 80 };
static inline size_t reject_text_bytes(uint32_t records)
{
    return REJECT_TEXT_BYTES + (size_t)records * REJECT_TEXT_RECORD;
}

/* Widens the shape to the needs of stages with this schema. */
void batch_shape_widen(struct batch_shape *s, const struct leat_schema *schema,
                       const struct options *o);
uint64_t batch_bytes(const struct batch_shape *s);

/* Makes a batch with its memory in one block, touched only when used. Returns NULL without
 * memory. */
struct hbatch *batch_new(const struct batch_shape *s);
void batch_free(struct hbatch *h);
/* Empties the batch, without changing its capacities. */
void batch_reset(struct hbatch *h);

/* Fills `h`, fresh from a branch's pool, with the contents of `parent`, borrowed or copied
 * according to the shape of `h`. Selections, labels and statuses are always copied. */
void batch_borrow(struct hbatch *h, struct hbatch *parent, const struct leat_schema *schema);

/* Updates the selections after a stage changed statuses or made examples. */
void batch_select(struct hbatch *h, uint32_t examples_before);

/* Remembers where records arrived, before a stage replaces their bytes. */
void batch_keep_places(struct hbatch *h);

/* A maker of records: node number `node` of the graph, which has made `n` before. */
struct batch_maker {
    const struct instance *stage;
    uint32_t node;
    uint64_t n;
};

/* Notes that a stage made the records of `h` from `parent`, which stays until h is given back.
 * Reads b.from, which names the records, and takes it away. h gets the input of the parent. */
void batch_derive(struct hbatch *h, struct hbatch *parent, const struct batch_maker *by);

/* Notes in expand that record r was made of no record of the parent, but came from an earlier
 * batch. `name` is text of h. */
void batch_place(struct hbatch *h, uint32_t r, const char *name, uint64_t offset, uint64_t line);

/* Returns the place of record r in the order of dead letters. It is that of the source's record
 * that r was made from. Records that stages made from no record come after all of these, in their
 * order. */
uint64_t batch_order(const struct hbatch *h, uint32_t r);

/* Returns the origin of record r. Cheap if records are asked for in their order. */
struct batch_origin batch_origin(struct hbatch *h, uint32_t r);

/* ---- slices: parts of a batch's selection, cut between records ----
 *
 * A stage gets the slices of a batch one after the other, each like a whole batch. Only the
 * selections are narrowed. */

/* The selections of a batch, and the progress of its slices. */
struct slicing {
    uint32_t *sel, *ex_sel;
    uint32_t n_sel, n_ex_sel;
    uint32_t records, examples; /* selected ones that were in slices */
    bool whole;                 /* examples are not in the order of their records: do not cut */
};

struct slicing slice_begin(const struct leat_batch *b);
/* Narrows the selections to the next slice, of about n examples and whole records. Takes all the
 * rest if slices cannot end between records, or if n is 0. Returns the number of examples in the
 * slice. */
uint32_t slice_next(struct slicing *s, struct leat_batch *b, uint32_t n);
/* True if it was the last slice. */
static inline bool slice_was_last(const struct slicing *s)
{
    return s->examples == s->n_ex_sel && s->records == s->n_sel;
}
/* Restores the selections. */
void slice_end(const struct slicing *s, struct leat_batch *b);

#endif
