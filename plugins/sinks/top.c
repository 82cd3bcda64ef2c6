/* top.c -- sink.top: the heaviest features of a learner, as a table for people, JSON or CSV.
 *
 * The sink has no process() function. It receives no records, only answers of the learner. */
#include "core/bits.h"
#include "core/mix64.h"
#include "sinks/docs.h"
#include "common/answers/asked.h"
#include "common/output/reports.h"

struct sink_top_cfg {
    struct asked asked;
    const char *title, *noun;
    struct leat_strings columns;
};

static const struct leat_param params[] = {
    ASKED_PARAMS(LEAT_QUESTION, 1e6, "how many features to show, heaviest first", NULL,
                 ASKED_ONLY_AT_END),
    REPORT_PARAM("table", "table: for people; jsonl: one object a report; csv: one line a feature"),
    LEAT_PARAM(struct sink_top_cfg, title, LEAT_STRING, .def = "Heaviest features",
               .doc = "the title of the table"),
    LEAT_PARAM(
        struct sink_top_cfg, noun, LEAT_STRING, .flags = LEAT_ADVANCED, .def = "examples",
        .doc = "word for the examples in the title, such as \"items\" when each example is one"),
    LEAT_PARAM(struct sink_top_cfg, columns, LEAT_STRINGS,
               .doc = "which of the learner's columns are shown; by default all; "
                      "\"name=heading\" gives one another heading in tables"),
    OUT_PARAMS,
};

struct sink_top {
    struct reports reports;
    uint64_t shown; /* hash of the table that was written last */
    bool told;      /* true after the warning about a condition that no feature meets */
};

static int sink_top_ask(const void *config, struct leat_ask *a)
{
    a->columns = ((const struct sink_top_cfg *)config)->columns;
    return asked_top(config, a);
}

static int sink_top_start(struct leat_ctx *ctx, void *self)
{
    const struct sink_top_cfg *cfg = ctx->cfg;
    int status = reports_start(ctx, self, cfg->title);
    ((struct sink_top *)self)->reports.report.noun = cfg->noun;
    return status;
}

static uint64_t sink_top_key_of(const struct leat_table *t)
{
    uint64_t key = mix64(t->examples);
    for (uint32_t row = 0; row < t->n_rows; row++) {
        for (uint32_t i = 0; i < t->name_len[row]; i++)
            key = mix64(key ^ (uint8_t)t->names[row][i]);
        for (uint32_t c = 0; c < t->n_columns; c++)
            key = mix64(key ^ bits_of_double(t->values[(size_t)row * t->n_columns + c]));
    }
    return key;
}

/* True if t is the last table and repeats the table before it. That happens if `every` divides the
 * number of examples. In JSON and CSV the last table is written anyway, because programs look for
 * the table that is marked as last. */
static bool sink_top_is_repeated(struct sink_top *st, const struct leat_table *t)
{
    if (st->reports.report.format != REPORT_TABLE) return false;
    uint64_t before = st->shown;
    st->shown = sink_top_key_of(t);
    return t->last && st->shown == before;
}

static int sink_top_show(struct leat_ctx *ctx, void *self, const struct leat_table *t)
{
    struct sink_top *st = self;
    const struct sink_top_cfg *cfg = ctx->cfg;
    const struct answer_columns shown = {cfg->columns.v, cfg->columns.n};
    const char *unknown = answer_report_unknown(t, shown);
    char columns[ANSWER_COLUMNS];
    answer_report_columns(t, columns, sizeof columns);
    if (unknown)
        return ctx->host->fail(ctx, LEAT_EARG, "columns: %s has no column '%s' (columns: %s)",
                               t->learner, unknown, columns);
    asked_tell_unmet(ctx, t, &st->told);
    if (sink_top_is_repeated(st, t)) return LEAT_OK;
    answer_report_top(&st->reports.report, t, st->reports.timed, 0, shown);
    return out_flush(ctx, &st->reports.out);
}

const struct leat_stage sink_top = {
    .name = "sink.top",
    .summary = "shows the heaviest features of a learner by name",
    .doc = top_doc,
    .example = "leat.sink.top { k = 20, every = \"10s\", title = \"What explains the outliers\" }",
    .kind = LEAT_SINK,
    LEAT_PARAMS(params, struct sink_top_cfg),
    LEAT_INSTANCE(struct sink_top, out_open, out_close),
    .validate = asked_validate,
    .plan = out_plan,
    .start = sink_top_start,
    OUT_CALLS,
    .asker = LEAT_ROLE(leat_asker, .ask = sink_top_ask, .show = sink_top_show),
};
