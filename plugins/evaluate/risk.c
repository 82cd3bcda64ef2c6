/* risk.c -- eval.risk: compares the weights of a learner's heaviest features with exact relative
 * risks.
 *
 * The measures are those of figures 8 (distribution of relative risks) and 9 (correlation with the
 * weights) in Tai, Sharan, Bailis, Valiant: Sketching Linear Classifiers over Data Streams, SIGMOD
 * 2018. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/odds.h"
#include "evaluate/docs.h"
#include "exact.h"
#include "kernels/base/loss.h"
#include "kernels/linear/sgd.h"
#include "statistics.h"

/* Bins [edge[i], edge[i + 1]) of relative risks. The edges below 1 are the reciprocals of those
 * above. */
static const double risk_edge[] = {0, 0.125, 0.25, 0.5, 0.8, 1.25, 2, 4, 8, (double)INFINITY};
enum { BINS = sizeof risk_edge / sizeof *risk_edge - 1 };
static const double risk_quantile_at[] = {0, 0.05, 0.25, 0.5, 0.75, 0.95, 1};
enum { QUANTILES = sizeof risk_quantile_at / sizeof *risk_quantile_at };

/* Feature of the answer that was counted exactly, and whose name is unique. */
struct risk_found {
    double weight, risk;
    double count;
};

struct risk {
    struct exact exact;
    struct risk_found *found; /* array of k elements */
    double *sorted;           /* relative risks of these features, sorted */
};

static const struct leat_param risk_params[] = {
    ASKED_K_PARAM(struct asked, LEAT_QUESTION, "2048", 1e6, "features",
                  "how many of the learner's heaviest features are evaluated"),
    ASKED_OF_PARAM(struct asked, 0),
    LEAT_PARAM(
        struct exact_cfg, min_count, LEAT_INT, .flags = LEAT_QUESTION, .def = "20", .min = 0,
        .max = 4e9, .unit = "records",
        .doc = "the report also has the correlation over features with at least this many records"),
    REPORT_PARAM("table", "table: for people; jsonl: one object; csv: one line a measure"),
    LEAT_PARAM(struct exact_cfg, half_life, LEAT_INTERVAL, .def = "0", .min = 0, .max = 1e8,
               .unit = "records",
               .doc = "records, or event time (\"6h\"), after which counts are worth half; set it "
                      "to the half_life of the learner; 0: never"),
    EXACT_NAME_PARAM,
    EXACT_MAX_PARAM,
    OUT_PARAMS,
};

static int risk_plan(const void *config, const struct leat_schema *in,
                     const struct leat_schema *out, struct leat_plan *p)
{
    const struct exact_cfg *cfg = config;
    int status = exact_plan(config, in, out, p);
    p->work_bytes += (size_t)cfg->asked.k * (sizeof(struct risk_found) + sizeof(double));
    return status;
}

static void close_risk(struct leat_ctx *ctx, void *self)
{
    struct risk *st = self;
    ctx->host->free(ctx, st->sorted);
    ctx->host->free(ctx, st->found);
    exact_close(ctx, self);
}

static int open_risk(struct leat_ctx *ctx, void *self)
{
    const struct exact_cfg *cfg = ctx->cfg;
    const struct leat_host *h = ctx->host;
    struct risk *st = self;
    int status = exact_open(ctx, self);
    if (status != LEAT_OK) return status;
    st->found = h->alloc(ctx, (size_t)cfg->asked.k * sizeof *st->found);
    st->sorted = h->alloc(ctx, (size_t)cfg->asked.k * sizeof *st->sorted);
    if (st->found && st->sorted) return LEAT_OK;
    close_risk(ctx, self);
    return h->fail(ctx, LEAT_ENOMEM, "there is not enough memory for %lld features",
                   (long long)cfg->asked.k);
}

static int risk_start(struct leat_ctx *ctx, void *self)
{
    return reports_start(ctx, self, "Evaluation by relative risk");
}

/* ---- measures ---- */

enum { MEASURES = 15 };

struct risk_measure {
    const char *name;
    double value;
};

