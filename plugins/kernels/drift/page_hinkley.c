/* page_hinkley.c -- implementation of page_hinkley.h. */
#include "page_hinkley.h"

void page_hinkley_init(struct page_hinkley *p, double tolerance, double threshold)
{
    *p = (struct page_hinkley){.tolerance = tolerance, .threshold = threshold};
}

void page_hinkley_restart(struct page_hinkley *p)
{
    page_hinkley_init(p, p->tolerance, p->threshold);
}

bool page_hinkley_add(struct page_hinkley *p, double x)
{
    p->n++;
    p->sum += x;
    p->m += x - p->sum / p->n - p->tolerance;
    if (p->m <= p->min) {
        p->min = p->m;
        p->min_n = p->n;
        p->min_sum = p->sum;
    }
    return p->m - p->min > p->threshold;
}
