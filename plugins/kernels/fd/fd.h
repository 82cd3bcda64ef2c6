/* fd.h -- frequent directions over a stream of sparse rows, at a cost that does not grow with d.
 *
 * Rows a_t of d features arrive. Kept is a matrix B of few rows with B'B close to A'A:
 *
 *   1  append a_t to B
 *   2  if B is full:  G = B B' = U diag(lambda) U' with lambda descending
 *   3    rank >= m:  B <- diag(sqrt((lambda_i - lambda_m) / lambda_i)) U_i' B  for i < m
 *   4    rank <  m:  B <- U_i' B  for i <= rank; nothing is lost
 *
 * B is full at m - 1 + buffer rows. buffer = m + 1 is the papers' doubling (fast) form; buffer = 1
 * is the form that shrinks at every row. With `lost` = the sum of the lambda_m subtracted:
 *
 *   0 <= A'A - B'B <= lost I;   lost <= |A - A_k|_F^2 / (m - k)  for every k < m
 *   robust (RFD): A'A differs from B'B + (lost / 2) I by at most (lost / 2) I; alpha = lost / 2
 *
 * Where the columns are. B is kept by feature. The caller's row of a feature (feature_table.h) has
 * fd_stride() doubles for us at an offset of the caller's choice: the m - 1 kept values of its
 * column, a weight u (with `weights`), and its version. A feature touched since the last shrink
 * also has a slot in a working block:
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
 * at once. For the others it enters a log (fd_log.h), and a column catches up when it is touched
 * next; its version says from where. That takes O(log) small products. A sweep over some columns at
 * each shrink keeps the log short. So an example of nnz entries costs O(m nnz) and its share of a
 * shrink, O(m^2) to O(m^3 / buffer), whatever d is.
 *
 * Fading. fd_fade() makes all rows so far count less: B <- sqrt(f) B, lost <- f lost. No
 * number moves: B and G are kept over the root of `fade`, and over `fade`, the product of the
 * factors since the last shrink, which multiplies them in. What is read and appended in
 * between is of B as it is kept.
 *
 *   B = sqrt(fade) kept B;   A'A = sum of f^(t - s) a_s a_s',   with the bounds above
 *
 * Weights. With `weights` a feature also has a scalar u, and a shrink first does u += B'c, where c
 * has a coefficient for each row, just as lazily. This keeps w = u + B'c implicitly (online
 * Newton).
 *
 * Numbers are doubles: differences of two sketches (SFTRL) would lose their digits in floats.
 * Results are deterministic for one BLAS on one kind of CPU. Scales from 1e-10 to 1e10 are safe;
 * ranks are decided by a tolerance relative to lambda_1.
 *
 * Not here: ids, names, memory management, and what rows consist of.
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
#define FD_MAX_SQUARE  1e200 /* of |scale x|^2, so that sums of many stay finite */
#define FD_MAX_SUM     1e300 /* of such squares: `lost` and the elements of G      */
#define FD_MAX_NUMBER  1e150 /* of a column: the root of FD_MAX_SUM                */
#define FD_MAX_SHRINKS 0x1p52
#define FD_MIN_FADE    0x1p-60 /* below, a shrink is due */

struct fd_options {
    uint32_t m;      /* 1 .. FD_MAX_M                                             */
    uint32_t buffer; /* raw rows before a shrink; 0: m + 1                        */
    uint32_t warm;   /* the first `warm` shrinks come at every row (buffer = 1)   */
    bool weights;    /* features have a weight u                                  */
    uint32_t offset; /* of our fd_stride() doubles in a feature's row             */
};

/* Others read the fields and never write them. */
struct fd {
    struct fd_options opt;     /* buffer filled in                                        */
    uint32_t dim;              /* numbers of a column that a shrink keeps: m - 1, and u   */
    uint32_t ld;               /* doubles of a slot: row r at r, u at fd_max_rows()       */
    uint32_t rows, kept;       /* of B: all, those that the last shrink left              */
    uint32_t slots, max_slots; /* in use, in the block                                    */
    bool gram_behind;          /* rows >= kept of G are unknown: appended without p       */
    double lost;           /* the sum of all that shrinks subtracted: log.n of them; over fade */
    double fade;           /* 0 < fade <= 1                                           */
    uint32_t *feature;     /* of a slot                                              */
    double *block;         /* max_slots x ld                                         */
    double *gram;          /* lower triangle of G, row-major, fd_max_rows() a row    */
    double *fold;          /* dim x ld: the map of the shrink under way              */
    double *fresh;         /* columns that it has made                               */
    double *lambda, *work; /* of the eigenproblem                                    */
    struct fd_log log;
};

/* Doubles that a feature's row holds for us. */
uint32_t fd_stride(const struct fd_options *opt);
/* m - 1 + buffer: the largest number of rows, and so of coefficients in c and p. */
uint32_t fd_max_rows(const struct fd_options *opt);
/* Doubles of a slot and of a map of the log. */
size_t fd_ld(const struct fd_options *opt);
size_t fd_map_size(const struct fd_options *opt);

