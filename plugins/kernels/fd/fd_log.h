/* fd_log.h -- the last maps of a lazily rotated sketch, and how a column that missed some catches
 * up.
 *
 * Shrink number k turns every column b (dim numbers) into M_k b. A column that was last brought up
 * to date when n was v needs M_(n-1) ... M_(v+1) M_v b. Of the maps a column may have missed,
 *
 *   the open block, of less than `block` maps, is kept as they are (low level 0) with the products
 *     of its aligned stretches of 2^l maps (low level l);
 *   a block that is complete is kept as suffixes: instead of M_k, the product from M_k to its end;
 *     the first of them is the whole block (high level 0), and there are the products of 2^l
 * aligned whole blocks (high level l).
 *
 * So a column needs one suffix, one or two products of each high level, one of each low level: of
 * all those only the suffix is from far back in memory. Two products a map make all that.
 *
 * The maps are in a ring. A column may be at most 2 horizon - 1 maps behind, and the sweep sees to
 * that: it goes round all columns, some at each map, in at most `horizon` maps; a round takes the
 * columns that were there when it began, so between two visits to a column lie less than two
 * rounds. The horizon grows with the columns, near columns / (8 m): then a round's share of a map
 * costs no more than the eigenproblem, and the ring a quarter of the columns' memory, or half just
 * after it has doubled. The ring is as long as the columns there is room for ask; which products
 * are used does not depend on it, for no stretch is long enough to hold one that is not there.
 *
 * Maps are column-major, columns ld apart and zero-padded.
 *
 * In a feature's row are the dim numbers of its column, then its version: 0 when it has never been
 * touched and is zero, v + 1 when it is up to date for n = v, negative when the sketch keeps it
 * elsewhere for now.
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
    uint32_t block, ring;        /* powers of two, in maps                            */
    uint64_t n;                  /* maps so far                                       */
    double *low[FD_LOG_LEVELS];  /* block >> l maps each; level 0 is in the ring      */
    double *high[FD_LOG_LEVELS]; /* ring / block >> l maps each; level 0 is in the ring */
    uint32_t lows, highs;        /* levels                                            */
    double *map;                 /* the ring                                          */
    double *whole, *part;        /* scratch, a map each                               */
    uint32_t next, end, step;    /* sweep: column to come, end of this round, columns a map */
};

/* Describe a log, for so many columns at most; zeroed memory. */
void fd_log_lay_out(struct fd_log *g, struct layout *c, uint32_t dim, uint32_t columns);
/* The log `old`, moved into g, just laid out for no fewer columns. */
void fd_log_move(struct fd_log *g, const struct fd_log *old);
/* The log of n maps of which `ring` (a power of two) are in `map`; g was just laid out. */
void fd_log_load(struct fd_log *g, uint64_t n, uint32_t ring, const double *map);

static inline size_t fd_log_map_size(uint32_t dim) { return (size_t)dim * ((dim + 3) & ~3u); }
static inline double fd_log_version(uint64_t v) { return (double)v + 1; }

/* Room for the next map, which the caller fills in: all but the padding, which is 0. */
double *fd_log_next(struct fd_log *g);
/* It is filled in. */
void fd_log_push(struct fd_log *g);

/* out = column b of version stamp, not negative, up to date. out may be b. */
void fd_log_catch_up(const struct fd_log *g, double stamp, const double *b, double *out);
/* A column of that stamp is about to catch up: asks for the far part of memory it needs. */
void fd_log_prefetch(const struct fd_log *g, double stamp);
/* Bring the next columns of the sweep up to date: column j is at row + j * stride. */
void fd_log_sweep(struct fd_log *g, double *row, uint32_t stride, uint32_t columns);

#endif
