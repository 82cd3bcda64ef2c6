/* adaptive.h -- Active-Set Weight-Median Sketch of one row, in which all weights have own rates.
 *
 * As in awm.h, an active set S holds the features with the largest |weight|, with their ids; they
 * are the members of S. All other features share the cells of a hashed table. Steps are those of
 * sgd_adaptive.h, so each member and each cell has an accumulator. A model without cells is simple
 * truncation, and one without S is feature hashing. In a model with few cells, each cell has an
 * owner instead of being shared (see below).
 *
 * One example:
 *
 *   1. margin = bias + sum over S of w_i x_i + sum over the rest of x_i sign(i) cell[h(i)], where
 *      weights are tempered (sgd_adaptive_temper()).
 *   2. All weights decay, and the accumulators of the row's entries grow. From these follow the
 *      directions and the step size.
 *   3. The entries take their steps in the order of the row; entries of value 0 are skipped. A
 *      member of S takes its step. A feature outside S has the weight w = sign(i) cell[h(i)] +
 *      step. If S has a free slot or |w| > min |S|, it enters S; otherwise its cell takes the step.
 *
 * If entries of a row have the same id or share a cell, each makes its own step. Together their
 * steps may overshoot the label; the step of one entry with the sum of their values would not.
 *
 * A feature that enters S starts there with w and its cell's accumulator. Half of w remains in
 * the cell, because other features may share the cell. If S is full, the member with the
 * smallest |w| leaves S (of several, the one in the lowest slot). The weight of that member's
 * cell becomes the mean of the member's weight and the cell's weight. The cell's accumulator
 * becomes the larger of its own and half of the member's. If the larger accumulator is that of a
 * column of large numbers (sgd_adaptive_coarse), there is no mean: the cell gets the weight that
 * belongs to this accumulator.
 *
 * Owned cells. A cell that hundreds of features share says little about each of them. Its
 * accumulator, the sum of theirs, makes their steps small. So in models of up to ADAPTIVE_FEW_CELLS
 * cells, each cell belongs to one feature, its owner, and holds only the owner's weight. A tag of
 * one byte identifies the owner:
 *
 *   - Cells form pairs. The hash of a feature gives its pair and its tag, 1 to 255. The feature
 *     owns the cell of its pair that has its tag. Features of equal pair and tag are treated as
 *     one. A feature whose tag is in neither cell has weight and accumulator 0.
 *   - If a feature without a cell does not enter S, it challenges the cell of lower worth in its
 *     pair (the first cell if both are equal). If its worth is above ADAPTIVE_CHALLENGE times the
 *     cell's, it takes the cell, and the former owner's weight is lost. Otherwise its step is lost.
 *     A free cell has worth 0.
 *   - A feature that enters S frees its cell. A feature that leaves S takes the cell that has its
 *     tag. If there is none, it challenges a cell as above.
 *   - The worth of a feature is |w|. For a column of large numbers (sgd_adaptive_coarse) it is |w|
 *     times the root of the mean square of its values, or |w| |x| at its first value. With |w|
 *     alone every token would outweigh such a column.
 *
 * A challenger may be lighter than the owner that it displaces. The challenger keeps the cell until
 * another feature of the pair takes it, so its weight has time to grow.
 *
 * Precision. Full: a weight takes 4 bytes and an accumulator 4, so a member with its id takes 12
 * bytes and a cell 8. Compact (compact.h): a weight takes 2 bytes and an accumulator 1, so a member
 * takes 7 and a cell 3. A tag takes 1 more byte. The random bits of an example depend only on the
 * seed and the example's number, so equal streams give equal models, even after a restart.
 *
 * L1 penalty (l1.h): all weights, S included, shrink at once by the pending penalty, at such
 * intervals that an example costs L1_CELLS weights on average. In between, query results subtract
 * the pending penalty from weights, but margins do not.
 *
 * Example. A compact model of 1,024 bytes: 512 bytes are 128 owned cells of 4 bytes (weight 2,
 * accumulator 1, tag 1). The other 512 are 73 slots of 7 bytes (weight 2, accumulator 1, id 4). In
 * a model of 8,192 bytes, 4,096 would be 1,024 owned cells, more than ADAPTIVE_FEW_CELLS. So it has
 * 1,365 shared cells of 3 bytes and 585 slots.
 *
 * In memory, with `active` slots (padded to blocks of 64, as lazy_min.h needs them):
 *
 *   weight, sum  | slot 0 | ... | slot active - 1 | padding | cell 0 | ... | cell cells - 1 | 0
 *   index          0                               first_cell                         nobody
 *
 * The last number, at `nobody`, exists only if a feature can have neither slot nor cell. It is
 * always 0, the weight of such a feature.
 *
 * Source: K. S. Tai, V. Sharan, P. Bailis, G. Valiant, Sketching Linear Classifiers over Data
 * Streams, SIGMOD 2018, Algorithm 2, which has one rate for all.
 */
