/* pmi.c -- eval.pmi: compares a learner's pointwise mutual information of pairs with exact values.
 *
 * Tokens and pairs are counted from the column with the text, not from the examples, so the exact
 * values do not depend on earlier stages. They have the ids that feature.tokens and feature.pairs
 * compute. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/exp.h"
#include "evaluate/docs.h"
#include "kernels/base/feature_id.h"
#include "kernels/base/names.h"
#include "kernels/text/tokens.h"
#include "statistics.h"
#include "common/answers/asked.h"
#include "common/cells/columns.h"
#include "common/learners/growing.h"
#include "common/output/reports.h"

static const char *const pmi_rules[] = {"whitespace", "words", NULL};

struct pmi_cfg {
    struct asked asked; /* only asked.k (parameter `top`), asked.of and asked.min_count are used */
    int32_t rule, lower, ordered;
    int64_t k, window, max_tokens, max_bytes, max_features;
    const char *column;
};

/* Exact counts of tokens or of pairs, and their sum. */
struct pmi_counts {
    struct counted by_id;
    uint64_t total;
};

struct pmi_pair {
    const char *name;
    uint32_t len;
    double weight;          /* weight in the answer; the estimate if there is no pmi */
    double estimate, exact; /* exact: exact PMI; NaN if the pair never occurred */
    double low, high;       /* the learner's bounds on the PMI; NaN if there are none */
    uint32_t count, count_u, count_v;
    uint32_t row; /* row of the pair in the answer */
};

struct pmi {
    struct reports reports;
    struct tokens_options opt;
    uint32_t column;
    struct pmi_counts tokens, pairs;
    uint64_t *row;         /* ids of the current record's tokens; max_tokens elements */
    char *form;            /* buffer of max_bytes for the form of a token */
    struct pmi_pair *pair; /* `top` elements */
    double *scratch;       /* `top` elements */
};

static const struct leat_param pmi_params[] = {
    ASKED_K_PARAM(struct pmi_cfg, 0, "20", 1e6, "pairs",
                  "number of pairs to list, largest estimate first"),
    LEAT_PARAM_AS("top", struct asked, k, LEAT_INT, .def = "1024", .min = 1, .max = 1e6,
                  .unit = "pairs", .doc = "number of pairs to get from the learner and to compare"),
    ASKED_OF_PARAM(struct asked, 0),
    ASKED_MIN_PARAM(0, min_count, LEAT_INT, 4e9, "times",
                    "leave out pairs that came less often, by the exact counts"),
    LEAT_PARAM(struct pmi_cfg, column, LEAT_STRING, .def = "text",
               .doc = "the column with the text"),
    LEAT_PARAM(struct pmi_cfg, rule, LEAT_CHOICE, .def = "whitespace", .choices = pmi_rules,
               .doc = "as in feature.tokens"),
    LEAT_PARAM(struct pmi_cfg, lower, LEAT_BOOL, .def = "false", .doc = "as in feature.tokens"),
    LEAT_PARAM(struct pmi_cfg, window, LEAT_INT, .def = "6", .min = 2, .max = 64, .unit = "tokens",
               .doc = "as in feature.pairs"),
    LEAT_PARAM(struct pmi_cfg, ordered, LEAT_BOOL, .def = "false", .doc = "as in feature.pairs"),
    LEAT_PARAM(struct pmi_cfg, max_tokens, LEAT_INT, .def = "256", .min = 2, .max = 65536,
               .unit = "tokens", .doc = "as in feature.pairs"),
    LEAT_PARAM(struct pmi_cfg, max_bytes, LEAT_INT, .flags = LEAT_ADVANCED, .def = "64",
               .min = TOKENS_MIN_BYTES, .max = 1024, .unit = "bytes",
               .doc = "as in feature.tokens"),
    LEAT_PARAM(struct pmi_cfg, max_features, LEAT_INT, .flags = LEAT_ADVANCED, .def = "4194304",
               .min = 1, .max = FEATURE_TABLE_MAX, .unit = "tokens or pairs",
               .doc = "most pairs that the stage counts, and most tokens, rounded up to a power of "
                      "two; it ignores later ones and says how many"),
    REPORT_PARAM("table",
                 "table: for people; jsonl: one object; csv: a line for every pair compared"),
    OUT_PARAMS,
};

static int pmi_negotiate(const void *config, struct leat_negotiation *n)
{
    const struct pmi_cfg *cfg = config;
    uint32_t column;
    return n->column(n, "column", cfg->column, LEAT_TAKES_TEXT, &column);
}

