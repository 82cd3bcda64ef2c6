/* pmi.c -- eval.pmi: how good are the pointwise mutual informations that a learner found?
 *
 * It counts every token and every pair of the text by itself, from the column and not from the
 * examples, so that it is an independent judge. Its tables grow with the number of distinct pairs:
 * this is the memory that the learner saves, and the reason to leave the sink out of a pipeline
 * that has to run for long.
 *
 * Counts are found by id; the ids are those that feature.tokens and feature.pairs give. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "support/out.h"
#include "kernels/base/feature_id.h"
#include "kernels/text/tokens.h"

enum format { TABLE, JSONL, CSV };
static const char *const formats[] = {"table", "jsonl", "csv", NULL};
static const char *const rules[] = {"whitespace", "words", NULL};

struct cfg {
    const char *path;
    int32_t append, format, rule, lower, ordered;
    int64_t k, top, window, max_tokens, max_bytes;
    const char *of, *column;
};

/* How often each id came: open addressing, at most half full. */
struct counts {
    uint64_t *id; /* 0: free; the id 0 is counted as 1 */
    uint32_t *n;
    uint64_t room, used, total; /* room is a power of two */
};

struct pair {
    const char *name;
    uint32_t len;
    double estimate, exact; /* exact is NaN for a pair that never came */
    uint32_t n, of[2];
};

struct pmi {
    struct out out;
    struct tokens_options opt;
    uint32_t column, window;
    struct counts tokens, pairs;
    uint64_t *row;     /* max_tokens: parts of the record's tokens */
    char *form;        /* max_bytes                                */
    struct pair *pair; /* top                                      */
    double *scratch;   /* top                                      */
};

static const struct leat_param params[] = {
    {.name = "k",
     .type = LEAT_INT,
     .flags = LEAT_POSITIONAL,
     .offset = offsetof(struct cfg, k),
     .def = "20",
     .min = 1,
     .max = 1e6,
     .unit = "pairs",
     .doc = "how many to list, largest estimate first"},
    {.name = "top",
     .type = LEAT_INT,
     .offset = offsetof(struct cfg, top),
     .def = "1024",
     .min = 1,
     .max = 1e6,
     .unit = "pairs",
     .doc = "how many to ask of the learner and to judge"},
    {.name = "of",
     .type = LEAT_STRING,
     .offset = offsetof(struct cfg, of),
     .doc = "id of the learner; by default the nearest one upstream"},
    {.name = "column",
     .type = LEAT_STRING,
     .offset = offsetof(struct cfg, column),
     .def = "text",
     .doc = "the column with the text"},
    {.name = "rule",
     .type = LEAT_CHOICE,
     .offset = offsetof(struct cfg, rule),
     .def = "whitespace",
     .choices = rules,
     .doc = "as in feature.tokens"},
    {.name = "lower",
     .type = LEAT_BOOL,
     .offset = offsetof(struct cfg, lower),
     .def = "false",
     .doc = "as in feature.tokens"},
    {.name = "window",
     .type = LEAT_INT,
     .offset = offsetof(struct cfg, window),
     .def = "6",
     .min = 2,
     .max = 64,
     .unit = "tokens",
     .doc = "as in feature.pairs"},
    {.name = "ordered",
     .type = LEAT_BOOL,
     .offset = offsetof(struct cfg, ordered),
     .def = "false",
     .doc = "as in feature.pairs"},
    {.name = "max_tokens",
     .type = LEAT_INT,
     .offset = offsetof(struct cfg, max_tokens),
     .def = "256",
     .min = 2,
     .max = 65536,
     .unit = "tokens",
     .doc = "as in feature.pairs"},
    {.name = "max_bytes",
     .type = LEAT_INT,
     .flags = LEAT_ADVANCED,
     .offset = offsetof(struct cfg, max_bytes),
     .def = "64",
     .min = TOKENS_MIN_BYTES,
     .max = 1024,
     .unit = "bytes",
     .doc = "as in feature.tokens"},
    {.name = "format",
     .type = LEAT_CHOICE,
     .offset = offsetof(struct cfg, format),
     .choices = formats,
     .def = "table",
     .doc = "table: for people; jsonl: one object; csv: a line for every pair judged"},
    OUT_PARAMS(struct cfg),
};

