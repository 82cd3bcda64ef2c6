/* drift.c -- eval.drift: detects when a learner begins to make more errors.
 *
 * A detector (plugins/kernels/drift) receives the loss of each prediction, which the learner made
 * before it learned the example. The report has a row for each change that the detector finds. The
 * state includes the detector, so a continued run finds the same changes as an uninterrupted
 * run. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <leat/plugin.h>

#include "evaluate/docs.h"
#include "kernels/base/loss.h"
#include "kernels/base/power_of_two.h"
#include "kernels/drift/page_hinkley.h"
#include "statistics.h"
#include "common/output/reports.h"
#include "common/state/adwin_fields.h"

enum {
    STATE_VERSION = 3,
    CHECK_EVERY = 32,  /* examples between two checks of ADWIN */
    LOG_FIRST = 10,    /* number of rises, and of falls, that a run logs */
    MIN_LOSSES = 1024, /* fewest losses for a warning about max during the run */
    MIN_AT_STOP = 100,
    TOLD_ABOVE = 4, /* the warning about max is given if 1 / TOLD_ABOVE of the losses exceed it */
    FIRST = 512,    /* number of first losses, whose median determines max */
    MEDIANS = 8,    /* max is MEDIANS times the median of the first losses */
};

enum drift_detector { ADWIN, PAGE_HINKLEY };
static const char *const drift_detectors[] = {"adwin", "page_hinkley", NULL};
enum drift_loss { LOSS_ERROR, LOSS_LOG };
static const char *const losses[] = {"error", "log_loss", NULL};
enum changes { RISES, ALL };
static const char *const changes[] = {"rises", "all", NULL};
enum drift_on_change { ON_CHANGE_LOG, ON_CHANGE_NONE };
static const char *const drift_on_changes[] = {"log", "none", NULL};

struct drift_cfg {
    struct out_cfg out;
    int32_t detector, loss, changes, on_change;
    double delta, tolerance, threshold, max;
};

/* Counts of the losses of this run, for the warning that too many are larger than max. */
struct drift_clipped {
    uint64_t losses, above; /* number of losses, and number of losses above max */
    double sum;             /* sum of all losses, not cut to max */
    bool told;
};

struct drift {
    struct reports reports;
    struct drift_clipped clipped;
    uint32_t logged[2]; /* numbers of falls and of rises in this run, of which some are logged */
    uint64_t examples, rises, falls;
    uint64_t found;    /* value of `examples` at the last change found */
    uint32_t reported; /* 1 if this run or an earlier one has written a report */
    double max;        /* larger losses count as max; 0: not determined yet */
    uint32_t n_first;  /* number of losses in `first` */
    double first[FIRST];
    struct adwin adwin;
    struct page_hinkley rise, fall; /* detectors of rises of loss / max, and of -loss / max */
};

static const struct leat_param drift_params[] = {
    LEAT_PARAM(struct drift_cfg, detector, LEAT_CHOICE, .flags = LEAT_POSITIONAL, .def = "adwin",
               .choices = drift_detectors, .doc = "adwin: by a window; page_hinkley: by a sum"),
    LEAT_PARAM(struct drift_cfg, loss, LEAT_CHOICE, .def = "error", .choices = losses,
               .doc = "error: 1 for a wrong class, |score - label| for numbers; log_loss"),
    LEAT_PARAM(struct drift_cfg, max, LEAT_FLOAT, .def = "0", .min = 0, .max = 1e9,
               .doc = "a larger loss counts as this one; 0: 1 for errors of classes, else 8 times "
                      "the median of the first 512 losses"),
    LEAT_PARAM(struct drift_cfg, changes, LEAT_CHOICE, .def = "rises", .choices = changes,
               .doc = "changes of the mean loss to report"),
    LEAT_PARAM(struct drift_cfg, delta, LEAT_FLOAT, .def = "0.002", .min = 1e-12, .max = 0.5,
               .doc = "adwin: chance of a false alarm at each check"),
    LEAT_PARAM(struct drift_cfg, tolerance, LEAT_FLOAT, .def = "0.005", .min = 0, .max = 1e9,
               .doc = "page_hinkley: smaller rises than this part of max are ignored"),
    LEAT_PARAM(
        struct drift_cfg, threshold, LEAT_FLOAT, .def = "50", .min = 1e-9, .max = 1e12,
        .doc =
            "page_hinkley: sum of the excess over the mean, in parts of max, that raises an alarm"),
    LEAT_PARAM(struct drift_cfg, on_change, LEAT_CHOICE, .def = "log", .choices = drift_on_changes,
               .doc = "log: also write a line to the log for each change"),
    REPORT_PARAM("table", "table: for people; jsonl: one object a change; csv: one line a change"),
    OUT_PARAMS,
};

