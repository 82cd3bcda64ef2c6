/* predictions.c -- result.predictions: makes a record of each example that a learner has
 * predicted. */
#include <leat/plugin.h>

#include "kernels/base/loss.h"
#include "kernels/text/decimal.h"
#include "core/report/text_out.h"
#include "results/docs.h"
#include "common/cells/columns.h"

struct result_predictions_cfg {
    struct leat_strings columns;
};

struct predictions {
    struct columns columns; /* columns of the input that are copied to the output */
    uint32_t first;         /* index of the first copied column in the output */
    uint32_t at;            /* next example: index into in->ex_sel */
};

static const struct leat_param params[] = {
    LEAT_PARAM(struct result_predictions_cfg, columns, LEAT_STRINGS, .flags = LEAT_POSITIONAL,
               .doc = "columns of the record to give after the prediction"),
};

/* ---- before the run ---- */

static int result_predictions_worse(int a, int b) { return a < 0 ? a : b < 0 ? b : a > b ? a : b; }

static bool has_odds(const struct leat_schema *in) { return in->score == LEAT_SCORE_MARGIN; }

static int result_predictions_add_number(struct leat_negotiation *n, const char *name)
{
    return n->add_column(n, name, strlen(name), LEAT_NUMBER, NULL);
}

static int add_chosen(struct leat_negotiation *n, const char *name)
{
    uint32_t index, to, type = LEAT_TEXT;
    int status = n->column(n, "columns", name, LEAT_TAKES_ANY, &index);
    if (status == LEAT_OK) type = n->in->column[index].type;
    int added = n->add_column(n, name, strlen(name), type, &to);
    if (status == LEAT_OK && added == LEAT_OK) columns_same_form(n, to, index);
    return result_predictions_worse(status, added);
}

/* Adds the columns, and declares bounds on the text: a record's text is copied at most twice, as
 * raw bytes and as columns. */
static int result_predictions_negotiate(const void *config, struct leat_negotiation *n)
{
    const struct result_predictions_cfg *cfg = config;
    int status = result_predictions_add_number(n, "score");
    if (has_odds(n->in))
        status = result_predictions_worse(status, result_predictions_add_number(n, "probability"));
    status = result_predictions_worse(status, result_predictions_add_number(n, "label"));
    for (uint32_t i = 0; i < cfg->columns.n; i++)
        status = result_predictions_worse(status, add_chosen(n, cfg->columns.v[i]));
    n->add_bounds(n,
                  &(struct leat_bounds){.copies_text = n->in->copies_text + 1,
                                        .added_bytes_per_record = n->in->added_bytes_per_record});
    return status;
}

static int result_predictions_plan(const void *config, const struct leat_schema *in,
                                   const struct leat_schema *out, struct leat_plan *p)
{
    p->work_bytes = ((const struct result_predictions_cfg *)config)->columns.n * sizeof(uint32_t);
    return LEAT_OK;
}

/* ---- records ---- */

static int result_predictions_open_predictions(struct leat_ctx *ctx, void *self)
{
    const struct result_predictions_cfg *cfg = ctx->cfg;
    struct predictions *st = self;
    st->first = has_odds(ctx->in) ? 3 : 2;
    return columns_open(ctx, &st->columns, &cfg->columns, false, LEAT_TAKES_ANY);
}

static void close_predictions(struct leat_ctx *ctx, void *self)
{
    columns_close(ctx, &((struct predictions *)self)->columns);
}

/* Returns the double with the decimal digits of a float: 0.3, not 0.30000001192092896. */
static double as_written(float x)
{
    char digits[TEXT_NUMBER] = "";
    const char *stop;
    double value = (double)x;
    size_t n = text_format_float(digits, x);
    if (isfinite(x)) decimal_parse(digits, digits + n, &value, &stop);
    return value;
}

static bool result_predictions_is_text(const struct columns *c, uint32_t i)
{
    return cells_are_slices(c->column[c->index[i]].type);
}

static uint64_t text_bytes_of(const struct columns *c, const struct leat_batch *b, uint32_t r)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < c->n; i++) {
        struct leat_str s = result_predictions_is_text(c, i) ? b->column[c->index[i]].text[r]
                                                             : (struct leat_str){0};
        if (s.len != LEAT_NULL) n += s.len;
    }
    return n;
}

/* Returns the largest number of bytes of the output record for an example of record r. */
static uint64_t result_predictions_bytes_of(const struct columns *c, const struct leat_batch *b,
                                            uint32_t r)
{
    uint64_t n = text_bytes_of(c, b, r);
    if (b->raw[r].len != LEAT_NULL) n += b->raw[r].len;
    if (b->key && b->key[r].len != LEAT_NULL) n += b->key[r].len;
    return n;
}

static void write_columns(const struct predictions *st, const struct leat_batch *in, uint32_t from,
                          struct leat_batch *out, uint32_t r)
{
    const struct columns *c = &st->columns;
    for (uint32_t i = 0; i < c->n; i++) {
        uint32_t type = c->column[c->index[i]].type;
        const union leat_cells *cell = &in->column[c->index[i]], *to = &out->column[st->first + i];
        if (result_predictions_is_text(c, i))
            to->text[r] = leat_copy_text(out, in, cell->text[from]);
        else
            cells_set(*to, type, r, cells_get(*cell, type, from));
    }
}

/* Adds the record for example e to `out`. Returns false if `out` is full. */
static bool result_predictions_give(struct leat_ctx *ctx, const struct predictions *st,
                                    const struct leat_batch *in, uint32_t e, struct leat_batch *out)
{
    uint32_t from = in->ex_record[e];
    float score = in->score[e];
    if (result_predictions_bytes_of(&st->columns, in, from) > out->cap_bytes - out->n_bytes)
        return false;
    int r = leat_add_from(out, in, from);
    if (r < 0) return false;
    out->column[0].number[r] = as_written(score);
    if (has_odds(ctx->in))
        out->column[1].number[r] = as_written((float)loss_sigmoid((double)score));
    out->column[st->first - 1].number[r] = as_written(in->ex_label[e]);
    write_columns(st, in, from, out, (uint32_t)r);
    return true;
}

static int result_predictions_expand(struct leat_ctx *ctx, void *self, struct leat_batch *in,
                                     struct leat_batch *out)
{
    struct predictions *st = self;
    for (; st->at < in->n_ex_sel; st->at++) {
        uint32_t e = in->ex_sel[st->at];
        if (result_predictions_give(ctx, st, in, e, out)) continue;
        if (out->n) return LEAT_AGAIN;
        ctx->host->reject(ctx, in, in->ex_record[e], LEAT_R_TOO_LARGE,
                          "the record and its columns have more bytes than a batch holds: raise "
                          "batch_bytes, or name fewer columns");
    }
    st->at = 0;
    return LEAT_OK;
}

const struct leat_stage result_predictions = {
    .name = "result.predictions",
    .summary = "makes a record of the prediction of every example",
    .doc = predictions_doc,
    .example =
        "leat.result.predictions { \"user\", \"amount\" }, leat.shape.where { \"score > 3\" }",
    .kind = LEAT_TRANSFORM,
    LEAT_FLOW(LEAT_HAS_EXAMPLES | LEAT_HAS_SCORE, LEAT_HAS_COLUMNS),
    LEAT_PARAMS(params, struct result_predictions_cfg),
    LEAT_INSTANCE(struct predictions, result_predictions_open_predictions, close_predictions),
    .negotiate = result_predictions_negotiate,
    .plan = result_predictions_plan,
    .expand = result_predictions_expand,
};
