/* product_state.h -- the state of learn.product as fields: written, read, merged.
 *
 * Only glue; plugins/kernels/product/product_state.c makes sketches of parts and sums of two. What
 * is read goes into a second model, which takes the live one's place when nothing can fail any
 * more.
 */
#ifndef LEAT_LEARNERS_PRODUCT_PRODUCT_STATE_H
#define LEAT_LEARNERS_PRODUCT_PRODUCT_STATE_H

#include "kernels/product/product_state.h"
#include "support/state_fields.h"
#include "support/state_names.h"
#include "support/product_model.h"

enum { PRODUCT_STATE_VERSION = 1 };

static const char *const product_id_fields[] = {"left_ids", "right_ids"};
static const char *const product_row_fields[] = {"left_rows", "right_rows"};
static const char *const product_waiting_fields[2][3] = {
    {"left_starts", "left_features", "left_values"},
    {"right_starts", "right_features", "right_values"}};

/* ---- writing ---- */

static inline void product_list_names(const void *model, struct name_list *l)
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

static inline int product_write_sums(struct leat_writer *w, const struct product_sums *s)
{
    const uint64_t counts[] = {s->pairs, s->skipped, s->random, s->checks, s->refused, s->shrinks};
    const double sums[] = {s->square[0], s->square[1], s->weight, s->lost, s->doubted};
    w->array(w, "counts", LEAT_U64, counts, 6);
    return w->array(w, "sums", LEAT_F64, sums, 5);
}

static inline int product_write_side(struct leat_ctx *ctx, struct leat_writer *w,
                                     const struct product_model *m, const struct product_parts *p,
                                     int s)
{
    const struct feature_table *t = &m->side[s].table;
    uint64_t n = (uint64_t)t->n * p->used;
    double *rows = ctx->host->alloc(ctx, (n + 1) * sizeof *rows);
    if (!rows) return ctx->host->fail(ctx, LEAT_ENOMEM, "no memory for a copy of %u rows", t->n);
    product_pack(&m->sketch, s, rows);
    w->array(w, product_id_fields[s], LEAT_U64, t->id, t->n);
    int status = w->array(w, product_row_fields[s], LEAT_F64, rows, n);
    ctx->host->free(ctx, rows);
    if (!p->columns || status != LEAT_OK) return status;
    const char *const *name = product_waiting_fields[s];
    w->array(w, name[0], LEAT_U32, p->buffer[s].start, p->columns + 1ull);
    w->array(w, name[1], LEAT_U32, p->buffer[s].feature, p->buffer[s].entries);
    return w->array(w, name[2], LEAT_F64, p->buffer[s].value, p->buffer[s].entries);
}

static inline int product_write(struct leat_ctx *ctx, const struct product_model *m,
                                struct leat_writer *w)
{
    const struct product_options *o = &m->sketch.opt;
    struct product_parts p = product_parts(&m->sketch);
    w->u64(w, "method", o->method);
    w->u64(w, "size", o->l);
    w->u64(w, "iterations", o->iterations);
    w->f64(w, "failure", o->failure);
    w->u64(w, "seed", o->seed);
    w->u64(w, "columns", p.used);
    w->u64(w, "waiting", p.columns);
    w->u64(w, "ignored", m->side[0].table.ignored + m->side[1].table.ignored);
    w->u64(w, "unnamed", m->side[0].names.dropped + m->side[1].names.dropped);
    product_write_sums(w, &p.sums);
    for (int s = 0; s < 2; s++) {
        int status = product_write_side(ctx, w, m, &p, s);
        if (status != LEAT_OK) return status;
    }
    return state_write_names(w, product_list_names, m, m->side[0].table.n + m->side[1].table.n);
}

/* ---- reading ---- */

/* What was written. Arrays are lent by the reader. */
struct product_said {
    struct product_parts parts;
    const uint64_t *id[2];
    struct name_list names; /* left, then right */
    uint64_t ignored, unnamed;
};

static inline int product_same_options(struct leat_reader *r, const struct product_options *o)
{
    int bad = state_same_choice(r, "method", product_model_methods, o->method) |
              r->same_u64(r, "size", o->l) | r->same_u64(r, "iterations", o->iterations) |
              r->same_f64(r, "failure", o->failure) | r->same_u64(r, "seed", o->seed);
    return bad ? LEAT_EDATA : LEAT_OK; /* the reader keeps the first reason */
}

