/* heap.h -- binary heaps in arrays, of any type and order.
 *
 *     #define heavier(w, a, b) ((w)[a] > (w)[b])
 *     HEAP(heaviest, uint32_t, const float *, heavier)
 *
 * defines heaviest_sift_up(w, heap, i) and heaviest_sift_down(w, heap, n, i). BEFORE(context, a, b)
 * is true if a must be nearer to the root, heap[0], than b. Call one of the functions if element i
 * may be out of order and all others are in order: sift_up moves the element towards the root,
 * sift_down away from the root. Both take O(log n) and allocate nothing. */
#ifndef LEAT_CORE_HEAP_H
#define LEAT_CORE_HEAP_H

#include <stdint.h>

/* Suppresses the warning if a file uses only one of the two functions. */
#define HEAP_MAY_BE_UNUSED __attribute__((unused))

#define HEAP(NAME, TYPE, CONTEXT, BEFORE)                                                          \
    HEAP_MAY_BE_UNUSED                                                                             \
    static inline void NAME##_sift_up(CONTEXT context, TYPE *heap, uint32_t i)                     \
    {                                                                                              \
        TYPE v = heap[i];                                                                          \
        for (uint32_t up; i && BEFORE(context, v, heap[up = (i - 1) / 2]); i = up)                 \
            heap[i] = heap[up];                                                                    \
        heap[i] = v;                                                                               \
    }                                                                                              \
    HEAP_MAY_BE_UNUSED                                                                             \
    static inline void NAME##_sift_down(CONTEXT context, TYPE *heap, uint32_t n, uint32_t i)       \
    {                                                                                              \
        TYPE v = heap[i];                                                                          \
        for (uint32_t k; (k = 2 * i + 1) < n; i = k) {                                             \
            if (k + 1 < n && BEFORE(context, heap[k + 1], heap[k])) k++;                           \
            if (!(BEFORE(context, heap[k], v))) break;                                             \
            heap[i] = heap[k];                                                                     \
        }                                                                                          \
        heap[i] = v;                                                                               \
    }

#endif
