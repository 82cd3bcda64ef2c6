/* linear.h -- what every linear model here is given and gives back, and where the features of a
 * merged model come from.
 */
#ifndef LEAT_KERNELS_LINEAR_LINEAR_H
#define LEAT_KERNELS_LINEAR_LINEAR_H

#include <stdbool.h>
#include <stdint.h>

#include "sgd_state.h"

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