/* Bytes of all but the features' rows: the log of maps, which grows with the features (columns must
 * wait longer); the working block, which fills with the features touched between two shrinks; the
 * Gram matrix and scratch. For the most features that there may be, and the most that may have
 * slots: what is beyond those that there are is not touched. They change no result. */
size_t fd_block_bytes(const struct fd_options *opt, uint32_t features, uint32_t touched);
/* block: fd_block_bytes() zeroed bytes, aligned to 64. */
void fd_init(struct fd *f, const struct fd_options *opt, uint32_t features, uint32_t touched,
             void *block);
/* Slots that are free. The next row must not have more entries, or the caller shrinks first; as
 * many slots as features always suffice. */
uint32_t fd_free_slots(const struct fd *f);

/* ---- an example; `row` and `row_stride` say where the features' rows are now ---- */

/* Brings features up to date and gives each a slot: slot[i] of feature[i]. Call it once for each
 * example, before anything else. known: features that have rows. A feature that repeats has one
 * slot. */
void fd_touch(struct fd *f, double *row, uint32_t row_stride, uint32_t known, uint32_t n,
              const uint32_t *feature, uint32_t *slot);
/* x'x, where entries of one slot are first added up. B must not be full. */
double fd_square(struct fd *f, uint32_t n, const uint32_t *slot, const double *x);
/* p = B x, f->rows values. */
void fd_project(const struct fd *f, uint32_t n, const uint32_t *slot, const double *x, double *p);
/* u'x */
double fd_weigh(const struct fd *f, uint32_t n, const uint32_t *slot, const double *x);
/* u += k x */
void fd_add_weight(struct fd *f, uint32_t n, const uint32_t *slot, const double *x, double k);
/* Appends the row scale * x, for which p = B x and xx = x'x are known. B must not be full. With p
 * NULL all products of rows are left to the shrink, which is faster for dense rows if nothing else
 * needs p. False, without any effect, if |scale x|^2 is not finite or above FD_MAX_SQUARE. */
bool fd_append(struct fd *f, uint32_t n, const uint32_t *slot, const double *x, double scale,
               const double *p, double xx);
bool fd_full(const struct fd *f);
/* All rows so far count f times, 0 < f <= 1. The product with those of before must stay positive:
 * the caller shrinks when fd_is_faint(). */
static inline void fd_fade(struct fd *s, double f) { s->fade *= f; }
static inline bool fd_is_faint(const struct fd *s) { return s->fade < FD_MIN_FADE; }
/* A factor of a row as it is to be appended. */
static inline double fd_kept(const struct fd *s, double scale)
{
    return s->fade == 1 ? scale : scale / sqrt(s->fade);
}
/* What shrinks have subtracted, faded. */
static inline double fd_lost(const struct fd *s) { return s->fade * s->lost; }
/* Shrinks B, which is full (or not: then early). c: f->rows coefficients, or NULL without
 * weights. All slots become free. Returns what was subtracted, lambda_m or 0. */
double fd_shrink(struct fd *f, double *row, uint32_t row_stride, uint32_t known, const double *c);

/* ---- reading ---- */

/* The column of B for a feature as it is now, f->rows values, and its u (NULL: not wanted).
 * Changes nothing. */
void fd_column(const struct fd *f, const double *row, uint32_t row_stride, uint32_t feature,
               double *column, double *u);
/* G_ij, if all rows were appended with their p. */
double fd_gram(const struct fd *f, uint32_t i, uint32_t j);
/* NULL, or what is wrong with the sketch, apart from the features' rows. */
const char *fd_check(const struct fd *f);

/* ---- copies and merges ---- */

/* A copy of the struct lends the sketch. What makes the sketch, besides options and the features'
 * rows: rows, kept, slots, gram_behind, lost, fade, feature, block (slots x ld), gram
 * (fd_max_rows() squared); of the log n, the ring (its length, and `map`: ring x fd_map_size()) and
 * the sweep. With a copy of these and of the rows the sketch continues bit for bit. */

/* Makes f, just initialised with from->slots slots and `known` features or more, a copy of a sketch
 * that may be anything; the features' rows, of that stride, are there already. NULL, or what is
 * wrong with `from`: then f is of no use. */
const char *fd_load(struct fd *f, const struct fd *from, const double *row, uint32_t row_stride,
                    uint32_t known);

/* One of two sketches to be merged. Its rows count `count` times. With weights, its w = u + B'c has
 * a `share` in that of the result, which is u alone. */
struct fd_side {
    const struct fd *f;
    const double *row;
    uint32_t row_stride, known;
    double count, share;
    const double *c;
};
size_t fd_merge_bytes(const struct fd_options *opt);
/* Makes f, just initialised with options like theirs, the sketch of the rows of both: stacked, then
 * shrunk; what they lost adds up. Returns what this shrink subtracted.
 *   row     zeroed rows for the features of both; a's features keep their numbers
 *   number  number[j]: that of b's feature j
 *   work    fd_merge_bytes() zeroed bytes, aligned to 64 */
double fd_merge(struct fd *f, double *row, uint32_t row_stride, const struct fd_side *a,
                const struct fd_side *b, const uint32_t *number, void *work);

#endif
