/* contrast.c -- stage learn.contrast: counts of features in two kinds of records, with bounds.
 *
 * The algorithm is in plugins/kernels/counting/contrast, the answer in contrast_answer.c. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "contrast.h"
#include "contrast_chunk.h"
#include "contrast_counter.h"
#include "contrast_panes.h"
#include "learners/counting/docs.h"
#include "common/answers/answer.h"
#include "common/learners/examples.h"
#include "common/learners/learner.h"
#include "common/state/state_fields.h"
#include "common/state/state_names.h"

enum { CONTRAST_STATE_VERSION = 3 };

struct contrast_cfg {
    int64_t budget, members, name_bytes, max_entries;
    struct leat_interval half_life;
    struct leat_strings left_out;
    int32_t sign;
    struct amounts_cfg amounts;
    struct contrast_panes_cfg by;
};

struct contrast_stage {
    struct learner learner;
    struct contrast_held held;
    struct contrast_found found;
    struct amounts amounts;
    struct contrast_counter counter;
    bool told, told_k;
};

static const char *const contrast_signs[] = {"positive", "both", NULL};

static const struct leat_param contrast_params[] = {
    LEAT_PARAM(struct contrast_cfg, budget, LEAT_SIZE, .def = "1MB", .min = 64, .max = 4294967296.0,
               .unit = "bytes", .doc = "most bytes of the model, without names"),
    LEAT_PARAM(struct contrast_cfg, sign, LEAT_CHOICE, .def = "positive", .choices = contrast_signs,
               .doc = "positive: keep features of label +1; both: also features of label -1"),
    LEAT_PARAM(struct contrast_cfg, half_life, LEAT_INTERVAL, .def = "0", .min = 0, .max = 1e8,
               .unit = "records",
               .doc =
                   "records, or event time (\"6h\"), after which counts are worth half; 0: never"),
    LEAT_PARAM(struct contrast_cfg, members, LEAT_INT, .flags = LEAT_ADVANCED, .def = "0",
               .max = CONTRAST_MAX_MEMBERS, .unit = "features",
               .doc = "features kept by name; 0: about half the budget"),
    LEAT_PARAM(struct contrast_cfg, name_bytes, LEAT_INT, .flags = LEAT_ADVANCED, .def = "120",
               .min = 8, .max = 65535, .unit = "bytes",
               .doc = "longest name kept; longer ones are cut and end with …"),
    LEAT_PARAM(struct contrast_cfg, max_entries, LEAT_INT, .flags = LEAT_ADVANCED, .def = "65536",
               .min = 1, .max = 16777216, .unit = "entries",
               .doc = "longest example taken; longer ones are rejected"),
    LEAT_PARAM_AS("panes", struct contrast_cfg, by.panes, LEAT_DURATION, .def = "0", .min = 0,
                  .max = 3.2e7,
                  .doc = "also counts by event time, in panes of this length (\"5min\"), for "
                         "questions about past periods; 0: does not"),
    LEAT_PARAM_AS("keep", struct contrast_cfg, by.keep, LEAT_DURATION, .def = "30d", .min = 1,
                  .max = 3.2e9, .doc = "how long panes are kept", .only_with = "panes"),
    LEAT_PARAM_AS("panes_of", struct contrast_cfg, by.of, LEAT_CHOICE, .def = "outliers",
                  .choices = contrast_panes_choices, .only_with = "panes",
                  .doc = "records that panes count: outliers: those labelled +1; all: all"),
    LEAT_PARAM_AS("period", struct contrast_cfg, by.period, LEAT_STRING, .flags = LEAT_QUESTION,
                  .doc = "asks about the panes of a period FROM..TO, such as "
                         "2024-05-17T10:00..2024-05-17T11:00 or -1h.., in UTC"),
    LEAT_PARAM_AS("against", struct contrast_cfg, by.against, LEAT_STRING, .flags = LEAT_QUESTION,
                  .doc =
                      "the period to compare it with: FROM..TO, or -7d, the same time seven days "
                      "before; by default all other times"),
    LEAT_PARAM(struct contrast_cfg, left_out, LEAT_STRINGS,
               .flags = LEAT_ADVANCED | LEAT_OPERATIONAL,
               .doc = "columns without features, for the message that nothing is more than chance"),
    AMOUNTS_PARAMS(struct contrast_cfg, amounts),
};

/* ---- memory ---- */

