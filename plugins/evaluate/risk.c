/* risk.c -- eval.risk: how good the explanation of a learner is, against exact counts.
 *
 * The examples flow through and every feature is counted, by its name, among records labelled +1
 * and -1; at the end the learner is asked for its heaviest features, and their weights are set
 * beside the relative risks that were counted. Names are cut as the learner cuts them; a cut name
 * that stands for several features says nothing about any of them and is left out of the
 * comparison.
 *
 * Figures: Tai, Sharan, Bailis, Valiant: Sketching Linear Classifiers over Data Streams, SIGMOD
 * 2018, figures 8 (distribution of relative risks) and 9 (correlation with them).
 *
 * Memory grows with the distinct features: this is for judging a configuration, not for running
 * one.
 */
#include <stdio.h>
#include <stdlib.h>

#include "support/out.h"
#include "kernels/base/feature_id.h"
#include "kernels/base/loss.h"
#include "kernels/base/names.h"
#include "kernels/linear/sgd.h"
#include "support/counted.h"
#include "support/growing.h"

enum format { TABLE, JSONL, CSV };
static const char *const formats[] = {"table", "jsonl", "csv", NULL};

/* Relative risks fall into bins [edge[i], edge[i + 1]), the same ratios below 1 as above. */
static const double edge[] = {0, 0.125, 0.25, 0.5, 0.8, 1.25, 2, 4, 8};
enum { BINS = sizeof edge / sizeof *edge };
static const double quantile_at[] = {0, 0.05, 0.25, 0.5, 0.75, 0.95, 1};
enum { QUANTILES = sizeof quantile_at / sizeof *quantile_at };

struct cfg {
    const char *path;
    int32_t append;
    int32_t format;
    int64_t k, min_count, name_bytes, max_features;
    const char *of;
};

/* A feature that the learner gave and that was counted. */
struct found {
    double weight, risk;
    uint64_t count;
};

struct risk {
    struct out out;
    struct counted
        counted; /* by the hash of the name; tag: fold of the id, 0 once there were two */
    uint64_t records[2];
    char *text, *cut;
    struct found *found; /* k */
    double *risk;        /* k: sorted */
};

/* What came out. */
struct report {
    uint32_t shown, n, unknown, ambiguous, n_frequent;
    double correlation, correlation_frequent;
    double quantile[QUANTILES];
    uint32_t bin[BINS];
};

static const struct leat_param params[] = {
    {.name = "k",
     .type = LEAT_INT,
     .flags = LEAT_POSITIONAL,
     .offset = offsetof(struct cfg, k),
     .def = "2048",
     .min = 1,
     .max = 1e6,
     .unit = "features",
     .doc = "how many of the learner's heaviest features are judged"},
    {.name = "of",
     .type = LEAT_STRING,
     .offset = offsetof(struct cfg, of),
     .doc = "id of the learner; by default the nearest one upstream"},
    {.name = "min_count",
     .type = LEAT_INT,
     .offset = offsetof(struct cfg, min_count),
     .def = "20",
     .min = 0,
     .max = 4e9,
     .unit = "records",
     .doc = "the correlation is given once more for features of at least so many records"},
    {.name = "format",
     .type = LEAT_CHOICE,
     .offset = offsetof(struct cfg, format),
     .choices = formats,
     .def = "table",
     .doc = "table: for people; jsonl: one object; csv: one line a figure"},
    {.name = "name_bytes",
     .type = LEAT_INT,
     .flags = LEAT_ADVANCED,
     .offset = offsetof(struct cfg, name_bytes),
     .def = "120",
     .min = NAMES_MIN_BYTES,
     .max = 511,
     .unit = "bytes",
     .doc = "where the learner cuts names: its name_bytes"},
    {.name = "max_features",
     .type = LEAT_INT,
     .flags = LEAT_ADVANCED,
     .offset = offsetof(struct cfg, max_features),
     .def = "16777216",
     .min = 1,
     .max = FEATURE_COUNTS_MAX_CAPACITY,
     .unit = "features",
     .doc = "features counted, rounded up to a power of two; later ones are ignored and reported"},
    OUT_PARAMS(struct cfg),
};

