/* profile.c -- sink.profile: a summary of each column of the records.
 *
 * kernels/summaries/column_profile.h has the sketch of a column, report/report.h the format of the
 * report. */
#include <stdio.h>

#include "core/pow10.h"
#include "core/text/utf8.h"
#include "kernels/base/layout.h"
#include "kernels/summaries/column_profile.h"
#include "kernels/text/time_text.h"
#include "sinks/docs.h"
#include "common/cells/cell.h"
#include "common/cells/columns.h"
#include "common/output/reports.h"

enum { DISTINCT_BYTES = 32 };
enum { FREQUENT = 3, FREQUENT_BYTES = FREQUENT * (PROFILE_TEXT + 32) };

struct sink_profile_cfg {
    struct out_cfg out;
    struct leat_strings columns;
    struct leat_strings commands;
};

/* Formats of times. A column whose texts all have one of these formats contains times, not
 * numbers. */
static const char *const time_formats[] = {"iso8601", "clf", "syslog"};
enum { TIME_FORMATS = sizeof time_formats / sizeof *time_formats };

struct column_kinds {
    uint64_t times[TIME_FORMATS]; /* texts in each format; not counted after a text without it */
    uint64_t padded;              /* texts such as 01235: ids, because numbers have no leading 0 */
};

struct profile {
    struct reports reports;
    struct columns columns;
    struct column_profile *of;  /* sketches of the columns */
    struct column_kinds *kinds; /* types of the columns' texts */
    struct time_reader reader[TIME_FORMATS];
    char (*distinct)[DISTINCT_BYTES]; /* texts for the report, one for each column */
    struct frequent_text {
        size_t n;
        char text[FREQUENT_BYTES];
    } * frequent; /* texts for the report, one for each column */
    uint64_t records;
    void *block;
};

static const struct leat_param params[] = {
    LEAT_PARAM(struct sink_profile_cfg, columns, LEAT_STRINGS, .flags = LEAT_POSITIONAL,
               .doc = "which columns, in this order; by default all"),
    LEAT_PARAM(struct sink_profile_cfg, commands, LEAT_STRINGS,
               .doc = "jsonl: commands to write after the columns: what a reader may run next"),
    REPORT_PARAM("table", "table: for people; jsonl: one object; csv: one line a column"),
    OUT_PARAMS,
};

/* Accepted types of columns. Booleans and times are read as text. */
enum { TAKES = LEAT_TAKES_TEXT | LEAT_TAKES_BYTES | LEAT_TAKES_NUMBER | LEAT_TAKES_INT64 };

static int sink_profile_negotiate(const void *config, struct leat_negotiation *n)
{
    const struct sink_profile_cfg *cfg = config;
    return columns_ask(n, "columns", &cfg->columns, true, TAKES);
}

static size_t sink_profile_lay_out(struct profile *st, uint32_t n, void *base)
{
    struct layout c = {base, 0};
    st->of = layout_take(&c, n, sizeof *st->of);
    st->kinds = layout_take(&c, n, sizeof *st->kinds);
    st->distinct = layout_take(&c, n, sizeof *st->distinct);
    st->frequent = layout_take(&c, n, sizeof *st->frequent);
    return c.used;
}

static int sink_profile_plan(const void *config, const struct leat_schema *in,
                             const struct leat_schema *out, struct leat_plan *p)
{
    const struct sink_profile_cfg *cfg = config;
    struct profile st;
    int status = out_plan(config, in, out, p);
    p->state_bytes +=
        sink_profile_lay_out(&st, cfg->columns.n ? cfg->columns.n : in->n_columns, NULL);
    p->work_bytes += in->n_columns * sizeof(uint32_t);
    return status;
}

static void close_profile(struct leat_ctx *ctx, void *self)
{
    struct profile *st = self;
    out_close(ctx, self);
    columns_close(ctx, &st->columns);
    ctx->host->free(ctx, st->block);
}