static size_t contrast_names_bytes(uint32_t members, uint32_t name_bytes)
{
    return names_block_bytes(members, names_room(members, name_bytes)) +
           members * sizeof(struct redundancy_parts);
}

static void contrast_release(struct leat_ctx *ctx, void *held)
{
    struct contrast_held *h = held;
    ctx->host->free(ctx, h->panes);
    ctx->host->free(ctx, h->parts);
    ctx->host->free(ctx, h->names_block);
    ctx->host->free(ctx, h->block);
}

static int contrast_make_model(struct leat_ctx *ctx, const struct contrast_shape *s,
                               const struct contrast_options *o, uint32_t name_bytes,
                               struct contrast_held *h)
{
    const struct leat_host *host = ctx->host;
    const size_t room = names_room(s->members, name_bytes);
    *h =
        (struct contrast_held){.block = host->alloc(ctx, contrast_block_bytes(s)),
                               .names_block = host->alloc(ctx, names_block_bytes(s->members, room)),
                               .parts = host->alloc(ctx, s->members * sizeof *h->parts)};
    if (!h->block || !h->names_block || !h->parts) {
        contrast_release(ctx, h);
        *h = (struct contrast_held){0};
        return host->fail(ctx, LEAT_ENOMEM,
                          "there is not enough memory for %u features and 2 x %u x %u cells",
                          s->members, CONTRAST_DEPTH, s->width);
    }
    contrast_init(&h->model, s, o, h->block);
    names_init(&h->names, s->members, name_bytes, room, h->names_block);
    return LEAT_OK;
}

bool contrast_adds_amounts(const void *cfg)
{
    return ((const struct contrast_cfg *)cfg)->amounts.column != NULL;
}

/* Makes an empty model like another one, which it will replace. */
static int contrast_make_like(struct leat_ctx *ctx, const struct contrast_held *one,
                              struct contrast_held *h)
{
    int status =
        contrast_make_model(ctx, &one->model.shape, &one->model.opt, one->names.max_bytes, h);
    if (status == LEAT_OK) contrast_counter_leave(one, h);
    if (status != LEAT_OK || !one->panes) return status;
    status = contrast_panes_make(ctx, &one->panes->opt, one->panes->room, h);
    if (status != LEAT_OK) contrast_release(ctx, h);
    return status;
}

static bool contrast_shape_of(const struct contrast_cfg *c, struct contrast_shape *s)
{
    uint64_t budget = (uint64_t)c->budget;
    *s = (struct contrast_shape){.members = (uint32_t)c->members,
                                 .amounts = contrast_adds_amounts(c)};
    return contrast_shape_from_budget(budget - contrast_panes_budget(&c->by, budget), s);
}

static int contrast_validate(const void *cfg, struct leat_diag *d)
{
    const struct contrast_cfg *c = cfg;
    struct contrast_shape s;
    if (c->amounts.column && examples_half_life(&c->half_life) > 0)
        d->error(d, "half_life", "sums of amounts do not fade: leave out half_life or amount");
    if (c->amounts.column && c->by.panes)
        d->error(d, "panes", "panes count records, not amounts: leave out panes or amount");
    contrast_panes_validate(&c->by, (uint64_t)c->budget, examples_half_life(&c->half_life) > 0, d);
    if (contrast_shape_of(c, &s)) return LEAT_OK;
    d->error(d, c->members ? "members" : "budget",
             "with %u features, a budget of %lld bytes has no room for cells: give at least %llu",
             s.members, (long long)c->budget,
             (unsigned long long)contrast_budget_for(s.members ? s.members : 1, s.amounts));
    return LEAT_EARG;
}

static int contrast_negotiate(const void *cfg, struct leat_negotiation *n)
{
    const struct contrast_cfg *c = cfg;
    examples_need_time(n, &c->half_life);
    amounts_negotiate(&c->amounts, n);
    examples_count_each_once(n, AMOUNTS_ADVICE);
    contrast_panes_negotiate(&c->by, n);
    return examples_of_two_classes(cfg, n);
}

