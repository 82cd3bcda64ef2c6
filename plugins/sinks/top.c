/* top.c -- sink.top: the heaviest features of a learner, by name: for people, or as JSON or CSV.
 *
 * The table for people. Numbers stand in columns, right-aligned, each column with as many decimals
 * as its largest value deserves; the name stands last, so that it may be long, and is cut only
 * where a terminal would wrap it. Widths come from a first pass that formats everything and keeps
 * nothing: no memory is needed, whatever the number of rows.
 *
 * Nothing flows through this sink: it has no process(), it only asks. */
#include <math.h>
#include <stdio.h>
#include <sys/ioctl.h>

#include "support/asked.h"
#include "support/out.h"

enum format { TABLE, JSONL, CSV };
static const char *const formats[] = {"table", "jsonl", "csv", NULL};

struct cfg {
    const char *path;
    int32_t append;
    int32_t format;
    struct asked asked;
    const char *title;
};

struct top {
    struct out out;
    int reports; /* so far */
};

enum { MAX_COLUMNS = 32, CELL = 64, NARROWEST_NAME = 24 };

static const struct leat_param params[] = {
    ASKED_PARAMS(
        struct cfg, 1e6, "how many to show, heaviest first", NULL,
        "how often: a time (\"10s\") or a number of examples; by default once, at the end"),
    {.name = "format",
     .type = LEAT_CHOICE,
     .offset = offsetof(struct cfg, format),
     .choices = formats,
     .def = "table",
     .doc = "table: for people; jsonl: one object a report; csv: one line a feature"},
    {.name = "title",
     .type = LEAT_STRING,
     .offset = offsetof(struct cfg, title),
     .def = "Heaviest features",
     .doc = "what stands above the table"},
    OUT_PARAMS(struct cfg),
};

static int validate(const void *config, struct leat_diag *d)
{
    const struct cfg *cfg = config;
    out_validate(cfg->path, d);
    asked_validate(&cfg->asked, d);
    return LEAT_OK;
}

static int plan(const void *config, const struct leat_schema *in, const struct leat_schema *out,
                struct leat_plan *p)
{
    (void)config;
    (void)in;
    (void)out;
    p->work_bytes = OUT_BUFFER;
    return LEAT_OK;
}

static int ask(const void *config, struct leat_ask *a)
{
    return asked_top(&((const struct cfg *)config)->asked, a);
}

static int open_top(struct leat_ctx *ctx, void *self)
{
    const struct cfg *cfg = ctx->cfg;
    struct top *st = self;
    return out_open(ctx, &st->out, cfg->path, cfg->append);
}

/* ---- numbers for people ---- */

struct style {
    int whole;    /* integers, in groups of three                    */
    int percent;  /* a share, times 100                              */
    int decimals; /* otherwise; -1: too large or small, with exponent */
    size_t width; /* of the heading and of every cell                */
};

static int is_share(const char *column) { return !strncmp(column, "support", 7); }

/* Four significant digits for the largest value. */
static int decimals_for(double largest)
{
    if (largest == 0.0) return 0;
    if (largest >= 1e9 || largest < 1e-5) return -1;
    int d = 3 - (int)floor(log10(largest));
    return d < 1 ? 1 : d;
}

static size_t format_whole(char *out, double v)
{
    size_t n = 0;
    if (v < 0.0) out[n++] = '-';
    return n + text_format_grouped(out + n, (uint64_t)fabs(v));
}

static size_t format_cell(char *out, const struct style *c, double v)
{
    int n;
    if (isnan(v))
        n = snprintf(out, CELL, "-");
    else if (isinf(v))
        n = snprintf(out, CELL, "%s", v > 0.0 ? "inf" : "-inf");
    else if (c->percent)
        n = snprintf(out, CELL, "%.*f %%", c->decimals < 0 ? 1 : c->decimals, 100.0 * v);
    else if (c->whole)
        return format_whole(out, v);
    else if (c->decimals < 0)
        n = snprintf(out, CELL, "%.3e", v);
    else
        n = snprintf(out, CELL, "%.*f", c->decimals, v);
    return n < 0 ? 0 : n < CELL ? (size_t)n : CELL - 1;
}

static double value_at(const struct leat_table *t, uint32_t row, uint32_t column)
{
    return t->values[(size_t)row * t->n_columns + column];
}

