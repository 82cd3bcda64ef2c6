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
 * Layout of the columns. B is stored by feature. In a feature's row, which the caller owns
 * (feature_table.h), fd_stride() doubles belong to this file, at `offset`. They are the m - 1
 * values of the feature's column that the last shrink kept, a weight u (only with `weights`), and
 * the column's version. A feature that was touched since the last shrink also has a slot in a
 * working block:
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
 * The Gram matrix G = B B' gets a row whenever B does.
 *
 * Lazy rotations. A shrink multiplies every column by the same small matrix, the map. It applies
 * the map at once to columns with a slot, and appends the map to a log for the other columns
 * (fd_log.h). Such a column catches up when it is next touched: it is multiplied by all maps since
 * its version, which takes O(log) small products. Each shrink also brings some columns up to date,
 * in turn, so that the log stays short; this is the sweep. So an example of nnz entries costs O(m
 * nnz), plus its share of a shrink, O(m^2) to O(m^3 / buffer), for any d.
 *
 * Fading. fd_fade() multiplies the weight of all earlier rows by f: B <- sqrt(f) B, lost <- f lost.
 * It changes only `fade`, the product of the factors since the last shrink. B is stored divided by
 * sqrt(fade), and G and `lost` divided by `fade`; the next shrink multiplies these factors in.
 * Between two shrinks, all functions read and append B in this stored form.
 *
 *   B = sqrt(fade) stored B;   A'A = sum of f^(t - s) a_s a_s',   with the bounds above
 *
 * Weights. With `weights`, a feature also has a scalar u. A shrink first does u += B'c, lazily too,
 * where c has a coefficient for each row. So online Newton can store its weights implicitly as
 * w = u + B'c.
 *
 * Numbers are doubles, because the difference of two sketches (SFTRL) would lose its digits in
 * floats. Sums have a fixed order, so results have the same bits on all machines. Scales of rows
 * from 1e-10 to 1e10 are safe. Ranks are decided with a tolerance relative to lambda_1.
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
#define FD_MAX_SQUARE  1e200 /* limit of |scale x|^2, so that sums over many rows stay finite */
#define FD_MAX_SUM     1e300 /* limit of sums of |scale x|^2, such as `lost` and G            */
#define FD_MAX_NUMBER  1e150 /* limit of a number in a column: sqrt(FD_MAX_SUM)               */
#define FD_MAX_SHRINKS 0x1p52
#define FD_MIN_FADE    0x1p-60 /* if fade is below this, a shrink is due */

enum { FD_FRESH = 256 }; /* columns that a shrink computes in one batch */

struct fd_options {
    uint32_t m;      /* 1 .. FD_MAX_M                                                    */
    uint32_t buffer; /* rows appended until a shrink; 0: m + 1                           */
    uint32_t warm;   /* number of first shrinks that come at every row, as if buffer = 1 */
    bool weights;    /* features have a weight u                                         */
    uint32_t offset; /* offset of the fd_stride() doubles in a feature's row             */
};

/* Frequent directions sketch. Callers may read the fields but not write them. */
struct fd {
    struct fd_options opt;     /* options; buffer is not 0                                       */
    uint32_t dim;              /* numbers of a column after a shrink: m - 1, and u               */
    uint32_t ld;               /* doubles per slot: row r at r, u at fd_max_rows()               */
    uint32_t rows, kept;       /* rows of B; rows of B after the last shrink                     */
    uint32_t slots, max_slots; /* slots in use; slots in the block                               */
    bool gram_behind;          /* rows >= kept of G are not computed yet (fd_append() without p) */
    double lost;               /* sum of all subtracted lambda_m, divided by fade                */
    double fade;               /* 0 < fade <= 1                                                  */
    uint32_t *feature;         /* feature of each slot                                           */
    double *block;             /* max_slots x ld                                                 */
    double *gram;              /* lower triangle of G, row-major, fd_max_rows() in a row         */
    double *fold;              /* dim x ld: the map of the current shrink                        */
    double *fresh;             /* scratch: FD_FRESH columns after the current shrink             */
    double *lambda, *work;     /* scratch for the eigenvalues                                    */
    struct fd_log log;
};

/* Returns the number of doubles that the sketch has in a feature's row. */
uint32_t fd_stride(const struct fd_options *opt);
/* Returns m - 1 + buffer: the largest number of rows, and so of coefficients in c and p. */
uint32_t fd_max_rows(const struct fd_options *opt);
/* Return the number of doubles in a slot, and in a map of the log. */
size_t fd_ld(const struct fd_options *opt);
size_t fd_map_size(const struct fd_options *opt);

/* Returns the bytes of a sketch, without the features' rows. `features` is an upper bound of the
 * number of features; `touched` is an upper bound of the number of features touched between two
 * shrinks. The log of maps grows with `features`, the working block with `touched`; the rest is the
 * Gram matrix and scratch. Unused memory is not touched. The bounds do not affect results. */
size_t fd_block_bytes(const struct fd_options *opt, uint32_t features, uint32_t touched);
/* Makes an empty sketch in `block`: fd_block_bytes() zeroed bytes, aligned to 64. */
void fd_init(struct fd *f, const struct fd_options *opt, uint32_t features, uint32_t touched,
             void *block);
