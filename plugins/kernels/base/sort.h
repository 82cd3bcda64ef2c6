/* sort.h -- in-place sort of any type and order, without the allocations and calls of qsort().
 *
 *     #define nearer(a, b) ((a).distance < (b).distance)
 *     SORT(by_distance, struct place, nearer)
 *
 * defines by_distance_sort(v, n). BEFORE(a, b) is a strict order: true if a must stand before b.
 * The sort is not stable.
 *
 * Introsort: Quicksort whose pivot is the median of the first, the middle and the last element.
 * Heapsort sorts a part that remains after 2 log2 n nested divisions. Insertion sort sorts parts of
 * up to SORT_SMALL elements. Takes O(n log n) time for any input, even if most elements are equal:
 * if no element stands before the pivot, all elements equal to the pivot are put in place at once.
 * The division has no branch that depends on the elements.
 *
 * Source: D. Musser, Introspective sorting and selection algorithms, Software: Practice and
 * Experience 27, 1997; the division is N. Lomuto's. */
#ifndef LEAT_KERNELS_BASE_SORT_H
#define LEAT_KERNELS_BASE_SORT_H

#include <stdint.h>

#include "core/heap.h"

enum { SORT_SMALL = 16 };

/* Defines the parts of a sort. */
#define SORT_PARTS(NAME, TYPE, BEFORE)                                                             \
    SORT_HEAP(NAME, TYPE, BEFORE)                                                                  \
    SORT_DIVISION(NAME, TYPE, BEFORE)                                                              \
    /* Sorts v[0 .. n) with at most `divisions` nested divisions, then with heapsort. */           \
    static inline void NAME##_sort_part(TYPE *v, uint32_t n, int divisions)                        \
    {                                                                                              \
        for (; n > SORT_SMALL && divisions; divisions--) {                                         \
            TYPE pivot = NAME##_median(v[0], v[n / 2], v[n - 1]);                                  \
            uint32_t less = NAME##_divide(v, n, pivot);                                            \
            if (less)                                                                              \
                NAME##_sort_part(v, less, divisions - 1);                                          \
            else                                                                                   \
                less = NAME##_divide_after(v, n, pivot);                                           \
            v += less;                                                                             \
            n -= less;                                                                             \
        }                                                                                          \
        if (n > SORT_SMALL)                                                                        \
            NAME##_sort_by_heap(v, n);                                                             \
        else                                                                                       \
            NAME##_insert(v, n);                                                                   \
    }

#define SORT(NAME, TYPE, BEFORE)                                                                   \
    SORT_PARTS(NAME, TYPE, BEFORE)                                                                 \
    static inline void NAME##_sort(TYPE *v, uint32_t n)                                            \
    {                                                                                              \
        NAME##_sort_part(v, n, n > SORT_SMALL ? 2 * (31 - __builtin_clz(n)) : 0);                  \
    }

/* Defines NAME_select(v, n, k): reorders v[0 .. n), and returns the element that a sort would put
 * at k < n. Needs SORT_PARTS(NAME, TYPE, …) or SORT(). Takes O(n) time on average, O(n log n) at
 * most. */
#define SELECT(NAME, TYPE)                                                                         \
    static inline TYPE NAME##_select(TYPE *v, uint32_t n, uint32_t k)                              \
    {                                                                                              \
        for (int divisions = 2 * (31 - __builtin_clz(n)); n > SORT_SMALL && divisions;             \
             divisions--) {                                                                        \
            TYPE pivot = NAME##_median(v[0], v[n / 2], v[n - 1]);                                  \
            uint32_t less = NAME##_divide(v, n, pivot);                                            \
            if (!less) {                                                                           \
                less = NAME##_divide_after(v, n, pivot);                                           \
                if (k < less) return pivot;                                                        \
            }                                                                                      \
            v += k < less ? 0 : less;                                                              \
            n = k < less ? less : n - less;                                                        \
            k -= k < less ? 0 : less;                                                              \
        }                                                                                          \
        NAME##_sort_part(v, n, 0);                                                                 \
        return v[k];                                                                               \
    }

/* Defines a heapsort, for parts that Quicksort does not shrink, and an insertion sort, for parts of
 * up to SORT_SMALL elements. */
#define SORT_HEAP(NAME, TYPE, BEFORE)                                                              \
    static inline int NAME##_after(const TYPE *none, TYPE a, TYPE b)                               \
    {                                                                                              \
        (void)none;                                                                                \
        return BEFORE(b, a);                                                                       \
    }                                                                                              \
    HEAP(NAME##_last, TYPE, const TYPE *, NAME##_after)                                            \
    static inline void NAME##_sort_by_heap(TYPE *v, uint32_t n)                                    \
    {                                                                                              \
        for (uint32_t i = n / 2; i--;)                                                             \
            NAME##_last_sift_down(v, v, n, i);                                                     \
        while (n-- > 1) {                                                                          \
            TYPE last = v[0];                                                                      \
            v[0] = v[n];                                                                           \
            v[n] = last;                                                                           \
            NAME##_last_sift_down(v, v, n, 0);                                                     \
        }                                                                                          \
    }                                                                                              \
    static inline void NAME##_insert(TYPE *v, uint32_t n)                                          \
    {                                                                                              \
        for (uint32_t i = 1; i < n; i++) {                                                         \
            TYPE x = v[i];                                                                         \
            uint32_t j = i;                                                                        \
            for (; j && BEFORE(x, v[j - 1]); j--)                                                  \
                v[j] = v[j - 1];                                                                   \
            v[j] = x;                                                                              \
        }                                                                                          \
    }

/* Defines the median of three, and two divisions. NAME_divide() moves the elements before the pivot
 * to the front, and returns their number. */
#define SORT_DIVISION(NAME, TYPE, BEFORE)                                                          \
    static inline TYPE NAME##_median(TYPE a, TYPE b, TYPE c)                                       \
    {                                                                                              \
        if (BEFORE(b, a)) {                                                                        \
            TYPE t = a;                                                                            \
            a = b;                                                                                 \
            b = t;                                                                                 \
        }                                                                                          \
        return BEFORE(c, a) ? a : BEFORE(c, b) ? c : b;                                            \
    }                                                                                              \
    static inline uint32_t NAME##_divide(TYPE *v, uint32_t n, TYPE pivot)                          \
    {                                                                                              \
        uint32_t less = 0;                                                                         \
        for (uint32_t i = 0; i < n; i++) {                                                         \
            TYPE x = v[i];                                                                         \
            v[i] = v[less];                                                                        \
            v[less] = x;                                                                           \
            less += !!(BEFORE(x, pivot));                                                          \
        }                                                                                          \
        return less;                                                                               \
    }                                                                                              \
    /* Works like NAME_divide(), but also moves elements equal to the pivot to the front. */       \
    static inline uint32_t NAME##_divide_after(TYPE *v, uint32_t n, TYPE pivot)                    \
    {                                                                                              \
        uint32_t less = 0;                                                                         \
        for (uint32_t i = 0; i < n; i++) {                                                         \
            TYPE x = v[i];                                                                         \
            v[i] = v[less];                                                                        \
            v[less] = x;                                                                           \
            less += !(BEFORE(pivot, x));                                                           \
        }                                                                                          \
        return less;                                                                               \
    }

#endif