static int contrast_plan(const void *cfg, const struct leat_schema *in,
                         const struct leat_schema *out, struct leat_plan *p)
{
    const struct contrast_cfg *c = cfg;
    struct contrast_shape s;
    uint32_t name_bytes = examples_name_bytes(c->name_bytes, in);
    if (!contrast_shape_of(c, &s)) return LEAT_EARG;
    p->state_bytes = contrast_block_bytes(&s) + contrast_panes_bytes(&c->by, (uint64_t)c->budget);
    p->names_bytes = contrast_names_bytes(s.members, name_bytes);
    p->work_bytes = contrast_answer_bytes(&s) + contrast_counter_bytes(&s, in) + name_bytes + 1;
    if (c->by.panes) p->work_bytes += contrast_panes_answer_bytes(&s);
    snprintf(p->note, sizeof p->note, "%u features, two sketches of %u x %u, charged %llu bytes",
             s.members, CONTRAST_DEPTH, s.width, (unsigned long long)contrast_charged_bytes(&s));
    return LEAT_OK;
}

static void contrast_close(struct leat_ctx *ctx, void *self)
{
    struct contrast_stage *st = self;
    contrast_counter_free(ctx, &st->counter);
    contrast_release(ctx, &st->held);
}

static int contrast_begin(struct leat_ctx *ctx, void *self)
{
    struct contrast_stage *st = self;
    const struct contrast_cfg *c = ctx->cfg;
    const struct contrast_options o = {.both = c->sign,
                                       .half_life = examples_half_life(&c->half_life),
                                       .by_time = c->half_life.ns > 0,
                                       .seed = ctx->host->seed(ctx)};
    uint32_t name_bytes = examples_name_bytes(c->name_bytes, ctx->in);
    struct contrast_shape s;
    if (!contrast_shape_of(c, &s))
        return ctx->host->fail(ctx, LEAT_EARG, "nothing fits the budget");
    amounts_open(ctx, &c->amounts, &st->amounts);
    int status = contrast_make_model(ctx, &s, &o, name_bytes, &st->held);
    st->held.amounts = s.amounts ? &st->amounts : NULL;
    if (status == LEAT_OK) status = contrast_counter_make(ctx, &st->counter, &st->held);
    if (status == LEAT_OK)
        status = contrast_panes_begin(ctx, &c->by, (uint64_t)c->budget, o.seed, &st->held);
    return status == LEAT_OK ? learner_text(ctx, &st->learner, name_bytes) : status;
}

/* ---- learning ---- */

/* Reads the amount of record r, if amounts are added up. Returns LEAT_OK; 1 if the record is
 * rejected; or an error if the sum is too large. */
static int contrast_take_amount(struct leat_ctx *ctx, struct contrast_stage *st,
                                struct leat_batch *b, uint32_t r, int kind)
{
    uint64_t units;
    if (!st->held.amounts) return LEAT_OK;
    if (!amounts_read(ctx, &st->amounts, b, r, &units)) return 1;
    if (contrast_amount(&st->held.model, kind, units)) return LEAT_OK;
    return amounts_overflow(ctx, &st->amounts, (double)CONTRAST_SUMS_TOTAL);
}

/* Counts the examples of a batch. The pairs of a chunk of them may still wait. */
static int contrast_learn(struct leat_ctx *ctx, struct contrast_stage *st, struct leat_batch *b)
{
    const struct contrast_cfg *c = ctx->cfg;
    uint32_t record = UINT32_MAX, refused = UINT32_MAX;
    uint32_t most = examples_max_entries(c->max_entries, ctx->in);
    bool by_time = st->held.model.opt.by_time;
    for (LEAT_EACH_EXAMPLE(b, e)) {
        uint32_t r = b->ex_record[e];
        int kind = b->ex_label[e] > 0;
        if (r == refused) continue; /* a refused record loses all its examples */
        if (examples_refuse(ctx, b, e, most) || examples_refuse_weight(ctx, b, e, AMOUNTS_ADVICE)) {
            refused = r;
            continue;
        }
        if (b->ex_weight[e] == 0) continue; /* held out */
        if (r != record) {
            int taken = contrast_take_amount(ctx, st, b, r, kind);
            if (taken < 0) return taken;
            if (taken) refused = r;
            if (taken) continue;
            if (by_time) contrast_at(&st->held.model, b->timestamp[r]);
            bool takes = st->held.panes && (kind || c->by.of == PANES_OF_ALL);
            st->counter.in_pane = takes && panes_record(st->held.panes, b->timestamp[r]);
            contrast_counter_record(&st->counter, &st->held, b, e, kind);
        }
        record = r;
        contrast_counter_example(&st->counter, &st->learner, &st->held, b, e, kind);
    }
    return LEAT_OK;
}

