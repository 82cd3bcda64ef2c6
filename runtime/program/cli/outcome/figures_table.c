/* figures_table.c -- the option `figures`: tables that compare learners by the same figures. */
#include "outcome.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/report/figure_columns.h"
#include "host/memory/memory.h"
#include "host/params/params.h"
#include "comparison.h"
#include "program/cli/wrap_lines.h"

enum { WIDTH = 80, KINDS = LEAT_SCORE_DECISION + 1 };

/* Predictions without any feature. */
enum baseline { NO_BASELINE, BASELINE_CONSTANT, BASELINE_RECENT };

/* A row: a learner, or a baseline for the examples of a learner. */
struct entry {
    const struct instance *learner;
    enum baseline baseline;
    enum leat_score kind;
    uint32_t order; /* place in the graph's order */
    double error;   /* figure that ranks the row; NaN: none */
    const char *name[PROGRESSIVE_METRICS];
    double value[PROGRESSIVE_METRICS];
    size_t n;
};

/* Rows of one kind of learner, best first. */
struct group {
    const struct entry *entry;
    uint32_t n;
    bool alike;   /* true if all saw the same number of examples */
    bool held;    /* true if some examples were held out */
    bool by_loss; /* true if ranked by log loss */
    struct report_column column[REPORT_MAX_COLUMNS];
    uint32_t n_columns;
};

/* ---- figures ---- */

static double figures_rate_of(const struct instance *learner)
{
    double seconds = (double)learner->count.ns / 1e9;
    return seconds > 0
               ? round((double)progressive_examples_here(learner->learning.progressive) / seconds)
               : (double)NAN;
}

/* Returns the figure for a column; NaN if the row has none. */
static double figures_figure_of(const struct entry *e, const char *name)
{
    for (size_t i = 0; e->baseline && i < e->n; i++)
        if (!strcmp(e->name[i], name)) return e->value[i];
    if (e->baseline) return (double)NAN;
    if (!strcmp(name, "model_bytes")) return comparison_report_model_bytes(e->learner);
    if (!strcmp(name, "total_bytes")) return comparison_report_total_bytes(e->learner);
    if (!strcmp(name, "examples_per_second")) return figures_rate_of(e->learner);
    for (size_t i = 0; i < e->n; i++)
        if (!strcmp(e->name[i], name)) return e->value[i];
    return (double)NAN;
}

static const char *figures_name_of(const struct entry *e)
{
    if (e->baseline == BASELINE_CONSTANT) return "constant";
    if (!e->baseline) return e->learner->node->id;
    return e->kind == LEAT_SCORE_VALUE ? "recent mean" : "no change";
}

static struct report_value figures_cell(const void *of, uint32_t row, uint32_t column)
{
    const struct group *g = of;
    const struct entry *e = &g->entry[row];
    const struct report_column *c = &g->column[column];
    if (c->type == REPORT_WORD) return report_word(figures_name_of(e));
    return report_number(figures_figure_of(e, c->name));
}

/* ---- columns ---- */

static const struct report_column *figures_column_of(const struct group *g, const char *name)
{
    for (uint32_t c = 0; c < g->n_columns; c++)
        if (!strcmp(g->column[c].name, name)) return &g->column[c];
    return NULL;
}

static void figures_add_column(struct group *g, struct report_column c)
{
    if (!figures_column_of(g, c.name) && g->n_columns < REPORT_MAX_COLUMNS)
        g->column[g->n_columns++] = c;
}

static bool is_measured(const struct group *g, const char *name)
{
    for (uint32_t row = 0; row < g->n; row++)
        for (size_t i = 0; i < g->entry[row].n; i++)
            if (!strcmp(g->entry[row].name[i], name)) return true;
    return false;
}

/* Returns the number of decimals of a column; 0 means that its figures are not rounded, because all
 * are below 0.001. RMSE and MAE from 0.1 to 10, as for ratings, have four decimals. */
static int decimals_of(const struct group *g, const char *name, int decimals)
{
    double largest = 0;
    for (uint32_t row = 0; row < g->n; row++)
        largest = fmax(largest, figures_figure_of(&g->entry[row], name)); /* fmax ignores NaN */
    bool rating = !strncmp(name, "rmse", 4) || !strncmp(name, "mae", 3);
    if (rating && largest >= 0.1 && largest < 10) return 4;
    return largest < 0.001 ? 0 : decimals;
}

