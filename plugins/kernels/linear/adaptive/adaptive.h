/* adaptive.h -- Active-Set Weight-Median Sketch of one row, in which all weights have own rates.
 *
 * As in awm.h, an active set S keeps the heaviest weights with the ids of their features. All other
 * features share the cells of a hashed table. Steps are those of sgd_adaptive.h, so each member and
 * each cell has an accumulator. Without cells this is truncation, and without S it is feature
 * hashing. If there are few cells they are not shared, but have owners (see below).
 *
 * One example:
 *
 *   1. margin = bias + sum over S of w_i x_i + sum over the rest of x_i sign(i) cell[h(i)], where
 *      weights are tempered: limited by their scale, and lessened at large values.
 *   2. All weights decay, and the accumulators of the row's entries grow; this gives directions and
 *      step.
 *   3. In the order of the row, a member takes its step. The feature of a cell gets the weight w =
 *      sign(i) cell[h(i)] + step. It enters S if S has a free slot or |w| > min |S|; otherwise the
 *      cell takes the step. An entry of value 0 does nothing.
 *
 * Entries that repeat an id, or share a cell, count one by one. Together they may go past the
 * label, where one entry with the sum of their values would not.
 *
 * A feature that enters S takes w and the cell's accumulator along. It leaves half of its weight in
 * the cell, because other features may live there. The member with the smallest |w| leaves, equal
 * ones by lowest slot. Its cell becomes the mean of its weight and the cell's. The cell's
 * accumulator becomes the larger of its own and half of the member's. But if the larger accumulator
 * is that of large numbers (sgd_adaptive_coarse), the cell keeps only the weight that goes with it.
 *
 * Owned cells. A cell that hundreds of features share says little about each. Its accumulator, the
 * sum of theirs, makes their steps small. So in models of up to ADAPTIVE_FEW_CELLS cells, each cell
 * has an owner, known by a tag of one byte, and holds only its owner's weight:
 *
 *   - Cells form pairs. A feature has a pair and a tag, 1 to 255. It lives in the cell of its pair
 *     that has its tag. Features of equal pair and tag are taken for each other. A feature whose
 *     tag is in neither cell has weight and accumulator 0.
 *   - If such a feature does not enter S, it challenges the cell of lower worth in its pair, of
 *     equal ones the first. If its worth is above ADAPTIVE_CHALLENGE times the cell's, it takes the
 *     cell, and the former owner is forgotten. Otherwise its step is lost. A free cell has worth 0.
 *   - A feature that enters S frees its cell. A feature that leaves S takes the cell that has its
 *     tag, or else challenges one as above.
 *   - The worth of a feature is |w|. A column of large numbers (sgd_adaptive_coarse) has |w| times
 *     the root of its mean square, or times |x| at its first value. Otherwise every token would
 *     outweigh it.
 *
 * A challenger may be lighter than the owner that it displaces. It stays until another feature of
 * its pair displaces it. This gives its weight time to grow.
 *
 * Precision. Full: 4 bytes a weight and 4 an accumulator, so a member with its id takes 12, a cell
 * 8. Compact (compact.h): 2 and 1, so a member takes 7, a cell 3. A tag takes 1 more in either. The
 * random bits of an example follow from the seed and the example's number, so equal streams give
 * equal bits, even after a restart.
 *
 * With an L1 penalty (l1.h) all weights, including S, take the pending penalty at once. They do so
 * at such intervals that an example costs L1_CELLS weights on average. Weights in answers include
 * the pending penalty; margins do so only once the weights have taken it.
 *
 * Example. A compact model of 1,024 bytes: half of them are 128 owned cells of 4 bytes, 2 for the
 * weight, 1 for the accumulator, 1 for the tag. The other 512 are 73 slots of 7, with 4 for the id.
 * In 8,192 bytes, 4,096 would be 1,024 owned cells, more than ADAPTIVE_FEW_CELLS. So such a model
 * has 1,365 shared cells of 3 bytes and 585 slots.
 *
 * In memory, with `active` slots (padded to blocks of 64, as lazy_min.h needs them):
 *
 *   weight, sum  | slot 0 | ... | slot active - 1 | padding | cell 0 | ... | cell cells - 1 | 0
 *   index          0                               first_cell                         nobody
 *
 * The last place exists only if features may have no place: it stands for them, and is always 0.
 *
 * Source: K. S. Tai, V. Sharan, P. Bailis, G. Valiant, Sketching Linear Classifiers over Data
 * Streams, SIGMOD 2018, Algorithm 2, which has one rate for all.
 */
#ifndef LEAT_KERNELS_LINEAR_ADAPTIVE_ADAPTIVE_H
#define LEAT_KERNELS_LINEAR_ADAPTIVE_ADAPTIVE_H

#include "kernels/linear/sgd_adaptive.h"
#include "kernels/linear/store.h"

/* A shape has one row of cells, or none (width and depth 0), or no slots. */
#define ADAPTIVE_FEW_CELLS 512u
#define ADAPTIVE_CHALLENGE 0.6f

#define ADAPTIVE_CHOOSE UINT32_MAX /* a field of a shape that is to be chosen */

/* Weights and accumulators of S and of the cells are in one pair of arrays, s.member. The cells
 * begin at s.first_cell. */
struct adaptive {
    struct store s;
    uint8_t *owner;  /* tag of each cell's owner, 0: free; NULL: cells are shared       */
    uint32_t nobody; /* place of features without a place; UINT32_MAX: all have a place */

