/* contrast_state.c -- the state of learn.contrast; see contrast_state.h.
 *
 * plugins/kernels/counting/contrast/contrast_state.c makes models of parts and of other models.
 */
#include "contrast_state.h"

#include <string.h>

#include "common/state/state_fields.h"
#include "common/state/state_names.h"

/* ---- memory ---- */

size_t contrast_names_bytes(uint32_t members, uint32_t name_bytes)
{
    return names_block_bytes(members, name_bytes) + members * sizeof(struct redundancy_parts);
}

void contrast_release(struct leat_ctx *ctx, struct contrast_held *h)
{
    ctx->host->free(ctx, h->parts);
    ctx->host->free(ctx, h->names_block);
    ctx->host->free(ctx, h->block);
    *h = (struct contrast_held){0};
}

int contrast_make(struct leat_ctx *ctx, const struct contrast_shape *s,
                  const struct contrast_options *o, uint32_t name_bytes, struct contrast_held *h)
{
    const struct leat_host *host = ctx->host;
    *h = (struct contrast_held){.block = host->alloc(ctx, contrast_block_bytes(s)),
                                .names_block =
                                    host->alloc(ctx, names_block_bytes(s->members, name_bytes)),
                                .parts = host->alloc(ctx, s->members * sizeof *h->parts)};
    if (!h->block || !h->names_block || !h->parts) {
        contrast_release(ctx, h);
        return host->fail(ctx, LEAT_ENOMEM,
                          "there is not enough memory for %u features and 2 x %u x %u cells",
                          s->members, CONTRAST_DEPTH, s->width);
    }
    contrast_init(&h->model, s, o, h->block);
    names_init(&h->names, s->members, name_bytes, h->names_block);
    return LEAT_OK;
}

/* ---- fields ---- */

#define AT(member) STATE_MEMBER(struct contrast, member)
static const char *const signs[] = {"positive", "both", NULL};
static const struct state_field parameters[] = {
    {"members", STATE_SAME, .at = AT(shape.members)},
    {"width", STATE_SAME, .at = AT(shape.width)},
    {"sample_words", STATE_SAME, .at = AT(shape.sample)},
    {"seed", STATE_SAME, .at = AT(opt.seed)}, /* cells mean nothing under another one */
    {"sign", STATE_SAME, .at = AT(opt.both), .choices = signs},
    {"half_life", STATE_SAME, .at = AT(opt.half_life)},
};
#undef AT
#define MAX_SUM    1e100 /* as of the linear learners */
#define AT(member) STATE_MEMBER(struct contrast_parts, member)
static const struct state_field fields[] = {
    {"examples", STATE_VALUE, .at = AT(clock.t), .max = COUNT_MAX},
    {"grown", STATE_VALUE, .at = AT(clock.grown), .min = 1, .max = 0x1p32},
    {"age", STATE_VALUE, .at = AT(clock.age), .max = MAX_SUM},
    {"faded", STATE_INSIDE, .at = AT(clock.faded), .each = 2, .max = MAX_SUM},
    {"records", STATE_INSIDE, .at = AT(clock.records), .each = 2, .max = COUNT_MAX},
    {"mass", STATE_INSIDE, .at = AT(clock.mass), .each = 2, .max = MAX_SUM},
    {"ids", STATE_LENT, .at = AT(id), .count = {AT(n)}, .sets_count = true,
     .limit = AT(max_members), .hint = "members"},
    {"cursor", STATE_VALUE, .at = AT(cursor), .limit = AT(n)},
    {"counted", STATE_LENT, .at = AT(count), .each = 2, .count = {AT(n)}},
    {"excess", STATE_LENT, .at = AT(excess), .count = {AT(n)}},
    {"signatures", STATE_LENT, .at = AT(signatures), .count = {AT(n)}},
    {"keys", STATE_LENT, .at = AT(key), .count = {AT(n)}, .max = (double)SGD_LIMIT},
    {"occurrences", STATE_VALUE, .at = AT(occurrences), .max = MAX_SUM},
    {"cell_bits", STATE_VALUE, .at = AT(cell_bits), .min = PACKED_CELLS_FIRST_BITS, .max = 32},
    {"cells", STATE_LENT, .at = AT(word), .count = {AT(words)}},
    {"registers", STATE_LENT, .at = AT(registers), .each = DISTINCT_REGISTERS,
     .max = DISTINCT_MOST},
    {"sample_limit", STATE_VALUE, .at = AT(sample_limit), .min = 1, .max = 0x1p32},
    {"sample", STATE_LENT, .at = AT(sample), .count = {AT(sampled)}, .sets_count = true,
     .limit = AT(max_sample)},
};
/* Of a half-life in event time. */
static const struct state_field times[] = {
    {"event_time", STATE_VALUE, .at = AT(clock.newest), .max = 0x1p63},
};
#undef AT

