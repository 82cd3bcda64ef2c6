/* fd.h -- frequent directions over a stream of sparse rows, at a cost that does not grow with d
 *
 * Rows a_t of d features arrive. The sketch keeps a matrix B of few rows with B'B close to A'A:
 *
 *   1  append a_t to B
 *   2  if B is full:  G = B B' = U diag(lambda) U' with lambda descending
 *   3    rank >= m:  B <- diag(sqrt((lambda_i - lambda_m) / lambda_i)) U_i' B  for i < m
 *   4    rank <  m:  B <- U_i' B  for i <= rank; nothing is lost
 *
 * B is full at m - 1 + buffer rows. buffer = m + 1 is the papers' doubling (fast) form; buffer = 1
 * shrinks at every row. With `lost` = the sum of the subtracted lambda_m:
 *
 *   0 <= A'A - B'B <= lost I;   lost <= |A - A_k|_F^2 / (m - k)  for every k < m
 *   robust (RFD): A'A differs from B'B + (lost / 2) I by at most (lost / 2) I; alpha = lost / 2
 *
 * Example: m = 2, buffer = 1, and the rows (2, 0) and (0, 1). They fill B, with G = diag(4, 1). The
 * shrink subtracts lambda_2 = 1, so B = (sqrt(3), 0) and lost = 1. The difference A'A - B'B is
 * diag(4, 1) - diag(3, 0) = diag(1, 1), within lost I.
 *
 * Layout of the columns. B is stored by feature. The caller's row of a feature (feature_table.h)
 * has fd_stride() doubles of ours at an offset that the caller chooses. They are the m - 1 kept
 * values of the feature's column, a weight u (with `weights`), and the column's version. A feature
 * touched since the last shrink also has a slot in a working block:
 *
 *                  slot 0      slot 1     slot 2   ...       features without a slot  ...
 *               +----------------------------------+      +-------------------------------+
 *     row 0     |  kept: what the last shrink left |      |  kept, as of the version of   |
 *     kept - 1  |                                  |      |  each column                  |
 *               +----------------------------------+      +-------------------------------+
 *     kept      |  raw: rows appended since        |         no raw row has them: 0
 *     rows - 1  |                                  |
 *               +----------------------------------+
 *               |  free: 0                         |
 *     max_rows  +----------------------------------+      +-------------------------------+
 *               |  u                               |      |  u, as of the version         |
 *               +----------------------------------+      +-------------------------------+
 *               block: a slot is ld doubles               the caller's rows
 *
 * The Gram matrix G = B B' is kept row by row.
 *
 * Lazy rotations. A shrink changes every column by the same small map. Columns with a slot get it
 * at once. For the others the map enters a log (fd_log.h). A column catches up, from its version
 * on, when it is next touched: this takes O(log) small products. At each shrink, a sweep over some
 * columns keeps the log short. So an example of nnz entries costs O(m nnz), plus its share of a
 * shrink, O(m^2) to O(m^3 / buffer), for any d.
 *
 * Fading. fd_fade() makes all earlier rows count less: B <- sqrt(f) B, lost <- f lost. No number
 * changes at that moment. `fade` is the product of the factors since the last shrink. B is stored
 * divided by the root of `fade`, and G divided by `fade`, until a shrink multiplies them in. All
 * functions between two shrinks read and append B in this stored form.
 *
 *   B = sqrt(fade) stored B;   A'A = sum of f^(t - s) a_s a_s',   with the bounds above
 *
 * Weights. With `weights`, a feature also has a scalar u, and a shrink first does u += B'c, as
 * lazily. c has a coefficient for each row. This keeps w = u + B'c implicitly (online Newton).
 *
 * Numbers are doubles, because differences of two sketches (SFTRL) would lose their digits in
 * floats. Results are deterministic for one BLAS on one kind of CPU. Scales from 1e-10 to 1e10 are
 * safe. A tolerance relative to lambda_1 decides ranks.
 *
 * Out of scope: ids, names, memory management, and the contents of rows.
 *
 * Paper letter = field: m, B^(t), U as here; Sigma^2 = diag(lambda), (sigma_m)^2 = lambda_m,
 * V' = diag(lambda)^(-1/2) U'B; alpha^(t) - alpha_0 = lost / 2.
 * Sources: E. Liberty, Simple and deterministic matrix sketching, KDD 2013. M. Ghashami, E.
 * Liberty, J. M. Phillips, D. P. Woodruff, Frequent directions, SIAM J. Comput. 45, 2016. L. Luo,
 * C. Chen, Z. Zhang, W.-J. Li, T. Zhang, Robust frequent directions with application in online
 * learning, JMLR 20, 2019: algorithms 1 and 2; with doubled space, algorithms 2 and 4 of its
 * preprint, 2017. */
