/* fd_rig.c -- implementation of fd_rig.h. */
#include "fd_rig.h"
#include "zeroed.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FEATURES = 8192, TOUCHED = 2048 };

struct fd_rig *fd_rig_new(struct fd_options opt) { return fd_rig_new_for(opt, FEATURES, TOUCHED); }

struct fd_rig *fd_rig_new_for(struct fd_options opt, uint32_t features, uint32_t touched)
{
    struct fd_rig *t = zeroed(sizeof *t);
    opt.offset = 2;
    t->capacity = features;
    t->stride = fd_stride(&opt) + 3;
    t->row = zeroed((size_t)features * t->stride * 8);
    t->block = zeroed(fd_block_bytes(&opt, features, touched));
    t->p = zeroed(fd_max_rows(&opt) * 8);
    fd_init(&t->f, &opt, features, touched, t->block);
    return t;
}

void fd_rig_free(struct fd_rig *t)
{
    free(t->row);
    free(t->block);
    free(t->p);
    free(t->at);
    free(t);
}

static void grow_rows(struct fd_rig *t, uint32_t features)
{
    double *row = zeroed((size_t)features * t->stride * 8);
    memcpy(row, t->row, (size_t)t->known * t->stride * 8);
    free(t->row);
    t->row = row;
    t->capacity = features;
}

void fd_rig_touch(struct fd_rig *t, uint32_t n, const uint32_t *feature)
{
    uint32_t most = t->known;
    for (uint32_t i = 0; i < n; i++)
        if (feature[i] >= most) most = feature[i] + 1;
    if (most > t->capacity) grow_rows(t, 2 * most);
    t->known = most;
    free(t->at);
    t->at = zeroed(n * sizeof *t->at);
    fd_touch(&t->f, t->row, t->stride, t->known, n, feature, t->at);
}

void fd_rig_shrink(struct fd_rig *t, const double *c)
{
    double *zeros = zeroed(fd_max_rows(&t->f.opt) * 8);
    t->lost_one = fd_shrink(&t->f, t->row, t->stride, t->known, c ? c : zeros);
    free(zeros);
}

double fd_rig_append(struct fd_rig *t, uint32_t n, const uint32_t *feature, const double *x,
                     double scale)
{
    double s = 0;
    fd_rig_touch(t, n, feature);
    fd_project(&t->f, n, t->at, x, t->p);
    for (uint32_t r = 0; r < t->f.rows; r++)
        s += t->p[r] * t->p[r];
    fd_append(&t->f, n, t->at, x, scale, t->p, fd_square(&t->f, n, t->at, x));
    return s;
}

double fd_rig_row(struct fd_rig *t, uint32_t n, const uint32_t *feature, const double *x,
                  double scale)
{
    double s = fd_rig_append(t, n, feature, x, scale);
    if (fd_full(&t->f)) fd_rig_shrink(t, NULL);
    return s;
}

double *fd_rig_dense(const struct fd_rig *t, uint32_t d, double *u)
{
    uint32_t rows = t->f.rows;
    double *b = zeroed((size_t)rows * d * 8 + 8), *column = zeroed(rows * 8 + 8);
    for (uint32_t j = 0; j < d && j < t->known; j++) {
        fd_column(&t->f, t->row, t->stride, j, column, u ? &u[j] : NULL);
        for (uint32_t r = 0; r < rows; r++)
            b[(size_t)r * d + j] = column[r];
    }
    free(column);
    return b;
}

/* ---- the eager twin ---- */

struct fd_dense *fd_dense_new(struct fd_options opt, uint32_t d)
{
    struct fd_dense *o = zeroed(sizeof *o);
    *o = (struct fd_dense){
        .m = opt.m, .buffer = opt.buffer ? opt.buffer : opt.m + 1, .warm = opt.warm, .d = d};
    o->b = zeroed((size_t)(o->m - 1 + o->buffer) * d * 8);
    o->fresh = zeroed((size_t)(o->m - 1 + o->buffer) * d * 8);
    o->u = zeroed((size_t)d * 8);
    return o;
}

void fd_dense_free(struct fd_dense *o)
{
    free(o->b);
    free(o->fresh);
    free(o->u);
    free(o);
}

void fd_dense_shrink(struct fd_dense *o, const double *c)
{
    uint32_t n = o->rows, d = o->d, rank = 0, kept;
    double *g = zeroed((size_t)n * n * 8), *lambda = zeroed(n * 8), *w = zeroed((size_t)n * n * 8);
    int k = (int)n, e = (int)d;
    if (c && n) cblas_dgemv(CblasRowMajor, CblasTrans, k, e, 1, o->b, e, c, 1, 1, o->u, 1);
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, k, k, e, 1, o->b, e, o->b, e, 0, g, k);
    LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'V', 'U', k, g, k, lambda); /* vectors in columns, ascending */
    while (rank < n && lambda[n - 1 - rank] > 1e-14 * lambda[n - 1])
        rank++;
    double delta = rank >= o->m ? lambda[n - o->m] : 0;
    kept = rank < o->m ? rank : o->m - 1;
    for (uint32_t i = 0; i < kept; i++)
        for (uint32_t r = 0; r < n; r++)
            w[i * n + r] = sqrt(1 - delta / lambda[n - 1 - i]) * g[r * n + n - 1 - i];
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)kept, e, k, 1, w, k, o->b, e, 0,
                o->fresh, e);
    memcpy(o->b, o->fresh, (size_t)kept * d * 8);
    o->rows = kept;
    o->lost += delta;
    o->shrinks++;
    free(g), free(lambda), free(w);
}

void fd_dense_append(struct fd_dense *o, const double *x)
{
    memcpy(o->b + (size_t)o->rows++ * o->d, x, o->d * 8);
}

bool fd_dense_full(const struct fd_dense *o)
{
    return o->rows == o->m - 1 + (o->shrinks < o->warm ? 1 : o->buffer);
}

/* ---- matrices, numbers ---- */

void fd_add_square(uint32_t n, uint32_t d, const double *a, double sign, double *e)
{
    if (n)
        cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (int)d, (int)d, (int)n, sign, a,
                    (int)d, a, (int)d, 1, e, (int)d);
}

void fd_spectrum(uint32_t d, const double *e, double *lambda)
{
    double *copy = zeroed((size_t)d * d * 8);
    memcpy(copy, e, (size_t)d * d * 8);
    LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'N', 'U', (int)d, copy, (int)d, lambda);
    free(copy);
}

uint64_t fd_random(uint64_t *s) /* splitmix64 */
{
    uint64_t z = *s += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

double fd_normal(uint64_t *s) /* Box and Muller */
{
    double a = ((double)(fd_random(s) >> 11) + 1) * 0x1p-53;
    return sqrt(-2 * log(a)) * cos(6.283185307179586 * (double)(fd_random(s) >> 11) * 0x1p-53);
}
