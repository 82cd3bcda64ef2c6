/* learner.c -- implementation of learner.h: functions that all learners share. */
#include "learner.h"

#include <assert.h>
#include <string.h>

#include "common/state/state_fields.h"

static const struct learner_method *learner_method(const void *self)
{
    return ((const struct learner *)self)->method;
}

/* ---- open and close ---- */

int learner_open(struct leat_ctx *ctx, void *self, const struct learner_method *method)
{
    struct learner *l = self;
    l->method = method;
    l->units = NULL;
    int status = method->units ? units_open(ctx, method->units(ctx->cfg), &l->units) : LEAT_OK;
    if (status == LEAT_OK) status = method->open(ctx, self);
    if (status != LEAT_OK) learner_close(ctx, self);
    return status;
}

void learner_close(struct leat_ctx *ctx, void *self)
{
    struct learner *l = self;
    ctx->host->free(ctx, l->text);
    l->text = NULL;
    units_close(ctx, l->units);
    l->units = NULL;
    l->method->close(ctx, self);
}

int learner_text(struct leat_ctx *ctx, struct learner *l, uint32_t name_bytes)
{
    l->text = ctx->host->alloc(ctx, name_bytes + 1);
    if (l->text) return LEAT_OK;
    return ctx->host->fail(ctx, LEAT_ENOMEM, "there is not enough memory for a name of %u bytes",
                           name_bytes);
}

void learner_take_name(struct learner *l, struct names *names, uint32_t slot,
                       const struct leat_batch *b, uint32_t i)
{
    assert(slot < names->slots);
    /* One byte more than the longest name kept, so that names_set sees when it must cut. */
    size_t cap = names->max_bytes + 1, len = leat_name_text(b, i, l->text, cap);
    names_set(names, slot, l->text, len < cap ? len : cap);
}

/* ---- figures and answers ---- */

int learner_tick(struct leat_ctx *ctx, void *self, int64_t now)
{
    learner_method(self)->report(ctx, self);
    return LEAT_OK;
}

int learner_stop(struct leat_ctx *ctx, void *self)
{
    const struct learner_method *m = learner_method(self);
    m->report(ctx, self);
    units_tell(ctx, ((const struct learner *)self)->units);
    if (m->finish) m->finish(ctx, self);
    return LEAT_OK;
}

int learner_query(struct leat_ctx *ctx, void *self, const struct leat_query *q,
                  struct leat_result *out)
{
    const struct learner_method *m = learner_method(self);
    if (q->kind != LEAT_QUERY_TOP) return LEAT_EARG;
    m->report(ctx, self);
    return m->answer(ctx, self, q, out);
}

/* ---- state ---- */

int learner_snapshot(struct leat_ctx *ctx, void *self, struct leat_writer *w)
{
    const struct learner_method *m = learner_method(self);
    int status = m->units ? units_write(((const struct learner *)self)->units, w) : LEAT_OK;
    if (status != LEAT_OK) return status;
    return m->held ? m->held->write((char *)self + m->held->at, w) : m->write(self, w);
}

/* Replaces the live model by `fresh`. */
static void learner_replace(struct leat_ctx *ctx, const struct learner_held *h, void *live,
                            const void *fresh)
{
    h->release(ctx, live);
    memcpy(live, fresh, h->bytes);
}

static int learner_restore_held(struct leat_ctx *ctx, const struct learner_held *h, void *live,
                                struct leat_reader *r)
{
    _Alignas(64) char fresh[LEARNER_MAX_HELD];
    int status = h->read(ctx, live, r, fresh);
    if (status == LEAT_OK) learner_replace(ctx, h, live, fresh);
    return status;
}

/* ---- units ---- */

static int learner_read_units(struct leat_ctx *ctx, const void *self, struct leat_reader *r,
                              struct units **units)
{
    const struct learner *l = self;
    unsigned (*use)(const void *) = l->method->units;
    return use ? units_read(ctx, use(ctx->cfg), l->units, r, units) : LEAT_OK;
}

/* Replaces the live units by others if `status` is LEAT_OK; else frees these. Returns `status`. */
static int learner_take_units(struct leat_ctx *ctx, void *self, struct units *units, int status)
{
    struct learner *l = self;
    if (status == LEAT_OK && l->method->units) {
        units_lend(units, l->units);
        units_close(ctx, l->units);
        l->units = units;
    } else {
        units_close(ctx, units);
    }
    return status;
}

/* Sets *joint to the live units merged with those of a saved learner, which become *other. */
static int learner_join_units(struct leat_ctx *ctx, const void *self, struct leat_reader *r,
                              double weight, struct units **other, struct units **joint)
{
    const struct learner *l = self;
    *joint = NULL;
    int status = learner_read_units(ctx, self, r, other);
    if (status != LEAT_OK || !l->method->units) return status;
    if (units_is_empty(l->units) && weight == 1) {
        *joint = *other;
        *other = NULL;
        return LEAT_OK;
    }
    return units_join(ctx, l->units, *other, weight, joint);
}

int learner_restore(struct leat_ctx *ctx, void *self, struct leat_reader *r, uint32_t version)
{
    const struct learner_method *m = learner_method(self);
    struct units *units = NULL;
    int status = state_check_version(r, version, m->version);
    if (status == LEAT_OK) status = learner_read_units(ctx, self, r, &units);
    if (status == LEAT_OK)
        status = m->held ? learner_restore_held(ctx, m->held, (char *)self + m->held->at, r)
                         : m->restore(ctx, self, r);
    return learner_take_units(ctx, self, units, status);
}

/* Merges a saved model into the live one. Leaves the live model unchanged if the saved one is empty
 * or its weight is 0. If the live model is empty and the weight is 1, it becomes the saved one, bit
 * for bit. */
static int learner_merge_held(struct leat_ctx *ctx, const struct learner_held *h, void *live,
                              struct leat_reader *r, double weight)
{
    _Alignas(64) char other[LEARNER_MAX_HELD], fresh[LEARNER_MAX_HELD];
    int status = h->read(ctx, live, r, other);
    if (status != LEAT_OK) return status;
    bool changes = weight > 0 && !h->is_empty(other);
    if (changes && weight == 1 && h->is_empty(live)) {
        learner_replace(ctx, h, live, other);
        return LEAT_OK;
    }
    if (changes && h->add) {
        status = h->add(ctx, live, other, weight);
    } else if (changes) {
        status = h->join(ctx, live, other, weight, fresh);
        if (status == LEAT_OK) learner_replace(ctx, h, live, fresh);
    }
    h->release(ctx, other);
    return status;
}

int learner_merge(struct leat_ctx *ctx, void *self, struct leat_reader *r, double weight)
{
    const struct learner_method *m = learner_method(self);
    struct learner *l = self;
    struct units *other = NULL, *joint = NULL;
    int status = state_check_weight(r, weight);
    if (status == LEAT_OK) status = learner_join_units(ctx, self, r, weight, &other, &joint);
    l->other_units = other;
    l->joint_units = joint;
    if (status == LEAT_OK)
        status = m->held ? learner_merge_held(ctx, m->held, (char *)self + m->held->at, r, weight)
                         : m->merge(ctx, self, r, weight);
    l->other_units = l->joint_units = NULL;
    units_close(ctx, other);
    return learner_take_units(ctx, self, joint, status);
}
