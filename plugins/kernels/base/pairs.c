/* pairs.c -- the heaviest pairs; see pairs.h. */
#include "pairs.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "core/heap.h"

static bool outranks(const struct pair *x, const struct pair *y)
{
    double wx = fabs(x->weight), wy = fabs(y->weight);
    if (wx != wy) return wx > wy;
    return x->a != y->a ? x->a < y->a : x->b < y->b;
}

/* The lightest of those kept at the root. */
#define LIGHTEST_FIRST(none, x, y) outranks(&(y), &(x))
HEAP(kept, struct pair, const void *, LIGHTEST_FIRST)

void pairs_offer(struct pairs *p, uint32_t a, uint32_t b, double weight)
{
    struct pair v = {a, b, weight};
    if (p->n < p->k) {
        p->heap[p->n] = v;
        kept_sift_up(NULL, p->heap, p->n++);
    } else if (p->k && outranks(&v, &p->heap[0])) {
        p->heap[0] = v;
        kept_sift_down(NULL, p->heap, p->n, 0);
    }
}

static int heaviest_first(const void *x, const void *y) { return outranks(x, y) ? -1 : 1; }

void pairs_sort(struct pairs *p) { qsort(p->heap, p->n, sizeof *p->heap, heaviest_first); }
