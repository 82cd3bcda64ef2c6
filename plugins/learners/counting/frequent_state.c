/* frequent_state.c -- implementation of frequent.h.
 *
 * Features are in the order of their numbers. The state has only counts. The parameters `over` and
 * `by` only select counts for an answer, so models with different values of `over` and `by` can be
 * merged.
 *
 * Names are added to the live pool last. A restore empties the pool before; a merge does not. */
#include "frequent.h"

#include <stdlib.h>
#include <string.h>

#include "common/state/state_fields.h"
#include "common/state/state_names.h"
#include "kernels/base/count.h"
#include "kernels/base/feature_id.h"

/* Contents of a snapshot. The reader owns the arrays. */
struct frequent_saved {
    struct frequent model; /* copy of the live model, whose members the saved fields replace */
    uint32_t max_features;
    struct name_list names; /* set by frequent_read_fields() */
};

#define AT(member)     STATE_MEMBER(struct frequent_saved, member)
#define COUNTS(member) AT(model.counted.counts.member)
static const struct state_field frequent_fields[] = {
    {"records", STATE_INSIDE, .at = AT(model.seen.records), .each = 2, .max = COUNT_MAX},
    {"ignored", STATE_VALUE, .at = COUNTS(table.ignored), .max = COUNT_MAX},
    {"unnamed", STATE_VALUE, .at = AT(model.names.dropped), .max = COUNT_MAX},
    {"ids", STATE_LENT, .at = COUNTS(table.id), .count = {COUNTS(table.n)}, .sets_count = true,
     .limit = AT(max_features)},
    {"counted", STATE_LENT, .at = COUNTS(count), .each = 2, .count = {COUNTS(table.n)}},
    {"parts", STATE_LENT, .each = 3, .count = {COUNTS(table.n)},
     .at = STATE_MEMBER_OF(struct frequent_saved, model.counted.counts.parts, LEAT_U64)},
};
/* Fields that a state has only if there are amounts. */
static const struct state_field frequent_sums[] = {
    {"amount_totals", STATE_INSIDE, .at = AT(model.total), .each = 2, .max = 0x1p60},
    {"amount_sums", STATE_LENT, .at = AT(model.sum), .each = 2, .count = {COUNTS(table.n)},
     .max = 0x1p62},
};
static const struct state_field frequent_unit[] = {
    {"amount_unit", STATE_SAME, .at = STATE_MEMBER(struct amounts_cfg, unit)},
};
#undef COUNTS
#undef AT

int frequent_write(const struct frequent *m, const struct amounts_cfg *amounts,
                   struct leat_writer *w)
{
    const struct frequent_saved s = {.model = *m};
    const struct feature_table *t = &m->counted.counts.table;
    int status = state_write(w, STATE_TABLE(frequent_fields), &s);
    if (status == LEAT_OK && m->sum) status = state_write(w, STATE_TABLE(frequent_unit), amounts);
    if (status == LEAT_OK && m->sum) status = state_write(w, STATE_TABLE(frequent_sums), &s);
    return status == LEAT_OK ? state_write_pool_names(w, &m->names, t->tag, t->n) : status;
}

/* Reads all fields into s. */
static int frequent_read_fields(const struct frequent *m, const struct amounts_cfg *amounts,
                                struct leat_reader *r, struct frequent_saved *s)
{
    struct amounts_cfg same = *amounts;
    *s = (struct frequent_saved){.model = *m, .max_features = FEATURE_TABLE_MAX};
    int status = state_read(r, STATE_TABLE(frequent_fields), s);
    if (status == LEAT_OK && m->sum) status = state_read(r, STATE_TABLE(frequent_unit), &same);
    if (status == LEAT_OK && m->sum) status = state_read(r, STATE_TABLE(frequent_sums), s);
    if (status == LEAT_OK && m->sum && !amounts_fit((const uint64_t[2]){0}, s->model.total, 1))
        status = r->refuse(r, "amount_totals add up to more than %g", (double)AMOUNTS_TOTAL);
    return status == LEAT_OK ? state_read_names(r, s->model.counted.counts.table.n, &s->names)
                             : status;
}