static int validate(const void *config, struct leat_diag *d)
{
    const struct cfg *cfg = config;
    out_validate(cfg->path, d);
    return LEAT_OK;
}

static int plan(const void *config, const struct leat_schema *in, const struct leat_schema *out,
                struct leat_plan *p)
{
    const struct cfg *cfg = config;
    uint32_t most = growing_max_capacity(cfg->max_features);
    (void)in;
    (void)out;
    p->state_bytes = feature_counts_block_bytes(most);
    p->work_bytes = OUT_BUFFER + (size_t)cfg->k * (sizeof(struct found) + sizeof(double));
    snprintf(p->note, sizeof p->note,
             "counts all features exactly: grows with them from %zu bytes, at most %u features",
             feature_counts_block_bytes(counted_first(cfg->max_features)), most);
    return LEAT_OK;
}

static int ask(const void *config, struct leat_ask *a)
{
    const struct cfg *cfg = config;
    a->kind = LEAT_QUERY_TOP;
    a->of = cfg->of;
    a->k = (uint32_t)cfg->k;
    return LEAT_OK;
}

static void close_risk(struct leat_ctx *ctx, void *self)
{
    struct risk *st = self;
    ctx->host->free(ctx, st->risk);
    ctx->host->free(ctx, st->found);
    ctx->host->free(ctx, st->cut);
    ctx->host->free(ctx, st->text);
    counted_close(ctx, &st->counted);
    out_close(ctx, &st->out);
}

static int open_risk(struct leat_ctx *ctx, void *self)
{
    const struct cfg *cfg = ctx->cfg;
    const struct leat_host *h = ctx->host;
    struct risk *st = self;
    int status = out_open(ctx, &st->out, cfg->path, cfg->append);
    if (status != LEAT_OK) return status;
    status = counted_open(ctx, &st->counted, cfg->max_features);
    st->text = h->alloc(ctx, (size_t)cfg->name_bytes + 1);
    st->cut = h->alloc(ctx, (size_t)cfg->name_bytes);
    st->found = h->alloc(ctx, (size_t)cfg->k * sizeof *st->found);
    st->risk = h->alloc(ctx, (size_t)cfg->k * sizeof *st->risk);
    if (status == LEAT_OK && st->text && st->cut && st->found && st->risk) return LEAT_OK;
    close_risk(ctx, self);
    return status < 0 ? status
                      : h->fail(ctx, LEAT_ENOMEM, "no memory for %lld features", (long long)cfg->k);
}

/* ---- counting ---- */

static uint64_t key_of(const struct cfg *cfg, struct risk *st, const struct leat_batch *b,
                       uint32_t i)
{
    size_t cap = (size_t)cfg->name_bytes + 1, len = leat_name_text(b, i, st->text, cap);
    uint32_t n = name_cut(st->text, len < cap ? len : cap, (uint32_t)cfg->name_bytes, st->cut);
    return feature_id_name(st->cut, n);
}

static void count_entry(struct feature_counts *t, uint64_t key, uint64_t id, int positive)
{
    uint32_t known = t->n, f = feature_counts_add(t, key, positive),
             fold = (uint32_t)(id ^ id >> 32);
    if (f == FEATURE_COUNTS_NONE) return;
    fold += !fold; /* 0 means several */
    if (f == known)
        t->tag[f] = fold;
    else if (t->tag[f] != fold)
        t->tag[f] = 0;
}

static int process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    struct risk *st = self;
    uint32_t record = UINT32_MAX;
    for (LEAT_EACH_EXAMPLE(b, e)) {
        uint32_t start = b->ex_start[e], end = b->ex_start[e + 1];
        int positive = b->ex_label[e] > 0;
        if (b->ex_record[e] != record) st->records[positive]++;
        record = b->ex_record[e];
        if (feature_counts_free_slots(&st->counted.tally) < end - start)
            counted_reserve(ctx, &st->counted, end - start);
        for (uint32_t i = start; i < end; i++)
            count_entry(&st->counted.tally, key_of(ctx->cfg, st, b, i), b->id[i], positive);
    }
    return LEAT_OK;
}

/* ---- comparing ---- */

