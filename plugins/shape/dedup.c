/* dedup.c -- shape.dedup: keeps the first of several records with the same key.
 *
 * A table has the event time (or the number) of the last record kept for each key. If the table is
 * full, the key that has not occurred for the longest time is dropped. */
#include <leat/plugin.h>

#include <stdio.h>
#include <string.h>

#include "key.h"
#include "shape/docs.h"
#include "common/cells/columns.h"
#include "common/state/state_fields.h"

enum { STATE_VERSION = 2 };

enum dedup_missing { KEEP, ONE, REJECT };
static const char *const dedup_missing_names[] = {"keep", "one", "reject", NULL};

struct dedup_cfg {
    struct leat_strings by;
    int64_t within, records, memory;
    int32_t missing; /* enum dedup_missing */
};

struct dedup {
    struct key key;
    struct recent_keys keys; /* value: time or number of the key's last record that was kept */
    void *block;
    uint64_t now;        /* latest event time so far; without `within`, number of records so far */
    uint64_t duplicates; /* number of filtered records */
    uint64_t forgotten;  /* keys that were dropped, but could still have had duplicates */
    uint64_t keyless;    /* number of records without a value in a column of `by` */
};

static const struct leat_param dedup_params[] = {
    LEAT_PARAM(struct dedup_cfg, by, LEAT_STRINGS, .flags = LEAT_POSITIONAL,
               .doc = "columns whose values are compared; without them, the whole record"),
    LEAT_PARAM(struct dedup_cfg, within, LEAT_DURATION, .min = 1e-9, .max = 3.2e8,
               .unit = "seconds",
               .doc = "how long after a kept record, by event time, equal records are duplicates "
                      "of it; without `within` and `records`, for ever"),
    LEAT_PARAM(struct dedup_cfg, records, LEAT_INT, .min = 1, .max = 1e15, .unit = "records",
               .doc =
                   "for how many records after a kept record equal records are duplicates of it"),
    LEAT_PARAM(struct dedup_cfg, missing, LEAT_CHOICE, .def = "keep",
               .choices = dedup_missing_names,
               .doc = "what to do with a record without a value in a column of `by`: keep it, "
                      "because it equals no other; keep one of them, as if missing were a value; "
                      "or reject it. Empty and blank texts are no values"),
    LEAT_PARAM(struct dedup_cfg, memory, LEAT_SIZE, .def = "64MiB", .min = 4096, .max = 5e10,
               .unit = "bytes",
               .doc =
                   "memory for keys; when it is full, the key not seen for longest is forgotten"),
};

/* ---- before the run ---- */

static int dedup_validate(const void *config, struct leat_diag *d)
{
    const struct dedup_cfg *cfg = config;
    if (cfg->within && cfg->records)
        d->error(d, "records", "cannot be set together with `within`: leave out one of the two");
    return LEAT_OK;
}

static int dedup_negotiate(const void *config, struct leat_negotiation *n)
{
    const struct dedup_cfg *cfg = config;
    if (cfg->within && !(n->in->has & LEAT_HAS_TIMESTAMP))
        n->diag->error(n->diag, "within",
                       "needs event times, and no earlier stage gives them: put parse.time before "
                       "this stage, or count by `records`");
    return key_negotiate(n, &cfg->by);
}

static int dedup_plan(const void *config, const struct leat_schema *in,
                      const struct leat_schema *out, struct leat_plan *p)
{
    const struct dedup_cfg *cfg = config;
    uint32_t capacity = recent_keys_capacity((uint64_t)cfg->memory);
    p->state_bytes = recent_keys_bytes(capacity);
    snprintf(p->note, sizeof p->note, "remembers the last %u keys", capacity);
    return LEAT_OK;
}

static void close_dedup(struct leat_ctx *ctx, void *self)
{
    struct dedup *st = self;
    key_close(ctx, &st->key);
    ctx->host->free(ctx, st->block);
}

static int open_dedup(struct leat_ctx *ctx, void *self)
{
    const struct dedup_cfg *cfg = ctx->cfg;
    struct dedup *st = self;
    uint32_t capacity = recent_keys_capacity((uint64_t)cfg->memory);
    int status = key_open(ctx, &st->key, &cfg->by);
    if (status != LEAT_OK) return status;
    st->block = ctx->host->alloc(ctx, recent_keys_bytes(capacity));
    if (!st->block) {
        close_dedup(ctx, st);
        return ctx->host->fail(ctx, LEAT_ENOMEM,
                               "there is not enough memory for %u keys: make memory smaller",
                               capacity);
    }
    recent_keys_init(&st->keys, capacity, st->block);
    return LEAT_OK;
}

