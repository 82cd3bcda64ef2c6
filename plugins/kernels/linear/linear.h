/* linear.h -- what linear models here are given and give back, what a kernel has to be, and where
 * the features of a merged model come from.
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

/* An example: entry i says that feature id[i] has the value x[i]. */
struct linear_row {
    const uint64_t *id;
    const float *x;
    uint32_t n;
    int y;           /* -1, +1                               */
    float weight;    /* finite, >= 0                         */
    bool new_record; /* not the record of the example before */
};

/* Anything but LINEAR_OK: the model has not changed. */
enum linear_result { LINEAR_OK = 0, LINEAR_NONFINITE, LINEAR_TOO_LONG };

/* The feature of row entry `entry` now lives in slot `slot`. */
struct linear_entrant {
    uint32_t slot, entry;
};

/* ---- shapes ---- */

/* A field of 0 is chosen for a budget (of adaptive.h: one that is ADAPTIVE_CHOOSE). */
struct linear_shape {
    uint32_t active; /* slots: features that are known by id             */
    uint32_t width;  /* cells in a row of the sketch; 0: there is none   */
    uint32_t depth;  /* rows                                             */
    uint32_t owned;  /* 1: cells have owners (adaptive.h)                */
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
    bool counts;      /* negative and positive examples of each slot's feature since it entered */
    uint32_t max_row; /* entries of the longest row that is learned                             */
    uint64_t seed;    /* of hash functions, of rounding and of random choices                   */

    enum adaptive_precision precision; /* with adaptive rates */

    /* of wm.h and wm_adaptive.h */
    bool mean;      /* estimates are means, not medians                           */
    bool estimates; /* members are weighed and shown by their estimates           */
    bool average;   /* wm.h: answers are from the mean of all iterates            */
    double radius;  /* wm.h: > 0: largest length of the weights                   */

    /* of tracked.h */
    uint32_t rule;     /* enum tracked_rule                                              */
    bool product;      /* the key is |w| e in place of |w|/e                             */
    bool churn_one;    /* at most one feature enters an example, at random               */
    bool conservative; /* raise only the cells that the estimate needs raised            */

    /* of bear.h */
    uint32_t tau, batch, entries, longest;
};

/* The widest rows, a power of two, of which `depth` have at most `cells` cells together, or 1. */
uint64_t linear_widest(uint64_t cells, uint64_t depth);

/* ---- copies ---- */

/* Pairs of limited-memory BFGS (mission/lbfgs.h), the oldest first: length[k] entries of the arrays
 * below are those of pair k. */
struct linear_pairs {
    uint32_t n, max;               /* pairs          */
    uint32_t entries, max_entries; /* of all of them */
    uint32_t *length;
    uint32_t *id; /* folded, ascending in a pair               */
    float *s, *r; /* how weight and gradient of it have moved  */
};

/* Examples that wait for their mini-batch to be whole, in the same form. */
struct linear_pending {
    uint32_t n, max;
    uint32_t entries, max_entries;
    uint32_t *length;
    float *pull; /* of an example: its label times its weight */
    uint32_t *id;
    float *x;
};

/* All that makes a linear model, besides shape and options: lent arrays in the order of slots or
 * numbers, which only their model writes; NULL: the model has no such array. */
struct linear_parts {
    struct sgd sgd; /* all but opt */
    uint32_t n;
    uint32_t *id;                   /* folded, or             */
    uint64_t *wide_id;              /* whole                  */
    float *weight;                  /* stored: w / alpha      */
    float *accumulator;             /* NULL without own rates */
    uint32_t *count;                /* n x { negative, positive }; NULL without counts */
    float *l1_seen;                 /* NULL without penalty   */
    uint8_t *half_weight;           /* compact: 2 bytes each, in place of `weight`     */
    uint8_t *code;                  /* and one, in place of `accumulator`              */
    float *priority;                /* of tracked features: NULL but for TRACKED_SAMPLED          */
    uint32_t *frequency;            /* of tracked features: NULL but for the frequent ones        */
    uint64_t cells;                 /* of a sketch: depth x width  */
    float *cell;                    /* cells: of weights, or       */
    float *behind;                  /* cells: of theorem 2 (wm.h); NULL without */
    double mass, iterates, square;  /* and what goes with it */
    float *cell_accumulator;        /* with adaptive rates: of those */
    uint8_t *half_cell, *cell_code; /* the same, compact    */
    uint8_t *cell_owner;            /* cells: tags; NULL where they are shared */
    uint32_t *counter;              /* cells: of a Count-Min sketch */
    uint64_t dropped;              /* features that lost their slot, or entries that were ignored */
    struct linear_pairs pairs;     /* of BEAR */
    struct linear_pending pending; /* the same */
};
/* Copies the arrays of `p` to those of `to`, a model with the same ones. */
void linear_take_parts(const struct linear_parts *to, const struct linear_parts *p);

/* ---- kernels ---- */

struct store;
struct linear_origin;

/* A kernel: awm_kernel and the like. Its models begin with struct store (store.h), which holds what
 * all have. Functions that may be NULL say what that means. */