static void look_up(struct risk *st, const struct leat_table *t, uint32_t row, struct report *r)
{
    const struct feature_counts *known = &st->counted.tally;
    uint32_t f = feature_counts_find(known, feature_id_name(t->names[row], t->name_len[row]));
    if (f == FEATURE_COUNTS_NONE) {
        r->unknown++;
    } else if (!known->tag[f]) {
        r->ambiguous++;
    } else {
        const uint32_t *count = known->count + 2 * (size_t)f;
        st->found[r->n++] =
            (struct found){.weight = t->values[(size_t)row * t->n_columns],
                           .risk = sgd_relative_risk(count[1], count[0], (double)st->records[1],
                                                     (double)st->records[0]),
                           .count = (uint64_t)count[0] + count[1]};
    }
}

/* Pearson's correlation of weight and log relative risk, of features of at least min_count records.
 * NaN where one of the two does not vary. */
static double correlate(const struct found *f, uint32_t n, uint64_t min_count, uint32_t *used)
{
    double w = 0, l = 0, ww = 0, ll = 0, wl = 0;
    *used = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (f[i].count < min_count) continue;
        double dw = f[i].weight - w, dl = loss_log(f[i].risk) - l, m = ++*used;
        w += dw / m;
        l += dl / m;
        ww += dw * (f[i].weight - w);
        ll += dl * (loss_log(f[i].risk) - l);
        wl += dw * (loss_log(f[i].risk) - l);
    }
    return ww > 0 && ll > 0 ? wl / sqrt(ww * ll) : (double)NAN;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The smallest risk that at least a share q of them does not exceed. */
static double quantile(const double *sorted, uint32_t n, double q)
{
    if (!n) return (double)NAN;
    uint32_t at = (uint32_t)ceil(q * n);
    return sorted[at ? at - 1 : 0];
}

static void distribute(struct risk *st, struct report *r)
{
    for (uint32_t i = 0; i < r->n; i++) {
        uint32_t bin = BINS - 1;
        st->risk[i] = st->found[i].risk;
        while (st->risk[i] < edge[bin])
            bin--;
        r->bin[bin]++;
    }
    qsort(st->risk, r->n, sizeof *st->risk, by_value);
    for (uint32_t i = 0; i < QUANTILES; i++)
        r->quantile[i] = quantile(st->risk, r->n, quantile_at[i]);
}

static struct report compare(const struct cfg *cfg, struct risk *st, const struct leat_table *t)
{
    struct report r = {.shown = t->n_rows};
    uint32_t all;
    for (uint32_t row = 0; row < t->n_rows && t->n_columns; row++)
        look_up(st, t, row, &r);
    r.correlation = correlate(st->found, r.n, 0, &all);
    r.correlation_frequent = correlate(st->found, r.n, (uint64_t)cfg->min_count, &r.n_frequent);
    distribute(st, &r);
    return r;
}

/* ---- writing ---- */

static void put_count(struct text_out *o, const char *before, uint64_t n, const char *after)
{
    char text[TEXT_NUMBER];
    text_str(o, before);
    text_bytes(o, text, text_format_grouped(text, n));
    text_str(o, after);
}

static void put_figure(struct text_out *o, const char *before, double v, const char *after)
{
    char text[TEXT_NUMBER];
    int n = isnan(v) ? snprintf(text, sizeof text, "-") : snprintf(text, sizeof text, "%.4g", v);
    text_str(o, before);
    text_bytes(o, text, n > 0 ? (size_t)n : 0);
    text_str(o, after);
}

static void put_bins(struct text_out *o, const struct report *r)
{
    uint32_t most = 1;
    for (uint32_t i = 0; i < BINS; i++)
        most = r->bin[i] > most ? r->bin[i] : most;
    for (uint32_t i = 0; i < BINS; i++) {
        char text[64];
        int n = i + 1 < BINS
                    ? snprintf(text, sizeof text, "  %5g to %-5g %8u  ", edge[i], edge[i + 1],
                               r->bin[i])
                    : snprintf(text, sizeof text, "  %5g and up  %8u  ", edge[i], r->bin[i]);
        text_bytes(o, text, n > 0 ? (size_t)n : 0);
        for (uint32_t bar = (uint32_t)((uint64_t)r->bin[i] * 40 / most); bar; bar--)
            text_char(o, '#');
        text_char(o, '\n');
    }
}