struct risk_result {
    struct risk_measure measure[MEASURES];
    double correlation, correlation_min_count, quantile[QUANTILES];
    uint32_t n, unknown, ambiguous, bin[BINS], largest_bin;
    uint32_t held, wide; /* numbers of exact risks within the bounds, and of wide bounds */
    double worst;        /* largest factor between both risks, without those with wide bounds */
};

/* Columns of the answer with the learner's relative risk and its bounds. */
struct risk_bounds {
    uint32_t shown, low, high; /* indexes of the columns */
    bool known;
};

static struct risk_bounds risk_find_bounds(const struct leat_table *t)
{
    struct risk_bounds b = {answer_report_column(t, "relative_risk"),
                            answer_report_column(t, "relative_risk_low"),
                            answer_report_column(t, "relative_risk_high"), false};
    b.known = b.shown < t->n_columns && b.low < t->n_columns && b.high < t->n_columns;
    return b;
}

/* Tolerance for rounding. Needed where the learner's risk is exact, too. */
static const double ROUNDING = 1e-9;

/* Bounds that the rounding of a decaying learner's counts puts on a relative risk. Such a learner
 * counts in whole units (sgd.h), so each record has an error of at most half a unit, and each
 * renewal of the counts adds another half. A unit is a fraction of a record; it is 0 without
 * decay. */
struct risk_range {
    double low, high;
};

static struct risk_range risks_within(const struct exact_counts *n, const struct exact_counts *N,
                                      double unit)
{
    struct risk_range r = {(double)INFINITY, 0};
    for (int corner = 0; corner < 4; corner++) {
        double off1 = unit * (n->n[1] / 2 + 2), off0 = unit * (n->n[0] / 2 + 2);
        double n1 = n->n[1] + (corner & 1 ? off1 : -off1);
        double n0 = n->n[0] + (corner & 2 ? off0 : -off0);
        double risk = odds_relative_risk(fmax(n1, 0), fmax(n0, 0), N->n[1], N->n[0], false);
        r.low = fmin(r.low, risk);
        r.high = fmax(r.high, risk);
    }
    return r;
}

/* Returns the unit in which a learner with this half-life counts. */
static double risk_unit_of(const struct exact_cfg *c, const struct exact_counts *N)
{
    struct sgd clock;
    if (!exact_fades(c)) return 0;
    if (c->half_life.ns) return 1 / sgd_base_of(true, N->n[0] + N->n[1]);
    sgd_init(&clock, &(struct sgd_options){.half_life = (double)c->half_life.examples});
    return 1.0 / clock.unit;
}

static void risk_judge(const struct leat_table *t, uint32_t row, const struct risk_bounds *b,
                       double risk, const struct risk_range *within, struct risk_result *r)
{
    if (!b->known) return;
    const double *v = t->values + (size_t)row * t->n_columns;
    double low = v[b->low], high = v[b->high], shown = v[b->shown];
    r->held += low <= within->high * (1 + ROUNDING) && within->low <= high * (1 + ROUNDING);
    if (high > ANSWER_WIDE * low)
        r->wide++;
    else
        r->worst = fmax(r->worst, fmax(shown / risk, risk / shown));
}

static void risk_look_up(const struct exact_cfg *cfg, struct risk *st, const struct leat_table *t,
                         uint32_t row, const struct risk_bounds *b, struct risk_result *r)
{
    const struct exact *e = &st->exact;
    uint32_t same;
    const struct exact_name *at = exact_find(e, t, row, &same);
    r->unknown += same == 0;
    r->ambiguous += same > 1;
    if (same != 1) return;
    struct exact_counts count = exact_counts(e, at->feature), N = exact_records(e);
    double risk = odds_relative_risk(count.n[1], count.n[0], N.n[1], N.n[0], false);
    struct risk_range within = risks_within(&count, &N, risk_unit_of(cfg, &N));
    risk_judge(t, row, b, risk, &within, r);
    st->found[r->n++] = (struct risk_found){.weight = t->values[(size_t)row * t->n_columns],
                                            .risk = risk,
                                            .count = count.n[0] + count.n[1]};
}

/* Returns the correlation of weights with log relative risks, over features in at least min_count
 * records. */
