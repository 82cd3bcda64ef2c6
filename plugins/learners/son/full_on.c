/* full_on.c -- stage learn.full_on: the exact online Newton step.
 *
 * The algorithm is in plugins/kernels/son/full_on.c. */
#include "kernels/son/full_on.h"
#include "learners/son/docs.h"
#include "son.h"

static const struct leat_param full_on_params[] = {
    SON_PARAMS("1", 1e-10, "H = alpha0 I at first"),
    {GROWING_PARAM(offsetof(struct son_cfg, growing), max_features, LEAT_INT), .def = "2048",
     .min = 1, .max = FULL_ON_MAX_FEATURES, .unit = "features",
     .doc = GROWING_DOC ". Memory grows with their square"},
    GROWING_OTHER_PARAMS(offsetof(struct son_cfg, growing)),
};

static void full_on_options(const void *cfg, uint64_t seed, void *opt)
{
    *(struct son_options *)opt = son_options(cfg);
}

/* The triangular factor U in a state: of each row, the elements from the diagonal on. */
struct full_on_packed {
    uint32_t n, known; /* n: number of rows, one for each feature in U; known: number of features */
    uint64_t numbers;  /* n (n + 1) / 2 elements */
    const double *factor;
};

#define AT(member) STATE_MEMBER(struct full_on_packed, member)
static const struct state_field full_on_rows[] = {
    {"rows", STATE_VALUE, .at = AT(n), .limit = AT(known), .hint = "features"},
};
static const struct state_field full_on_factor[] = {
    {"factor", STATE_LENT, .at = AT(factor), .count = {AT(numbers)}, .min = -SON_LIMIT,
     .max = SON_LIMIT},
};
#undef AT

static uint64_t full_on_numbers(uint64_t n) { return n * (n + 1) / 2; }

static int full_on_write(const void *model, struct leat_writer *w)
{
    const struct full_on *m = model;
    struct full_on_packed p = {.n = m->n};
    int status = state_write(w, STATE_TABLE(full_on_rows), &p);
    double *factor = w->reserve(w, "factor", LEAT_F64, full_on_numbers(m->n));
    if (status != LEAT_OK || !factor) return LEAT_ENOMEM;
    full_on_pack(m, factor);
    return LEAT_OK;
}

static int full_on_read(void *model, const struct son_features *f, struct leat_reader *r)
{
    struct full_on_packed p = {.known = f->known};
    if (state_read(r, STATE_TABLE(full_on_rows), &p) != LEAT_OK) return LEAT_EDATA;
    p.numbers = full_on_numbers(p.n);
    if (state_read(r, STATE_TABLE(full_on_factor), &p) != LEAT_OK) return LEAT_EDATA;
    full_on_unpack(model, p.n, p.factor);
    return LEAT_OK;
}

static const struct son_method full_on_method = {
    .kernel = &full_on_kernel,
    .options = full_on_options,
    .write = full_on_write,
    .read = full_on_read,
    .no_merge = "two full_on learners cannot be merged: each is the baseline of one stream",
};

static int full_on_plan(const void *cfg, const struct leat_schema *in,
                        const struct leat_schema *out, struct leat_plan *p)
{
    return son_plan(&full_on_method, cfg, in, p);
}

static int full_on_open(struct leat_ctx *ctx, void *self)
{
    return son_open(ctx, &full_on_method, self);
}

static const struct leat_figure full_on_figures[] = {
    SON_FIGURES,
};

const struct leat_stage learn_full_on = {
    .name = "learn.full_on",
    .doc = full_on_doc,
    SON_STAGE(struct full_on),
    LEAT_PARAMS(full_on_params, struct son_cfg),
    LEAT_FIGURES(full_on_figures),
    .validate = son_validate,
    .plan = full_on_plan,
    .open = full_on_open,
    .summary = "exact online Newton step, for a few thousand features",
    .example = "leat.learn.full_on { alpha0 = 10 }",
};