static int validate(const void *config, struct leat_diag *d)
{
    out_validate(((const struct cfg *)config)->path, d);
    return LEAT_OK;
}

static int negotiate(const void *config, struct leat_negotiation *n)
{
    const struct cfg *cfg = config;
    uint32_t column;
    int s = n->column(n, "column", cfg->column, &column);
    if (s == LEAT_OK && n->in->column[column].type != LEAT_TEXT) {
        n->diag->error(n->diag, "column", "column '%s' holds numbers, not text", cfg->column);
        return LEAT_EARG;
    }
    return s;
}

static size_t work_bytes(const struct cfg *cfg)
{
    return (size_t)cfg->max_tokens * sizeof(uint64_t) + (size_t)cfg->max_bytes +
           (size_t)cfg->top * (sizeof(struct pair) + sizeof(double));
}

static int plan(const void *config, const struct leat_schema *in, const struct leat_schema *out,
                struct leat_plan *p)
{
    (void)in;
    (void)out;
    p->work_bytes = OUT_BUFFER + work_bytes(config);
    snprintf(p->note, sizeof p->note,
             "and exact counts: they grow, 24 to 72 bytes for every distinct token and pair");
    return LEAT_OK;
}

static int ask(const void *config, struct leat_ask *a)
{
    const struct cfg *cfg = config;
    a->kind = LEAT_QUERY_TOP;
    a->of = cfg->of;
    a->k = (uint32_t)cfg->top;
    return LEAT_OK;
}

/* ---- counting ---- */

/* The place of an id, or of the free cell where it belongs. */
static uint64_t place(const struct counts *c, uint64_t id)
{
    uint64_t i = id & (c->room - 1); /* ids are hashes */
    while (c->id[i] && c->id[i] != id)
        i = (i + 1) & (c->room - 1);
    return i;
}

static int counts_resize(struct leat_ctx *ctx, struct counts *c, uint64_t room)
{
    const struct leat_host *h = ctx->host;
    struct counts old = *c;
    c->id = h->alloc(ctx, room * sizeof *c->id);
    c->n = h->alloc(ctx, room * sizeof *c->n);
    if (!c->id || !c->n) {
        h->free(ctx, c->id);
        h->free(ctx, c->n);
        *c = old;
        return h->fail(ctx, LEAT_ENOMEM, "no memory for exact counts of %llu tokens or pairs",
                       (unsigned long long)room / 2);
    }
    c->room = room;
    for (uint64_t i = 0; i < old.room; i++) {
        if (!old.id[i]) continue;
        uint64_t to = place(c, old.id[i]);
        c->id[to] = old.id[i];
        c->n[to] = old.n[i];
    }
    h->free(ctx, old.id);
    h->free(ctx, old.n);
    return LEAT_OK;
}

static int count(struct leat_ctx *ctx, struct counts *c, uint64_t id)
{
    if (2 * c->used >= c->room) {
        int s = counts_resize(ctx, c, 2 * c->room);
        if (s < 0) return s;
    }
    id += !id;
    uint64_t i = place(c, id);
    c->used += !c->id[i];
    c->id[i] = id;
    c->n[i] += c->n[i] < UINT32_MAX;
    c->total++;
    return LEAT_OK;
}

static uint32_t counted(const struct counts *c, uint64_t id)
{
    uint64_t i = place(c, id + !id);
    return c->id[i] ? c->n[i] : 0;
}

static uint64_t pair_id(const struct cfg *cfg, uint64_t first, uint64_t second)
{
    return feature_id_and2(first, cfg->ordered ? feature_id_part(second) : second);
}

/* Counts the tokens of a record and leaves their parts in st->row; how many, or a failure. */
static int count_tokens(struct leat_ctx *ctx, struct pmi *st, const char *text, size_t len)
{
    int64_t most = ((const struct cfg *)ctx->cfg)->max_tokens;
    struct token t;
    size_t at = 0;
    int n = 0, s = LEAT_OK;
    while (s >= 0 && n < most && tokens_next(&st->opt, text, len, &at, &t)) {
        const char *token = text + t.off;
        if (!t.as_is) {
            t.len = tokens_form(&st->opt, token, t.len, st->form);
            token = st->form;
        }
        uint64_t id = feature_id_name(token, t.len);
        st->row[n++] = feature_id_part(id);
        s = count(ctx, &st->tokens, id);
    }
    return s < 0 ? s : n;
}

