/* label_errors.c -- implementation of label_errors.h. */
#include "label_errors.h"

#include <math.h>
#include <stddef.h>

/* Returns the entry of the label, a new one if necessary; NULL if there are too many labels. */
static struct label_error *label_errors_find(struct label_errors *e, double label)
{
    for (uint32_t i = 0; i < e->n; i++)
        if (e->of[i].label == label) return &e->of[i];
    if (e->n == LABEL_ERRORS) return NULL;
    e->of[e->n] = (struct label_error){.label = label};
    return &e->of[e->n++];
}

void label_errors_add(struct label_errors *e, double label, double score, double w)
{
    if (e->many) return;
    struct label_error *of = label_errors_find(e, label);
    if (!of) {
        e->many = true;
        return;
    }
    double error = score - label;
    of->weight += w;
    of->squared += w * error * error;
    of->absolute += w * fabs(error);
    of->signed_sum += w * error;
}

uint32_t label_errors_sorted(const struct label_errors *e, struct label_error out[LABEL_ERRORS])
{
    uint32_t n = e->many ? 0 : e->n;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t at = i;
        for (; at && out[at - 1].label > e->of[i].label; at--)
            out[at] = out[at - 1];
        out[at] = e->of[i];
    }
    return n;
}