#ifndef LEAT_KERNELS_LINEAR_ADAPTIVE_ADAPTIVE_H
#define LEAT_KERNELS_LINEAR_ADAPTIVE_ADAPTIVE_H

#include "kernels/linear/sgd_adaptive.h"
#include "kernels/linear/store.h"

/* A shape has slots and one row of cells. It may lack the cells (width and depth 0) or the
 * slots. */
#define ADAPTIVE_FEW_CELLS 512u
#define ADAPTIVE_CHALLENGE 0.6f

#define ADAPTIVE_CHOOSE UINT32_MAX /* value of a shape's field that shape_for() is to choose */

/* s.member holds the weights and accumulators of S and, from index s.first_cell on, of the
 * cells. */
struct adaptive {
    struct store s;
    uint8_t *owner;  /* tag of each cell's owner; 0: free; NULL: cells are shared          */
    uint32_t nobody; /* index of the 0 for features without slot or cell; UINT32_MAX: none */

    /* scratch: arrays of max_row, indexed by the entries of the row */
    uint32_t *at;   /* index of the feature's weight before the row, in s.member */
    uint32_t *fold; /* folded id of the feature                                  */
    uint32_t *flip; /* 1 if the feature's sign in its cell is -1, else 0         */
    uint32_t *pair; /* first cell of the feature's pair; NULL: cells are shared  */
    uint8_t *tag;   /* tag of the feature                                        */
    float *along;   /* direction of the entry                                    */
    uint32_t n_noted;
};

/* A shape's default is cells for half of the budget and slots for the rest; the cells have owners
 * if they are few. In a merge, the two owners of highest worth in each pair of a and b stay. */
extern const struct linear_kernel adaptive_kernel;

enum linear_result adaptive_learn(struct store *s, const struct linear_row *row,
                                  const uint64_t *hash, double *margin);
void adaptive_forget(struct store *s, double share, double sums);

/* ---- places (for adaptive.c and adaptive_state.c) ---- */

#define ADAPTIVE_INLINE static inline __attribute__((always_inline))

/* Returns the cell of a feature from the mix of its folded id (id_slots_mix). Bit 0 of the mix is
 * the sign, and bits 1 to 32 give the cell. The top bits give the feature's chain in the index. */
static inline uint32_t adaptive_cell(uint32_t first, uint64_t cells, uint64_t mix)
{
    return first + (uint32_t)(((mix >> 1 & UINT32_MAX) * cells) >> 32);
}

static inline uint32_t adaptive_cell_of(const struct adaptive *m, uint64_t mix)
{
    return adaptive_cell(m->s.first_cell, m->s.shape.width, mix);
}

/* Returns the tag of a feature, 1 to 255. */
ADAPTIVE_INLINE uint8_t adaptive_tag_of(uint64_t mix)
{
    return (uint8_t)(1 + ((mix >> 33 & 0xffff) * 255 >> 16));
}

/* Owners of the cells. Loops copy this struct to a local variable (see numbers.h). */
struct adaptive_owners {
    const uint8_t *tag;
    uint32_t first, pairs, nobody;
};

ADAPTIVE_INLINE struct adaptive_owners adaptive_owners_of(const struct adaptive *m)
{
    return (struct adaptive_owners){m->owner, m->s.first_cell, m->s.shape.width / 2, m->nobody};
}

/* Returns the first cell of a feature's pair. */
ADAPTIVE_INLINE uint32_t adaptive_pair_of(struct adaptive_owners of, uint64_t mix)
{
    return of.first + 2 * adaptive_cell(0, of.pairs, mix);
}