/* ---- restore and merge ---- */

/* Creates an empty table for n features, with the limit of `old`. */
static int frequent_make_table(struct leat_ctx *ctx, struct leat_reader *r,
                               const struct counted *old, uint64_t n, struct counted *c)
{
    uint32_t max = old->counts.table.max_capacity, capacity = counted_first(max);
    if (n > max)
        return r->refuse(r, "the saved state has %llu features, and max_features allows %u here",
                         (unsigned long long)n, max);
    while (capacity < n)
        capacity *= 2;
    *c = (struct counted){0};
    int status = counted_open(ctx, c, max, true, old->extra_bytes);
    if (status == LEAT_OK && capacity > c->counts.table.capacity)
        feature_table_grow(&c->counts.table, capacity);
    return status;
}

/* Adds the counts and sums of `m`, multiplied by `weight`, to c. Returns false if `m` has two new
 * features with the same id. */
static bool frequent_add_counts(struct counted *c, const struct frequent *m, double weight)
{
    struct feature_counts *t = &c->counts;
    const struct feature_counts *from = &m->counted.counts;
    uint64_t *sum = c->extra;
    uint32_t known = t->table.n;
    for (uint32_t i = 0; i < from->table.n; i++) {
        uint32_t before = t->table.n, f = feature_table_enroll(&t->table, from->table.id[i]);
        if (f >= known && f < before) return false;
        if (memcmp(&from->parts[i], &t->parts[f], sizeof *t->parts) > 0)
            t->parts[f] = from->parts[i];
        for (uint32_t y = 0; y < 2; y++)
            t->count[2 * f + y] =
                sgd_add_count(t->count[2 * f + y], from->count[2 * i + y], weight);
        for (uint32_t y = 0; m->sum && y < 2; y++)
            sum[2 * (size_t)f + y] =
                count_add(sum[2 * (size_t)f + y], m->sum[2 * (size_t)i + y], weight);
    }
    return true;
}

/* Gives features their saved names, unless they have one that name_preferred() prefers. */
static void frequent_take_names(struct frequent *m, const struct frequent_saved *s)
{
    const struct feature_table *t = &m->counted.counts.table;
    const uint64_t *id = s->model.counted.counts.table.id;
    uint64_t at = 0;
    for (uint32_t i = 0; i < s->names.n; i++) {
        size_t len, now_len;
        const char *name = name_list_next(&s->names, i, &at, &len);
        uint32_t *tag = &t->tag[feature_table_find(t, id[i])];
        const char *now = name_pool_get(&m->names, *tag, &now_len);
        if (!name || name_preferred(now, now_len, name, len)) continue;
        uint32_t better = name_pool_add(&m->names, name, len);
        if (better) *tag = better;
    }
    m->names.dropped = count_add(m->names.dropped, s->model.names.dropped, 1);
}

/* Replaces the model's table by c, which has the names of all its features. */
static void frequent_replace_table(struct leat_ctx *ctx, struct frequent *m,
                                   const struct counted *c, const struct frequent_saved *s)
{
    counted_close(ctx, &m->counted);
    m->counted = *c;
    if (m->sum) m->sum = c->extra;
    frequent_take_names(m, s);
}

int frequent_restore(struct leat_ctx *ctx, struct frequent *m, const struct amounts_cfg *amounts,
                     struct leat_reader *r)
{
    struct frequent_saved s;
    const struct feature_counts *from = &s.model.counted.counts;
    struct counted c;
    int status = frequent_read_fields(m, amounts, r, &s);
    if (status == LEAT_OK) status = frequent_make_table(ctx, r, &m->counted, from->table.n, &c);
    if (status != LEAT_OK) return status;
    if (!frequent_add_counts(&c, &s.model, 1)) {
        counted_close(ctx, &c);
        return r->refuse(r, FEATURE_ID_TWICE);
    }
    c.counts.table.ignored = from->table.ignored;
    m->seen = s.model.seen;
    memcpy(m->total, s.model.total, sizeof m->total);
    name_pool_clear(&m->names);
    frequent_replace_table(ctx, m, &c, &s);
    return LEAT_OK;
}