static int contrast_process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    struct contrast_stage *st = self;
    int status = contrast_learn(ctx, st, b);
    contrast_chunk_end(&st->counter, &st->learner, &st->held, b);
    return status;
}

/* ---- reports ---- */

static void contrast_report(struct leat_ctx *ctx, void *self)
{
    const struct contrast_stage *st = self;
    const struct leat_host *h = ctx->host;
    const struct contrast *m = &st->held.model;
    size_t charged = contrast_charged_bytes(&m->shape);
    h->metric(ctx, "budget_bytes", (double)((const struct contrast_cfg *)ctx->cfg)->budget);
    h->metric(ctx, "model_bytes", (double)charged);
    h->metric(ctx, "used_bytes", (double)contrast_used_bytes(m));
    h->metric(ctx, "table_bytes", (double)(contrast_block_bytes(&m->shape) - charged));
    h->metric(ctx, "names_bytes",
              (double)contrast_names_bytes(m->shape.members, st->held.names.max_bytes));
    h->metric(ctx, "active", (double)m->index.n);
    h->metric(ctx, "features", distinct_count(m->registers));
    h->metric(ctx, "late_features", (double)contrast_late(m));
    if (st->held.panes) h->metric(ctx, "panes", st->held.panes->n);
}

/* Warns once, at the end of the run, if features had to be dropped. */
static void contrast_tell_size(struct leat_ctx *ctx, struct contrast_stage *st)
{
    const struct contrast *m = &st->held.model;
    double features = distinct_count(m->registers);
    if (st->told || m->index.n < m->shape.members || features <= 1.05 * m->shape.members) return;
    st->told = true;
    ctx->host->log(
        ctx, LEAT_WARN,
        "of about %.0f features %u are kept, and %u of their counts are known only "
        "within bounds: budget = \"%.0fMB\" would keep all and count them exactly",
        answer_about(features), m->index.n, contrast_late(m),
        ceil((double)contrast_budget_for(1.05 * features, m->shape.amounts) / (1 << 20)));
}

static int contrast_top(struct leat_ctx *ctx, void *self, const struct leat_query *q,
                        struct leat_result *out)
{
    struct contrast_stage *st = self;
    const struct contrast_panes_cfg *by = &((const struct contrast_cfg *)ctx->cfg)->by;
    contrast_flush(&st->held.model);
    answer_tell_k(ctx, q, st->held.model.index.n, st->held.model.shape.members, &st->told_k);
    if (by->period) return contrast_panes_answer(ctx, &st->held, by, q, out, &st->found);
    return contrast_answer(ctx, &st->held, q, out, &st->found);
}

static void contrast_finish(struct leat_ctx *ctx, void *self)
{
    struct contrast_stage *st = self;
    const struct leat_strings *left_out = &((const struct contrast_cfg *)ctx->cfg)->left_out;
    char text[800];
    contrast_flush(&st->held.model);
    contrast_tell_size(ctx, st);
    amounts_tell(ctx, &st->amounts);
    if (st->held.panes) contrast_panes_finish(ctx, st->held.panes);
    if (contrast_nothing(&st->held.model, &st->found, left_out, text, sizeof text))
        ctx->host->log(ctx, LEAT_WARN, "%s", text);
    if (st->found.by_chance) ctx->host->metric(ctx, "by_chance", (double)st->found.by_chance);
}

