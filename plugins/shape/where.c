/* where.c -- shape.where and label.where: records for which an expression is true.
 *
 * shape.where keeps only the records for which it is true. label.where labels records with its
 * value, and counts which of its `parts` are true for the records labelled +1. Both filter records
 * for which the value is unknown. */
#include <leat/plugin.h>

#include "shape/expression/expression.h"
#include "shape/docs.h"

enum {
    FEWEST_RECORDS = 10, /* fewest records for a warning about a constant condition */
    WHERE_PARTS = 16     /* most parts of a condition */
};

struct where_cfg {
    const char *condition;
    struct leat_strings parts;
};

/* Part of the condition, and the records labelled +1 for which it is true. */
struct where_part {
    struct expression e;
    uint32_t base; /* position of its constants in the batch */
    uint64_t held;
};

struct where {
    struct expression e;
    struct expression_machine machine;
    struct where_part *part; /* cfg.parts.n elements */
    uint64_t known, held,
        unknown;          /* number of records for which the condition is known; true; unknown */
    struct lacking lacks; /* columns without a value in the records counted by `unknown` */
    bool doubted;         /* a doubt has been reported (expression_warn_of_doubts) */
};

static const struct leat_param where_params[] = {
    LEAT_PARAM(struct where_cfg, condition, LEAT_STRING, .flags = LEAT_REQUIRED | LEAT_POSITIONAL,
               .doc = "a record stays when this is true"),
};

static const struct leat_param where_label_params[] = {
    LEAT_PARAM(struct where_cfg, condition, LEAT_STRING, .flags = LEAT_REQUIRED | LEAT_POSITIONAL,
               .doc = "the label of a record is +1 when this is true, and -1 when it is false"),
    LEAT_PARAM(struct where_cfg, parts, LEAT_STRINGS,
               .doc = "conditions of which it is made: figures say how many of the records "
                      "labelled +1 each holds for, at most 16"),
};

/* ---- figures ---- */

#define WHERE_WITHOUT_VALUE                                                                        \
    {                                                                                              \
        "without_value", "records",                                                                \
            "records for which the condition was unknown: they are filtered", LEAT_COUNTER         \
    }
static const struct leat_figure where_figures[] = {WHERE_WITHOUT_VALUE};
#define WHERE_PART(k)                                                                              \
    {                                                                                              \
        "part_" #k, "records", "records labelled +1 for which part " #k " is true", LEAT_COUNTER   \
    }
static const struct leat_figure where_label_figures[] = {
    WHERE_WITHOUT_VALUE,
    {"known", "records", "records for which the condition was known, if it has parts",
     LEAT_COUNTER},
    {"true", "records", "records for which the condition was true, if it has parts", LEAT_COUNTER},
    WHERE_PART(1),
    WHERE_PART(2),
    WHERE_PART(3),
    WHERE_PART(4),
    WHERE_PART(5),
    WHERE_PART(6),
    WHERE_PART(7),
    WHERE_PART(8),
    WHERE_PART(9),
    WHERE_PART(10),
    WHERE_PART(11),
    WHERE_PART(12),
    WHERE_PART(13),
    WHERE_PART(14),
    WHERE_PART(15),
    WHERE_PART(16),
};

/* ---- before the run ---- */

/* Checks a condition, the value of `param`, and requests its columns. */
static int where_negotiate_one(const char *condition, const char *param, struct leat_negotiation *n)
{
    struct expression e;
    struct expression_error error = {0};
    bool later = false;
    struct expression_scope scope = {.schema = n->in,
                                     .n_columns = n->in->n_columns,
                                     .negotiation = n,
                                     .param = param,
                                     .columns = {1, n->in->added_bytes_per_record}};
    bool right = expression_compile(&e, condition, &scope, &error, &later);
    if (!right)
        n->diag->error(n->diag, param, "'%s' is wrong at character %u: %s", condition,
                       expression_character(condition, error.at), error.why);
    else if (e.type != EXPRESSION_CONDITIONS && e.type != EXPRESSION_ANY)
        n->diag->error(n->diag, param, "'%s' is a %s: give a condition, such as status >= 500",
                       condition, e.type == EXPRESSION_TEXTS ? "text" : "number");
    expression_add_bounds(&e, n);
    return !right ? LEAT_EARG : later ? LEAT_LATER : LEAT_OK;
}

