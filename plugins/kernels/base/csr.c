/* csr.c -- norms of sparse rows; see csr.h.
 *
 * Squares of floats lie in 2^-298 .. 2^256, so their sums in doubles neither overflow nor
 * underflow. Unlike a routine for doubles, this one needs no pass that scales. */
#include "csr.h"

#include <math.h>

double csr_norm(size_t n, const float *v, enum csr_norm norm)
{
    double sum = 0.0;
    for (size_t i = 0; i < n; i++) {
        double a = fabs((double)v[i]);
        if (norm == CSR_MAX)
            sum = a > sum ? a : sum;
        else
            sum += norm == CSR_L2 ? a * a : a;
    }
    return norm == CSR_L2 ? sqrt(sum) : sum;
}

void csr_normalize(size_t n, float *v, enum csr_norm norm)
{
    double length = csr_norm(n, v, norm);
    if (!(length > 0.0)) return;
    for (size_t i = 0; i < n; i++)
        v[i] = (float)((double)v[i] / length);
}