static unsigned formats_of(const struct group *g, const char *name)
{
    bool examples = !strcmp(name, "examples"), rate = !strcmp(name, "examples_per_second");
    bool left_out = (examples && g->alike) || (rate && g->held); /* the title has these figures */
    return left_out ? REPORT_IN_JSONL | REPORT_IN_CSV : 0;
}

/* Adds the columns of the group's table. In CSV and JSON lines, all further figures follow them. */
static void choose_columns(struct group *g)
{
    figures_add_column(g, (struct report_column){.name = "learner", .type = REPORT_WORD});
    for (int k = 0; k < FIGURE_COLUMNS; k++) {
        const char *name = figure_columns[k].name;
        bool ours = figure_columns[k].type == REPORT_BYTES || !strcmp(name, "examples_per_second");
        if (!ours && !is_measured(g, name)) continue;
        figures_add_column(g, (struct report_column){
                                  .name = name,
                                  .type = figure_columns[k].type,
                                  .heading = figure_columns[k].heading,
                                  .in = formats_of(g, name),
                                  .decimals = decimals_of(g, name, figure_columns[k].decimals)});
    }
    for (uint32_t row = 0; row < g->n; row++)
        for (size_t i = 0; i < g->entry[row].n; i++)
            figures_add_column(g, (struct report_column){.name = g->entry[row].name[i],
                                                         .in = REPORT_IN_JSONL | REPORT_IN_CSV});
}

/* ---- reasons for missing figures ---- */

/* Returns the reason why a figure is missing. Returns NULL if it is not missing, or if another line
 * explains it. */
static const char *why_missing(const struct entry *e, const char *name)
{
    bool any = progressive_examples(e->learner->learning.progressive) > 0;
    if (e->baseline) return NULL;
    if (!isnan(figures_figure_of(e, name))) return NULL;
    if (!strcmp(name, "model_bytes")) return "the learner does not report it";
    if (!strcmp(name, "examples_per_second"))
        return any ? "its time is too short to measure" : NULL;
    if (!strcmp(name, "error_rate") || !strcmp(name, "rmse"))
        return any ? "no error is a finite number" : "no example was measured";
    if (!any) return NULL;
    if (strstr(name, "_last")) return "there are too few examples";
    return !strcmp(name, "auc") ? "only one class was seen" : "no example was measured";
}

/* Prints "AUC is missing: only one class was seen (awm, logistic)". */
static void say_missing(const struct group *g, const struct report_column *c, FILE *to)
{
    const char *why = NULL;
    for (uint32_t row = 0; row < g->n; row++) {
        const char *w = why_missing(&g->entry[row], c->name);
        if (!w) continue;
        if (!why) fprintf(to, "%s is missing: %s (", c->heading, w);
        fprintf(to, "%s%s", why ? ", " : "", g->entry[row].learner->node->id);
        why = w;
    }
    if (why) fputs(")\n", to);
}

static void say_weighted(const struct group *g, FILE *to)
{
    const struct entry *e = g->entry;
    if (e->kind != LEAT_SCORE_NONE && progressive_is_weighted(e->learner->learning.progressive))
        fputs("The figures are weighted: an example of weight 2 counts as two\n", to);
}

static void figures_say_constant(const struct group *g, FILE *to)
{
    static const char *const what[] = {
        [LEAT_SCORE_MARGIN] = "the share of each label so far, and is wrong on the rarer one",
        [LEAT_SCORE_VALUE] = "the mean of the labels so far",
        [LEAT_SCORE_CLASS] = "the most frequent class",
        [LEAT_SCORE_DECISION] = "the more frequent label"};
    for (uint32_t row = 0; row < g->n; row++)
        if (g->entry[row].baseline == BASELINE_CONSTANT)
            fprintf(to, "constant predicts %s, without any feature\n", what[g->entry->kind]);
}

