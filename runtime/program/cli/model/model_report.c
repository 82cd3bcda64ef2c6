/* model_report.c -- `leat report`: a page about summaries and snapshots; significant
 * differences. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "model.h"
#include "core/erfc.h"
#include "core/exp.h"
#include "core/odds.h"
#include "host/log/json_text.h"
#include "host/log/log.h"
#include "host/memory/memory.h"
#include "host/store/snapshot_dir.h"
#include "model_evidence.h"
#include "program/cli/command_line/command_line.h"
#include "program/page/page.h"

/* ---- significant differences of features (model_evidence.h) ---- */

static const double LEVEL = 0.05; /* probability of any false positive among a learner's features */
static const double UNLIKE = 0.02; /* largest relative error of counts in fit_labels() */
static const double EXPECTED = 5;  /* expected records; below it, errors are not normal */

/* A figure (`shown`) with its bounds, and the square of its standard error. */
struct measured {
    double shown, low, high, square;
};

static double report_cell(const struct evidence_side *s, int64_t row, const char *name)
{
    uint32_t c = answer_column(s->answer, name);
    return c < s->answer->n_columns ? s->answer->values[(size_t)row * s->answer->n_columns + c]
                                    : (double)NAN;
}

/* Returns the figure `name` of a row, with the bounds name_low and name_high. */
static struct measured bounds_of(const struct evidence_side *s, int64_t row, const char *name)
{
    char low[64], high[64];
    snprintf(low, sizeof low, "%s_low", name);
    snprintf(high, sizeof high, "%s_high", name);
    return (struct measured){report_cell(s, row, name), report_cell(s, row, low),
                             report_cell(s, row, high), 0};
}

/* ---- one of the two answers ---- */

/* Estimates the numbers P and N of records with label +1 and -1. Fits count = support_outliers P +
 * support_inliers N by least squares over all rows. The learner's number of examples cannot be
 * used, because a record may make several. If the rows do not fit, leaves s->positive as NaN. */
static void fit_labels(struct evidence_side *s)
{
    double oo = 0, oi = 0, ii = 0, co = 0, ci = 0, unlike = 0, total = 0;
    for (uint32_t r = 0; r < s->answer->n_rows; r++) {
        double c = report_cell(s, r, "count"), o = report_cell(s, r, "support_outliers"),
               i = report_cell(s, r, "support_inliers");
        oo += o * o, oi += o * i, ii += i * i, co += c * o, ci += c * i;
    }
    double p = (co * ii - ci * oi) / (oo * ii - oi * oi);
    double n = (ci * oo - co * oi) / (oo * ii - oi * oi);
    for (uint32_t r = 0; r < s->answer->n_rows; r++) {
        unlike += fabs(report_cell(s, r, "count") - report_cell(s, r, "support_outliers") * p -
                       report_cell(s, r, "support_inliers") * n);
        total += report_cell(s, r, "count");
    }
    if (!(unlike <= UNLIKE * total && p > 0 && n > 0)) return;
    s->positive = p;
    s->examples = p + n;
}

void evidence_side_init(struct evidence_side *s, const struct answer *answer, double examples)
{
    *s = (struct evidence_side){.answer = answer, .examples = examples};
    s->positive = (double)NAN;
    fit_labels(s);
    s->rarest = answer->n_rows ? (double)INFINITY : 0;
    for (uint32_t r = 0; r < answer->n_rows; r++)
        s->rarest = fmin(s->rarest, report_cell(s, r, "count_high"));
    for (uint32_t r = 0; r < answer->n_rows; r++)
        s->had_to_leave |= report_cell(s, r, "count_low") < report_cell(s, r, "count_high");
    if (s->had_to_leave) s->rarest = (double)INFINITY;
}

static bool report_has(const struct evidence_side *s, const char *name)
{
    return answer_column(s->answer, name) < s->answer->n_columns;
}

bool evidence_is_known(const struct evidence_side *s)
{
    bool by_label = report_has(s, "support_outliers") && report_has(s, "support_inliers");
    return report_has(s, "count_low") && report_has(s, "count_high") && s->examples > 0 &&
           (!by_label || !s->answer->n_rows || !isnan(s->positive));
}

