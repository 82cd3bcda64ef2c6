/* batch.h -- the host's side of a batch: its memory, its pool, what it carries besides the data.
 *
 * A batch is allocated once, with room computed from the schemas it will pass, and goes round:
 * taken from its pool, filled, handed from segment to segment, given back. Behind a tee each branch
 * has its own batches, which borrow the parent's arrays where no stage of the branch writes into
 * them; the parent goes back to its pool when the last borrower does.
 */
#ifndef LEAT_EXEC_BATCH_H
#define LEAT_EXEC_BATCH_H

#include <pthread.h>
#include <stdatomic.h>

#include <leat/plugin.h>

#include "graph/options.h"

struct instance;
struct table;

/* Room of a batch. */
struct batch_shape {
    uint32_t records, bytes, fill_bytes;
    uint32_t columns, runs;
    uint32_t examples, entries, parts;
    int keys, timestamps, names;
    int own_records;  /* 0: bytes, columns and origin are borrowed from a parent */
    int own_examples; /* 0: ids, values and names are borrowed from a parent     */
    uint32_t tables;  /* answers that may travel at once                         */
};

/* One rejected record: noted while the batch travels, written out where its journey ends, so that
 * the order of dead letters is the order of the input. */
struct rejection {
    uint32_t record;
    int32_t reason;
    const struct instance *by;
    uint32_t text_off, text_len;
};

struct hbatch {
    struct leat_batch b; /* first: the plugin's view */
    struct batch_shape shape;
    struct pool *pool;
    struct hbatch *parent;      /* what this one borrows from, or NULL */
    _Atomic uint32_t borrowers; /* 1 + branches that borrow from this one */
    const struct instance *source;
    double
        share; /* of its source's input (behind a merge: of the least) that is delivered with it */
    struct hbatch *next_free;
    uint32_t *own_sel, *own_ex_sel;
    union leat_cells *own_column; /* the arrays this batch owns; b.column may borrow */
    struct rejection *rejection;
    uint32_t n_rejections;
    char *reject_text;
    uint32_t n_reject_text;
    struct table **table;
    uint32_t n_tables;
};

enum { REJECT_TEXT_BYTES = 16384 };

struct pool {
    pthread_mutex_t mu;
    pthread_cond_t freed;
    struct hbatch *free;
    uint32_t n;
    uint64_t wait_ns;
};

/* The room that stages with these schemas need. */
void batch_shape_widen(struct batch_shape *s, const struct leat_schema *schema,
                       const struct options *o);
uint64_t batch_bytes(const struct batch_shape *s);

int pool_init(struct pool *p, uint32_t n, const struct batch_shape *s);
void pool_fini(struct pool *p);
/* An empty batch; waits for one. */
struct hbatch *pool_take(struct pool *p);

/* Give a batch back (and its parent, if this was the last borrower). */
void batch_release(struct hbatch *h);

/* Fill `h`, fresh from a branch's pool, with what `parent` holds: borrowed or copied as its shape
 * says; selections, labels and statuses are copied always. */
void batch_borrow(struct hbatch *h, struct hbatch *parent, const struct leat_schema *schema);

/* Bring the selections up to date after a stage changed statuses or made examples. */
void batch_select(struct hbatch *h, uint32_t examples_before);

/* Which input, byte offset (or message number) and line record r came from. */
struct batch_origin {
    uint32_t input;
    uint64_t offset, line;
};
struct batch_origin batch_origin(const struct leat_batch *b, uint32_t r);

#endif
