/* linear.h -- interface of the linear models: examples, shapes, options, kernels, saved state.
 *
 * Also unites the features of two models for a merge.
 */
#ifndef LEAT_KERNELS_LINEAR_LINEAR_H
#define LEAT_KERNELS_LINEAR_LINEAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/base/layout.h"
#include "kernels/summaries/id_slots.h"
#include "numbers.h"
#include "sgd.h"

/* ---- learning ---- */

/* An example. In entry i, feature id[i] has the value x[i]. */
struct linear_row {
    const uint64_t *id;
    const float *x;
    uint32_t n;
    int y;           /* label: -1 or +1                                                  */
    float weight;    /* importance weight: finite, >= 0                                  */
    bool new_record; /* first example of its record; a record can yield several examples */
};

/* Result of learning an example. The model changes only if it is LINEAR_OK. */
enum linear_result { LINEAR_OK = 0, LINEAR_NONFINITE, LINEAR_TOO_LONG };

/* A feature that got a slot in the last example learned. */
struct linear_entrant {
    uint32_t slot, entry; /* slot, and index of the feature's entry in the row */
};

/* ---- shapes ---- */

/* Sizes of a model. shape_for() chooses the fields that are 0; in adaptive.h, the fields that
 * are ADAPTIVE_CHOOSE. */
struct linear_shape {
    uint32_t active; /* slots; a slot holds a feature's id and weight */
    uint32_t width;  /* cells per row of the sketch; 0: no sketch     */
    uint32_t depth;  /* rows of the sketch                            */
    uint32_t owned;  /* 1 if cells have owners (adaptive.h), else 0   */
};
#define LINEAR_MAX_ACTIVE (1u << 26)
#define LINEAR_MAX_CELLS  (1u << 30) /* limit of width * depth */
#define LINEAR_MAX_DEPTH  64

static inline uint64_t linear_cells(const struct linear_shape *s)
{
    return (uint64_t)s->width * s->depth;
}

struct linear_options {
    struct sgd_options sgd;
    bool counts;      /* whether each slot counts its negative and positive examples */
    uint32_t max_row; /* largest number of entries in a row                          */
    uint64_t seed;    /* seed of the hash functions and of all random numbers        */

    enum adaptive_precision precision; /* only for SGD_ADAPTIVE */

    /* only for wm.h and wm_adaptive.h */
    bool mean;      /* an estimate is the mean of the cells, not the median         */
    bool estimates; /* slots are ranked and shown by their estimates                */
    bool average;   /* wm.h: queries use the mean of the weights after all examples */
    double radius;  /* wm.h: limit of the weight vector's length; 0: no limit       */

    /* only for tracked.h */
    uint32_t rule;     /* enum tracked_rule                                                */
    bool product;      /* slots are ranked by |w| e instead of |w| / e                     */
    bool churn_one;    /* at most one feature, chosen at random, gets a slot per example   */
    bool conservative; /* conservative update: raises only the smallest cells of a feature */

    /* only for bear.h, which explains them */
    uint32_t tau, batch, entries, longest;
};

/* Returns the largest power of two `width` with width * depth <= cells, at least 1. */
uint64_t linear_widest(uint64_t cells, uint64_t depth);

/* ---- copies ---- */

/* Pairs of limited-memory BFGS (mission/lbfgs.h), the oldest first. Each array stores the entries
 * of pair 0, then those of pair 1, and so on; pair k has length[k] entries. */
struct linear_pairs {
    uint32_t n, max;               /* number of pairs, and its limit                         */
    uint32_t entries, max_entries; /* number of entries of all pairs together, and its limit */
    uint32_t *length;              /* number of entries of each pair                         */
    uint32_t *id;                  /* folded ids, ascending within a pair                    */
    float *s, *r;                  /* change of the id's weight and of its gradient          */
};

/* Examples that wait until their mini-batch is complete. The arrays store the entries of all
 * examples one after the other, as in struct linear_pairs. */