static void show_table(const struct cfg *cfg, struct risk *st, const struct leat_table *t,
                       const struct report *r)
{
    struct text_out *o = &st->out.text;
    text_str(o, "Evaluation (");
    text_shown(o, t->learner, strlen(t->learner), 0);
    put_count(o, ", ", t->examples, " examples)\n");
    put_count(o, "  counted exactly: ", st->counted.tally.n, " features");
    put_count(o, " in ", feature_counts_block_bytes(st->counted.tally.capacity), " bytes,");
    put_count(o, " ", st->records[1], " outliers,");
    put_count(o, " ", st->records[0], " inliers\n");
    put_count(o, "  retrieved: ", r->shown, " features;");
    put_count(o, " names not found ", r->unknown, ",");
    put_count(o, " of several features ", r->ambiguous, "\n");
    if (st->counted.tally.ignored)
        put_count(o, "  not counted for want of room: ", st->counted.tally.ignored, " entries\n");
    put_figure(o, "  correlation of weight with log relative risk: ", r->correlation, "");
    put_count(o, " (", r->n, " features),");
    put_figure(o, " ", r->correlation_frequent, "");
    put_count(o, " (", r->n_frequent, " in at least");
    put_count(o, " ", (uint64_t)cfg->min_count, " records)\n");
    text_str(o, "  relative risk, quantiles:");
    for (uint32_t i = 0; i < QUANTILES; i++) {
        put_figure(o, i ? ", " : " ", 100 * quantile_at[i], " % ");
        put_figure(o, "", r->quantile[i], "");
    }
    text_str(o, "\n  relative risk     features\n");
    put_bins(o, r);
}

static void json_uint(struct text_out *o, const char *key, uint64_t v)
{
    text_str(o, ",\"");
    text_str(o, key);
    text_str(o, "\":");
    text_uint(o, v);
}

static void json_figure(struct text_out *o, const char *key, double v)
{
    text_str(o, ",\"");
    text_str(o, key);
    text_str(o, "\":");
    text_json_double(o, v);
}

static void show_jsonl(const struct cfg *cfg, struct risk *st, const struct leat_table *t,
                       const struct report *r)
{
    struct text_out *o = &st->out.text;
    out_json_head(o, t);
    json_uint(o, "outliers", st->records[1]);
    json_uint(o, "inliers", st->records[0]);
    json_uint(o, "features_counted", st->counted.tally.n);
    json_uint(o, "entries_ignored", st->counted.tally.ignored);
    json_uint(o, "retrieved", r->shown);
    json_uint(o, "unknown", r->unknown);
    json_uint(o, "ambiguous", r->ambiguous);
    json_uint(o, "compared", r->n);
    json_figure(o, "correlation", r->correlation);
    json_uint(o, "min_count", (uint64_t)cfg->min_count);
    json_uint(o, "compared_min_count", r->n_frequent);
    json_figure(o, "correlation_min_count", r->correlation_frequent);
    text_str(o, ",\"relative_risk\":{\"quantiles\":[");
    for (uint32_t i = 0; i < QUANTILES; i++) {
        text_str(o, i ? ",{\"q\":" : "{\"q\":");
        text_json_double(o, quantile_at[i]);
        json_figure(o, "value", r->quantile[i]);
        text_char(o, '}');
    }
    text_str(o, "],\"histogram\":[");
    for (uint32_t i = 0; i < BINS; i++) {
        text_str(o, i ? ",{\"from\":" : "{\"from\":");
        text_json_double(o, edge[i]);
        json_figure(o, "to", i + 1 < BINS ? edge[i + 1] : (double)INFINITY);
        json_uint(o, "features", r->bin[i]);
        text_char(o, '}');
    }
    text_str(o, "]}}\n");
}

static void csv_line(struct text_out *o, const struct leat_table *t, const char *measure, double v)
{
    text_csv(o, t->learner, strlen(t->learner), ',');
    text_char(o, ',');
    text_str(o, measure);
    text_char(o, ',');
    if (!isnan(v)) text_double(o, v);
    text_char(o, '\n');
}

