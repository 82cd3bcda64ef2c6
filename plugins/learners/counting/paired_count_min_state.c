/* paired_count_min_state.c -- the state of learn.paired_count_min; see paired_count_min_state.h.
 *
 * plugins/kernels/linear/paired_count_min/paired_count_min_state.c makes models of parts and of
 * other models.
 */
#include "paired_count_min_state.h"

#include "support/state_fields.h"
#include "support/state_names.h"

/* ---- memory ---- */

void paired_release(struct leat_ctx *ctx, struct paired_held *h)
{
    ctx->host->free(ctx, h->names_block);
    ctx->host->free(ctx, h->block);
    *h = (struct paired_held){0};
}

/* A fresh one like another, or LEAT_ENOMEM. */
static int make_like(struct leat_ctx *ctx, const struct paired_held *like, struct paired_held *h)
{
    const struct leat_host *host = ctx->host;
    const struct paired_count_min_shape *s = &like->model.shape;
    size_t bytes = paired_count_min_block_bytes(s);
    *h = (struct paired_held){.block = host->alloc(ctx, bytes)};
    h->names_block = host->alloc(ctx, names_block_bytes(s->active, like->names.max_bytes));
    if (!h->block || !h->names_block) {
        paired_release(ctx, h);
        return host->fail(ctx, LEAT_ENOMEM,
                          "there is not enough memory for a second model of %zu bytes", bytes);
    }
    paired_count_min_init(&h->model, s, &like->model.opt, h->block);
    names_init(&h->names, s->active, like->names.max_bytes, h->names_block);
    return LEAT_OK;
}

static bool is_fresh(const struct paired_count_min *m) { return !m->records[0] && !m->records[1]; }

/* ---- fields ---- */

struct saved {
    struct paired_count_min_parts parts; /* members in the order of their slots */
    uint32_t active, width, depth;
    uint64_t seed; /* cells mean nothing under another one */
    bool conservative;
};

#define AT(member) STATE_MEMBER(struct saved, member)
static const struct state_field fields[] = {
    {"active", STATE_SAME, .at = AT(active)},
    {"width", STATE_SAME, .at = AT(width)},
    {"depth", STATE_SAME, .at = AT(depth)},
    {"seed", STATE_SAME, .at = AT(seed)},
    {"conservative", STATE_SAME, .at = AT(conservative), .choices = state_false_true},
    {"records", STATE_INSIDE, .at = AT(parts.records), .each = 2},
    {"ids", STATE_LENT, .at = AT(parts.id), .count = {AT(parts.n_active)}, .sets_count = true,
     .limit = AT(active), .hint = "active"},
    {"cursor", STATE_VALUE, .at = AT(parts.cursor), .limit = AT(parts.n_active)},
    {"ratios", STATE_LENT, .at = AT(parts.ratio), .count = {AT(parts.n_active)}},
    {"cells", STATE_LENT, .at = AT(parts.cell), .each = 2, .count = {AT(width), AT(depth)}},
};
#undef AT

static struct saved saved_of(const struct paired_count_min *m)
{
    return (struct saved){.parts = paired_count_min_parts(m),
                          .active = m->shape.active,
                          .width = m->shape.width,
                          .depth = m->shape.depth,
                          .seed = m->opt.seed,
                          .conservative = m->opt.conservative};
}

int paired_write(const struct paired_held *h, struct leat_writer *w)
{
    struct saved s = saved_of(&h->model);
    int status = state_write(w, STATE_TABLE(fields), &s);
    return status == LEAT_OK ? state_write_slot_names(w, &h->names, s.parts.n_active) : status;
}

int paired_read(struct leat_ctx *ctx, const struct paired_held *live, struct leat_reader *r,
                struct paired_held *h)
{
    struct saved s = saved_of(&live->model);
    int status = state_read(r, STATE_TABLE(fields), &s);
    if (status == LEAT_OK) status = make_like(ctx, live, h);
    if (status != LEAT_OK) return status;
    const char *wrong = paired_count_min_load(&h->model, &s.parts);
    status =
        wrong ? r->refuse(r, "%s", wrong) : state_read_slot_names(r, s.parts.n_active, &h->names);
    if (status != LEAT_OK) paired_release(ctx, h);
    return status;
}

/* ---- merging ---- */

/* The sum of two models. */
static int join_models(struct leat_ctx *ctx, const struct paired_held *one,
                       const struct paired_held *other, double weight, struct paired_held *h)
{
    const struct leat_host *host = ctx->host;
    size_t max = 2 * (size_t)one->model.shape.active;
    int status = make_like(ctx, one, h);
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
