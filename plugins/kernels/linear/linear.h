/* linear.h -- examples, shapes, options and saved parts of linear models; the interface of kernels.
 *
 * Also finds the features of a merged model.
 */
#ifndef LEAT_KERNELS_LINEAR_LINEAR_H
#define LEAT_KERNELS_LINEAR_LINEAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/base/layout.h"
#include "numbers.h"
#include "sgd.h"

/* ---- learning ---- */

/* An example. In entry i, feature id[i] has the value x[i]. */
struct linear_row {
    const uint64_t *id;
    const float *x;
    uint32_t n;
    int y;           /* label: -1 or +1                              */
    float weight;    /* importance weight: finite, >= 0              */
    bool new_record; /* the example before belongs to another record */
};

/* Result of learning an example. The model changes only if it is LINEAR_OK. */
enum linear_result { LINEAR_OK = 0, LINEAR_NONFINITE, LINEAR_TOO_LONG };

/* A feature that the last example brought into a slot. */
struct linear_entrant {
    uint32_t slot, entry; /* the feature's slot, and its entry in the row */
};

/* ---- shapes ---- */

/* Sizes of a model. shape_for() chooses the fields that are 0 (in adaptive.h: ADAPTIVE_CHOOSE). */
struct linear_shape {
    uint32_t active; /* slots: features that are known by id       */
    uint32_t width;  /* cells in a row of the sketch; 0: no sketch */
    uint32_t depth;  /* rows of the sketch                         */
    uint32_t owned;  /* 1: cells have owners (adaptive.h)          */
};
#define LINEAR_MAX_ACTIVE (1u << 26)
#define LINEAR_MAX_CELLS  (1u << 30) /* width * depth */
#define LINEAR_MAX_DEPTH  64

static inline uint64_t linear_cells(const struct linear_shape *s)
{
    return (uint64_t)s->width * s->depth;
}

struct linear_options {
    struct sgd_options sgd;
    bool counts;      /* counts each slot's negative and positive examples since it was filled */
    uint32_t max_row; /* most entries of a row                                                 */
    uint64_t seed;    /* seed of hash functions, of rounding and of random choices             */

    enum adaptive_precision precision; /* for adaptive rates only */

    /* for wm.h and wm_adaptive.h */
    bool mean;      /* estimates are means, not medians                        */
    bool estimates; /* members are weighed and shown by their estimates        */
    bool average;   /* wm.h: answers come from the mean of all iterates        */
    double radius;  /* wm.h: greatest length of the weight vector; 0: no limit */

    /* for tracked.h */
    uint32_t rule;     /* enum tracked_rule                                         */
    bool product;      /* the key is |w| e instead of |w|/e                         */
    bool churn_one;    /* at most one feature, chosen at random, enters per example */
    bool conservative; /* raises only the cells that the estimate needs raised      */

    /* for bear.h */
    uint32_t tau, batch, entries, longest;
};

/* Returns the largest power of two `width` with width * depth <= cells, at least 1. */
uint64_t linear_widest(uint64_t cells, uint64_t depth);

/* ---- copies ---- */

/* Pairs of limited-memory BFGS (mission/lbfgs.h), the oldest first. The arrays hold the entries of
 * one pair after the other: length[k] entries for pair k. */
struct linear_pairs {
    uint32_t n, max;               /* pairs                                         */
    uint32_t entries, max_entries; /* entries of all pairs together                 */
    uint32_t *length;              /* entries of each pair                          */
    uint32_t *id;                  /* folded ids, ascending within a pair           */
    float *s, *r;                  /* change of the id's weight and of its gradient */
};

/* Examples that wait until their mini-batch is complete; laid out as struct linear_pairs. */
struct linear_pending {
    uint32_t n, max;               /* examples                              */
    uint32_t entries, max_entries; /* entries of all examples together      */
    uint32_t *length;              /* entries of each example               */
    float *pull;                   /* each example's label times its weight */
    uint32_t *id;
    float *x;
};

/* Complete state of a linear model, except shape and options. The model lends the arrays and alone
 * writes them. They are in the order of slots or feature numbers, and NULL if the model lacks
 * them. */
struct linear_parts {
    struct sgd sgd;                 /* all but opt                                           */
    uint32_t n;                     /* features known by id                                  */
    uint32_t *id;                   /* folded ids; NULL if the model keeps wide_id           */
    uint64_t *wide_id;              /* whole ids                                             */
    float *weight;                  /* stored weights: w / alpha                             */
    float *accumulator;             /* NULL without own rates                                */
    uint32_t *count;                /* n x { negative, positive }; NULL without counts       */
    float *l1_seen;                 /* NULL without an L1 penalty                            */
    uint8_t *half_weight;           /* compact models: 2 bytes each, instead of `weight`     */
    uint8_t *code;                  /* compact models: 1 byte each, instead of `accumulator` */
    float *priority;                /* tracked.h, TRACKED_SAMPLED only                       */
    uint32_t *frequency;            /* tracked.h, rules of frequent features only            */
    uint64_t cells;                 /* cells of the sketch: depth x width                    */
    float *cell;                    /* weight of each cell                                   */
    float *behind;                  /* second value of each cell, for theorem 2 (wm.h)       */
    double mass, iterates, square;  /* scalars of theorem 2 (wm.h)                           */
    float *cell_accumulator;        /* accumulator of each cell, with adaptive rates         */
    uint8_t *half_cell, *cell_code; /* compact forms of `cell` and `cell_accumulator`        */
    uint8_t *cell_owner;            /* tag of each cell's owner; NULL if cells are shared    */
    uint32_t *counter;              /* Count-Min sketch: count of each cell                  */
    uint64_t dropped;               /* features that lost their slot, or ignored entries     */
    struct linear_pairs pairs;      /* bear.h only                                           */
    struct linear_pending pending;  /* bear.h only                                           */
};
/* Copies the arrays of `p` into the arrays of `to`. Both have the same arrays. */
void linear_take_parts(const struct linear_parts *to, const struct linear_parts *p);

