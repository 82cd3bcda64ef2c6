/* test_fd_fold.c -- the map of a shrink. */
#include "support/suite.h"

#include <math.h>

#include "kernels/dense/eigen.h"
#include "kernels/fd/fd_fold.h"

START_TEST(the_example_of_the_header_is_what_happens)
{
    const double gram[] = {2, 0, 1, 2};
    double w[8], lambda[2], work[64] __attribute__((aligned(32)));
    ck_assert_uint_le(eigen_work(2), 64);
    struct fd_fold f = fd_fold(2, 2, gram, 2, w, 4, lambda, work);
    ck_assert_uint_eq(f.kept, 1);
    ck_assert_double_eq_tol(f.delta, 1, 1e-14);
    ck_assert_double_eq_tol(lambda[0], 2, 1e-14);
    ck_assert_double_eq_tol(w[0], w[1], 1e-14);
    ck_assert_double_eq_tol(fabs(w[0]), 0.577, 5e-4);
}
END_TEST

START_TEST(a_sketch_that_is_not_finite_keeps_no_row)
{
    const double gram[] = {2, 0, NAN, 2};
    double w[8], lambda[2], work[64] __attribute__((aligned(32)));
    struct fd_fold f = fd_fold(2, 2, gram, 2, w, 4, lambda, work);
    ck_assert_uint_eq(f.kept, 0);
    ck_assert(f.delta == 0);
}
END_TEST

LEAT_SUITE("fd_fold", the_example_of_the_header_is_what_happens,
           a_sketch_that_is_not_finite_keeps_no_row)