static int drift_negotiate(const void *config, struct leat_negotiation *n)
{
    const struct drift_cfg *c = config;
    if (c->loss == LOSS_LOG && n->in->score != LEAT_SCORE_MARGIN)
        n->diag->error(n->diag, "loss",
                       "log_loss needs a learner whose scores are log odds: set loss = \"error\" "
                       "for this learner");
    return LEAT_OK;
}

/* True if losses have no fixed range. Errors of numbers and log losses have none. */
static bool drift_is_graded(const struct leat_ctx *ctx)
{
    return ctx->in->score == LEAT_SCORE_VALUE ||
           ((const struct drift_cfg *)ctx->cfg)->loss == LOSS_LOG;
}

/* Returns the parameter max, or its default; 0 if the first losses determine max. */
static double drift_max_given(const struct leat_ctx *ctx)
{
    double max = ((const struct drift_cfg *)ctx->cfg)->max;
    return max > 0 ? max : drift_is_graded(ctx) ? 0 : 1;
}

static int open_drift(struct leat_ctx *ctx, void *self)
{
    struct drift *st = self;
    const struct drift_cfg *c = ctx->cfg;
    int status = out_open(ctx, self);
    st->max = drift_max_given(ctx);
    adwin_init(&st->adwin, c->delta);
    page_hinkley_init(&st->rise, c->tolerance, c->threshold);
    page_hinkley_init(&st->fall, c->tolerance, c->threshold);
    return status;
}

static int drift_start(struct leat_ctx *ctx, void *self)
{
    struct drift *st = self;
    int status = reports_start(ctx, &st->reports, NULL);
    st->reports.report.headed |= st->reported != 0; /* the earlier run has written the heading */
    return status;
}

/* ---- a change ---- */

struct drift_change {
    uint64_t examples,
        since; /* examples: number at the detection; since: first example after the change */
    double before, after; /* mean losses before and after the change */
};

enum { EXAMPLES, SINCE, CHANGE, BEFORE, AFTER, COLUMNS };

/* Columns of the report. Widths are fixed, because the heading is written only once. */
static const struct report_column drift_columns[COLUMNS] = {
    [EXAMPLES] = {.name = "examples", .type = REPORT_COUNT, .width = 12},
    [SINCE] = {.name = "since", .type = REPORT_COUNT, .width = 12},
    [CHANGE] = {.name = "change", .type = REPORT_WORD, .width = 6},
    [BEFORE] = {.name = "mean_before", .type = REPORT_NUMBER, .decimals = 4, .width = 11},
    [AFTER] = {.name = "mean_after", .type = REPORT_NUMBER, .decimals = 4, .width = 11}};

static const char *drift_kind_of(const struct drift_change *c)
{
    return c->after > c->before ? "rise" : "fall";
}

static struct report_value drift_cell(const void *of, uint32_t row, uint32_t column)
{
    const struct drift_change *c = of;
    const struct report_value value[COLUMNS] = {[EXAMPLES] = report_count(c->examples),
                                                [SINCE] = report_count(c->since),
                                                [CHANGE] = report_word(drift_kind_of(c)),
                                                [BEFORE] = report_number(c->before),
                                                [AFTER] = report_number(c->after)};
    return value[column];
}

static const struct report_list drift_rows = {
    .column = drift_columns, .n_columns = COLUMNS, .cell = drift_cell};

static void drift_log_change(struct leat_ctx *ctx, struct drift *st, const struct drift_change *c)
{
    bool rise = c->after > c->before;
    if (((const struct drift_cfg *)ctx->cfg)->on_change == ON_CHANGE_NONE) return;
    int level = rise ? LEAT_WARN : LEAT_INFO;
    uint32_t n = ++st->logged[rise];
    if (n == LOG_FIRST + 1)
        ctx->host->log(ctx, level, "further %s are reported and counted, but not logged",
                       rise ? "rises" : "falls");
    if (n > LOG_FIRST) return;
    ctx->host->log(ctx, level,
                   "the mean loss has %s from %.4g to %.4g, since about example %llu (found at "
                   "example %llu)",
                   rise ? "risen" : "fallen", c->before, c->after, (unsigned long long)c->since,
                   (unsigned long long)c->examples);
}

