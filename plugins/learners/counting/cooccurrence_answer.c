/* cooccurrence_answer.c -- the answer of learn.cooccurrence to LEAT_QUERY_TOP. */
#include "cooccurrence_answer.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cooccurrence_lift.h"
#include "kernels/base/loss.h"
#include "common/answers/answer.h"

#define NAME_TIMES " × " /* between features of two sides; longer than NAME_AND */

static const char *const columns[] = {
    "weight",       "pmi",     "pmi_low",     "pmi_high",     "count",   "count_low",
    "count_high",   "count_u", "count_u_low", "count_u_high", "count_v", "count_v_low",
    "count_v_high", "lift",    "lift_low",    "lift_high",    "luck"};
enum { WEIGHT, PMI, COUNT = 4, COUNT_U = 7, COUNT_V = 10, LIFT = 13, LUCK = 16, COLUMNS = 17 };
enum { ID_DIGITS = 20 };
_Static_assert(sizeof columns / sizeof *columns == COLUMNS, "three columns a figure");

const char *const *cooccurrence_columns(const void *cfg, uint32_t *n)
{
    *n = COLUMNS;
    return columns;
}

/* A pair that meets the query's conditions. */
struct cooccurrence_candidate {
    double strength; /* key by which candidates are sorted */
    uint32_t count;
    uint32_t slot : 31, late : 1; /* late: may be luck, and comes after all others */
};

/* Model, order and number of tests of an answer. */
struct cooccurrence_ranking {
    const struct cooccurrence *m;
    enum cooccurrence_rank rank;
    double could_be_rows;
    bool again; /* of struct leat_query */
};

/* ---- choice of pairs ---- */

static double cooccurrence_weight(const struct cooccurrence_ranking *r, uint32_t pair)
{
    return r->rank == BY_PMI ? cooccurrence_pmi(r->m, pair).low
                             : loss_log(cooccurrence_lift(r->m, pair).low);
}

static uint32_t cooccurrence_collect(struct cooccurrence_ranking *r, const struct leat_query *q,
                                     struct cooccurrence_candidate *candidate)
{
    const struct cooccurrence *m = r->m;
    bool by_count = q->order == LEAT_ORDER_SUPPORT || q->order == LEAT_ORDER_SHARE;
    uint32_t n = 0, least = q->min_count > m->opt.min_count ? q->min_count : m->opt.min_count;
    r->could_be_rows = cooccurrence_could_be_rows(m, least);
    for (uint32_t p = 0; p < m->pair.n; p++) {
        uint32_t low = m->pair.at[p].count - m->pair.at[p].excess;
        if (low < least) continue;
        double weight = cooccurrence_weight(r, p);
        if (q->positive && !(weight > 0)) continue;
        double luck = cooccurrence_luck(m, p, r->could_be_rows, r->again);
        if (q->max_luck > 0 && luck > q->max_luck) continue;
        bool late = r->rank == BY_LIFT && !by_count && luck > COOCCURRENCE_CHANCE;
        struct cooccurrence_candidate c = {.strength = by_count ? low : weight, .count = low};
        c.slot = p & 0x7fffffffu;
        c.late = late;
        candidate[n++] = c;
    }
    return n;
}

static int cooccurrence_by_strength(const void *x, const void *y)
{
    const struct cooccurrence_candidate *a = x, *b = y;
    if (a->late != b->late) return a->late ? 1 : -1;
    if (a->strength != b->strength) return a->strength > b->strength ? -1 : 1;
    if (a->count != b->count) return a->count > b->count ? -1 : 1;
    return (a->slot > b->slot) - (a->slot < b->slot);
}

/* ---- rows ---- */

static size_t cooccurrence_join_bytes(uint32_t name_bytes)
{
    size_t each = name_bytes > ID_DIGITS ? name_bytes : ID_DIGITS;
    return 2 * each + sizeof NAME_TIMES + 1;
}

size_t cooccurrence_answer_bytes(const struct cooccurrence_shape *s, uint32_t name_bytes)
{
    return s->kept * sizeof(struct cooccurrence_candidate) + cooccurrence_join_bytes(name_bytes);
}

/* A token in an answer: its name, or its id in decimal. */
struct token {
    uint32_t slot;
    const char *name;
    size_t len;
    char digits[ID_DIGITS + 1];
};