/* Explains the row of the recent labels, and names the learners that it beats. */
static void say_recent(const struct group *g, FILE *to)
{
    bool value = g->entry->kind == LEAT_SCORE_VALUE;
    const char *measure = value ? "rmse" : "error_rate";
    uint32_t row = 0, beaten = 0;
    while (row < g->n && g->entry[row].baseline != BASELINE_RECENT)
        row++;
    if (row == g->n) return;
    fprintf(to, "%s\n",
            value ? "recent mean predicts the mean of the last labels, without any feature"
                  : "no change predicts the label before, without any feature");
    double recent = figures_figure_of(&g->entry[row], measure);
    for (uint32_t i = 0; i < g->n; i++) {
        const struct entry *e = &g->entry[i];
        if (e->baseline || figures_figure_of(e, measure) < recent) continue;
        fprintf(to, "%s%s", beaten++ ? ", " : "", figures_name_of(e));
    }
    if (beaten)
        fprintf(
            to,
            " predict%s no better than %s: the order of the records says more than the features\n",
            beaten > 1 ? "" : "s", figures_name_of(&g->entry[row]));
}

static void say_worst(const struct group *g, FILE *to)
{
    enum leat_score kind = g->entry->kind;
    if (g->entry->baseline != BASELINE_CONSTANT || kind == LEAT_SCORE_VALUE || g->by_loss) return;
    if (g->entry->error == 0) return; /* all examples have the same label */
    fputs("no learner has fewer errors than the constant\n", to);
}

static void say_ranking(const struct group *g, FILE *to)
{
    const struct progressive *p = g->entry->learner->learning.progressive;
    double rare = progressive_constant_error(p);
    uint32_t learners = 0;
    for (uint32_t row = 0; row < g->n; row++)
        learners += !g->entry[row].baseline;
    if (learners < 2 || !g->by_loss) return;
    if (rare < FIGURE_RARE)
        fprintf(to,
                "ranked by log loss: only %.2g %% of the examples have the rarer label, so "
                "never predicting it gives few errors\n",
                100 * rare);
    else
        fputs("ranked by log loss: no learner has 5 % fewer errors than the constant\n", to);
}

static void figures_say_unsure(const struct group *g, FILE *to)
{
    for (uint32_t row = 0; row < g->n; row++) {
        const struct entry *e = &g->entry[row];
        double error = figures_figure_of(e, "auc_error");
        if (error > FIGURE_AUC_UNSURE)
            fprintf(to,
                    "the AUC of %s is exact to %.2g only: many of its scores are nearly equal\n",
                    figures_name_of(e), error);
    }
}

static void say_reasons(const struct group *g, FILE *to)
{
    say_weighted(g, to);
    say_ranking(g, to);
    figures_say_constant(g, to);
    say_recent(g, to);
    say_worst(g, to);
    figures_say_unsure(g, to);
    if (g->entry->kind == LEAT_SCORE_NONE)
        for (uint32_t row = 0; row < g->n; row++)
            fprintf(to, "%s predicts nothing, so it has no error\n",
                    g->entry[row].learner->node->id);
    for (uint32_t c = 0; c < g->n_columns; c++)
        if (!g->column[c].in || g->column[c].in & REPORT_IN_TABLE)
            if (g->column[c].type != REPORT_WORD) say_missing(g, &g->column[c], to);
}

/* ---- the learners ---- */

static void figures_fill(struct entry *e, const struct instance *learner, uint32_t order,
                         bool by_loss)
{
    const struct progressive *p = learner->learning.progressive;
    *e = (struct entry){.learner = learner,
                        .kind = progressive_kind(p),
                        .order = order,
                        .error = comparison_report_error(p, by_loss)};
    e->n = progressive_metrics(p, e->name, e->value, PROGRESSIVE_METRICS);
    if (e->kind == LEAT_SCORE_NONE) e->n = 1; /* the row has only the number of examples */
}

static void figures_put(struct entry *e, const char *name, double value)
{
    e->name[e->n] = name;
    e->value[e->n++] = value;
}

/* Fills the row c of the recent labels for the examples of `of`. Returns false if they predict no
 * better than the constant, whose row is `constant`. */
