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

static int slotted_read_names(struct leat_reader *r, uint32_t used, struct slotted *s)
{
    const struct redundancy_parts *parts;
    if (state_read_name_parts(r, used, &parts) != LEAT_OK) return LEAT_EDATA;
    if (s->parts && parts) memcpy(s->parts, parts, used * sizeof *parts);
    return state_read_slot_names(r, used, &s->names);
}

static int slotted_read_copy(const struct slotted_kind *kind, struct leat_reader *r,
                             struct slotted *copy)
{
    struct linear_state s = slotted_state_of(copy->model);
    if (linear_state_same_rates(r, &s) != LEAT_OK ||
        state_read(r, kind->parameters.field, kind->parameters.n, copy->model) != LEAT_OK ||
        linear_state_read(r, &s) != LEAT_OK ||
        state_read(r, kind->values.field, kind->values.n, &s) != LEAT_OK)
        return LEAT_EDATA;
    const char *wrong = store_load(copy->model, &s.parts);
    if (wrong) return r->refuse(r, "%s", wrong);
    int status = averaged_read(&copy->averages, s.parts.n, r);
    return status == LEAT_OK ? slotted_read_names(r, s.parts.n, copy) : status;
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
    if (!h->classes) status = slotted_read_copy(h->kind, r, h->copy);
    for (uint32_t c = 0; c < h->classes && status == LEAT_OK; c++) {
        struct state_prefix_reader p;
        status = slotted_read_copy(h->kind, linear_class_reader(&p, r, c), &h->copy[c]);
    }
    if (status != LEAT_OK) slotted_release(ctx, h->copy, linear_models(h->classes));
    return status;
}

/* ---- merging ---- */

/* Gives slot k of s the name of its feature. `o` says whether the feature comes from `one` or from
 * `other`. */
static void slotted_join_name(struct slotted *s, uint32_t k, const struct linear_origin *o,
                              const struct slotted *one, const struct slotted *other)
{
    bool of_one = state_join_names(&s->names, k, &one->names, o->a, &other->names, o->b);
    if (s->parts) s->parts[k] = of_one ? one->parts[o->a - 1] : other->parts[o->b - 1];
}

/* Gives slot k of s the average of its feature over the records of both. */
static void slotted_join_average(struct slotted *s, uint32_t k, const struct linear_origin *o,
                                 const struct slotted *one, const struct slotted *other,
                                 double weight)
{
    if (!s->averages.of) return;
    if (o->a) averages_set(&s->averages, k, averages_get(&one->averages, o->a - 1));
    if (o->b) averages_join(&s->averages, k, &other->averages, o->b - 1, weight);
}

/* Merges the model of each class in `live` with that of the same class in `other`. */
static int slotted_join(struct leat_ctx *ctx, const void *live, const void *other, double weight,
                        void *fresh)
{
    const struct leat_host *host = ctx->host;
    const struct slotted_held *a = live, *b = other;
    struct slotted_held *h = fresh;
    size_t max = 2 * (size_t)a->copy->model->shape.active;
    *h = *a;
    drift_watch_join(&h->watch, &b->watch, weight);
    int status = slotted_make_like(ctx, a, &h->copy);
    if (status != LEAT_OK) return status;
    struct linear_origin *origin = host->alloc(ctx, max * sizeof *origin);
    if (!origin) {
        slotted_release(ctx, h->copy, linear_models(h->classes));
        return host->fail(ctx, LEAT_ENOMEM, "there is not enough memory to merge %zu features",
                          max);
    }
    for (uint32_t c = 0; c < linear_models(h->classes); c++) {
        struct slotted *s = &h->copy[c];
        sgd_meet(&a->copy[c].model->sgd, &b->copy[c].model->sgd);
        store_merge(s->model, a->copy[c].model, b->copy[c].model, weight, origin);
        for (uint32_t k = 0; k < s->model->set.n; k++) {
            slotted_join_name(s, k, &origin[k], &a->copy[c], &b->copy[c]);
            slotted_join_average(s, k, &origin[k], &a->copy[c], &b->copy[c], weight);
        }
        averages_taken(&s->averages, s->model->sgd.t);
    }
    host->free(ctx, origin);
    return LEAT_OK;
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