/* Returns the cell of the pair whose owner has the tag, or `nobody`. Computed without branches,
 * which the processor could not predict. */
ADAPTIVE_INLINE uint32_t adaptive_owned_in(struct adaptive_owners of, uint32_t pair, uint8_t tag)
{
    const uint8_t *const at = of.tag + (pair - of.first);
    uint32_t first = -(uint32_t)(at[0] == tag), other = -(uint32_t)(at[1] == tag);
    return of.nobody ^ ((of.nobody ^ (pair + 1)) & other) ^ ((of.nobody ^ pair) & first);
}

/* Returns the index of the cell of a feature outside S, or `nobody`. Sets *flip to 1 if the
 * feature's sign in a shared cell is -1, else to 0. */
ADAPTIVE_INLINE uint32_t adaptive_place_outside(const struct adaptive *m, uint64_t mix,
                                                uint32_t *flip)
{
    const struct adaptive_owners of = adaptive_owners_of(m);
    *flip = m->s.shape.owned ? 0 : (uint32_t)mix & 1;
    return m->s.shape.owned ? adaptive_owned_in(of, adaptive_pair_of(of, mix), adaptive_tag_of(mix))
                            : adaptive_cell_of(m, mix);
}

/* ---- numbers ---- */

/* Weight and accumulator at index `at`. Loops use numbers.h directly. */
static inline float adaptive_weight_at(const struct adaptive *m, uint32_t at)
{
    return numbers_weight(m->s.member, at, store_is_compact(&m->s));
}

static inline float adaptive_sum_at(const struct adaptive *m, uint32_t at)
{
    return numbers_sum(m->s.member, at, store_is_compact(&m->s));
}

/* ---- owned cells ---- */

/* Returns the worth of a feature with weight w and accumulator `sum`. */
static inline float adaptive_worth(const struct sgd *s, float w, float sum)
{
    return fabsf(w) * (sum > sgd_adaptive_coarse(s) ? sqrtf(sum / (float)s->bias_sum) : 1);
}

/* Returns the worth of a feature in its first example, where its value is x. */
static inline float adaptive_worth_of_new(float w, float x)
{
    return fabsf(w) * (x * x > (float)SGD_COARSE ? fabsf(x) : 1);
}

/* Returns the cell of the pair that a challenger of worth `challenger` takes, or STORE_NONE
 * if it takes neither. */
static inline uint32_t adaptive_cell_won(const struct adaptive *m, uint32_t pair, float challenger)
{
    float first = adaptive_worth(&m->s.sgd, adaptive_weight_at(m, pair), adaptive_sum_at(m, pair));
    float other =
        adaptive_worth(&m->s.sgd, adaptive_weight_at(m, pair + 1), adaptive_sum_at(m, pair + 1));
    float least = other < first ? other : first;
    return challenger > ADAPTIVE_CHALLENGE * least ? pair + (other < first) : STORE_NONE;
}

/* Returns the cell that a feature of worth `challenger` takes: its own cell if it has one, or else
 * the cell of its pair that it wins. Returns STORE_NONE if it wins none. */
static inline uint32_t adaptive_cell_for(const struct adaptive *m, uint64_t mix, float challenger)
{
    const struct adaptive_owners of = adaptive_owners_of(m);
    uint32_t pair = adaptive_pair_of(of, mix),
             c = adaptive_owned_in(of, pair, adaptive_tag_of(mix));
    return c == m->nobody ? adaptive_cell_won(m, pair, challenger) : c;
}

static inline void adaptive_set_owner(struct adaptive *m, uint32_t cell, uint8_t tag)
{
    m->owner[cell - m->s.first_cell] = tag;
}

/* Returns the weight of a shared cell after a member of weight w has left S: the mean of both
 * weights. Weights of tokens and of columns of large numbers differ in size. So if one of the
 * accumulators is that of such a column, returns the weight with the larger accumulator. */
static inline float adaptive_shared_weight(const struct sgd *s, float in_cell, float cell_sum,
                                           float w, float sum)
{
    float larger = cell_sum > sum ? cell_sum : sum;
    if (larger <= sgd_adaptive_coarse(s)) return 0.5f * (in_cell + w);
    return cell_sum > sum ? in_cell : w;
}

#endif