static int open_profile(struct leat_ctx *ctx, void *self)
{
    const struct sink_profile_cfg *cfg = ctx->cfg;
    struct profile *st = self;
    int status = columns_open(ctx, &st->columns, &cfg->columns, true, TAKES);
    if (status < 0) return status;
    if ((status = out_open(ctx, self)) < 0) {
        columns_close(ctx, &st->columns);
        return status;
    }
    st->block = ctx->host->alloc(ctx, sink_profile_lay_out(st, st->columns.n, NULL));
    if (!st->block) {
        close_profile(ctx, self);
        return ctx->host->fail(ctx, LEAT_ENOMEM, "there is not enough memory for %u columns",
                               st->columns.n);
    }
    sink_profile_lay_out(st, st->columns.n, st->block);
    for (uint32_t i = 0; i < TIME_FORMATS; i++) {
        char why[TIME_WHY];
        time_format_read(&st->reader[i].format, time_formats[i], why);
    }
    return LEAT_OK;
}

static int sink_profile_start(struct leat_ctx *ctx, void *self)
{
    return reports_start(ctx, self, "Columns");
}

/* ---- records ---- */

static bool is_padded(const char *text, const char *end)
{
    if (end - text < 2 || *text != '0') return false;
    while (text < end && *text >= '0' && *text <= '9')
        text++;
    return text == end;
}

/* Adds a text to the counts of time formats in column i. `before` is the number of the column's
 * earlier texts. Tries only formats that all of these have. */
static void sink_profile_add_times(struct profile *st, uint32_t i, uint64_t before,
                                   const char *text, size_t n)
{
    /* Approximate time for formats without a year (syslog). It is in a leap year, so that Feb 29 is
     * valid. */
    static const int64_t near = INT64_C(1704067200000000000);
    struct column_kinds *k = &st->kinds[i];
    int64_t ns;
    for (uint32_t f = 0; f < TIME_FORMATS; f++)
        if (k->times[f] == before && !time_read(&st->reader[f], text, n, near, &ns)) k->times[f]++;
}

static void sink_profile_add_text(struct profile *st, uint32_t i, const char *text, size_t len)
{
    struct column_profile *p = &st->of[i];
    const char *end = text + len;
    double x = (double)NAN;
    if (!cell_trim(&text, &end)) return;
    bool number =
        cell_decimal(st->columns.column + st->columns.index[i], text, end, &x) == DECIMAL_OK;
    st->kinds[i].padded += number && is_padded(text, end);
    sink_profile_add_times(st, i, p->texts, text, (size_t)(end - text));
    column_profile_add(p, text, (size_t)(end - text), number ? x : (double)NAN);
}

static void sink_profile_add_number(struct column_profile *p, double x)
{
    char text[TEXT_NUMBER];
    if (isnan(x)) return;
    column_profile_add(p, text, text_format_double(text, x), isfinite(x) ? x : (double)NAN);
}

static void add_int64(struct column_profile *p, int64_t x)
{
    char text[TEXT_NUMBER];
    if (x == LEAT_NO_INT64) return;
    column_profile_add(p, text, text_format_int(text, x), (double)x);
}

static int sink_profile_process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    struct profile *st = self;
    (void)ctx;
    for (uint32_t i = 0; i < st->columns.n; i++) {
        uint32_t c = st->columns.index[i], type = st->columns.column[c].type;
        for (LEAT_EACH_RECORD(b, r)) {
            if (type == LEAT_NUMBER)
                sink_profile_add_number(&st->of[i], b->column[c].number[r]);
            else if (type == LEAT_INT64)
                add_int64(&st->of[i], b->column[c].int64[r]);
            else if (b->column[c].text[r].len != LEAT_NULL)
                sink_profile_add_text(st, i, leat_text(b, b->column[c].text[r]),
                                      b->column[c].text[r].len);
        }
    }
    st->records += b->n_sel;
    return LEAT_OK;
}

/* ---- the report ---- */

enum {
    COLUMN,
    TYPE,
    EMPTY,
    DISTINCT,
    DISTINCT_TEXT,
    EXACT,
    LOW,
    HIGH,
    LONGEST,
    FREQUENT_TEXTS,
    COLUMNS
};