static int where_negotiate(const void *config, struct leat_negotiation *n)
{
    return where_negotiate_one(((const struct where_cfg *)config)->condition, "condition", n);
}

static int where_negotiate_parts(const struct where_cfg *cfg, struct leat_negotiation *n)
{
    int status = where_negotiate_one(cfg->condition, "condition", n);
    if (cfg->parts.n > WHERE_PARTS)
        n->diag->error(n->diag, "parts", "%u parts are given, more than %d", cfg->parts.n,
                       WHERE_PARTS);
    for (uint32_t k = 0; k < cfg->parts.n && status == LEAT_OK; k++)
        status = where_negotiate_one(cfg->parts.v[k], "parts", n);
    return status;
}

static int where_negotiate_label(const void *config, struct leat_negotiation *n)
{
    if (n->in->has & LEAT_HAS_EXAMPLES)
        n->diag->error(n->diag, NULL,
                       "an earlier stage makes examples, and their labels are final: put this "
                       "stage before it");
    else if (n->in->has & LEAT_HAS_LABEL)
        n->diag->error(n->diag, NULL,
                       "an earlier stage makes labels: leave out that stage or this one");
    return where_negotiate_parts(config, n);
}

static int where_plan(const void *config, const struct leat_schema *in,
                      const struct leat_schema *out, struct leat_plan *p)
{
    p->work_bytes = expression_machine_bytes(EXPRESSION_DEPTH);
    return LEAT_OK;
}

static int where_plan_label(const void *config, const struct leat_schema *in,
                            const struct leat_schema *out, struct leat_plan *p)
{
    const struct where_cfg *cfg = config;
    p->state_bytes = cfg->parts.n * sizeof(struct where_part);
    return where_plan(config, in, out, p);
}

static int where_compile(struct leat_ctx *ctx, const char *condition, struct expression *e)
{
    struct expression_error error = {0};
    bool later = false;
    struct expression_scope scope = {
        .schema = ctx->in, .n_columns = ctx->in->n_columns, .ctx = ctx};
    if (expression_compile(e, condition, &scope, &error, &later)) return LEAT_OK;
    return ctx->host->fail(ctx, LEAT_EARG, "'%s': %s", condition, error.why);
}

/* Opens the machine for the condition and its parts. */
static int where_open_machine(struct leat_ctx *ctx, struct where *st, uint32_t parts)
{
    uint32_t depth = st->e.depth;
    for (uint32_t k = 0; k < parts; k++)
        depth = st->part[k].e.depth > depth ? st->part[k].e.depth : depth;
    /* Set here, so that a run without input has this metric too. */
    ctx->host->metric(ctx, "without_value", 0);
    return expression_machine_open(ctx, &st->machine, depth);
}

static int where_open(struct leat_ctx *ctx, void *self)
{
    struct where *st = self;
    int status = where_compile(ctx, ((const struct where_cfg *)ctx->cfg)->condition, &st->e);
    return status == LEAT_OK ? where_open_machine(ctx, st, 0) : status;
}

/* Reports how many records the condition and its parts hold for, if it has parts. */
static void where_report_parts(struct leat_ctx *ctx, const struct where *st)
{
    uint32_t parts = ((const struct where_cfg *)ctx->cfg)->parts.n, first = 3;
    if (!parts) return;
    ctx->host->metric(ctx, "known", (double)st->known);
    ctx->host->metric(ctx, "true", (double)st->held);
    for (uint32_t k = 0; k < parts; k++)
        ctx->host->metric(ctx, where_label_figures[first + k].name, (double)st->part[k].held);
}

