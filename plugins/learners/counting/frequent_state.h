/* frequent_state.h -- the state of learn.frequent as fields: written, read, merged.
 *
 * Features are in the order of their numbers: ids, counted, parts, names. Only what was counted is
 * state; by and over say what is shown of it, so sides that differ in them may merge.
 *
 * Names go into the live pool, last of all: it is emptied first on restore, on merge it only grows.
 */
#ifndef LEAT_LEARNERS_COUNTING_FREQUENT_STATE_H
#define LEAT_LEARNERS_COUNTING_FREQUENT_STATE_H

#include "support/counted.h"
#include "kernels/linear/sgd_state.h"
#include "support/state_fields.h"
#include "support/state_names.h"

enum { FREQUENT_STATE_VERSION = 1 };

struct frequent {
    struct counted counted;
    struct sgd seen; /* only its counts of records are used */
    struct name_pool names;
};

/* ---- writing ---- */

static inline void frequent_list_names(const void *model, struct name_list *l)
{
    const struct frequent *m = model;
    for (uint32_t f = 0; f < m->counted.tally.n; f++) {
        size_t len;
        uint32_t tag = m->counted.tally.tag[f];
        const char *name = name_pool_get(&m->names, tag, &len);
        name_list_add(l, tag ? name : NULL, len);
    }
}

static inline int frequent_write(const struct frequent *m, struct leat_writer *w)
{
    const struct feature_counts *t = &m->counted.tally;
    w->array(w, "records", LEAT_U64, m->seen.records, 2);
    w->u64(w, "ignored", t->ignored);
    w->u64(w, "unnamed", m->names.dropped);
    w->array(w, "ids", LEAT_U64, t->id, t->n);
    w->array(w, "counted", LEAT_U32, t->count, 2ull * t->n);
    w->array(w, "parts", LEAT_U32, t->parts, 3ull * t->n);
    return state_write_names(w, frequent_list_names, m, t->n);
}

/* ---- reading ---- */

/* What was written; all arrays are lent by the reader. */
struct frequent_said {
    const uint64_t *records, *id;
    const uint32_t *count;
    const struct redundancy_parts *parts;
    uint64_t n, ignored, unnamed;
    struct name_list names;
};

static inline int frequent_read(struct leat_reader *r, struct frequent_said *s)
{
    const void *records, *id, *count, *parts;
    s->n = 0;
    if (state_read_array(r, "records", LEAT_U64, 2, &records) != LEAT_OK ||
        r->u64(r, "ignored", &s->ignored) != LEAT_OK ||
        r->u64(r, "unnamed", &s->unnamed) != LEAT_OK ||
        r->array(r, "ids", LEAT_U64, &id, &s->n) != LEAT_OK)
        return LEAT_EDATA;
    if (s->n > FEATURE_COUNTS_MAX_CAPACITY)
        return r->refuse(r, "ids are %llu", (unsigned long long)s->n);
    if (state_read_array(r, "counted", LEAT_U32, 2 * s->n, &count) != LEAT_OK ||
        state_read_array(r, "parts", LEAT_U32, 3 * s->n, &parts) != LEAT_OK)
        return LEAT_EDATA;
    s->records = records, s->id = id, s->count = count, s->parts = parts;
    return state_read_names(r, (uint32_t)s->n, &s->names);
}

/* Room for n features, with those of `old` (or none) in it. */
static inline int frequent_room(struct leat_ctx *ctx, struct leat_reader *r,
                                const struct counted *old, uint64_t n, struct counted *c)
{
    uint32_t capacity = counted_first(old->max_capacity);
    if (n > old->max_capacity)
        return r->refuse(r, "it makes %llu features; max_features allows %u here",
                         (unsigned long long)n, old->max_capacity);
    while (capacity < n)
        capacity *= 2;
    *c = (struct counted){.block = ctx->host->alloc(ctx, feature_counts_block_bytes(capacity)),
                          .max_capacity = old->max_capacity};
    if (!c->block)
        return ctx->host->fail(ctx, LEAT_ENOMEM, "no memory for %llu features",
                               (unsigned long long)n);
    feature_counts_init(&c->tally, capacity, c->block);
    return LEAT_OK;
}

