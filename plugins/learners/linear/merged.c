/* merged.c -- implementation of merged.h. */
#include "merged.h"

#include <math.h>
#include <string.h>

#include "kernels/base/count.h"
#include "common/state/state_fields.h"
#include "common/state/state_names.h"
#include "common/state/state_prefix.h"

/* ---- memory ---- */

static int merged_lacks_memory(struct leat_ctx *ctx, uint64_t features)
{
    return ctx->host->fail(ctx, LEAT_ENOMEM, "there is not enough memory to merge %llu features",
                           (unsigned long long)features);
}

struct merged *merged_new(struct leat_ctx *ctx, struct sums_fields fields, uint64_t cells)
{
    struct merged *m = ctx->host->alloc(ctx, sizeof *m);
    if (!m) return NULL;
    *m = (struct merged){.sums = {.fields = fields, .cells = cells}};
    m->sums.feature.each = fields.each;
    m->sums.owner.each = SUMS_OWNER;
    return m;
}

int merged_make_room(struct leat_ctx *ctx, struct merged *m, uint32_t features, uint32_t owners,
                     uint64_t name_bytes, bool parts)
{
    const struct leat_host *h = ctx->host;
    m->block = h->alloc(ctx, sums_block_bytes(&m->sums, features, owners));
    m->names.size = h->alloc(ctx, (features + 1ull) * sizeof *m->names.size);
    m->names.text = h->alloc(ctx, name_bytes + 1);
    m->parts = parts ? h->alloc(ctx, (features + 1ull) * sizeof *m->parts) : NULL;
    if (!m->block || !m->names.size || !m->names.text || (parts && !m->parts))
        return merged_lacks_memory(ctx, features);
    sums_lay_out(&m->sums, features, owners, m->block);
    return LEAT_OK;
}

void merged_free(struct leat_ctx *ctx, struct merged *m)
{
    if (!m) return;
    ctx->host->free(ctx, m->spread);
    ctx->host->free(ctx, m->parts);
    ctx->host->free(ctx, m->names.text);
    ctx->host->free(ctx, m->names.size);
    ctx->host->free(ctx, m->block);
    ctx->host->free(ctx, m);
}

/* ---- adding ---- */

/* The names of a model's features, read in their order. */
struct merged_names {
    const struct merged *of;
    uint64_t at;
};

static const char *merged_next_name(struct merged_names *n, uint32_t row, size_t *len)
{
    *len = 0;
    const char *name = row ? name_list_next(&n->of->names, row - 1, &n->at, len) : NULL;
    return name ? name : "";
}

/* Names each feature of m by name_preferred(), with the parts of that name. */
static void merged_join_names(struct merged *m, const struct merged *a, const struct merged *b,
                              const struct sums_origin *origin)
{
    struct merged_names in_a = {.of = a}, in_b = {.of = b};
    for (uint32_t k = 0; k < m->sums.feature.n; k++) {
        size_t a_len, b_len;
        const struct sums_origin *o = &origin[k];
        const char *of_a = merged_next_name(&in_a, o->a, &a_len),
                   *of_b = merged_next_name(&in_b, o->b, &b_len);
        bool take_a = name_preferred(of_a, a_len, of_b, b_len);
        const char *name = take_a ? of_a : of_b;
        size_t len = take_a ? a_len : b_len;
        name_list_add(&m->names, len ? name : NULL, len);
        if (!m->parts) continue;
        bool part_of_a = o->a && a->parts && (take_a || !o->b || !b->parts);
        if (part_of_a) m->parts[k] = a->parts[o->a - 1];
        if (!part_of_a && o->b && b->parts) m->parts[k] = b->parts[o->b - 1];
    }
}

int merged_join(struct leat_ctx *ctx, const struct merged *a, const struct merged *b, double count,
                const struct sgd_options *opt, struct merged **out)
{
    const struct sums *in_a = &a->sums, *in_b = &b->sums;
    uint64_t features = (uint64_t)in_a->feature.n + in_b->feature.n,
             owners = (uint64_t)in_a->owner.n + in_b->owner.n,
             rows = features > owners ? features : owners;
    struct merged *m = merged_new(ctx, in_a->fields, in_a->cells);
    struct sums_origin *origin = ctx->host->alloc(ctx, (rows + 1) * sizeof *origin);
    int status = m && origin && rows < UINT32_MAX ? LEAT_OK : merged_lacks_memory(ctx, features);
    if (status == LEAT_OK)
        status = merged_make_room(ctx, m, (uint32_t)features, (uint32_t)owners,
                                  a->names.bytes + b->names.bytes, a->parts || b->parts);
    if (status == LEAT_OK) {
        sums_add(&m->sums, in_a, in_b, count, opt->by_time ? opt->half_life : 0, origin);
        merged_join_names(m, a, b, origin);
        m->unnamed = count_add(a->unnamed, b->unnamed, 1);
    } else {
        merged_free(ctx, m);
        m = NULL;
    }
    ctx->host->free(ctx, origin);
    *out = m;
    return status;
}

