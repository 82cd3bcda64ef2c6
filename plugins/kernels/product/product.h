/* product.h -- the product of two streams of aligned sparse columns, sketched in fixed space
 *
 * X (m_x features) and Y (m_y features) arrive as pairs of columns (x_t, y_t). The sketch keeps A
 * and B of about l columns, with one row for each feature, so that A B' is close to X Y' = sum of
 * x_t y_t'. Methods:
 *
 *   cod         co-occurring directions: a pair takes a free column. When none of the l columns is
 *               free, dense shrinkage at level l / 2, rounded down (shrink.h).
 *               |X Y' - A B'| <= |X|_F |Y|_F / level
 *   scod        sparse co-occurring directions: pairs wait in a sparse buffer. A full buffer is
 *               factored by simultaneous iteration (shrink.h) into up to l more columns. If there
 *               are then more than l columns, they are shrunk at level l.
 *               |X Y' - A B'| <= 2.21 |X|_F |Y|_F / l, see below
 *   fd          frequent directions of the stacked columns (x above y), otherwise as cod
 *   sfd         sparse frequent directions of the stacked columns, otherwise as scod
 *   columns     l independent samples of a pair, each by a reservoir with chances ~ |x||y|
 *   projection  A = X R', B = Y R' with independent signs R / sqrt(l)
 *   hashing     adds pair t with a random sign to a random column
 *
 * Example: cod with l = 4, so its level is 2. Three pairs (e_1, e_1) and one pair (e_2, e_2) fill
 * the four columns, and X Y' = diag(3, 1). The shrinkage subtracts gamma = 1: A B' = diag(2, 0) and
 * lost = 1. The theorem allows an error of |X|_F |Y|_F / 2 = 2.
 *
 * Memory of scod: the rows of both tables hold the columns, the block holds the buffers.
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
 *   paper (scod)    field
 *   l               opt.l
 *   q               opt.iterations
 *   delta           opt.failure; of the j-th certificate, sums.checks: failure / (2 j^2)
 *   S_x, S_y        buffer[0], buffer[1]
 *   A, B; C, D      columns 0 .. used - 1 of the tables' rows; the columns after them
 *   W               sums.weight: sum of |x_t||y_t|
 *
 * Bounds. `lost` sums the values that shrinking subtracted. `doubted` sums the certificates of the
 * parts that factoring left out. The bound from product_look() is the sum of both. It holds for the
 * actual run and is far below the theorems' bounds. scod accepts a factorisation at 1.21 / l of its
 * buffer's W. A shrinkage that loses gamma takes l gamma from the nuclear norm, so lost <= W / l,
 * and W <= |X|_F |Y|_F. The bounds of the random methods are Chebyshev's, of
 * E |X Y' - A B'|_F^2 <= W^2 / l (columns) and 2 (|X|_F |Y|_F)^2 / l (projection, hashing). A bound
 * fails with probability `failure` at most; cod's and fd's always hold.
 *
 * Memory. Each side has a feature_table.h, owned by the caller, whose rows have product_stride()
 * doubles. All else is in one block. A buffer is full when one side has l non-zeros for each
 * feature of the larger side. So the memory is O((m_x + m_y) l) for any length of the stream. No
 * method needs memory for each pair.
 *
 * scod in the paper's form (opt.paper) differs in two ways. It shrinks after every factored buffer,
 * even after the first, when A and B are 0 and there is room. And its buffers are full sooner: at l
 * non-zeros for each feature of their own side, or at as many pairs as the larger side has
 * features. (This is our reading of the paper, whose text lost the constants.) Our form makes
 * fewer, larger factorisations and loses less: one instead of three for 446 features against
 * 13,255.
 *
 * Fading. With a half-life of H pairs, each pair makes the earlier ones count f = 2^(-1/H) times.
 * The sketched product is then the sum of f^(T-t) x_t y_t'. No earlier number changes at a pair:
 * instead, pair t counts `grown` = f^-t times, and readers divide by `grown`. Now and then
 * everything is divided by it (product_renew; forward decay, see kernels/linear/sgd.h). By event
 * time H is in nanoseconds, and product_at() fades by the time that has passed. Sums, losses and
 * certificates are scaled alike, so the bounds hold for the faded streams.
 *
 * A pair with a zero side adds nothing to X Y' and is skipped. Results are deterministic for one
 * seed.
 *
 * Out of scope: ids, names, growing memory, answers (product_top.h), states (product_state.h).
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
#define PRODUCT_MAX_ENTRIES (1u << 28) /* entries of a full buffer */

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
    double failure;      /* probability that the bound is wrong; 0: no bound, no verification */
    uint64_t seed;
    bool paper;       /* scod in the paper's form                             */
    double half_life; /* pairs, >= 1; 0: no fading                            */
    bool by_time;     /* half_life is in nanoseconds of event time            */
};

