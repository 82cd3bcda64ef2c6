/* product.h -- the product of two streams of aligned sparse columns, sketched in fixed space.
 *
 * X (m_x features) and Y (m_y features) arrive as pairs of columns (x_t, y_t). The sketch keeps A
 * and B of about l columns, a row a feature, with A B' close to X Y' = sum of x_t y_t'. Methods:
 *
 *   cod         co-occurring directions: a pair takes a free column; when none of l is left, dense
 *               shrinkage at level l / 2, rounded down (shrink.h).
 *               |X Y' - A B'| <= |X|_F |Y|_F / level
 *   scod        sparse co-occurring directions: pairs wait in a sparse buffer. A full buffer is
 *               factored by simultaneous iteration (shrink.h) into l more columns; when there
 *               are more than l, they are shrunk at level l.
 *               |X Y' - A B'| <= 2.21 |X|_F |Y|_F / l, see below
 *   fd          frequent directions of the stacked columns (x above y), as cod.
 *   sfd         the same with a sparse buffer, as scod.
 *   columns     l independent samples of a pair, each by a reservoir with chances ~ |x||y|.
 *   projection  A = X R', B = Y R' with independent signs R / sqrt(l).
 *   hashing     pair t is added with a random sign to a random column.
 *
 * scod in memory: the rows of both tables hold the columns, the block holds the buffers.
 *
 *            A, or B: l   C, or D: l                S_x, or S_y
 *   row f  | . . . . . | . . . . . |     columns  | x_1 | x_2 | x_3 ... until full
 *                            ^-- simultaneous ----------'
 *            ^-- shrink -----'
 *
 * Sources:
 *   scod        Y. Wan, L. Zhang, Approximate multiplication of sparse matrices with limited space,
 *               AAAI 2021, algorithms 1 (DS), 2 (SI), 3 (VSI), 4 (SCOD)
 *   cod         Y. Mroueh, E. Marcheret, V. Goel, Co-occurring directions sketching for approximate
 *               matrix multiply, AISTATS 2017
 *   fd          Q. Ye, L. Luo, Z. Zhang, IJCAI 2016;  sfd: M. Ghashami, E. Liberty, J. Phillips,
 *               KDD 2016
 *   columns     P. Drineas, R. Kannan, M. Mahoney, SIAM J. Comput. 2006;  projection: T. Sarlos,
 *               FOCS 2006;  hashing: K. Clarkson, D. Woodruff, STOC 2013
 *
 *   theirs (scod)   here
 *   l               opt.l
 *   q               opt.iterations
 *   delta           opt.failure; of the j-th certificate, sums.checks: failure / (2 j^2)
 *   S_x, S_y        buffer[0], buffer[1]
 *   A, B; C, D      columns 0 .. used - 1 of the tables' rows; the columns after them
 *   W               sums.weight: sum of |x_t||y_t|
 *
 * Bounds. `lost` sums what shrinking subtracted, `doubted` the certificates of what factoring left
 * out; the bound that product_look() gives is their sum: of the run at hand, and far below the
 * theorems'. For scod a factorisation is accepted at 1.21 / l of its buffer's W; a shrinkage that
 * loses gamma takes l gamma from the nuclear norm, so lost <= W / l, and W <= |X|_F |Y|_F. The
 * bounds of the random methods are Chebyshev's, of E |X Y' - A B'|_F^2 <= W^2 / l (columns) and
 * 2 (|X|_F |Y|_F)^2 / l (projection, hashing). Bounds hold but for a chance of `failure`; cod's and
 * fd's hold always.
 *
 * Memory. A row has product_stride() doubles in a feature_table.h of each side, which is the
 * caller's; all else is in one block. A buffer is full when a side has l non-zeros for each feature
 * of the larger side, so all is O((m_x + m_y) l), whatever the length of the stream. No product
 * needs memory by the pair.
 *
 * scod in the paper's form (opt.paper) differs in two ways. Every factored buffer is shrunk, the
 * first one, too, though A and B are 0 and there is room. And buffers are full sooner: at l
 * non-zeros a feature of their own side, or at as many pairs as the larger side has features. (So
 * we read the paper, whose text lost the constants.) Ours makes fewer, larger factorisations and
 * loses less: of 446 features against 13,255 one in place of three.
 *
 * Fading. With a half-life of H pairs each pair makes those before it count f = 2^(-1/H) times:
 * what is sketched is the sum of f^(T-t) x_t y_t'. Nothing is touched for that: pair t counts
 * `grown` = f^-t times instead, readers divide by it, and now and then all is divided
 * (product_renew; forward decay, see kernels/linear/sgd.h). By event time H is in nanoseconds, and
 * product_at() fades by what has passed. Sums, losses and certificates are in the same measure, so
 * the bounds are those of the faded streams.
 *
 * A pair of which one side is zero adds nothing to X Y' and is skipped. Deterministic for one seed.
 * Not here: ids, names, growing memory, answers (product_top.h), states (product_state.h).
 */
#ifndef LEAT_KERNELS_PRODUCT_PRODUCT_H
#define LEAT_KERNELS_PRODUCT_PRODUCT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/base/feature_table.h"
#include "shrink.h"
#include "kernels/dense/tall_matrix.h"