static int pmi_plan(const void *config, const struct leat_schema *in, const struct leat_schema *out,
                    struct leat_plan *p)
{
    const struct pmi_cfg *cfg = config;
    int status = out_plan(config, in, out, p);
    p->work_bytes += (size_t)cfg->max_tokens * sizeof(uint64_t) + (size_t)cfg->max_bytes +
                     (size_t)cfg->asked.k * (sizeof(struct pmi_pair) + sizeof(double));
    for (int i = 0; i < 2; i++) /* a table of tokens, then one of pairs */
        counted_plan(p, cfg->max_features, false, 0, 0);
    return status;
}

/* ---- counting ---- */

static void count(struct leat_ctx *ctx, struct pmi_counts *c, uint64_t id)
{
    if (!feature_table_free_slots(&c->by_id.counts.table)) counted_reserve(ctx, &c->by_id, 1);
    feature_counts_add(&c->by_id.counts, id, 0);
    c->total++;
}

static uint32_t pmi_count_of(const struct pmi_counts *c, uint64_t id)
{
    const struct feature_counts *t = &c->by_id.counts;
    uint32_t f = feature_table_find(&t->table, id);
    return f == FEATURE_TABLE_NONE ? 0 : t->count[2 * (size_t)f];
}

/* Counts the tokens of a record, and stores their ids in st->row. Returns their number. */
static uint32_t pmi_count_tokens(struct leat_ctx *ctx, struct pmi *st, const char *text, size_t len)
{
    int64_t max = ((const struct pmi_cfg *)ctx->cfg)->max_tokens;
    struct token t;
    size_t at = 0;
    uint32_t n = 0;
    while (n < max && tokens_next(&st->opt, text, len, &at, &t)) {
        const char *token = text + t.off;
        if (!t.as_is) {
            t.len = tokens_form(&st->opt, token, t.len, st->form);
            token = st->form;
        }
        uint64_t id = feature_id_name(token, t.len);
        st->row[n++] = feature_id_part(id);
        count(ctx, &st->tokens, id);
    }
    return n;
}

static int pmi_process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    struct pmi *st = self;
    const struct pmi_cfg *cfg = ctx->cfg;
    for (LEAT_EACH_RECORD(b, r)) {
        struct leat_str text = b->column[st->column].text[r];
        if (text.len == LEAT_NULL) continue;
        uint32_t n = pmi_count_tokens(ctx, st, leat_text(b, text), text.len);
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t j = i + 1; j < n && j - i < cfg->window; j++)
                count(ctx, &st->pairs, feature_id_pair(st->row[i], st->row[j], cfg->ordered));
    }
    return LEAT_OK;
}

/* ---- comparing ---- */

/* Fills p from its name "u & v". Tokens contain no blanks, so u ends at the first blank. */
static void pmi_count_pair(const struct pmi *st, const struct pmi_cfg *cfg, struct pmi_pair *p)
{
    const char *blank = memchr(p->name, ' ', p->len);
    size_t u = blank ? (size_t)(blank - p->name) : p->len;
    p->exact = NAN;
    size_t v = u + sizeof NAME_AND - 1;
    if (v >= p->len || memcmp(blank, NAME_AND, v - u) != 0) return;
    uint64_t first = feature_id_name(p->name, u);
    uint64_t second = feature_id_name(p->name + v, p->len - v);
    p->count = pmi_count_of(
        &st->pairs, feature_id_pair(feature_id_part(first), feature_id_part(second), cfg->ordered));
    p->count_u = pmi_count_of(&st->tokens, first);
    p->count_v = pmi_count_of(&st->tokens, second);
    if (!p->count || !p->count_u || !p->count_v) return;
    double N = (double)st->tokens.total, M = (double)st->pairs.total;
    double chance = (p->count_u / N) * (p->count_v / N);
    if (!cfg->ordered && first != second) chance *= 2;
    p->exact = exp_log_all(p->count / M / chance);
}

