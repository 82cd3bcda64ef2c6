/* contrast_state.c -- implementation of contrast_state.h. */
#include "contrast_state.h"

#include <string.h>

#include "common/state/state_fields.h"
#include "common/state/state_names.h"
#include "contrast_counter.h"
#include "contrast_panes.h"

const char *const contrast_signs[] = {"positive", "both", NULL};

/* ---- fields ---- */

#define AT(member) STATE_MEMBER(struct contrast, member)
static const struct state_field contrast_parameters[] = {
    {"members", STATE_SAME, .at = AT(shape.members)},
    {"width", STATE_SAME, .at = AT(shape.width)},
    {"sample_words", STATE_SAME, .at = AT(shape.sample)},
    {"seed", STATE_SAME, .at = AT(opt.seed)}, /* the seed determines the cells of each feature */
    {"sign", STATE_SAME, .at = AT(opt.both), .choices = contrast_signs},
    {"half_life", STATE_SAME, .at = AT(opt.half_life)},
};
#undef AT
/* Whether the model is a union, and its number of cells in a word. */
struct contrast_state_form {
    bool merged;
    uint32_t grain;
};
#define AT(member) STATE_MEMBER(struct contrast_state_form, member)
static const struct state_field contrast_state_forms[] = {
    {"merged", STATE_VALUE, .at = AT(merged), .max = 1},
    {"grain", STATE_VALUE, .at = AT(grain), .max = 4},
};
#undef AT
/* Parameters and fields that a state has only if it adds up amounts. */
static const struct state_field contrast_amount_parameters[] = {
    {"amount_unit", STATE_SAME, .at = STATE_MEMBER(struct amounts_cfg, unit)},
};
#define MAX_SUM    1e100 /* limit on sums, as in linear learners (linear.c) */
#define AT(member) STATE_MEMBER(struct contrast_parts, member)
static const struct state_field contrast_fields[] = {
    {"examples", STATE_VALUE, .at = AT(clock.t), .max = COUNT_MAX},
    {"grown", STATE_VALUE, .at = AT(clock.grown), .min = 1, .max = 0x1p32},
    {"age", STATE_VALUE, .at = AT(clock.age), .max = MAX_SUM},
    {"faded", STATE_INSIDE, .at = AT(clock.faded), .each = 2, .max = MAX_SUM},
    {"records", STATE_INSIDE, .at = AT(clock.records), .each = 2, .max = COUNT_MAX},
    {"mass", STATE_INSIDE, .at = AT(clock.mass), .each = 2, .max = MAX_SUM},
    {"ids", STATE_LENT, .at = AT(id), .count = {AT(n)}, .sets_count = true,
     .limit = AT(max_members), .hint = "members"},
    {"counted", STATE_LENT, .at = AT(count), .each = 2, .count = {AT(n)}},
    {"signatures", STATE_LENT, .at = AT(signatures), .count = {AT(n)}},
    {"occurrences", STATE_VALUE, .at = AT(occurrences), .max = MAX_SUM},
    {"registers", STATE_LENT, .at = AT(registers), .each = DISTINCT_REGISTERS,
     .max = DISTINCT_MOST},
    {"sample_limit", STATE_VALUE, .at = AT(sample[1].limit), .max = 0x1p32},
    {"sample", STATE_LENT, .at = AT(sample[1].word), .count = {AT(sample[1].n)}, .sets_count = true,
     .limit = AT(sample[1].max)},
    {"rest_limit", STATE_VALUE, .at = AT(sample[0].limit), .max = 0x1p32},
    {"rest_sample", STATE_LENT, .at = AT(sample[0].word), .count = {AT(sample[0].n)},
     .sets_count = true, .limit = AT(sample[0].max)},
};
/* Fields of a leaf, and those of a union. */
static const struct state_field contrast_leaf_fields[] = {
    {"cursor", STATE_VALUE, .at = AT(cursor), .limit = AT(n)},
    {"excess", STATE_LENT, .at = AT(excess), .count = {AT(n)}},
    {"keys", STATE_LENT, .at = AT(key), .count = {AT(n)}, .max = (double)SGD_LIMIT},
    {"key_base", STATE_INSIDE, .at = AT(base.all), .each = 4, .max = MAX_SUM},
    {"cell_bits", STATE_VALUE, .at = AT(cell_bits), .min = PACKED_CELLS_FIRST_BITS, .max = 32},
    {"cells", STATE_LENT, .at = AT(word), .count = {AT(words)}, .sets_count = true,
     .limit = AT(max_words)},
};
static const struct state_field contrast_union_fields[] = {
    {"excess_own", STATE_LENT, .at = AT(beside), .each = 6, .count = {AT(n)}},
    {"cells", STATE_LENT, .at = AT(word), .count = {AT(words)}, .sets_count = true,
     .limit = AT(max_words)},
};
static const struct state_field contrast_sum_fields[] = {
    {"amount_totals", STATE_INSIDE, .at = AT(sums.total), .each = 2, .max = 0x1p60},
    {"amount_largest", STATE_INSIDE, .at = AT(sums.largest), .each = 2, .max = 0x1p60},
    {"amount_occurrences", STATE_VALUE, .at = AT(sums.occurrences), .max = 0x1p62},
    {"amount_sums", STATE_LENT, .at = AT(member_sums), .each = 6, .count = {AT(n)}, .max = 0x1p62},
    {"amount_cells", STATE_LENT, .at = AT(sum_cells), .count = {AT(sum_words)}, .sets_count = true,
     .limit = AT(max_sum_words), .max = 0x1p62},
};
static const struct state_field contrast_union_sum_fields[] = {
    {"amount_own", STATE_LENT, .at = AT(own_sums), .each = 4, .count = {AT(n)}, .max = 0x1p62},
};
/* Fields that a state has only if the half-life is in event time. */
static const struct state_field contrast_times[] = {
    STATE_HALF_LIFE(AT(clock.at.newest), AT(clock.at.least), AT(clock.at.ahead), AT(clock.at.seen)),
};
#undef AT