    /* scratch, max_row each: about entry i of the row */
    uint32_t *at;   /* place of its feature before the row: index into the weights */
    uint32_t *fold; /* folded id                                                   */
    uint32_t *flip; /* 1: its sign in the cell is -1                               */
    uint32_t *pair; /* first cell of its pair; NULL: cells are shared              */
    uint8_t *tag;   /* tag within the pair                                         */
    float *along;   /* direction                                                   */
    uint32_t n_noted;
};

/* The shape of a budget has cells for half of it and slots for the rest; owners if cells are few.
 * In a merge, the owners of highest worth in a pair of a and b stay. */
extern const struct linear_kernel adaptive_kernel;

enum linear_result adaptive_learn(struct store *s, const struct linear_row *row,
                                  const uint64_t *hash, double *margin);
void adaptive_forget(struct store *s, double share, double sums);

/* ---- places (for adaptive.c and adaptive_state.c) ---- */

#define ADAPTIVE_INLINE static inline __attribute__((always_inline))

/* Cell of a feature. The mix of a folded id (id_slots_mix) has the head of its chain in the top
 * bits. The sign is bit 0, and bits 1 to 32 give the cell. */
static inline uint32_t adaptive_cell(uint32_t first, uint64_t cells, uint64_t mix)
{
    return first + (uint32_t)(((mix >> 1 & UINT32_MAX) * cells) >> 32);
}

static inline uint32_t adaptive_cell_of(const struct adaptive *m, uint64_t mix)
{
    return adaptive_cell(m->s.first_cell, m->s.shape.width, mix);
}

/* Tag of a feature within its pair, 1 to 255. */
ADAPTIVE_INLINE uint8_t adaptive_tag_of(uint64_t mix)
{
    return (uint8_t)(1 + ((mix >> 33 & 0xffff) * 255 >> 16));
}

/* Owners of the cells, in a struct that a loop copies into registers (see numbers.h). */
struct adaptive_owners {
    const uint8_t *tag;
    uint32_t first, pairs, nobody;
};

ADAPTIVE_INLINE struct adaptive_owners adaptive_owners_of(const struct adaptive *m)
{
    return (struct adaptive_owners){m->owner, m->s.first_cell, m->s.shape.width / 2, m->nobody};
}

/* First cell of the pair of a feature. */
ADAPTIVE_INLINE uint32_t adaptive_pair_of(struct adaptive_owners of, uint64_t mix)
{
    return of.first + 2 * adaptive_cell(0, of.pairs, mix);
}

/* Cell of a pair that has the tag, or `nobody`. Branches here could not be predicted. */
ADAPTIVE_INLINE uint32_t adaptive_owned_in(struct adaptive_owners of, uint32_t pair, uint8_t tag)
{
    const uint8_t *const at = of.tag + (pair - of.first);
    uint32_t first = -(uint32_t)(at[0] == tag), other = -(uint32_t)(at[1] == tag);
    return of.nobody ^ ((of.nobody ^ (pair + 1)) & other) ^ ((of.nobody ^ pair) & first);
}

/* Place of a feature outside S; *flip becomes 1 if its sign there is -1. */
ADAPTIVE_INLINE uint32_t adaptive_place_outside(const struct adaptive *m, uint64_t mix,
                                                uint32_t *flip)
{
    const struct adaptive_owners of = adaptive_owners_of(m);
    *flip = m->s.shape.owned ? 0 : (uint32_t)mix & 1;
    return m->s.shape.owned ? adaptive_owned_in(of, adaptive_pair_of(of, mix), adaptive_tag_of(mix))
                            : adaptive_cell_of(m, mix);
}

/* ---- numbers ---- */

/* Weight and accumulator at one place; loops use numbers.h itself. */
static inline float adaptive_weight_at(const struct adaptive *m, uint32_t at)
{
    return numbers_weight(m->s.member, at, store_is_compact(&m->s));
}

static inline float adaptive_sum_at(const struct adaptive *m, uint32_t at)
{
    return numbers_sum(m->s.member, at, store_is_compact(&m->s));
}

/* ---- owned cells ---- */

/* Worth of a feature of weight w and accumulator `sum`. */
static inline float adaptive_worth(const struct sgd *s, float w, float sum)
{
    return fabsf(w) * (sum > sgd_adaptive_coarse(s) ? sqrtf(sum / (float)s->bias_sum) : 1);
}

/* Worth of a feature that comes for the first time, with the value x. */
static inline float adaptive_worth_of_new(float w, float x)
{
    return fabsf(w) * (x * x > (float)SGD_COARSE ? fabsf(x) : 1);
}

/* Cell of a pair that a challenger of this worth takes, or STORE_NONE. */
static inline uint32_t adaptive_cell_won(const struct adaptive *m, uint32_t pair, float challenger)
{
    float first = adaptive_worth(&m->s.sgd, adaptive_weight_at(m, pair), adaptive_sum_at(m, pair));
    float other =
        adaptive_worth(&m->s.sgd, adaptive_weight_at(m, pair + 1), adaptive_sum_at(m, pair + 1));
    float least = other < first ? other : first;
    return challenger > ADAPTIVE_CHALLENGE * least ? pair + (other < first) : STORE_NONE;
}

/* Cell that a feature takes: the one with its tag, or else the one it wins, or STORE_NONE. */
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

/* Weight of a shared cell after a member of weight w has left S for it: the mean of both. Weights
 * of tokens and of columns of large numbers differ in size. So if either is such a column, only the
 * weight with the larger accumulator counts. */
static inline float adaptive_shared_weight(const struct sgd *s, float in_cell, float cell_sum,
                                           float w, float sum)
{
    float larger = cell_sum > sum ? cell_sum : sum;
    if (larger <= sgd_adaptive_coarse(s)) return 0.5f * (in_cell + w);
    return cell_sum > sum ? in_cell : w;
}

#endif
