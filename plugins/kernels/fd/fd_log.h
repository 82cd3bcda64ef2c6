/* fd_log.h -- log of the recent maps of a lazily rotated sketch, for columns that must catch up
 *
 * Shrink number k replaces every column b (dim numbers) by M_k b; n shrinks have been done. A
 * column that was up to date when n was v becomes M_(n-1) ... M_(v+1) M_v b when it catches up. The
 * maps are stored in blocks of `block` maps, together with products of maps:
 *
 *   low level 0     the maps of the open block (fewer than `block` maps)
 *   low level l     the products of the open block's aligned stretches of 2^l maps
 *   open            the product of all maps of the open block
 *   suffixes        of a complete block, in place of its maps. The suffix of M_k is the product
 *                   from M_k to the block's end. The first suffix is the product of the whole block
 *   chain i         the product of all complete blocks from block i on
 *
 *        v          complete blocks            open block     n
 *   .....|####|#########|#########|#########|#########|##|#|#|
 *        suffix  \________ chain ______________________/  open
 *
 * So to catch up, a column needs at most one suffix, one chain and `open`; if its version is in the
 * open block, one product of each low level. Only the suffix is likely not to be in the cache. The
 * log computes three products for each map, and one for each chain when a block is complete.
 *
 * The maps are in a ring. A sweep ensures that a column misses at most 2 horizon - 1 maps: at each
 * map it brings some columns up to date, so that a round over all columns takes at most `horizon`
 * maps. A round covers the columns that exist at its start, so a column is reached again in less
 * than two rounds. The horizon grows with the number of columns and is near columns / (8 (dim +
 * 1)). So at each map, the sweep costs no more than the eigenproblem. The ring takes a quarter of
 * the columns' memory, or half just after it has doubled. The choice of products does not depend on
 * the ring's length, because every product is short enough that all its maps are still in the ring.
 *
 * The ring doubles in place at the start of a round, if there are enough columns. Its memory is
 * laid out for the largest number of columns, but touched only up to the ring's length. Map k is at
 * k modulo the length, so a doubling moves some maps up by the old length. Chains move alike.
 *
 * Maps are column-major, columns ld apart and padded with zeros.
 *
 * A feature's row holds the dim numbers of its column, then its version:
 *
 *   FD_NEVER   the feature was never touched; the column is 0
 *   v + 1      the column was up to date when n was v
 *   negative   the column is in a slot of the sketch (fd.h)
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
    uint32_t block, ring;       /* powers of two, in maps                                     */
    uint32_t max_ring;          /* limit of `ring`, for which there is memory                 */
    uint32_t block_bits;        /* block = 2^block_bits                                       */
    uint64_t n;                 /* number of maps so far                                      */
    uint32_t lows;              /* number of levels                                           */
    double *low[FD_LOG_LEVELS]; /* level l has block >> l maps; level 0 is in the ring        */
    double *map;                /* the ring                                                   */
    double *open;               /* product of the open block, if it has maps                  */
    double *chain;              /* chains of the ring's blocks: ring / block maps             */
    double *whole, *part;       /* scratch of one map each                                    */
    uint32_t next, end, step;   /* sweep: next column, end of the round, columns per map      */
};

/* Lays out a log for at most max_columns columns, in zeroed memory. */
void fd_log_lay_out(struct fd_log *g, struct layout *c, uint32_t dim, uint32_t max_columns);
/* Copies the ring (whose length is a power of two), n and the state of the sweep from `from` to g,
 * which was just laid out. If the ring of `from` is too long for g, copies only the last maps. */
void fd_log_copy(struct fd_log *g, const struct fd_log *from);

static inline size_t fd_log_map_size(uint32_t dim) { return (size_t)dim * ((dim + 3) & ~3u); }
/* Returns the version of a column that was up to date when n was v. */
static inline double fd_log_version(uint64_t v) { return (double)v + 1; }

/* Returns the memory of the next map. The caller fills in the map and then calls fd_log_push(). The
 * padding is already 0 and must remain so. */
double *fd_log_next(struct fd_log *g);
/* Adds the map that the caller has filled in to the log. */
void fd_log_push(struct fd_log *g);

/* Brings the column b up to date and stores it in out, which may be b. `version` is not
 * negative. */
void fd_log_catch_up(const struct fd_log *g, double version, const double *b, double *out);
/* Sets out, dim numbers, such that out'b = q'x, where x is the up-to-date column of a column b of
 * this version, which is above FD_NEVER. The arrays must not overlap. */
void fd_log_pull(const struct fd_log *g, double version, const double *q, double *out);
/* Prefetches the suffix for a column of this version; call it shortly before fd_log_catch_up(). */
void fd_log_prefetch(const struct fd_log *g, double version);
/* Performs the sweep's work for one map: brings the next `step` columns up to date. Column j is at
 * row + j * stride. `columns` is at most max_columns. */
void fd_log_sweep(struct fd_log *g, double *row, uint32_t stride, uint32_t columns);

#endif