#define PRODUCT_MAX_L       1024
#define PRODUCT_MAX_ENTRIES (1u << 28) /* of a full buffer */

enum product_method {
    PRODUCT_SCOD = 0,
    PRODUCT_COD,
    PRODUCT_FD,
    PRODUCT_SFD,
    PRODUCT_COLUMNS,
    PRODUCT_PROJECTION,
    PRODUCT_HASHING
};

struct product_options {
    enum product_method method;
    uint32_t l;          /* 1 .. PRODUCT_MAX_L                             */
    uint32_t iterations; /* q of simultaneous iteration                    */
    double failure;      /* chance that the bound is wrong; 0: no bound, no verification */
    uint64_t seed;
    bool paper;       /* scod in the paper's form                             */
    double half_life; /* in pairs, >= 1; 0: nothing fades                     */
    bool by_time;     /* half_life is in nanoseconds of event time            */
};

/* What the block is for. */
struct product_capacity {
    uint32_t features[2]; /* the most that the tables hold   */
    uint32_t entries;     /* of each side's buffer, or none  */
};
/* For tables of these capacities and sides of up to `row` entries. */
struct product_capacity product_capacity_for(const struct product_options *opt, uint32_t x,
                                             uint32_t y, uint32_t row);

/* What is counted and summed over the stream. */
struct product_sums {
    uint64_t pairs, skipped;
    uint64_t random;  /* counter of random numbers                */
    uint64_t checks;  /* certificates so far: j of VSI            */
    uint64_t refused; /* factorisations taken though their certificate was too high */
    uint64_t shrinks;
    uint64_t newest;  /* by_time: the latest event time, ns; 0: none yet */
    double grown;     /* what a pair counts now; 1 without a half-life */
    double square[2]; /* |X|_F^2, |Y|_F^2; these and what follows are `grown` times as large */
    double weight;    /* W                */
    double lost, doubted;
};

struct product {
    struct product_options opt;
    struct product_capacity capacity;
    struct feature_table *table[2];
    struct product_sums sums;
    uint32_t used; /* columns of A and B */
    struct sparse_columns buffer[2];
    double *vector[2]; /* one number a feature */
    uint64_t entries;  /* ever added, marks the features of a column */
    struct tall_matrix_work tall;
    struct shrink_work shrink;
    struct simultaneous_work si;
};

/* The most columns that product_look() shows. */
uint32_t product_max_columns(const struct product_options *opt);
/* Doubles of a feature's row. */
uint32_t product_stride(const struct product_options *opt);
size_t product_bytes(const struct product_options *opt, const struct product_capacity *capacity);
/* block: zeroed, aligned to 64; of it only what is filled is touched. Tables: of our stride, which
 * never hold more features than that. */
void product_init(struct product *p, const struct product_options *opt,
                  const struct product_capacity *capacity, struct feature_table *x,
                  struct feature_table *y, void *block);

/* One side of a pair: features by their numbers in the table. */
struct product_column {
    uint32_t n;
    uint32_t *feature; /* overwritten: features that come twice are added up */
    double *value;
};
/* Learn a pair that counts `weight` >= 0 times; its sides have at most as many entries as the
 * capacity was made for. false: numbers got too large; the sketch is lost. */
bool product_add(struct product *p, struct product_column column[2], double weight);
/* The clock goes to an event time (kernels/base/half_life.h) before a pair is added. Only
 * by_time. */
void product_at(struct product *p, int64_t time);

/* NULL, or what is wrong with the sketch (product_state.c). */
const char *product_check(const struct product *p);

/* Divide all by `grown`, which becomes 1. */
void product_renew(struct product *p);
#define PRODUCT_MAX_GROWN 0x1p40 /* where it is time for that */

/* Factor and merge what waits in buffers, so that A and B stand for all pairs. */
bool product_flush(struct product *p);

/* X Y' as it is known now: scale A B', A and B of `columns` columns. A factorisation of the pairs
 * in buffers follows the used columns; the sketch itself is not changed by it. */
struct product_view {
    uint32_t columns;
    double scale;
    double bound;    /* of |X Y' - scale A B'|; NaN: none is known */
    double rounding; /* its part that is rounding: smaller entries may be 0 */
};
bool product_look(struct product *p, struct product_view *v);

/* The largest |X Y' - A B'| / (|X|_F |Y|_F) by a theorem, but for a chance of `failure`; NaN: no
 * theorem is in these terms. */
double product_theorem(const struct product_options *opt);

static inline struct tall_matrix product_side(const struct product *p, int side)
{
    const struct feature_table *t = p->table[side];
    return (struct tall_matrix){t->row, t->n, t->stride};
}

/* ---- of product.c, for product_state.c ---- */

/* Methods whose pairs wait in buffers. */
static inline bool product_buffers(const struct product_options *o)
{
    return o->method == PRODUCT_SCOD || o->method == PRODUCT_SFD;
}
/* Number of entries of a side that fills the buffers, with that number of features; those of the
 * paper's form may be full before. */
uint32_t product_full_at(const struct product_options *opt, uint32_t x, uint32_t y);
/* Shrink the first `columns` columns at the method's level. */
bool product_shrink(struct product *p, uint32_t columns);
void product_put(struct product *p, int side, uint32_t column, double scale,
                 const struct product_column *c);

#endif