static struct style style_of(const struct leat_table *t, uint32_t column)
{
    struct style c = {.whole = 1, .percent = is_share(t->columns[column])};
    double largest = 0.0;
    for (uint32_t r = 0; r < t->n_rows; r++) {
        double v = value_at(t, r, column);
        if (!isfinite(v)) continue;
        largest = fmax(largest, fabs(v));
        c.whole &= floor(v) == v && fabs(v) < 1e15;
    }
    /* of shares, 12.3 % and .0123 % */
    c.decimals = c.percent ? decimals_for(100.0 * largest) - 1 : decimals_for(largest);
    if (c.percent && c.decimals < 1) c.decimals = 1;
    c.width = strlen(t->columns[column]);
    for (uint32_t r = 0; r < t->n_rows; r++) {
        char cell[CELL];
        size_t n = format_cell(cell, &c, value_at(t, r, column));
        if (n > c.width) c.width = n;
    }
    return c;
}

/* ---- the table ---- */

static void put_right(struct text_out *o, const char *s, size_t n, size_t width)
{
    text_pad(o, width > n ? width - n : 0);
    text_bytes(o, s, n);
}

/* "relative_risk" -> "relative risk" */
static void put_heading(struct text_out *o, const char *name, size_t width)
{
    size_t n = strlen(name);
    text_pad(o, width > n ? width - n : 0);
    for (size_t i = 0; i < n; i++)
        text_char(o, name[i] == '_' ? ' ' : name[i]);
}

/* What is left of a terminal's line for names; 0: all they need. */
static size_t name_width(const struct out *o, size_t taken)
{
    struct winsize w;
    if (!isatty(o->fd) || ioctl(o->fd, TIOCGWINSZ, &w) || !w.ws_col) return 0;
    return w.ws_col > taken + NARROWEST_NAME ? w.ws_col - taken : NARROWEST_NAME;
}

/* Heaviest features (model, 36,000 examples, 1.2 s) */
static void put_title(const struct cfg *cfg, struct text_out *o, const struct leat_table *t)
{
    char text[TEXT_NUMBER];
    text_shown(o, cfg->title, strlen(cfg->title), 0);
    text_str(o, " (");
    text_str(o, t->learner);
    text_str(o, ", ");
    text_bytes(o, text, text_format_grouped(text, t->examples));
    text_str(o, t->examples == 1 ? " example" : " examples");
    if (!t->last) { /* left out at the end, so that equal runs write equal bytes */
        int n = snprintf(text, sizeof text, ", %.1f s", t->seconds);
        if (n > 0 && (size_t)n < sizeof text) text_bytes(o, text, (size_t)n);
    }
    text_char(o, ')');
}

static void put_headings(struct text_out *o, const struct leat_table *t, const struct style *c,
                         uint32_t n, size_t rank_width)
{
    put_right(o, "#", 1, rank_width);
    for (uint32_t i = 0; i < n; i++) {
        text_pad(o, 2);
        put_heading(o, t->columns[i], c[i].width);
    }
    text_str(o, "  feature");
}

static void put_row(struct text_out *o, const struct leat_table *t, uint32_t r,
                    const struct style *c, uint32_t n, size_t rank_width, size_t name_columns)
{
    char cell[CELL];
    put_right(o, cell, text_format_grouped(cell, r + 1), rank_width);
    for (uint32_t i = 0; i < n; i++) {
        text_pad(o, 2);
        put_right(o, cell, format_cell(cell, &c[i], value_at(t, r, i)), c[i].width);
    }
    text_pad(o, 2);
    text_shown(o, t->names[r], t->name_len[r], name_columns);
}

static int show_table(struct leat_ctx *ctx, struct top *st, const struct leat_table *t)
{
    struct out *out = &st->out;
    struct text_out *o = &out->text;
    struct style c[MAX_COLUMNS];
    char last[TEXT_NUMBER];
    uint32_t n = t->n_columns < MAX_COLUMNS ? t->n_columns : MAX_COLUMNS;
    size_t rank_width = text_format_grouped(last, t->n_rows), taken = rank_width + 2;
    for (uint32_t i = 0; i < n; i++) {
        c[i] = style_of(t, i);
        taken += c[i].width + 2;
    }
    if (st->reports) text_char(o, '\n');
    put_title(ctx->cfg, o, t);
    out_line(ctx, out);
    if (!t->n_rows) {
        text_str(o, "none yet");
        return out_line(ctx, out);
    }
    put_headings(o, t, c, n, rank_width);
    out_line(ctx, out);
    size_t name_columns = name_width(out, taken);
    for (uint32_t r = 0; r < t->n_rows; r++) {
        put_row(o, t, r, c, n, rank_width, name_columns);
        int s = out_line(ctx, out);
        if (s < 0) return s;
    }
    return LEAT_OK;
}

/* ---- for programs ---- */