/* ---- records ---- */

/* True if a record at `now` is a duplicate of a record with the same key that was kept at `then`.
 * It is, if the distance in time or number is within the parameter's limit. */
static bool dedup_counts(const struct dedup_cfg *cfg, uint64_t then, uint64_t now)
{
    uint64_t apart = now > then ? now - then : then - now;
    uint64_t most = cfg->within ? (uint64_t)cfg->within : (uint64_t)cfg->records;
    return !most || apart <= most;
}

static void dedup_take_new(struct dedup *st, const struct dedup_cfg *cfg, struct recent_key k,
                           uint64_t now)
{
    uint32_t victim = recent_keys_victim(&st->keys);
    if (victim != RECENT_KEYS_NONE)
        st->forgotten += dedup_counts(cfg, st->keys.value[victim], st->now);
    st->keys.value[recent_keys_add(&st->keys, k)] = now;
}

static bool dedup_is_duplicate(struct dedup *st, const struct dedup_cfg *cfg, struct recent_key k,
                               uint64_t now)
{
    uint32_t i = recent_keys_find(&st->keys, k);
    if (i == RECENT_KEYS_NONE) {
        dedup_take_new(st, cfg, k, now);
        return false;
    }
    recent_keys_touch(&st->keys, i);
    if (dedup_counts(cfg, st->keys.value[i], now)) return true;
    if (now > st->keys.value[i]) st->keys.value[i] = now;
    return false;
}

/* True if record r lacks a value of its key, and therefore passes or is rejected. False if it has
 * all values, or if the parameter `missing` treats "no value" as a value. */
static bool dedup_passes_without_key(struct leat_ctx *ctx, struct dedup *st, struct leat_batch *b,
                                     uint32_t r)
{
    const struct dedup_cfg *cfg = ctx->cfg;
    uint32_t i = key_missing(ctx, &st->key, b, r);
    if (i == st->key.n) return false;
    st->keyless++;
    if (cfg->missing == REJECT)
        ctx->host->reject(ctx, b, r, LEAT_R_OTHER,
                          "the record has no value in the `by` column '%s'", cfg->by.v[i]);
    return cfg->missing != ONE;
}

static int dedup_process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    const struct dedup_cfg *cfg = ctx->cfg;
    struct dedup *st = self;
    for (LEAT_EACH_RECORD(b, r)) {
        if (dedup_passes_without_key(ctx, st, b, r)) continue;
        if (cfg->within && b->timestamp[r] < 0) {
            ctx->host->reject(ctx, b, r, LEAT_R_TIME, "the record has no event time");
            continue;
        }
        uint64_t now = cfg->within ? (uint64_t)b->timestamp[r] : st->now + 1;
        if (now > st->now) st->now = now;
        if (!dedup_is_duplicate(st, cfg, key_of(ctx, &st->key, b, r, 0), now)) continue;
        st->duplicates++;
        leat_filter(b, r);
    }
    return LEAT_OK;
}

static int dedup_stop(struct leat_ctx *ctx, void *self)
{
    const struct dedup *st = self;
    ctx->host->metric(ctx, "keys", st->keys.n);
    ctx->host->metric(ctx, "duplicates", (double)st->duplicates);
    ctx->host->metric(ctx, "forgotten_early", (double)st->forgotten);
    ctx->host->metric(ctx, "without_key", (double)st->keyless);
    return LEAT_OK;
}

static void dedup_finish(struct leat_ctx *ctx, void *const *self, uint32_t lanes)
{
    static const char *const became[] = {"all kept", "taken as equal", "rejected"};
    const struct dedup_cfg *cfg = ctx->cfg;
    const struct dedup *st = self[0];
    if (st->keyless)
        ctx->host->log(
            ctx, LEAT_WARN,
            "%llu records have no value in a column of `by` and were %s (missing = \"%s\")",
            (unsigned long long)st->keyless, became[cfg->missing],
            dedup_missing_names[cfg->missing]);
    if (!st->forgotten) return;
    ctx->host->log(ctx, LEAT_WARN,
                   "%llu keys were forgotten too early, so their duplicates may have passed: make "
                   "memory larger",
                   (unsigned long long)st->forgotten);
}

/* ---- state ---- */