struct linear_pending {
    uint32_t n, max;               /* number of examples, and its limit                         */
    uint32_t entries, max_entries; /* number of entries of all examples together, and its limit */
    uint32_t *length;              /* number of entries of each example                         */
    float *pull;                   /* each example's label times its weight                     */
    uint32_t *id;
    float *x;
};

/* Complete state of a linear model, except its shape and options. The arrays belong to the model
 * and only the model writes them. Arrays are indexed by slot or by feature number. An array that
 * the model does not have is NULL. */
struct linear_parts {
    struct sgd sgd;                 /* all fields except opt                                      */
    uint32_t n;                     /* number of features that have a slot                        */
    uint32_t *id;                   /* folded ids; NULL if the model keeps wide_id                */
    uint64_t *wide_id;              /* 64-bit ids                                                 */
    float *weight;                  /* stored weights: w / alpha                                  */
    float *accumulator;             /* NULL if features have no own rates                         */
    uint32_t *count;                /* n x { negative, positive }; NULL if opt.counts is false    */
    float *l1_seen;                 /* NULL without an L1 penalty                                 */
    bool saved;                     /* the bytes of half numbers are little-endian                */
    uint8_t *half_weight;           /* compact models: 2 bytes each, instead of `weight`          */
    uint8_t *code;                  /* compact models: 1 byte each, instead of `accumulator`      */
    float *priority;                /* tracked.h, TRACKED_SAMPLED only                            */
    uint32_t *frequency;            /* tracked.h, only rules that count frequent features         */
    uint64_t cells;                 /* cells of the sketch: depth x width                         */
    float *cell;                    /* weight of each cell                                        */
    float *behind;                  /* second value of each cell, for theorem 2 (wm.h)            */
    double mass, iterates, square;  /* scalars of theorem 2 (wm.h)                                */
    float *cell_accumulator;        /* accumulator of each cell, with adaptive rates              */
    uint8_t *half_cell, *cell_code; /* compact forms of `cell` and `cell_accumulator`             */
    uint8_t *cell_owner;            /* tag of each cell's owner; NULL if cells are shared         */
    uint32_t *counter;              /* Count-Min sketch: count of each cell                       */
    uint64_t dropped;               /* features that lost their slot; logistic.h: entries ignored */
    struct linear_pairs pairs;      /* bear.h only                                                */
    struct linear_pending pending;  /* bear.h only                                                */
};
/* Copies the arrays of `p` into those of `to`. Both must have the same arrays and sizes. */
void linear_take_parts(const struct linear_parts *to, const struct linear_parts *p);
/* Converts half weights between this machine's byte order and that of snapshots; half may
 * be NULL. */
void linear_turn_halves(void *half, uint64_t bytes);

/* ---- kernels ---- */

struct store;
struct sums_place;
struct sums;
struct sums_slot;

/* A kind of model, such as awm_kernel. Its models begin with struct store (store.h), which holds
 * the state that all kinds share. A function may be NULL only if its comment describes NULL. */
struct linear_kernel {
    size_t model_bytes;

    /* Bytes of the memory budget that a slot, or a cell, takes. */
    uint32_t (*slot_bytes)(const struct linear_options *);
    uint32_t (*cell_bytes)(const struct linear_options *, const struct linear_shape *);
    /* Bytes of memory that the budget does not include. The function is NULL if there are none. */
    size_t (*beside_bytes)(const struct linear_options *);
    /* Chooses the fields of a shape for a budget of `bytes`. Returns false if no shape fits, or if
     * a field that the caller fixed is too large. */
    bool (*shape_for)(uint64_t bytes, const struct linear_options *, struct linear_shape *);
    /* Lay out the arrays that only this kernel has, and its scratch for rows of
     * opt.max_row entries. */
    void (*lay_out)(struct store *, struct layout *);
    void (*lay_out_scratch)(struct store *, struct layout *);
    /* Initialises the kernel's own fields of an empty model. NULL: nothing to do. */
    void (*begin)(struct store *);

