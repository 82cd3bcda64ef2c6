/* csr.h -- norms of one sparse row, whose values are contiguous. */
#ifndef LEAT_KERNELS_BASE_CSR_H
#define LEAT_KERNELS_BASE_CSR_H

#include <stddef.h>

enum csr_norm { CSR_L1, CSR_L2, CSR_MAX };

/* ||v||_1, ||v||_2 or ||v||_inf of n finite values. Summed in doubles, in order: no overflow. */
double csr_norm(size_t n, const float *v, enum csr_norm norm);

/* v /= norm(v), with one rounding for each value. The results are within [-1, 1]. A row of zeros
 * stays as it is. */
void csr_normalize(size_t n, float *v, enum csr_norm norm);

#endif
