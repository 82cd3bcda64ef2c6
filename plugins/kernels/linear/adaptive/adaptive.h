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
 * Example. A compact model of 1,024 bytes: half of them are 128 owned cells of 4 bytes, 2 for the
 * weight, 1 for the accumulator, 1 for the tag. The other 512 are 73 slots of 7, with 4 for the id.
 * In 8,192 bytes 4,096 would be 1,024 owned cells, more than ADAPTIVE_FEW_CELLS: it has 1,365
 * shared cells of 3 bytes and 585 slots.
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

#include "kernels/linear/sgd_adaptive.h"
#include "kernels/linear/store.h"

/* A shape has one row of cells, or none (width and depth 0), or no slots. */
#define ADAPTIVE_FEW_CELLS 512u
#define ADAPTIVE_CHALLENGE 0.6f

#define ADAPTIVE_CHOOSE UINT32_MAX /* a field of a shape that is to be chosen */

/* Weights and accumulators of S and of the cells are one pair of arrays: s.member, with the cells
 * from s.first_cell on. */
struct adaptive {
    struct store s;
    uint8_t *owner;  /* tag of each cell's owner, 0: it is free; NULL: cells are shared  */
    uint32_t nobody; /* the place of features that have none; UINT32_MAX: all have one */

    /* scratch, max_row each */
    uint32_t *at;   /* where entry i lived before the row: index into the weights */
    uint32_t *fold; /* its folded id                                          */
    uint32_t *flip; /* 1: its sign in its cell is -1                         */
    uint32_t *pair; /* first cell of its pair; NULL: cells are shared         */
    uint8_t *tag;   /* its tag there                                          */
    float *along;   /* its direction                                          */
    uint32_t n_noted;
};

/* The shape for a budget: half of it for cells, the rest for S; and whether cells have owners. In a
 * merge, those of the owners in a pair of a and b stay that are worth most. */
extern const struct linear_kernel adaptive_kernel;

enum linear_result adaptive_learn(struct store *s, const struct linear_row *row,
                                  const uint64_t *hash, double *margin);
void adaptive_forget(struct store *s, double share, double sums);

/* ---- places (for adaptive.c and adaptive_state.c) ---- */

#define ADAPTIVE_INLINE static inline __attribute__((always_inline))

/* The mix of a folded id (id_slots_mix) gives the head of its chain in the top bits, the sign in
 * bit 0, and the cell in bits 1 to 32. */
static inline uint32_t adaptive_cell(uint32_t first, uint64_t cells, uint64_t mix)
{
    return first + (uint32_t)(((mix >> 1 & UINT32_MAX) * cells) >> 32);
}

static inline uint32_t adaptive_cell_of(const struct adaptive *m, uint64_t mix)
{
    return adaptive_cell(m->s.first_cell, m->s.shape.width, mix);
}

/* What a feature is known by in its pair, 1 to 255. */
ADAPTIVE_INLINE uint8_t adaptive_tag_of(uint64_t mix)
{
    return (uint8_t)(1 + ((mix >> 33 & 0xffff) * 255 >> 16));
}

/* What tells who owns which cell, copied to where a loop keeps it in registers (numbers.h). */
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

/* The cell of a pair that has the tag, or `nobody`: no branch could be predicted. */
ADAPTIVE_INLINE uint32_t adaptive_owned_in(struct adaptive_owners of, uint32_t pair, uint8_t tag)
{
    const uint8_t *const at = of.tag + (pair - of.first);
    uint32_t first = -(uint32_t)(at[0] == tag), other = -(uint32_t)(at[1] == tag);
    return of.nobody ^ ((of.nobody ^ (pair + 1)) & other) ^ ((of.nobody ^ pair) & first);
}

/* Where a feature that is no member lives; *flip: its sign there is -1. */
ADAPTIVE_INLINE uint32_t adaptive_place_outside(const struct adaptive *m, uint64_t mix,
                                                uint32_t *flip)
{
    const struct adaptive_owners of = adaptive_owners_of(m);
    *flip = m->s.shape.owned ? 0 : (uint32_t)mix & 1;
    return m->s.shape.owned ? adaptive_owned_in(of, adaptive_pair_of(of, mix), adaptive_tag_of(mix))
                            : adaptive_cell_of(m, mix);
}

/* ---- numbers ---- */

/* The same of a model, where it is not one of many. */
static inline float adaptive_weight_at(const struct adaptive *m, uint32_t at)
{
    return numbers_weight(m->s.member, at, store_is_compact(&m->s));
}

static inline float adaptive_sum_at(const struct adaptive *m, uint32_t at)
{
    return numbers_sum(m->s.member, at, store_is_compact(&m->s));
}

/* ---- owned cells ---- */

/* What a feature with that weight and that accumulator is worth. */
static inline float adaptive_worth(const struct sgd *s, float w, float sum)
{
    return fabsf(w) * (sum > sgd_adaptive_coarse(s) ? sqrtf(sum / (float)s->bias_sum) : 1);
}

/* The same of one that was never seen before: x is its value. */
static inline float adaptive_worth_of_new(float w, float x)
{
    return fabsf(w) * (x * x > (float)SGD_COARSE ? fabsf(x) : 1);
}

/* The cell of a pair that a feature of that worth takes, or STORE_NONE. */
static inline uint32_t adaptive_cell_won(const struct adaptive *m, uint32_t pair, float challenger)
{
    float first = adaptive_worth(&m->s.sgd, adaptive_weight_at(m, pair), adaptive_sum_at(m, pair));
    float other =
        adaptive_worth(&m->s.sgd, adaptive_weight_at(m, pair + 1), adaptive_sum_at(m, pair + 1));
    float least = other < first ? other : first;
    return challenger > ADAPTIVE_CHALLENGE * least ? pair + (other < first) : STORE_NONE;
}

/* The cell that a feature takes which may have one already: then that. */
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

/* What becomes of a cell's weight when a member leaves for it. A weight of tokens would say as much
 * of a column of large numbers: beside one of those, the other is forgotten. */
static inline float adaptive_shared_weight(const struct sgd *s, float in_cell, float cell_sum,
                                           float w, float sum)
{
    float larger = cell_sum > sum ? cell_sum : sum;
    if (larger <= sgd_adaptive_coarse(s)) return 0.5f * (in_cell + w);
    return cell_sum > sum ? in_cell : w;
}

#endif