static inline int product_read_sums(struct leat_reader *r, struct product_sums *s)
{
    const void *counts, *sums;
    if (state_read_array(r, "counts", LEAT_U64, 6, &counts) != LEAT_OK ||
        state_read_array(r, "sums", LEAT_F64, 5, &sums) != LEAT_OK)
        return LEAT_EDATA;
    const uint64_t *c = counts;
    const double *v = sums;
    *s = (struct product_sums){.pairs = c[0],
                               .skipped = c[1],
                               .random = c[2],
                               .checks = c[3],
                               .refused = c[4],
                               .shrinks = c[5],
                               .square = {v[0], v[1]},
                               .weight = v[2],
                               .lost = v[3],
                               .doubted = v[4]};
    return LEAT_OK;
}

static inline int product_read_waiting(struct leat_reader *r, struct product_parts *p, int s)
{
    const void *start, *feature, *value;
    const char *const *name = product_waiting_fields[s];
    uint64_t n = 0;
    if (state_read_array(r, name[0], LEAT_U32, p->columns + 1ull, &start) != LEAT_OK ||
        r->array(r, name[1], LEAT_U32, &feature, &n) != LEAT_OK ||
        state_read_array(r, name[2], LEAT_F64, n, &value) != LEAT_OK)
        return LEAT_EDATA;
    if (n > UINT32_MAX) return r->refuse(r, "%s are %llu", name[1], (unsigned long long)n);
    p->buffer[s].start = start;
    p->buffer[s].feature = feature;
    p->buffer[s].value = value;
    p->buffer[s].entries = (uint32_t)n;
    return LEAT_OK;
}

static inline int product_read_side(struct leat_reader *r, struct product_said *said, int s)
{
    struct product_parts *p = &said->parts;
    const void *id, *rows;
    uint64_t n = 0;
    if (r->array(r, product_id_fields[s], LEAT_U64, &id, &n) != LEAT_OK) return LEAT_EDATA;
    if (n > FEATURE_TABLE_MAX)
        return r->refuse(r, "%s are %llu", product_id_fields[s], (unsigned long long)n);
    if (state_read_array(r, product_row_fields[s], LEAT_F64, n * p->used, &rows) != LEAT_OK)
        return LEAT_EDATA;
    said->id[s] = id;
    p->features[s] = (uint32_t)n;
    p->rows[s] = rows;
    return p->columns ? product_read_waiting(r, p, s) : LEAT_OK;
}

static inline int product_read(struct leat_reader *r, const struct product_options *o,
                               struct product_said *said)
{
    uint64_t used, waiting;
    *said = (struct product_said){0};
    if (product_same_options(r, o) != LEAT_OK || r->u64(r, "columns", &used) != LEAT_OK ||
        r->u64(r, "waiting", &waiting) != LEAT_OK ||
        r->u64(r, "ignored", &said->ignored) != LEAT_OK ||
        r->u64(r, "unnamed", &said->unnamed) != LEAT_OK ||
        product_read_sums(r, &said->parts.sums) != LEAT_OK)
        return LEAT_EDATA;
    if (used > o->l) return r->refuse(r, "columns are %llu", (unsigned long long)used);
    if (waiting > (product_buffers(o) ? UINT32_MAX - 1 : 0))
        return r->refuse(r, "waiting are %llu", (unsigned long long)waiting);
    said->parts.used = (uint32_t)used;
    said->parts.columns = (uint32_t)waiting;
    if (product_read_side(r, said, 0) != LEAT_OK || product_read_side(r, said, 1) != LEAT_OK)
        return LEAT_EDATA;
    if (state_read_names(r, said->parts.features[0] + said->parts.features[1], &said->names) !=
        LEAT_OK)
        return LEAT_EDATA;
    const char *wrong = product_check_parts(o, &said->parts);
    return wrong ? r->refuse(r, "%s", wrong) : LEAT_OK;
}

/* Give the features that were written numbers, and names where they have none. number[s]: NULL, or
 * room for what they are numbered. Features beyond max_features have none. */
static inline void product_enroll(struct product_model *m, const struct product_said *said,
                                  uint32_t *const number[2])
{
    uint64_t at = 0;
    uint32_t i = 0;
    for (int s = 0; s < 2; s++)
        for (uint32_t f = 0; f < said->parts.features[s]; f++) {
            struct growing *g = &m->side[s];
            size_t len;
            const char *name = name_list_next(&said->names, i++, &at, &len);
            uint32_t n = feature_table_enroll(&g->table, said->id[s][f]);
            if (number) number[s][f] = n;
            if (n == FEATURE_TABLE_NONE || !name || g->table.tag[n] || !g->names_block) continue;
            g->table.tag[n] = name_pool_add(&g->names, name, len);
        }
    m->side[0].table.ignored += said->ignored;
    m->side[0].names.dropped += said->unnamed;
}

