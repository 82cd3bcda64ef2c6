/* factored_top.h -- answers of factorization machines: the heaviest features and pairs of features.
 *
 * Rows are heaviest first, with the column `order`: 1 for a feature, 2 for a pair, whose name is
 * "a × b". Of models in factors the pairs are those among FACTORED_CANDIDATES features, the ones
 * with the longest columns; exact models look at all.
 */
#ifndef LEAT_LEARNERS_FM_FACTORED_TOP_H
#define LEAT_LEARNERS_FM_FACTORED_TOP_H

#include "factored.h"

enum { FACTORED_CANDIDATES = 1024 };

static const char *const factored_columns[] = {"weight", "order"};
static const char FACTORED_TIMES[] = " \xc3\x97 ";

static inline bool factored_is_one(const struct factored *f, uint32_t feature)
{
    return f->g.table.id[feature] == FACTOR_ONE;
}

/* ---- pairs of a model in factors ---- */

/* Features in factors: `rows` numbers a feature, the first `plus` of which count positive. */
struct factored_view {
    uint32_t plus, rows;
    double scale;
    void (*column)(void *self, uint32_t feature, double *out);
};

/* The features with the longest columns, as a heap of pairs (feature, feature). */
static inline void factored_candidates(void *self, const struct factored_view *v, double *column,
                                       struct pairs *longest)
{
    struct factored *f = self;
    for (uint32_t i = 0; i < f->g.table.n; i++) {
        if (factored_is_one(f, i)) continue;
        v->column(self, i, column);
        pairs_offer(longest, i, i, factor_square(v->rows, column));
    }
    pairs_sort(longest);
}

static inline int factored_offer_pairs(struct leat_ctx *ctx, void *self,
                                       const struct factored_view *v, struct pairs *out)
{
    const struct leat_host *h = ctx->host;
    struct factored *f = self;
    uint32_t n = f->g.table.n < FACTORED_CANDIDATES ? f->g.table.n : FACTORED_CANDIDATES;
    struct pairs longest = {.k = n};
    if (!n || !v->rows) return LEAT_OK;
    longest.heap = h->alloc(ctx, n * sizeof *longest.heap);
    double *columns = h->alloc(ctx, (size_t)(n + 1) * v->rows * sizeof *columns);
    double *product = h->alloc(ctx, (size_t)PAIRS_BLOCK * n * sizeof *product);
    bool enough = longest.heap && columns && product;
    if (enough) {
        factored_candidates(self, v, columns + (size_t)n * v->rows, &longest);
        for (uint32_t i = 0; i < longest.n; i++)
            v->column(self, longest.heap[i].a, columns + (size_t)i * v->rows);
        pairs_scan(out, longest.n, v->plus, v->rows - v->plus, columns, v->scale, product);
        for (uint32_t i = 0; i < out->n; i++) { /* from places to features */
            uint32_t a = longest.heap[out->heap[i].a].a, b = longest.heap[out->heap[i].b].a;
            out->heap[i].a = a < b ? a : b;
            out->heap[i].b = a < b ? b : a;
        }
    }
    h->free(ctx, product);
    h->free(ctx, columns);
    h->free(ctx, longest.heap);
    return enough ? LEAT_OK : h->fail(ctx, LEAT_ENOMEM, "no memory to compare %u features", n);
}

/* ---- the answer ---- */

static inline int factored_answer_row(const struct factored *f, const struct pair *p, char *text,
                                      struct leat_result *out)
{
    char digits[24];
    size_t len, more;
    double values[2] = {p->weight, p->b == FEATURE_TABLE_NONE ? 1 : 2};
    const char *name = growing_name(&f->g, p->a, digits, &len);
    if (p->b == FEATURE_TABLE_NONE) return out->row(out, name, len, values);
    memcpy(text, name, len);
    memcpy(text + len, FACTORED_TIMES, sizeof FACTORED_TIMES - 1);
    len += sizeof FACTORED_TIMES - 1;
    name = growing_name(&f->g, p->b, digits, &more);
    memcpy(text + len, name, more);
    return out->row(out, text, len + more, values);
}

/* Into room for k: pairs, then features, then all in order. */
static inline int factored_rank(const struct factored_kind *kind, struct leat_ctx *ctx, void *self,
                                struct pair *room, uint32_t k, struct pairs *all)
{
    struct factored *f = self;
    int32_t top = kind->pairs ? ((const struct factored_cfg *)ctx->cfg)->top : FACTORED_LINEAR;
    uint32_t k_pairs = top == FACTORED_LINEAR ? 0 : top == FACTORED_PAIRS ? k : k / 2;
    struct pairs pairs = {room, 0, k_pairs};
    int status = k_pairs ? kind->pairs(ctx, self, &pairs) : LEAT_OK;
    struct pairs features = {room + pairs.n, 0, top == FACTORED_PAIRS ? 0 : k - pairs.n};
    for (uint32_t i = 0; i < f->g.table.n; i++)
        if (!factored_is_one(f, i))
            pairs_offer(&features, i, FEATURE_TABLE_NONE, kind->weight(self, i));
    *all = (struct pairs){room, pairs.n + features.n, k};
    pairs_sort(all);
    return status;
}

static inline void factored_report(const struct factored_kind *kind, struct leat_ctx *ctx,
                                   void *self)
{
    growing_report(ctx, &((struct factored *)self)->g);
    kind->report(ctx, self);
}

/* model_bytes: the features' rows, and `others`. */
static inline void factored_report_bytes(struct leat_ctx *ctx, void *self, size_t others)
{
    const struct feature_table *t = &((struct factored *)self)->g.table;
    ctx->host->metric(ctx, "model_bytes",
                      (double)(feature_table_bytes(t->capacity, t->stride) + others));
}

static inline int factored_query(const struct factored_kind *kind, struct leat_ctx *ctx, void *self,
                                 const struct leat_query *q, struct leat_result *out)
{
    const struct leat_host *h = ctx->host;
    struct factored *f = self;
    const struct factored_cfg *c = ctx->cfg;
    if (q->kind != LEAT_QUERY_TOP) return LEAT_EARG;
    factored_report(kind, ctx, self);
    int status = out->columns(out, factored_columns, 2);
    if (!q->k || !f->g.table.n || status != LEAT_OK) return status;
    struct pairs all = {0};
    struct pair *room = h->alloc(ctx, q->k * sizeof *room);
    char *text = h->alloc(ctx, 2 * (size_t)c->growing.name_bytes + 64);
    if (room && text)
        status = factored_rank(kind, ctx, self, room, q->k, &all);
    else
        status = h->fail(ctx, LEAT_ENOMEM, "no memory to rank %u features", q->k);
    for (uint32_t i = 0; i < all.n && status == LEAT_OK; i++)
        status = factored_answer_row(f, &all.heap[i], text, out);
    h->free(ctx, text);
    h->free(ctx, room);
    return status;
}

#define FACTORED_TOP_DOC                                                                           \
    "\n\nThe top has features (order 1) and pairs (order 2), \"a × b\", by the weight that they " \
    "bring to a prediction per unit of value and of product of values."

#endif
