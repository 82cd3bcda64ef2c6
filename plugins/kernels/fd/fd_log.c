/* fd_log.c -- implementation of fd_log.h */
#include "fd_log.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "fd_combine.h"
#include "kernels/dense/multiply.h"

enum {
    STEP_UNITS = 8,       /* a sweep handles at most STEP_UNITS * (dim + 1) columns per map */
    BLOCK_NUMBERS = 4096, /* limit of block * (dim + 1)                                     */
    MIN_ALIKE = 8         /* columns of one version for which the maps are multiplied first */
};

/* Size below which a number of a product counts as 0. Maps shrink columns, so numbers of products
 * of many maps would become subnormal, which processors multiply a hundred times more slowly. */
static const double FD_LOG_TINY = 0x1p-500;

/* Returns the smallest power of two that is at least columns / (8 (dim + 1)). */
static uint32_t fd_log_horizon_of(uint32_t dim, uint32_t columns)
{
    uint32_t horizon = 1;
    while ((uint64_t)horizon * STEP_UNITS * (dim + 1) < columns)
        horizon *= 2;
    return horizon;
}

static uint32_t fd_log_block_of(uint32_t dim)
{
    uint32_t block = 2;
    while (block < 256 && 2 * block * (dim + 1) <= BLOCK_NUMBERS)
        block *= 2;
    return block;
}

/* Returns the length of the ring: the number of maps that a column may miss (less than two rounds
 * of the sweep), but at least one block. */
static uint32_t fd_log_ring_of(uint32_t dim, uint32_t columns)
{
    uint32_t missed = 2 * fd_log_horizon_of(dim, columns), block = fd_log_block_of(dim);
    return missed > block ? missed : block;
}

void fd_log_lay_out(struct fd_log *g, struct layout *c, uint32_t dim, uint32_t max_columns)
{
    assert(dim <= FD_LOG_MAX_DIM);
    size_t size = fd_log_map_size(dim) * sizeof(double);
    uint32_t block = fd_log_block_of(dim), max = fd_log_ring_of(dim, max_columns);
    *g = (struct fd_log){
        .dim = dim, .ld = (dim + 3) & ~3u, .block = block, .ring = block, .max_ring = max};
    g->block_bits = (uint32_t)__builtin_ctz(block);
    g->map = layout_take(c, max, size);
    for (g->lows = 1; block >> g->lows > 1; g->lows++)
        g->low[g->lows] = layout_take(c, block >> g->lows, size);
    g->open = layout_take(c, 1, size);
    g->chain = layout_take(c, max / block, size);
    g->whole = layout_take(c, 1, size);
    g->part = layout_take(c, 1, size);
}

/* ---- products ---- */

static double *fd_log_ring_at(const struct fd_log *g, uint64_t k)
{
    return g->map + (k & (g->ring - 1)) * fd_log_map_size(g->dim);
}

/* Returns product i of low level l, the product of 2^l maps from map i 2^l on. */
static double *fd_log_low_at(const struct fd_log *g, uint32_t l, uint64_t i)
{
    if (!l) return fd_log_ring_at(g, i);
    return g->low[l] + (i & ((g->block >> l) - 1)) * fd_log_map_size(g->dim);
}

/* Returns the chain that begins with block i. */
static double *fd_log_chain_at(const struct fd_log *g, uint64_t i)
{
    return g->chain + (i & ((g->ring >> g->block_bits) - 1)) * fd_log_map_size(g->dim);
}

/* Sets the numbers that are below FD_LOG_TINY in size to 0. */
WIDE_INLINE void fd_log_flush(uint32_t ld, double *x)
{
    for (const double *end = x + ld; x < end; x += 4)
        for (uint32_t k = 0; k < 4; k++)
            x[k] = fabs(x[k]) < FD_LOG_TINY ? 0 : x[k];
}

/* Sets out = map b for n columns b, which are ld doubles apart. b has dim numbers a column, and out
 * has room for ld. The arrays must not overlap. */
WIDE static void fd_log_apply(uint32_t dim, uint32_t ld, const double *map, uint32_t n,
                              const double *b, double *out)
{
    for (uint32_t j = 0; j < n; j++, b += ld, out += ld) {
        fd_combine(dim, ld, ld, map, b, out);
        fd_log_flush(ld, out);
    }
}

/* Sets out = b a, the map that applies a, then b. The arrays must not overlap. */
static void fd_log_product(const struct fd_log *g, const double *b, const double *a, double *out)
{
    fd_log_apply(g->dim, g->ld, b, g->dim, a, out);
}

static void fd_log_set(const struct fd_log *g, double *map, const double *to)
{
    memcpy(map, to, fd_log_map_size(g->dim) * sizeof *map);
}

/* Replaces a product by the product that applies b after it. */
static void fd_log_extend(struct fd_log *g, const double *b, double *product)
{
    fd_log_product(g, b, product, g->part);
    fd_log_set(g, product, g->part);
}

