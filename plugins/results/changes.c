/* changes.c -- result.changes: makes a record when a feature enters or leaves the heaviest
 * features.
 *
 * The state is the list of the previous answer (common/answers/feature_changes.h). */
#include "results/docs.h"
#include "rows.h"
#include "common/answers/feature_changes.h"
#include "common/state/state_fields.h"

enum { STATE_VERSION = 1 };

struct result_changes {
    struct rows rows;
    struct feature_changes changes;
    /* A change that did not fit into the last batch; due.what is NULL if there is none. */
    struct feature_change due;
};

static const struct leat_param params[] = {
    CHANGES_ASKED_PARAMS,
    CHANGES_PARAMS("give"),
};

static int result_changes_negotiate(const void *config, struct leat_negotiation *n)
{
    int status = rows_negotiate(n);
    status = rows_worse(status, rows_column(n, "change", LEAT_TEXT));
    status = rows_worse(status, rows_column(n, "feature", LEAT_TEXT));
    return rows_worse(status, rows_column(n, "weight", LEAT_NUMBER));
}

static int result_changes_plan(const void *config, const struct leat_schema *in,
                               const struct leat_schema *out, struct leat_plan *p)
{
    p->state_bytes = feature_changes_bytes(config);
    return LEAT_OK;
}

static void result_changes_close_changes(struct leat_ctx *ctx, void *self)
{
    feature_changes_close(ctx, &((struct result_changes *)self)->changes);
}

static int result_changes_open_changes(struct leat_ctx *ctx, void *self)
{
    struct result_changes *st = self;
    return feature_changes_open(ctx, &st->changes);
}

/* ---- records ---- */

static int result_changes_show(struct leat_ctx *ctx, void *self, const struct leat_table *t)
{
    struct result_changes *st = self;
    feature_changes_begin(&st->changes, t);
    return rows_show(ctx, self, t);
}

/* Adds the record for st->due to `out`. Returns false if `out` is full. */
static bool result_changes_give(struct leat_ctx *ctx, const struct result_changes *st,
                                struct leat_batch *out)
{
    const struct feature *f = st->due.feature;
    uint32_t column = rows_first(ctx);
    int r = rows_add(ctx, st->rows.t, out);
    if (r < 0) return false;
    out->column[column].text[r] = rows_text(out, st->due.what, strlen(st->due.what));
    out->column[column + 1].text[r] = rows_text(out, f->name, f->len);
    out->column[column + 2].number[r] = f->weight;
    return true;
}

static int result_changes_expand(struct leat_ctx *ctx, void *self, struct leat_batch *in,
                                 struct leat_batch *out)
{
    struct result_changes *st = self;
    while (st->due.what || feature_changes_next(&st->changes, &st->due)) {
        if (!result_changes_give(ctx, st, out)) return LEAT_AGAIN;
        st->due.what = NULL;
    }
    st->rows.t = NULL;
    return LEAT_OK;
}

static int result_changes_stop(struct leat_ctx *ctx, void *self)
{
    const struct result_changes *st = self;
    feature_changes_metrics(ctx, &st->changes);
    return LEAT_OK;
}

/* ---- state ---- */

static int result_changes_snapshot(struct leat_ctx *ctx, void *self, struct leat_writer *w)
{
    return feature_changes_save(ctx, &((struct result_changes *)self)->changes, w);
}

static int result_changes_restore(struct leat_ctx *ctx, void *self, struct leat_reader *r,
                                  uint32_t version)
{
    int status = state_check_version(r, version, STATE_VERSION);
    if (status != LEAT_OK) return status;
    return feature_changes_restore(&((struct result_changes *)self)->changes, r);
}

static const struct leat_figure figures[] = {CHANGES_FIGURES};

const struct leat_stage result_changes = {
    .name = "result.changes",
    .summary = "makes records of which features enter and leave a learner's heaviest",
    .doc = changes_doc,
    .example = "leat.result.changes { k = 50, every = 100000 }, leat.shape.where { \"change == "
               "'entered'\" }",
    .kind = LEAT_TRANSFORM,
    .caps = LEAT_STATEFUL,
    .makes = LEAT_HAS_COLUMNS,
    LEAT_PARAMS(params, struct changes_cfg),
    LEAT_FIGURES(figures),
    LEAT_INSTANCE(struct result_changes, result_changes_open_changes, result_changes_close_changes),
    .validate = asked_check,
    .negotiate = result_changes_negotiate,
    .plan = result_changes_plan,
    .stop = result_changes_stop,
    .expand = result_changes_expand,
    .asker = LEAT_ROLE(leat_asker, .ask = asked_top, .show = result_changes_show),
    .state = LEAT_ROLE(leat_state, .version = STATE_VERSION, .snapshot = result_changes_snapshot,
                       .restore = result_changes_restore),
};
