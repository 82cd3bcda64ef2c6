/* product.h -- sketches, of fixed size, of the product of two streams of sparse columns
 *
 * The matrices X (m_x features) and Y (m_y features), the two sides, arrive as pairs of columns
 * (x_t, y_t). The sketch has matrices A and B of about l columns, with a row for each feature, such
 * that A B' is close to X Y' = sum of x_t y_t'. Methods:
 *
 *   cod         co-occurring directions: a pair takes a free column. When none of the l columns is
 *               free, dense shrinkage (shrink.h) at level l / 2, rounded down.
 *               |X Y' - A B'| <= |X|_F |Y|_F / level
 *   scod        sparse co-occurring directions: pairs wait in a sparse buffer. A full buffer is
 *               factored by simultaneous iteration (shrink.h) into up to l more columns. If there
 *               are then more than l columns, they are shrunk at level l.
 *               |X Y' - A B'| <= 2.21 |X|_F |Y|_F / l, see below
 *   fd          like cod, but by frequent directions of the stacked columns (x above y)
 *   sfd         like scod, but by sparse frequent directions of the stacked columns
 *   columns     l independent samples of one pair each. A pair is drawn with a probability
 *               proportional to |x||y|, by a reservoir
 *   projection  A = X R', B = Y R', where the entries of R are +-1 / sqrt(l) with random signs
 *   hashing     adds pair t with a random sign to a random column
 *
 * Example: cod with l = 4, so its level is 2. Three pairs (e_1, e_1) and one pair (e_2, e_2) fill
 * the four columns, and X Y' = diag(3, 1). The shrinkage subtracts gamma = 1: A B' = diag(2, 0) and
 * lost = 1. The theorem allows an error of |X|_F |Y|_F / 2 = 2.
 *
 * Memory of scod: the columns are in the rows of both feature tables, the buffers in the block.
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
 *   delta           opt.failure; for certificate number j (sums.checks) failure / (2 j^2)
 *   S_x, S_y        buffer[0], buffer[1]
 *   A, B; C, D      columns 0 .. used - 1 of the tables' rows; the columns after them
 *   W               sums.weight: sum of |x_t||y_t|
 *
 * Bounds. `lost` is the sum of the values that shrinkages subtracted. `doubted` is the sum of the
 * certificates: bounds of the errors of all factorisations. product_look() returns lost + doubted
 * as the bound. It holds for the actual stream and is far below the bounds of the theorems. scod
 * accepts a factorisation if its certificate is at most 1.21 / l of the buffer's W. A shrinkage
 * that subtracts gamma reduces the nuclear norm by l gamma, so lost <= W / l, and W <= |X|_F |Y|_F.
 * For the random methods the bound is Chebyshev's, from E |X Y' - A B'|_F^2 <= W^2 / l (columns)
 * and 2 (|X|_F |Y|_F)^2 / l (projection, hashing). A bound is wrong with a probability of at most
 * `failure`; the bounds of cod and fd always hold.
 *
 * Memory. Each side has a feature table (feature_table.h), owned by the caller, whose rows have
 * product_stride() doubles. Everything else is in one block. A buffer is full when one side has l
 * non-zeros for each feature of the larger side. So the memory is O((m_x + m_y) l), whatever the
 * length of the stream.
 *
 * With opt.paper, scod has the paper's form, which differs in two ways. It shrinks after every
 * factorisation, even after the first one, when A and B are 0 and there is room. Its buffers are
 * full earlier: at l non-zeros for each feature of their own side, or at as many pairs as the
 * larger side has features. (The paper's text lost these constants; this is an interpretation.) The
 * default form does fewer, larger factorisations and loses less: for 446 and 13,255 features, one
 * factorisation instead of three.
 *
 * Exact products. With opt.exact, the pairs of a directions method first wait in buffers, whatever
 * the method, and their product is counted exactly (product_exact.h) as long as all of them fit.
 * Then scod and sfd factor them as one buffer, with its certificate, and cod and fd add them one by
 * one. So the bounds hold as for any stream. Buffers of cod and fd take half the bytes of their
 * rows.
 *
 * Fading. With a half-life of H pairs, each pair multiplies the weight of all earlier ones by
 * f = 2^(-1/H). The sketched product is then the sum of f^(T-t) x_t y_t'. Stored numbers do not
 * change at each pair. Instead pair t counts `grown` = f^-t times, and readers divide by `grown`
 * (forward decay, see kernels/linear/sgd.h). When `grown` is large, product_renew() divides
 * everything by it. With by_time, H is in nanoseconds, and a pair counts by its event time
 * (half_life.h). Sums, losses and certificates are scaled by the same factor, so the bounds hold
 * for the faded streams.
 *
 * A pair is skipped if one of its sides is 0, because it adds nothing to X Y'. Results are
 * deterministic for a given seed.
 *
 * Out of scope: ids, names, growing memory, queries (product_top.h), saved states
 * (product_state.h).
 */
