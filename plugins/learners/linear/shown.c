/* shown.c -- implementation of shown.h: a linear learner's answer to LEAT_QUERY_TOP. */
#include "shown.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "kernels/base/rank.h"
#include "linear.h"
#include "common/answers/answer.h"

enum { SHOWN_NAME = 65536, SHOWN_PREFIX = 256 };

/* Returns the weight of feature f by which the answer is ordered. */
static double shown_weight(const struct shown_model *m, const float *weight, uint32_t f)
{
    double last = m->weigh(m->of, weight, f);
    return m->averages ? averages_mean(m->averages, f, last) : last;
}

static enum answer_spread shown_spread_of(const struct shown_model *m)
{
    if (m->averages) return ANSWER_SPREAD;
    return m->spread ? ANSWER_SPREAD_LAST : ANSWER_NO_SPREAD;
}

/* Returns the spread of the values of feature f; 1 if it is no number. */
static double shown_unit(const struct shown_model *m, uint32_t f)
{
    if (!m->units) return 1;
    return m->folded_id ? units_spread(m->units, m->folded_id[f], true)
                        : units_spread(m->units, m->id[f], false);
}

/* Returns the weight of feature f in the answer, with its spread, in the unit of its column. */
static struct answer_weight shown_weight_of(const struct shown_model *m, const float *weight,
                                            uint32_t f)
{
    const double unit = shown_unit(m, f);
    struct answer_weight w = {.weight = shown_weight(m, weight, f) / unit,
                              .where = shown_spread_of(m)};
    if (w.where == ANSWER_SPREAD) w.spread = averages_spread(m->averages, f) / unit;
    if (w.where == ANSWER_SPREAD_LAST) w.spread = m->spread[f] / unit;
    return w;
}

/* Finds redundant features if the query requests that; otherwise sets *redundant to NULL. The
 * caller frees *redundant. */
static int shown_mark_redundant(struct leat_ctx *ctx, const struct leat_query *q,
                                const struct shown_model *m, const float *weight,
                                uint8_t **redundant)
{
    *redundant = NULL;
    if (!(q->min_odds_gain > 0) || !m->parts || !m->n) return LEAT_OK;
    double *compared = ctx->host->alloc(ctx, m->n * sizeof *compared);
    if (!compared)
        return ctx->host->fail(ctx, LEAT_ENOMEM, "there is not enough memory to rank %u features",
                               m->n);
    for (uint32_t f = 0; f < m->n; f++)
        compared[f] = shown_weight(m, weight, f);
    int status = answer_redundant(ctx, q, m->n, m->parts, compared, redundant);
    ctx->host->free(ctx, compared);
    return status;
}

/* Returns the name of feature f with m->prefix before it. `text` has room for both; it is NULL if
 * there is no prefix. */
static const char *shown_full_name(const struct shown_model *m, uint32_t f, char *text, size_t *len)
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

uint64_t shown_bytes(uint32_t n, bool counts, bool averaged, bool named, uint32_t classes)
{
    uint64_t rank = (n + 1ull) * (sizeof(uint32_t) + sizeof(float)),
             order = counts || averaged ? (n + 1ull) * sizeof(float) : 0,
             redundant = named ? n * sizeof(double) + answer_redundant_bytes(n) : 0,
             prefixed = classes ? SHOWN_PREFIX + SHOWN_NAME : 0;
    return rank + (redundant > order ? redundant : order) + prefixed;
}

/* Memory of an answer. */
struct shown_ranking {
    uint32_t *top;
    float *weight;
    char *text;
    uint8_t *redundant;
};

static int shown_make_ranking(struct leat_ctx *ctx, const struct shown_model *m, uint32_t max_top,
                              struct shown_ranking *k)
{
    const struct leat_host *h = ctx->host;
    *k = (struct shown_ranking){.top = h->alloc(ctx, (max_top + 1ull) * sizeof *k->top),
                                .weight = h->alloc(ctx, (m->n + 1ull) * sizeof *k->weight),
                                .text = m->prefix ? h->alloc(ctx, strlen(m->prefix) + SHOWN_NAME)
                                                  : NULL};
    if (k->top && k->weight && (k->text || !m->prefix)) return LEAT_OK;
    return h->fail(ctx, LEAT_ENOMEM, "there is not enough memory to rank %u features", m->n);
}

