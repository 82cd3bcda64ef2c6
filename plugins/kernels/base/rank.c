/* rank.c -- implementation of rank.h. */
#include "rank.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "core/heap.h"

static bool outranks(const float *w, uint32_t a, uint32_t b)
{
    float wa = fabsf(w[a]), wb = fabsf(w[b]);
    return wa != wb ? wa > wb : a < b;
}

/* Heap of the indices kept so far. The root has the smallest |w|. */
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

/* ---- pairs ---- */

static bool pair_outranks(const struct pair *x, const struct pair *y)
{
    double wx = fabs(x->weight), wy = fabs(y->weight);
    if (wx != wy) return wx > wy;
    return x->a != y->a ? x->a < y->a : x->b < y->b;
}

/* Heap of the pairs kept so far. The root has the smallest |weight|. */
#define LIGHTEST_PAIR(none, x, y) pair_outranks(&(y), &(x))
HEAP(pairs, struct pair, const void *, LIGHTEST_PAIR)

void pairs_offer(struct pairs *p, uint32_t a, uint32_t b, double weight)
{
    struct pair v = {a, b, weight};
    if (p->n < p->k) {
        p->heap[p->n] = v;
        pairs_sift_up(NULL, p->heap, p->n++);
    } else if (p->k && pair_outranks(&v, &p->heap[0])) {
        p->heap[0] = v;
        pairs_sift_down(NULL, p->heap, p->n, 0);
    }
}

static int heaviest_first(const void *x, const void *y) { return pair_outranks(x, y) ? -1 : 1; }

void pairs_sort(struct pairs *p) { qsort(p->heap, p->n, sizeof *p->heap, heaviest_first); }
