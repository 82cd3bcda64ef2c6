/* product_state.c -- implementation of product.h: writes, reads and merges the state. */
#include "product.h"

#include <string.h>

#include "kernels/base/feature_id.h"
#include "kernels/product/product_state.h"
#include "common/state/state_fields.h"
#include "common/state/state_names.h"
#include "common/state/state_prefix.h"

/* ---- fields ---- */

/* Contents of a snapshot. The reader owns the arrays. */
struct product_state_saved {
    struct product_options opt;
    struct product_parts parts;
    const uint64_t *id[2];
    struct name_list names; /* names of the left side, then of the right side */
    uint32_t max_waiting;
    uint64_t ignored, unnamed;
};

static const struct state_field product_state_fields[] = {
#define AT(member) STATE_MEMBER(struct product_state_saved, member)
    {"method", STATE_SAME, .at = AT(opt.method), .choices = product_model_methods},
    {"size", STATE_SAME, .at = AT(opt.l)},
    {"iterations", STATE_SAME, .at = AT(opt.iterations)},
    {"failure", STATE_SAME, .at = AT(opt.failure)},
    {"seed", STATE_SAME, .at = AT(opt.seed)},
    {"form", STATE_SAME, .at = AT(opt.paper), .choices = product_model_forms},
    {"half_life", STATE_SAME, .at = AT(opt.half_life)},
    {"columns", STATE_VALUE, .at = AT(parts.used), .limit = AT(opt.l), .hint = "size"},
    {"waiting", STATE_VALUE, .at = AT(parts.columns), .limit = AT(max_waiting)},
    {"ignored", STATE_VALUE, .at = AT(ignored), .max = COUNT_MAX},
    {"unnamed", STATE_VALUE, .at = AT(unnamed), .max = COUNT_MAX},
    {"pairs", STATE_VALUE, .at = AT(parts.sums.pairs), .max = COUNT_MAX},
    {"skipped", STATE_VALUE, .at = AT(parts.sums.skipped), .max = COUNT_MAX},
    {"random", STATE_VALUE, .at = AT(parts.sums.random)},
    {"checks", STATE_VALUE, .at = AT(parts.sums.checks), .max = COUNT_MAX},
    {"refused", STATE_VALUE, .at = AT(parts.sums.refused), .max = COUNT_MAX},
    {"shrinks", STATE_VALUE, .at = AT(parts.sums.shrinks), .max = COUNT_MAX},
    {"grown", STATE_VALUE, .at = AT(parts.sums.grown), .min = 1, .max = 2 * PRODUCT_MAX_GROWN},
    {"squares", STATE_INSIDE, .at = AT(parts.sums.square), .each = 2, .max = PRODUCT_MAX_SUM},
    {"weight", STATE_VALUE, .at = AT(parts.sums.weight), .max = PRODUCT_MAX_SUM},
    {"lost", STATE_VALUE, .at = AT(parts.sums.lost), .max = PRODUCT_MAX_SUM},
    {"doubted", STATE_VALUE, .at = AT(parts.sums.doubted), .max = PRODUCT_MAX_SUM},
#undef AT
};

/* Fields that a state has only if the half-life is in event time. */
#define AT(member) STATE_MEMBER(struct product_state_saved, parts.sums.at.member)
static const struct state_field product_state_times[] = {
    STATE_HALF_LIFE(AT(newest), AT(least), AT(ahead), AT(seen)),
};
#undef AT

static struct state_table product_state_times_of(const struct product_state_saved *v)
{
    return (struct state_table){product_state_times, v->opt.by_time};
}

/* One side in a snapshot: its rows, and its features of the pairs that are still in buffers. */
struct product_state_saved_side {
    struct product_side_parts parts;
    uint32_t used;
    uint64_t starts;
    const uint64_t *id;
};

static const struct state_field product_state_side_fields[] = {
#define AT(member) STATE_MEMBER(struct product_state_saved_side, member)
    {"n_features", STATE_VALUE, .at = AT(parts.features), .max = FEATURE_TABLE_MAX},
    {"n_entries", STATE_VALUE, .at = AT(parts.entries)},
    {"ids", STATE_LENT, .at = AT(id), .count = {AT(parts.features)}},
    {"rows", STATE_LENT, .at = AT(parts.rows), .count = {AT(parts.features), AT(used)},
     .min = -PRODUCT_MAX_NUMBER, .max = PRODUCT_MAX_NUMBER},
    {"starts", STATE_LENT, .at = AT(parts.start), .count = {AT(starts)}},
    {"features", STATE_LENT, .at = AT(parts.feature), .count = {AT(parts.entries)}},
    {"values", STATE_LENT, .at = AT(parts.value), .count = {AT(parts.entries)},
     .min = -PRODUCT_MAX_VALUE, .max = PRODUCT_MAX_VALUE},
#undef AT
};

