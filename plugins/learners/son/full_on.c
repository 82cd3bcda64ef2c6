/* full_on.c -- learn.full_on: the exact online Newton step as a stage. Only glue; the algorithm is
 * in plugins/kernels/son/full_on.c. */
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

static size_t bytes(const void *cfg, uint32_t features, uint32_t touched)
{
    return full_on_bytes(features);
}

static void init(struct leat_ctx *ctx, void *model, uint32_t features, uint32_t touched,
                 void *block)
{
    struct son_options o = son_options(ctx->cfg);
    full_on_init(model, &o, features, block);
}

SON_LEARN(full_on)

static const char *check(const void *model, const struct son_features *f)
{
    return full_on_check(model, f);
}

/* The factor U without its zeros: row after row, each from its diagonal on. */
struct packed {
    uint32_t n, known; /* rows; features, of which each row is one */
    uint64_t numbers;  /* n (n + 1) / 2 */
    const double *factor;
};

#define AT(member) STATE_MEMBER(struct packed, member)
static const struct state_field rows_field[] = {
    {"rows", STATE_VALUE, .at = AT(n), .limit = AT(known), .hint = "features"},
};
static const struct state_field factor_field[] = {
    {"factor", STATE_LENT, .at = AT(factor), .count = {AT(numbers)}, .min = -SON_LIMIT,
     .max = SON_LIMIT},
};
#undef AT

static uint64_t packed_numbers(uint64_t n) { return n * (n + 1) / 2; }

static int write(struct leat_ctx *ctx, const void *model, struct leat_writer *w)
{
    const struct full_on *m = model;
    struct packed p = {.n = m->n};
    int status = state_write(w, STATE_TABLE(rows_field), &p);
    double *factor = w->reserve(w, "factor", LEAT_F64, packed_numbers(m->n));
    if (status != LEAT_OK || !factor) return LEAT_ENOMEM;
    full_on_pack(m, factor);
    return LEAT_OK;
}

static int read(void *model, const struct son_features *f, struct leat_reader *r)
{
    struct packed p = {.known = f->known};
    if (state_read(r, STATE_TABLE(rows_field), &p) != LEAT_OK) return LEAT_EDATA;
    p.numbers = packed_numbers(p.n);
    if (state_read(r, STATE_TABLE(factor_field), &p) != LEAT_OK) return LEAT_EDATA;
    full_on_unpack(model, p.n, p.factor);
    return LEAT_OK;
}

static const struct son_method method = {
    SON_METHOD(full_on),
    .doubles = FULL_ON_STRIDE,
    .bytes = bytes,
    .init = init,
    .write = write,
    .read = read,
    .check = check,
    .no_merge = "two full_on learners cannot be merged: each is the baseline of one stream",
};

LEARNER_CALLS(full_on, son, &method)

static const struct leat_figure full_on_figures[] = {
    SON_FIGURES,
};

const struct leat_stage learn_full_on = {
    SON_STAGE(full_on, full_on_params, struct son_cfg, struct full_on, son_validate),
    .summary = "exact online Newton step, for a few thousand features",
    .example = "leat.learn.full_on { alpha0 = 10 }",
};
