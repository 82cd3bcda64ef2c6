/* shown.h -- which features an answer to LEAT_QUERY_TOP shows: counts, support, relative risk, and
 * conjunctions that say more than their parts.
 *
 * Only glue between struct leat_query and the kernels.
 */
#ifndef LEARNERS_SHOWN_H
#define LEARNERS_SHOWN_H

#include <math.h>
#include <string.h>

#include <leat/plugin.h>

#include "plugins/kernels/distinct.h"
#include "plugins/kernels/loss.h"
#include "plugins/kernels/sgd.h"

/* The question in full: fields that an older host does not know are 0. */
static inline struct leat_query shown_query(const struct leat_query *q)
{
    struct leat_query all = {0};
    memcpy(&all, q, q->size < sizeof all ? q->size : sizeof all);
    return all;
}

/* Are there conditions beside min_count? */
static inline int shown_filters(const struct leat_query *q)
{
    return q->min_support > 0 || q->min_risk_ratio > 0 || q->distinct > 0;
}

/* count: { inliers, outliers } that have the feature, or NULL: not counted. */
static inline int shown_passes(const struct leat_query *q, const struct sgd *s,
                               const uint32_t *count)
{
    if (!count) return 1;
    if ((uint64_t)count[0] + count[1] < q->min_count) return 0;
    if (count[1] < q->min_support * (double)s->records[1]) return 0;
    return q->min_risk_ratio <= 0 ||
           sgd_relative_risk(count[1], count[0], s->records[1], s->records[0]) >= q->min_risk_ratio;
}

/* The parts of entry i by their names. */
static inline struct distinct_parts shown_parts(const struct leat_batch *b, uint32_t i)
{
    uint32_t key[3], n = 0;
    for (; b->name && n < 3 && b->name[i].part[n]; n++) {
        const struct leat_part *p = &b->part[b->name[i].part[n] - 1];
        const char *field = p->field == LEAT_NO_FIELD ? "" : b->fields[p->field];
        int has = p->value.len != LEAT_NULL;
        key[n] = distinct_key(field, strlen(field), has ? leat_text(b, p->value) : NULL,
                              has ? p->value.len : 0);
    }
    return distinct_parts_of(key, n);
}

/* The redundant ones among n features, where the question asks for that. *redundant is NULL when it
 * does not, or memory of the host, to be freed. */
static inline int shown_redundant(struct leat_ctx *ctx, const struct leat_query *q, uint32_t n,
                                  const struct distinct_parts *parts, const double *weight,
                                  uint8_t **redundant)
{
    const struct leat_host *h = ctx->host;
    *redundant = NULL;
    if (!(q->distinct > 0) || !n) return LEAT_OK;
    void *scratch = h->alloc(ctx, distinct_scratch_bytes(n));
    *redundant = h->alloc(ctx, n);
    if (scratch && *redundant)
        distinct_mark(n, parts, weight, loss_log(q->distinct), scratch, *redundant);
    h->free(ctx, scratch);
    if (scratch && *redundant) return LEAT_OK;
    h->free(ctx, *redundant);
    return h->fail(ctx, LEAT_ENOMEM, "no memory to compare %u features with their parts", n);
}

#endif
