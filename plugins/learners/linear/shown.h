/* shown.h -- the answer to LEAT_QUERY_TOP: which features it shows (counts, support, relative risk,
 * conjunctions that say more than their parts), heaviest first.
 *
 * Only glue between struct leat_query and the kernels. Asking takes memory for the ranks of all
 * features that are looked at, until it is answered.
 */
#ifndef LEAT_LEARNERS_LINEAR_SHOWN_H
#define LEAT_LEARNERS_LINEAR_SHOWN_H

#include <math.h>
#include <string.h>

#include <leat/plugin.h>

#include "kernels/sketch/redundancy.h"
#include "kernels/base/loss.h"
#include "kernels/linear/sgd.h"
#include "classes.h"
#include "linear.h"

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
    return q->min_support > 0 || q->min_risk_ratio > 0 || q->min_odds_gain > 0;
}

/* count: { inliers, outliers } that have the feature, or NULL: not counted. */
static inline int shown_passes(const struct leat_query *q, const struct sgd *s,
                               const uint32_t *count)
{
    if (!count) return 1;
    double n1 = sgd_counted(s, count[1]), n0 = sgd_counted(s, count[0]);
    double N1 = sgd_records(s, 1), N0 = sgd_records(s, 0);
    if (n1 + n0 < q->min_count || n1 < q->min_support * N1) return 0;
    return q->min_risk_ratio <= 0 || sgd_relative_risk(n1, n0, N1, N0) >= q->min_risk_ratio;
}

/* The parts of entry i by their names. */
static inline struct redundancy_parts shown_parts(const struct leat_batch *b, uint32_t i)
{
    uint32_t key[3], n = 0;
    for (; b->name && n < 3 && b->name[i].part[n]; n++) {
        const struct leat_part *p = &b->part[b->name[i].part[n] - 1];
        const char *field = p->field == LEAT_NO_FIELD ? "" : b->fields[p->field];
        int has = p->value.len != LEAT_NULL;
        key[n] = redundancy_key(field, strlen(field), has ? leat_text(b, p->value) : NULL,
                                has ? p->value.len : 0);
    }
    return redundancy_parts_of(key, n);
}

/* The redundant ones among n features, where the question asks for that. *redundant is NULL when it
 * does not, or memory of the host, to be freed. */
static inline int shown_redundant(struct leat_ctx *ctx, const struct leat_query *q, uint32_t n,
                                  const struct redundancy_parts *parts, const double *weight,
                                  uint8_t **redundant)
{
    const struct leat_host *h = ctx->host;
    *redundant = NULL;
    if (!(q->min_odds_gain > 0) || !n) return LEAT_OK;
    void *scratch = h->alloc(ctx, redundancy_scratch_bytes(n));
    *redundant = h->alloc(ctx, n);
    if (scratch && *redundant)
        redundancy_mark(n, parts, weight, loss_log(q->min_odds_gain), scratch, *redundant);
    h->free(ctx, scratch);
    if (scratch && *redundant) return LEAT_OK;
    h->free(ctx, *redundant);
    return h->fail(ctx, LEAT_ENOMEM, "no memory to compare %u features with their parts", n);
}

/* What a linear learner has to show: features 0 .. n - 1. */
struct shown_model {
    void *of;              /* for the functions */
    const char *prefix;    /* before all names, or NULL */
    const struct sgd *sgd; /* its clock         */
    uint32_t n;
    bool counts;
    const uint32_t *count;                /* n x { inliers, outliers }, or NULL */
    const struct redundancy_parts *parts; /* of each name, or NULL              */
    /* The k heaviest of at least min_count examples, into top, heaviest first; how many. weight:
     * room for n, for weigh and sure to look at. */
    uint32_t (*rank)(void *of, uint32_t k, uint32_t min_count, float *weight, uint32_t *top);
    double (*weigh)(void *of, const float *weight, uint32_t f);
    double (*sure)(void *of, const float *weight, uint32_t f); /* by which conjunctions are told
                                                                * from their parts */
    const char *(*name)(void *of, uint32_t f, size_t *len);
};