/* ---- averages and errors ---- */

/* Sums of an average: its records L, L v, L^2 V, and its moves. */
enum { MERGED_RECORDS, MERGED_MEAN, MERGED_VARIANCE, MERGED_MOVES };

void merged_take_average(struct merged *m, uint32_t k, const struct averages *a, uint32_t f)
{
    if (!m->sums.fields.average || !a->of) return;
    struct fixed *row = sums_row(&m->sums.feature, k) + m->sums.fields.average;
    struct average v = averages_get(a, f);
    double L = (double)v.records;
    row[MERGED_RECORDS] = fixed_of(L);
    row[MERGED_MEAN] = fixed_of(L * (double)v.mean);
    row[MERGED_VARIANCE] = fixed_of(L * L * averages_variance(&v));
    row[MERGED_MOVES] = fixed_of((double)v.moves);
}

void merged_give_average(const struct merged *m, uint32_t k, struct averages *a, uint32_t f)
{
    if (!m->sums.fields.average || !a->of) return;
    const struct fixed *row = sums_row(&m->sums.feature, k) + m->sums.fields.average;
    double L = fixed_value(&row[MERGED_RECORDS]);
    if (!(L > 0)) return;
    averages_set(a, f,
                 averages_of(L, fixed_value(&row[MERGED_MEAN]) / L,
                             fixed_value(&row[MERGED_VARIANCE]) / L / L,
                             fixed_value(&row[MERGED_MOVES])));
}

int merged_note_spread(struct leat_ctx *ctx, struct merged *m, const struct sums_place *place,
                       uint32_t n)
{
    m->spread = ctx->host->alloc(ctx, (n + 1ull) * sizeof *m->spread);
    if (!m->spread) return merged_lacks_memory(ctx, n);
    double sum = 0;
    uint32_t known = 0;
    for (uint32_t k = 0; k < n; k++) {
        double e = m->spread[k] =
            sums_spread(sums_row(&m->sums.feature, place[k].row), place[k].by);
        if (isnan(e)) continue;
        sum += e * e;
        known++;
    }
    m->error = known ? sqrt(sum / known) : (double)NAN;
    return LEAT_OK;
}

/* ---- states ---- */

#define AT(member) STATE_MEMBER(struct sums, member)
static const struct state_field merged_clock[] = {
    {"models", STATE_VALUE, .at = AT(models), .min = 1, .max = COUNT_MAX},
    {"examples", STATE_VALUE, .at = AT(t), .max = COUNT_MAX},
    {"records", STATE_INSIDE, .at = AT(records), .each = 2, .max = COUNT_MAX},
    {"dropped", STATE_VALUE, .at = AT(dropped), .max = COUNT_MAX},
    STATE_HALF_LIFE(AT(at.newest), AT(at.least), AT(at.ahead), AT(at.seen)),
};
#undef AT

static int merged_write_fixed(struct leat_writer *w, const char *name, const struct fixed *v,
                              uint64_t n)
{
    return w->array(w, name, LEAT_U64, v, n * FIXED_WORDS);
}

static void merged_list_names(const void *of, struct name_list *list)
{
    struct merged_names names = {.of = of};
    for (uint32_t k = 0; k < names.of->sums.feature.n; k++) {
        size_t len;
        const char *name = merged_next_name(&names, k + 1, &len);
        name_list_add(list, len ? name : NULL, len);
    }
}

static int merged_write_table(struct leat_writer *w, const char *ids, const char *values,
                              const struct sums_table *t)
{
    int status = w->array(w, ids, LEAT_U64, t->id, t->n);
    return status == LEAT_OK ? merged_write_fixed(w, values, t->value, (uint64_t)t->n * t->each)
                             : status;
}

static int merged_write_sums(const struct merged *m, struct leat_writer *w)
{
    const struct sums *s = &m->sums;
    int status = state_write(w, STATE_TABLE(merged_clock), s);
    if (status == LEAT_OK) status = w->u64(w, "unnamed", m->unnamed);
    if (status == LEAT_OK) status = merged_write_fixed(w, "clock", s->clock, SUMS_CLOCK);
    if (status == LEAT_OK) status = merged_write_table(w, "ids", "features", &s->feature);
    if (status == LEAT_OK) status = merged_write_table(w, "owners", "owned", &s->owner);
    if (status == LEAT_OK)
        status = merged_write_fixed(w, "cells", s->cell, s->cells * s->fields.cell);
    if (status == LEAT_OK)
        status = w->array(w, "priorities", LEAT_F32, s->priority, s->priority ? s->feature.n : 0);
    if (status == LEAT_OK) status = state_write_name_parts(w, m->parts, s->feature.n);
    return status == LEAT_OK ? state_write_names(w, merged_list_names, m, s->feature.n) : status;
}