static const struct report_column shown[COLUMNS] = {
    [COLUMN] = {.name = "column", .type = REPORT_WORD},
    [TYPE] = {.name = "type", .type = REPORT_WORD},
    [EMPTY] = {.name = "empty", .type = REPORT_SHARE, .drop = 2},
    [DISTINCT] = {.name = "distinct", .type = REPORT_COUNT, .in = REPORT_IN_JSONL | REPORT_IN_CSV},
    [DISTINCT_TEXT] = {.name = "distinct", .type = REPORT_WORD, .in = REPORT_IN_TABLE},
    [EXACT] = {.name = "distinct_exact",
               .type = REPORT_FLAG,
               .in = REPORT_IN_JSONL | REPORT_IN_CSV},
    [LOW] = {.name = "low", .type = REPORT_FIGURE},
    [HIGH] = {.name = "high", .type = REPORT_FIGURE},
    [LONGEST] = {.name = "longest", .type = REPORT_COUNT, .drop = 1},
    [FREQUENT_TEXTS] = {.name = "frequent", .type = REPORT_NAME}};

static const char *sink_profile_type_of(const struct profile *st, uint32_t i)
{
    const struct column_profile *p = &st->of[i];
    if (!p->texts) return "empty";
    if (st->kinds[i].padded) return "text";
    if (p->numbers == p->texts) return "number";
    for (uint32_t f = 0; f < TIME_FORMATS; f++)
        if (st->kinds[i].times[f] == p->texts) return "time";
    return 2 * p->numbers < p->texts ? "text" : "mixed";
}

/* Rounds n to two digits, the precision of the estimate. The result is at most `all`. */
static uint64_t sink_profile_rounded(double n, uint64_t all)
{
    double unit = pow10_of(pow10_exponent(fmax(n, 10)) - 1);
    return (uint64_t)fmin(floor(n / unit + 0.5) * unit, (double)all);
}

/* Writes the number of distinct texts. The estimate has a standard error of 3.3 %. If it is close
 * to the number of texts, writes "nearly all". */
static void write_distinct(const struct column_profile *p, char *out)
{
    char count[TEXT_NUMBER];
    double n = column_profile_distinct(p);
    if (column_profile_is_exact(p)) {
        count[text_format_grouped(count, (uint64_t)n)] = 0;
        snprintf(out, DISTINCT_BYTES, "%s", count);
        return;
    }
    count[text_format_grouped(count, sink_profile_rounded(n, p->texts))] = 0;
    if (n > 0.95 * (double)p->texts)
        snprintf(out, DISTINCT_BYTES, "nearly all");
    else
        snprintf(out, DISTINCT_BYTES, "about %.25s", count);
}

/* Returns the number of bytes of a text that the report shows, at most PROFILE_TEXT. Does not cut a
 * character. Sets *more to "…" if the text is longer. */
static size_t sink_profile_beginning(const struct profile_text *t, const char **more)
{
    size_t n = t->len < PROFILE_TEXT ? t->len : PROFILE_TEXT, at = 0, len;
    *more = t->len > PROFILE_TEXT ? "…" : "";
    while (at < n && (len = utf8_length((const unsigned char *)t->text + at, n - at)))
        at += len;
    /* Text that is not UTF-8 may be cut anywhere. */
    return n - at < 4 && t->len > PROFILE_TEXT ? at : n;
}

/* True if the i-th of n ranked texts surely comes as often as each text after it, and as each that
 * is not kept: such a text has at most the smallest count. */
static bool sink_profile_is_next(const struct profile_text *const *ranked, uint32_t i, uint32_t n)
{
    for (uint32_t k = i + 1; k < n; k++)
        if (ranked[k]->count > ranked[i]->count - ranked[i]->excess) return false;
    return true;
}

/* Writes the share of the records that have a text, or its lower bound: "3.9 %", "at least 3 %". */
static int sink_profile_share(const struct profile *st, const struct profile_text *t, char *at)
{
    double all = (double)st->records;
    char least[TEXT_NUMBER], most[TEXT_NUMBER];
    snprintf(least, sizeof least, "%.3g", 100 * (double)(t->count - t->excess) / all);
    snprintf(most, sizeof most, "%.3g", 100 * (double)t->count / all);
    return sprintf(at, " %s%s %%", strcmp(least, most) ? "at least " : "", least);
}

/* Writes the most frequent texts of a column, which may have zero bytes. Ends before a text that
 * another one may exceed. */