    /* Hashes the n ids of a row; `learn` takes the result. */
    void (*hash)(const struct store *, uint32_t n, const uint64_t *id, uint64_t *hash);
    /* Predicts, then learns. hash: result of `hash` for the row's ids, or NULL to compute it. Sets
     * *margin to the margin before the update. Changes nothing unless it returns LINEAR_OK. */
    enum linear_result (*learn)(struct store *, const struct linear_row *, const uint64_t *hash,
                                double *margin);
    /* Predicts only. The result is not finite if a value x[i] is not finite. */
    double (*margin)(const struct store *, uint32_t n, const uint64_t *id, const float *x);
    /* Estimates the weight (change of the margin for x = 1) of any feature. */
    double (*weight)(const struct store *, uint64_t id);
    /* Writes the stored weights (w / alpha) of the slots from .. from + n - 1; slots are ranked by
     * them. NULL: they are the weights of s.member, shrunk by their pending penalty. */
    void (*stored)(const struct store *, uint32_t from, uint32_t n, float *w);
    /* Weight of a slot that query results show. NULL: the stored weight
     * times alpha. */
    double (*slot_weight)(const struct store *, uint32_t slot);
    /* Forgets part of what was learned; called between examples. Multiplies all weights and a
     * learned bias by `share`, and all accumulators by `sums`; both are 0 to 1. Counts do not
     * change. NULL: the kernel has no adaptive rates. */
    void (*forget)(struct store *, double share, double sums);
    /* Checks the model. Returns NULL, or a text that names the broken invariant. */
    const char *(*check)(const struct store *);

    /* Sets the fields of the parts that only this kernel has. NULL: nothing to add. */
    void (*parts)(const struct store *, struct linear_parts *);
    /* Recomputes the kernel's derived state, after arrays, index and clock were restored. NULL:
     * nothing to do. */
    void (*rebuilt)(struct store *);
    /* Loads the parts that only this kernel has, after all others. Returns NULL, or the reason why
     * no model can have these parts. The function is NULL if there is nothing to load. */
    const char *(*load)(struct store *, const struct linear_parts *);

    /* Steps of a merge (store_sums.c). Each may be NULL. */

    /* Adds to the sums what only this kernel has: after all others of a model. */
    void (*sum)(const struct store *, struct sums *, const struct sums_slot *);
    /* Sets the kernel's own state of m from the sums, after clock and cells. m has no slots yet. */
    void (*settle)(struct store *m, const struct sums *);
    /* Weight of a feature by the sketch alone. NULL: `weight`. */
    double (*outside)(const struct store *, uint32_t id);
    /* Changes `weight` and `key` of n places. Before the call, `key` is |weight|. */
    void (*weigh)(const struct store *m, const struct sums *, struct sums_place *, uint32_t n);
    /* Sets the kernel's own state of slot `slot` of m. Weight, accumulator and counts of the slot
     * are already set. */
    void (*settle_slot)(struct store *m, uint32_t slot, const struct sums *,
                        const struct sums_place *);
    /* Receives the places stay .. n - 1, the features that got no slot in m. */
    void (*put_back)(struct store *m, const struct sums_place *, uint32_t stay, uint32_t n);
};

/* ---- merging ---- */

/* A feature that has a slot in a or in b, for kernels of counts. */
struct linear_origin {
    double weight; /* of paired_count_min: a log ratio                            */
    double key;    /* the features with the largest keys get the slots            */
    uint64_t id;   /* id_slots_id() */
    uint32_t a, b; /* slot in a and in b, plus 1; 0: the feature has no slot in that model */
};

/* Lists each feature that has a slot in a or b once, by ascending id, with weight and key 0.
 * origin: capacity a->n + b->n. Returns the number of features listed. Takes O(n log n). */
uint32_t linear_unite(const struct id_slots *a, const struct id_slots *b,
                      struct linear_origin *origin);
/* Sorts by descending key; features with equal keys by ascending id. The order does not change when
 * a and b are swapped. */
void linear_rank(struct linear_origin *origin, uint32_t n);

#endif
