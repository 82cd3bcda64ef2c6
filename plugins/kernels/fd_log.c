/* fd_log.c -- see fd_log.h. */
#include "plugins/kernels/fd_log.h"

#include <cblas.h>
#include <string.h>

enum { COLUMNS_PER_HORIZON = 8, ALIKE = 8 };

/* The smallest power of two that is not below columns / (8 (dim + 1)). */
uint32_t fd_log_horizon(uint32_t dim, uint32_t columns)
{
    uint64_t share = (uint64_t)COLUMNS_PER_HORIZON * (dim + 1);
    uint32_t horizon = 1;
    while (horizon * share < columns)
        horizon *= 2;
    return horizon;
}

static size_t map_size(const struct fd_log *g) { return (size_t)g->dim * g->ld; }

void fd_log_lay_out(struct fd_log *g, struct carver *c, uint32_t dim, uint32_t columns)
{
    *g = (struct fd_log){.dim = dim, .ld = (dim + 3) & ~3u, .span = fd_log_horizon(dim, columns)};
    for (uint32_t block = 1; block <= g->span; block *= 2)
        g->level[g->levels++] = carve(c, (size_t)2 * (g->span / block), map_size(g) * 8);
    g->whole = carve(c, map_size(g), 8);
    g->part = carve(c, map_size(g), 8);
}

/* Block i of level l: where it is kept as long as it is one of the last. */
static double *block_at(const struct fd_log *g, uint32_t l, uint64_t i)
{
    return g->level[l] + (i & ((2 * g->span >> l) - 1)) * map_size(g);
}

void fd_log_move(struct fd_log *g, const struct fd_log *old)
{
    g->n = old->n;
    g->next = old->next, g->end = old->end, g->step = old->step;
    for (uint32_t l = 0; l < old->levels; l++) {
        uint64_t done = g->n >> l, ring = 2 * old->span >> l;
        for (uint64_t i = done > ring ? done - ring : 0; i < done; i++)
            memcpy(block_at(g, l, i), block_at(old, l, i), map_size(g) * sizeof(double));
    }
}

double *fd_log_map(const struct fd_log *g, uint64_t k) { return block_at(g, 0, k); }

double *fd_log_next(struct fd_log *g) { return block_at(g, 0, g->n); }

/* out = b a: first a, then b. */
static void product(const struct fd_log *g, const double *b, const double *a, double *out)
{
    int n = (int)g->dim, ld = (int)g->ld;
    if (n)
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, b, ld, a, ld, 0, out,
                    ld);
}

void fd_log_push(struct fd_log *g)
{
    g->n++;
    for (uint32_t l = 0; l + 1 < g->levels && !(g->n >> l & 1); l++) {
        uint64_t i = (g->n >> l) - 1;
        product(g, block_at(g, l, i), block_at(g, l, i - 1), block_at(g, l + 1, i / 2));
    }
}

void fd_log_load(struct fd_log *g, uint64_t n, uint32_t maps, const double *ring)
{
    uint64_t have = n < maps ? n : maps;
    g->n = n - (have < 2 * g->span ? have : 2 * g->span);
    while (g->n < n) {
        memcpy(fd_log_next(g), ring + (g->n & (maps - 1)) * map_size(g),
               map_size(g) * sizeof *ring);
        fd_log_push(g);
    }
}

/* The largest block that begins at v and is complete; v < n. */
static uint32_t level_from(const struct fd_log *g, uint64_t v)
{
    uint32_t l = 0;
    while (l + 1 < g->levels && !(v >> l & 1) && v + ((uint64_t)2 << l) <= g->n)
        l++;
    return l;
}

/* out = map b, both padded to ld; in fours, which compilers keep in registers. */
static void apply(const struct fd_log *g, const double *map, const double *b, double *out)
{
    for (uint32_t i = 0; i < g->ld; i += 4) {
        double s[4] = {0};
        for (uint32_t j = 0; j < g->dim; j++)
            for (int k = 0; k < 4; k++)
                s[k] += b[j] * map[(size_t)j * g->ld + i + (uint32_t)k];
        memcpy(out + i, s, sizeof s);
    }
}

void fd_log_catch_up(const struct fd_log *g, uint64_t v, const double *b, double *out)
{
    double x[FD_LOG_MAX_DIM + 4], y[FD_LOG_MAX_DIM + 4];
    double *now = x, *then = y;
    memcpy(now, b, g->dim * sizeof *b);
    while (v < g->n) {
        uint32_t l = level_from(g, v);
        apply(g, block_at(g, l, v >> l), now, then);
        double *swap = now;
        now = then, then = swap;
        v += (uint64_t)1 << l;
    }
    memcpy(out, now, g->dim * sizeof *b);
}

/* All maps from v on as one, v < n. */
static const double *whole_from(struct fd_log *g, uint64_t v)
{
    const double *now = NULL;
    while (v < g->n) {
        uint32_t l = level_from(g, v);
        const double *block = block_at(g, l, v >> l);
        double *out = now == g->whole ? g->part : g->whole;
        if (now) product(g, block, now, out);
        now = now ? out : block;
        v += (uint64_t)1 << l;
    }
    return now;
}

static bool behind(const struct fd_log *g, const double *column)
{
    return column[g->dim] > FD_NEVER && column[g->dim] < fd_log_stamp(g->n);
}

/* Most columns of a step were swept together the last time, or are in step with them; for those the
 * maps are multiplied first. */
static void sweep_step(struct fd_log *g, double *row, uint32_t stride, uint32_t count)
{
    double common = FD_NEVER, x[FD_LOG_MAX_DIM + 4];
    uint32_t alike = 0;
    for (uint32_t j = 0; j < count; j++) {
        const double *column = row + (size_t)j * stride;
        if (common == FD_NEVER && behind(g, column)) common = column[g->dim];
        alike += common != FD_NEVER && column[g->dim] == common;
    }
    const double *whole = alike >= ALIKE ? whole_from(g, (uint64_t)common - 1) : NULL;
    for (uint32_t j = 0; j < count; j++) {
        double *column = row + (size_t)j * stride;
        if (!behind(g, column)) continue;
        if (whole && column[g->dim] == common) {
            apply(g, whole, column, x);
            memcpy(column, x, g->dim * sizeof *x);
        } else {
            fd_log_catch_up(g, (uint64_t)column[g->dim] - 1, column, column);
        }
        column[g->dim] = fd_log_stamp(g->n);
    }
}

void fd_log_sweep(struct fd_log *g, double *row, uint32_t stride, uint32_t columns)
{
    if (g->next >= g->end) {
        uint32_t horizon = fd_log_horizon(g->dim, columns);
        g->next = 0;
        g->end = columns;
        g->step = columns / horizon + (columns % horizon > 0);
    }
    uint32_t count = g->end - g->next < g->step ? g->end - g->next : g->step;
    sweep_step(g, row + (size_t)g->next * stride, stride, count);
    g->next += count;
}
