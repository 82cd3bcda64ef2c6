/* paired_count_min_state.c -- the state of learn.paired_count_min; see paired_count_min_state.h.
 *
 * plugins/kernels/counting/paired_count_min/paired_count_min_state.c makes models of parts and of
 * other models.
 */
#include "paired_count_min_state.h"

#include "common/state/state_fields.h"
#include "common/state/state_names.h"

/* ---- memory ---- */

void paired_release(struct leat_ctx *ctx, struct paired_held *h)
{
    ctx->host->free(ctx, h->names_block);
    ctx->host->free(ctx, h->block);
    *h = (struct paired_held){0};
}

int paired_make(struct leat_ctx *ctx, const struct paired_count_min_shape *s,
                const struct paired_count_min_options *o, uint32_t name_bytes,
                struct paired_held *h)
{
    const struct leat_host *host = ctx->host;
    *h = (struct paired_held){.block = host->alloc(ctx, paired_count_min_block_bytes(s)),
                              .names_block =
                                  host->alloc(ctx, names_block_bytes(s->active, name_bytes))};
    if (!h->block || !h->names_block) {
        paired_release(ctx, h);
        return host->fail(ctx, LEAT_ENOMEM,
                          "there is not enough memory for %u features and 2 x %u x %u cells",
                          s->active, s->depth, s->width);
    }
    paired_count_min_init(&h->model, s, o, h->block);
    names_init(&h->names, s->active, name_bytes, h->names_block);
    return LEAT_OK;
}

/* ---- fields ---- */

#define AT(member) STATE_MEMBER(struct paired_count_min, member)
static const struct state_field parameters[] = {
    {"active", STATE_SAME, .at = AT(shape.active)},
    {"width", STATE_SAME, .at = AT(shape.width)},
    {"depth", STATE_SAME, .at = AT(shape.depth)},
    {"seed", STATE_SAME, .at = AT(opt.seed)}, /* cells mean nothing under another one */
    {"conservative", STATE_SAME, .at = AT(opt.conservative), .choices = state_false_true},
};
#undef AT
#define AT(member) STATE_MEMBER(struct paired_count_min_parts, member)
static const struct state_field fields[] = {
    {"records", STATE_INSIDE, .at = AT(records), .each = 2, .max = COUNT_MAX},
    {"ids", STATE_LENT, .at = AT(id), .count = {AT(n_active)}, .sets_count = true,
     .limit = AT(max_active), .hint = "active"},
    {"cursor", STATE_VALUE, .at = AT(cursor), .limit = AT(n_active)},
    {"ratios", STATE_LENT, .at = AT(ratio), .count = {AT(n_active)}, .min = -(double)SGD_LIMIT,
     .max = (double)SGD_LIMIT},
    {"cells", STATE_LENT, .at = AT(cell), .count = {AT(cells)}},
};
#undef AT

int paired_write(const struct paired_held *h, struct leat_writer *w)
{
    const struct paired_count_min_parts p = paired_count_min_parts(&h->model);
    int status = state_write(w, STATE_TABLE(parameters), &h->model);
    if (status == LEAT_OK) status = state_write(w, STATE_TABLE(fields), &p);
    return status == LEAT_OK ? state_write_slot_names(w, &h->names, p.n_active) : status;
}

int paired_read(struct leat_ctx *ctx, const struct paired_held *live, struct leat_reader *r,
                struct paired_held *h)
{
    struct paired_count_min_parts p = paired_count_min_parts(&live->model);
    int status = paired_make(ctx, &live->model.shape, &live->model.opt, live->names.max_bytes, h);
    if (status != LEAT_OK) return status;
    status = state_read(r, STATE_TABLE(parameters), &h->model);
    if (status == LEAT_OK) status = state_read(r, STATE_TABLE(fields), &p);
    const char *wrong = status == LEAT_OK ? paired_count_min_load(&h->model, &p) : NULL;
    if (wrong) status = r->refuse(r, "%s", wrong);
    if (status == LEAT_OK) status = state_read_slot_names(r, p.n_active, &h->names);
    if (status != LEAT_OK) paired_release(ctx, h);
    return status;
}

/* ---- merging ---- */

static bool is_fresh(const struct paired_count_min *m) { return !m->records[0] && !m->records[1]; }

/* The sum of two models. */
static int join_models(struct leat_ctx *ctx, const struct paired_held *one,
                       const struct paired_held *other, double weight, struct paired_held *h)
{
    const struct leat_host *host = ctx->host;
    size_t max = 2 * (size_t)one->model.shape.active;
    int status = paired_make(ctx, &one->model.shape, &one->model.opt, one->names.max_bytes, h);
    if (status != LEAT_OK) return status;
    struct linear_origin *member = host->alloc(ctx, max * sizeof *member);
    if (!member) {
        paired_release(ctx, h);
        return host->fail(ctx, LEAT_ENOMEM, "there is not enough memory to merge %zu features",
                          max);
    }
    paired_count_min_merge(&h->model, &one->model, &other->model, weight, member);
    for (uint32_t s = 0; s < h->model.members.n; s++)
        state_join_names(&h->names, s, &one->names, member[s].a, &other->names, member[s].b);
    host->free(ctx, member);
    return LEAT_OK;
}

int paired_read_merge(struct leat_ctx *ctx, const struct paired_held *live, struct leat_reader *r,
                      double weight, struct paired_held *h, bool *changed)
{
    struct paired_held other;
    *changed = false;
    int status = state_check_weight(r, weight);
    if (status == LEAT_OK) status = paired_read(ctx, live, r, &other);
    if (status != LEAT_OK) return status;
    *changed = weight > 0 && !is_fresh(&other.model);
    if (*changed && weight == 1 && is_fresh(&live->model)) { /* bit for bit the other */
        *h = other;
        return LEAT_OK;
    }
    if (*changed) status = join_models(ctx, live, &other, weight, h);
    *changed = *changed && status == LEAT_OK;
    paired_release(ctx, &other);
    return status;
}