/* Reports a change that began `newer` examples ago. If that was before the previous detection, it
 * is the same change, and is not reported again. */
static int drift_report_change(struct leat_ctx *ctx, struct drift *st, double newer, double before,
                               double after)
{
    const struct drift_cfg *cfg = ctx->cfg;
    const struct drift_change c = {st->examples, st->examples - (uint64_t)newer + 1, before, after};
    bool rise = after > before;
    if (c.since <= st->found) return LEAT_OK;
    st->found = st->examples;
    *(rise ? &st->rises : &st->falls) += 1;
    if (!rise && cfg->changes == RISES) return LEAT_OK;
    drift_log_change(ctx, st, &c);
    report_begin(&st->reports.report, NULL);
    reports_rows(&st->reports, &drift_rows, 1, &c);
    report_end(&st->reports.report);
    st->reported = 1;
    return out_result(ctx, &st->reports.out, st->reports.out.text.failed);
}

/* ---- examples ---- */

static double drift_loss_of(const struct drift_cfg *c, uint32_t score_is, double score,
                            double label)
{
    if (score_is == LEAT_SCORE_VALUE) return fabs(score - label);
    if (score_is == LEAT_SCORE_CLASS) return score != label;
    if (c->loss == LOSS_LOG) return loss_log1pexp(label > 0 ? -score : score);
    return (score >= 0) != (label > 0);
}

/* Warns once if so many losses are above max that a detector cannot notice a rise. Does not warn
 * about errors of classes, which are 0 or 1 and never exceed max. */
static void drift_tell_clipped(struct leat_ctx *ctx, struct drift *st)
{
    struct drift_clipped *p = &st->clipped;
    if (!drift_is_graded(ctx) || p->told || p->above * TOLD_ABOVE < p->losses) return;
    p->told = true;
    ctx->host->log(ctx, LEAT_WARN,
                   "max = %g is below %.0f %% of %llu losses: these count as %g, which hides a "
                   "rise. Set max to a value that few losses exceed (the mean loss is %.3g)",
                   st->max, 100 * (double)p->above / (double)p->losses,
                   (unsigned long long)p->losses, st->max, p->sum / (double)p->losses);
}

/* Returns the loss divided by max, cut to 0 .. 1. */
static double drift_clip(struct leat_ctx *ctx, struct drift *st, double loss)
{
    struct drift_clipped *p = &st->clipped;
    p->losses++;
    p->sum += loss;
    p->above += loss > st->max;
    if (p->losses >= MIN_LOSSES && is_power_of_two(p->losses)) drift_tell_clipped(ctx, st);
    return loss < st->max ? loss / st->max : 1;
}

/* Stores one of the first losses, which the detectors do not get. When FIRST losses are stored,
 * their median determines max. Takes the median, because some losses of an untrained learner may be
 * much larger. */
static void drift_take_first(struct leat_ctx *ctx, struct drift *st, double loss)
{
    double sorted[FIRST];
    if (isfinite(loss)) st->first[st->n_first++] = loss;
    if (st->n_first < FIRST) return;
    memcpy(sorted, st->first, sizeof sorted);
    qsort(sorted, FIRST, sizeof *sorted, statistics_ascending);
    double median = sorted[FIRST / 2], largest = sorted[FIRST - 1];
    st->max = median > 0 ? MEDIANS * median : largest > 0 ? largest : 1;
    ctx->host->log(ctx, LEAT_INFO, "max = %g: %d times the median of the first %d losses", st->max,
                   MEDIANS, FIRST);
}

static int drift_watch_window(struct leat_ctx *ctx, struct drift *st, double x)
{
    struct adwin_change c;
    double max = st->max;
    adwin_add(&st->adwin, x);
    if (st->examples % CHECK_EVERY || !adwin_check(&st->adwin, &c)) return LEAT_OK;
    return drift_report_change(ctx, st, c.newer, c.before * max, c.after * max);
}

