/* wide.h -- loops over numbers in vectors as wide as the machine allows.
 *
 * The compiler makes several versions of a WIDE function, and the program's start chooses the one
 * for its processor. No sum is reordered and nothing is contracted, so all versions give the same
 * bits. A function that a WIDE function calls is wide only if it is WIDE_INLINE. Inner loops run
 * over four numbers, or a constant number, which compilers turn into vectors. */
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