static int where_open_label(struct leat_ctx *ctx, void *self)
{
    const struct where_cfg *cfg = ctx->cfg;
    struct where *st = self;
    int status = where_compile(ctx, cfg->condition, &st->e);
    if (cfg->parts.n && status == LEAT_OK) {
        st->part = ctx->host->alloc(ctx, cfg->parts.n * sizeof *st->part);
        if (!st->part)
            return ctx->host->fail(ctx, LEAT_ENOMEM, "there is not enough memory for %u parts",
                                   cfg->parts.n);
    }
    for (uint32_t k = 0; k < cfg->parts.n && status == LEAT_OK; k++)
        status = where_compile(ctx, cfg->parts.v[k], &st->part[k].e);
    if (status == LEAT_OK) where_report_parts(ctx, st);
    return status == LEAT_OK ? where_open_machine(ctx, st, cfg->parts.n) : status;
}

static void where_close(struct leat_ctx *ctx, void *self)
{
    struct where *st = self;
    ctx->host->free(ctx, st->part);
    expression_machine_close(ctx, &st->machine);
}

/* ---- records ---- */

/* Counts the parts that are true for the n records in `row` that are labelled +1. */
static void where_count_parts(const struct where *st, struct leat_batch *b, const uint32_t *row,
                              uint32_t n, uint32_t parts)
{
    for (uint32_t k = 0; k < parts; k++) {
        struct where_part *p = &st->part[k];
        const double *x = expression_run(&p->e, &st->machine, b, p->base, row, n).number;
        for (uint32_t i = 0; i < n; i++)
            p->held += x[i] == 1;
    }
}

/* Evaluates the condition for n records. If `labels`, labels each record with the result; otherwise
 * filters the records for which it is false. */
static void where_block(struct leat_ctx *ctx, struct where *st, struct leat_batch *b, uint32_t base,
                        const uint32_t *row, uint32_t n, bool labels)
{
    const struct where_cfg *cfg = ctx->cfg;
    uint32_t bad[EXPRESSION_BLOCK], step[EXPRESSION_BLOCK], n_bad = 0;
    uint32_t positive[EXPRESSION_BLOCK], n_positive = 0, unknown = 0;
    const double *x = expression_run(&st->e, &st->machine, b, base, row, n).number;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t why = expression_bad_number(x[i]);
        st->held += x[i] == 1;
        if (why) {
            bad[n_bad] = row[i];
            step[n_bad++] = why;
        } else if (labels && !isnan(x[i])) {
            b->label[row[i]] = x[i] == 1 ? 1 : -1;
            positive[n_positive] = row[i];
            n_positive += x[i] == 1;
        } else if (x[i] != 1) {
            leat_filter(b, row[i]);
            if (!isnan(x[i])) continue;
            unknown++;
            expression_missing(ctx, &st->e, b, row[i], &st->lacks);
        }
    }
    for (uint32_t i = 0; i < n_bad; i++)
        expression_reject(ctx, &st->e, &st->machine, b, base, bad[i], step[i], cfg->condition);
    if (labels && cfg->parts.n) where_count_parts(st, b, positive, n_positive, cfg->parts.n);
    st->unknown += unknown;
    st->known += n - n_bad - unknown;
}

/* Appends the constants of the condition and its parts to the batch. */
static bool where_begin(const struct where *st, struct leat_batch *b, uint32_t parts,
                        uint32_t *base)
{
    bool fits = expression_begin(&st->e, b, base);
    for (uint32_t k = 0; k < parts && fits; k++)
        fits = expression_begin(&st->part[k].e, b, &st->part[k].base);
    return fits;
}