/* ---- state ---- */

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
    {"cursor", STATE_VALUE, .at = AT(cursor), .limit = AT(n)},
    {"counted", STATE_LENT, .at = AT(count), .each = 2, .count = {AT(n)}},
    {"excess", STATE_LENT, .at = AT(excess), .count = {AT(n)}},
    {"signatures", STATE_LENT, .at = AT(signatures), .count = {AT(n)}},
    {"keys", STATE_LENT, .at = AT(key), .count = {AT(n)}, .max = (double)SGD_LIMIT},
    {"occurrences", STATE_VALUE, .at = AT(occurrences), .max = MAX_SUM},
    {"key_base", STATE_INSIDE, .at = AT(base.all), .each = 4, .max = MAX_SUM},
    {"cell_bits", STATE_VALUE, .at = AT(cell_bits), .min = PACKED_CELLS_FIRST_BITS, .max = 32},
    {"cells", STATE_LENT, .at = AT(word), .count = {AT(words)}},
    {"registers", STATE_LENT, .at = AT(registers), .each = DISTINCT_REGISTERS,
     .max = DISTINCT_MOST},
    {"sample_limit", STATE_VALUE, .at = AT(sample[1].limit), .min = 1, .max = 0x1p32},
    {"sample", STATE_LENT, .at = AT(sample[1].word), .count = {AT(sample[1].n)}, .sets_count = true,
     .limit = AT(sample[1].max)},
    {"rest_limit", STATE_VALUE, .at = AT(sample[0].limit), .min = 1, .max = 0x1p32},
    {"rest_sample", STATE_LENT, .at = AT(sample[0].word), .count = {AT(sample[0].n)},
     .sets_count = true, .limit = AT(sample[0].max)},
};
static const struct state_field contrast_sum_fields[] = {
    {"amount_totals", STATE_INSIDE, .at = AT(sums.total), .each = 2, .max = 0x1p60},
    {"amount_largest", STATE_INSIDE, .at = AT(sums.largest), .each = 2, .max = 0x1p60},
    {"amount_occurrences", STATE_VALUE, .at = AT(sums.occurrences), .max = MAX_SUM},
    {"amount_sums", STATE_LENT, .at = AT(member_sums), .each = 6, .count = {AT(n)}, .max = 0x1p62},
    {"amount_cells", STATE_LENT, .at = AT(sum_cells), .count = {AT(words)}, .max = 0x1p62},
};
/* Fields that a state has only if the half-life is in event time. */
static const struct state_field contrast_times[] = {
    STATE_HALF_LIFE(AT(clock.at.newest), AT(clock.at.least), AT(clock.at.ahead), AT(clock.at.seen)),
};
#undef AT

static int contrast_write(const void *held, struct leat_writer *w)
{
    const struct contrast_held *h = held;
    contrast_flush(&h->model);
    const struct contrast_parts p = contrast_parts(&h->model);
    int status = state_write(w, STATE_TABLE(contrast_parameters), &h->model);
    if (status == LEAT_OK) status = state_write(w, STATE_TABLE(contrast_fields), &p);
    if (status == LEAT_OK && p.clock.opt.by_time)
        status = state_write(w, STATE_TABLE(contrast_times), &p);
    if (status == LEAT_OK && h->amounts)
        status = state_write(w, STATE_TABLE(contrast_amount_parameters), h->amounts->cfg);
    if (status == LEAT_OK && h->amounts)
        status = state_write(w, STATE_TABLE(contrast_sum_fields), &p);
    if (status == LEAT_OK && h->panes) status = contrast_panes_write(h, w);
    if (status == LEAT_OK) status = state_write_name_parts(w, h->parts, p.n);
    return status == LEAT_OK ? state_write_slot_names(w, &h->names, p.n) : status;
}

static int contrast_take_parts(struct leat_reader *r, uint32_t n, struct redundancy_parts *to)
{
    const struct redundancy_parts *parts;
    int status = state_read_name_parts(r, n, &parts);
    if (status == LEAT_OK && parts) memcpy(to, parts, n * sizeof *to);
    return status;
}

/* Reads the sums of amounts, if the model has some. */
static int contrast_read_sums(struct leat_reader *r, const struct amounts *a,
                              struct contrast_parts *p)
{
    if (!a) return LEAT_OK;
    struct amounts_cfg same = *a->cfg;
    int status = state_read(r, STATE_TABLE(contrast_amount_parameters), &same);
    return status == LEAT_OK ? state_read(r, STATE_TABLE(contrast_sum_fields), p) : status;
}

static int contrast_read(struct leat_ctx *ctx, const void *of, struct leat_reader *r, void *fresh)
{
    const struct contrast_held *live = of;
    struct contrast_held *h = fresh;
    struct contrast_parts p = contrast_parts(&live->model);
    int status = contrast_make_like(ctx, live, h);
    if (status != LEAT_OK) return status;
    h->amounts = live->amounts;
    status = state_read(r, STATE_TABLE(contrast_parameters), &h->model);
    if (status == LEAT_OK) status = state_read(r, STATE_TABLE(contrast_fields), &p);
    if (status == LEAT_OK && p.clock.opt.by_time)
        status = state_read(r, STATE_TABLE(contrast_times), &p);
    if (status == LEAT_OK) status = contrast_read_sums(r, h->amounts, &p);
    const char *wrong = status == LEAT_OK ? contrast_load(&h->model, &p) : NULL;
    if (wrong) status = r->refuse(r, "%s", wrong);
    if (status == LEAT_OK && h->panes) status = contrast_panes_read(r, h);
    if (status == LEAT_OK) status = contrast_take_parts(r, p.n, h->parts);
    if (status == LEAT_OK) status = state_read_slot_names(r, p.n, &h->names);
    if (status != LEAT_OK) contrast_release(ctx, h);
    return status;
}