/* Features whose conjunctions say no more than their parts: NULL, or freed by the caller. */
static inline int shown_leave_out(struct leat_ctx *ctx, const struct leat_query *q,
                                  const struct shown_model *m, const float *by, uint8_t **out)
{
    *out = NULL;
    if (!(q->min_odds_gain > 0) || !m->parts || !m->n) return LEAT_OK;
    double *sure = ctx->host->alloc(ctx, m->n * sizeof *sure);
    if (!sure) return ctx->host->fail(ctx, LEAT_ENOMEM, "no memory to rank features");
    for (uint32_t f = 0; f < m->n; f++)
        sure[f] = m->sure(m->of, by, f);
    int status = shown_redundant(ctx, q, m->n, m->parts, sure, out);
    ctx->host->free(ctx, sure);
    return status;
}

enum { SHOWN_NAME = 65536 };

/* A name behind the prefix; text: room for both. */
static inline const char *shown_name(const struct shown_model *m, uint32_t f, char *text,
                                     size_t *len)
{
    const char *name = m->name(m->of, f, len);
    if (!text) return name;
    size_t before = strlen(m->prefix);
    *len = *len < SHOWN_NAME ? *len : SHOWN_NAME;
    memcpy(text, m->prefix, before);
    memcpy(text + before, name, *len);
    *len += before;
    return text;
}

/* The weights that `by` has, of the n features at top, but for those left out. */
static inline int shown_rows(const struct leat_query *q, const struct shown_model *m,
                             const float *by, const uint32_t *top, uint32_t n,
                             const uint8_t *leave_out, char *text, struct leat_result *out)
{
    int status = LEAT_OK;
    for (uint32_t k = 0, rows = 0; k < n && rows < q->k && status == LEAT_OK; k++) {
        uint32_t f = top[k];
        const uint32_t *count = m->count ? m->count + 2 * (size_t)f : NULL;
        size_t len;
        if ((leave_out && leave_out[f]) || !shown_passes(q, m->sgd, count)) continue;
        const char *name = shown_name(m, f, text, &len);
        status = linear_answer_row(out, m->sgd, name, len, m->weigh(m->of, by, f), count);
        rows++;
    }
    return status;
}

/* The rows of an answer. */
static inline int shown_answer(struct leat_ctx *ctx, const struct leat_query *q,
                               const struct shown_model *m, struct leat_result *out)
{
    const struct leat_host *h = ctx->host;
    uint32_t most = shown_filters(q) || q->k > m->n ? m->n : q->k, n = 0;
    uint8_t *leave_out = NULL;
    uint32_t *top = h->alloc(ctx, (most + 1ull) * sizeof *top);
    float *weight = h->alloc(ctx, (m->n + 1ull) * sizeof *weight);
    char *text = m->prefix ? h->alloc(ctx, strlen(m->prefix) + SHOWN_NAME) : NULL;
    int status = top && weight && (text || !m->prefix) ? LEAT_OK : LEAT_ENOMEM;
    if (status != LEAT_OK) h->fail(ctx, status, "no memory to rank %u features", m->n);
    if (status == LEAT_OK) n = m->rank(m->of, most, q->min_count, weight, top);
    if (status == LEAT_OK) status = shown_leave_out(ctx, q, m, weight, &leave_out);
    if (status == LEAT_OK) status = shown_rows(q, m, weight, top, n, leave_out, text, out);
    h->free(ctx, leave_out);
    h->free(ctx, text);
    h->free(ctx, weight);
    h->free(ctx, top);
    return status;
}

/* What a learner with a model a class (or one, classes 0) has to show. */
typedef struct shown_model shown_of(void *self, uint32_t copy);

static inline int shown_all(struct leat_ctx *ctx, const struct leat_query *question, void *self,
                            uint32_t classes, shown_of *of, struct leat_result *out)
{
    const struct leat_query all = shown_query(question);
    int status = LEAT_OK;
    for (uint32_t c = 0; c < linear_models(classes) && status == LEAT_OK; c++) {
        struct shown_model m = of(self, c);
        struct leat_query q = all;
        char number[16], prefix[256];
        if (!c) status = linear_answer_columns(out, m.counts);
        if (classes) {
            q.k = all.k / classes + (c < all.k % classes);
            snprintf(prefix, sizeof prefix, "%s: ", classes_name(ctx->in, c, number));
            m.prefix = prefix;
        }
        if (status == LEAT_OK && q.k) status = shown_answer(ctx, &q, &m, out);
    }
    return status;
}

#endif
