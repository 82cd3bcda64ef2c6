/* fd_weights.c -- implementation of fd_weights.h
 *
 * The vectors q of the last versions are kept in f->fresh, at the version modulo FD_FRESH. */
#include "fd_weights.h"

#include <assert.h>
#include <string.h>

#include "kernels/dense/vectors.h"

struct fd_weights {
    const struct fd *f;
    double q[FD_LOG_MAX_DIM]; /* (c, 1) for the rows that shrinks keep           */
    double version[FD_FRESH]; /* version of each vector in f->fresh; -1 for none */
};

static void fd_weights_begin(struct fd_weights *s, const struct fd *f, const double *c)
{
    uint32_t have = f->rows < f->kept ? f->rows : f->kept;
    s->f = f;
    memset(s->q, 0, f->dim * sizeof *s->q);
    memcpy(s->q, c, have * sizeof *c);
    s->q[f->opt.m - 1] = 1;
    for (uint32_t i = 0; i < FD_FRESH; i++)
        s->version[i] = -1;
}

/* Returns the vector q for columns of a version. */
static const double *fd_weights_of(struct fd_weights *s, double version)
{
    uint32_t i = (uint32_t)((uint64_t)version % FD_FRESH);
    double *q = s->f->fresh + (size_t)i * s->f->dim;
    if (s->version[i] != version) fd_log_pull(&s->f->log, version, s->q, q);
    s->version[i] = version;
    return q;
}

/* Returns the weight of a feature that has a slot. */
static double fd_weights_in_slot(const struct fd *f, const double *row, uint32_t row_stride,
                                 uint32_t feature, const double *c)
{
    double u, *column = f->lambda;
    fd_column(f, row, row_stride, feature, column, &u);
    return u + vectors_dot(f->rows, c, column);
}

void fd_weights(const struct fd *f, const double *row, uint32_t row_stride, uint32_t from,
                uint32_t n, const double *c, double *w)
{
    struct fd_weights s;
    assert(f->opt.weights);
    fd_weights_begin(&s, f, c);
    for (uint32_t i = 0; i < n; i++) {
        const double *column = row + (size_t)(from + i) * row_stride + f->opt.offset;
        double version = column[f->dim];
        if (version < 0)
            w[i] = fd_weights_in_slot(f, row, row_stride, from + i, c);
        else if (version == FD_NEVER)
            w[i] = 0;
        else
            w[i] = vectors_dot(f->dim, fd_weights_of(&s, version), column);
    }
}
