/* slotted_state.c -- states of stages with slots (slotted.h): writes, reads, merges. */
#include <string.h>

#include "common/state/state_names.h"
#include "slotted.h"

/* ---- writing ---- */

static struct linear_state slotted_state_of(const struct store *m)
{
    return (struct linear_state){store_parts(m), m->opt.counts, m->shape.active};
}

static int slotted_write_copy(const struct slotted_kind *kind, const struct slotted *copy,
                              struct leat_writer *w)
{
    struct linear_state s = slotted_state_of(copy->model);
    int status = state_write(w, kind->parameters.field, kind->parameters.n, copy->model);
    if (status == LEAT_OK) status = linear_state_write(w, &s);
    if (status == LEAT_OK) status = state_write(w, kind->values.field, kind->values.n, &s);
    if (status == LEAT_OK) status = state_write_name_parts(w, copy->parts, s.parts.n);
    if (status == LEAT_OK) status = averaged_write(&copy->averages, s.parts.n, w);
    if (status == LEAT_OK) status = merged_write(copy->merged, w);
    return status == LEAT_OK ? state_write_slot_names(w, &copy->names, s.parts.n) : status;
}

static int slotted_write(const void *held, struct leat_writer *w)
{
    const struct slotted_held *h = held;
    int status = w->u64(w, "classes", h->classes);
    if (status == LEAT_OK) status = drift_watch_write(&h->watch, w);
    if (status != LEAT_OK) return status;
    if (!h->classes) return slotted_write_copy(h->kind, h->copy, w);
    for (uint32_t c = 0; c < h->classes && status == LEAT_OK; c++) {
        struct state_prefix_writer p;
        status = slotted_write_copy(h->kind, &h->copy[c], linear_class_writer(&p, w, c));
    }
    return status;
}

/* ---- reading ---- */

static int slotted_settle(struct leat_ctx *ctx, struct slotted *s, struct merged *m);

static int slotted_read_names(struct leat_reader *r, uint32_t used, struct slotted *s)
{
    const struct redundancy_parts *parts;
    if (state_read_name_parts(r, used, &parts) != LEAT_OK) return LEAT_EDATA;
    if (s->parts && parts) memcpy(s->parts, parts, used * sizeof *parts);
    return state_read_slot_names(r, used, &s->names);
}

/* Reads the model, its averages and its names. */
static int slotted_read_model(struct leat_reader *r, const struct linear_parts *p,
                              struct slotted *copy)
{
    const char *wrong = store_load(copy->model, p);
    if (wrong) return r->refuse(r, "%s", wrong);
    int status = averaged_read(&copy->averages, p->n, r);
    return status == LEAT_OK ? slotted_read_names(r, p->n, copy) : status;
}

static int slotted_read_copy(struct leat_ctx *ctx, const struct slotted_kind *kind,
                             struct leat_reader *r, struct slotted *copy)
{
    struct merged *merged;
    struct linear_state s = slotted_state_of(copy->model);
    if (linear_state_same_rates(r, &s) != LEAT_OK ||
        state_read(r, kind->parameters.field, kind->parameters.n, copy->model) != LEAT_OK ||
        linear_state_read(r, &s) != LEAT_OK ||
        state_read(r, kind->values.field, kind->values.n, &s) != LEAT_OK)
        return LEAT_EDATA;
    int status = merged_read(ctx, r, store_sums_fields(copy->model, copy->averages.of != NULL),
                             linear_cells(&copy->model->shape), &merged);
    if (status != LEAT_OK) return status;
    return merged ? slotted_settle(ctx, copy, merged) : slotted_read_model(r, &s.parts, copy);
}

/* Reads the saved models into `fresh`. Their shapes and parameters must equal those of `live`. */
static int slotted_read(struct leat_ctx *ctx, const void *live, struct leat_reader *r, void *fresh)
{
    struct slotted_held *h = fresh;
    *h = *(const struct slotted_held *)live;
    int status = drift_watch_read(&h->watch, r);
    if (status == LEAT_OK) status = r->same_u64(r, "classes", h->classes);
    if (status == LEAT_OK) status = slotted_make_like(ctx, live, &h->copy);
    if (status != LEAT_OK) return status;
    if (!h->classes) status = slotted_read_copy(ctx, h->kind, r, h->copy);
    for (uint32_t c = 0; c < h->classes && status == LEAT_OK; c++) {
        struct state_prefix_reader p;
        status = slotted_read_copy(ctx, h->kind, linear_class_reader(&p, r, c), &h->copy[c]);
    }
    if (status != LEAT_OK) slotted_release(ctx, h->copy, linear_models(h->classes));
    return status;
}

/* ---- merging ---- */

/* Returns the bytes of the names of all slots. */
static uint64_t slotted_name_bytes(const struct slotted *s)
{
    uint64_t bytes = 0;
    for (uint32_t slot = 0; slot < s->model->set.n; slot++) {
        size_t len;
        names_get(&s->names, slot, &len);
        bytes += len;
    }
    return bytes;
}

/* Fills the names, parts and averages of the sums of a model. */
static void slotted_describe(const struct slotted *s, const struct sums_slot *slot,
                             struct merged *m)
{
    for (uint32_t k = 0; k < s->model->set.n; k++) {
        size_t len;
        const char *name = names_get(&s->names, slot[k].slot, &len);
        name_list_add(&m->names, len ? name : NULL, len);
        if (m->parts) m->parts[k] = s->parts[slot[k].slot];
        merged_take_average(m, k, &s->averages, slot[k].slot);
    }
}