static const char *const product_state_prefixes[] = {"left.", "right."},
                         *const product_state_sides[] = {"left", "right"};

static struct product_state_saved_side product_state_side_of(const struct product_state_saved *v,
                                                             int s)
{
    const struct product_parts *p = &v->parts;
    return (struct product_state_saved_side){.parts = p->side[s],
                                             .used = p->used,
                                             .starts = p->columns ? p->columns + 1ull : 0,
                                             .id = v->id[s]};
}

static struct product_state_saved product_state_saved_of(const struct product_model *m)
{
    const struct growing *g = m->side;
    return (struct product_state_saved){
        .opt = m->sketch.opt,
        .parts = product_parts(&m->sketch),
        .id = {g[0].table.id, g[1].table.id},
        .max_waiting = product_waits(&m->sketch.opt) ? UINT32_MAX - 1 : 0,
        .ignored = g[0].table.ignored + g[1].table.ignored,
        .unnamed = g[0].names.dropped + g[1].names.dropped,
    };
}

/* ---- writing ---- */

static void product_state_list_names(const void *model, struct name_list *l)
{
    const struct product_model *m = model;
    for (int s = 0; s < 2; s++)
        for (uint32_t f = 0; f < m->side[s].table.n; f++) {
            const struct growing *g = &m->side[s];
            size_t len;
            const char *name = name_pool_get(&g->names, g->table.tag[f], &len);
            name_list_add(l, g->table.tag[f] ? name : NULL, len);
        }
}

static int product_state_write_side(struct leat_ctx *ctx, const struct product_model *m,
                                    const struct product_state_saved *v, int s,
                                    struct leat_writer *w)
{
    struct state_prefix_writer p;
    struct product_state_saved_side side = product_state_side_of(v, s);
    size_t n = (size_t)side.parts.features * side.used;
    double *rows = ctx->host->alloc(ctx, (n + 1) * sizeof *rows);
    if (!rows)
        return ctx->host->fail(ctx, LEAT_ENOMEM, "there is not enough memory for a copy of %u rows",
                               side.parts.features);
    product_pack(&m->sketch, s, rows);
    side.parts.rows = rows;
    int status = state_write(state_prefix_writer(&p, w, product_state_prefixes[s]),
                             STATE_TABLE(product_state_side_fields), &side);
    ctx->host->free(ctx, rows);
    return status;
}

int product_state_write(struct leat_ctx *ctx, void *self, struct leat_writer *w)
{
    const struct product_model *m = ((struct product_stage *)self)->model;
    struct product_state_saved v = product_state_saved_of(m);
    struct state_table time = product_state_times_of(&v);
    int status = state_write(w, STATE_TABLE(product_state_fields), &v);
    if (status == LEAT_OK) status = state_write(w, time.field, time.n, &v);
    for (int s = 0; s < 2 && status == LEAT_OK; s++)
        status = product_state_write_side(ctx, m, &v, s, w);
    if (status != LEAT_OK) return status;
    return state_write_names(w, product_state_list_names, m,
                             m->side[0].table.n + m->side[1].table.n);
}

/* ---- reading ---- */

static int product_state_read_side(struct leat_reader *r, struct product_state_saved *v, int s)
{
    struct state_prefix_reader p;
    struct product_state_saved_side side = product_state_side_of(v, s);
    int status =
        state_read(state_prefix_reader(&p, r, product_state_prefixes[s], product_state_sides[s]),
                   STATE_TABLE(product_state_side_fields), &side);
    v->id[s] = side.id;
    v->parts.side[s] = side.parts;
    return status;
}

/* Reads a snapshot. Its parameters must equal those of `live`. */
static int product_state_read_saved(struct leat_reader *r, const struct product_model *live,
                                    struct product_state_saved *v)
{
    *v = product_state_saved_of(live);
    struct state_table time = product_state_times_of(v);
    if (state_read(r, STATE_TABLE(product_state_fields), v) != LEAT_OK ||
        state_read(r, time.field, time.n, v) != LEAT_OK ||
        product_state_read_side(r, v, 0) != LEAT_OK ||
        product_state_read_side(r, v, 1) != LEAT_OK ||
        state_read_names(r, v->parts.side[0].features + v->parts.side[1].features, &v->names) !=
            LEAT_OK)
        return LEAT_EDATA;
    const char *wrong = product_check_parts(&v->opt, &v->parts);
    return wrong ? r->refuse(r, "%s", wrong) : LEAT_OK;
}

/* Adds the saved features to m's tables, and gives names to features that have none. If `number` is
 * not NULL, sets number[s][i] to the number in m of feature i of side s; FEATURE_TABLE_NONE if
 * max_features was reached. */