/* Returns the number of free slots. If the next row has more entries, the caller must shrink first.
 * This never happens if the block has as many slots as there are features. */
uint32_t fd_free_slots(const struct fd *f);

/* ---- an example; `row` and `row_stride` are the current place of the features' rows ---- */

/* Brings n features up to date and gives each a slot; sets slot[i] for feature[i]. Call this once
 * per example, before the other functions. `known` is the number of features that have rows. A
 * feature that occurs several times has one slot. */
void fd_touch(struct fd *f, double *row, uint32_t row_stride, uint32_t known, uint32_t n,
              const uint32_t *feature, uint32_t *slot);
/* Returns x'x, where entries of the same slot are added up first. B must not be full. */
double fd_square(struct fd *f, uint32_t n, const uint32_t *slot, const double *x);
/* Sets p = B x, which has f->rows numbers. */
void fd_project(const struct fd *f, uint32_t n, const uint32_t *slot, const double *x, double *p);
/* Returns u'x, the product of the weights u and the row x. */
double fd_weigh(const struct fd *f, uint32_t n, const uint32_t *slot, const double *x);
/* Computes u += k x. */
void fd_add_weight(struct fd *f, uint32_t n, const uint32_t *slot, const double *x, double k);
/* Appends the row scale * x. p is B x and xx is x'x. B must not be full. If p is NULL, the next
 * shrink computes the products of rows; this is faster for dense rows if the caller does not need
 * p. If |scale x|^2 is not finite or above FD_MAX_SQUARE, does nothing and returns false. */
bool fd_append(struct fd *f, uint32_t n, const uint32_t *slot, const double *x, double scale,
               const double *p, double xx);
bool fd_full(const struct fd *f);
/* Multiplies the weight of all earlier rows by f, 0 < f <= 1. The product of the factors must stay
 * positive, so the caller must shrink if fd_is_faint(). */
static inline void fd_fade(struct fd *s, double f) { s->fade *= f; }
static inline bool fd_is_faint(const struct fd *s) { return s->fade < FD_MIN_FADE; }
/* Converts the factor `scale` of a row to the stored form, for fd_append(). */
static inline double fd_kept(const struct fd *s, double scale)
{
    return s->fade == 1 ? scale : scale / sqrt(s->fade);
}
/* Returns the current `lost`, after fading. */
static inline double fd_lost(const struct fd *s) { return s->fade * s->lost; }
/* Shrinks B, even if it is not full, and frees all slots. `c` has f->rows coefficients; NULL
 * without `weights`. Returns the lambda_m that was subtracted, or 0. */
double fd_shrink(struct fd *f, double *row, uint32_t row_stride, uint32_t known, const double *c);

/* ---- reading ---- */

/* Computes the current column of B for a feature, f->rows numbers, and *u, unless u is NULL.
 * Changes nothing in f. */
void fd_column(const struct fd *f, const double *row, uint32_t row_stride, uint32_t feature,
               double *column, double *u);
/* Returns G_ij of the Gram matrix G = B B'. All rows must have been appended with p. */
double fd_gram(const struct fd *f, uint32_t i, uint32_t j);
/* Checks the sketch, but not the features' rows. Returns NULL, or a text that names the fault. */
const char *fd_check(const struct fd *f);

/* ---- copies and merges ---- */

/* State of a sketch. A snapshot contains the options, the features' rows, and rows, kept, slots,
 * gram_behind, lost, fade, feature, block (slots x ld) and gram (fd_max_rows() squared). From the
 * log it contains n, the ring (its length, and `map`: ring x fd_map_size()) and the sweep. A sketch
 * restored from this state continues bit for bit. A copy of struct fd gives access to the state,
 * but shares the arrays. */

/* Makes f a copy of `from`, which may be corrupt. f was just initialised with from->slots slots and
 * at least `known` features. The features' rows are already in `row`. Returns NULL, or a text that
 * names the fault of `from`; f is then unusable. */
const char *fd_load(struct fd *f, const struct fd *from, const double *row, uint32_t row_stride,
                    uint32_t known);

/* One of the two sketches (sides) to be merged. Each of its rows counts `count` times.
 * With `weights`, the merged w is the sum of `share` times w = u + B'c of both sides, and
 * is stored in u alone. */
struct fd_side {
    const struct fd *f;
    const double *row;
    uint32_t row_stride, known;
    double count, share;
    const double *c;
};
size_t fd_merge_bytes(const struct fd_options *opt);
/* Makes f the sketch of the rows of both sides, stacked and then shrunk. f was just initialised
 * with options like theirs. `lost` is the sum of both sides' `lost` and of what this shrink
 * subtracts. Returns what this shrink subtracts.
 *   row     zeroed rows for the features of both; a's features keep their numbers
 *   number  number[j]: number in f of b's feature j
 *   work    fd_merge_bytes() zeroed bytes, aligned to 64 */
double fd_merge(struct fd *f, double *row, uint32_t row_stride, const struct fd_side *a,
                const struct fd_side *b, const uint32_t *number, void *work);

#endif