static int pmi_by_weight(const void *a, const void *b)
{
    const struct pmi_pair *x = a, *y = b;
    if (x->weight != y->weight) return x->weight > y->weight ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

struct pmi_agreement {
    uint32_t n, bounded,
        hold; /* numbers of pairs: compared; with bounds; with exact PMI within the bounds */
    double pearson, error; /* error: median of |estimate - exact| */
};

/* True if the pair has bounds, and the exact PMI is within them (with a tolerance for rounding). */
static bool pmi_holds(const struct pmi_pair *p)
{
    double slack = 1e-9 * (1 + fabs(p->exact));
    return p->low - slack <= p->exact && p->exact <= p->high + slack;
}

/* Returns the agreement of estimates with exact values, over the pairs that occurred and have a
 * weight larger than `above`. */
static struct pmi_agreement pmi_agreement(struct pmi *st, uint32_t n, double above)
{
    struct correlation c = {0};
    struct pmi_agreement a = {.error = NAN};
    for (uint32_t i = 0; i < n; i++) {
        const struct pmi_pair *p = &st->pair[i];
        if (isnan(p->exact) || !(p->weight > above)) continue;
        st->scratch[c.n] = fabs(p->estimate - p->exact);
        correlation_add(&c, p->estimate, p->exact);
        a.bounded += isnan(p->low) ? 0 : 1;
        a.hold += pmi_holds(p) ? 1 : 0;
    }
    a.n = c.n;
    a.pearson = correlation_pearson(&c);
    if (!a.n) return a;
    qsort(st->scratch, a.n, sizeof *st->scratch, statistics_ascending);
    a.error = (st->scratch[(a.n - 1) / 2] + st->scratch[a.n / 2]) / 2;
    return a;
}

/* ---- the report ---- */

enum { PAIR, ESTIMATE, LOW, HIGH, EXACT, COUNT, COUNT_U, COUNT_V, COLUMNS };
enum { TEXTS = REPORT_IN_JSONL | REPORT_IN_CSV };

static const struct report_column pmi_columns[COLUMNS] = {
    [PAIR] = {.name = "pair", .type = REPORT_NAME},
    [ESTIMATE] = {.name = "estimate", .type = REPORT_NUMBER, .decimals = 3},
    [LOW] = {.name = "estimate_low", .type = REPORT_NUMBER, .in = TEXTS},
    [HIGH] = {.name = "estimate_high", .type = REPORT_NUMBER, .in = TEXTS},
    [EXACT] = {.name = "exact", .type = REPORT_NUMBER, .decimals = 3},
    [COUNT] = {.name = "count", .type = REPORT_COUNT},
    [COUNT_U] = {.name = "count_u", .type = REPORT_COUNT},
    [COUNT_V] = {.name = "count_v", .type = REPORT_COUNT}};

/* Returns the estimate as a value. In a table, it has the learner's bounds. */
static struct report_value pmi_estimate(const struct pmi_pair *p)
{
    struct report_value v = report_number(p->estimate);
    v.ranged = !isnan(p->low);
    v.low = p->low;
    v.high = p->high;
    v.wide = v.ranged && p->high > ANSWER_WIDE * p->low;
    return v;
}

static struct report_value pmi_cell(const void *of, uint32_t row, uint32_t column)
{
    const struct pmi_pair *p = (const struct pmi_pair *)of + row;
    const struct report_value value[COLUMNS] = {
        [PAIR] = report_text(p->name, p->len), [ESTIMATE] = pmi_estimate(p),
        [LOW] = report_number(p->low),         [HIGH] = report_number(p->high),
        [EXACT] = report_number(p->exact),     [COUNT] = report_count(p->count),
        [COUNT_U] = report_count(p->count_u),  [COUNT_V] = report_count(p->count_v)};
    return value[column];
}

static const struct report_list pmi_top = {
    .name = "top", .column = pmi_columns, .n_columns = COLUMNS, .cell = pmi_cell};

enum { SHOWN, ABOVE_0, ALL, AGREEMENTS };
enum { WHICH, PAIRS, PEARSON, ERROR, BOUNDED, HOLD, AGREEMENT_COLUMNS };
static const char *const pmi_which[AGREEMENTS] = {"shown", "above 0", "all"};

static struct report_value pmi_agreement_cell(const void *of, uint32_t row, uint32_t column)
{
    const struct pmi_agreement *a = (const struct pmi_agreement *)of + row;
    const struct report_value value[AGREEMENT_COLUMNS] = {
        [WHICH] = report_word(pmi_which[row]), [PAIRS] = report_count(a->n),
        [BOUNDED] = report_count(a->bounded),  [HOLD] = report_count(a->hold),
        [PEARSON] = report_number(a->pearson), [ERROR] = report_number(a->error)};
    return value[column];
}

/* Columns of the agreement. A table shows the agreement as a separate list; JSON has it in the head
 * of the report. */
static const struct report_column pmi_agreement_columns[AGREEMENT_COLUMNS] = {
    [WHICH] = {.name = "estimates", .type = REPORT_WORD},
    [PAIRS] = {.name = "pairs", .type = REPORT_COUNT},
    [PEARSON] = {.name = "pearson", .type = REPORT_NUMBER, .decimals = 3},
    [ERROR] = {.name = "median_absolute_error", .type = REPORT_NUMBER, .decimals = 3},
    [BOUNDED] = {.name = "bounds", .type = REPORT_COUNT},
    [HOLD] = {.name = "that_hold", .type = REPORT_COUNT}};

static void pmi_put_agreements(struct pmi *st, const struct pmi_agreement a[AGREEMENTS])
{
    const struct report_list list = {.in = REPORT_IN_TABLE,
                                     .column = pmi_agreement_columns,
                                     .n_columns = a[ALL].bounded ? AGREEMENT_COLUMNS : BOUNDED,
                                     .cell = pmi_agreement_cell};
    reports_rows(&st->reports, &list, AGREEMENTS, a);
}

static void pmi_add_count(struct report_head *h, const char *name, uint64_t n)
{
    reports_head_count(h, REPORT_IN_JSONL, name, NULL, n);
}

static void pmi_fill_head(struct report_head *h, const struct pmi *st, const struct leat_table *t,
                          const struct pmi_agreement a[AGREEMENTS])
{
    answer_report_head(h, t, st->reports.timed);
    reports_head_count(h, REPORT_IN_TABLE | REPORT_IN_JSONL, "tokens", "tokens", st->tokens.total);
    pmi_add_count(h, "pairs", st->pairs.total);
    pmi_add_count(h, "distinct_tokens", st->tokens.by_id.counts.table.n);
    pmi_add_count(h, "distinct_pairs", st->pairs.by_id.counts.table.n);
    pmi_add_count(h, "ignored",
                  st->tokens.by_id.counts.table.ignored + st->pairs.by_id.counts.table.ignored);
    pmi_add_count(h, "shown", a[SHOWN].n);
    pmi_add_count(h, "bounded", a[SHOWN].bounded);
    pmi_add_count(h, "hold", a[SHOWN].hold);
    reports_head_number(h, "pearson_shown", a[SHOWN].pearson);
    pmi_add_count(h, "positive", a[ABOVE_0].n);
    reports_head_number(h, "pearson", a[ABOVE_0].pearson);
    reports_head_number(h, "median_absolute_error", a[ABOVE_0].error);
    pmi_add_count(h, "compared", a[ALL].n);
    reports_head_number(h, "pearson_all", a[ALL].pearson);
    reports_head_number(h, "median_absolute_error_all", a[ALL].error);
}

/* Returns a figure of a row; NaN if the answer has no such column. */
static double pmi_figure(const struct leat_table *t, uint32_t row, const char *name)
{
    uint32_t at = answer_report_column(t, name);
    return at < t->n_columns ? t->values[(size_t)row * t->n_columns + at] : (double)NAN;
}

/* Copies the pairs of the answer that occurred at least min_count times to st->pair. Returns their
 * number. */
static uint32_t pmi_take_pairs(const struct pmi_cfg *cfg, struct pmi *st,
                               const struct leat_table *t)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < (t->n_columns ? t->n_rows : 0); i++) {
        struct pmi_pair *p = &st->pair[n];
        *p = (struct pmi_pair){.name = t->names[i],
                               .len = t->name_len[i],
                               .weight = t->values[(size_t)i * t->n_columns],
                               .estimate = pmi_figure(t, i, "pmi"),
                               .low = pmi_figure(t, i, "pmi_low"),
                               .high = pmi_figure(t, i, "pmi_high"),
                               .row = i};
        if (isnan(p->estimate)) p->estimate = p->weight;
        pmi_count_pair(st, cfg, p);
        n += p->count >= cfg->asked.min_count;
    }
    if (n) qsort(st->pair, n, sizeof *st->pair, pmi_by_weight);
    return n;
}