static void product_state_enroll_features(struct product_model *m,
                                          const struct product_state_saved *v,
                                          uint32_t *const number[2])
{
    uint64_t at = 0;
    uint32_t i = 0;
    for (int s = 0; s < 2; s++)
        for (uint32_t f = 0; f < v->parts.side[s].features; f++) {
            struct growing *g = &m->side[s];
            size_t len;
            const char *name = name_list_next(&v->names, i++, &at, &len);
            uint32_t n = feature_table_enroll(&g->table, v->id[s][f]);
            if (number) number[s][f] = n;
            if (n == FEATURE_TABLE_NONE || !name || g->table.tag[n] || !g->names.bytes) continue;
            g->table.tag[n] = name_pool_add(&g->names, name, len);
        }
    struct growing *first = &m->side[0];
    first->table.ignored = count_add(first->table.ignored, v->ignored, 1);
    first->names.dropped = count_add(first->names.dropped, v->unnamed, 1);
}

/* Makes room for n[s] more features in the table of each side s, at most for max_features. */
static void product_state_reserve_features(struct leat_ctx *ctx, struct product_model *m,
                                           const uint32_t n[2])
{
    for (int s = 0; s < 2; s++)
        growing_reserve(ctx, &m->side[s], n[s]);
}

static int product_state_take_saved(struct leat_ctx *ctx, struct product_model *m,
                                    struct leat_reader *r, const struct product_state_saved *v)
{
    const uint32_t n[2] = {v->parts.side[0].features, v->parts.side[1].features};
    for (int s = 0; s < 2; s++)
        if (n[s] > m->side[s].table.max_capacity)
            return r->refuse(r, "%s.n_features is %u, and max_features allows %u here",
                             product_state_sides[s], n[s], m->side[s].table.max_capacity);
    product_state_reserve_features(ctx, m, n);
    product_state_enroll_features(m, v, NULL);
    for (int s = 0; s < 2; s++)
        if (m->side[s].table.n != n[s])
            return r->refuse(r, "%s." FEATURE_ID_TWICE, product_state_sides[s]);
    product_load(&m->sketch, &v->parts);
    return LEAT_OK;
}

/* Builds the saved model, and sets *model to it. */
static int product_state_build_model(struct leat_ctx *ctx, struct leat_reader *r,
                                     const struct product_state_saved *v,
                                     struct product_model **model)
{
    int status = product_model_open(ctx, ctx->cfg, &v->opt, model);
    if (status == LEAT_OK) status = product_state_take_saved(ctx, *model, r, v);
    if (status != LEAT_OK) product_model_close(ctx, *model);
    return status;
}

int product_state_restore(struct leat_ctx *ctx, void *self, struct leat_reader *r, uint32_t version)
{
    struct product_stage *live = self;
    struct product_state_saved v;
    struct product_model *m;
    int status = state_check_version(r, version, PRODUCT_STATE_VERSION);
    if (status == LEAT_OK) status = product_state_read_saved(r, live->model, &v);
    if (status == LEAT_OK) status = product_state_build_model(ctx, r, &v, &m);
    if (status != LEAT_OK) return status;
    product_model_close(ctx, live->model);
    live->model = m;
    return LEAT_OK;
}

/* ---- merging ---- */

static int product_state_join_models(struct leat_ctx *ctx, struct product_model *live,
                                     struct product_model *other,
                                     const struct product_state_saved *v, double count)
{
    const struct leat_host *h = ctx->host;
    const uint32_t n[2] = {v->parts.side[0].features, v->parts.side[1].features};
    uint32_t *block = h->alloc(ctx, ((size_t)n[0] + n[1] + 1) * sizeof *block);
    if (!block)
        return h->fail(ctx, LEAT_ENOMEM, "there is not enough memory to merge %u features",
                       n[0] + n[1]);
    uint32_t *const number[2] = {block, block + n[0]};
    product_state_reserve_features(ctx, live, n);
    product_state_enroll_features(live, v, number);
    bool finite = product_merge(&live->sketch, &other->sketch, number, count);
    h->free(ctx, block);
    return finite ? LEAT_OK
                  : h->fail(ctx, LEAT_ENONFINITE, "the sketch's numbers became too large");
}

int product_state_merge(struct leat_ctx *ctx, void *self, struct leat_reader *r, double count)
{
    struct product_stage *live = self;
    struct product_state_saved v;
    struct product_model *other, *kept = live->model;
    int status = state_check_weight(r, count);
    if (status == LEAT_OK) status = product_state_read_saved(r, kept, &v);
    if (status == LEAT_OK) status = product_state_build_model(ctx, r, &v, &other);
    if (status != LEAT_OK) return status;
    if (count == 1 && kept->sketch.sums.pairs == 0) { /* live becomes a copy of the saved model */
        live->model = other;
        other = kept;
    } else if (count > 0 && v.parts.sums.pairs > 0) {
        status = product_state_join_models(ctx, kept, other, &v, count);
    }
    product_model_close(ctx, other);
    return status;
}
