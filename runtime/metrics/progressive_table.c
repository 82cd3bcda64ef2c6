/* progressive_table.c -- the progress table: its heading, a row at examples 1, 2, 4, 8, …, and the
 * closing block. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "progressive_inside.h"

/* VW's own widths, so that scripts which cut columns continue to work. */
#define VW_HEAD_1 "average  since         example        example  current  current  current"
#define VW_HEAD_2 "loss     last          counter         weight    label  predict features"

struct text {
    char s[512];
    size_t n;
};

__attribute__((format(printf, 2, 3))) static void put(struct text *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vsnprintf(t->s + t->n, sizeof t->s - t->n, format, args);
    va_end(args);
    if (n > 0) t->n += (size_t)n;
    if (t->n >= sizeof t->s) t->n = sizeof t->s - 1;
}

static bool has_kind(const struct progressive_table *t, enum leat_score kind)
{
    return t->kinds >> kind & 1u;
}

void progressive_heading(const struct progressive_table *t)
{
    if (!t->line) return;
    for (int i = 0; i < 2; i++) {
        struct text x = {.n = 0};
        if (t->learners > 1) put(&x, "%-*s ", t->id_width, i ? "" : "learner");
        put(&x, "%s", i ? VW_HEAD_2 : VW_HEAD_1);
        if (!t->vw && has_kind(t, LEAT_SCORE_MARGIN))
            put(&x, " %7s %7s %7s", i ? "rate" : "error", i ? "" : "auc", i ? "" : "calib");
        if (!t->vw && has_kind(t, LEAT_SCORE_VALUE))
            put(&x, " %8s %8s", i ? "" : "rmse", i ? "" : "mae");
        if (!t->vw) put(&x, " %7s", i ? "" : "ex/s");
        while (x.n && x.s[x.n - 1] == ' ')
            x.s[--x.n] = 0;
        t->line(t->to, x.s);
    }
}

uint64_t progressive_now(const struct progressive_table *t)
{
    return t->now ? t->now() : clock_ns();
}

/* A rate in few characters: 870, 12.3k, 1.05M. */
static void put_rate(struct text *x, double rate)
{
    const char *unit = rate >= 1e9 ? "G" : rate >= 1e6 ? "M" : rate >= 1e3 ? "k" : "";
    double v = rate >= 1e9   ? rate / 1e9
               : rate >= 1e6 ? rate / 1e6
               : rate >= 1e3 ? rate / 1e3
                             : rate;
    int decimals = v >= 99.95 ? 0 : v >= 9.995 || !*unit ? 1 : 2;
    if (!isfinite(rate))
        put(x, " %7s", "-");
    else
        put(x, " %*.*f%s", *unit ? 6 : 7, decimals, v, unit);
}

static void put_figure(struct text *x, int width, int decimals, double v)
{
    if (isfinite(v))
        put(x, " %*.*f", width, decimals, v);
    else
        put(x, " %*s", width, "-");
}

static void put_figures(struct text *x, const struct progressive *p)
{
    const struct progressive_table *t = p->table;
    int margin = p->kind == LEAT_SCORE_MARGIN, value = p->kind == LEAT_SCORE_VALUE;
    if (has_kind(t, LEAT_SCORE_MARGIN)) {
        double area = (double)NAN, error;
        if (margin) score_bins_auc(p->bins, &area, &error);
        put_figure(x, 7, 4, value ? (double)NAN : mean(p, p->sum.second));
        put_figure(x, 7, 4, area);
        put_figure(x, 7, 3, margin ? calibration(p) : (double)NAN);
    }
    if (has_kind(t, LEAT_SCORE_VALUE)) {
        put_figure(x, 8, 4, value ? sqrt(mean(p, p->sum.loss)) : (double)NAN);
        put_figure(x, 8, 4, value ? mean(p, p->sum.second) : (double)NAN);
    }
    uint64_t ns = progressive_now(t) - p->start;
    put_rate(x, ns ? (double)p->examples * 1e9 / (double)ns : (double)NAN);
}

void progressive_row(struct progressive *p, double label, double score, uint32_t features)
{
    const struct progressive_table *t = p->table;
    double since = (p->sum.loss - p->row_loss) / (p->sum.weight - p->row_weight);
    struct text x = {.n = 0};
    if (t->learners > 1) put(&x, "%-*s ", t->id_width, p->learner);
    put(&x, "%-8.6f %-8.6f %12llu %14.1f %8.4f %8.4f %8u", mean(p, p->sum.loss), since,
        (unsigned long long)p->examples, p->sum.weight, label, score, features);
    if (!t->vw) put_figures(&x, p);
    t->line(t->to, x.s);
    p->row_loss = p->sum.loss;
    p->row_weight = p->sum.weight;
    p->next_row *= 2;
}

static void best_class(const struct progressive *p, double *constant, double *loss)
{
    uint32_t best = 0;
    for (uint32_t c = 1; c < CLASSES; c++)
        if (p->of_class[c] > p->of_class[best]) best = c;
    *constant = best;
    *loss = 1.0 - mean(p, p->of_class[best]);
}

/* The constant prediction that would have lost least, and its average loss. */
static void best_constant(const struct progressive *p, double *constant, double *loss)
{
    if (p->kind == LEAT_SCORE_VALUE) {
        double shift = mean(p, p->d1);
        *constant = p->first_label + shift;
        *loss = fmax(0.0, mean(p, p->d2) - shift * shift);
        return;
    }
    if (p->kind == LEAT_SCORE_CLASS) {
        best_class(p, constant, loss);
        return;
    }
    *constant = log(p->of[1] / p->of[0]);
    *loss = 0.0; /* one class alone: an infinite margin loses nothing */
    for (int c = 0; c < 2; c++)
        if (p->of[c] > 0.0) *loss -= mean(p, p->of[c]) * log(mean(p, p->of[c]));
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

static void say_figures(const struct progressive *p)
{
    double loss, second;
    last_means(p, &loss, &second);
    if (p->kind != LEAT_SCORE_VALUE)
        say(p, "error rate = %.6f (last fifth %.6f)", mean(p, p->sum.second), second);
    else
        say(p, "rmse = %.6f (last fifth %.6f), mae = %.6f (last fifth %.6f)",
            sqrt(mean(p, p->sum.loss)), sqrt(loss), mean(p, p->sum.second), second);
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
    if (p->kind == LEAT_SCORE_MARGIN) say(p, "weighted label sum = %.6f", p->of[1] - p->of[0]);
    if (p->kind == LEAT_SCORE_VALUE)
        say(p, "weighted label sum = %.6f", p->first_label * p->sum.weight + p->d1);
    if (p->examples && p->kind != LEAT_SCORE_NONE) {
        double constant, loss;
        best_constant(p, &constant, &loss);
        say(p, "average loss = %.6f", mean(p, p->sum.loss));
        say(p, "best constant = %.6f", constant);
        say(p, "best constant's loss = %.6f", loss);
        if (!p->table->vw) say_figures(p);
    } else {
        say(p, "average loss = n.a.");
    }
    say(p, "total feature number = %llu", (unsigned long long)p->features);
}
