/* frequent_state.c -- the state of learn.frequent; see frequent_state.h. */
#include "frequent_state.h"

#include "kernels/base/feature_id.h"
#include "kernels/linear/sgd_state.h"
#include "common/learners/growing.h"
#include "common/state/state_fields.h"
#include "common/state/state_names.h"

/* ---- fields ---- */

/* What a snapshot has, with arrays lent. */
struct saved {
    struct frequent model; /* as the live one, until it is read */
    uint32_t max_features;
    struct name_list names; /* when read */
};

#define AT(member)     STATE_MEMBER(struct saved, member)
#define COUNTS(member) AT(model.counted.counts.member)
static const struct state_field fields[] = {
    {"records", STATE_INSIDE, .at = AT(model.seen.records), .each = 2, .max = COUNT_MAX},
    {"ignored", STATE_VALUE, .at = COUNTS(table.ignored), .max = COUNT_MAX},
    {"unnamed", STATE_VALUE, .at = AT(model.names.dropped), .max = COUNT_MAX},
    {"ids", STATE_LENT, .at = COUNTS(table.id), .count = {COUNTS(table.n)}, .sets_count = true,
     .limit = AT(max_features)},
    {"counted", STATE_LENT, .at = COUNTS(count), .each = 2, .count = {COUNTS(table.n)}},
    {"parts", STATE_LENT, .each = 3, .count = {COUNTS(table.n)},
     .at = STATE_MEMBER_OF(struct saved, model.counted.counts.parts, LEAT_U32)},
};
#undef COUNTS
#undef AT

int frequent_write(const struct frequent *m, struct leat_writer *w)
{
    const struct saved s = {.model = *m};
    const struct feature_table *t = &m->counted.counts.table;
    int status = state_write(w, STATE_TABLE(fields), &s);
    return status == LEAT_OK ? state_write_pool_names(w, &m->names, t->tag, t->n) : status;
}

/* s: zeroed. */
static int read_fields(const struct frequent *live, struct leat_reader *r, struct saved *s)
{
    s->model = *live;
    s->max_features = FEATURE_TABLE_MAX;
    int status = state_read(r, STATE_TABLE(fields), s);
    return status == LEAT_OK ? state_read_names(r, s->model.counted.counts.table.n, &s->names)
                             : status;
}

/* ---- restore and merge ---- */

/* An empty table for n features, with the limit of `old`. */
static int make_table(struct leat_ctx *ctx, struct leat_reader *r, const struct counted *old,
                      uint64_t n, struct counted *c)
{
    uint32_t max = old->counts.table.max_capacity, capacity = counted_first(max);
    if (n > max)
        return r->refuse(r, "it has %llu features; max_features allows %u here",
                         (unsigned long long)n, max);
    while (capacity < n)
        capacity *= 2;
    *c = (struct counted){.block = ctx->host->alloc(ctx, feature_counts_block_bytes(max, true))};
    if (!c->block)
        return ctx->host->fail(ctx, LEAT_ENOMEM, "there is not enough memory for %llu features",
                               (unsigned long long)n);
    feature_counts_init(&c->counts, capacity, max, true, c->block);
    return LEAT_OK;
}

/* Adds what was counted, each `weight` times. false: a feature that is new is there
 * twice. */
static bool add_counts(struct feature_counts *t, const struct feature_counts *from, double weight)
{
    uint32_t known = t->table.n;
    for (uint32_t i = 0; i < from->table.n; i++) {
        uint32_t before = t->table.n, f = feature_table_enroll(&t->table, from->table.id[i]);
        if (f >= known && f < before) return false;
        if (f == before) t->parts[f] = from->parts[i];
        for (uint32_t y = 0; y < 2; y++)
            t->count[2 * f + y] =
                sgd_add_count(t->count[2 * f + y], from->count[2 * i + y], weight);
    }
    return true;
}

/* Names for the features that have none. */
static void take_names(struct frequent *m, const struct saved *s)
{
    const struct feature_table *t = &m->counted.counts.table;
    const uint64_t *id = s->model.counted.counts.table.id;
    uint64_t at = 0;
    for (uint32_t i = 0; i < s->names.n; i++) {
        size_t len;
        const char *name = name_list_next(&s->names, i, &at, &len);
        uint32_t *tag = &t->tag[feature_table_find(t, id[i])];
        if (name && !*tag) *tag = name_pool_add(&m->names, name, len);
    }
    m->names.dropped = count_add(m->names.dropped, s->model.names.dropped, 1);
}

/* Put c, whose features are all there, into the place of what the model has. */
static void replace_table(struct leat_ctx *ctx, struct frequent *m, const struct counted *c,
                          const struct saved *s)
{
    counted_close(ctx, &m->counted);
    m->counted = *c;
    take_names(m, s);
}

int frequent_restore(struct leat_ctx *ctx, struct frequent *m, struct leat_reader *r)
{
    struct saved s = {0};
    const struct feature_counts *from = &s.model.counted.counts;
    struct counted c;
    int status = read_fields(m, r, &s);
    if (status == LEAT_OK) status = make_table(ctx, r, &m->counted, from->table.n, &c);
    if (status != LEAT_OK) return status;
    if (!add_counts(&c.counts, from, 1)) {
        counted_close(ctx, &c);
        return r->refuse(r, FEATURE_ID_TWICE);
    }
    c.counts.table.ignored = from->table.ignored;
    m->seen = s.model.seen;
    name_pool_clear(&m->names);
    replace_table(ctx, m, &c, &s);
    return LEAT_OK;
}

int frequent_merge(struct leat_ctx *ctx, struct frequent *m, struct leat_reader *r, double weight)
{
    struct saved s = {0};
    const struct feature_counts *t = &m->counted.counts, *from = &s.model.counted.counts;
    struct counted c;
    int status = read_fields(m, r, &s);
    if (status == LEAT_OK && !(weight > 0)) return LEAT_OK;
    uint64_t both = status == LEAT_OK ? feature_table_union(&t->table, &from->table) : 0;
    if (both > t->table.max_capacity)
        return growing_refuse_merge(ctx, r, both, t->table.max_capacity);
    if (status == LEAT_OK) status = make_table(ctx, r, &m->counted, both, &c);
    if (status != LEAT_OK) return status;
    add_counts(&c.counts, t, 1); /* into an empty table: under the same numbers */
    memcpy(c.counts.table.tag, t->table.tag, t->table.n * sizeof *t->table.tag);
    if (!add_counts(&c.counts, from, weight)) {
        counted_close(ctx, &c);
        return r->refuse(r, FEATURE_ID_TWICE);
    }
    c.counts.table.ignored = count_add(t->table.ignored, from->table.ignored, weight);
    for (int y = 0; y < 2; y++)
        m->seen.records[y] = count_add(m->seen.records[y], s.model.seen.records[y], weight);
    replace_table(ctx, m, &c, &s);
    return LEAT_OK;
}
