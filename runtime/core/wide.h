/* wide.h -- loops over numbers in vectors as wide as the machine allows.
 *
 * The compiler makes several versions of a WIDE function, and the loader chooses the version for
 * the processor. Compilation without contraction and without reordering of sums makes all versions
 * give the same bits. Functions that a WIDE function calls must be WIDE_INLINE to be vectorised,
 * too. Inner loops should run over a constant number of elements, such as four, which compilers
 * turn into vectors. */
#ifndef LEAT_CORE_WIDE_H
#define LEAT_CORE_WIDE_H

#if defined(__x86_64__) && defined(__GLIBC__) && !defined(__SANITIZE_THREAD__) &&                  \
    !defined(__SANITIZE_ADDRESS__)
#define WIDE __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define WIDE
#endif
#define WIDE_INLINE static inline __attribute__((always_inline))

#endif
