/* fd_log.h -- the last maps of a lazily rotated sketch, and how a column that missed some catches
 * up.
 *
 * Shrink number k turns every column b (dim numbers) into M_k b. A column that was last brought up
 * to date when n was v needs M_(n-1) ... M_(v+1) M_v b. Level l keeps the products of the aligned
 * blocks [i 2^l, (i + 1) 2^l), made when they are complete of two blocks of the level below: less
 * than one product a map. So any stretch takes at most two blocks of each level.
 *
 * Rings: level l holds the last 2 span / 2^l blocks, up to l = log2(span); a column may be at most
 * 2 span - 1 maps behind. The sweep sees to that: it goes round all columns, some at each map, in
 * at most `horizon` maps; a round takes the columns that were there when it began, so between two
 * visits to a column lie less than two rounds. The horizon grows with the columns, near columns /
 * (8 m): then a round's share of a map costs as much as the eigenproblem or less, and the rings at
 * most half of the columns' memory. span is the horizon of the columns there is room for; which
 * blocks are used does not depend on it, for no stretch is long enough to hold a larger one.
 *
 * Maps are column-major, columns fd_log_ld() apart and zero-padded.
 */
#ifndef KERNEL_FD_LOG_H
#define KERNEL_FD_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "plugins/kernels/carve.h"

#define FD_LOG_MAX_DIM    1024
#define FD_LOG_MAX_LEVELS 32

struct fd_log {
    uint32_t dim, ld, span, levels;
    uint64_t n;                       /* maps so far */
    double *level[FD_LOG_MAX_LEVELS]; /* 2 span >> l maps each */
    double *whole, *part;             /* scratch, a map each */
    uint32_t next, end, step;         /* sweep: column to come, end of this round, columns a map */
};

/* Maps that a sweep over so many columns takes. */
uint32_t fd_log_horizon(uint32_t dim, uint32_t columns);
/* Describe a log, for so many columns at most; zeroed memory. */
void fd_log_lay_out(struct fd_log *g, struct carver *c, uint32_t dim, uint32_t columns);
/* The log `old`, moved into g, just laid out for no fewer columns. */
void fd_log_move(struct fd_log *g, const struct fd_log *old);

/* The map of shrink k, one of the last 2 span. */
double *fd_log_map(const struct fd_log *g, uint64_t k);
/* Take over the last maps of a log of n maps, `maps` of them in a ring. g was just laid out. */
void fd_log_load(struct fd_log *g, uint64_t n, uint32_t maps, const double *ring);
/* Room for the next map, which the caller fills in (all but the padding, which is 0). */
double *fd_log_next(struct fd_log *g);
/* It is filled in. */
void fd_log_push(struct fd_log *g);

/* out = b, of version v, up to date. out may be b. */
void fd_log_catch_up(const struct fd_log *g, uint64_t v, const double *b, double *out);

/* The columns of a feature's row, as fd.h keeps them: dim numbers, then the version. */
#define FD_NEVER                                                                                   \
    0.0 /* version of a column that has never been touched: it is zero, and stays so               \
         */

/* Bring the next columns of the sweep up to date: column j is at row + j * stride. Those that are
 * never touched or in a place are left alone. */
void fd_log_sweep(struct fd_log *g, double *row, uint32_t stride, uint32_t columns);

/* A version as a number of maps, and back. In a row, 0 is never, v + 1 is v maps, negative a place.
 */
static inline double fd_log_stamp(uint64_t v) { return (double)v + 1; }

#endif