static struct correlation risk_correlate(const struct risk_found *f, uint32_t n, double min_count)
{
    struct correlation c = {0};
    for (uint32_t i = 0; i < n; i++)
        if (f[i].count >= min_count) correlation_add(&c, f[i].weight, loss_log(f[i].risk));
    return c;
}

static void risk_distribute(struct risk *st, struct risk_result *r)
{
    for (uint32_t i = 0; i < r->n; i++) {
        uint32_t bin = BINS - 1;
        st->sorted[i] = st->found[i].risk;
        while (st->sorted[i] < risk_edge[bin])
            bin--;
        if (++r->bin[bin] > r->largest_bin) r->largest_bin = r->bin[bin];
    }
    qsort(st->sorted, r->n, sizeof *st->sorted, statistics_ascending);
    for (uint32_t i = 0; i < QUANTILES; i++)
        r->quantile[i] =
            r->n ? statistics_quantile(st->sorted, r->n, risk_quantile_at[i]) : (double)NAN;
}

static void risk_compare(const struct exact_cfg *cfg, struct risk *st, const struct leat_table *t,
                         struct risk_result *r)
{
    const struct exact *e = &st->exact;
    struct exact_counts records = exact_records(e);
    const struct risk_bounds bounds = risk_find_bounds(t);
    double missing = bounds.known ? 1 : (double)NAN;
    for (uint32_t row = 0; row < t->n_rows && t->n_columns; row++)
        risk_look_up(cfg, st, t, row, &bounds, r);
    struct correlation all = risk_correlate(st->found, r->n, 0);
    struct correlation frequent = risk_correlate(st->found, r->n, (double)cfg->min_count);
    r->correlation = correlation_pearson(&all);
    r->correlation_min_count = correlation_pearson(&frequent);
    const struct risk_measure measure[MEASURES] = {
        {"outliers", records.n[1]},
        {"inliers", records.n[0]},
        {"features_counted", e->counted.counts.table.n},
        {"entries_ignored", (double)e->counted.counts.table.ignored},
        {"retrieved", t->n_rows},
        {"unknown", r->unknown},
        {"ambiguous", r->ambiguous},
        {"compared", all.n},
        {"correlation", r->correlation},
        {"min_count", (double)cfg->min_count},
        {"compared_min_count", frequent.n},
        {"correlation_min_count", r->correlation_min_count},
        {"bounds_hold", missing * r->held / r->n},
        {"wide", missing * r->wide},
        {"worst_ratio", missing * r->worst},
    };
    memcpy(r->measure, measure, sizeof measure);
    risk_distribute(st, r);
}

/* ---- the lists of a report ---- */

enum { MEASURE, VALUE };

/* Returns a cell of the list of measures. In CSV, the quantiles and bins are further measures. */
static struct report_value risk_measure_cell(const void *of, uint32_t row, uint32_t column)
{
    static char name[64];
    const struct risk_result *r = of;
    uint32_t quantile = row - MEASURES, bin = quantile - QUANTILES;
    if (row < MEASURES)
        return column == VALUE ? report_number(r->measure[row].value)
                               : report_word(r->measure[row].name);
    bool is_bin = quantile >= QUANTILES;
    if (column == VALUE) return report_number(is_bin ? r->bin[bin] : r->quantile[quantile]);
    if (is_bin)
        snprintf(name, sizeof name, "relative_risk_from_%g", risk_edge[bin]);
    else
        snprintf(name, sizeof name, "relative_risk_quantile_%g", risk_quantile_at[quantile]);
    return report_word(name);
}

static const struct report_column risk_measure_columns[] = {
    [MEASURE] = {.name = "measure", .type = REPORT_WORD},
    [VALUE] = {.name = "value", .type = REPORT_FIGURE}};
static const struct report_list risk_measures = {.in = REPORT_IN_TABLE | REPORT_IN_CSV,
                                                 .column = risk_measure_columns,
                                                 .n_columns = 2,
                                                 .cell = risk_measure_cell};

static struct report_value risk_quantile_cell(const void *of, uint32_t row, uint32_t column)
{
    const struct risk_result *r = of;
    return report_number(column ? r->quantile[row] : risk_quantile_at[row]);
}

