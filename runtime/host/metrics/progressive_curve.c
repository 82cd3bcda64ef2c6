/* progressive_curve.c -- learning curves, from the marks that last_fifth.h keeps anyway, so that
 * they cost nothing during the run, are part of every snapshot and merge as the marks do. */
#include "progressive_inside.h"

static struct progressive_point point_of(uint64_t examples, const struct sums *now,
                                         const struct sums *before)
{
    double w = now->weight, since = w - before->weight;
    struct progressive_point p = {.examples = examples,
                                  .loss = w > 0 ? now->loss / w : (double)NAN,
                                  .second = w > 0 ? now->second / w : (double)NAN,
                                  .loss_since = (double)NAN,
                                  .second_since = (double)NAN};
    if (!(since > 0)) return p;
    p.loss_since = (now->loss - before->loss) / since;
    p.second_since = (now->second - before->second) / since;
    return p;
}

/* How many marks from one point to the next: few enough points that the end is one more. */
static uint32_t stride_of(uint32_t marks)
{
    uint32_t stride = 1;
    while (marks / stride >= PROGRESSIVE_POINTS)
        stride *= 2;
    return stride;
}

size_t progressive_curve(const struct progressive *p,
                         struct progressive_point out[PROGRESSIVE_POINTS])
{
    const struct last_fifth *l = &p->last;
    struct sums before = {0, 0, 0};
    uint32_t stride = stride_of(l->n);
    size_t n = 0;
    if (!l->step) return 0;
    for (uint32_t i = stride; i < l->n; i += stride) {
        if (i * l->step >= p->examples) break; /* the end is a point in any case */
        out[n++] = point_of(i * l->step, &l->mark[i], &before);
        before = l->mark[i];
    }
    out[n++] = point_of(p->examples, &p->sum, &before);
    return n;
}

size_t progressive_roc(const struct progressive *p, struct roc_point out[ROC_POINTS])
{
    return p->bins && p->examples ? score_bins_roc(p->bins, out) : 0;
}

uint32_t progressive_label_errors(const struct progressive *p, struct label_error out[LABEL_ERRORS])
{
    return p->kind == LEAT_SCORE_VALUE ? label_errors_sorted(&p->by_label, out) : 0;
}
