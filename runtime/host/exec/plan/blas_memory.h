/* blas_memory.h -- the memory in which OpenBLAS multiplies matrices, where addresses are limited.
 *
 * It maps 128 MB for each thread that is in a product, keeps them for the next one, and where the
 * system gives none it tries for ever. So under a limit (ulimit -v) they are mapped before stages
 * take what is left, or it is said that there is no room. Without a limit nothing is done. */
#ifndef LEAT_HOST_EXEC_PLAN_BLAS_MEMORY_H
#define LEAT_HOST_EXEC_PLAN_BLAS_MEMORY_H

#include <stdint.h>

/* What so many threads still need; 0: the process does not use OpenBLAS, or has it. */
uint64_t blas_memory_needed(uint32_t threads);
/* Maps that; the limit leaves it. One thread at a time. */
void blas_memory_map(uint32_t threads);

#endif
