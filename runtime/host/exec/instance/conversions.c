/* conversions.c -- see conversions.h. */
#include "conversions.h"

#include "host/flow/convert.h"

void conversions_run(struct instance *i, struct hbatch *h)
{
    const struct node *n = i->node;
    if (!n->n_conversions) return;
    for (uint32_t k = 0; k < n->n_conversions; k++)
        convert_column(&i->ctx, &n->conversion[k], &h->b);
    batch_select(h, h->b.n_examples);
}