/* Sizes for which the block is made. */
struct product_capacity {
    uint32_t features[2]; /* most features of each table     */
    uint32_t entries;     /* entries of each side's buffer, or 0 */
};
/* Returns the capacity for tables of x and y features, and sides of up to `row` entries. */
struct product_capacity product_capacity_for(const struct product_options *opt, uint32_t x,
                                             uint32_t y, uint32_t row);

/* Counts and sums over the stream. */
struct product_sums {
    uint64_t pairs, skipped;
    uint64_t random;  /* counter of the random numbers            */
    uint64_t checks;  /* certificates so far: j of VSI            */
    uint64_t refused; /* factorisations kept despite too high a certificate */
    uint64_t shrinks;
    uint64_t newest;  /* by_time: latest event time, ns; 0 before the first */
    double grown;     /* current factor of a pair; 1 without a half-life */
    double square[2]; /* |X|_F^2, |Y|_F^2; all sums from here on are times `grown` */
    double weight;    /* W                */
    double lost, doubted;
};

struct product {
    struct product_options opt;
    struct product_capacity capacity;
    struct feature_table *table[2];
    struct product_sums sums;
    uint32_t used; /* columns of A and B in use */
    struct sparse_columns buffer[2];
    double *vector[2]; /* one number for each feature */
    uint64_t entries;  /* entries ever added; marks the features of a column */
    struct tall_matrix_work tall;
    struct shrink_work shrink;
    struct simultaneous_work si;
};

/* Returns the largest number of columns that product_look() shows. */
uint32_t product_max_columns(const struct product_options *opt);
/* Returns the doubles of a feature's row. */
uint32_t product_stride(const struct product_options *opt);
size_t product_bytes(const struct product_options *opt, const struct product_capacity *capacity);
/* Makes an empty sketch. `block` is zeroed and aligned to 64; only used parts of it are touched.
 * The tables have rows of product_stride() doubles, and never more features than the capacity. */
void product_init(struct product *p, const struct product_options *opt,
                  const struct product_capacity *capacity, struct feature_table *x,
                  struct feature_table *y, void *block);

/* One side of a pair: features by their numbers in the table. */
struct product_column {
    uint32_t n;
    uint32_t *feature; /* overwritten: repeated features are added up */
    double *value;
};
/* Learns a pair that counts `weight` >= 0 times. Its sides have at most as many entries as the
 * capacity was made for. Returns false if numbers became too large; the sketch is then lost. */
bool product_add(struct product *p, struct product_column column[2], double weight);
/* Moves the clock to an event time (kernels/base/half_life.h) before a pair is added. Needs
 * by_time. */
void product_at(struct product *p, int64_t time);

/* Returns NULL, or the fault of the sketch (product_state.c). */
const char *product_check(const struct product *p);

/* Divides everything by `grown`, which becomes 1. */
void product_renew(struct product *p);
#define PRODUCT_MAX_GROWN 0x1p40 /* `grown` at which product_renew is due */

/* Factors and merges the pairs in the buffers, so that A and B represent all pairs. */
bool product_flush(struct product *p);

/* The current estimate of X Y': scale A B', where A and B have `columns` columns. If pairs wait in
 * buffers, their factorisation follows the used columns; the sketch itself stays the same. */
struct product_view {
    uint32_t columns;
    double scale;
    double bound;    /* bound of |X Y' - scale A B'|; NaN if none is known */
    double rounding; /* rounding's part of the bound: entries below it may be 0 */
};
bool product_look(struct product *p, struct product_view *v);

/* Returns the largest |X Y' - A B'| / (|X|_F |Y|_F) by a theorem, which fails with probability
 * `failure`. NaN if no theorem has this form. */
double product_theorem(const struct product_options *opt);

static inline struct tall_matrix product_side(const struct product *p, int side)
{
    const struct feature_table *t = p->table[side];
    return (struct tall_matrix){t->row, t->n, t->stride};
}

/* ---- of product.c, for product_state.c ---- */

/* True for methods whose pairs wait in buffers. */
static inline bool product_buffers(const struct product_options *o)
{
    return o->method == PRODUCT_SCOD || o->method == PRODUCT_SFD;
}
/* Returns the number of entries of a side that fills the buffers with x and y features. Buffers of
 * the paper's form may be full earlier. */
uint32_t product_full_at(const struct product_options *opt, uint32_t x, uint32_t y);
/* Shrinks the first `columns` columns at the method's level. */
bool product_shrink(struct product *p, uint32_t columns);
void product_put(struct product *p, int side, uint32_t column, double scale,
                 const struct product_column *c);

#endif