static void shown_free_ranking(struct leat_ctx *ctx, struct shown_ranking *k)
{
    ctx->host->free(ctx, k->redundant);
    ctx->host->free(ctx, k->text);
    ctx->host->free(ctx, k->weight);
    ctx->host->free(ctx, k->top);
}

/* Writes rows for the n ranked features, at most q->k. Skips features that do not meet the query's
 * conditions. */
static int shown_put_rows(const struct leat_query *q, const struct shown_model *m,
                          const struct shown_ranking *k, uint32_t n, struct leat_result *out)
{
    int status = LEAT_OK;
    for (uint32_t i = 0, rows = 0; i < n && rows < q->k && status == LEAT_OK; i++) {
        uint32_t f = k->top[i];
        const uint32_t *count = m->count ? m->count + 2 * (size_t)f : NULL;
        size_t len;
        struct answer_weight weight = shown_weight_of(m, k->weight, f);
        if ((k->redundant && k->redundant[f]) || !answer_passes(q, m->sgd, count)) continue;
        if (q->positive && !(weight.weight > 0)) continue;
        const char *name = shown_full_name(m, f, k->text, &len);
        status = answer_row(out, m->sgd, name, len, &weight, count);
        rows++;
    }
    return status;
}

/* If the query orders features by another figure than the last weight, ranks the features by that
 * figure. Sets *n to the number of ranked features, at most max_top. */
static int shown_put_in_order(struct leat_ctx *ctx, const struct leat_query *q,
                              const struct shown_model *m, uint32_t max_top,
                              struct shown_ranking *k, uint32_t *n)
{
    bool by_weight = q->order == LEAT_ORDER_WEIGHT || !m->count;
    if (by_weight && !m->averages) return LEAT_OK;
    float *key = ctx->host->alloc(ctx, (m->n + 1ull) * sizeof *key);
    if (!key)
        return ctx->host->fail(ctx, LEAT_ENOMEM, "there is not enough memory to rank %u features",
                               m->n);
    for (uint32_t f = 0; f < m->n; f++)
        key[f] = (float)(by_weight ? shown_weight(m, k->weight, f)
                                   : answer_order_key(q, m->sgd, m->count + 2 * (size_t)f));
    *n = rank_heaviest(m->n, key, m->count, sgd_count_of(m->sgd, q->min_count), max_top, k->top);
    ctx->host->free(ctx, key);
    return LEAT_OK;
}

static int shown_show_one(struct leat_ctx *ctx, const struct leat_query *q,
                          const struct shown_model *m, struct leat_result *out)
{
    uint32_t max_top = answer_filters(q) || q->k > m->n ? m->n : q->k, n = 0;
    struct shown_ranking k;
    int status = shown_make_ranking(ctx, m, max_top, &k);
    if (status == LEAT_OK) n = m->rank(m->of, max_top, q->min_count, k.weight, k.top);
    assert(n <= max_top);
    if (status == LEAT_OK) status = shown_put_in_order(ctx, q, m, max_top, &k, &n);
    if (status == LEAT_OK) status = shown_mark_redundant(ctx, q, m, k.weight, &k.redundant);
    if (status == LEAT_OK) status = shown_put_rows(q, m, &k, n, out);
    shown_free_ranking(ctx, &k);
    return status;
}

int shown_all(struct leat_ctx *ctx, const struct leat_query *question, void *self, uint32_t classes,
              shown_of *of, struct leat_result *out)
{
    const struct leat_query all = answer_query(question);
    int status = LEAT_OK;
    for (uint32_t c = 0; c < linear_models(classes) && status == LEAT_OK; c++) {
        struct shown_model m = of(self, c);
        struct leat_query q = all;
        char number[16], prefix[SHOWN_PREFIX];
        if (!c) status = answer_columns(out, m.counts, shown_spread_of(&m));
        if (classes) {
            q.k = all.k / classes + (c < all.k % classes);
            snprintf(prefix, sizeof prefix, "%s: ", linear_class_name(ctx->in, c, number));
            m.prefix = prefix;
        }
        if (status == LEAT_OK && q.k) status = shown_show_one(ctx, &q, &m, out);
    }
    return status;
}
