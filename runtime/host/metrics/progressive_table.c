/* progressive_table.c -- the progress table: heading, rows at 1, 2, 4, 8, … examples, the end. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/time/clock.h"
#include "progressive_inside.h"

/* Columns from left to right. The first seven have the widths of Vowpal Wabbit, so that scripts
 * which cut its columns continue to work. */
enum { LOSS, SINCE, COUNTER, WEIGHT, LABEL, PREDICT, FEATURES, VW_COLUMNS };
enum { ERROR = VW_COLUMNS, AUC, CALIB, RMSE, MAE, RATE, COLUMNS };

static const struct column {
    const char *head[2];
    int width, decimals; /* negative width: left-aligned */
    unsigned kinds;      /* bits of the score kinds that show the column; 0: always shown */
} columns[COLUMNS] = {
    [LOSS] = {{"average", "loss"}, -8, 6, 0},
    [SINCE] = {{"since", "last"}, -8, 6, 0},
    [COUNTER] = {{"example", "counter"}, 12, 0, 0},
    [WEIGHT] = {{"example", "weight"}, 14, 1, 0},
    [LABEL] = {{"current", "label"}, 8, 4, 0},
    [PREDICT] = {{"current", "predict"}, 8, 4, 0},
    [FEATURES] = {{"current", "features"}, 8, 0, 0},
    [ERROR] = {{"error", "rate"}, 7, 4, 1u << LEAT_SCORE_MARGIN | 1u << LEAT_SCORE_DECISION},
    [AUC] = {{"auc", ""}, 7, 4, 1u << LEAT_SCORE_MARGIN | 1u << LEAT_SCORE_DECISION},
    [CALIB] = {{"calib", ""}, 7, 3, 1u << LEAT_SCORE_MARGIN},
    [RMSE] = {{"rmse", ""}, 8, 4, 1u << LEAT_SCORE_VALUE},
    [MAE] = {{"mae", ""}, 8, 4, 1u << LEAT_SCORE_VALUE},
    [RATE] = {{"ex/s", ""}, 7, 0, 0},
};

/* Columns to leave out on a narrow terminal, the least important first. */
static const int spared[] = {WEIGHT, CALIB, FEATURES, LABEL, PREDICT, MAE, RATE, AUC, RMSE, ERROR};

struct progressive_table_text {
    char s[512];
    size_t n;
};

__attribute__((format(printf, 2, 3))) static void put(struct progressive_table_text *t,
                                                      const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vsnprintf(t->s + t->n, sizeof t->s - t->n, format, args);
    va_end(args);
    if (n > 0) t->n += (size_t)n;
    if (t->n >= sizeof t->s) t->n = sizeof t->s - 1;
}

static bool is_offered(const struct progressive_table *t, int c)
{
    return c < VW_COLUMNS || (!t->vw && (!columns[c].kinds || t->kinds & columns[c].kinds));
}

static size_t width_of(const struct progressive_table *t, unsigned shown)
{
    size_t width = t->learners > 1 ? (size_t)t->id_width + 1 : 0;
    for (int c = 0; c < COLUMNS; c++)
        if (shown >> c & 1u) width += (size_t)abs(columns[c].width) + (c != LOSS);
    return width;
}

/* Returns a bit per shown column. Keeps a line shorter than the terminal, because a line that fills
 * it exactly wraps on some terminals. */
static unsigned shown_columns(const struct progressive_table *t)
{
    unsigned shown = 0;
    for (int c = 0; c < COLUMNS; c++)
        shown |= (unsigned)is_offered(t, c) << c;
    for (size_t i = 0; !t->vw && t->terminal && i < sizeof spared / sizeof *spared; i++)
        if (width_of(t, shown) >= t->terminal) shown &= ~(1u << spared[i]);
    return shown;
}

void progressive_heading(const struct progressive_table *t)
{
    if (!t->line) return;
    unsigned shown = shown_columns(t);
    for (int i = 0; i < 2; i++) {
        struct progressive_table_text x = {.n = 0};
        if (t->learners > 1) put(&x, "%-*s ", t->id_width, i ? "" : "learner");
        for (int c = 0; c < COLUMNS; c++)
            if (shown >> c & 1u)
                put(&x, "%s%*s", c == LOSS ? "" : " ", columns[c].width, columns[c].head[i]);
        while (x.n && x.s[x.n - 1] == ' ')
            x.s[--x.n] = 0;
        t->line(t->to, x.s);
    }
}