/* Replaces each map of the block that was just completed by the suffix of the map (fd_log.h). */
static void fd_log_make_suffixes(struct fd_log *g)
{
    for (uint64_t k = g->n - 1; k-- > g->n - g->block;) { /* M_k <- (M_end ... M_(k+1)) M_k */
        fd_log_product(g, fd_log_ring_at(g, k + 1), fd_log_ring_at(g, k), g->part);
        fd_log_set(g, fd_log_ring_at(g, k), g->part);
    }
}

/* Extends the chains from block `first` on by the complete block i, and begins the chain i. */
static void fd_log_extend_chains(struct fd_log *g, uint64_t first, uint64_t i)
{
    const double *whole = fd_log_ring_at(g, i << g->block_bits);
    for (uint64_t k = first; k < i; k++)
        fd_log_extend(g, whole, fd_log_chain_at(g, k));
    fd_log_set(g, fd_log_chain_at(g, i), whole);
}

/* Computes the products that end with map n - 1, which is in the open block. */
static void fd_log_make_products(struct fd_log *g, uint64_t n)
{
    for (uint32_t l = 0; l + 1 < g->lows && !(n >> l & 1); l++) {
        uint64_t i = (n >> l) - 1;
        fd_log_product(g, fd_log_low_at(g, l, i), fd_log_low_at(g, l, i - 1),
                       fd_log_low_at(g, l + 1, i / 2));
    }
    if ((n & (g->block - 1)) == 1)
        fd_log_set(g, g->open, fd_log_ring_at(g, n - 1));
    else
        fd_log_extend(g, fd_log_ring_at(g, n - 1), g->open);
}

double *fd_log_next(struct fd_log *g) { return fd_log_ring_at(g, g->n); }

void fd_log_push(struct fd_log *g)
{
    uint64_t i = ++g->n >> g->block_bits, blocks = g->ring >> g->block_bits;
    if (g->n & (g->block - 1)) {
        fd_log_make_products(g, g->n);
    } else {
        fd_log_make_suffixes(g);
        fd_log_extend_chains(g, i > blocks ? i - blocks : 0, i - 1);
    }
}

/* ---- growth ---- */

/* Moves each map or chain from its number modulo `ring` to its number modulo 2 ring. Of the n maps
 * or chains, the last `ring` exist. */
static void fd_log_spread(double *at, size_t size, uint64_t n, uint32_t ring)
{
    for (uint64_t k = n > ring ? n - ring : 0; k < n; k++) {
        double *place = at + (k & (ring - 1)) * size;
        if (!(k & ring)) continue;
        memcpy(place + ring * size, place, size * sizeof *at);
        memset(place, 0, size * sizeof *at); /* 0, so that copies of the log have equal bytes */
    }
}

static void fd_log_double_ring(struct fd_log *g)
{
    size_t size = fd_log_map_size(g->dim);
    fd_log_spread(g->map, size, g->n, g->ring);
    fd_log_spread(g->chain, size, g->n >> g->block_bits, g->ring >> g->block_bits);
    g->ring *= 2;
}

/* ---- copies ---- */

/* Copies the last maps of a ring. Returns the number of the first map copied. */
static uint64_t fd_log_copy_ring(struct fd_log *g, const struct fd_log *from)
{
    assert(from->ring && !(from->ring & (from->ring - 1)));
    uint64_t n = from->n, have = n < from->ring ? n : from->ring;
    if (have > g->ring) have = g->ring;
    for (uint64_t k = n - have; k < n; k++)
        memcpy(fd_log_ring_at(g, k), fd_log_ring_at(from, k),
               fd_log_map_size(g->dim) * sizeof *g->map);
    return n - have;
}

void fd_log_copy(struct fd_log *g, const struct fd_log *from)
{
    g->ring = from->ring < g->block      ? g->block
              : from->ring > g->max_ring ? g->max_ring
                                         : from->ring;
    uint64_t n = g->n = from->n, have = fd_log_copy_ring(g, from);
    uint64_t first = (have + g->block - 1) >> g->block_bits;
    for (uint64_t i = first; i < n >> g->block_bits; i++)
        fd_log_extend_chains(g, first, i);
    for (uint64_t k = n - n % g->block; k < n; k++)
        fd_log_make_products(g, k + 1);
    g->next = from->next, g->end = from->end, g->step = from->step;
}

/* ---- columns ---- */

/* Returns the largest l below `levels` such that the stretch [v, v + 2^l) is aligned and ends at n
 * or before. Requires v < n. */
static uint32_t fd_log_level_from(uint64_t v, uint64_t n, uint32_t levels)
{
    uint32_t fits = 63u - (uint32_t)__builtin_clzll(n - v);
    uint32_t aligned = v ? (uint32_t)__builtin_ctzll(v) : 63;
    uint32_t l = fits < aligned ? fits : aligned;
    return l < levels ? l : levels - 1;
}

/* Returns the longest stored product that begins with map v, and sets *v to the map after it.
 * Requires v < n. */