#ifndef LEAT_KERNELS_FD_FD_H
#define LEAT_KERNELS_FD_FD_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fd_log.h"

#define FD_MAX_M       1024
#define FD_MAX_SQUARE  1e200 /* limit of |scale x|^2, so that sums of many stay finite */
#define FD_MAX_SUM     1e300 /* limit of sums of such squares: `lost`, elements of G */
#define FD_MAX_NUMBER  1e150 /* limit of a column's number: the root of FD_MAX_SUM */
#define FD_MAX_SHRINKS 0x1p52
#define FD_MIN_FADE    0x1p-60 /* a shrink is due below this */

struct fd_options {
    uint32_t m;      /* 1 .. FD_MAX_M                                             */
    uint32_t buffer; /* raw rows until a shrink; 0: m + 1                         */
    uint32_t warm;   /* shrinks at the start that come at every row (as buffer = 1) */
    bool weights;    /* features have a weight u                                  */
    uint32_t offset; /* offset of our fd_stride() doubles in a feature's row      */
};

/* Callers may read the fields but never write them. */
struct fd {
    struct fd_options opt;     /* options, with buffer filled in                          */
    uint32_t dim;              /* numbers of a column that a shrink keeps: m - 1, and u   */
    uint32_t ld;               /* doubles of a slot: row r at r, u at fd_max_rows()       */
    uint32_t rows, kept;       /* rows of B; rows that the last shrink left               */
    uint32_t slots, max_slots; /* slots in use; slots of the block                        */
    bool gram_behind;          /* rows >= kept of G are missing: appended without p       */
    double lost;               /* sum of all subtracted lambda_m; divided by fade */
    double fade;               /* 0 < fade <= 1                                           */
    uint32_t *feature;         /* feature of each slot                                   */
    double *block;             /* max_slots x ld                                         */
    double *gram;              /* lower triangle of G, row-major, fd_max_rows() in a row */
    double *fold;              /* dim x ld: the map of the current shrink                */
    double *fresh;             /* columns made by the current shrink                     */
    double *lambda, *work;     /* arrays of the eigenproblem                             */
    struct fd_log log;
};

/* Returns the doubles of ours in a feature's row. */
uint32_t fd_stride(const struct fd_options *opt);
/* Returns m - 1 + buffer: the largest number of rows, and so of coefficients in c and p. */
uint32_t fd_max_rows(const struct fd_options *opt);
/* Doubles of a slot, and of a map of the log. */
size_t fd_ld(const struct fd_options *opt);
size_t fd_map_size(const struct fd_options *opt);

/* Returns the bytes of everything except the features' rows. The log of maps grows with the
 * features, because columns must wait longer. The working block fills with the features touched
 * between two shrinks. The rest is the Gram matrix and scratch. `features` and `touched` are upper
 * bounds on features, and on features with slots. Unused memory is not touched, and the bounds
 * change no result. */
size_t fd_block_bytes(const struct fd_options *opt, uint32_t features, uint32_t touched);
/* Makes an empty sketch in `block`: fd_block_bytes() zeroed bytes, aligned to 64. */
void fd_init(struct fd *f, const struct fd_options *opt, uint32_t features, uint32_t touched,
             void *block);
/* Returns the number of free slots. If the next row has more entries, the caller must shrink first.
 * As many slots as features always suffice. */
uint32_t fd_free_slots(const struct fd *f);

/* ---- an example; `row` and `row_stride` are the current place of the features' rows ---- */

/* Brings features up to date and gives each a slot: slot[i] for feature[i]. Call this once for each
 * example, before anything else. `known` is the number of features with rows. A repeated feature
 * has one slot. */