#ifndef LEAT_KERNELS_PRODUCT_PRODUCT_H
#define LEAT_KERNELS_PRODUCT_PRODUCT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/base/feature_table.h"
#include "kernels/base/half_life.h"
#include "shrink.h"
#include "kernels/dense/tall_matrix.h"

#define PRODUCT_MAX_L       1024
#define PRODUCT_MAX_ENTRIES (1u << 28) /* limit of entries in a full buffer */

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
    uint32_t l;          /* 1 .. PRODUCT_MAX_L                                                */
    uint32_t iterations; /* q of simultaneous iteration                                       */
    double failure;      /* probability that the bound is wrong; 0: no bound, no certificates */
    uint64_t seed;
    bool paper;       /* scod in the paper's form                  */
    bool exact;       /* counts pairs exactly while they fit; without effect on random methods */
    double half_life; /* pairs, >= 1; 0: no fading                 */
    bool by_time;     /* half_life is in nanoseconds of event time */
};

/* Sizes that the block is made for. */
struct product_capacity {
    uint32_t features[2]; /* limit of features of each table                      */
    uint32_t entries;     /* limit of entries in each side's buffer; 0: no buffer */
};
/* Returns the capacity for tables of x and y features, if each side of a pair has up to
 * `row` entries. */
struct product_capacity product_capacity_for(const struct product_options *opt, uint32_t x,
                                             uint32_t y, uint32_t row);

/* Counts and sums over all pairs of the stream. */
struct product_sums {
    uint64_t pairs, skipped;
    uint64_t random;  /* counter of the random numbers                              */
    uint64_t checks;  /* number of certificates so far, the j of VSI                */
    uint64_t refused; /* factorisations kept although their certificate is too high */
    uint64_t shrinks;
    struct half_life_clock at; /* by_time */
    double grown;              /* factor by which a pair counts; 1 without a half-life           */
    double square[2];          /* |X|_F^2, |Y|_F^2; multiplied by `grown`, as are the sums below */
    double weight;             /* W, the sum of |x_t||y_t|                                       */
    double lost, doubted;
};

struct product {
    struct product_options opt;
    struct product_capacity capacity;
    struct feature_table *table[2];
    struct product_sums sums;
    double recency; /* by_time: weight of the next pair (half_life.h); else 1 */
    uint32_t used;  /* number of columns of A and B in use */
    struct sparse_columns buffer[2];
    double *vector[2]; /* scratch: one number for each feature                               */
    uint64_t *mark[2]; /* for each feature the number of the last entry that had it          */
    uint64_t entries;  /* number of entries added so far                                     */
    uint32_t *list[2]; /* scratch of product_exact.h: one number for each right feature      */
    uint32_t *start;   /* scratch of product_exact.h: 1 + one number for each left feature   */
    struct tall_matrix_work tall;
    struct shrink_work shrink;
    struct simultaneous_work si;
};

