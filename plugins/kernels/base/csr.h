/* csr.h -- small things done to one sparse row: its values, contiguous. */
#ifndef LEAT_KERNELS_BASE_CSR_H
#define LEAT_KERNELS_BASE_CSR_H

#include <stddef.h>

enum csr_norm { CSR_L1, CSR_L2, CSR_MAX };

/* ||v||_1, ||v||_2 or ||v||_inf of v[n], finite: summed in double in order, so it cannot overflow.
 */
double csr_norm(size_t n, const float *v, enum csr_norm norm);

/* v /= norm(v), one rounding a value. A row of zeros stays one. Values stay within [-1, 1]. */
void csr_normalize(size_t n, float *v, enum csr_norm norm);

#endif
