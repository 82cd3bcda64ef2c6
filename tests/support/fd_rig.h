/* fd_rig.h -- a sketch whose rows grow with the features, and its eager dense twin. */
#ifndef LEAT_TESTS_SUPPORT_FD_RIG_H
#define LEAT_TESTS_SUPPORT_FD_RIG_H

#include "kernels/fd/fd.h"

struct fd_rig {
    struct fd f;
    void *block;
    double *row;     /* capacity x stride */
    uint32_t stride; /* more than the sketch needs: offset 2, and 1 unused at the end */
    uint32_t known, capacity;
    uint32_t *at;
    double *p;
    double lost_one; /* error of the last shrink */
};

struct fd_rig *fd_rig_new(struct fd_options opt);
/* features, touched: arguments of fd_block_bytes(). */
struct fd_rig *fd_rig_new_for(struct fd_options opt, uint32_t features, uint32_t touched);
void fd_rig_free(struct fd_rig *t);
/* Makes features known, up to the largest one here. Rows move if there are more. */
void fd_rig_touch(struct fd_rig *t, uint32_t n, const uint32_t *feature);
/* Touches, projects, and appends scale * x. Returns |B x|^2 as it was before. */
double fd_rig_append(struct fd_rig *t, uint32_t n, const uint32_t *feature, const double *x,
                     double scale);
/* Does the same, and shrinks a full sketch. */
double fd_rig_row(struct fd_rig *t, uint32_t n, const uint32_t *feature, const double *x,
                  double scale);
/* c: NULL for zeros. */
void fd_rig_shrink(struct fd_rig *t, const double *c);
/* Returns B of d features, rows x d; the caller frees it. u may be NULL. */
double *fd_rig_dense(const struct fd_rig *t, uint32_t d, double *u);

/* The papers' algorithm on a dense matrix. LAPACK solves the eigenproblem at every shrink. */
struct fd_dense {
    uint32_t m, buffer, warm, d, rows;
    uint64_t shrinks;
    double *b, *fresh; /* (m - 1 + buffer) x d */
    double *u;         /* d */
    double lost;
};

struct fd_dense *fd_dense_new(struct fd_options opt, uint32_t d);
void fd_dense_free(struct fd_dense *o);
void fd_dense_append(struct fd_dense *o, const double *x);
bool fd_dense_full(const struct fd_dense *o);
/* c: NULL for zeros. */
void fd_dense_shrink(struct fd_dense *o, const double *c);

/* Adds sign * A'A to E; A is n x d. */
void fd_add_square(uint32_t n, uint32_t d, const double *a, double sign, double *e);
/* Finds the eigenvalues of a symmetric matrix, ascending. Does not change the matrix. */
void fd_spectrum(uint32_t d, const double *e, double *lambda);

/* Returns the larger of two; NaN if either is NaN. */
static inline double fd_larger(double a, double b) { return a != a || a >= b ? a : b; }
uint64_t fd_random(uint64_t *s);
double fd_normal(uint64_t *s);

#endif
