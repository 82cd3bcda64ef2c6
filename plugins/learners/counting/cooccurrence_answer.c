/* cooccurrence_answer.c -- see cooccurrence.h.
 *
 * A PMI grows with the count of the pair and falls with those of its tokens (cooccurrence.h):
 *
 *   low = PMI(low n(u, v), high n(u), high n(v))      high = PMI(high n(u, v), low n(u), low n(v))
 *
 * Ranks and conditions go by the cautious end, so what is uncertain does not come first. Otherwise
 * the middle of the bounds is shown, and of a PMI what is nearest to the truth: its high end needs
 * three counts to be wrong at once, so that is nearer to the low one. Of the pairs shown at 32 KB
 * and 256 KB (Brown and Reuters, two orders, k = 20 and 100), Pearson with the exact PMI is .39 to
 * .97 for the low end, .83 to .98 for the middle, .88 to .98 for a third of the way.
 */
#include "cooccurrence.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/names.h"
#include "common/answers/answer.h"

static const char *const columns[] = {"weight",      "pmi",          "pmi_low",    "pmi_high",
                                      "count",       "count_low",    "count_high", "count_u",
                                      "count_u_low", "count_u_high", "count_v",    "count_v_low",
                                      "count_v_high"};
enum { WEIGHT, PMI, COUNT = 4, COUNT_U = 7, COUNT_V = 10, COLUMNS = 13, ID_DIGITS = 20 };
_Static_assert(sizeof columns / sizeof *columns == COLUMNS, "three columns a figure");

const char *const *cooccurrence_columns(const void *cfg, uint32_t *n)
{
    *n = COLUMNS;
    return columns;
}

/* A pair that meets the conditions. */
struct candidate {
    double strength; /* it ranks by this */
    uint32_t slot, count;
};

/* ---- which pairs are shown ---- */

static uint32_t collect(const struct cooccurrence *m, const struct leat_query *q,
                        struct candidate *candidate)
{
    bool by_count = q->order == LEAT_ORDER_SUPPORT || q->order == LEAT_ORDER_SHARE;
    uint32_t n = 0;
    for (uint32_t p = 0; p < m->pair.index.n; p++) {
        uint32_t low = m->pair.count[p] - m->pair.excess[p];
        if (low < m->opt.min_count || low < q->min_count) continue;
        double pmi = cooccurrence_pmi(m, p).low;
        if (q->positive && !(pmi > 0)) continue;
        candidate[n++] = (struct candidate){by_count ? low : pmi, p, low};
    }
    return n;
}

static int by_strength(const void *x, const void *y)
{
    const struct candidate *a = x, *b = y;
    if (a->strength != b->strength) return a->strength > b->strength ? -1 : 1;
    if (a->count != b->count) return a->count > b->count ? -1 : 1;
    return (a->slot > b->slot) - (a->slot < b->slot);
}

/* ---- rows ---- */

static size_t join_bytes(uint32_t name_bytes)
{
    size_t each = name_bytes > ID_DIGITS ? name_bytes : ID_DIGITS;
    return 2 * each + sizeof NAME_AND + 1;
}

size_t cooccurrence_answer_bytes(const struct cooccurrence_shape *s, uint32_t name_bytes)
{
    return s->kept * sizeof(struct candidate) + join_bytes(name_bytes);
}

/* A token as it is shown: its name, or its id in decimal. */
struct token {
    uint32_t slot;
    const char *name;
    size_t len;
    char digits[ID_DIGITS + 1];
};

static void find_name(const struct cooccurrence_held *h, uint32_t slot, struct token *t)
{
    t->slot = slot;
    t->name = packed_names_get(&h->names, slot, &t->len);
    if (t->len) return;
    t->len = (size_t)sprintf(t->digits, "%" PRIu64, h->model.token.id[slot]);
    t->name = t->digits;
}

/* As leat_name_text() writes the name of a conjunction. */
static size_t join_names(const struct token *u, const struct token *v, char *text)
{
    size_t and = sizeof NAME_AND - 1;
    memcpy(text, u->name, u->len);
    memcpy(text + u->len, NAME_AND, and);
    memcpy(text + u->len + and, v->name, v->len);
    return u->len + and+v->len;
}

/* along: how far the figure is from the low end to the high one. */
static void put_figure(double *v, struct cooccurrence_bounds b, double along)
{
    v[0] = b.low + along * (b.high - b.low);
    v[1] = b.low;
    v[2] = b.high;
}

/* Where the order of a pair says nothing, the name that comes first in the alphabet is first, so
 * that the pair has one name in all models. */
static int put_row(const struct cooccurrence_held *h, uint32_t pair, char *text,
                   struct leat_result *out)
{
    const struct cooccurrence *m = &h->model;
    struct cooccurrence_bounds pmi = cooccurrence_pmi(m, pair);
    double v[COLUMNS] = {[WEIGHT] = pmi.low};
    struct token first, second;
    find_name(h, m->pair.first[pair], &first);
    find_name(h, m->pair.second[pair], &second);
    bool turned =
        !m->opt.ordered && !name_preferred(first.name, first.len, second.name, second.len);
    const struct token *a = turned ? &second : &first, *b = turned ? &first : &second;
    put_figure(v + PMI, pmi, 1.0 / 3);
    put_figure(v + COUNT, cooccurrence_pair_count(m, pair), 0.5);
    put_figure(v + COUNT_U, cooccurrence_token_count(m, a->slot), 0.5);
    put_figure(v + COUNT_V, cooccurrence_token_count(m, b->slot), 0.5);
    return out->row(out, text, join_names(a, b, text), v);
}

int cooccurrence_answer(struct leat_ctx *ctx, const struct cooccurrence_held *h,
                        const struct leat_query *question, struct leat_result *out)
{
    const struct leat_host *host = ctx->host;
    const struct leat_query q = answer_query(question);
    int status = out->columns(out, columns, COLUMNS);
    if (!h->model.pair.index.n || !q.k || status != LEAT_OK) return status;
    struct candidate *candidate = host->alloc(ctx, h->model.shape.kept * sizeof *candidate);
    char *text = host->alloc(ctx, join_bytes(h->names.max_bytes));
    if (candidate && text) {
        uint32_t n = collect(&h->model, &q, candidate);
        qsort(candidate, n, sizeof *candidate, by_strength);
        for (uint32_t i = 0; i < n && i < q.k && status == LEAT_OK; i++)
            status = put_row(h, candidate[i].slot, text, out);
    } else {
        status = host->fail(ctx, LEAT_ENOMEM, "there is not enough memory to rank %u pairs",
                            h->model.pair.index.n);
    }
    host->free(ctx, text);
    host->free(ctx, candidate);
    return status;
}
