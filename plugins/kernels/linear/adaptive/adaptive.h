/* adaptive.h -- an Active-Set Weight-Median Sketch of one row in which every weight, cells too, has
 * a rate of its own.
 *
 * As in awm.h the heaviest weights are kept in an active set S with the ids of their features, and
 * all others share the cells of a hashed table. Steps are those of sgd_adaptive.h, so each weight
 * has an accumulator beside it. Either part may be missing: without cells this is truncation,
 * without S it is feature hashing. Few cells are not shared: each has an owner, see below.
 *
 * One example:
 *
 *   1. margin = bias + sum over S of w_i x_i + sum over the rest of x_i sign(i) cell[h(i)], where
 *      weights are tempered: they are held by their scale, and count for less at large values.
 *   2. All weights decay; the accumulators of the row's entries grow; directions and step follow.
 *   3. In the order of the row: a member takes its step. The feature of a cell has the weight w =
 *      sign(i) cell[h(i)] + step; it enters S while S has a free slot or |w| > min |S|. Otherwise
 *      the cell takes the step. An entry of value 0 does nothing.
 *
 * Entries that repeat an id, or share a cell, count as one each: together they may go past the
 * label where one entry with the sum of their values would not.
 *
 * A feature that enters takes w and the cell's accumulator with it, and leaves half of the weight:
 * others may live there, too. One that leaves (the smallest |w|, equal ones: the lowest slot) makes
 * the cell the mean of its weight and the cell's; the cell's accumulator becomes the larger of its
 * own and half of that of the feature. Where the larger accumulator is that of large numbers
 * (sgd_adaptive_coarse), the cell has the weight that belongs to it, and the other is forgotten.
 *
 * Owned cells. A cell of hundreds of features says little of each, and its accumulator, the sum of
 * theirs, makes their steps small. So up to ADAPTIVE_FEW_CELLS cells have owners, each known by a
 * tag of one byte, and nobody else's weight is there. In place of the above:
 *
 *   - Cells are in pairs. A feature has a pair and a tag, 1 to 255, and lives in the cell of its
 *     pair that has its tag. (Features of one pair and one tag are taken for each other.) A feature
 *     whose tag is in neither cell has the weight and the accumulator 0.
 *   - When such a feature does not enter S, it takes the cell of its pair that is worth less (equal
 *     ones: the first) with its step, if it is worth more than ADAPTIVE_CHALLENGE of that. Who had
 *     the cell is forgotten. Otherwise the step is lost. A free cell is worth 0.
 *   - A feature that enters S frees its cell. One that leaves S takes the cell that has its tag, or
 *     a cell in the same way as above.
 *   - A feature is worth |w|; a column of large numbers (sgd_adaptive_coarse) |w| times the root of
 *     its mean square, or the first time times |x|: every token would outweigh it otherwise.
 *
 * A challenger need not be as heavy as what it displaces, and it stays until another of its own
 * pair displaces it: that is time for its weight to grow.
 *
 * Precision. Full: 4 bytes a weight and 4 an accumulator; a member takes 12 with its id, a cell 8.
 * Compact (compact.h): 2 and 1, so a member takes 7 and a cell 3. A tag takes 1 in either. The
 * random bits of an example follow from the seed and its number: equal streams give equal bits,
 * also after a restart.
 *
 * With an L1 penalty (l1.h) all weights, those of S too, take what is pending together, so often
 * that it costs L1_CELLS of them an example. Weights that are asked for have taken it; margins know
 * it then.
 *
 * In memory, with `active` slots (padded to blocks of 64, as lazy_min.h needs them):
 *
 *   weight, sum  | slot 0 | ... | slot active - 1 | padding | cell 0 | ... | cell cells - 1 | 0
 *   index          0                               first_cell                         nobody
 *
 * The last place is only there where features may have none: it is theirs, and always 0.
 *
 * Source: K. S. Tai, V. Sharan, P. Bailis, G. Valiant, Sketching Linear Classifiers over Data
 * Streams, SIGMOD 2018, Algorithm 2, which has one rate for all.
 */
#ifndef LEAT_KERNELS_LINEAR_ADAPTIVE_ADAPTIVE_H
#define LEAT_KERNELS_LINEAR_ADAPTIVE_ADAPTIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/linear/linear.h"
#include "kernels/linear/numbers.h"
#include "kernels/sketch/id_slots.h"
#include "kernels/sketch/lazy_min.h"

struct adaptive_shape {
    uint32_t active; /* slots of S              */
    uint32_t cells;  /* one of both is not 0    */
    uint32_t owned;  /* 1: cells have owners; then there are two or more */
};
#define ADAPTIVE_MAX_ACTIVE (1u << 26)
#define ADAPTIVE_MAX_CELLS  (1u << 30)
#define ADAPTIVE_FEW_CELLS  512u
#define ADAPTIVE_CHALLENGE  0.6f

struct adaptive_options {
    struct sgd_options sgd; /* rates = SGD_ADAPTIVE */
    enum adaptive_precision precision;
    bool counts;      /* positive and negative examples of each member since it entered */
    uint32_t max_row; /* entries of the longest row that is learned                     */
    uint64_t seed;    /* of the hash functions and the rounding                         */
};