struct linear_kernel {
    size_t model_bytes;

    /* Bytes that a slot and a cell are charged. */
    uint32_t (*slot_bytes)(const struct linear_options *);
    uint32_t (*cell_bytes)(const struct linear_options *, const struct linear_shape *);
    /* Bytes of the block that no budget bounds; NULL: none. */
    size_t (*beside_bytes)(const struct linear_options *);
    /* Chooses the fields of a shape. Returns false if none fits, or a given field is too large. */
    bool (*shape_for)(uint64_t bytes, const struct linear_options *, struct linear_shape *);
    /* The arrays besides those of store.h; scratch for rows of opt.max_row entries. */
    void (*lay_out)(struct store *, struct layout *);
    void (*lay_out_scratch)(struct store *, struct layout *);
    void (*begin)(struct store *); /* completes an empty model; NULL: it is complete */

    /* What `learn` may get in place of the ids. */
    void (*hash)(const struct store *, uint32_t n, const uint64_t *id, uint64_t *hash);
    /* Predicts, then learns. hash: what `hash` made of the ids, or NULL. *margin is the prediction
     * before the update. Nothing has changed unless it returns LINEAR_OK. */
    enum linear_result (*learn)(struct store *, const struct linear_row *, const uint64_t *hash,
                                double *margin);
    /* Predicts only. Not finite when a value is not. */
    double (*margin)(const struct store *, uint32_t n, const uint64_t *id, const float *x);
    /* Estimate of any feature's weight, in margins. */
    double (*weight)(const struct store *, uint64_t id);
    /* Stored weight by which slots are ranked, and the weight of a slot as it is shown; NULL: the
     * stored one in margins. */
    float (*stored)(const struct store *, uint32_t slot);
    double (*slot_weight)(const struct store *, uint32_t slot);
    /* Between examples: every weight and a bias that is learned become `share` of what they are,
     * accumulators `sums` of it (both 0 to 1). Counts stay. NULL: rates are not adaptive. */
    void (*forget)(struct store *, double share, double sums);
    const char *(*check)(const struct store *); /* NULL, or which invariant is broken */

    /* Adds what the kernel has to the parts; NULL: nothing. */
    void (*parts)(const struct store *, struct linear_parts *);
    /* Index and clock are those of n features in their arrays: makes what follows from these. NULL:
     * nothing. */
    void (*rebuilt)(struct store *);
    /* Takes the kernel's own of these parts, after all others. Returns NULL, or why no model can
     * have them. NULL: nothing. */
    const char *(*load)(struct store *, const struct linear_parts *);

    /* Merging, in this order (store_merge). Each may be NULL. */
    /* The cells of m; NULL: the mean of those of a and b. */
    void (*merge_cells)(struct store *m, const struct store *a, const struct store *b,
                        struct sgd_shares, double count);
    /* What a feature without a slot weighs; NULL: `weight`. */
    double (*outside)(const struct store *, uint32_t id);
    /* Weights and keys of n features, which have the mean weight and its size. */
    void (*weigh)(const struct store *m, const struct store *a, const struct store *b, double count,
                  struct linear_origin *, uint32_t n);
    /* Slot s of m, whose weight, accumulator and counts are set. */
    void (*merge_slot)(struct store *m, uint32_t s, const struct linear_origin *,
                       const struct store *a, const struct store *b, double count);
    /* The features from number `stay` on, of n, have no slot. */
    void (*put_back)(struct store *m, const struct linear_origin *, uint32_t stay, uint32_t n,
                     const struct store *a, const struct store *b, double count);
};

/* ---- merging ---- */

/* A feature of the model that a and b are merged into. */
struct linear_origin {
    double weight; /* there (paired_count_min: its log ratio)    */
    double key;    /* the features with the largest keys stay    */
    uint32_t id;   /* folded                                     */
    uint32_t a, b; /* 1 + its slot in a and in b; 0: it has none */
};

/* The features of a and b, each once, by ascending id; weights and keys are 0. Each side's ids
 * differ. origin: capacity n_a + n_b. Returns how many there are. O(n log n). */
uint32_t linear_unite(uint32_t n_a, const uint32_t *id_a, uint32_t n_b, const uint32_t *id_b,
                      struct linear_origin *origin);
/* The largest key first, equal ones by ascending id: the order is the same whichever way round a
 * and b were given. */
void linear_rank(struct linear_origin *origin, uint32_t n);

/* Slot `slot` of m gets the sum of what a and b keep of a feature besides its weight, b counting
 * `count` times; a side that does not have the feature adds nothing. m, a and b keep the same;
 * m->sgd is not read. */
void linear_mix_slot(const struct linear_parts *m, uint32_t slot, const struct linear_origin *o,
                     const struct linear_parts *a, const struct linear_parts *b, double count);
/* The cells of m become the mean of those of a and b, less the penalty that is pending there. */
void linear_mix_cells(const struct linear_parts *m, const struct linear_parts *a,
                      const struct linear_parts *b, struct sgd_shares share);

#endif