static bool frequent_learned(const struct frequent *m)
{
    const struct feature_table *t = &m->counted.counts.table;
    return t->n || t->ignored || m->seen.records[0] || m->seen.records[1];
}

static int frequent_by_id(const void *x, const void *y)
{
    const uint64_t *a = x, *b = y;
    return (*a > *b) - (*a < *b);
}

/* Enrolls the features of both in the order of their ids, so that their numbers do not depend on
 * the order of merges. */
static int frequent_enroll_both(struct leat_ctx *ctx, struct feature_table *t,
                                const struct feature_table *a, const struct feature_table *b)
{
    size_t n = (size_t)a->n + b->n;
    uint64_t *id = ctx->host->alloc(ctx, n * sizeof *id);
    if (!id)
        return ctx->host->fail(ctx, LEAT_ENOMEM, "there is not enough memory to merge %zu features",
                               n);
    memcpy(id, a->id, a->n * sizeof *id);
    memcpy(id + a->n, b->id, b->n * sizeof *id);
    qsort(id, n, sizeof *id, frequent_by_id);
    for (size_t i = 0; i < n; i++)
        feature_table_enroll(t, id[i]);
    ctx->host->free(ctx, id);
    return LEAT_OK;
}

/* Makes a table of the counts of m and, multiplied by `weight`, of the saved model. */
static int frequent_join(struct leat_ctx *ctx, struct leat_reader *r, const struct frequent *m,
                         const struct frequent *saved, double weight, struct counted *c)
{
    const struct feature_table *t = &m->counted.counts.table, *from = &saved->counted.counts.table;
    uint64_t both = feature_table_union(t, from);
    if (both > t->max_capacity) return growing_refuse_merge(ctx, r, both, t->max_capacity);
    int status = frequent_make_table(ctx, r, &m->counted, both, c);
    if (status != LEAT_OK) return status;
    if (frequent_learned(m) && frequent_learned(saved))
        status = frequent_enroll_both(ctx, &c->counts.table, t, from);
    frequent_add_counts(c, m, 1);
    if (status == LEAT_OK && (!frequent_add_counts(c, saved, weight) || c->counts.table.n != both))
        status = r->refuse(r, FEATURE_ID_TWICE);
    if (status != LEAT_OK) {
        counted_close(ctx, c);
        return status;
    }
    for (uint32_t f = 0; f < t->n; f++)
        c->counts.table.tag[feature_table_find(&c->counts.table, t->id[f])] = t->tag[f];
    c->counts.table.ignored = count_add(t->ignored, from->ignored, weight);
    return LEAT_OK;
}

int frequent_merge(struct leat_ctx *ctx, struct frequent *m, const struct amounts_cfg *amounts,
                   struct leat_reader *r, double weight)
{
    struct frequent_saved s;
    struct counted c;
    int status = frequent_read_fields(m, amounts, r, &s);
    if (status != LEAT_OK || !(weight > 0)) return status;
    char text[AMOUNTS_TEXT];
    if (m->sum && !amounts_fit(m->total, s.model.total, weight))
        return r->refuse(r, "%s", amounts_no_room(amounts, text));
    status = frequent_join(ctx, r, m, &s.model, weight, &c);
    if (status != LEAT_OK) return status;
    for (int y = 0; y < 2; y++) {
        m->seen.records[y] = count_add(m->seen.records[y], s.model.seen.records[y], weight);
        m->total[y] = count_add(m->total[y], s.model.total[y], weight);
    }
    frequent_replace_table(ctx, m, &c, &s);
    return LEAT_OK;
}