static void write_frequent(const struct profile *st, const struct column_profile *p,
                           struct frequent_text *out)
{
    const struct profile_text *ranked[PROFILE_KEPT];
    uint32_t n = column_profile_rank(p, ranked);
    char *at = out->text;
    for (uint32_t i = 0; i < n && i < FREQUENT; i++) {
        const char *more;
        uint64_t times = ranked[i]->count - ranked[i]->excess;
        double share = (double)times / (double)st->records;
        size_t len = sink_profile_beginning(ranked[i], &more);
        bool frequent = times > 1 && share >= 0.005 && sink_profile_is_next(ranked, i, n);
        if (i && !frequent) break;
        at += sprintf(at, "%s", !frequent ? "such as " : i ? ", " : "");
        at = mempcpy(at, ranked[i]->text, len);
        at += sprintf(at, "%s", more);
        if (frequent) at += sink_profile_share(st, ranked[i], at);
        if (!frequent) break;
    }
    out->n = (size_t)(at - out->text);
}

static struct report_value sink_profile_cell(const void *of, uint32_t row, uint32_t column)
{
    const struct profile *st = of;
    const struct column_profile *p = &st->of[row];
    bool numbers = p->numbers && !st->kinds[row].padded;
    switch (column) {
    case COLUMN:
        return report_word(st->columns.column[st->columns.index[row]].name);
    case TYPE:
        return report_word(sink_profile_type_of(st, row));
    case EMPTY:
        return report_number(st->records ? 1 - (double)p->texts / (double)st->records
                                         : (double)NAN);
    case DISTINCT:
        return report_count(column_profile_is_exact(p)
                                ? (uint64_t)column_profile_distinct(p)
                                : sink_profile_rounded(column_profile_distinct(p), p->texts));
    case DISTINCT_TEXT:
        return report_word(st->distinct[row]);
    case EXACT:
        return report_count(column_profile_is_exact(p));
    case LOW:
        return report_number(numbers ? p->low : (double)NAN);
    case HIGH:
        return report_number(numbers ? p->high : (double)NAN);
    case LONGEST:
        return report_count(p->longest);
    default:
        return report_text(st->frequent[row].text, st->frequent[row].n);
    }
}

static const struct report_column sink_profile_command[] = {
    {.name = "command", .type = REPORT_NAME}};

static struct report_value sink_profile_command_cell(const void *of, uint32_t row, uint32_t column)
{
    const struct sink_profile_cfg *cfg = of;
    (void)column;
    return report_word(cfg->commands.v[row]);
}

/* Writes the commands of the parameter, to JSON alone. */
static void sink_profile_write_commands(struct report *r, const struct sink_profile_cfg *cfg)
{
    if (cfg->commands.n == 0) return;
    report_rows(r, &(struct report_list){.name = "commands",
                                         .in = REPORT_IN_JSONL,
                                         .column = sink_profile_command,
                                         .n_columns = 1,
                                         .n_rows = cfg->commands.n,
                                         .cell = sink_profile_command_cell,
                                         .of = cfg});
}

static int sink_profile_stop(struct leat_ctx *ctx, void *self)
{
    struct profile *st = self;
    struct report_head head = {.n = 0};
    reports_head_count(&head, 0, "records", "records", st->records);
    for (uint32_t i = 0; i < st->columns.n; i++) {
        write_distinct(&st->of[i], st->distinct[i]);
        write_frequent(st, &st->of[i], &st->frequent[i]);
    }
    report_begin(&st->reports.report, &head);
    report_rows(&st->reports.report, &(struct report_list){.name = "columns",
                                                           .column = shown,
                                                           .n_columns = COLUMNS,
                                                           .n_rows = st->columns.n,
                                                           .cell = sink_profile_cell,
                                                           .of = st});
    sink_profile_write_commands(&st->reports.report, ctx->cfg);
    report_end(&st->reports.report);
    return out_stop(ctx, self);
}

const struct leat_stage sink_profile = {
    .name = "sink.profile",
    .summary = "says what each column holds: types, ranges, distinct and frequent values",
    .doc = profile_doc,
    .example = "leat.sink.profile { \"carrier\", \"dep_delay\" }",
    .kind = LEAT_SINK,
    .caps = LEAT_STATEFUL,
    .needs = LEAT_HAS_COLUMNS,
    LEAT_PARAMS(params, struct sink_profile_cfg),
    LEAT_INSTANCE(struct profile, open_profile, close_profile),
    .validate = out_validate,
    .negotiate = sink_profile_negotiate,
    .plan = sink_profile_plan,
    .start = sink_profile_start,
    .process = sink_profile_process,
    .stop = sink_profile_stop,
};
