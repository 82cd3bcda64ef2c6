/* batch.h -- the host's side of a batch: its memory, and what it carries besides the data.
 *
 * A batch is allocated once, with capacities computed from the schemas that it will pass, and goes
 * round: it is taken from its pool (pool.h), filled, handed from segment to segment, given back.
 * After a tee each branch has its own batches, which borrow the parent's arrays where no stage of
 * the branch writes into them; the parent goes back to its pool with the last borrower.
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
    bool own_records;  /* or bytes, columns and origin are borrowed from a parent */
    bool own_examples; /* or ids, values and names are borrowed from a parent     */
    uint32_t tables;   /* answers that may travel at once                         */
    bool places;       /* a stage gives records other bytes (LEAT_UNPACKS)        */
    bool derived;      /* a stage's expand fills the batches                      */
    bool guarded;      /* behind each array lies memory that nobody may touch      */
};

/* One rejected record: noted while the batch travels and gathered where its journey ends, so that
 * dead letters are in the order of the input (rejects.h). */
struct rejection {
    uint32_t record;
    int32_t reason;
    const struct instance *by;
    uint32_t text_off, text_len;
    bool counted; /* and no more: nobody will see it in words (rejects.h) */
};

/* Up to where the lines of an extent are counted. {0}: from its start. */
struct batch_cursor {
    uint32_t extent, at; /* bytes before `at` are counted */
    uint64_t line;       /* of that byte; 0: the extent is not begun */
};

/* The origin of a record. */
struct batch_origin {
    uint32_t input;               /* of its source; without a meaning if a stage made it */
    uint64_t offset, line;        /* bytes (or messages) before it; its line, 0: none    */
    const struct instance *maker; /* of no record in particular: the stage; else NULL    */
    const char *name; /* of the input, where a stage kept the record: lies in a batch; or NULL */
};

/* A record of a stage's expand: where the record came from that it was made of, and its place in
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
    struct hbatch *parent;      /* what this one borrows from, or NULL    */
    _Atomic uint32_t borrowers; /* 1 + branches that borrow from this one */
    uint32_t under_way; /* without a parent: itself and its copies, until they are at their ends */
    struct dead_letters
        *dead_letters; /* without a parent: what they have rejected, or NULL (rejects.c)        */
    const struct instance *source;
    double next; /* where its source's next batch begins (run_position); after the last: infinity */
    uint32_t *own_sel, *own_ex_sel;
    const uint32_t *place; /* where each record arrived in bytes; NULL: where it lies */
    uint32_t *own_place;
    const struct derived *derived; /* of each record; NULL: they are a source's */
    struct derived *own_derived;
    uint32_t *own_from;
    uint64_t more;   /* a bit for each stage that makes others of the batch that this is made of */
    bool last;       /* nothing comes after it */
    bool short_end;  /* its source ended within it: it would have more records */
    uint32_t input;  /* of which its records are, where each input has a state; or BATCH_NO_INPUT */
    uint32_t n_made; /* records: its own, and of what was made of it */
    struct batch_cursor cursor;
    union leat_cells *own_column; /* the arrays this batch owns; b.column may borrow */
    struct rejection *rejection;
    uint32_t n_rejections;
    char *reject_text; /* in the batch's block, or reject_more */
    char *reject_more; /* once the block's space was too small; NULL: it never was */
    uint32_t n_reject_text, cap_reject_text;
    struct table **table;
    uint32_t n_tables;
    struct guarded *guarded; /* all arrays, if the shape says so; else own_sel is their block */
};

/* Bytes for the messages of rejected records; if they need more, which is rare, they get a block of
 * their own. */
enum { REJECT_TEXT_BYTES = 16384, REJECT_TEXT_RECORD = 80 };
static inline size_t reject_text_bytes(uint32_t records)
{
    return REJECT_TEXT_BYTES + (size_t)records * REJECT_TEXT_RECORD;
}

/* Widen the shape to what stages with this schema need. */
void batch_shape_widen(struct batch_shape *s, const struct leat_schema *schema,
                       const struct options *o);
uint64_t batch_bytes(const struct batch_shape *s);

/* Makes a batch with its memory in one block, touched only when used. NULL: not enough memory. */
struct hbatch *batch_new(const struct batch_shape *s);
void batch_free(struct hbatch *h);
/* Empties the batch; it keeps its capacities. */
void batch_reset(struct hbatch *h);

/* Fill `h`, fresh from a branch's pool, with what `parent` holds: borrowed or copied as its shape
 * says; selections, labels and statuses are copied always. */
void batch_borrow(struct hbatch *h, struct hbatch *parent, const struct leat_schema *schema);

/* Bring the selections up to date after a stage changed statuses or made examples. */
void batch_select(struct hbatch *h, uint32_t examples_before);

/* A stage is about to give records other bytes: keeps where they arrived. */
void batch_keep_places(struct hbatch *h);

/* The maker of records: number `node` of the graph, which has made `n` before. */
struct batch_maker {
    const struct instance *stage;
    uint32_t node;
    uint64_t n;
};

/* A stage made the records of `h` from `parent`, which stays until h is given back. b.from says of
 * which records, and is taken away. The input is the parent's. */
void batch_derive(struct hbatch *h, struct hbatch *parent, const struct batch_maker *by);

/* Notes in expand that record r, made of none of the parent's, came from an earlier batch. `name`
 * is text of h. */
void batch_place(struct hbatch *h, uint32_t r, const char *name, uint64_t offset, uint64_t line);

/* The place of record r in the order of dead letters: that of the record of a source that it was
 * made of; after these, what stages made of no record, in their order. */
uint64_t batch_order(const struct hbatch *h, uint32_t r);

/* Cheap when records are asked for in their order. */
struct batch_origin batch_origin(struct hbatch *h, uint32_t r);

/* ---- slices: a part of the selection of a batch, between two of its records ----
 *
 * Slices of a batch are given to a stage one after the other, each like a whole batch: the
 * selections are narrowed, all else stays where it is. */

/* The selections of a batch, and how far slices of them have come. */
struct slicing {
    uint32_t *sel, *ex_sel;
    uint32_t n_sel, n_ex_sel;
    uint32_t records, examples; /* of those selected, how many were in slices */
    bool whole;                 /* the examples are not in the order of their records */
};

struct slicing slice_begin(const struct leat_batch *b);
/* Narrows the selections to the next slice: of about n examples, with all of a record; all the rest
 * where slices cannot end between records, or if n is 0. Returns how many examples it has. */
uint32_t slice_next(struct slicing *s, struct leat_batch *b, uint32_t n);
/* True if it was the last slice. */
static inline bool slice_was_last(const struct slicing *s)
{
    return s->examples == s->n_ex_sel && s->records == s->n_sel;
}
/* Makes the selections whole again. */
void slice_end(const struct slicing *s, struct leat_batch *b);

#endif
