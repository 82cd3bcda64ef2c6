/* slotted_state.c -- stages of linear learners with slots: snapshot, restore, merge; see slotted.h.
 */
#include <stdio.h>
#include <string.h>

#include "slotted.h"
#include "support/state_names.h"
#include "support/state_prefix.h"

/* ---- snapshot ---- */

/* A copy and how many of its slots are in use. */
struct named {
    const struct slotted *of;
    uint32_t used;
};

static void list_names(const void *named, struct name_list *l)
{
    const struct named *s = named;
    for (uint32_t k = 0; k < s->used; k++) {
        size_t len;
        const char *name = names_get(&s->of->names, k, &len);
        name_list_add(l, len ? name : NULL, len);
    }
}

static int write_copy(const struct slotted_stage *st, const struct slotted *copy,
                      struct leat_writer *w)
{
    struct named s = {copy, st->kind->facts(copy->model).used};
    int status = st->kind->write(copy->model, w);
    if (status == LEAT_OK) status = state_write_name_parts(w, copy->parts, s.used);
    return status == LEAT_OK ? state_write_names(w, list_names, &s, s.used) : status;
}

int slotted_snapshot(struct leat_ctx *ctx, void *self, struct leat_writer *w)
{
    struct slotted_stage *st = self;
    (void)ctx;
    int status = w->u64(w, "classes", st->classes);
    if (!st->classes) return write_copy(st, st->copy, w);
    for (uint32_t c = 0; c < st->classes && status == LEAT_OK; c++) {
        struct state_prefix_writer p;
        char prefix[STATE_PREFIX_MAX];
        snprintf(prefix, sizeof prefix, "%u.", c);
        status = write_copy(st, &st->copy[c], state_prefix_writer(&p, w, prefix));
    }
    return status;
}

/* ---- restore ---- */

static int read_names(struct leat_reader *r, uint32_t used, struct slotted *s)
{
    struct name_list l;
    const struct redundancy_parts *parts;
    uint64_t at = 0;
    size_t len;
    if (state_read_name_parts(r, used, &parts) != LEAT_OK ||
        state_read_names(r, used, &l) != LEAT_OK)
        return LEAT_EDATA;
    if (s->parts && parts) memcpy(s->parts, parts, used * sizeof *parts);
    for (uint32_t k = 0; k < used; k++) {
        const char *name = name_list_next(&l, k, &at, &len);
        if (name) names_set(&s->names, k, name, len);
    }
    return LEAT_OK;
}

static int read_copy(const struct slotted_stage *st, struct leat_reader *r, struct slotted *s)
{
    int status = st->kind->read(s->model, r);
    if (status != LEAT_OK) return status;
    return read_names(r, st->kind->facts(s->model).used, s);
}

static int read_class(const struct slotted_stage *st, struct leat_reader *r, uint32_t c,
                      struct slotted *s)
{
    struct state_prefix_reader p;
    char prefix[STATE_PREFIX_MAX], model[24];
    snprintf(prefix, sizeof prefix, "%u.", c);
    snprintf(model, sizeof model, "class %u", c);
    return read_copy(st, state_prefix_reader(&p, r, prefix, model), s);
}

/* The models that were written, like the live ones in shape and parameters. */
static int read_copies(struct leat_ctx *ctx, const struct slotted_stage *st, struct leat_reader *r,
                       struct slotted **out)
{
    int status = r->same_u64(r, "classes", st->classes);
    if (status == LEAT_OK) status = slotted_make_like(ctx, st, out);
    if (status != LEAT_OK) return status;
    if (!st->classes) status = read_copy(st, r, *out);
    for (uint32_t c = 0; c < st->classes && status == LEAT_OK; c++)
        status = read_class(st, r, c, &(*out)[c]);
    if (status != LEAT_OK) slotted_release(ctx, *out, linear_models(st->classes));
    return status;
}

int slotted_restore(struct leat_ctx *ctx, void *self, struct leat_reader *r, uint32_t version)
{
    struct slotted *s;
    int status = state_check_version(r, version, LINEAR_STATE_VERSION);
    if (status == LEAT_OK) status = read_copies(ctx, self, r, &s);
    if (status == LEAT_OK) slotted_replace(ctx, self, s);
    return status;
}

/* ---- merge ---- */

/* A name for slot k from either side. */
static void join_name(struct slotted *s, uint32_t k, const struct linear_origin *o,
                      const struct slotted *one, const struct slotted *other)
{
    size_t a_len = 0, b_len = 0;
    const char *in_a = o->a ? names_get(&one->names, o->a - 1, &a_len) : "";
    const char *in_b = o->b ? names_get(&other->names, o->b - 1, &b_len) : "";
    bool take_a = name_preferred(in_a, a_len, in_b, b_len);
    if (a_len || b_len) names_set(&s->names, k, take_a ? in_a : in_b, take_a ? a_len : b_len);
    if (!s->parts) return;
    s->parts[k] = o->a && (take_a || !o->b) ? one->parts[o->a - 1] : other->parts[o->b - 1];
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
        return h->fail(ctx, LEAT_ENOMEM, "no memory to merge %zu features", max);
    }
    for (uint32_t c = 0; c < linear_models(st->classes); c++) {
        struct slotted *s = &(*out)[c];
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
    int status = state_check_weight(r, weight);
    if (status == LEAT_OK) status = read_copies(ctx, st, r, &other);
    if (status != LEAT_OK) return status;
    /* all classes have learned the same examples */
    enum linear_merge how = linear_how_to_merge(st->kind->facts(st->copy->model).sgd,
                                                st->kind->facts(other->model).sgd, weight);
    if (how == LINEAR_TAKE_OTHER) {
        slotted_replace(ctx, st, other);
        return LEAT_OK;
    }
    if (how == LINEAR_JOIN) status = join_copies(ctx, st, other, weight, &s);
    if (how == LINEAR_JOIN && status == LEAT_OK) slotted_replace(ctx, st, s);
    slotted_release(ctx, other, linear_models(st->classes));
    return status;
}