static int process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    struct pmi *st = self;
    const struct cfg *cfg = ctx->cfg;
    for (LEAT_EACH_RECORD(b, r)) {
        struct leat_str text = b->column[st->column].text[r];
        if (text.len == LEAT_NULL) continue;
        int n = count_tokens(ctx, st, leat_text(b, text), text.len), s = n;
        for (int i = 0; i < n; i++)
            for (int j = i + 1; s >= 0 && j < n && j - i < (int)st->window; j++)
                s = count(ctx, &st->pairs, pair_id(cfg, st->row[i], st->row[j]));
        if (s < 0) return s;
    }
    return LEAT_OK;
}

/* ---- judging ---- */

/* Fill p from its name "u & v". Tokens hold no blanks, so the first one ends u. */
static void judge(const struct pmi *st, const struct cfg *cfg, struct pair *p)
{
    const char *blank = memchr(p->name, ' ', p->len);
    size_t u = blank ? (size_t)(blank - p->name) : p->len;
    p->exact = NAN;
    if (u + 3 >= p->len || memcmp(blank, " & ", 3) != 0) return;
    uint64_t first = feature_id_name(p->name, u);
    uint64_t second = feature_id_name(p->name + u + 3, p->len - u - 3);
    p->n = counted(&st->pairs, pair_id(cfg, feature_id_part(first), feature_id_part(second)));
    p->of[0] = counted(&st->tokens, first);
    p->of[1] = counted(&st->tokens, second);
    if (!p->n || !p->of[0] || !p->of[1]) return;
    double N = (double)st->tokens.total, M = (double)st->pairs.total;
    double chance = (p->of[0] / N) * (p->of[1] / N);
    if (!cfg->ordered && first != second) chance *= 2;
    p->exact = log(p->n / M / chance);
}