/* ---- writing ---- */

static int contrast_state_write_fields(const struct contrast_held *h,
                                       const struct contrast_parts *p, struct leat_writer *w)
{
    const bool merged = h->model.united.is;
    struct contrast like = {.shape = h->model.shape, .opt = h->model.opt};
    const struct contrast_state_form form = {merged, p->grain};
    if (merged) like.shape.members = h->model.united.leaf_members;
    int status = state_write(w, STATE_TABLE(contrast_parameters), &like);
    if (status == LEAT_OK) status = state_write(w, STATE_TABLE(contrast_state_forms), &form);
    if (status == LEAT_OK) status = state_write(w, STATE_TABLE(contrast_fields), p);
    if (status == LEAT_OK)
        status = merged ? state_write(w, STATE_TABLE(contrast_union_fields), p)
                        : state_write(w, STATE_TABLE(contrast_leaf_fields), p);
    if (status == LEAT_OK && p->clock.opt.by_time)
        status = state_write(w, STATE_TABLE(contrast_times), p);
    if (status != LEAT_OK || !h->amounts) return status;
    status = state_write(w, STATE_TABLE(contrast_amount_parameters), h->amounts->cfg);
    if (status == LEAT_OK) status = state_write(w, STATE_TABLE(contrast_sum_fields), p);
    if (status == LEAT_OK && merged)
        status = state_write(w, STATE_TABLE(contrast_union_sum_fields), p);
    return status;
}

int contrast_state_write(const void *held, struct leat_writer *w)
{
    const struct contrast_held *h = held;
    contrast_flush(&h->model);
    contrast_held_sort(h);
    const struct contrast_parts p = contrast_parts(&h->model);
    int status = contrast_state_write_fields(h, &p, w);
    if (status == LEAT_OK && h->panes) status = contrast_panes_write(h, w);
    if (status == LEAT_OK) status = state_write_name_parts(w, h->parts, p.n);
    return status == LEAT_OK ? state_write_slot_names(w, &h->names, p.n) : status;
}

/* ---- reading ---- */

/* Fields of a state, as they are read. */
struct contrast_state_read {
    struct contrast like; /* shape of a leaf, and options */
    struct contrast_state_form form;
    struct contrast_parts parts;
    struct name_list names;
};

/* Refuses a state of the same budget if only one of the two was learned with --split. */
static int contrast_state_check_split(struct leat_ctx *ctx, const struct contrast *live,
                                      struct leat_reader *r, uint64_t width)
{
    struct contrast_shape of[2];
    for (int split = 0; split < 2; split++)
        if (!contrast_held_shape(ctx->cfg, split, &of[split])) return LEAT_OK;
    bool mixed = (width == of[0].width && live->shape.width == of[1].width) ||
                 (width == of[1].width && live->shape.width == of[0].width);
    return mixed ? r->refuse(r,
                             "it was learned %s --split, and the others were %s: a split has a "
                             "larger table, so learn all of them with --split, or none",
                             width == of[1].width ? "with" : "without",
                             width == of[1].width ? "not" : "with it")
                 : LEAT_OK;
}

/* Sets s->like to the live model if this is not empty. Otherwise the state may have the shape of
 * the script or that of its splits. */
static int contrast_state_read_shape(struct leat_ctx *ctx, const struct contrast *live,
                                     struct leat_reader *r, struct contrast_state_read *s)
{
    uint64_t width;
    int status = r->u64(r, "width", &width);
    s->like = (struct contrast){.shape = live->shape, .opt = live->opt};
    if (live->united.is) s->like.shape.members = live->united.leaf_members;
    for (int split = 0; split < 2 && !live->clock.t && status == LEAT_OK; split++) {
        struct contrast_shape of;
        bool fits = contrast_held_shape(ctx->cfg, split, &of);
        if (fits && (!split || of.width == width)) s->like.shape = of;
    }
    if (status == LEAT_OK && live->clock.t && width != live->shape.width)
        status = contrast_state_check_split(ctx, live, r, width);
    if (status == LEAT_OK) status = state_read(r, STATE_TABLE(contrast_parameters), &s->like);
    if (status == LEAT_OK) status = state_read(r, STATE_TABLE(contrast_state_forms), &s->form);
    if (status == LEAT_OK && (s->form.grain == 3 || (s->form.grain && !s->form.merged)))
        status = r->refuse(r, "grain is %u", s->form.grain);
    return status;
}