uint64_t progressive_now(const struct progressive_table *t)
{
    return t->now ? t->now() : clock_ns();
}

/* Writes a rate with few characters: 870, 12.3k, 1.05M. */
static void put_rate(struct progressive_table_text *x, double rate)
{
    const char *unit = rate >= 1e9 ? "G" : rate >= 1e6 ? "M" : rate >= 1e3 ? "k" : "";
    double v = rate >= 1e9   ? rate / 1e9
               : rate >= 1e6 ? rate / 1e6
               : rate >= 1e3 ? rate / 1e3
                             : rate;
    int decimals = v >= 99.95 ? 0 : v >= 9.995 || !*unit ? 1 : 2;
    put(x, "%*.*f%s", *unit ? 6 : 7, decimals, v, unit);
}

/* Sets the figures of columns ERROR and later; NaN if the learner's kind of score does not have the
 * figure. */
static void fill_figures(const struct progressive *p, double v[COLUMNS])
{
    int margin = p->kind == LEAT_SCORE_MARGIN, value = p->kind == LEAT_SCORE_VALUE;
    double error;
    for (int c = ERROR; c < COLUMNS; c++)
        v[c] = (double)NAN;
    if (!value) v[ERROR] = mean(p, p->sum.second);
    if (is_margin(p->kind)) score_bins_auc(p->bins, &v[AUC], &error);
    if (margin) v[CALIB] = calibration(p);
    if (value) v[RMSE] = sqrt(mean(p, p->sum.loss));
    if (value) v[MAE] = mean(p, p->sum.second);
    uint64_t ns = progressive_now(p->table) - p->start;
    if (ns) v[RATE] = (double)(p->examples - p->continued) * 1e9 / (double)ns;
}

static void put_cells(struct progressive_table_text *x, unsigned shown, const double v[COLUMNS])
{
    for (int c = 0; c < COLUMNS; c++) {
        if (!(shown >> c & 1u)) continue;
        if (c != LOSS) put(x, " ");
        if (isnan(v[c]))
            put(x, "%*s", columns[c].width, "-");
        else if (c == RATE)
            put_rate(x, v[c]);
        else
            put(x, "%*.*f", columns[c].width, columns[c].decimals, v[c]);
    }
}

void progressive_row(struct progressive *p, double label, double score, uint32_t features)
{
    const struct progressive_table *t = p->table;
    double v[COLUMNS] = {[LOSS] = mean(p, p->sum.loss),
                         [SINCE] = (p->sum.loss - p->row_loss) / (p->sum.weight - p->row_weight),
                         [COUNTER] = (double)p->examples,
                         [WEIGHT] = p->sum.weight,
                         [LABEL] = label,
                         [PREDICT] = score,
                         [FEATURES] = features};
    struct progressive_table_text x = {.n = 0};
    if (!t->vw) fill_figures(p, v);
    if (t->learners > 1) put(&x, "%-*s ", t->id_width, p->learner);
    put_cells(&x, shown_columns(t), v);
    t->line(t->to, x.s);
    p->row_loss = p->sum.loss;
    p->row_weight = p->sum.weight;
    p->next_row *= 2;
}

__attribute__((format(printf, 2, 3))) static void say(const struct progressive *p,
                                                      const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    p->table->line(p->table->to, text);
}

/* Writes a figure, or n.a. if it is NaN: the mean of examples whose weights are all 0, or the last
 * fifth of very few examples. */
static void progressive_table_put_figure(struct progressive_table_text *x, const char *before,
                                         double figure, const char *after)
{
    if (isnan(figure))
        put(x, "%sn.a.%s", before, after);
    else
        put(x, "%s%.6f%s", before, figure, after);
}