static void find_name(const struct cooccurrence_held *h, uint32_t slot, bool right, struct token *t)
{
    t->slot = slot;
    t->name = names_get(&h->names, slot, &t->len);
    if (t->len) return;
    uint64_t id = h->model.token.index.wide[slot];
    t->len = (size_t)sprintf(t->digits, "%" PRIu64, right ? id - COOCCURRENCE_RIGHT : id);
    t->name = t->digits;
}

/* Writes the name of a pair: "u & v", in the form of conjunctions (leat_name_text); or "u × v". */
static size_t join_names(const struct token *u, const struct token *v, bool sides, char *text)
{
    const char *between = sides ? NAME_TIMES : NAME_AND;
    size_t n = strlen(between);
    memcpy(text, u->name, u->len);
    memcpy(text + u->len, between, n);
    memcpy(text + u->len + n, v->name, v->len);
    return u->len + n + v->len;
}

/* Writes a figure and its bounds b to v[0 .. 2]. The figure lies between the bounds, at the
 * fraction `along` of the way from low to high. */
static void cooccurrence_put_figure(double *v, struct cooccurrence_bounds b, double along)
{
    v[0] = b.low + along * (b.high - b.low);
    v[1] = b.low;
    v[2] = b.high;
}

/* Writes the row of a pair. If the order of its tokens does not matter, their names are in
 * alphabetical order. So the pair has the same name in all models. */
static int cooccurrence_put_row(const struct cooccurrence_held *h,
                                const struct cooccurrence_ranking *r, uint32_t pair, char *text,
                                struct leat_result *out)
{
    const struct cooccurrence *m = &h->model;
    const struct cooccurrence_lift lift = cooccurrence_lift(m, pair);
    double v[COLUMNS] = {[WEIGHT] = cooccurrence_weight(r, pair),
                         [LUCK] = cooccurrence_luck(m, pair, r->could_be_rows, r->again)};
    struct token first, second;
    find_name(h, m->pair.at[pair].first, false, &first);
    find_name(h, m->pair.at[pair].second, m->opt.sides, &second);
    bool turned =
        !m->opt.ordered && !name_preferred(first.name, first.len, second.name, second.len);
    const struct token *a = turned ? &second : &first, *b = turned ? &first : &second;
    memcpy(v + LIFT, (double[]){lift.shown, lift.low, lift.high}, 3 * sizeof *v);
    cooccurrence_put_figure(v + PMI, cooccurrence_pmi(m, pair), 1.0 / 3);
    cooccurrence_put_figure(v + COUNT, cooccurrence_pair_count(m, pair), 0.5);
    cooccurrence_put_figure(v + COUNT_U, cooccurrence_token_count(m, a->slot), 0.5);
    cooccurrence_put_figure(v + COUNT_V, cooccurrence_token_count(m, b->slot), 0.5);
    return out->row(out, text, join_names(a, b, m->opt.sides, text), v);
}

int cooccurrence_answer(struct leat_ctx *ctx, const struct cooccurrence_held *h,
                        const struct leat_query *question, enum cooccurrence_rank rank,
                        struct leat_result *out)
{
    const struct leat_host *host = ctx->host;
    const struct leat_query q = answer_query(question);
    struct cooccurrence_ranking r = {.m = &h->model, .rank = rank, .again = q.again};
    int status = out->columns(out, columns, COLUMNS);
    if (!h->model.pair.n || !q.k || status != LEAT_OK) return status;
    struct cooccurrence_candidate *candidate =
        host->alloc(ctx, h->model.pair.n * sizeof *candidate);
    char *text = host->alloc(ctx, cooccurrence_join_bytes(h->names.max_bytes));
    if (candidate && text) {
        uint32_t n = cooccurrence_collect(&r, &q, candidate);
        qsort(candidate, n, sizeof *candidate, cooccurrence_by_strength);
        for (uint32_t i = 0; i < n && i < q.k && status == LEAT_OK; i++)
            status = cooccurrence_put_row(h, &r, candidate[i].slot, text, out);
    } else {
        status = host->fail(ctx, LEAT_ENOMEM, "there is not enough memory to rank %u pairs",
                            h->model.pair.n);
    }
    host->free(ctx, text);
    host->free(ctx, candidate);
    return status;
}