static const struct report_column risk_quantile_columns[] = {
    {.name = "quantile", .type = REPORT_SHARE}, {.name = "relative_risk", .type = REPORT_FIGURE}};
static const struct report_list risk_quantiles = {.name = "quantiles",
                                                  .in = REPORT_IN_TABLE | REPORT_IN_JSONL,
                                                  .column = risk_quantile_columns,
                                                  .n_columns = 2,
                                                  .cell = risk_quantile_cell};

enum { FROM, TO, FEATURES, BAR, BIN_COLUMNS };

static struct report_value risk_bin_cell(const void *of, uint32_t row, uint32_t column)
{
    static const char bar[] = "########################################";
    const struct risk_result *r = of;
    uint64_t n = r->largest_bin ? r->bin[row] * (sizeof bar - 1) / r->largest_bin : 0;
    const struct report_value value[BIN_COLUMNS] = {[FROM] = report_number(risk_edge[row]),
                                                    [TO] = report_number(risk_edge[row + 1]),
                                                    [FEATURES] = report_count(r->bin[row]),
                                                    [BAR] = report_text(bar, n)};
    return value[column];
}

static const struct report_column risk_bin_columns[BIN_COLUMNS] = {
    [FROM] = {.name = "from", .type = REPORT_FIGURE, .heading = "relative risk from"},
    [TO] = {.name = "to", .type = REPORT_FIGURE, .heading = "below"},
    [FEATURES] = {.name = "features", .type = REPORT_COUNT},
    [BAR] = {.name = "", .type = REPORT_WORD, .in = REPORT_IN_TABLE}};
static const struct report_list risk_bins = {.name = "histogram",
                                             .in = REPORT_IN_TABLE | REPORT_IN_JSONL,
                                             .column = risk_bin_columns,
                                             .n_columns = BIN_COLUMNS,
                                             .cell = risk_bin_cell};

static int risk_show(struct leat_ctx *ctx, void *self, const struct leat_table *t)
{
    struct risk *st = self;
    struct reports *to = &st->exact.reports;
    struct risk_result r = {.n = 0};
    struct report_head head;
    int status = exact_begin(ctx, &st->exact);
    if (status != LEAT_OK) return status;
    risk_compare(ctx->cfg, st, t, &r);
    exact_end(ctx, &st->exact);
    answer_report_head(&head, t, to->timed);
    for (int i = 0; i < MEASURES; i++)
        reports_head_number(&head, r.measure[i].name, r.measure[i].value);
    report_begin(&to->report, &head);
    bool csv = to->report.format == REPORT_CSV;
    reports_rows(to, &risk_measures, csv ? MEASURES + QUANTILES + BINS : MEASURES, &r);
    reports_rows(to, &risk_quantiles, QUANTILES, &r);
    reports_rows(to, &risk_bins, BINS, &r);
    report_end(&to->report);
    ctx->host->metric(ctx, "correlation", r.correlation);
    ctx->host->metric(ctx, "correlation_min_count", r.correlation_min_count);
    ctx->host->metric(ctx, "features_counted", st->exact.counted.counts.table.n);
    return out_flush(ctx, &to->out);
}

static const struct leat_figure risk_figures[] = {
    {"correlation", "1",
     "correlation of weights and log relative risks, over all features of "
     "the answer",
     LEAT_GAUGE},
    {"correlation_min_count", "1", "correlation over features of at least min_count records",
     LEAT_GAUGE},
    {"features_counted", "features", "features that were counted exactly", LEAT_GAUGE},
};

const struct leat_stage eval_risk = {
    .name = "eval.risk",
    .summary = "compares the weights of a learner's heaviest features with exact relative risks",
    .doc = risk_doc,
    .example = "leat.eval.risk { k = 2048 }",
    EXACT_SINK(risk_plan, risk_start, asked_top, risk_show),
    LEAT_PARAMS(risk_params, struct exact_cfg),
    LEAT_FIGURES(risk_figures),
    LEAT_INSTANCE(struct risk, open_risk, close_risk),
};