static const double *fd_log_stretch(const struct fd_log *g, uint64_t *v)
{
    uint64_t from = *v, i = from >> g->block_bits, open = g->n >> g->block_bits;
    bool first = !(from & (g->block - 1));
    if (i == open && first) {
        *v = g->n;
        return g->open;
    }
    if (i == open) {
        uint32_t l = fd_log_level_from(from, g->n, g->lows);
        *v += (uint64_t)1 << l;
        return fd_log_low_at(g, l, from >> l);
    }
    *v = (first ? open : i + 1) << g->block_bits;
    return first ? fd_log_chain_at(g, i) : fd_log_ring_at(g, from);
}

void fd_log_catch_up(const struct fd_log *g, double version, const double *b, double *out)
{
    assert(version >= FD_NEVER && version <= fd_log_version(g->n));
    double x[FD_LOG_MAX_DIM + 4], y[FD_LOG_MAX_DIM + 4];
    uint64_t v = version == FD_NEVER ? g->n : (uint64_t)version - 1;
    const double *now = b;
    for (double *next = x; v < g->n; next = now == x ? y : x) {
        fd_log_apply(g->dim, g->ld, fd_log_stretch(g, &v), 1, now, next);
        now = next;
    }
    if (out != now) memcpy(out, now, g->dim * sizeof *b);
}

void fd_log_pull(const struct fd_log *g, double version, const double *q, double *out)
{
    assert(version > FD_NEVER && version <= fd_log_version(g->n));
    const double *map[2 * FD_LOG_LEVELS]; /* at most two of each low level */
    double x[FD_LOG_MAX_DIM];
    uint32_t maps = 0;
    for (uint64_t v = (uint64_t)version - 1; v < g->n; maps++)
        map[maps] = fd_log_stretch(g, &v);
    memcpy(out, q, g->dim * sizeof *q);
    while (maps--) {
        memcpy(x, out, g->dim * sizeof *x);
        multiply_vector_n(g->dim, g->dim, 1, map[maps], g->ld, x, false, out);
    }
}

void fd_log_prefetch(const struct fd_log *g, double version)
{
    if (version <= FD_NEVER || version >= fd_log_version(g->n)) return;
    const char *map = (const char *)fd_log_ring_at(g, (uint64_t)version - 1);
    for (size_t k = 0; k < fd_log_map_size(g->dim) * sizeof(double); k += 64)
        __builtin_prefetch(map + k);
}

/* Returns the product of all maps from map v on. Requires v < n. */
static const double *fd_log_whole_from(struct fd_log *g, uint64_t v)
{
    const double *now = fd_log_stretch(g, &v);
    for (double *next = g->whole; v < g->n; next = now == g->whole ? g->part : g->whole) {
        fd_log_product(g, fd_log_stretch(g, &v), now, next);
        now = next;
    }
    return now;
}

static bool fd_log_is_behind(const struct fd_log *g, const double *column)
{
    return column[g->dim] > FD_NEVER && column[g->dim] < fd_log_version(g->n);
}

/* Returns the version of the first outdated column if enough columns have this version,
 * else FD_NEVER. */
static double fd_log_common_version(const struct fd_log *g, const double *row, uint32_t stride,
                                    uint32_t count)
{
    double common = FD_NEVER;
    uint32_t alike = 0;
    for (uint32_t j = 0; j < count; j++) {
        const double *column = row + (size_t)j * stride;
        if (common == FD_NEVER && fd_log_is_behind(g, column)) common = column[g->dim];
        alike += common != FD_NEVER && column[g->dim] == common;
    }
    return alike >= MIN_ALIKE ? common : FD_NEVER;
}

/* Brings `count` columns of the sweep up to date. Most of them have the same version, because they
 * were last swept together. For these columns the maps are multiplied first. */
static void fd_log_sweep_step(struct fd_log *g, double *row, uint32_t stride, uint32_t count)
{
    double common = fd_log_common_version(g, row, stride, count), x[FD_LOG_MAX_DIM + 4];
    const double *whole = common == FD_NEVER ? NULL : fd_log_whole_from(g, (uint64_t)common - 1);
    for (uint32_t j = 0; j < count; j++) {
        double *column = row + (size_t)j * stride;
        if (!fd_log_is_behind(g, column)) continue;
        if (column[g->dim] == common) {
            fd_log_apply(g->dim, g->ld, whole, 1, column, x);
            memcpy(column, x, g->dim * sizeof *x);
        } else {
            fd_log_catch_up(g, column[g->dim], column, column);
        }
        column[g->dim] = fd_log_version(g->n);
    }
}

void fd_log_sweep(struct fd_log *g, double *row, uint32_t stride, uint32_t columns)
{
    if (g->next >= g->end) {
        uint32_t horizon = fd_log_horizon_of(g->dim, columns);
        g->next = 0;
        g->end = columns;
        g->step = columns / horizon + (columns % horizon > 0);
        while (g->ring < fd_log_ring_of(g->dim, columns))
            fd_log_double_ring(g);
        assert(g->ring <= g->max_ring);
    }
    uint32_t count = g->end - g->next < g->step ? g->end - g->next : g->step;
    fd_log_sweep_step(g, row + (size_t)g->next * stride, stride, count);
    g->next += count;
}
