/* wm_theorem.c -- see wm_theorem.h. */
#include "wm_theorem.h"

#include <assert.h>
#include <math.h>

#include "kernels/base/loss.h"

struct wm_theorem_shape wm_theorem_shape(const struct wm_theorem *t)
{
    assert(t->epsilon > 0 && t->delta > 0 && t->lambda > 0 && t->features >= 1 && t->norm > 0);
    double square = t->epsilon * t->epsilon, log = loss_log(t->features / t->delta);
    double steep = fmax(1, t->norm * t->norm / t->lambda); /* beta gamma^2 / lambda */
    double k = log * log * log * steep * steep / (square * square);
    double s = fmax(1, log * log * steep / square);
    return (struct wm_theorem_shape){.rows = ceil(s), .width = ceil(k / s)};
}