/* Sets the lengths that the arrays of the state must have. */
static void contrast_state_limit(const struct contrast *live, struct contrast_state_read *s)
{
    const struct contrast_shape *of = &s->like.shape;
    struct contrast_parts *p = &s->parts;
    *p = contrast_parts(live);
    p->grain = s->form.grain;
    p->max_members = s->form.merged ? CONTRAST_MAX_MEMBERS : of->members;
    p->max_sum_words = p->max_words = 2 * CONTRAST_DEPTH * (uint64_t)of->width;
    if (s->form.merged) p->max_words *= p->grain;
    for (int y = 0; y < 2; y++)
        p->sample[y].max = of->sample / 2;
}

/* Reads the sums of amounts, if the model has some. */
static int contrast_state_read_sums(const struct contrast_held *live, struct leat_reader *r,
                                    struct contrast_state_read *s)
{
    if (!live->amounts) return LEAT_OK;
    struct amounts_cfg same = *live->amounts->cfg;
    int status = state_read(r, STATE_TABLE(contrast_amount_parameters), &same);
    if (status == LEAT_OK) status = state_read(r, STATE_TABLE(contrast_sum_fields), &s->parts);
    if (status == LEAT_OK && s->form.merged)
        status = state_read(r, STATE_TABLE(contrast_union_sum_fields), &s->parts);
    return status;
}

static int contrast_state_read_fields(struct leat_ctx *ctx, const struct contrast_held *live,
                                      struct leat_reader *r, struct contrast_state_read *s)
{
    struct contrast_parts *p = &s->parts;
    int status = contrast_state_read_shape(ctx, &live->model, r, s);
    if (status != LEAT_OK) return status;
    contrast_state_limit(&live->model, s);
    status = state_read(r, STATE_TABLE(contrast_fields), p);
    if (status == LEAT_OK)
        status = s->form.merged ? state_read(r, STATE_TABLE(contrast_union_fields), p)
                                : state_read(r, STATE_TABLE(contrast_leaf_fields), p);
    if (status == LEAT_OK && p->clock.opt.by_time)
        status = state_read(r, STATE_TABLE(contrast_times), p);
    if (status == LEAT_OK) status = contrast_state_read_sums(live, r, s);
    return status == LEAT_OK ? state_read_names(r, p->n, &s->names) : status;
}

/* Makes an empty model for what was read. */
static int contrast_state_make(struct leat_ctx *ctx, const struct contrast_held *live,
                               const struct contrast_state_read *s, struct contrast_held *h)
{
    const struct contrast_union_size size = {s->parts.n, s->form.grain};
    struct contrast_shape learns;
    int status = LEAT_OK;
    if (s->form.merged)
        status = contrast_held_make_union(ctx, &s->like.shape, size,
                                          s->names.bytes + 8 * (uint64_t)s->parts.n, live, h);
    else
        status = contrast_held_make(ctx, &s->like.shape, &s->like.opt, live->names.max_bytes, h);
    if (status != LEAT_OK) return status;
    h->amounts = live->amounts;
    if (s->form.merged || !contrast_held_shape(ctx->cfg, ctx->split, &learns) ||
        memcmp(&learns, &s->like.shape, sizeof learns) != 0)
        status = contrast_held_make_next(ctx, h);
    if (status == LEAT_OK && live->panes)
        status = contrast_panes_make(ctx, &live->panes->opt, live->panes->room, h);
    if (status != LEAT_OK) contrast_held_release(ctx, h);
    return status;
}

static int contrast_state_take_parts(struct leat_reader *r, uint32_t n, struct redundancy_parts *to)
{
    const struct redundancy_parts *parts;
    int status = state_read_name_parts(r, n, &parts);
    if (status == LEAT_OK && parts) memcpy(to, parts, n * sizeof *to);
    return status;
}

int contrast_state_read(struct leat_ctx *ctx, const void *of, struct leat_reader *r, void *fresh)
{
    const struct contrast_held *live = of;
    struct contrast_held *h = fresh;
    struct contrast_state_read s = {.form = {.merged = false}};
    int status = contrast_state_read_fields(ctx, live, r, &s);
    if (status == LEAT_OK) status = contrast_state_make(ctx, live, &s, h);
    if (status != LEAT_OK) return status;
    const char *wrong = contrast_load(&h->model, &s.parts);
    if (wrong) status = r->refuse(r, "%s", wrong);
    if (status == LEAT_OK && h->panes) status = contrast_panes_read(r, h);
    if (status == LEAT_OK) status = contrast_state_take_parts(r, s.parts.n, h->parts);
    if (status == LEAT_OK) status = state_read_slot_names(r, s.parts.n, &h->names);
    if (status != LEAT_OK)
        contrast_held_release(ctx, h);
    else
        contrast_counter_leave(live->next ? live->next : live, contrast_held_learner(h));
    return status;
}
