/* test_wm_theorem.c -- the shape of theorem 1, against its formula computed by other means. */
#include "support/suite.h"

#include <math.h>

#include "kernels/linear/wm/wm.h"

START_TEST(rows_and_cells_are_those_of_the_formula)
{
    static const struct wm_theorem t[] = {{1, 0.05, 1, 100, 1},
                                          {0.1, 0.01, 1e-3, 1e6, 1},
                                          {0.5, 0.2, 10, 5000, 2},
                                          {0.02, 1e-6, 1e-6, 4294967296.0, 7}};
    for (int i = 0; i < 4; i++) {
        double g = log(t[i].features / t[i].delta);
        double steep = pow(t[i].norm, 2) / t[i].lambda > 1 ? pow(t[i].norm, 2) / t[i].lambda : 1;
        double k = pow(g, 3) * pow(steep, 2) / pow(t[i].epsilon, 4);
        double s = pow(g, 2) * steep / pow(t[i].epsilon, 2);
        struct wm_theorem_shape shape = wm_theorem_shape(&t[i]);
        ck_assert_double_le(fabs(shape.rows - s), 1 + 1e-9 * s);
        ck_assert_double_le(fabs(shape.width - k / s), 1 + 1e-9 * k / s);
        ck_assert(shape.rows == ceil(shape.rows) && shape.width == ceil(shape.width));
        ck_assert_double_ge(shape.rows * shape.width, k * (1 - 1e-9));
    }
}
END_TEST

START_TEST(half_the_error_takes_four_times_the_rows_and_sixteen_times_the_cells)
{
    struct wm_theorem t = {0.1, 0.05, 1e-4, 1e5, 1};
    struct wm_theorem_shape one = wm_theorem_shape(&t);
    t.epsilon /= 2;
    struct wm_theorem_shape half = wm_theorem_shape(&t);
    ck_assert_double_le(fabs(half.rows / one.rows - 4), 1e-6);
    ck_assert_double_le(fabs(half.rows * half.width / (one.rows * one.width) - 16), 1e-5);
}
END_TEST

LEAT_SUITE("wm theorem", rows_and_cells_are_those_of_the_formula,
           half_the_error_takes_four_times_the_rows_and_sixteen_times_the_cells)