/* ---- figures ---- */

static double report_log_ratio(double a, double of_a, double b, double of_b)
{
    return exp_log_all(odds_ratio_of_shares(a, b, of_a, of_b, false));
}

static struct measured report_ratio_of(const struct evidence_side *s, int64_t row)
{
    double P = s->positive, N = s->examples - P;
    struct measured a = bounds_of(s, row, "support_outliers"),
                    b = bounds_of(s, row, "support_inliers");
    double square =
        1 / (a.shown * P + 0.5) - 1 / (P + 0.5) + 1 / (b.shown * N + 0.5) - 1 / (N + 0.5);
    return (struct measured){exp_all(report_log_ratio(a.shown * P, P, b.shown * N, N)),
                             report_log_ratio(a.low * P, P, b.high * N, N),
                             report_log_ratio(a.high * P, P, b.low * N, N), square};
}

static struct measured pmi_of(const struct evidence_side *s, int64_t row)
{
    struct measured m = bounds_of(s, row, "pmi");
    m.square = 1 / report_cell(s, row, "count") + 1 / report_cell(s, row, "count_u") +
               1 / report_cell(s, row, "count_v");
    return m;
}

/* Returns a feature's share of the examples. pool() sets its error. */
static struct measured report_share_of(const struct evidence_side *s, int64_t row)
{
    struct measured m = {0, 0, s->rarest, 0};
    if (row != EVIDENCE_NONE) m = bounds_of(s, row, "count");
    return (struct measured){m.shown / s->examples, m.low / s->examples, m.high / s->examples, 0};
}

/* Sets the errors of both shares, under the hypothesis that the feature has the same share in
 * both. */
static void pool(struct measured *a, double of_a, struct measured *b, double of_b)
{
    double p = (a->shown * of_a + b->shown * of_b) / (of_a + of_b);
    a->square = p * (1 - p) / of_a;
    b->square = p * (1 - p) / of_b;
}

/* ---- the comparison ---- */

/* Returns the distance between the bounds of two figures; 0 if they overlap. */
static double gap(const struct measured *a, const struct measured *b)
{
    if (b->low > a->high) return b->low - a->high;
    if (b->high < a->low) return b->high - a->low;
    return 0;
}

/* True if a side has too few records for a normal approximation: if the feature did not matter,
 * fewer than EXPECTED of its records would have one of the labels. */
static bool few_by_label(const struct evidence_side *s, int64_t row)
{
    double n = report_cell(s, row, "count"), P = s->positive, T = s->examples;
    return fmin(n * P, n * (T - P)) < EXPECTED * T;
}

/* True if a side has too few records to compare shares, which pool() has given their errors. */
static bool few_of(const struct measured *a, double of_a, const struct measured *b, double of_b)
{
    double p = (a->shown * of_a + b->shown * of_b) / (of_a + of_b);
    return p * fmin(of_a, of_b) < EXPECTED;
}

json_t *evidence_compare(const struct evidence_side *a, int64_t row_a,
                         const struct evidence_side *b, int64_t row_b)
{
    bool both = row_a != EVIDENCE_NONE && row_b != EVIDENCE_NONE;
    bool by_label = !isnan(a->positive) && !isnan(b->positive);
    const char *measure = both && report_has(a, "pmi") ? "pmi"
                          : both && by_label           ? "ratio"
                                                       : "share";
    struct measured (*of)(const struct evidence_side *, int64_t) = *measure == 'p' ? pmi_of
                                                                   : *measure == 'r'
                                                                       ? report_ratio_of
                                                                       : report_share_of;
    struct measured x = of(a, row_a), y = of(b, row_b);
    if (of == report_share_of) pool(&x, a->examples, &y, b->examples);
    double z = gap(&x, &y) / sqrt(x.square + y.square);
    if (isnan(z)) return NULL;
    bool few = of == report_ratio_of   ? few_by_label(a, row_a) || few_by_label(b, row_b)
               : of == report_share_of ? few_of(&x, a->examples, &y, b->examples)
                                       : false;
    const char *what = row_a == EVIDENCE_NONE   ? "new"
                       : row_b == EVIDENCE_NONE ? "gone"
                       : y.shown > x.shown      ? "rose"
                       : y.shown < x.shown      ? "fell"
                                                : "same";
    return json_pack("{s:s, s:s, s:o, s:o, s:o, s:o}", "what", what, "measure", measure, "a",
                     row_a == EVIDENCE_NONE ? json_null() : json_real_or_null(x.shown), "b",
                     row_b == EVIDENCE_NONE ? json_null() : json_real_or_null(y.shown), "z",
                     json_real_or_null(z), "p",
                     json_real_or_null(few ? 1 : erfc_of(fabs(z) * M_SQRT1_2)));
}