int merged_write(const struct merged *m, struct leat_writer *w)
{
    struct state_prefix_writer p;
    int status = w->u64(w, "merged", m != NULL);
    return m && status == LEAT_OK ? merged_write_sums(m, state_prefix_writer(&p, w, "sums."))
                                  : status;
}

/* ---- reading ---- */

/* Arrays of saved sums, in memory of the reader. */
struct merged_saved {
    const void *clock, *id, *value, *owner, *owned, *cell, *priority;
    uint64_t n, owners;
    struct name_list names;
    const struct redundancy_parts *parts;
};

static int merged_read_arrays(struct leat_reader *r, const struct sums *s, struct merged_saved *v)
{
    const uint64_t words = FIXED_WORDS, most = UINT32_MAX / 2;
    if (r->array(r, "clock", LEAT_U64, words * SUMS_CLOCK, &v->clock) != LEAT_OK ||
        r->array_up_to(r, "ids", LEAT_U64, most, &v->id, &v->n) != LEAT_OK ||
        r->array(r, "features", LEAT_U64, v->n * s->feature.each * words, &v->value) != LEAT_OK ||
        r->array_up_to(r, "owners", LEAT_U64, s->fields.owned ? most : 0, &v->owner, &v->owners) !=
            LEAT_OK ||
        r->array(r, "owned", LEAT_U64, v->owners * SUMS_OWNER * words, &v->owned) != LEAT_OK ||
        r->array(r, "cells", LEAT_U64, s->cells * s->fields.cell * words, &v->cell) != LEAT_OK ||
        r->array(r, "priorities", LEAT_F32, s->fields.priority ? v->n : 0, &v->priority) !=
            LEAT_OK ||
        state_read_name_parts(r, v->n, &v->parts) != LEAT_OK)
        return LEAT_EDATA;
    return state_read_names(r, (uint32_t)v->n, &v->names);
}

static void merged_copy(void *to, const void *from, uint64_t bytes)
{
    if (bytes) memcpy(to, from, bytes);
}

static void merged_take(struct merged *m, const struct merged_saved *v)
{
    struct sums *s = &m->sums;
    const size_t each = sizeof(struct fixed);
    s->feature.n = (uint32_t)v->n;
    s->owner.n = (uint32_t)v->owners;
    memcpy(s->clock, v->clock, sizeof s->clock);
    merged_copy(s->feature.id, v->id, v->n * sizeof *s->feature.id);
    merged_copy(s->feature.value, v->value, v->n * s->feature.each * each);
    merged_copy(s->owner.id, v->owner, v->owners * sizeof *s->owner.id);
    merged_copy(s->owner.value, v->owned, v->owners * SUMS_OWNER * each);
    merged_copy(s->cell, v->cell, s->cells * s->fields.cell * each);
    merged_copy(s->priority, v->priority, s->priority ? v->n * sizeof *s->priority : 0);
    merged_copy(m->parts, v->parts, v->parts ? v->n * sizeof *m->parts : 0);
    merged_copy(m->names.size, v->names.size, v->n * sizeof *m->names.size);
    merged_copy(m->names.text, v->names.text, v->names.bytes);
    m->names.n = v->names.n;
    m->names.bytes = v->names.bytes;
}

static int merged_read_sums(struct leat_ctx *ctx, struct leat_reader *r, struct merged *m)
{
    struct merged_saved v;
    if (state_read(r, STATE_TABLE(merged_clock), &m->sums) != LEAT_OK ||
        r->u64(r, "unnamed", &m->unnamed) != LEAT_OK ||
        merged_read_arrays(r, &m->sums, &v) != LEAT_OK)
        return LEAT_EDATA;
    int status =
        merged_make_room(ctx, m, (uint32_t)v.n, (uint32_t)v.owners, v.names.bytes, v.parts != NULL);
    if (status != LEAT_OK) return status;
    merged_take(m, &v);
    const char *wrong = sums_check(&m->sums);
    return wrong ? r->refuse(r, "%s", wrong) : LEAT_OK;
}

int merged_read(struct leat_ctx *ctx, struct leat_reader *r, struct sums_fields fields,
                uint64_t cells, struct merged **out)
{
    struct state_prefix_reader p;
    uint64_t merged = 0;
    *out = NULL;
    int status = r->u64(r, "merged", &merged);
    if (status != LEAT_OK || !merged) return status;
    struct merged *m = merged_new(ctx, fields, cells);
    if (!m) return merged_lacks_memory(ctx, 0);
    status = merged_read_sums(ctx, state_prefix_reader(&p, r, "sums.", "the sums"), m);
    if (status != LEAT_OK) {
        merged_free(ctx, m);
        return status;
    }
    *out = m;
    return LEAT_OK;
}

void merged_report(struct leat_ctx *ctx, const struct merged *m)
{
    if (!m) return;
    ctx->host->metric(ctx, "merged_models", (double)m->sums.models);
    if (!isnan(m->error)) ctx->host->metric(ctx, "merged_error", m->error);
}