void fd_touch(struct fd *f, double *row, uint32_t row_stride, uint32_t known, uint32_t n,
              const uint32_t *feature, uint32_t *slot);
/* Returns x'x, after adding up the entries of each slot. B must not be full. */
double fd_square(struct fd *f, uint32_t n, const uint32_t *slot, const double *x);
/* Sets p = B x, f->rows values. */
void fd_project(const struct fd *f, uint32_t n, const uint32_t *slot, const double *x, double *p);
/* Returns u'x. */
double fd_weigh(const struct fd *f, uint32_t n, const uint32_t *slot, const double *x);
/* u += k x */
void fd_add_weight(struct fd *f, uint32_t n, const uint32_t *slot, const double *x, double k);
/* Appends the row scale * x, with p = B x and xx = x'x. B must not be full. With p NULL, the shrink
 * computes all products of rows. This is faster for dense rows if nothing else needs p. Returns
 * false, without any effect, if |scale x|^2 is not finite or above FD_MAX_SQUARE. */
bool fd_append(struct fd *f, uint32_t n, const uint32_t *slot, const double *x, double scale,
               const double *p, double xx);
bool fd_full(const struct fd *f);
/* Makes all earlier rows count f times, 0 < f <= 1. The product of the factors must stay positive,
 * so the caller shrinks if fd_is_faint(). */
static inline void fd_fade(struct fd *s, double f) { s->fade *= f; }
static inline bool fd_is_faint(const struct fd *s) { return s->fade < FD_MIN_FADE; }
/* Converts the factor of a row to the stored form, for appending. */
static inline double fd_kept(const struct fd *s, double scale)
{
    return s->fade == 1 ? scale : scale / sqrt(s->fade);
}
/* Returns `lost` after fading. */
static inline double fd_lost(const struct fd *s) { return s->fade * s->lost; }
/* Shrinks B, full or not. `c` has f->rows coefficients; NULL without weights. Frees all slots.
 * Returns the subtracted lambda_m, or 0. */
double fd_shrink(struct fd *f, double *row, uint32_t row_stride, uint32_t known, const double *c);

/* ---- reading ---- */

/* Reads the current column of B for a feature, f->rows values, and its u (NULL to skip). Changes
 * nothing. */
void fd_column(const struct fd *f, const double *row, uint32_t row_stride, uint32_t feature,
               double *column, double *u);
/* Returns G_ij. All rows must have been appended with their p. */
double fd_gram(const struct fd *f, uint32_t i, uint32_t j);
/* Returns NULL, or the fault of the sketch. Does not check the features' rows. */
const char *fd_check(const struct fd *f);

/* ---- copies and merges ---- */

/* A copy of the struct lends the sketch. Besides the options and the features' rows, a sketch
 * consists of rows, kept, slots, gram_behind, lost, fade, feature, block (slots x ld) and gram
 * (fd_max_rows() squared). From the log it needs n, the ring (its length, and `map`: ring x
 * fd_map_size()) and the sweep. With a copy of these and of the rows, the sketch continues bit for
 * bit. */

/* Makes f a copy of `from`, a sketch that may be corrupt. f was just initialised with from->slots
 * slots and at least `known` features. The features' rows, with this stride, are already there.
 * Returns NULL, or the fault of `from`; f is then unusable. */
const char *fd_load(struct fd *f, const struct fd *from, const double *row, uint32_t row_stride,
                    uint32_t known);

/* One of two sketches to be merged. Its rows count `count` times. With weights, its w = u + B'c has
 * a `share` in the w of the result, which is u alone. */
struct fd_side {
    const struct fd *f;
    const double *row;
    uint32_t row_stride, known;
    double count, share;
    const double *c;
};
size_t fd_merge_bytes(const struct fd_options *opt);
/* Makes f the sketch of the rows of both sides, stacked and then shrunk. f was just initialised
 * with options like theirs. The losses of both add up. Returns the value that this shrink
 * subtracted.
 *   row     zeroed rows for the features of both; a's features keep their numbers
 *   number  number[j]: number in f of b's feature j
 *   work    fd_merge_bytes() zeroed bytes, aligned to 64 */
double fd_merge(struct fd *f, double *row, uint32_t row_stride, const struct fd_side *a,
                const struct fd_side *b, const uint32_t *number, void *work);

#endif