static bool fill_recent(struct entry *c, const struct entry *of, const struct entry *constant,
                        bool by_loss)
{
    bool value = of->kind == LEAT_SCORE_VALUE;
    const char *measure = value ? "rmse" : "error_rate";
    struct progressive_recent r = progressive_recent(of->learner->learning.progressive);
    *c = (struct entry){.learner = of->learner,
                        .baseline = BASELINE_RECENT,
                        .kind = of->kind,
                        .order = UINT32_MAX,
                        .error = (double)NAN};
    if (!(r.recent < figures_figure_of(constant, measure))) return false;
    figures_put(c, of->name[0], of->value[0]); /* the number of examples */
    figures_put(c, measure, r.recent);
    figures_put(c, value ? "rmse_last" : "error_rate_last", r.recent_last);
    if (value) figures_put(c, "mae", r.recent_absolute);
    if (value) figures_put(c, "mae_last", r.recent_absolute_last);
    if (value || !by_loss || of->kind != LEAT_SCORE_MARGIN) c->error = r.recent;
    return true;
}

/* Fills the row c of the best constant prediction for the examples of `of`. Returns false if no
 * prediction was measured. */
static bool fill_constant(struct entry *c, const struct entry *of, bool by_loss)
{
    *c = (struct entry){.learner = of->learner,
                        .baseline = BASELINE_CONSTANT,
                        .kind = of->kind,
                        .order = UINT32_MAX};
    c->name[0] = of->name[0]; /* the first figure is the number of examples */
    c->value[0] = of->value[0];
    c->n = 1;
    for (size_t k = 0; k < CONSTANT_COLUMNS; k++) {
        double v = figures_figure_of(of, constant_columns[k].name);
        if (isnan(v)) continue;
        c->name[c->n] = constant_columns[k].as;
        c->value[c->n++] = v;
    }
    double last = of->kind == LEAT_SCORE_NONE
                      ? (double)NAN
                      : progressive_recent(of->learner->learning.progressive).constant_last;
    if (c->n > 1 && !isnan(last)) figures_put(c, "error_rate_last", last);
    by_loss &= of->kind == LEAT_SCORE_MARGIN;
    c->error = figures_figure_of(c, by_loss                        ? "log_loss"
                                    : of->kind == LEAT_SCORE_VALUE ? "rmse"
                                                                   : "error_rate");
    return c->n > 1;
}

static int best_first(const void *x, const void *y)
{
    const struct entry *a = x, *b = y;
    /* kinds in descending order: learners without predictions come last */
    if (a->kind != b->kind) return a->kind < b->kind ? 1 : -1;
    if (isnan(a->error) != isnan(b->error)) return isnan(a->error) ? 1 : -1;
    if (a->error != b->error && !isnan(a->error)) return a->error < b->error ? -1 : 1;
    return a->order < b->order ? -1 : 1;
}

/* Adds rows for the baselines to each kind of learner, measured on the examples of the kind's first
 * learner. Used only for tables. */
static uint32_t add_constants(struct entry *entry, uint32_t n, bool by_loss)
{
    bool had[KINDS] = {false};
    uint32_t learners = n;
    for (uint32_t i = 0; i < learners; i++)
        if (!had[entry[i].kind] && fill_constant(&entry[n], &entry[i], by_loss)) {
            had[entry[i].kind] = true;
            n += 1 + (uint32_t)fill_recent(&entry[n + 1], &entry[i], &entry[n], by_loss);
        }
    return n;
}

/* Collects the rows for the learners of a run. The caller frees *entries. */
static uint32_t figures_collect(const struct run *r, bool constants, struct entry **entries)
{
    uint32_t n = 0;
    bool by_loss = comparison_report_by_loss(r);
    *entries = memory_take((r->graph->n_nodes + 2 * KINDS) * sizeof **entries);
    for (uint32_t i = 0; i < r->graph->n_nodes; i++) {
        const struct node *node = r->graph->order[i];
        if (!node->stage || node->stage->kind != LEAT_LEARNER) continue;
        const struct instance *learner = run_instance(r, node, 0);
        if (learner->learning.progressive) figures_fill(&(*entries)[n++], learner, i, by_loss);
    }
    if (constants) n = add_constants(*entries, n, by_loss);
    qsort(*entries, n, sizeof **entries, best_first);
    return n;
}

static struct group next_group(const struct run *r, const struct entry *entry, uint32_t n)
{
    struct group g = {.entry = entry, .alike = true};
    g.by_loss = entry->kind == LEAT_SCORE_MARGIN && comparison_report_by_loss(r);
    for (; g.n < n && entry[g.n].kind == entry->kind; g.n++) {
        g.alike &=
            figures_figure_of(&entry[g.n], "examples") == figures_figure_of(entry, "examples");
        g.held |= !isnan(figures_figure_of(&entry[g.n], "examples_held_out"));
    }
    choose_columns(&g);
    return g;
}

