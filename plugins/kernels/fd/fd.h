/* fd.h -- frequent directions over a stream of sparse rows, at a cost that does not grow with d.
 *
 * Rows a_t of d features arrive; kept is a matrix B of few rows with B'B close to A'A:
 *
 *   append a_t to B. When B is full:  G = B B' = U diag(lambda) U',  lambda descending;
 *     rank >= m:  B <- diag(sqrt((lambda_i - lambda_m) / lambda_i)) U_i' B  for i < m
 *     rank <  m:  B <- U_i' B  for i <= rank                     nothing is lost
 *
 * Full is m - 1 + buffer rows: buffer = m + 1 is the papers' doubling ("fast") form, 1 the form
 * that shrinks at every row. Bound, with `lost` = sum of the lambda_m subtracted:
 *
 *   0 <= A'A - B'B <= lost I,    lost <= |A - A_k|_F^2 / (m - k)  for every k < m
 *   robust (RFD): A'A is B'B + (lost / 2) I within half of that either way; alpha = lost / 2
 *
 * Sources: E. Liberty, Simple and deterministic matrix sketching, KDD 2013; M. Ghashami et al.,
 * SIAM J. Comput. 2016; L. Luo et al., Robust frequent directions, JMLR 2019.
 *
 * Where the columns are. B is kept by feature: the caller's row of a feature (feature_table.h) has
 * room for fd_stride() doubles at an offset of its choice: the m - 1 kept values of its column,
 * with `weights` a weight u, and its version. Every feature touched since the last shrink has a
 * slot in a working block: its column brought up to date, the rows since then, raw, and u. The
 * Gram matrix G is kept row by row.
 *
 * Lazy rotations. A shrink changes every column by the same small map. Columns touched since the
 * last shrink get it at once; for the others it is put into a log (fd_log.h), and a column catches
 * up when it is touched next: its version says from where. That is O(log) small products; a sweep
 * of some columns at each shrink keeps the log short. So an example of nnz entries costs O(m nnz)
 * and its share of a shrink, O(m^2) to O(m^3 / buffer), whatever d is.
 *
 * Weights. With `weights` the feature also has a scalar u, and a shrink does u += B'c first
 * (c: a coefficient a row), as lazily: so w = u + B'c can be kept implicitly (online Newton).
 *
 * Numbers are doubles: differences of two sketches (SFTRL) would lose their digits in float.
 * Deterministic for one BLAS on one kind of CPU. Scales from 1e-10 to 1e10 are safe; ranks are by a
 * tolerance relative to lambda_1.
 *
 * Not here: ids, names, memory management, what rows are made of.
 */
#ifndef LEAT_KERNELS_FD_FD_H
#define LEAT_KERNELS_FD_FD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fd_log.h"

#define FD_MAX_M      1024
#define FD_MAX_SQUARE 1e200 /* |scale x|^2 of a row at most: sums of many stay finite */
#define FD_MAX_LOST   1e300

struct fd_options {
    uint32_t m;      /* 1 .. FD_MAX_M                                              */
    uint32_t buffer; /* raw rows before a shrink; 0: m + 1                         */
    uint32_t warm;   /* the first so many shrinks come at every row (buffer = 1)   */
    bool weights;    /* features have a weight u                                   */
    uint32_t offset; /* of our fd_stride() doubles in a feature's row              */
};

/* Fields are read, never written, by others. */
struct fd {
    struct fd_options opt;     /* buffer filled in                                          */
    uint32_t dim;              /* m - 1, and 1 for u: numbers of a column that a shrink keeps */
    uint32_t ld;               /* doubles a slot: row r at r, u at fd_max_rows()           */
    uint32_t rows, kept;       /* of B: all, those that the last shrink left                */
    uint32_t slots, max_slots; /* used; room                                                */
    bool gram_behind;          /* rows >= kept of G are not known: appended without p       */
    double lost;
    uint32_t *feature;     /* of a slot                                                */
    double *block;         /* max_slots x ld                                                 */
    double *gram;          /* lower triangle of G, row-major, fd_max_rows() a row       */
    double *fold;          /* dim x ld: the map of the shrink under way                 */
    double *fresh;         /* columns it has made                                       */
    double *lambda, *work; /* of the eigenproblem                                       */
    struct fd_log log;
};

/* Doubles that a feature's row gives us. */
uint32_t fd_stride(const struct fd_options *opt);
/* Rows at most, and so coefficients of c, p: m - 1 + buffer. */
uint32_t fd_max_rows(const struct fd_options *opt);
/* Doubles a slot, doubles a map of the log: sizes of the arrays in fd_parts. */
size_t fd_ld(const struct fd_options *opt);
size_t fd_map_size(const struct fd_options *opt);

/* All else: log of maps (grows with the features, as columns must wait longer), working block (with
 * the features touched between two shrinks), Gram matrix, work. */