static int by_estimate(const void *a, const void *b)
{
    double x = ((const struct pair *)a)->estimate, y = ((const struct pair *)b)->estimate;
    return (x < y) - (x > y);
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

struct verdict {
    uint32_t n;
    double pearson, error; /* median of |estimate - exact| */
};

/* Of the pairs that came at all and whose estimate is above `above`. */
static struct verdict verdict(struct pmi *st, uint32_t n, double above)
{
    double x = 0, y = 0, xx = 0, yy = 0, xy = 0;
    struct verdict v = {0, NAN, NAN};
    for (int pass = 0; pass < 2; pass++) /* means, then sums about them */
        for (uint32_t i = v.n = 0; i < n; i++) {
            const struct pair *p = &st->pair[i];
            if (isnan(p->exact) || !(p->estimate > above)) continue;
            double dx = p->estimate - (pass ? x : 0), dy = p->exact - (pass ? y : 0);
            st->scratch[v.n++] = fabs(p->estimate - p->exact);
            if (pass) {
                xx += dx * dx, yy += dy * dy, xy += dx * dy;
            } else { /* running means */
                x += (dx - x) / v.n, y += (dy - y) / v.n;
            }
        }
    if (!v.n) return v;
    qsort(st->scratch, v.n, sizeof *st->scratch, by_value);
    v.error = (st->scratch[(v.n - 1) / 2] + st->scratch[v.n / 2]) / 2;
    if (xx > 0 && yy > 0) v.pearson = xy / sqrt(xx * yy);
    return v;
}

/* ---- showing ---- */

enum { CELL = 64 };

static void put_right(struct text_out *o, const char *s, size_t n, size_t width)
{
    text_pad(o, width > n ? width - n : 0);
    text_bytes(o, s, n);
}

static void put_number(struct text_out *o, double x, size_t width)
{
    char cell[CELL];
    int n = isnan(x) ? snprintf(cell, sizeof cell, "-") : snprintf(cell, sizeof cell, "%.3f", x);
    put_right(o, cell, (size_t)n, width);
}

static void put_count(struct text_out *o, uint64_t x, size_t width)
{
    char cell[CELL];
    put_right(o, cell, text_format_grouped(cell, x), width);
}

static void put_verdict(struct leat_ctx *ctx, struct out *out, const char *which,
                        const struct verdict *v)
{
    struct text_out *o = &out->text;
    put_count(o, v->n, 7);
    text_str(o, which);
    put_number(o, v->pearson, 7);
    text_str(o, ", median absolute error");
    put_number(o, v->error, 6);
    out_line(ctx, out);
}

static int show_table(struct leat_ctx *ctx, struct pmi *st, uint32_t n, const struct verdict v[2])
{
    struct text_out *o = &st->out.text;
    text_str(o, "Pairs by pointwise mutual information, estimated and from exact counts of ");
    put_count(o, st->tokens.total, 0);
    text_str(o, " tokens");
    out_line(ctx, &st->out);
    text_str(o, "estimate    exact      count    count u    count v  pair");
    out_line(ctx, &st->out);
    for (uint32_t i = 0; i < n && i < ((const struct cfg *)ctx->cfg)->k; i++) {
        const struct pair *p = &st->pair[i];
        put_number(o, p->estimate, 8);
        put_number(o, p->exact, 9);
        put_count(o, p->n, 11);
        put_count(o, p->of[0], 11);
        put_count(o, p->of[1], 11);
        text_pad(o, 2);
        text_shown(o, p->name, p->len, 0);
        out_line(ctx, &st->out);
    }
    put_verdict(ctx, &st->out, " pairs above 0: Pearson", &v[0]);
    put_verdict(ctx, &st->out, " pairs in all:  Pearson", &v[1]);
    return LEAT_OK;
}

static void put_member(struct text_out *o, const char *name, double x)
{
    text_str(o, ",\"");
    text_str(o, name);
    text_str(o, "\":");
    text_json_double(o, x);
}

static int show_jsonl(struct leat_ctx *ctx, struct pmi *st, const struct leat_table *t, uint32_t n,
                      const struct verdict v[2])
{
    struct text_out *o = &st->out.text;
    out_json_head(o, t);
    put_member(o, "tokens", (double)st->tokens.total);
    put_member(o, "pairs", (double)st->pairs.total);
    put_member(o, "distinct_tokens", (double)st->tokens.used);
    put_member(o, "distinct_pairs", (double)st->pairs.used);
    put_member(o, "positive", v[0].n);
    put_member(o, "pearson", v[0].pearson);
    put_member(o, "median_absolute_error", v[0].error);
    put_member(o, "judged", v[1].n);
    put_member(o, "pearson_all", v[1].pearson);
    put_member(o, "median_absolute_error_all", v[1].error);
    text_str(o, ",\"top\":[");
    for (uint32_t i = 0; i < n && i < ((const struct cfg *)ctx->cfg)->k; i++) {
        const struct pair *p = &st->pair[i];
        text_str(o, i ? ",{\"pair\":" : "{\"pair\":");
        text_json(o, p->name, p->len);
        put_member(o, "estimate", p->estimate);
        put_member(o, "exact", p->exact);
        put_member(o, "count", p->n);
        put_member(o, "count_u", p->of[0]);
        put_member(o, "count_v", p->of[1]);
        text_char(o, '}');
    }
    text_str(o, "]}");
    return out_line(ctx, &st->out);
}

static int show_csv(struct leat_ctx *ctx, struct pmi *st, uint32_t n)
{
    struct text_out *o = &st->out.text;
    if (st->out.fresh) {
        text_str(o, "pair,estimate,exact,count,count_u,count_v");
        out_line(ctx, &st->out);
    }
    for (uint32_t i = 0; i < n; i++) {
        const struct pair *p = &st->pair[i];
        text_csv(o, p->name, p->len, ',');
        text_char(o, ',');
        text_double(o, p->estimate);
        text_char(o, ',');
        if (!isnan(p->exact)) text_double(o, p->exact);
        for (int j = 0; j < 3; j++) {
            text_char(o, ',');
            text_uint(o, j ? p->of[j - 1] : p->n);
        }
        int s = out_line(ctx, &st->out);
        if (s < 0) return s;
    }
    return LEAT_OK;
}

static int show(struct leat_ctx *ctx, void *self, const struct leat_table *t)
{
    struct pmi *st = self;
    const struct cfg *cfg = ctx->cfg;
    uint32_t n = t->n_columns ? t->n_rows : 0;
    for (uint32_t i = 0; i < n; i++) {
        st->pair[i] = (struct pair){.name = t->names[i],
                                    .len = t->name_len[i],
                                    .estimate = t->values[(size_t)i * t->n_columns]};
        judge(st, cfg, &st->pair[i]);
    }
    if (n) qsort(st->pair, n, sizeof *st->pair, by_estimate);
    struct verdict v[2] = {verdict(st, n, 0), verdict(st, n, -INFINITY)};
    ctx->host->metric(ctx, "pairs", v[0].n);
    ctx->host->metric(ctx, "pearson", v[0].pearson);
    ctx->host->metric(ctx, "median_absolute_error", v[0].error);
    int s = cfg->format == TABLE   ? show_table(ctx, st, n, v)
            : cfg->format == JSONL ? show_jsonl(ctx, st, t, n, v)
                                   : show_csv(ctx, st, n);
    return s < 0 ? s : out_flush(ctx, &st->out);
}

/* ---- life ---- */

static void close_pmi(struct leat_ctx *ctx, void *self)
{
    struct pmi *st = self;
    const struct leat_host *h = ctx->host;
    h->free(ctx, st->scratch);
    h->free(ctx, st->pair);
    h->free(ctx, st->form);
    h->free(ctx, st->row);
    h->free(ctx, st->pairs.id);
    h->free(ctx, st->pairs.n);
    h->free(ctx, st->tokens.id);
    h->free(ctx, st->tokens.n);
    out_close(ctx, &st->out);
}

static int open_pmi(struct leat_ctx *ctx, void *self)
{
    const struct cfg *cfg = ctx->cfg;
    const struct leat_host *h = ctx->host;
    struct pmi *st = self;
    int s = out_open(ctx, &st->out, cfg->path, cfg->append);
    if (s < 0) return s;
    st->opt = (struct tokens_options){.rule = (enum tokens_rule)cfg->rule,
                                      .lower = cfg->lower,
                                      .max_bytes = (uint32_t)cfg->max_bytes};
    while (st->column < ctx->in->n_columns &&
           strcmp(ctx->in->column[st->column].name, cfg->column) != 0)
        st->column++;
    st->window = (uint32_t)cfg->window;
    st->row = h->alloc(ctx, (size_t)cfg->max_tokens * sizeof *st->row);
    st->form = h->alloc(ctx, (size_t)cfg->max_bytes);
    st->pair = h->alloc(ctx, (size_t)cfg->top * sizeof *st->pair);
    st->scratch = h->alloc(ctx, (size_t)cfg->top * sizeof *st->scratch);
    if (!st->row || !st->form || !st->pair || !st->scratch)
        s = h->fail(ctx, LEAT_ENOMEM, "no memory to judge %lld pairs", (long long)cfg->top);
    if (s >= 0) s = counts_resize(ctx, &st->tokens, 1024);
    if (s >= 0) s = counts_resize(ctx, &st->pairs, 1024);
    if (s < 0) close_pmi(ctx, self);
    return s;
}

const struct leat_stage eval_pmi = {
    .name = "eval.pmi",
    .summary = "judges estimates of pointwise mutual information by exact counts",
    .doc =
        "Counts all tokens and all pairs within the window exactly, asks the learner at the end "
        "for "
        "its `top` heaviest pairs (feature.pairs), and compares each weight with\n"
        "    PMI(u, v) = log (n(u, v) / M) / (n(u)/N n(v)/N),\n"
        "N tokens, M pairs (without `ordered`, the denominator counts twice where u and v differ): "
        "the largest estimates, Pearson's correlation and the median absolute error, once of the "
        "pairs with an estimate above 0 and once of all. Pairs of chance that never came have no "
        "PMI and are left out of these. It takes memory for every distinct pair, which is what "
        "the sketch saves: for evaluation, not for streams without end.",
    .example = "leat.eval.pmi { k = 20, lower = true, window = 6 }",
    .kind = LEAT_SINK,
    .caps = LEAT_STATEFUL,
    .needs = LEAT_HAS_COLUMNS,
    LEAT_PARAMS(params),
    .cfg_size = sizeof(struct cfg),
    .instance_size = sizeof(struct pmi),
    .validate = validate,
    .negotiate = negotiate,
    .plan = plan,
    .ask = ask,
    .open = open_pmi,
    .close = close_pmi,
    .start = out_start_call,
    .stop = out_stop,
    .process = process,
    .tick = out_tick,
    .barrier = out_barrier,
    .show = show,
};
