/* linear_state.c -- what the states of linear learners share; see linear_state.h. */
#include "linear_state.h"

#include <stdio.h>

#include "linear.h"

/* No stream comes near: 2^64 records of the largest float weigh 6e57. */
#define MAX_SUM 1e100

#define AT(member) STATE_MEMBER(struct linear_state, member)
static const struct state_field fields[] = {
    {"lambda", STATE_SAME, .at = AT(parts.sgd.opt.lambda)},
    {"eta0", STATE_SAME, .at = AT(parts.sgd.opt.eta0)},
    {"schedule", STATE_SAME, .at = AT(parts.sgd.opt.schedule), .choices = linear_schedules},
    {"bias", STATE_SAME, .at = AT(parts.sgd.opt.bias), .choices = linear_biases},
    {"rates", STATE_SAME, .at = AT(parts.sgd.opt.rates), .choices = linear_rates},
    {"rate", STATE_SAME, .at = AT(parts.sgd.opt.rate)},
    {"loss", STATE_SAME, .at = AT(parts.sgd.opt.loss), .choices = linear_losses},
    {"l1", STATE_SAME, .at = AT(parts.sgd.opt.l1)},
    {"half_life", STATE_SAME, .at = AT(parts.sgd.opt.half_life)},
    {"counts", STATE_SAME, .at = AT(counts), .choices = state_false_true},

    {"examples", STATE_VALUE, .at = AT(parts.sgd.t), .max = COUNT_MAX},
    {"alpha", STATE_VALUE, .at = AT(parts.sgd.alpha), .min = SGD_FOLD_BELOW / SGD_MOST_GROWN,
     .max = 1},
    {"bias_weight", STATE_VALUE, .at = AT(parts.sgd.bias), .min = -(double)SGD_LIMIT,
     .max = (double)SGD_LIMIT},
    {"penalty", STATE_VALUE, .at = AT(parts.sgd.penalty), .max = MAX_SUM},
    {"l1_applied", STATE_VALUE, .at = AT(parts.sgd.l1_applied), .limit = AT(parts.sgd.penalty)},
    {"grown", STATE_VALUE, .at = AT(parts.sgd.grown), .min = 1, .max = 0x1p32},
    {"age", STATE_VALUE, .at = AT(parts.sgd.age), .max = MAX_SUM},
    {"size", STATE_VALUE, .at = AT(parts.sgd.size), .max = MAX_SUM},
    {"sized", STATE_VALUE, .at = AT(parts.sgd.sized), .max = MAX_SUM},
    {"bias_accumulator", STATE_VALUE, .at = AT(parts.sgd.bias_sum), .max = MAX_SUM},
    {"faded", STATE_INSIDE, .at = AT(parts.sgd.faded), .each = 2, .max = MAX_SUM},
    {"records", STATE_INSIDE, .at = AT(parts.sgd.records), .each = 2, .max = COUNT_MAX},
    {"mass", STATE_INSIDE, .at = AT(parts.sgd.mass), .each = 2, .max = MAX_SUM},

    {"ids", STATE_LENT, .at = AT(parts.id), .count = {AT(parts.n)}, .sets_count = true,
     .limit = AT(max_features), .optional = true},
    {"ids", STATE_LENT, .at = AT(parts.wide_id), .count = {AT(parts.n)}, .sets_count = true,
     .limit = AT(max_features), .optional = true},
    {"weights", STATE_LENT, .at = AT(parts.weight), .count = {AT(parts.n)},
     .min = -(double)SGD_LIMIT, .max = (double)SGD_LIMIT, .optional = true},
    {"half_weights", STATE_LENT, .at = AT(parts.half_weight), .each = 2, .count = {AT(parts.n)},
     .optional = true},
    {"accumulator_codes", STATE_LENT, .at = AT(parts.code), .count = {AT(parts.n)},
     .optional = true},
    {"accumulators", STATE_LENT, .at = AT(parts.accumulator), .count = {AT(parts.n)},
     .max = (double)SGD_LIMIT, .optional = true},
    {"counted", STATE_LENT, .at = AT(parts.count), .each = 2, .count = {AT(parts.n)},
     .optional = true},
    {"l1_seen", STATE_LENT, .at = AT(parts.l1_seen), .count = {AT(parts.n)}, .max = MAX_SUM,
     .optional = true},
    {"cells", STATE_LENT, .at = AT(parts.cell), .count = {AT(parts.cells)},
     .min = -(double)SGD_LIMIT, .max = (double)SGD_LIMIT, .optional = true},
    {"cell_accumulators", STATE_LENT, .at = AT(parts.cell_accumulator), .count = {AT(parts.cells)},
     .max = (double)SGD_LIMIT, .optional = true},
    {"half_cells", STATE_LENT, .at = AT(parts.half_cell), .each = 2, .count = {AT(parts.cells)},
     .optional = true},
    {"cell_owners", STATE_LENT, .at = AT(parts.cell_owner), .count = {AT(parts.cells)},
     .optional = true},
    {"cell_accumulator_codes", STATE_LENT, .at = AT(parts.cell_code), .count = {AT(parts.cells)},
     .optional = true},
};

/* Of a half-life in event time. */
static const struct state_field times[] = {
    {"event_time", STATE_VALUE, .at = AT(parts.sgd.newest), .max = 0x1p63},
};

static const struct state_field rates[] = {
    {"rates", STATE_SAME, .at = AT(parts.sgd.opt.rates), .choices = linear_rates},
};
#undef AT

int linear_state_same_rates(struct leat_reader *r, struct linear_state *s)
{
    return state_read(r, STATE_TABLE(rates), s);
}

int linear_state_write(struct leat_writer *w, const struct linear_state *s)
{
    int status = state_write(w, STATE_TABLE(fields), s);
    if (status != LEAT_OK || !s->parts.sgd.opt.by_time) return status;
    return state_write(w, STATE_TABLE(times), s);
}

int linear_state_read(struct leat_reader *r, struct linear_state *s)
{
    if (state_read(r, STATE_TABLE(fields), s) != LEAT_OK) return LEAT_EDATA;
    if (s->parts.sgd.opt.by_time && state_read(r, STATE_TABLE(times), s) != LEAT_OK)
        return LEAT_EDATA;
    const struct linear_parts *p = &s->parts;
    for (uint32_t i = 0; p->l1_seen && i < p->n; i++)
        if (p->l1_seen[i] > (float)p->sgd.penalty)
            return r->refuse(r, "l1_seen[%u] is %g, more than the penalty of %g", i,
                             (double)p->l1_seen[i], p->sgd.penalty);
    return LEAT_OK;
}

struct leat_writer *linear_class_writer(struct state_prefix_writer *p, struct leat_writer *w,
                                        uint32_t c)
{
    char prefix[STATE_PREFIX_MAX];
    snprintf(prefix, sizeof prefix, "%u.", c);
    return state_prefix_writer(p, w, prefix);
}

struct leat_reader *linear_class_reader(struct state_prefix_reader *p, struct leat_reader *r,
                                        uint32_t c)
{
    char prefix[STATE_PREFIX_MAX], model[STATE_PREFIX_MAX];
    snprintf(prefix, sizeof prefix, "%u.", c);
    snprintf(model, sizeof model, "class %u", c);
    return state_prefix_reader(p, r, prefix, model);
}

enum linear_merge linear_how_to_merge(const struct sgd *live, const struct sgd *other,
                                      double weight)
{
    if (!(weight > 0) || !other->t) return LINEAR_KEEP_LIVE;
    return weight == 1 && !live->t ? LINEAR_TAKE_OTHER : LINEAR_JOIN;
}