#define AT(member) STATE_MEMBER(struct dedup, member)
static const struct state_field dedup_state_fields[] = {
    {"capacity", STATE_SAME, .at = AT(keys.capacity)},
    {"now", STATE_VALUE, .at = AT(now)},
    {"duplicates", STATE_VALUE, .at = AT(duplicates)},
    {"forgotten", STATE_VALUE, .at = AT(forgotten)},
    {"keyless", STATE_VALUE, .at = AT(keyless)},
    {"oldest", STATE_VALUE, .at = AT(keys.oldest)},
    {"high", STATE_LENT, .at = AT(keys.high), .count = {AT(keys.n)}, .sets_count = true,
     .limit = AT(keys.capacity)},
    {"low", STATE_LENT, .at = AT(keys.low), .count = {AT(keys.n)}},
    {"kept", STATE_LENT, .at = AT(keys.value), .count = {AT(keys.n)}},
    {"next", STATE_LENT, .at = AT(keys.next), .count = {AT(keys.n)}},
};
#undef AT

static int dedup_snapshot(struct leat_ctx *ctx, void *self, struct leat_writer *w)
{
    return state_write(w, STATE_TABLE(dedup_state_fields), self);
}

/* True if the list, which links the keys by age, has each key exactly once. Checked before a
 * restore changes the instance. */
static bool dedup_is_chain(const struct recent_keys *k)
{
    uint32_t met = 0;
    for (uint32_t i = k->oldest; i != RECENT_KEYS_NONE; i = k->next[i])
        if (i >= k->n || met++ == k->n) return false;
    return met == k->n;
}

/* Copies the table `from`, read from a snapshot, into `block`. Returns false if a key occurs
 * twice. */
static bool dedup_rebuild(struct recent_keys *to, const struct recent_keys *from, void *block)
{
    size_t n = from->n;
    recent_keys_init(to, from->capacity, block);
    memcpy(to->high, from->high, n * sizeof *to->high);
    memcpy(to->low, from->low, n * sizeof *to->low);
    memcpy(to->value, from->value, n * sizeof *to->value);
    memcpy(to->next, from->next, n * sizeof *to->next);
    to->n = from->n;
    to->oldest = from->oldest;
    return recent_keys_link(to);
}

static int dedup_restore(struct leat_ctx *ctx, void *self, struct leat_reader *r, uint32_t version)
{
    struct dedup *st = self, read = *st;
    if (state_read(r, STATE_TABLE(dedup_state_fields), &read) != LEAT_OK) return LEAT_EDATA;
    if (!dedup_is_chain(&read.keys)) return r->refuse(r, "next does not list all keys");
    read.block = ctx->host->alloc(ctx, recent_keys_bytes(st->keys.capacity));
    if (!read.block) return LEAT_ENOMEM;
    struct recent_keys keys = read.keys;
    if (!dedup_rebuild(&read.keys, &keys, read.block)) {
        ctx->host->free(ctx, read.block);
        return r->refuse(r, "high and low have a key twice");
    }
    ctx->host->free(ctx, st->block);
    *st = read;
    return LEAT_OK;
}

static const struct leat_figure dedup_figures[] = {
    {"keys", "keys", "keys that are remembered", LEAT_GAUGE},
    {"duplicates", "records", "records that were seen before", LEAT_COUNTER},
    {"forgotten_early", "keys", "keys that were forgotten early to make room for others",
     LEAT_COUNTER},
    {"without_key", "records", "records without a key, which equal no other", LEAT_COUNTER},
};

const struct leat_stage shape_dedup = {
    .name = "shape.dedup",
    .summary = "keeps the first of records with the same values",
    .doc = dedup_doc,
    .example = "leat.shape.dedup { by = { \"user\", \"url\" }, within = \"10min\" }",
    .kind = LEAT_TRANSFORM,
    .caps = LEAT_STATEFUL,
    .needs = LEAT_HAS_RECORDS,
    LEAT_PARAMS(dedup_params, struct dedup_cfg),
    LEAT_FIGURES(dedup_figures),
    LEAT_INSTANCE(struct dedup, open_dedup, close_dedup),
    .validate = dedup_validate,
    .negotiate = dedup_negotiate,
    .plan = dedup_plan,
    .process = dedup_process,
    .stop = dedup_stop,
    .state = LEAT_ROLE(leat_state, .version = STATE_VERSION, .snapshot = dedup_snapshot,
                       .restore = dedup_restore),
    .finish = dedup_finish,
};