static void show_csv(struct risk *st, const struct leat_table *t, const struct report *r)
{
    struct text_out *o = &st->out.text;
    char measure[64];
    if (st->out.fresh) text_str(o, "learner,measure,value\n");
    csv_line(o, t, "outliers", (double)st->records[1]);
    csv_line(o, t, "inliers", (double)st->records[0]);
    csv_line(o, t, "features_counted", st->counted.tally.n);
    csv_line(o, t, "entries_ignored", (double)st->counted.tally.ignored);
    csv_line(o, t, "retrieved", r->shown);
    csv_line(o, t, "unknown", r->unknown);
    csv_line(o, t, "ambiguous", r->ambiguous);
    csv_line(o, t, "compared", r->n);
    csv_line(o, t, "correlation", r->correlation);
    csv_line(o, t, "compared_min_count", r->n_frequent);
    csv_line(o, t, "correlation_min_count", r->correlation_frequent);
    for (uint32_t i = 0; i < QUANTILES; i++) {
        snprintf(measure, sizeof measure, "relative_risk_quantile_%g", quantile_at[i]);
        csv_line(o, t, measure, r->quantile[i]);
    }
    for (uint32_t i = 0; i < BINS; i++) {
        snprintf(measure, sizeof measure, "relative_risk_from_%g", edge[i]);
        csv_line(o, t, measure, r->bin[i]);
    }
}

static int show(struct leat_ctx *ctx, void *self, const struct leat_table *t)
{
    const struct cfg *cfg = ctx->cfg;
    struct risk *st = self;
    struct report r = compare(cfg, st, t);
    if (cfg->format == TABLE)
        show_table(cfg, st, t, &r);
    else if (cfg->format == JSONL)
        show_jsonl(cfg, st, t, &r);
    else
        show_csv(st, t, &r);
    ctx->host->metric(ctx, "correlation", r.correlation);
    ctx->host->metric(ctx, "correlation_min_count", r.correlation_frequent);
    ctx->host->metric(ctx, "features_counted", st->counted.tally.n);
    return out_flush(ctx, &st->out);
}

const struct leat_stage eval_risk = {
    .name = "eval.risk",
    .summary = "judges a learner's heaviest features by their exact relative risks",
    .doc =
        "Counts every feature of the examples exactly, among records labelled +1 and -1, in "
        "tables that grow with the distinct features, so it is for choosing a configuration and "
        "not for a stream without end. At the end it asks the learner for its k heaviest "
        "features and gives Pearson's correlation of their weights with log relative risk, over "
        "all of them and over those of at least min_count records, and the distribution of "
        "their relative risks p(+|x)/p(+|not x), half a record added to all four counts when one "
        "is 0. (Tai, Sharan, Bailis, Valiant: Sketching Linear Classifiers over Data Streams, "
        "SIGMOD 2018, figures 8 and 9.)\n\n"
        "Features are matched by name, cut at name_bytes, which must be the learner's. Names that "
        "were cut and stand for several features are left out and counted as ambiguous; raise "
        "name_bytes of both when there are many. Memory: 36 to 72 bytes a feature; time: its "
        "name is written and hashed for every entry, some 100 ns.\n"
        "  table  for people, with a histogram\n"
        "  jsonl  {\"learner\", \"examples\", \"outliers\", …, \"correlation\", "
        "\"correlation_min_count\", \"relative_risk\": {\"quantiles\", \"histogram\"}}; a bin is "
        "from <= risk < to\n"
        "  csv    learner, measure, value\n"
        "Metrics: correlation, correlation_min_count, features_counted.",
    .example = "leat.eval.risk { k = 2048 }",
    .kind = LEAT_SINK,
    .caps = LEAT_STATEFUL,
    .needs = LEAT_HAS_EXAMPLES | LEAT_HAS_LABEL,
    LEAT_PARAMS(params),
    .cfg_size = sizeof(struct cfg),
    .instance_size = sizeof(struct risk),
    .validate = validate,
    .plan = plan,
    .ask = ask,
    .open = open_risk,
    .close = close_risk,
    .process = process,
    .start = out_start_call,
    .stop = out_stop,
    .show = show,
};