static void say_figures(const struct progressive *p)
{
    double loss, second;
    struct progressive_table_text x = {.n = 0};
    last_means(p, &loss, &second);
    if (p->kind != LEAT_SCORE_VALUE) {
        progressive_table_put_figure(&x, "error rate = ", mean(p, p->sum.second), "");
    } else {
        progressive_table_put_figure(&x, "rmse = ", sqrt(mean(p, p->sum.loss)), "");
        progressive_table_put_figure(&x, " (last fifth ", sqrt(loss), ")");
        progressive_table_put_figure(&x, ", mae = ", mean(p, p->sum.second), "");
    }
    progressive_table_put_figure(&x, " (last fifth ", second, ")");
    say(p, "%s", x.s);
}

/* Writes the best constant. It does not exist with only one label, or if all weights are 0. */
static void say_constant(const struct progressive *p)
{
    double constant, loss;
    progressive_best_constant(p, &constant, &loss);
    if (isfinite(constant)) {
        say(p, "best constant = %.6f", constant);
        say(p, "best constant's loss = %.6f", loss);
    } else {
        say(p, "best constant = n.a.");
    }
}

void progressive_finish(const struct progressive *p)
{
    if (!p->table || !p->table->line) return;
    say(p, "%s", "");
    if (p->table->learners > 1)
        say(p, "finished run of %s", p->learner);
    else
        say(p, "finished run");
    say(p, "number of examples = %llu", (unsigned long long)p->examples);
    say(p, "weighted example sum = %.6f", p->sum.weight);
    if (is_margin(p->kind)) say(p, "weighted label sum = %.6f", p->of[1] - p->of[0]);
    if (p->kind == LEAT_SCORE_VALUE)
        say(p, "weighted label sum = %.6f", p->first_label * p->sum.weight + p->d1);
    if (p->examples && p->kind != LEAT_SCORE_NONE) {
        struct progressive_table_text x = {.n = 0};
        progressive_table_put_figure(&x, "average loss = ", mean(p, p->sum.loss), "");
        say(p, "%s", x.s);
        say_constant(p);
        if (!p->table->vw) say_figures(p);
    } else {
        say(p, "average loss = n.a.");
    }
    if (p->continued)
        say(p, "total feature number = %llu (of the %llu examples of this process)",
            (unsigned long long)p->features, (unsigned long long)(p->examples - p->continued));
    else
        say(p, "total feature number = %llu", (unsigned long long)p->features);
}

/* ---- learning curves ----
 *
 * A curve is made from the marks of last_fifth.h. So it costs nothing during the run, is part of
 * every snapshot, and merges like the marks. */

static struct progressive_point point_of(uint64_t examples, const struct sums *now,
                                         const struct sums *before)
{
    double w = now->weight, since = w - before->weight;
    struct progressive_point p = {.examples = examples,
                                  .loss = w > 0 ? now->loss / w : (double)NAN,
                                  .second = w > 0 ? now->second / w : (double)NAN,
                                  .loss_since = (double)NAN,
                                  .second_since = (double)NAN};
    if (!(since > 0)) return p;
    p.loss_since = (now->loss - before->loss) / since;
    p.second_since = (now->second - before->second) / since;
    return p;
}

/* Number of marks from one point of the curve to the next. Leaves space for one more point at the
 * end. */
static uint32_t stride_of(uint32_t marks)
{
    uint32_t stride = 1;
    while (marks / stride >= PROGRESSIVE_POINTS)
        stride *= 2;
    return stride;
}

size_t progressive_curve(const struct progressive *p,
                         struct progressive_point out[PROGRESSIVE_POINTS])
{
    const struct last_fifth *l = &p->last;
    struct sums before = {0, 0, 0};
    uint32_t stride = stride_of(l->n);
    size_t n = 0;
    if (!l->step) return 0;
    for (uint32_t i = stride; i < l->n; i += stride) {
        if (i * l->step >= p->examples) break; /* the point at the end is added after the loop */
        out[n++] = point_of(i * l->step, &l->mark[i], &before);
        before = l->mark[i];
    }
    out[n++] = point_of(p->examples, &p->sum, &before);
    return n;
}

size_t progressive_roc(const struct progressive *p, struct roc_point out[ROC_POINTS])
{
    return p->bins && p->examples ? score_bins_roc(p->bins, out) : 0;
}

uint32_t progressive_label_errors(const struct progressive *p, struct label_error out[LABEL_ERRORS])
{
    return p->kind == LEAT_SCORE_VALUE ? label_errors_sorted(&p->by_label, out) : 0;
}
