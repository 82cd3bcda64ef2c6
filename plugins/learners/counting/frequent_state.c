/* frequent_state.c -- the state of learn.frequent; see frequent_state.h. */
#include "frequent_state.h"

#include <string.h>

#include "kernels/linear/sgd_state.h"
#include "support/state_fields.h"
#include "support/state_names.h"

/* ---- fields ---- */

/* What a snapshot has, with arrays lent. */
struct saved {
    uint64_t records[2], ignored, unnamed;
    uint32_t n, max_features;
    const uint64_t *id;
    const uint32_t *count; /* { inliers, outliers } of each feature */
    const struct redundancy_parts *parts;
    struct name_list names; /* when read */
};

#define AT(member) STATE_MEMBER(struct saved, member)
static const struct state_field fields[] = {
    {"records", STATE_INSIDE, .at = AT(records), .each = 2},
    {"ignored", STATE_VALUE, .at = AT(ignored)},
    {"unnamed", STATE_VALUE, .at = AT(unnamed)},
    {"ids", STATE_LENT, .at = AT(id), .count = {AT(n)}, .sets_count = true,
     .limit = AT(max_features)},
    {"counted", STATE_LENT, .at = AT(count), .each = 2, .count = {AT(n)}},
    {"parts", STATE_LENT, .at = STATE_MEMBER_OF(struct saved, parts, LEAT_U32), .each = 3,
     .count = {AT(n)}},
};
#undef AT

static struct saved saved_of(const struct frequent *m)
{
    const struct feature_counts *t = &m->counted.counts;
    return (struct saved){.records = {m->seen.records[0], m->seen.records[1]},
                          .ignored = t->ignored,
                          .unnamed = m->names.dropped,
                          .n = t->n,
                          .max_features = FEATURE_COUNTS_MAX_CAPACITY,
                          .id = t->id,
                          .count = t->count,
                          .parts = t->parts};
}

int frequent_write(const struct frequent *m, struct leat_writer *w)
{
    struct saved s = saved_of(m);
    int status = state_write(w, STATE_TABLE(fields), &s);
    return status == LEAT_OK ? state_write_pool_names(w, &m->names, m->counted.counts.tag, s.n)
                             : status;
}

static int read_fields(struct leat_reader *r, struct saved *s)
{
    int status = state_read(r, STATE_TABLE(fields), s);
    return status == LEAT_OK ? state_read_names(r, s->n, &s->names) : status;
}

/* ---- restore and merge ---- */

/* An empty table for n features, with the limit of `old`. */
static int make_table(struct leat_ctx *ctx, struct leat_reader *r, const struct counted *old,
                      uint64_t n, struct counted *c)
{
    uint32_t capacity = counted_first(old->max_capacity);
    if (n > old->max_capacity)
        return r->refuse(r, "it has %llu features; max_features allows %u here",
                         (unsigned long long)n, old->max_capacity);
    while (capacity < n)
        capacity *= 2;
    *c = (struct counted){.block = ctx->host->alloc(ctx, feature_counts_block_bytes(capacity)),
                          .max_capacity = old->max_capacity};
    if (!c->block)
        return ctx->host->fail(ctx, LEAT_ENOMEM, "there is not enough memory for %llu features",
                               (unsigned long long)n);
    feature_counts_init(&c->counts, capacity, c->block);
    return LEAT_OK;
}

/* How many of the features that were written t does not know. */
static uint64_t count_new(const struct feature_counts *t, const struct saved *s)
{
    uint64_t n = 0;
    for (uint64_t i = 0; i < s->n; i++)
        n += feature_counts_find(t, s->id[i]) == FEATURE_COUNTS_NONE;
    return n;
}

/* Adds what was written, each counting `weight` times. false: a feature that is new is there
 * twice. */
static bool add_counts(struct feature_counts *t, const struct saved *s, double weight)
{
    uint32_t known = t->n;
    for (uint64_t i = 0; i < s->n; i++) {
        uint32_t before = t->n, f = feature_counts_enter(t, s->id[i]);
        if (f >= known && f < before) return false;
        if (f == before) t->parts[f] = s->parts[i];
        for (uint32_t y = 0; y < 2; y++)
            t->count[2 * f + y] = sgd_add_count(t->count[2 * f + y], s->count[2 * i + y], weight);
    }
    return true;
}

/* Names for the features that have none. */
static void take_names(struct frequent *m, const struct saved *s)
{
    uint64_t at = 0;
    for (uint32_t i = 0; i < s->names.n; i++) {
        size_t len;
        const char *name = name_list_next(&s->names, i, &at, &len);
        uint32_t *tag = &m->counted.counts.tag[feature_counts_find(&m->counted.counts, s->id[i])];
        if (name && !*tag) *tag = name_pool_add(&m->names, name, len);
    }
    m->names.dropped += s->unnamed;
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
    struct saved s = saved_of(m);
    struct counted c;
    int status = read_fields(r, &s);
    if (status == LEAT_OK) status = make_table(ctx, r, &m->counted, s.n, &c);
    if (status != LEAT_OK) return status;
    if (!add_counts(&c.counts, &s, 1)) {
        counted_close(ctx, &c);
        return r->refuse(r, "a feature occurs twice");
    }
    c.counts.ignored = s.ignored;
    memcpy(m->seen.records, s.records, sizeof m->seen.records);
    name_pool_clear(&m->names);
    replace_table(ctx, m, &c, &s);
    return LEAT_OK;
}

int frequent_merge(struct leat_ctx *ctx, struct frequent *m, struct leat_reader *r, double weight)
{
    struct saved s = saved_of(m);
    struct counted c;
    const struct feature_counts *t = &m->counted.counts;
    int status = read_fields(r, &s);
    if (status == LEAT_OK && !(weight > 0)) return LEAT_OK;
    if (status == LEAT_OK) status = make_table(ctx, r, &m->counted, t->n + count_new(t, &s), &c);
    if (status != LEAT_OK) return status;
    uint32_t capacity = c.counts.capacity;
    c.counts = *t;
    feature_counts_grow(&c.counts, capacity, c.block);
    if (!add_counts(&c.counts, &s, weight)) {
        counted_close(ctx, &c);
        return r->refuse(r, "a feature occurs twice");
    }
    c.counts.ignored = sgd_add_records(t->ignored, s.ignored, weight);
    for (int y = 0; y < 2; y++)
        m->seen.records[y] = sgd_add_records(m->seen.records[y], s.records[y], weight);
    replace_table(ctx, m, &c, &s);
    return LEAT_OK;
}
