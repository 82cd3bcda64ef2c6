/* pairs.c -- the heaviest pairs; see pairs.h. */
#include "pairs.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

static bool outranks(const struct pair *x, const struct pair *y)
{
    double wx = fabs(x->weight), wy = fabs(y->weight);
    if (wx != wy) return wx > wy;
    return x->a != y->a ? x->a < y->a : x->b < y->b;
}

static void sift_up(struct pairs *p, uint32_t i)
{
    struct pair v = p->heap[i];
    for (uint32_t up; i && outranks(&p->heap[up = (i - 1) / 2], &v); i = up)
        p->heap[i] = p->heap[up];
    p->heap[i] = v;
}

static void sift_down(struct pairs *p)
{
    struct pair v = p->heap[0];
    uint32_t i = 0;
    for (uint32_t k; (k = 2 * i + 1) < p->n; i = k) {
        if (k + 1 < p->n && outranks(&p->heap[k], &p->heap[k + 1])) k++;
        if (!outranks(&v, &p->heap[k])) break;
        p->heap[i] = p->heap[k];
    }
    p->heap[i] = v;
}

void pairs_offer(struct pairs *p, uint32_t a, uint32_t b, double weight)
{
    struct pair v = {a, b, weight};
    if (p->n < p->k) {
        p->heap[p->n] = v;
        sift_up(p, p->n++);
    } else if (p->k && outranks(&v, &p->heap[0])) {
        p->heap[0] = v;
        sift_down(p);
    }
}

static int heaviest_first(const void *x, const void *y) { return outranks(x, y) ? -1 : 1; }

void pairs_sort(struct pairs *p) { qsort(p->heap, p->n, sizeof *p->heap, heaviest_first); }