int contrast_write(const struct contrast_held *h, struct leat_writer *w)
{
    const struct contrast_parts p = contrast_parts(&h->model);
    int status = state_write(w, STATE_TABLE(parameters), &h->model);
    if (status == LEAT_OK) status = state_write(w, STATE_TABLE(fields), &p);
    if (status == LEAT_OK && p.clock.opt.by_time) status = state_write(w, STATE_TABLE(times), &p);
    if (status == LEAT_OK) status = state_write_name_parts(w, h->parts, p.n);
    return status == LEAT_OK ? state_write_slot_names(w, &h->names, p.n) : status;
}

static int take_parts(struct leat_reader *r, uint32_t n, struct redundancy_parts *to)
{
    const struct redundancy_parts *parts;
    int status = state_read_name_parts(r, n, &parts);
    if (status == LEAT_OK && parts) memcpy(to, parts, n * sizeof *to);
    return status;
}

int contrast_read(struct leat_ctx *ctx, const struct contrast_held *live, struct leat_reader *r,
                  struct contrast_held *h)
{
    struct contrast_parts p = contrast_parts(&live->model);
    int status = contrast_make(ctx, &live->model.shape, &live->model.opt, live->names.max_bytes, h);
    if (status != LEAT_OK) return status;
    status = state_read(r, STATE_TABLE(parameters), &h->model);
    if (status == LEAT_OK) status = state_read(r, STATE_TABLE(fields), &p);
    if (status == LEAT_OK && p.clock.opt.by_time) status = state_read(r, STATE_TABLE(times), &p);
    const char *wrong = status == LEAT_OK ? contrast_load(&h->model, &p) : NULL;
    if (wrong) status = r->refuse(r, "%s", wrong);
    if (status == LEAT_OK) status = take_parts(r, p.n, h->parts);
    if (status == LEAT_OK) status = state_read_slot_names(r, p.n, &h->names);
    if (status != LEAT_OK) contrast_release(ctx, h);
    return status;
}

/* ---- merging ---- */

static void join_names(struct contrast_held *h, const struct contrast_held *one,
                       const struct contrast_held *other, const struct linear_origin *member)
{
    for (uint32_t s = 0; s < h->model.index.n; s++) {
        uint32_t a = member[s].a, b = member[s].b;
        bool first = state_join_names(&h->names, s, &one->names, a, &other->names, b);
        h->parts[s] = first ? one->parts[a - 1] : other->parts[b - 1];
    }
}

/* The sum of two models. */
static int join_models(struct leat_ctx *ctx, const struct contrast_held *one,
                       const struct contrast_held *other, double weight, struct contrast_held *h)
{
    const struct leat_host *host = ctx->host;
    size_t max = 2 * (size_t)one->model.shape.members;
    int status = contrast_make(ctx, &one->model.shape, &one->model.opt, one->names.max_bytes, h);
    if (status != LEAT_OK) return status;
    struct linear_origin *member = host->alloc(ctx, max * sizeof *member);
    if (!member) {
        contrast_release(ctx, h);
        return host->fail(ctx, LEAT_ENOMEM, "there is not enough memory to merge %zu features",
                          max);
    }
    struct contrast a = one->model, b = other->model; /* with clocks of their own */
    contrast_at(&a, (int64_t)b.clock.newest);
    contrast_at(&b, (int64_t)a.clock.newest);
    contrast_merge(&h->model, &a, &b, weight, member);
    join_names(h, one, other, member);
    host->free(ctx, member);
    return LEAT_OK;
}

int contrast_read_merge(struct leat_ctx *ctx, const struct contrast_held *live,
                        struct leat_reader *r, double weight, struct contrast_held *h,
                        bool *changed)
{
    struct contrast_held other;
    *changed = false;
    int status = state_check_weight(r, weight);
    if (status == LEAT_OK) status = contrast_read(ctx, live, r, &other);
    if (status != LEAT_OK) return status;
    *changed = weight > 0 && other.model.clock.t;
    if (*changed && weight == 1 && !live->model.clock.t) { /* bit for bit the other */
        *h = other;
        return LEAT_OK;
    }
    if (*changed) status = join_models(ctx, live, &other, weight, h);
    *changed = *changed && status == LEAT_OK;
    contrast_release(ctx, &other);
    return status;
}