/* ---- kernels ---- */

struct store;
struct linear_origin;

/* A kind of model, such as awm_kernel. Its models begin with struct store (store.h), which holds
 * the state that all kinds share. A function may be NULL only where its comment says so. */
struct linear_kernel {
    size_t model_bytes;

    /* Bytes charged for a slot, and for a cell. */
    uint32_t (*slot_bytes)(const struct linear_options *);
    uint32_t (*cell_bytes)(const struct linear_options *, const struct linear_shape *);
    /* Bytes of the block outside the budget. NULL: 0. */
    size_t (*beside_bytes)(const struct linear_options *);
    /* Chooses the fields of a shape. Returns false if no shape fits, or a fixed field is too
     * large. */
    bool (*shape_for)(uint64_t bytes, const struct linear_options *, struct linear_shape *);
    /* Lays out the kernel's own arrays, and its scratch for rows of opt.max_row entries. */
    void (*lay_out)(struct store *, struct layout *);
    void (*lay_out_scratch)(struct store *, struct layout *);
    /* Completes an empty model. NULL: nothing to do. */
    void (*begin)(struct store *);

    /* Hashes the ids of a row, for `learn`. */
    void (*hash)(const struct store *, uint32_t n, const uint64_t *id, uint64_t *hash);
    /* Predicts, then learns. hash: result of `hash` for the row's ids, or NULL. *margin becomes the
     * prediction before the update. Changes nothing unless it returns LINEAR_OK. */
    enum linear_result (*learn)(struct store *, const struct linear_row *, const uint64_t *hash,
                                double *margin);
    /* Predicts only. Not finite if a value is not finite. */
    double (*margin)(const struct store *, uint32_t n, const uint64_t *id, const float *x);
    /* Estimate of any feature's weight, in margins. */
    double (*weight)(const struct store *, uint64_t id);
    /* Stored weight by which slots are ranked. */
    float (*stored)(const struct store *, uint32_t slot);
    /* Weight of a slot as answers show it. NULL: `stored`, in margins. */
    double (*slot_weight)(const struct store *, uint32_t slot);
    /* Multiplies, between examples, all weights and a learned bias by `share`, and all accumulators
     * by `sums`; both are 0 to 1. Counts stay. NULL: rates are not adaptive. */
    void (*forget)(struct store *, double share, double sums);
    /* Returns NULL, or which invariant is broken. */
    const char *(*check)(const struct store *);

    /* Adds the kernel's own arrays to the parts. NULL: nothing to add. */
    void (*parts)(const struct store *, struct linear_parts *);
    /* Derives the kernel's other state after the arrays, index and clock were restored. NULL:
     * nothing to do. */
    void (*rebuilt)(struct store *);
    /* Takes over the kernel's own parts, after all others. Returns NULL, or why no model can have
     * these parts. NULL: nothing to take. */
    const char *(*load)(struct store *, const struct linear_parts *);

    /* Steps of a merge, in the order in which store_merge() calls them. Each may be NULL. */

    /* Sets the cells of m. NULL: they become the mean of the cells of a and b. */
    void (*merge_cells)(struct store *m, const struct store *a, const struct store *b,
                        struct sgd_shares, double count);
    /* Weight of a feature without a slot. NULL: `weight`. */
    double (*outside)(const struct store *, uint32_t id);
    /* Sets weights and keys of n features; before the call a weight is the mean, its key |mean|. */
    void (*weigh)(const struct store *m, const struct store *a, const struct store *b, double count,
                  struct linear_origin *, uint32_t n);
    /* Completes slot s of m; its weight, accumulator and counts are set. */
    void (*merge_slot)(struct store *m, uint32_t s, const struct linear_origin *,
                       const struct store *a, const struct store *b, double count);
    /* Takes the features stay .. n - 1, which got no slot. */
    void (*put_back)(struct store *m, const struct linear_origin *, uint32_t stay, uint32_t n,
                     const struct store *a, const struct store *b, double count);
};

/* ---- merging ---- */

/* A feature of the model that a and b are merged into. */
struct linear_origin {
    double weight; /* weight in the merged model (paired_count_min: log ratio) */
    double key;    /* rank: the features with the largest keys get the slots   */
    uint32_t id;   /* folded                                                   */
    uint32_t a, b; /* 1 + slot in a and in b; 0: no slot there                 */
};

/* Lists the features of a and b, each once, by ascending id, with weights and keys of 0. The ids of
 * one side differ. origin: capacity n_a + n_b. Returns their number. O(n log n). */
uint32_t linear_unite(uint32_t n_a, const uint32_t *id_a, uint32_t n_b, const uint32_t *id_b,
                      struct linear_origin *origin);
/* Sorts by falling key, equal keys by ascending id. So the order does not depend on which of the
 * two models is a. */
void linear_rank(struct linear_origin *origin, uint32_t n);

/* Sets the accumulator and counts of slot `slot` of m to the sum of a's and `count` times b's. A
 * side without the feature adds nothing. m, a and b have the same arrays. Does not read m->sgd. */
void linear_mix_slot(const struct linear_parts *m, uint32_t slot, const struct linear_origin *o,
                     const struct linear_parts *a, const struct linear_parts *b, double count);
/* Sets the cells of m to the mean of a's and b's cells, after each side's pending penalty. */
void linear_mix_cells(const struct linear_parts *m, const struct linear_parts *a,
                      const struct linear_parts *b, struct sgd_shares share);

#endif