/* ---- printing ---- */

/* True if the run prints tables of sinks above this table. */
static bool is_below_others(const struct graph *g)
{
    for (uint32_t i = 0; i < g->n_nodes; i++) {
        const struct leat_stage *s = g->node[i].stage;
        for (uint32_t k = 0; s && k < s->n_params; k++) {
            const char *path = s->params[k].flags & LEAT_WRITES_FILE
                                   ? params_text(&s->params[k], g->node[i].cfg, 0)
                                   : NULL;
            if (path && !strcmp(path, "-")) return true;
        }
    }
    return false;
}

/* Titles of the tables, if there are several kinds of learners whose figures cannot be compared.
 * They name the predictions. They are no longer than the usual title, which just fits a line. */
static const char *const title_of_kind[KINDS] = {
    [LEAT_SCORE_NONE] = "Without predictions",     [LEAT_SCORE_MARGIN] = "Log odds, best first",
    [LEAT_SCORE_VALUE] = "Numbers, best first",    [LEAT_SCORE_CLASS] = "Classes, best first",
    [LEAT_SCORE_DECISION] = "Margins, best first",
};

static void print_group(struct report *report, const struct group *g)
{
    struct report_head head = {.n = 0};
    struct report_column examples = {
        .name = "examples", .type = REPORT_COUNT, .in = REPORT_IN_TABLE, .heading = "examples"};
    struct report_column how = {.name = "how", .type = REPORT_WORD, .in = REPORT_IN_TABLE};
    if (g->alike) report_head_add(&head, examples, report_count((uint64_t)g->entry->value[0]));
    if (g->entry->kind != LEAT_SCORE_NONE)
        report_head_add(&head, how, report_word("each predicted before it was learned"));
    report_begin(report, &head);
    report_rows(report, &(struct report_list){.column = g->column,
                                              .n_columns = g->n_columns,
                                              .n_rows = g->n,
                                              .cell = figures_cell,
                                              .of = g});
    report_end(report);
    /* the table of the next kind has a header of other columns */
    if (report->format == REPORT_CSV) report->headed = false;
}

static void figures_say(void *to, const char *text) { fprintf(to, "%s\n", text); }

static void write_sentences(const struct run *r, const struct entry *entry, uint32_t n, FILE *to)
{
    for (uint32_t i = 0; i < n;) {
        struct group g = next_group(r, entry + i, n - i);
        say_reasons(&g, to);
        i += g.n;
    }
    comparison_report_sentences(r, figures_say, to);
}

/* Prints the sentences below the table, at most WIDTH columns wide. They are wider if memory is
 * lacking. */
static void print_sentences(const struct run *r, const struct entry *entry, uint32_t n, FILE *out)
{
    char *text = NULL;
    size_t len = 0;
    FILE *lines = open_memstream(&text, &len);
    if (lines) write_sentences(r, entry, n, lines);
    bool whole = lines && fclose(lines) == 0;
    if (!whole || len) fputc('\n', out);
    if (!whole)
        write_sentences(r, entry, n, out);
    else if (len)
        wrap_lines(out, text, WIDTH);
    free(text);
}

void figures_table_print(const struct run *r, FILE *out)
{
    char buf[4096];
    struct text_out text = {.buf = buf, .cap = sizeof buf, .drain = text_to_file, .to = out};
    struct entry *entry;
    if (r->graph->options.figures == FIGURES_NONE) return;
    enum report_format format = (enum report_format)(r->graph->options.figures - FIGURES_TABLE);
    struct report report = {.out = &text,
                            .format = format,
                            .title = "Learners, best first",
                            .headed = format == REPORT_TABLE && is_below_others(r->graph)};
    uint32_t n = figures_collect(r, format == REPORT_TABLE, &entry);
    for (uint32_t i = 0; i < n;) {
        struct group g = next_group(r, entry + i, n - i);
        if (format == REPORT_TABLE && g.n < n) report.title = title_of_kind[g.entry->kind];
        print_group(&report, &g);
        i += g.n;
    }
    text_flush(&text);
    if (format == REPORT_TABLE) print_sentences(r, entry, n, out);
    free(entry);
}
