/* factored_top.c -- answers of factorization machines: the heaviest features and pairs of features.
 *
 * Rows are heaviest first, with the column `order`: 1 for a feature, 2 for a pair, whose name is
 * "a × b". Of a model in factors the pairs are those among FACTORED_CANDIDATES features, the ones
 * with the longest columns; exact models look at all.
 */
#include <string.h>

#include "factored.h"

const char *const factored_tops[] = {"both", "linear", "pairs", NULL};
enum top { BOTH, LINEAR, PAIRS };

static const char *const answer_columns[] = {"weight", "order"};

const char *const *factored_columns(const void *cfg, uint32_t *n)
{
    *n = 2;
    return answer_columns;
}
static const char TIMES[] = " \xc3\x97 ";

size_t factored_name_bytes(const struct growing_cfg *g) { return 2 * (size_t)g->name_bytes + 64; }

/* ---- pairs of a model in factors ---- */

/* The features with the longest columns, as a heap of pairs (feature, feature). */
static void find_longest(void *self, const struct factored_view *v, double *column,
                         struct pairs *longest)
{
    struct factored *f = self;
    for (uint32_t i = 0; i < f->g.table.n; i++) {
        if (factored_is_one(f, i)) continue;
        v->column(self, i, column);
        pairs_offer(longest, i, i, fm_square(v->rows, column));
    }
    pairs_sort(longest);
}

static uint32_t candidates(uint32_t features)
{
    return features < FACTORED_CANDIDATES ? features : FACTORED_CANDIDATES;
}

uint64_t factored_pairs_bytes(uint32_t features, uint32_t rows)
{
    uint64_t n = candidates(features);
    return n * sizeof(struct pair) + ((n + 1) * rows + PAIRS_BLOCK * n) * sizeof(double);
}

int factored_offer_pairs(struct leat_ctx *ctx, void *self, const struct factored_view *v,
                         struct pairs *out)
{
    const struct leat_host *h = ctx->host;
    struct factored *f = self;
    uint32_t n = candidates(f->g.table.n);
    struct pairs longest = {.k = n};
    if (!n || !v->rows) return LEAT_OK;
    longest.heap = h->alloc(ctx, n * sizeof *longest.heap);
    double *columns = h->alloc(ctx, (size_t)(n + 1) * v->rows * sizeof *columns);
    double *product = h->alloc(ctx, (size_t)PAIRS_BLOCK * n * sizeof *product);
    bool enough = longest.heap && columns && product;
    if (enough) {
        find_longest(self, v, columns + (size_t)n * v->rows, &longest);
        for (uint32_t i = 0; i < longest.n; i++)
            v->column(self, longest.heap[i].a, columns + (size_t)i * v->rows);
        pairs_scan(out, longest.n, v->plus, v->rows - v->plus, columns, v->scale, product);
        for (uint32_t i = 0; i < out->n; i++) { /* from candidates to features */
            uint32_t a = longest.heap[out->heap[i].a].a, b = longest.heap[out->heap[i].b].a;
            out->heap[i].a = a < b ? a : b;
            out->heap[i].b = a < b ? b : a;
        }
    }
    h->free(ctx, product);
    h->free(ctx, columns);
    h->free(ctx, longest.heap);
    return enough
               ? LEAT_OK
               : h->fail(ctx, LEAT_ENOMEM, "there is not enough memory to compare %u features", n);
}

/* ---- the answer ---- */

static int answer_row(const struct factored *f, const struct pair *p, char *text,
                      struct leat_result *out)
{
    char digits[24];
    size_t len, more;
    double values[2] = {p->weight, p->b == FEATURE_TABLE_NONE ? 1 : 2};
    const char *name = growing_name(&f->g, p->a, digits, &len);
    if (p->b == FEATURE_TABLE_NONE) return out->row(out, name, len, values);
    memcpy(text, name, len);
    memcpy(text + len, TIMES, sizeof TIMES - 1);
    len += sizeof TIMES - 1;
    name = growing_name(&f->g, p->b, digits, &more);
    memcpy(text + len, name, more);
    return out->row(out, text, len + more, values);
}

uint64_t factored_rows(const struct factored_method *m, uint64_t features)
{
    return m->pairs ? features * (features + 1) / 2 : features;
}

/* The k heaviest to `heap`: pairs, then features, then all in order. */
static int rank_all(struct leat_ctx *ctx, void *self, struct pair *heap, uint32_t k,
                    struct pairs *all)
{
    struct factored *f = self;
    int32_t top = f->method->pairs ? ((const struct factored_cfg *)ctx->cfg)->top : LINEAR;
    uint32_t k_pairs = top == LINEAR ? 0 : top == PAIRS ? k : k / 2;
    struct pairs pairs = {heap, 0, k_pairs};
    int status = k_pairs ? f->method->pairs(ctx, self, &pairs) : LEAT_OK;
    struct pairs features = {heap + pairs.n, 0, top == PAIRS ? 0 : k - pairs.n};
    for (uint32_t i = 0; i < f->g.table.n; i++)
        if (!factored_is_one(f, i))
            pairs_offer(&features, i, FEATURE_TABLE_NONE, f->method->weight(self, i));
    *all = (struct pairs){heap, pairs.n + features.n, k};
    pairs_sort(all);
    return status;
}

static void report_all(struct leat_ctx *ctx, void *self)
{
    struct factored *f = self;
    growing_report(ctx, &f->g);
    f->method->report(ctx, self);
}

void factored_report_bytes(struct leat_ctx *ctx, const struct factored *f, size_t others)
{
    const struct feature_table *t = &f->g.table;
    ctx->host->metric(ctx, "model_bytes",
                      (double)(feature_table_bytes(t->capacity, t->stride) + others));
}

int factored_tick(struct leat_ctx *ctx, void *self, int64_t now)
{
    report_all(ctx, self);
    return LEAT_OK;
}

int factored_stop(struct leat_ctx *ctx, void *self)
{
    report_all(ctx, self);
    return LEAT_OK;
}

int factored_query(struct leat_ctx *ctx, void *self, const struct leat_query *q,
                   struct leat_result *out)
{
    const struct leat_host *h = ctx->host;
    struct factored *f = self;
    const struct factored_cfg *c = ctx->cfg;
    if (q->kind != LEAT_QUERY_TOP) return LEAT_EARG;
    report_all(ctx, self);
    int status = out->columns(out, answer_columns, 2);
    if (!q->k || !f->g.table.n || status != LEAT_OK) return status;
    struct pairs all = {0};
    uint64_t all_rows = factored_rows(f->method, f->g.table.n);
    uint32_t k = q->k < all_rows ? q->k : (uint32_t)all_rows;
    struct pair *heap = h->alloc(ctx, k * sizeof *heap);
    char *text = h->alloc(ctx, factored_name_bytes(&c->growing));
    if (heap && text)
        status = rank_all(ctx, self, heap, k, &all);
    else
        status = h->fail(ctx, LEAT_ENOMEM, "there is not enough memory to rank %u features", k);
    for (uint32_t i = 0; i < all.n && status == LEAT_OK; i++)
        status = answer_row(f, &all.heap[i], text, out);
    h->free(ctx, text);
    h->free(ctx, heap);
    return status;
}
