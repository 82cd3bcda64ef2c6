/* slotted_state.c -- stages of linear learners with slots: snapshot, restore, merge; see slotted.h.
 */
#include <string.h>

#include "slotted.h"
#include "common/state/state_names.h"

/* ---- snapshot ---- */

static struct linear_state state_of(const struct slotted_kind *kind, const void *model)
{
    struct slotted_facts f = kind->facts(model);
    return (struct linear_state){kind->parts(model), f.counts, f.slots};
}

static int write_copy(const struct slotted_stage *st, const struct slotted *copy,
                      struct leat_writer *w)
{
    const struct slotted_kind *kind = st->kind;
    struct linear_state s = state_of(kind, copy->model);
    int status = state_write(w, kind->parameters, kind->n_parameters, copy->model);
    if (status == LEAT_OK) status = linear_state_write(w, &s);
    if (status == LEAT_OK) status = state_write(w, kind->values, kind->n_values, &s);
    if (status == LEAT_OK) status = state_write_name_parts(w, copy->parts, s.parts.n);
    return status == LEAT_OK ? state_write_slot_names(w, &copy->names, s.parts.n) : status;
}

int slotted_snapshot(struct leat_ctx *ctx, void *self, struct leat_writer *w)
{
    struct slotted_stage *st = self;
    int status = w->u64(w, "classes", st->classes);
    if (status == LEAT_OK) status = drift_watch_write(&st->watch, w);
    if (status != LEAT_OK) return status;
    if (!st->classes) return write_copy(st, st->copy, w);
    for (uint32_t c = 0; c < st->classes && status == LEAT_OK; c++) {
        struct state_prefix_writer p;
        status = write_copy(st, &st->copy[c], linear_class_writer(&p, w, c));
    }
    return status;
}

/* ---- restore ---- */

static int read_names(struct leat_reader *r, uint32_t used, struct slotted *s)
{
    const struct redundancy_parts *parts;
    if (state_read_name_parts(r, used, &parts) != LEAT_OK) return LEAT_EDATA;
    if (s->parts && parts) memcpy(s->parts, parts, used * sizeof *parts);
    return state_read_slot_names(r, used, &s->names);
}

static int read_copy(const struct slotted_stage *st, struct leat_reader *r, struct slotted *copy)
{
    const struct slotted_kind *kind = st->kind;
    struct linear_state s = state_of(kind, copy->model);
    if (linear_state_same_rates(r, &s) != LEAT_OK ||
        state_read(r, kind->parameters, kind->n_parameters, copy->model) != LEAT_OK ||
        linear_state_read(r, &s) != LEAT_OK ||
        state_read(r, kind->values, kind->n_values, &s) != LEAT_OK)
        return LEAT_EDATA;
    const char *wrong = kind->load(copy->model, &s.parts);
    return wrong ? r->refuse(r, "%s", wrong) : read_names(r, s.parts.n, copy);
}

/* The models that were written, like the live ones in shape and parameters. */
static int read_copies(struct leat_ctx *ctx, const struct slotted_stage *st, struct leat_reader *r,
                       struct slotted **out)
{
    int status = r->same_u64(r, "classes", st->classes);
    if (status == LEAT_OK) status = slotted_make_like(ctx, st, out);
    if (status != LEAT_OK) return status;
    if (!st->classes) status = read_copy(st, r, *out);
    for (uint32_t c = 0; c < st->classes && status == LEAT_OK; c++) {
        struct state_prefix_reader p;
        status = read_copy(st, linear_class_reader(&p, r, c), &(*out)[c]);
    }
    if (status != LEAT_OK) slotted_release(ctx, *out, linear_models(st->classes));
    return status;
}

int slotted_restore(struct leat_ctx *ctx, void *self, struct leat_reader *r, uint32_t version)
{
    struct slotted_stage *st = self;
    struct drift_watch watch = st->watch;
    struct slotted *s;
    int status = state_check_version(r, version, LINEAR_STATE_VERSION);
    if (status == LEAT_OK) status = drift_watch_read(&watch, r);
    if (status == LEAT_OK) status = read_copies(ctx, st, r, &s);
    if (status != LEAT_OK) return status;
    slotted_replace(ctx, st, s);
    st->watch = watch;
    return LEAT_OK;
}

/* ---- merge ---- */

/* A name for slot k from either side. */
static void join_name(struct slotted *s, uint32_t k, const struct linear_origin *o,
                      const struct slotted *one, const struct slotted *other)
{
    bool of_one = state_join_names(&s->names, k, &one->names, o->a, &other->names, o->b);
    if (s->parts) s->parts[k] = of_one ? one->parts[o->a - 1] : other->parts[o->b - 1];
}

/* Each copy becomes the mean of the live one and another. */
static int join_copies(struct leat_ctx *ctx, const struct slotted_stage *st,
                       const struct slotted *other, double weight, struct slotted **out)
{
    const struct leat_host *h = ctx->host;
    const struct slotted_kind *kind = st->kind;
    size_t max = 2 * (size_t)kind->facts(st->copy->model).slots;
    int status = slotted_make_like(ctx, st, out);
    if (status != LEAT_OK) return status;
    struct linear_origin *origin = h->alloc(ctx, max * sizeof *origin);
    if (!origin) {
        slotted_release(ctx, *out, linear_models(st->classes));
        return h->fail(ctx, LEAT_ENOMEM, "there is not enough memory to merge %zu features", max);
    }
    for (uint32_t c = 0; c < linear_models(st->classes); c++) {
        struct slotted *s = &(*out)[c];
        sgd_meet(kind->clock(st->copy[c].model), kind->clock(other[c].model));
        kind->merge(s->model, st->copy[c].model, other[c].model, weight, origin);
        for (uint32_t k = 0, n = kind->facts(s->model).used; k < n; k++)
            join_name(s, k, &origin[k], &st->copy[c], &other[c]);
    }
    h->free(ctx, origin);
    return LEAT_OK;
}

int slotted_merge(struct leat_ctx *ctx, void *self, struct leat_reader *r, double weight)
{
    struct slotted_stage *st = self;
    struct slotted *other, *s;
    struct drift_watch watch = st->watch;
    int status = state_check_weight(r, weight);
    if (status == LEAT_OK) status = drift_watch_read(&watch, r);
    if (status == LEAT_OK) status = read_copies(ctx, st, r, &other);
    if (status != LEAT_OK) return status;
    /* all classes have learned the same examples */
    enum linear_merge how = linear_how_to_merge(st->kind->facts(st->copy->model).sgd,
                                                st->kind->facts(other->model).sgd, weight);
    if (how == LINEAR_TAKE_OTHER) {
        slotted_replace(ctx, st, other);
        drift_watch_join(&st->watch, &watch, weight);
        return LEAT_OK;
    }
    if (how == LINEAR_JOIN) status = join_copies(ctx, st, other, weight, &s);
    if (how == LINEAR_JOIN && status == LEAT_OK) {
        slotted_replace(ctx, st, s);
        drift_watch_join(&st->watch, &watch, weight);
    }
    slotted_release(ctx, other, linear_models(st->classes));
    return status;
}
