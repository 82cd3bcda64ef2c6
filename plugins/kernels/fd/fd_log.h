/* fd_log.h -- the last maps of a lazily rotated sketch, and how a column that missed some catches
 * up.
 *
 * Shrink number k turns every column b (dim numbers) into M_k b. A column that was last brought up
 * to date when n was v needs M_(n-1) ... M_(v+1) M_v b. The maps are kept in blocks of `block`
 * maps:
 *
 *   low level 0     the open block (less than `block` maps): the maps as they are
 *   low level l     the products of its aligned stretches of 2^l maps
 *   high level 0    a complete block: its suffixes; for M_k, the product from M_k to its end.
 *                   The first of them is the product of the whole block
 *   high level l    the products of 2^l aligned whole blocks
 *
 *        v          complete blocks            open block     n
 *   .....|####|#########|#########|#########|#########|##|#|#|
 *        suffix  \___ high level 2 _________________/  low levels
 *
 * So a column needs one suffix, one or two products of each high level and one of each low level.
 * Of these only the suffix is far back in memory. The log takes two products for each map.
 *
 * The maps are in a ring. A column may miss at most 2 horizon - 1 maps; the sweep ensures this. It
 * goes round all columns, some at each map, in at most `horizon` maps. A round takes the columns
 * that were there at its start, so less than two rounds lie between two visits to a column. The
 * horizon grows with the columns and is near columns / (8 (dim + 1)): then a round's share of a map
 * costs no more than the eigenproblem, and the ring takes a quarter of the columns' memory, or half
 * just after it has doubled. The choice of products does not depend on the ring's length: no
 * stretch is so long that one of its maps would have left the ring.
 *
 * The ring doubles in place when a round begins whose columns ask for it: its memory is laid out
 * for the most columns that there may be, and touched as far as the ring goes. A map stands at its
 * number modulo the length, so some of them move up by the old length. Products of a whole old ring
 * or more that nobody has made by then are never asked for: a column that missed so many would have
 * been lost.
 *
 * Maps are column-major, columns ld apart and padded with zeros.
 *
 * A feature's row holds the dim numbers of its column, then its version:
 *
 *   FD_NEVER   the feature was never touched; the column is zero
 *   v + 1      the column is up to date for n = v
 *   negative   the sketch keeps the column elsewhere for now
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
    uint32_t max_ring;           /* that there is memory for                             */
    uint32_t block_bits;         /* block = 2^block_bits                                 */
    uint64_t n;                  /* maps so far                                          */
    double *low[FD_LOG_LEVELS];  /* block >> l maps each; level 0 is in the ring         */
    double *high[FD_LOG_LEVELS]; /* ring / block >> l maps each; level 0 is in the ring  */
    uint32_t lows, highs;        /* levels                                               */
    double *map;                 /* the ring                                             */
    double *whole, *part;        /* scratch, a map each                                  */
    uint32_t next, end, step;    /* sweep: next column, end of this round, columns a map */
};

/* Lays a log out for up to max_columns columns, in zeroed memory. */
void fd_log_lay_out(struct fd_log *g, struct layout *c, uint32_t dim, uint32_t max_columns);
/* Makes g, just laid out, a copy of a log: of its ring (a power of two long), n and the sweep. Of a
 * ring that is too long it takes the last maps. */
void fd_log_copy(struct fd_log *g, const struct fd_log *from);

static inline size_t fd_log_map_size(uint32_t dim) { return (size_t)dim * ((dim + 3) & ~3u); }
/* The version of a column that is up to date for n = v. */
static inline double fd_log_version(uint64_t v) { return (double)v + 1; }

/* The next map, which the caller fills in, all but the padding, which is 0. */
double *fd_log_next(struct fd_log *g);
/* Takes the map that was filled in. */
void fd_log_push(struct fd_log *g);

/* out = the column b of this version, which is not negative, brought up to date. out may be b. */
void fd_log_catch_up(const struct fd_log *g, double version, const double *b, double *out);
/* Prefetches the suffix for a column of this version that will soon catch up. */
void fd_log_prefetch(const struct fd_log *g, double version);
/* Brings the next columns of the sweep up to date. Column j is at row + j * stride; columns <=
 * max_columns. */
void fd_log_sweep(struct fd_log *g, double *row, uint32_t stride, uint32_t columns);

#endif