static int drift_watch_sums(struct leat_ctx *ctx, struct drift *st, double x)
{
    struct page_hinkley rise, fall;
    double max = st->max;
    bool rises = page_hinkley_add(&st->rise, x), falls = page_hinkley_add(&st->fall, -x);
    if (!rises && !falls) return LEAT_OK;
    rise = st->rise, fall = st->fall;
    page_hinkley_restart(&st->rise);
    page_hinkley_restart(&st->fall);
    if (rises)
        return drift_report_change(ctx, st, rise.n - rise.min_n, page_hinkley_before(&rise) * max,
                                   page_hinkley_after(&rise) * max);
    return drift_report_change(ctx, st, fall.n - fall.min_n, -page_hinkley_before(&fall) * max,
                               -page_hinkley_after(&fall) * max);
}

static int drift_process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    struct drift *st = self;
    const struct drift_cfg *c = ctx->cfg;
    int status = LEAT_OK;
    for (LEAT_EACH_EXAMPLE(b, e)) {
        double score = (double)b->score[e], label = (double)b->ex_label[e];
        /* skips examples that are held out, or that have no score or label */
        if (!(b->ex_weight[e] > 0) || isnan(score) || isnan(label)) continue;
        double loss = drift_loss_of(c, ctx->in->score, score, label);
        st->examples++;
        if (st->max > 0)
            status = (c->detector == ADWIN ? drift_watch_window
                                           : drift_watch_sums)(ctx, st, drift_clip(ctx, st, loss));
        else
            drift_take_first(ctx, st, loss);
        if (status < 0) return status;
    }
    return status;
}

static void drift_report_figures(struct leat_ctx *ctx, const struct drift *st)
{
    const struct drift_cfg *c = ctx->cfg;
    struct adwin_part now = adwin_window(&st->adwin);
    bool adwin = c->detector == ADWIN;
    double n = adwin ? now.n : st->rise.n, sum = (adwin ? now.sum : st->rise.sum) * st->max;
    ctx->host->metric(ctx, "max", st->max > 0 ? st->max : (double)NAN);
    ctx->host->metric(ctx, "rises", (double)st->rises);
    ctx->host->metric(ctx, "falls", (double)st->falls);
    ctx->host->metric(ctx, "examples_since", n);
    ctx->host->metric(ctx, "mean_since", n > 0 ? sum / n : (double)NAN);
}

static int drift_stop(struct leat_ctx *ctx, void *self)
{
    struct drift *st = self;
    drift_report_figures(ctx, st);
    if (st->clipped.losses >= MIN_AT_STOP) drift_tell_clipped(ctx, st);
    return out_stop(ctx, self);
}

/* ---- state ---- */

#define AT(member) STATE_MEMBER_OF(struct drift_cfg, member, LEAT_U32)
static const struct state_field drift_choices[] = {
    {"detector", STATE_SAME, .at = AT(detector), .choices = drift_detectors},
    {"loss", STATE_SAME, .at = AT(loss), .choices = losses},
#undef AT
#define AT(member) STATE_MEMBER(struct drift_cfg, member)
    {"max", STATE_SAME, .at = AT(max)},
    {"delta", STATE_SAME, .at = AT(delta)},
    {"tolerance", STATE_SAME, .at = AT(tolerance)},
    {"threshold", STATE_SAME, .at = AT(threshold)},
};
#undef AT