size_t fd_block_bytes(const struct fd_options *opt, uint32_t features, uint32_t touched);
/* block: zeroed, aligned to 64; features: the caller's capacity of rows. The capacities change no
 * result. */
void fd_init(struct fd *f, const struct fd_options *opt, uint32_t features, uint32_t touched,
             void *block);
/* Move to a larger zeroed block; the old one is the caller's to free. */
void fd_grow(struct fd *f, uint32_t features, uint32_t touched, void *block);
/* Places left in the working block: at least the entries of the next row, or the caller grows it;
 * slots for all features are enough in any case. */
uint32_t fd_free_slots(const struct fd *f);

/* ---- one example; `row` and `row_stride` say where the features' rows are now ---- */

/* Bring features up to date and give each a slot: at[i] of feature[i]. Call once an example,
 * before anything else. `known`: features that have rows. A feature that repeats has one slot. */
void fd_touch(struct fd *f, double *row, uint32_t row_stride, uint32_t known, uint32_t n,
              const uint32_t *feature, uint32_t *at);
/* x'x, entries of one slot added up first. B must not be full. */
double fd_square(struct fd *f, uint32_t n, const uint32_t *at, const double *x);
/* p = B x, fd_rows() values. */
void fd_project(const struct fd *f, uint32_t n, const uint32_t *at, const double *x, double *p);
/* u'x;  u += k x. */
double fd_weigh(const struct fd *f, uint32_t n, const uint32_t *at, const double *x);
void fd_add_weight(struct fd *f, uint32_t n, const uint32_t *at, const double *x, double k);
/* Append the row scale * x, of which p = B x and xx = x'x are known; p NULL: all products of the
 * rows are left to the shrink, which is faster for dense rows when nothing else needs p. B must not
 * be full. False, and nothing is done, when |scale x|^2 is not finite or above FD_MAX_SQUARE. */
bool fd_append(struct fd *f, uint32_t n, const uint32_t *at, const double *x, double scale,
               const double *p, double xx);
uint32_t fd_rows(const struct fd *f);
bool fd_full(const struct fd *f);
/* B is full (or need not be: then early). c: fd_rows() coefficients, or NULL without weights.
 * Places given by fd_touch end here. Returns what was subtracted, lambda_m or 0. */
double fd_shrink(struct fd *f, double *row, uint32_t row_stride, uint32_t known, const double *c);

/* ---- reading ---- */

/* Column of B for a feature as it is now, fd_rows() values, and its u (NULL: not wanted), without
 * changing anything. */
void fd_column(const struct fd *f, const double *row, uint32_t row_stride, uint32_t feature,
               double *column, double *u);
/* G[i][j] of the rows as they are, when all were appended with their p. */
double fd_gram(const struct fd *f, uint32_t i, uint32_t j);
/* Sum of all that shrinks subtracted; shrinks so far. */
double fd_lost(const struct fd *f);
uint64_t fd_shrinks(const struct fd *f);

/* ---- copies and merges (fd_state.c) ---- */

/* All that makes a sketch, besides options and the features' rows: lent arrays. With a copy of
 * those rows it goes on bit for bit; taking the copy changes nothing. */
struct fd_parts {
    uint32_t rows, kept, slots;
    bool gram_behind;
    double lost;
    uint64_t shrinks;
    uint32_t next, end, step; /* of the sweep                        */
    uint32_t maps;            /* in the log's ring                   */
    const uint32_t *feature;  /* slots                              */
    const double *block;      /* slots x fd_ld()                    */
    const double *gram;       /* fd_max_rows() squared               */
    const double *map;        /* maps x fd_map_size()                */
};
struct fd_parts fd_parts(const struct fd *f);
/* Make f, just initialised with room for p->slots and `known` features, that sketch; the features'
 * rows, of that stride, are there already. NULL, or why there is no such sketch: f is then good for
 * nothing. */
const char *fd_load(struct fd *f, const struct fd_parts *p, const double *row, uint32_t row_stride,
                    uint32_t known);

/* One of two sketches to be merged: its rows count `count` times, and its w = u + B'c has a `share`
 * in that of the merged one, which is u alone (c and share only with weights). */
struct fd_side {
    const struct fd *f;
    const double *row;
    uint32_t row_stride, known;
    double count, share;
    const double *c;
};
size_t fd_merge_bytes(const struct fd_options *opt);
/* Make f, just initialised with options like theirs, the sketch of the rows of both: stacked, then
 * shrunk; what they lost adds up. Features keep a's numbers; number[j] is that of b's feature j.
 * row: zeroed, for all of both. work: fd_merge_bytes() zeroed, aligned to 64. Returns what the last
 * shrink subtracted. */
double fd_merge(struct fd *f, double *row, uint32_t row_stride, const struct fd_side *a,
                const struct fd_side *b, const uint32_t *number, void *work);

#endif