/* The model. Everything that a copy of it needs is sgd, index.n and the arrays up to `count`; the
 * others are an index that can be built from those, and scratch. */
struct adaptive {
    struct adaptive_shape shape;
    struct adaptive_options opt;
    struct sgd sgd;
    int32_t bound; /* bits of a float <= min |S|; -1 while S has a free slot */

    /* Stored: w / alpha. One pair of arrays is NULL. */
    uint16_t *half; /* compact weights      */
    uint8_t *code;  /* compact accumulators */
    float *weight, *sum;
    uint32_t *id;    /* active + 2: folded id of each slot, then two guards */
    uint32_t *count; /* active x { negative, positive }, or NULL            */

    struct id_slots index;  /* id -> slot; slots 0 .. index.n - 1 hold members. index.id is `id` */
    struct lazy_min lowest; /* of the weights of S                                              */
    int32_t *bounds;        /* its memory                                                       */
    uint8_t *owner;         /* tag of each cell's owner, 0: it is free; NULL: cells are shared  */
    uint32_t first_cell;
    uint32_t nobody; /* the place of features that have none; UINT32_MAX: all have one */

    /* scratch, max_row each */
    uint32_t *at;                   /* where entry i lived before the row: index into the weights */
    uint32_t *fold;                 /* its folded id                                          */
    uint32_t *flip;                 /* 1: its sign in its cell is -1                         */
    uint32_t *pair;                 /* first cell of its pair; NULL: cells are shared         */
    uint8_t *tag;                   /* its tag there                                          */
    float *along;                   /* its direction                                          */
    struct linear_entrant *entrant; /* of the last example, n_entrants */
    uint32_t n_entrants, n_noted;
    uint64_t random, draws; /* of the last example */
};

/* Bytes that a member and a cell are charged. */
uint32_t adaptive_member_bytes(const struct adaptive_options *opt);
uint32_t adaptive_cell_bytes(const struct adaptive_options *opt, bool owned);
/* Choose the fields of a shape that are ADAPTIVE_CHOOSE for a budget: half of it for cells, the
 * rest for S; and whether cells have owners. false: no feature fits, or a given field is too large.
 */
#define ADAPTIVE_CHOOSE UINT32_MAX
bool adaptive_shape_for(uint64_t bytes, const struct adaptive_options *opt,
                        struct adaptive_shape *shape);
/* Bytes of a shape in that model; bytes that are allocated, with index, padding and scratch. */
uint64_t adaptive_charged_bytes(const struct adaptive_shape *shape,
                                const struct adaptive_options *opt);
size_t adaptive_block_bytes(const struct adaptive_shape *shape, const struct adaptive_options *opt);

/* block: adaptive_block_bytes() zeroed bytes, aligned to 64. */
void adaptive_init(struct adaptive *m, const struct adaptive_shape *shape,
                   const struct adaptive_options *opt, void *block);

/* Predict, then learn. hash: what adaptive_hash made of the ids, or NULL. *margin is the prediction
 * before the update. Anything but LINEAR_OK: nothing has changed. */
enum linear_result adaptive_learn_hashed(struct adaptive *m, const struct linear_row *row,
                                         const uint64_t *hash, double *margin);
static inline enum linear_result adaptive_learn(struct adaptive *m, const struct linear_row *row,
                                                double *margin)
{
    return adaptive_learn_hashed(m, row, NULL, margin);
}

/* As awm_borrow and awm_hash. */
void adaptive_borrow(struct adaptive *m, const struct adaptive *from);
static inline void adaptive_hash(const struct adaptive *m, uint32_t n, const uint64_t *id,
                                 uint64_t *hash)
{
    id_slots_mix_all(m->opt.seed, n, id, hash);
}
/* Predict only. Not finite when a value is not. */
double adaptive_margin(const struct adaptive *m, uint32_t n, const uint64_t *id, const float *x);

/* Estimate of one feature's weight in margins; that of a member. */
double adaptive_weight(const struct adaptive *m, uint64_t id);
double adaptive_slot_weight(const struct adaptive *m, uint32_t slot);
/* As awm_top. */
uint32_t adaptive_top(const struct adaptive *m, uint32_t k, uint32_t min_count, float *weight,
                      uint32_t *slot);
/* NULL, or which invariant is broken. */
const char *adaptive_check(const struct adaptive *m);

/* Between examples: every weight and a bias that is learned become `share` of what they are,
 * accumulators `sums` of it (both 0 to 1): what sums lose, rates gain. Counts stay. */
void adaptive_forget(struct adaptive *m, double share, double sums);

/* ---- copies and merges (adaptive_state.c) ---- */

/* Members in the order of slots. */
struct linear_parts adaptive_parts(const struct adaptive *m);
/* As awm_load. */
const char *adaptive_load(struct adaptive *m, const struct linear_parts *p);
/* As awm_merge: means of weights, sums of accumulators and counts. Of the owners in a pair of a and
 * b those stay that are worth most. */
void adaptive_merge(struct adaptive *m, const struct adaptive *a, const struct adaptive *b,
                    double count, struct linear_origin *member);

#endif