void evidence_judge(json_t *rows)
{
    size_t i, n = json_array_size(rows);
    json_t *row;
    json_array_foreach(rows, i, row)
    {
        double p = json_number_value(json_object_get(row, "p"));
        json_object_set_new(row, "significant", json_boolean(p * (double)n <= LEVEL));
    }
}

/* ---- `leat report` ---- */

/* ---- the inputs of the page ---- */

enum { FIRST_BYTES = 64 };
enum content { CONTENT_NONE, CONTENT_JSON, CONTENT_SNAPSHOT, CONTENT_OTHER };

static const char give[] = "give the JSON of --summary, a snapshot, or the folder of --state";

static int report_refuse(const char *path, int status, const char *why, const char *cure)
{
    log_message(LEAT_ERROR, "%s: %s: %s", path, why, cure);
    return status;
}

/* Returns the type of a file's content. JSON begins with a brace, a snapshot with its magic
 * bytes. */
static enum content content_of(FILE *f)
{
    char text[FIRST_BYTES];
    size_t n = fread(text, 1, sizeof text - 1, f);
    text[n] = 0;
    if (!n) return CONTENT_NONE;
    if (snapshot_begins(text, n)) return CONTENT_SNAPSHOT;
    return text[strspn(text, " \t\r\n\xef\xbb\xbf")] == '{' ? CONTENT_JSON : CONTENT_OTHER;
}

static int load_summary(const char *path, json_t **to)
{
    json_error_t error;
    *to = json_load_file(path, JSON_ALLOW_NUL, &error);
    if (!*to)
        log_message(LEAT_ERROR, "%s: is not JSON: line %d: %s: write it again with --summary", path,
                    error.line, error.text);
    const char *fault = *to ? page_fault(*to) : NULL;
    if (fault) report_refuse(path, LEAT_EDATA, fault, give);
    return *to && !fault ? LEAT_OK : LEAT_EDATA;
}

static int load_snapshot(const char *path, const struct command_line *c, struct registry *known,
                         json_t **to)
{
    struct model m;
    int status = model_open(&m, path, c->memory, known);
    if (status == LEAT_OK) *to = model_summary(&m);
    model_close(&m);
    return status;
}

/* True if a learner could not answer the query. The page then has the reason. */
static bool lacks_answer(const json_t *summary)
{
    size_t i;
    json_t *answer;
    json_array_foreach(json_object_get(summary, "answers"), i, answer)
    {
        if (json_object_get(answer, "error")) return true;
    }
    return false;
}

/* Loads a summary, or a snapshot as a summary. `path` is a file, or a folder of snapshots. */
static int report_load(const char *path, const struct command_line *c, struct registry *known,
                       json_t **to)
{
    struct stat st;
    *to = NULL;
    if (stat(path, &st)) return report_refuse(path, LEAT_EIO, "cannot be read", strerror(errno));
    FILE *f = S_ISREG(st.st_mode) ? fopen(path, "re") : NULL;
    enum content content = f ? content_of(f) : CONTENT_SNAPSHOT;
    if (f) fclose(f);
    if (content == CONTENT_NONE) return report_refuse(path, LEAT_EDATA, "is empty", give);
    if (content == CONTENT_OTHER)
        return report_refuse(path, LEAT_EDATA, "is neither a summary nor a snapshot", give);
    return content == CONTENT_JSON ? load_summary(path, to) : load_snapshot(path, c, known, to);
}

