/* fd_log.h -- the recent maps of a lazily rotated sketch, for columns that missed some of them
 *
 * Shrink number k turns every column b (dim numbers) into M_k b. A column that is up to date for
 * n = v needs M_(n-1) ... M_(v+1) M_v b to catch up. The maps are kept in blocks of `block` maps:
 *
 *   low level 0     the open block (fewer than `block` maps): the maps themselves
 *   low level l     the products of the open block's aligned stretches of 2^l maps
 *   high level 0    a complete block: its suffixes. The suffix of M_k is the product from M_k to
 *                   the block's end. The first suffix is the product of the whole block
 *   high level l    the products of 2^l aligned whole blocks
 *
 *        v          complete blocks            open block     n
 *   .....|####|#########|#########|#########|#########|##|#|#|
 *        suffix  \___ high level 2 _________________/  low levels
 *
 * So a column needs one suffix, one or two products of each high level, and one of each low level.
 * Only the suffix is far back in memory. The log takes two products for each map.
 *
 * The maps are in a ring. A column may miss at most 2 horizon - 1 maps, which the sweep ensures.
 * The sweep goes round all columns in at most `horizon` maps, some columns at each map. A round
 * takes the columns that exist at its start, so less than two rounds lie between two visits to a
 * column. The horizon grows with the columns and is near columns / (8 (dim + 1)). So the sweep
 * costs no more at each map than the eigenproblem. The ring takes a quarter of the columns'
 * memory, or half just after it has doubled. The choice of products does not depend on the ring's
 * length: every stretch is short enough that all its maps are still in the ring.
 *
 * The ring doubles in place at the start of a round with enough columns. Its memory is laid out for
 * the largest number of columns, and touched as far as the ring goes. A map is at its number modulo
 * the length, so a doubling moves some maps up by the old length. A product of a whole old ring or
 * more may be missing then, but is never needed: a column that missed so many maps would be lost.
 *
 * Maps are column-major, columns ld apart and padded with zeros.
 *
 * A feature's row holds the dim numbers of its column, then its version:
 *
 *   FD_NEVER   the feature was never touched; the column is zero
 *   v + 1      the column is up to date for n = v
 *   negative   the sketch currently keeps the column elsewhere
 */
#ifndef LEAT_KERNELS_FD_FD_LOG_H
#define LEAT_KERNELS_FD_FD_LOG_H

#include <stddef.h>
#include <stdint.h>

#include "kernels/base/layout.h"

#define FD_LOG_MAX_DIM 1024
#define FD_LOG_LEVELS  32
#define FD_NEVER       0.0

struct fd_log {
    uint32_t dim, ld;
    uint32_t block, ring;        /* powers of two, in maps                               */
    uint32_t max_ring;           /* longest ring that there is memory for                */
    uint32_t block_bits;         /* block = 2^block_bits                                 */
    uint64_t n;                  /* number of maps so far                                */
    double *low[FD_LOG_LEVELS];  /* block >> l maps each; level 0 is in the ring         */
    double *high[FD_LOG_LEVELS]; /* ring / block >> l maps each; level 0 is in the ring  */
    uint32_t lows, highs;        /* number of levels                                     */
    double *map;                 /* the ring                                             */
    double *whole, *part;        /* scratch of one map each                              */
    uint32_t next, end, step;    /* sweep: next column, end of this round, columns at each map */
};

/* Lays out a log for up to max_columns columns, in zeroed memory. */
void fd_log_lay_out(struct fd_log *g, struct layout *c, uint32_t dim, uint32_t max_columns);
/* Makes g, just laid out, a copy of a log: its ring (whose length is a power of two), n and the
 * sweep. From a ring that is too long it copies the last maps. */
void fd_log_copy(struct fd_log *g, const struct fd_log *from);

static inline size_t fd_log_map_size(uint32_t dim) { return (size_t)dim * ((dim + 3) & ~3u); }
/* Returns the version of a column that is up to date for n = v. */
static inline double fd_log_version(uint64_t v) { return (double)v + 1; }

/* Returns the next map. The caller fills it in, except the padding, which is 0. */
double *fd_log_next(struct fd_log *g);
/* Takes the map that the caller has filled in. */
void fd_log_push(struct fd_log *g);

/* Sets out to the column b of this version, not negative, brought up to date. out may be b. */
void fd_log_catch_up(const struct fd_log *g, double version, const double *b, double *out);
/* Prefetches the suffix for a column of this version, which will soon catch up. */
void fd_log_prefetch(const struct fd_log *g, double version);
/* Brings the next columns of the sweep up to date. Column j is at row + j * stride. `columns` is at
 * most max_columns. */
void fd_log_sweep(struct fd_log *g, double *row, uint32_t stride, uint32_t columns);

#endif