static struct merged *slotted_merged_like(struct leat_ctx *ctx, const struct slotted *s)
{
    return merged_new(ctx, store_sums_fields(s->model, s->averages.of != NULL),
                      linear_cells(&s->model->shape));
}

/* Sets *out to the sums of a model that has learned. */
static int slotted_sum(struct leat_ctx *ctx, const struct slotted *s, struct merged **out)
{
    const struct leat_host *h = ctx->host;
    const struct store *m = s->model;
    struct merged *made = *out = slotted_merged_like(ctx, s);
    struct sums_slot *slot = h->alloc(ctx, (m->set.n + 1ull) * sizeof *slot);
    int status = made && slot ? merged_make_room(ctx, made, m->set.n, store_owners(m),
                                                 slotted_name_bytes(s), s->parts != NULL)
                              : h->fail(ctx, LEAT_ENOMEM,
                                        "there is not enough memory to merge "
                                        "%u features",
                                        m->set.n);
    if (status == LEAT_OK) {
        store_sum(m, &made->sums, slot);
        slotted_describe(s, slot, made);
    }
    h->free(ctx, slot);
    return status;
}

/* Gives the slots of s their names, parts and averages. slot_of: the slot of each row. */
static void slotted_take_names(struct slotted *s, const struct merged *m, const uint32_t *slot_of)
{
    uint64_t at = 0;
    for (uint32_t k = 0; k < m->sums.feature.n; k++) {
        size_t len;
        const char *name = name_list_next(&m->names, k, &at, &len);
        uint32_t slot = slot_of[k];
        if (slot == STORE_NONE) continue;
        if (name) names_set(&s->names, slot, name, len);
        if (s->parts && m->parts) s->parts[slot] = m->parts[k];
        merged_give_average(m, k, &s->averages, slot);
    }
    averages_taken(&s->averages, s->model->sgd.t);
}

/* Makes s, which is empty, the model of the sums, and lets it keep them. */
static int slotted_settle(struct leat_ctx *ctx, struct slotted *s, struct merged *m)
{
    const struct leat_host *h = ctx->host;
    uint32_t n = m->sums.feature.n;
    struct sums_place *place = h->alloc(ctx, (n + 1ull) * sizeof *place);
    uint32_t *slot_of = h->alloc(ctx, (n + 1ull) * sizeof *slot_of);
    int status = place && slot_of ? LEAT_OK
                                  : h->fail(ctx, LEAT_ENOMEM,
                                            "there is not enough memory to rank %u features", n);
    if (status == LEAT_OK) {
        store_settle(s->model, &m->sums, place);
        for (uint32_t k = 0; k < n; k++)
            slot_of[place[k].row] = k < s->model->set.n ? k : STORE_NONE;
        slotted_take_names(s, m, slot_of);
        status = merged_note_spread(ctx, m, place, s->model->set.n);
    }
    h->free(ctx, slot_of);
    h->free(ctx, place);
    s->merged = m;
    return status;
}

/* Sets *one to the sums of a model, which the caller frees only if they are not the model's. */
static int slotted_sums_of(struct leat_ctx *ctx, const struct slotted *s, struct merged **one)
{
    *one = s->merged;
    return s->merged ? LEAT_OK : slotted_sum(ctx, s, one);
}

/* Merges the models a and b of a class into s, which is empty. */
static int slotted_join_one(struct leat_ctx *ctx, const struct slotted *a, const struct slotted *b,
                            double weight, struct slotted *s)
{
    struct merged *in_a = NULL, *in_b = NULL, *both = NULL;
    int status = slotted_sums_of(ctx, a, &in_a);
    if (status == LEAT_OK) status = slotted_sums_of(ctx, b, &in_b);
    if (status == LEAT_OK) status = merged_join(ctx, in_a, in_b, weight, &a->model->opt.sgd, &both);
    if (status == LEAT_OK) status = slotted_settle(ctx, s, both);
    if (in_a != a->merged) merged_free(ctx, in_a);
    if (in_b != b->merged) merged_free(ctx, in_b);
    return status;
}

/* Merges the model of each class in `live` with that of the same class in `other`. */
static int slotted_join(struct leat_ctx *ctx, const void *live, const void *other, double weight,
                        void *fresh)
{
    const struct slotted_held *a = live, *b = other;
    struct slotted_held *h = fresh;
    *h = *a;
    drift_watch_join(&h->watch, &b->watch, weight);
    int status = slotted_make_like(ctx, a, &h->copy);
    if (status != LEAT_OK) return status;
    for (uint32_t c = 0; c < linear_models(h->classes) && status == LEAT_OK; c++)
        status = slotted_join_one(ctx, &a->copy[c], &b->copy[c], weight, &h->copy[c]);
    if (status != LEAT_OK) slotted_release(ctx, h->copy, linear_models(h->classes));
    return status;
}

/* True if nothing was learned. The first copy decides, because all classes learn the same
 * examples. */
static bool slotted_is_empty(const void *held)
{
    return !((const struct slotted_held *)held)->copy->model->sgd.t;
}

static void slotted_release_held(struct leat_ctx *ctx, void *held)
{
    struct slotted_held *h = held;
    slotted_release(ctx, h->copy, linear_models(h->classes));
}

const struct learner_held slotted_state = {
    LEARNER_HELD(struct slotted_stage, held),
    .release = slotted_release_held,
    .write = slotted_write,
    .read = slotted_read,
    .is_empty = slotted_is_empty,
    .join = slotted_join,
};