/* Loads one of n inputs. If n > 1, adds the input's name, to tell the inputs apart. */
static int load_one_of(size_t n, const char *path, const struct command_line *c,
                       struct registry *known, json_t **to)
{
    int status = report_load(path, c, known, to);
    if (status == LEAT_OK && n > 1) json_object_set_new(*to, "shown_as", json_string(path));
    return status;
}

static const char *input_of(const struct command_line *c, size_t i)
{
    return i ? c->operand[i - 1] : c->script;
}

/* Returns the first input that does not exist; NULL if all exist. */
static const char *missing_input(const struct command_line *c)
{
    struct stat st;
    for (size_t i = 0; i <= c->n_operands; i++)
        if (stat(input_of(c, i), &st) && errno == ENOENT) return input_of(c, i);
    return NULL;
}

/* ---- the page ---- */

/* Returns the format of the page. If it is unknown, prints a message and returns PAGE_FORMATS. */
static enum page_format report_format_of(const struct command_line *c)
{
    enum page_format format =
        c->format || !strcmp(c->report, "-") ? PAGE_HTML : page_format_of(c->report);
    while (c->format && format < PAGE_FORMATS && strcmp(page_formats[format], c->format))
        format++;
    if (format == PAGE_FORMATS && c->format)
        usage_error("--format takes html or md, not ", c->format);
    else if (format == PAGE_FORMATS)
        usage_error("the name of a report must end in .html or .md, or give --format html|md: -o ",
                    c->report);
    return format;
}

static bool is_output(const struct command_line *c, const char *path)
{
    struct stat a, b;
    return !stat(path, &a) && !stat(c->report, &b) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/* True if the page would overwrite its input, or a snapshot in the input folder. */
static bool is_input(const struct command_line *c, const char *input)
{
    uint64_t checkpoint[SNAPSHOT_DIR_CHECKPOINTS];
    char name[32], path[PATH_MAX];
    bool is = is_output(c, input);
    int n = snapshot_dir_list(input, checkpoint);
    for (int i = 0; i < n && !is; i++) {
        snapshot_dir_name(checkpoint[i], name);
        snprintf(path, sizeof path, "%s/%s", input, name);
        is = is_output(c, path);
    }
    return is;
}

static int refuse_output(const struct command_line *c)
{
    for (size_t i = 0; i <= c->n_operands; i++)
        if (is_input(c, input_of(c, i)))
            return usage_error("the report would overwrite one of its inputs: -o ", c->report);
    return EXIT_DONE;
}

static int report_all(const struct command_line *c, enum page_format format, struct registry *known)
{
    size_t n = c->n_operands + 1;
    json_t **summary = memory_take(n * sizeof *summary);
    int status = LEAT_OK;
    memset(summary, 0, n * sizeof *summary);
    for (size_t i = 0; i < n && status == LEAT_OK; i++)
        status = load_one_of(n, input_of(c, i), c, known, &summary[i]);
    if (status == LEAT_OK)
        status = page_write_file(c->report, format, (const json_t *const *)summary, n);
    for (size_t i = 0; i < n; i++) {
        if (status == LEAT_OK && lacks_answer(summary[i])) status = LEAT_EDATA;
        json_decref(summary[i]);
    }
    free(summary);
    return status;
}

int command_report(const struct command_line *c)
{
    struct registry known;
    const char *missing = missing_input(c);
    if (missing) {
        report_refuse(missing, LEAT_EIO, "there is no such file", give);
        return EXIT_DATA;
    }
    if (!c->report)
        return usage_error("the output is missing: leat ",
                           "report SUMMARY.json|SNAPSHOT|DIR -o FILE.html|FILE.md");
    enum page_format format = report_format_of(c);
    if (format == PAGE_FORMATS || refuse_output(c) != EXIT_DONE) return EXIT_CONFIG;
    if (c->log_level >= 0) log_set_level(c->log_level);
    command_load_plugins(&known, c);
    int status = report_all(c, format, &known);
    registry_print_notices(&known, c->log_level >= LEAT_INFO, stderr);
    registry_free(&known);
    return status == LEAT_OK ? EXIT_DONE : status == LEAT_EARG ? EXIT_CONFIG : EXIT_DATA;
}