static int pmi_show(struct leat_ctx *ctx, void *self, const struct leat_table *t)
{
    struct pmi *st = self;
    const struct pmi_cfg *cfg = ctx->cfg;
    uint32_t n = pmi_take_pairs(cfg, st, t);
    counted_tell(ctx, &st->tokens.by_id);
    counted_tell(ctx, &st->pairs.by_id);
    uint32_t listed = n < cfg->k ? n : (uint32_t)cfg->k;
    const struct pmi_agreement a[AGREEMENTS] = {[SHOWN] = pmi_agreement(st, listed, -INFINITY),
                                                [ABOVE_0] = pmi_agreement(st, n, 0),
                                                [ALL] = pmi_agreement(st, n, -INFINITY)};
    struct report_head head;
    pmi_fill_head(&head, st, t, a);
    report_begin(&st->reports.report, &head);
    reports_rows(&st->reports, &pmi_top, cfg->asked.out.format == REPORT_CSV ? n : listed,
                 st->pair);
    pmi_put_agreements(st, a);
    report_end(&st->reports.report);
    ctx->host->metric(ctx, "pairs", a[ABOVE_0].n);
    ctx->host->metric(ctx, "hold", a[SHOWN].hold);
    ctx->host->metric(ctx, "pearson", a[ABOVE_0].pearson);
    ctx->host->metric(ctx, "median_absolute_error", a[ABOVE_0].error);
    return out_flush(ctx, &st->reports.out);
}