/* Returns the largest number of columns that product_look() shows. */
uint32_t product_max_columns(const struct product_options *opt);
/* Returns the number of doubles in a feature's row. */
uint32_t product_stride(const struct product_options *opt);
size_t product_bytes(const struct product_options *opt, const struct product_capacity *capacity);
/* Makes an empty sketch. `block` is zeroed and aligned to 64; only the parts in use are touched.
 * The tables have rows of product_stride() doubles, and never more features than the capacity. */
void product_init(struct product *p, const struct product_options *opt,
                  const struct product_capacity *capacity, struct feature_table *x,
                  struct feature_table *y, void *block);

/* One side of a pair: numbers of features in the side's table, and their values. */
struct product_column {
    uint32_t n;
    uint32_t *feature; /* product_add() overwrites it and `value` */
    double *value;
};
/* Adds a pair that counts `weight` >= 0 times. Each side has at most `row` entries, as in
 * product_capacity_for(). Returns false if numbers became too large; the sketch is then
 * unusable. */
bool product_add(struct product *p, struct product_column column[2], double weight);
/* Takes the event time of the next pair (kernels/base/half_life.h). Requires by_time. */
void product_at(struct product *p, int64_t time);
/* Moves the clock to that of another sketch, unless it is later. Requires by_time. */
void product_follow(struct product *p, const struct product *other);

/* Checks the sketch. Returns NULL, or a text that names the fault. Defined in product_state.c. */
const char *product_check(const struct product *p);

/* Divides all numbers by `grown`, which becomes 1. */
void product_renew(struct product *p);
#define PRODUCT_MAX_GROWN 0x1p40 /* value of `grown` at which product_renew() is due */

/* Factors the pairs in the buffers, so that A and B represent all pairs. */
bool product_flush(struct product *p);

/* Current estimate of X Y': scale A B', where A and B have `columns` columns. If pairs wait in
 * buffers, their factorisation is in the columns after those in use; the sketch itself does
 * not change. */
struct product_view {
    uint32_t columns;
    double scale;
    double bound;    /* bound of |X Y' - scale A B'|; NaN if there is none           */
    double rounding; /* part of the bound due to rounding; entries below it may be 0 */
};
bool product_look(struct product *p, struct product_view *v);

/* Returns the bound that a theorem gives for |X Y' - A B'| / (|X|_F |Y|_F). The bound is wrong with
 * a probability of at most `failure`. Returns NaN if there is no such theorem. */
double product_theorem(const struct product_options *opt);

static inline struct tall_matrix product_side(const struct product *p, int side)
{
    const struct feature_table *t = p->table[side];
    return (struct tall_matrix){t->row, t->n, t->stride};
}

/* ---- functions of product.c that product_state.c uses ---- */

/* True if the method factors buffers in which pairs wait. */
static inline bool product_buffers(const struct product_options *o)
{
    return o->method == PRODUCT_SCOD || o->method == PRODUCT_SFD;
}
/* True if pairs may wait in buffers, either until these are factored or while all are exact. */
static inline bool product_waits(const struct product_options *o)
{
    return product_buffers(o) || (o->exact && o->method <= PRODUCT_SFD);
}
/* Returns the number of entries in one side's buffer at which the buffers are full, for x and y
 * features. With opt.paper they may be full earlier. */
uint32_t product_full_at(const struct product_options *opt, uint32_t x, uint32_t y);
/* Shrinks the first `columns` columns at the method's level. */
bool product_shrink(struct product *p, uint32_t columns);
void product_put(struct product *p, int side, uint32_t column, double scale,
                 const struct product_column *c);
/* Returns the rounding error in |X Y' - A B'|, as in shrink_rounding(). fd and sfd shrink both
 * sides as one, so the larger side determines their rounding error. */
double product_rounding_of(const struct product_options *opt, const struct product_sums *sums,
                           uint32_t columns);
/* Adds a pair of a directions method, whose values already count for `sums`. */
bool product_add_directions(struct product *p, const struct product_column column[2]);

#endif