static int show_jsonl(struct leat_ctx *ctx, struct top *st, const struct leat_table *t)
{
    struct text_out *o = &st->out.text;
    out_json_head(o, t);
    text_str(o, t->last ? ",\"last\":true,\"top\":[" : ",\"last\":false,\"top\":[");
    for (uint32_t r = 0; r < t->n_rows; r++) {
        text_str(o, r ? ",{\"feature\":" : "{\"feature\":");
        text_json(o, t->names[r], t->name_len[r]);
        for (uint32_t i = 0; i < t->n_columns; i++) {
            text_char(o, ',');
            text_json(o, t->columns[i], strlen(t->columns[i]));
            text_char(o, ':');
            text_json_double(o, value_at(t, r, i));
        }
        text_char(o, '}');
    }
    text_str(o, "]}");
    return out_line(ctx, &st->out);
}

static int csv_heading(struct leat_ctx *ctx, struct top *st, const struct leat_table *t)
{
    struct text_out *o = &st->out.text;
    text_str(o, "learner,examples,rank,feature");
    for (uint32_t i = 0; i < t->n_columns; i++) {
        text_char(o, ',');
        text_csv(o, t->columns[i], strlen(t->columns[i]), ',');
    }
    return out_line(ctx, &st->out);
}

/* No time here: it would make the files of equal runs differ. */
static int show_csv(struct leat_ctx *ctx, struct top *st, const struct leat_table *t)
{
    struct text_out *o = &st->out.text;
    if (st->out.fresh && !st->reports) csv_heading(ctx, st, t);
    for (uint32_t r = 0; r < t->n_rows; r++) {
        text_csv(o, t->learner, strlen(t->learner), ',');
        text_char(o, ',');
        text_uint(o, t->examples);
        text_char(o, ',');
        text_uint(o, r + 1);
        text_char(o, ',');
        text_csv(o, t->names[r], t->name_len[r], ',');
        for (uint32_t i = 0; i < t->n_columns; i++) {
            text_char(o, ',');
            if (!isnan(value_at(t, r, i))) text_double(o, value_at(t, r, i));
        }
        int s = out_line(ctx, &st->out);
        if (s < 0) return s;
    }
    return LEAT_OK;
}

static int show(struct leat_ctx *ctx, void *self, const struct leat_table *t)
{
    const struct cfg *cfg = ctx->cfg;
    struct top *st = self;
    int s = cfg->format == TABLE   ? show_table(ctx, st, t)
            : cfg->format == JSONL ? show_jsonl(ctx, st, t)
                                   : show_csv(ctx, st, t);
    st->reports = 1;
    return s < 0 ? s : out_flush(ctx, &st->out);
}

static void close_top(struct leat_ctx *ctx, void *self)
{
    out_close(ctx, &((struct top *)self)->out);
}

const struct leat_stage sink_top = {
    .name = "sink.top",
    .summary = "shows the heaviest features of a learner by name",
    .doc =
        "Asks a learner for its k heaviest features, once at the end or every so often, and "
        "writes each answer as a table, a JSON object or CSV lines.\n"
        "  table  columns whose name begins with `support` are shares and shown in per cent; - is "
        "no value. Names are cut only to fit a terminal; control characters show as ?\n"
        "  jsonl  {\"learner\", \"examples\", \"last\", \"top\": [{\"feature\", "
        "\"weight\", …}]}\n"
        "  csv    learner, examples, rank, feature and the learner's columns, with a heading\n"
        "min_support, min_risk_ratio and min_odds_gain are conditions in the sense of MacroBase "
        "(Bailis et al.: MacroBase: Prioritizing Attention in Fast Data, SIGMOD 2017); what they "
        "leave out makes room for the next features. min_odds_gain = 1.1 shows a conjunction only when "
        "its odds, e^|weight|, are more than 1.1 times those of each of its parts (of three "
        "attributes: each pair of them, too) that the learner keeps and whose weight has the same "
        "sign; learn.awm with evidence = \"counts\" compares its cautious weights. Learners that "
        "do not count features know no support and risk; some do not know "
        "the parts of names and show all.\n"
        "Asking costs the learner O(k log k) between two batches, with these conditions O(n log "
        "n) for the n features it keeps.",
    .example = "leat.sink.top { k = 20, every = \"10s\", title = \"What explains the outliers\" }",
    .kind = LEAT_SINK,
    LEAT_PARAMS(params),
    .cfg_size = sizeof(struct cfg),
    .instance_size = sizeof(struct top),
    .validate = validate,
    .plan = plan,
    .ask = ask,
    .open = open_top,
    .close = close_top,
    .start = out_start_call,
    .stop = out_stop,
    .barrier = out_barrier,
    .show = show,
    OUT_STATE,
};
