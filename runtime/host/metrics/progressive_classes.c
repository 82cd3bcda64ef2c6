/* progressive_classes.c -- how many examples of each class were recognised, see progressive.h. */
#include "progressive_inside.h"

/* In the order of their weight, then of their numbers. */
static bool comes_before(const struct progressive_class *a, const struct progressive_class *b)
{
    return a->weight != b->weight ? a->weight > b->weight : a->label < b->label;
}

static uint32_t insert(struct progressive_class *out, uint32_t n, const struct progressive_class *c)
{
    uint32_t at = n < PROGRESSIVE_CLASSES ? n : n - 1;
    if (at < n && !comes_before(c, &out[at])) return n;
    for (; at && comes_before(c, &out[at - 1]); at--)
        out[at] = out[at - 1];
    out[at] = *c;
    return n < PROGRESSIVE_CLASSES ? n + 1 : n;
}

uint32_t progressive_classes(const struct progressive *p,
                             struct progressive_class out[PROGRESSIVE_CLASSES])
{
    uint32_t n = 0;
    if (!p->of_class || label_errors_given_up(&p->by_label)) return 0;
    for (uint32_t k = 0; k < CLASSES; k++) {
        const struct progressive_class c = {k, p->of_class[k], p->of_class[CLASSES + k],
                                            p->of_class[2 * CLASSES + k]};
        if (c.weight > 0 || c.predicted > 0) n = insert(out, n, &c);
    }
    return n;
}