/* Room for n features more, or all that max_features allows. */
static inline int product_features_room(struct leat_ctx *ctx, struct growing *g, uint32_t n)
{
    uint32_t most = g->max_capacity;
    growing_reserve(ctx, g, n);
    if (g->max_capacity == most) return LEAT_OK;
    g->max_capacity = most; /* there was no memory this time */
    return ctx->host->fail(ctx, LEAT_ENOMEM, "no memory for %u more features", n);
}

/* Room for the features that were written, and so for the waiting pairs. */
static inline int product_hold(struct leat_ctx *ctx, struct product_model *m, struct leat_reader *r,
                               const struct product_parts *p)
{
    for (int s = 0; s < 2; s++) {
        int status = product_features_room(ctx, &m->side[s], p->features[s]);
        if (status != LEAT_OK) return status;
        if (feature_table_room(&m->side[s].table) < p->features[s])
            return r->refuse(r, "it has %u features on one side; max_features allows %u here",
                             p->features[s], m->side[s].table.capacity);
    }
    return product_model_follow(ctx, m);
}

/* The model that was written. */
static inline int product_build(struct leat_ctx *ctx, const struct growing_cfg *c,
                                const struct product_options *o, struct leat_reader *r,
                                const struct product_said *said, struct product_model **model)
{
    struct product_model *m;
    const struct product_parts *p = &said->parts;
    int status = product_model_open(ctx, c, o, &m);
    if (status == LEAT_OK) status = product_hold(ctx, m, r, p);
    if (status == LEAT_OK) product_enroll(m, said, NULL);
    for (int s = 0; s < 2 && status == LEAT_OK; s++)
        if (m->side[s].table.n != p->features[s])
            status = r->refuse(r, "%s has an id twice", product_id_fields[s]);
    if (status == LEAT_OK) {
        product_load(&m->sketch, p);
        *model = m;
    } else {
        product_model_close(ctx, m);
    }
    return status;
}

static inline int product_restore(struct leat_ctx *ctx, const struct growing_cfg *c,
                                  struct product_model **live, struct leat_reader *r)
{
    struct product_said said;
    struct product_model *m;
    const struct product_options *o = &(*live)->sketch.opt;
    int status = product_read(r, o, &said);
    if (status == LEAT_OK) status = product_build(ctx, c, o, r, &said, &m);
    if (status != LEAT_OK) return status;
    product_model_close(ctx, *live);
    *live = m;
    return LEAT_OK;
}

/* ---- merging ---- */

static inline int product_join(struct leat_ctx *ctx, struct product_model *live,
                               struct product_model *other, const struct product_said *said,
                               double count)
{
    const struct leat_host *h = ctx->host;
    const uint32_t *n = said->parts.features;
    uint32_t *block = h->alloc(ctx, ((size_t)n[0] + n[1] + 1) * sizeof *block);
    if (!block) return h->fail(ctx, LEAT_ENOMEM, "no memory to merge %u features", n[0] + n[1]);
    uint32_t *const number[2] = {block, block + n[0]};
    int status = product_features_room(ctx, &live->side[0], n[0]);
    if (status == LEAT_OK) status = product_features_room(ctx, &live->side[1], n[1]);
    if (status == LEAT_OK) status = product_model_follow(ctx, live);
    if (status == LEAT_OK) {
        product_enroll(live, said, number);
        if (!product_merge(&live->sketch, &other->sketch, number, count))
            status = h->fail(ctx, LEAT_ENONFINITE, "the sketch's numbers became too large");
    }
    h->free(ctx, block);
    return status;
}

/* Nothing of the live model changes unless the result is LEAT_OK, or LEAT_ENONFINITE, which ends
 * the run.
 */
static inline int product_read_merge(struct leat_ctx *ctx, const struct growing_cfg *c,
                                     struct product_model **live, struct leat_reader *r,
                                     double count)
{
    struct product_said said;
    struct product_model *m, *kept = *live;
    int status = state_check_weight(r, count);
    if (status == LEAT_OK) status = product_read(r, &kept->sketch.opt, &said);
    if (status == LEAT_OK) status = product_build(ctx, c, &kept->sketch.opt, r, &said, &m);
    if (status != LEAT_OK) return status;
    if (count == 1 && kept->sketch.sums.pairs == 0) { /* fresh: bit for bit the other */
        *live = m;
        m = kept;
    } else if (count > 0 && said.parts.sums.pairs > 0) {
        status = product_join(ctx, kept, m, &said, count);
    }
    product_model_close(ctx, m);
    return status;
}

#endif