/* ---- open and close ---- */

static void close_pmi(struct leat_ctx *ctx, void *self)
{
    struct pmi *st = self;
    const struct leat_host *h = ctx->host;
    h->free(ctx, st->scratch);
    h->free(ctx, st->pair);
    h->free(ctx, st->form);
    h->free(ctx, st->row);
    counted_close(ctx, &st->pairs.by_id);
    counted_close(ctx, &st->tokens.by_id);
    out_close(ctx, self);
}

static int open_pmi(struct leat_ctx *ctx, void *self)
{
    const struct pmi_cfg *cfg = ctx->cfg;
    const struct leat_host *h = ctx->host;
    struct pmi *st = self;
    int status = out_open(ctx, self);
    if (status < 0) return status;
    st->opt = (struct tokens_options){.rule = (enum tokens_rule)cfg->rule,
                                      .lower = cfg->lower,
                                      .max_bytes = (uint32_t)cfg->max_bytes};
    st->column = columns_known(ctx, cfg->column, LEAT_TAKES_TEXT);
    st->row = h->alloc(ctx, (size_t)cfg->max_tokens * sizeof *st->row);
    st->form = h->alloc(ctx, (size_t)cfg->max_bytes);
    st->pair = h->alloc(ctx, (size_t)cfg->asked.k * sizeof *st->pair);
    st->scratch = h->alloc(ctx, (size_t)cfg->asked.k * sizeof *st->scratch);
    if (!st->row || !st->form || !st->pair || !st->scratch)
        status = h->fail(ctx, LEAT_ENOMEM, "there is not enough memory for %lld pairs",
                         (long long)cfg->asked.k);
    if (status >= 0) status = counted_open(ctx, &st->tokens.by_id, cfg->max_features, false, 0);
    if (status >= 0) status = counted_open(ctx, &st->pairs.by_id, cfg->max_features, false, 0);
    if (status < 0) close_pmi(ctx, self);
    return status;
}

static int pmi_start(struct leat_ctx *ctx, void *self)
{
    return reports_start(ctx, self, "Pairs by pointwise mutual information, estimated and counted");
}

static const struct leat_figure pmi_figures[] = {
    {"pairs", "pairs", "pairs of the answer whose weight is above 0", LEAT_GAUGE},
    {"hold", "pairs", "pairs of the answer whose bounds hold the exact PMI", LEAT_GAUGE},
    {"pearson", "1", "correlation of weights and exact PMI", LEAT_GAUGE},
    {"median_absolute_error", "1", "error of the weights as PMI: median of the absolute values",
     LEAT_GAUGE},
};

const struct leat_stage eval_pmi = {
    .name = "eval.pmi",
    .summary = "compares estimates of pointwise mutual information with exact counts",
    .doc = pmi_doc,
    .example = "leat.eval.pmi { k = 20, lower = true, window = 6 }",
    .kind = LEAT_SINK,
    .caps = LEAT_STATEFUL,
    .needs = LEAT_HAS_COLUMNS,
    LEAT_PARAMS(pmi_params, struct pmi_cfg),
    LEAT_FIGURES(pmi_figures),
    LEAT_INSTANCE(struct pmi, open_pmi, close_pmi),
    .validate = out_validate,
    .negotiate = pmi_negotiate,
    .plan = pmi_plan,
    .start = pmi_start,
    .stop = out_stop,
    .process = pmi_process,
    .tick = out_tick,
    .barrier = out_barrier,
    .asker = LEAT_ROLE(leat_asker, .ask = asked_top, .show = pmi_show),
};
