/* rank.c -- the heaviest of many weights; see rank.h. */
#include "rank.h"

#include <math.h>
#include <stdbool.h>

#include "core/heap.h"

static bool outranks(const float *w, uint32_t a, uint32_t b)
{
    float wa = fabsf(w[a]), wb = fabsf(w[b]);
    return wa != wb ? wa > wb : a < b;
}

/* The lightest of those kept is at the root. */
#define LIGHTEST_FIRST(w, a, b) outranks(w, b, a)
HEAP(kept, uint32_t, const float *, LIGHTEST_FIRST)

uint32_t rank_heaviest(uint32_t n, const float *w, const uint32_t *count, uint32_t min_count,
                       uint32_t k, uint32_t *top)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < n && k; i++) {
        if (count && (uint64_t)count[2 * i] + count[2 * i + 1] < min_count) continue;
        if (kept < k) {
            top[kept] = i;
            kept_sift_up(w, top, kept++);
        } else if (outranks(w, i, top[0])) {
            top[0] = i;
            kept_sift_down(w, top, kept, 0);
        }
    }
    for (uint32_t m = kept; m > 1; m--) {
        uint32_t worst = top[0];
        top[0] = top[m - 1];
        top[m - 1] = worst;
        kept_sift_down(w, top, m - 1, 0);
    }
    return kept;
}