static int where_batch(struct leat_ctx *ctx, void *self, struct leat_batch *b, bool labels)
{
    struct where *st = self;
    uint32_t parts = labels ? ((const struct where_cfg *)ctx->cfg)->parts.n : 0;
    uint32_t n_bytes = b->n_bytes, base;
    if (!where_begin(st, b, parts, &base))
        return ctx->host->fail(ctx, LEAT_EFULL, "a batch has no room for the constants");
    uint32_t begun = b->n_bytes;
    if (!st->doubted && !ctx->lane)
        st->doubted = expression_warn_of_doubts(ctx, &st->e, b, b->sel, b->n_sel,
                                                ((const struct where_cfg *)ctx->cfg)->condition);
    for (uint32_t k = 0; k < b->n_sel; k += EXPRESSION_BLOCK) {
        uint32_t n = b->n_sel - k < EXPRESSION_BLOCK ? b->n_sel - k : EXPRESSION_BLOCK;
        where_block(ctx, st, b, base, b->sel + k, n, labels);
        b->n_bytes = begun;
    }
    b->n_bytes = n_bytes;
    ctx->host->metric(ctx, "without_value", (double)st->unknown);
    return LEAT_OK;
}

static int where_keep(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    return where_batch(ctx, self, b, false);
}

static int where_label(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    int status = where_batch(ctx, self, b, true);
    where_report_parts(ctx, self);
    return status;
}

static void where_warn_of_unknown(struct leat_ctx *ctx, uint64_t unknown, uint64_t known,
                                  const struct lacking *lacks)
{
    const struct where_cfg *cfg = ctx->cfg;
    char text[LACKING_TEXT];
    if (!unknown) return;
    ctx->host->log(ctx, LEAT_WARN,
                   "'%s' is unknown for %llu of %llu records, which are left out%s%s: write "
                   "coalesce(…, true) or coalesce(…, false) to decide such records",
                   cfg->condition, (unsigned long long)unknown,
                   (unsigned long long)(unknown + known), lacks->n ? ", such as where " : "",
                   lacks->n ? lacking_text(lacks, text) : "");
}

static void where_finish(struct leat_ctx *ctx, void *const *self, uint32_t lanes)
{
    const char *condition = ((const struct where_cfg *)ctx->cfg)->condition;
    struct lacking lacks = {.n = 0};
    uint64_t known = 0, held = 0, unknown = 0;
    for (uint32_t i = 0; i < lanes; i++) {
        const struct where *st = self[i];
        known += st->known;
        held += st->held;
        unknown += st->unknown;
        for (uint32_t k = 0; k < st->lacks.n; k++)
            lacking_add(&lacks, st->lacks.name[k].text, st->lacks.name[k].len);
    }
    where_warn_of_unknown(ctx, unknown, known, &lacks);
    if (known < FEWEST_RECORDS || (held && held < known)) return;
    ctx->host->log(ctx, LEAT_WARN,
                   "'%s' is true for %s of %llu records: compare it with the values of its columns",
                   condition, held ? "each" : "none", (unsigned long long)known);
}

const struct leat_stage shape_where = {
    .name = "shape.where",
    .summary = "keeps the records for which an expression is true",
    .doc = where_doc,
    .example = "leat.shape.where { \"status >= 500 and method != 'GET'\" }",
    .kind = LEAT_TRANSFORM,
    .caps = LEAT_PARALLEL,
    .needs = LEAT_HAS_RECORDS,
    LEAT_PARAMS(where_params, struct where_cfg),
    LEAT_FIGURES(where_figures),
    LEAT_INSTANCE(struct where, where_open, where_close),
    .negotiate = where_negotiate,
    .plan = where_plan,
    .process = where_keep,
    .finish = where_finish,
};

const struct leat_stage label_where = {
    .name = "label.where",
    .summary = "labels records by whether an expression is true: +1, or -1",
    .doc = where_label_doc,
    .example = "leat.label.where { \"status >= 500 and method != 'GET'\" }",
    .kind = LEAT_TRANSFORM,
    .caps = LEAT_PARALLEL,
    LEAT_FLOW(LEAT_HAS_RECORDS, LEAT_HAS_LABEL),
    LEAT_PARAMS(where_label_params, struct where_cfg),
    LEAT_FIGURES(where_label_figures),
    LEAT_INSTANCE(struct where, where_open_label, where_close),
    .negotiate = where_negotiate_label,
    .plan = where_plan_label,
    .process = where_label,
    .finish = where_finish,
};
