/* lanes.h -- four or eight doubles as one value, for WIDE functions (core/wide.h).
 *
 * Compilers keep these values in vector registers, or in several narrower ones. Each operation
 * rounds each number by itself, so all machines compute the same bits. Functions pass lanes by
 * pointers to doubles only, because their calling convention depends on the processor. */
#ifndef LEAT_KERNELS_DENSE_LANES_H
#define LEAT_KERNELS_DENSE_LANES_H

typedef double lanes2 __attribute__((vector_size(16), aligned(8), may_alias));
typedef double lanes4 __attribute__((vector_size(32), aligned(8), may_alias));
typedef double lanes8 __attribute__((vector_size(64), aligned(8), may_alias));

#endif
