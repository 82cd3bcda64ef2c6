/* changes.c -- result.changes: a record of each feature that enters or leaves the heaviest of a
 * learner.
 *
 * State: the list of the answer before (support/answers/feature_changes.h). */
#include "results/docs.h"
#include "rows.h"
#include "common/answers/asked.h"
#include "common/answers/feature_changes.h"
#include "common/state/state_fields.h"

enum { STATE_VERSION = 1 };

struct cfg {
    struct asked asked;
    int32_t final, reserved;
    double weight_change;
};

struct changes {
    struct rows rows;
    struct feature_changes changes;
    struct feature_change due; /* `what` NULL: none. It did not fit into the batch before */
};

static const struct leat_param params[] = {
    ASKED_PARAMS(0, 1e5, "how many of the heaviest features are watched", "10000",
                 ASKED_ALSO_AT_END),
    LEAT_PARAM(
        struct cfg, weight_change, LEAT_FLOAT, .def = "0", .min = 0, .max = 1e9,
        .doc = "also give features that stay once their weight has moved by more than this; 0: no"),
    LEAT_PARAM(struct cfg, final, LEAT_BOOL, .def = "true",
               .doc = "at the end give the features of the last list, as change = final"),
};

static int negotiate(const void *config, struct leat_negotiation *n)
{
    int status = rows_negotiate(n);
    status = rows_worse(status, rows_column(n, "change", LEAT_TEXT));
    status = rows_worse(status, rows_column(n, "feature", LEAT_TEXT));
    return rows_worse(status, rows_column(n, "weight", LEAT_NUMBER));
}

static int plan(const void *config, const struct leat_schema *in, const struct leat_schema *out,
                struct leat_plan *p)
{
    const struct cfg *cfg = config;
    p->state_bytes = feature_changes_bytes((uint32_t)cfg->asked.k);
    return LEAT_OK;
}

static void close_changes(struct leat_ctx *ctx, void *self)
{
    feature_changes_close(ctx, &((struct changes *)self)->changes);
}

static int open_changes(struct leat_ctx *ctx, void *self)
{
    const struct cfg *cfg = ctx->cfg;
    struct changes *st = self;
    st->changes.weight_change = cfg->weight_change;
    st->changes.final = cfg->final;
    return feature_changes_open(ctx, &st->changes, (uint32_t)cfg->asked.k);
}

/* ---- records ---- */

static int show(struct leat_ctx *ctx, void *self, const struct leat_table *t)
{
    struct changes *st = self;
    feature_changes_begin(&st->changes, t);
    return rows_show(ctx, self, t);
}

/* false: the batch is full. */
static bool give(struct leat_ctx *ctx, const struct changes *st, struct leat_batch *out)
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

static int expand(struct leat_ctx *ctx, void *self, struct leat_batch *in, struct leat_batch *out)
{
    struct changes *st = self;
    while (st->due.what || feature_changes_next(&st->changes, &st->due)) {
        if (!give(ctx, st, out)) return LEAT_AGAIN;
        st->due.what = NULL;
    }
    st->rows.t = NULL;
    return LEAT_OK;
}

static int stop(struct leat_ctx *ctx, void *self)
{
    const struct changes *st = self;
    ctx->host->metric(ctx, "entered", st->changes.entered);
    ctx->host->metric(ctx, "left", st->changes.left);
    return LEAT_OK;
}

/* ---- state ---- */

static int snapshot(struct leat_ctx *ctx, void *self, struct leat_writer *w)
{
    return feature_changes_save(ctx, &((struct changes *)self)->changes, w);
}

static int restore(struct leat_ctx *ctx, void *self, struct leat_reader *r, uint32_t version)
{
    int status = state_check_version(r, version, STATE_VERSION);
    if (status != LEAT_OK) return status;
    return feature_changes_restore(&((struct changes *)self)->changes, r);
}

static const struct leat_figure figures[] = {
    {"entered", "features", "features that have come into the top", LEAT_COUNTER},
    {"left", "features", "features that have left it", LEAT_COUNTER},
};

const struct leat_stage result_changes = {
    .name = "result.changes",
    .summary = "makes records of which features enter and leave a learner's heaviest",
    .doc = changes_doc,
    .example = "leat.result.changes { k = 50, every = 100000 }, leat.shape.where { \"change == "
               "'entered'\" }",
    .kind = LEAT_TRANSFORM,
    .caps = LEAT_STATEFUL,
    .makes = LEAT_HAS_COLUMNS,
    LEAT_PARAMS(params, struct cfg),
    LEAT_FIGURES(figures),
    LEAT_INSTANCE(struct changes, open_changes, close_changes),
    .validate = asked_check,
    .negotiate = negotiate,
    .plan = plan,
    .stop = stop,
    .expand = expand,
    .asker = LEAT_ROLE(leat_asker, .ask = asked_top, .show = show),
    .state =
        LEAT_ROLE(leat_state, .version = STATE_VERSION, .snapshot = snapshot, .restore = restore),
};