#define MAX_SUM    1e30
#define AT(member) STATE_MEMBER(struct drift, member)
#define SUM_FIELDS(NAME)                                                                           \
    {#NAME "_n", STATE_VALUE, .at = AT(NAME.n), .max = 0x1p63},                                    \
        {#NAME "_sum", STATE_VALUE, .at = AT(NAME.sum), .min = -MAX_SUM, .max = MAX_SUM},          \
        {#NAME "_m", STATE_VALUE, .at = AT(NAME.m), .min = -MAX_SUM, .max = MAX_SUM},              \
        {#NAME "_min", STATE_VALUE, .at = AT(NAME.min), .min = -MAX_SUM, .max = 0},                \
        {#NAME "_min_n", STATE_VALUE, .at = AT(NAME.min_n), .limit = AT(NAME.n)},                  \
    {                                                                                              \
#NAME "_min_sum", STATE_VALUE, .at = AT(NAME.min_sum), .min = -MAX_SUM, .max = MAX_SUM     \
    }
static const struct state_field drift_fields[] = {
    {"examples", STATE_VALUE, .at = AT(examples), .max = COUNT_MAX},
    {"found", STATE_VALUE, .at = AT(found), .limit = AT(examples)},
    {"rises", STATE_VALUE, .at = AT(rises), .limit = AT(examples)},
    {"falls", STATE_VALUE, .at = AT(falls), .limit = AT(examples)},
    {"reported", STATE_VALUE, .at = AT(reported), .max = 1},
    {"max_in_use", STATE_VALUE, .at = AT(max), .max = MAX_SUM},
    {"n_first", STATE_VALUE, .at = AT(n_first), .max = FIRST},
    {"first", STATE_INSIDE, .at = AT(first[0]), .each = FIRST, .max = MAX_SUM},
    ADWIN_FIELDS(AT, adwin),
    SUM_FIELDS(rise),
    SUM_FIELDS(fall),
};
#undef AT

static int drift_snapshot(struct leat_ctx *ctx, void *self, struct leat_writer *w)
{
    int status = state_write(w, STATE_TABLE(drift_choices), ctx->cfg);
    if (status == LEAT_OK) status = state_write(w, STATE_TABLE(drift_fields), self);
    return status == LEAT_OK ? out_snapshot(ctx, self, w) : status;
}

/* True if the value of max in the state is possible with the present parameters. */
static bool drift_is_chosen(const struct leat_ctx *ctx, const struct drift *st)
{
    double given = drift_max_given(ctx);
    return given > 0 ? st->max == given : st->max > 0 || st->n_first < FIRST;
}

/* True if the detectors have received at most st->examples losses. */
static bool drift_fits(const struct drift *st)
{
    double n = (double)st->examples;
    return adwin_window(&st->adwin).n <= n && st->rise.n <= n && st->fall.n <= n;
}

static int drift_restore(struct leat_ctx *ctx, void *self, struct leat_reader *r, uint32_t version)
{
    struct drift *st = self, now = *st;
    if (state_check_version(r, version, STATE_VERSION) != LEAT_OK ||
        state_read(r, STATE_TABLE(drift_choices), (void *)(uintptr_t)ctx->cfg) != LEAT_OK ||
        state_read(r, STATE_TABLE(drift_fields), &now) != LEAT_OK)
        return LEAT_EDATA;
    const char *wrong = adwin_broken(&now.adwin);
    if (!wrong && !drift_fits(&now)) wrong = "examples is smaller than what the detector has seen";
    if (!wrong && !drift_is_chosen(ctx, &now))
        wrong = "max_in_use differs from the value that max gives";
    if (wrong) return r->refuse(r, "%s", wrong);
    int status = out_restore(ctx, self, r, version);
    if (status != LEAT_OK) return status;
    now.reports = st->reports;
    *st = now;
    return LEAT_OK;
}

static const struct leat_figure drift_figures[] = {
    {"max", "1", "loss that larger losses count as", LEAT_GAUGE},
    {"rises", "1", "times that the mean error rose", LEAT_COUNTER},
    {"falls", "1", "times that the mean error fell", LEAT_COUNTER},
    {"examples_since", "examples", "examples since the last change", LEAT_GAUGE},
    {"mean_since", "1", "mean error since the last change", LEAT_GAUGE},
};

const struct leat_stage eval_drift = {
    .name = "eval.drift",
    .summary = "reports when the mean loss of a learner has changed",
    .doc = drift_doc,
    .example = "leat.eval.drift { detector = \"adwin\", delta = 0.002 }",
    .kind = LEAT_SINK,
    .caps = LEAT_STATEFUL,
    .needs = LEAT_HAS_EXAMPLES | LEAT_HAS_LABEL | LEAT_HAS_SCORE,
    LEAT_PARAMS(drift_params, struct drift_cfg),
    LEAT_FIGURES(drift_figures),
    LEAT_INSTANCE(struct drift, open_drift, out_close),
    .validate = out_validate,
    .negotiate = drift_negotiate,
    .plan = out_plan,
    .start = drift_start,
    .process = drift_process,
    .tick = out_tick,
    .barrier = out_barrier,
    .stop = drift_stop,
    .state = LEAT_ROLE(leat_state, .version = STATE_VERSION, .snapshot = drift_snapshot,
                       .restore = drift_restore),
};