/* How many of the features that were written t does not know. */
static inline uint64_t frequent_new(const struct feature_counts *t, const struct frequent_said *s)
{
    uint64_t n = 0;
    for (uint64_t i = 0; i < s->n; i++)
        n += feature_counts_find(t, s->id[i]) == FEATURE_COUNTS_NONE;
    return n;
}

/* Adds what was written, counting `times`. false: a feature that is new is there twice. */
static inline bool frequent_add(struct feature_counts *t, const struct frequent_said *s,
                                double times)
{
    uint32_t known = t->n;
    for (uint64_t i = 0; i < s->n; i++) {
        uint32_t before = t->n, f = feature_counts_enter(t, s->id[i]);
        if (f >= known && f < before) return false;
        if (f == before) t->parts[f] = s->parts[i];
        for (uint32_t y = 0; y < 2; y++)
            t->count[2 * f + y] = sgd_add_count(t->count[2 * f + y], s->count[2 * i + y], times);
    }
    return true;
}

/* Names for the features that have none. */
static inline void frequent_take_names(struct frequent *m, const struct frequent_said *s)
{
    uint64_t at = 0;
    for (uint32_t i = 0; i < s->names.n; i++) {
        size_t len;
        const char *name = name_list_next(&s->names, i, &at, &len);
        uint32_t *tag = &m->counted.tally.tag[feature_counts_find(&m->counted.tally, s->id[i])];
        if (name && !*tag) *tag = name_pool_add(&m->names, name, len);
    }
    m->names.dropped += s->unnamed;
}

/* Put c, whose features are all there, into the place of what the model has. */
static inline void frequent_replace(struct leat_ctx *ctx, struct frequent *m,
                                    const struct counted *c, const struct frequent_said *s)
{
    counted_close(ctx, &m->counted);
    m->counted = *c;
    frequent_take_names(m, s);
}

static inline int frequent_restore(struct leat_ctx *ctx, struct frequent *m, struct leat_reader *r)
{
    struct frequent_said s;
    struct counted c;
    int status = frequent_read(r, &s);
    if (status == LEAT_OK) status = frequent_room(ctx, r, &m->counted, s.n, &c);
    if (status != LEAT_OK) return status;
    if (!frequent_add(&c.tally, &s, 1)) {
        counted_close(ctx, &c);
        return r->refuse(r, "a feature is there twice");
    }
    c.tally.ignored = s.ignored;
    memcpy(m->seen.records, s.records, sizeof m->seen.records);
    name_pool_clear(&m->names);
    frequent_replace(ctx, m, &c, &s);
    return LEAT_OK;
}

static inline int frequent_merge(struct leat_ctx *ctx, struct frequent *m, struct leat_reader *r,
                                 double times)
{
    struct frequent_said s;
    struct counted c;
    const struct feature_counts *t = &m->counted.tally;
    int status = frequent_read(r, &s);
    if (status == LEAT_OK && !(times > 0)) return LEAT_OK;
    if (status == LEAT_OK)
        status = frequent_room(ctx, r, &m->counted, t->n + frequent_new(t, &s), &c);
    if (status != LEAT_OK) return status;
    uint32_t capacity = c.tally.capacity;
    c.tally = *t;
    feature_counts_grow(&c.tally, capacity, c.block);
    if (!frequent_add(&c.tally, &s, times)) {
        counted_close(ctx, &c);
        return r->refuse(r, "a feature is there twice");
    }
    c.tally.ignored = sgd_add_records(t->ignored, s.ignored, times);
    for (int y = 0; y < 2; y++)
        m->seen.records[y] = sgd_add_records(m->seen.records[y], s.records[y], times);
    frequent_replace(ctx, m, &c, &s);
    return LEAT_OK;
}

#define FREQUENT_STATE_DOC                                                                         \
    "\n\nSnapshots hold all counts and names. A merge adds counts and records up: it gives what "  \
    "one learner of all the data would have counted; by and over may differ. When there would be " \
    "more features than max_features it is refused. A restore or merge takes the memory of a "     \
    "second table until it is done."

#endif