static void contrast_join_names(struct contrast_held *h, const struct contrast_held *one,
                                const struct contrast_held *other,
                                const struct linear_origin *member)
{
    for (uint32_t s = 0; s < h->model.index.n; s++) {
        uint32_t a = member[s].a, b = member[s].b;
        bool first = state_join_names(&h->names, s, &one->names, a, &other->names, b);
        h->parts[s] = first ? one->parts[a - 1] : other->parts[b - 1];
    }
}

/* Makes `fresh` the sum of `live` and `merged`, whose counts are multiplied by `weight`. */
static int contrast_join(struct leat_ctx *ctx, const void *live, const void *merged, double weight,
                         void *fresh)
{
    const struct contrast_held *one = live, *other = merged;
    struct contrast_held *h = fresh;
    const struct leat_host *host = ctx->host;
    size_t max = 2 * (size_t)one->model.shape.members;
    int status = contrast_make_like(ctx, one, h);
    if (status != LEAT_OK) return status;
    h->amounts = one->amounts;
    if (h->panes) contrast_panes_join(one, other, weight, h);
    struct linear_origin *member = host->alloc(ctx, max * sizeof *member);
    if (!member) {
        contrast_release(ctx, h);
        return host->fail(ctx, LEAT_ENOMEM, "there is not enough memory to merge %zu features",
                          max);
    }
    /* Uses copies, because contrast_meet() changes their clocks. */
    struct contrast a = one->model, b = other->model;
    contrast_meet(&a, &b);
    contrast_merge(&h->model, &a, &b, weight, member);
    contrast_join_names(h, one, other, member);
    host->free(ctx, member);
    return LEAT_OK;
}

static bool contrast_is_empty(const void *held)
{
    return !((const struct contrast_held *)held)->model.clock.t;
}

static const struct learner_held contrast_state = {
    LEARNER_HELD(struct contrast_stage, held),
    .release = contrast_release,
    .write = contrast_write,
    .read = contrast_read,
    .is_empty = contrast_is_empty,
    .join = contrast_join,
};

/* ---- the stage ---- */

static const struct learner_method contrast_method = {
    .open = contrast_begin,
    .close = contrast_close,
    .report = contrast_report,
    .answer = contrast_top,
    .finish = contrast_finish,
    .held = &contrast_state,
    .version = CONTRAST_STATE_VERSION,
};

static int contrast_open(struct leat_ctx *ctx, void *self)
{
    return learner_open(ctx, self, &contrast_method);
}

static const struct leat_figure contrast_figures[] = {
    FIGURE_BUDGET_BYTES,
    FIGURE_MODEL_BYTES,
    FIGURE_USED_BYTES,
    FIGURE_TABLE_BYTES,
    FIGURE_NAMES_BYTES,
    FIGURE_ACTIVE,
    {"features", "features", "different features so far, estimated", LEAT_GAUGE},
    {"by_chance", "features", "no rows of the last answer by gain: they may be chance", LEAT_GAUGE},
    {"late_features", "features", "kept features whose first records were not counted", LEAT_GAUGE},
    {"panes", "panes", "panes in use, if the model has panes", LEAT_GAUGE},
};

const struct leat_stage learn_contrast = {
    .name = "learn.contrast",
    .summary =
        "counts of features by label with bounds that hold the truth: explanations, deltoids",
    .doc = contrast_doc,
    .example = "leat.learn.contrast { budget = \"1MB\" }",
    LEARNER_OF_COUNTS,
    .caps = LEAT_ANY_ORDER | LEAT_PAIRS,
    LEAT_PARAMS(contrast_params, struct contrast_cfg),
    LEAT_FIGURES(contrast_figures),
    LEARNER_STAGE(struct contrast_stage, contrast_columns, CONTRAST_STATE_VERSION),
    .validate = contrast_validate,
    .negotiate = contrast_negotiate,
    .plan = contrast_plan,
    .open = contrast_open,
    .process = contrast_process,
};
