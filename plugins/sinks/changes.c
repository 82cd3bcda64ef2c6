/* changes.c -- sink.changes: what enters and leaves the heaviest features of a learner.
 *
 * It keeps the features of the report before, sorted by name, and walks the two sorted lists side
 * by side. Both lists are taken in open: nothing grows.
 *
 * State: that report, so that a run that goes on writes what an unbroken one would have.
 *
 * Nothing flows through this sink: it has no process(), it only asks. */
#include <stdlib.h>

#include "support/asked.h"
#include "support/reports.h"

enum { NAME_BYTES = 512 }; /* as long as an answer's names get */

struct cfg {
    const char *path;
    int32_t append;
    int32_t format;
    int32_t final, reserved;
    struct asked asked;
    double weight_change;
};

/* A feature of a report; `weight` is the one that was written last, `name` of fixed room. */
struct member {
    double weight;
    uint32_t len;
    uint32_t row; /* in its report: rank - 1 */
    char *name;
};

struct list {
    struct member *member; /* k, sorted by name */
    char *text;            /* k × NAME_BYTES    */
    uint32_t n;
};

struct changes {
    struct out out;
    struct report report;
    struct list before, now;
    uint32_t entered, left; /* in all, for the summary */
    int reports;
};

static const struct leat_param params[] = {
    ASKED_PARAMS(struct cfg, 1e5, "how many of the heaviest are watched", "10000",
                 "how often: a time (\"10s\") or a number of examples; always once at the end"),
    REPORT_PARAM(struct cfg, "table",
                 "table: for people; jsonl: one object a change; csv: one line a change"),
    {.name = "weight_change",
     .type = LEAT_FLOAT,
     .offset = offsetof(struct cfg, weight_change),
     .def = "0",
     .min = 0,
     .max = 1e9,
     .doc = "also write features that stay, once their weight has moved by more than this; 0: no"},
    {.name = "final",
     .type = LEAT_BOOL,
     .offset = offsetof(struct cfg, final),
     .def = "true",
     .doc = "at the end write the features that are there, as change = final"},
    OUT_PARAMS(struct cfg),
};

static int validate(const void *config, struct leat_diag *d)
{
    const struct cfg *cfg = config;
    out_validate(cfg->path, d);
    asked_validate(&cfg->asked, d);
    return LEAT_OK;
}

static size_t list_bytes(const struct cfg *cfg)
{
    return (size_t)cfg->asked.k * (sizeof(struct member) + NAME_BYTES);
}

static int plan(const void *config, const struct leat_schema *in, const struct leat_schema *out,
                struct leat_plan *p)
{
    (void)in;
    (void)out;
    p->work_bytes = OUT_BUFFER + 2 * list_bytes(config);
    return LEAT_OK;
}

static int ask(const void *config, struct leat_ask *a)
{
    return asked_top(&((const struct cfg *)config)->asked, a);
}

/* ---- lists ---- */

static void close_changes(struct leat_ctx *ctx, void *self)
{
    struct changes *st = self;
    ctx->host->free(ctx, st->before.member);
    ctx->host->free(ctx, st->now.member);
    out_close(ctx, &st->out);
}

static int open_list(struct leat_ctx *ctx, struct list *l)
{
    const struct cfg *cfg = ctx->cfg;
    l->member = ctx->host->alloc(ctx, list_bytes(cfg));
    if (!l->member) return LEAT_ENOMEM;
    l->text = (char *)(l->member + cfg->asked.k);
    return LEAT_OK;
}

static int open_changes(struct leat_ctx *ctx, void *self)
{
    const struct cfg *cfg = ctx->cfg;
    struct changes *st = self;
    int status = out_open(ctx, &st->out, cfg->path, cfg->append);
    if (status != LEAT_OK) return status;
    if (open_list(ctx, &st->before) == LEAT_OK && open_list(ctx, &st->now) == LEAT_OK)
        return LEAT_OK;
    close_changes(ctx, self);
    return ctx->host->fail(ctx, LEAT_ENOMEM, "no memory for %lld features",
                           (long long)cfg->asked.k);
}

static int start(struct leat_ctx *ctx, void *self)
{
    const struct cfg *cfg = ctx->cfg;
    struct changes *st = self;
    int status = out_begin(ctx, &st->out);
    st->report = reports_to(&st->out, cfg->format, NULL);
    st->report.terminal = 0; /* a changelog keeps its names whole */
    return status;
}

static int compare_names(const struct member *a, const struct member *b)
{
    int by = memcmp(a->name, b->name, a->len < b->len ? a->len : b->len);
    return by ? by : (a->len > b->len) - (a->len < b->len);
}

static int by_name(const void *a, const void *b)
{
    const struct member *x = a, *y = b;
    int by = compare_names(x, y);
    return by ? by : (x->row > y->row) - (x->row < y->row);
}

static int by_rank(const void *a, const void *b)
{
    const struct member *x = a, *y = b;
    return (x->row > y->row) - (x->row < y->row);
}

static uint32_t weight_column(const struct leat_table *t)
{
    uint32_t c = 0;
    while (c + 1 < t->n_columns && strcmp(t->columns[c], "weight"))
        c++;
    return c;
}

static void take(struct list *l, const struct leat_table *t, uint32_t most)
{
    uint32_t column = weight_column(t);
    l->n = t->n_rows < most ? t->n_rows : most;
    for (uint32_t r = 0; r < l->n; r++) {
        char *name = l->text + (size_t)r * NAME_BYTES;
        uint32_t len = t->name_len[r] < NAME_BYTES ? t->name_len[r] : NAME_BYTES;
        memcpy(name, t->names[r], len);
        double w = t->n_columns ? t->values[(size_t)r * t->n_columns + column] : (double)NAN;
        l->member[r] = (struct member){w, len, r, name};
    }
    qsort(l->member, l->n, sizeof *l->member, by_name);
}

/* ---- lines ---- */

enum { EXAMPLES, CHANGE, FEATURE, WEIGHT, COLUMNS };

/* The width of a column is that of any report, as a heading is written once for all of them. */
static const struct report_column columns[COLUMNS] = {
    [EXAMPLES] = {.name = "examples", .type = REPORT_COUNT, .in = REPORT_IN_TABLE, .width = 12},
    [CHANGE] = {.name = "change", .type = REPORT_WORD, .width = 7},
    [FEATURE] = {.name = "feature", .type = REPORT_NAME},
    [WEIGHT] = {.name = "weight", .type = REPORT_NUMBER, .decimals = 3, .width = 9}};

struct change {
    uint64_t examples;
    const char *what;
    const struct member *member;
};

static struct report_value cell(const void *of, uint32_t row, uint32_t column)
{
    const struct change *c = of;
    (void)row;
    switch (column) {
    case EXAMPLES:
        return report_count(c->examples);
    case CHANGE:
        return report_word(c->what);
    case FEATURE:
        return report_text(c->member->name, c->member->len);
    default:
        return report_number(c->member->weight);
    }
}

/* One line; none, but the heading where it is missing, when there is no member. */
static int write_change(struct leat_ctx *ctx, struct changes *st, const struct leat_table *t,
                        const char *what, const struct member *m)
{
    const struct change change = {t->examples, what, m};
    report_rows(&st->report, &(struct report_list){.column = columns,
                                                   .n_columns = COLUMNS,
                                                   .n_rows = m != NULL,
                                                   .cell = cell,
                                                   .of = &change});
    return out_result(ctx, &st->out, st->out.text.failed);
}

/* ---- a report ---- */

static int moved(const struct cfg *cfg, double before, double now)
{
    return cfg->weight_change > 0 && fabs(now - before) > cfg->weight_change;
}

/* One feature that is in both lists. */
static int stays(struct leat_ctx *ctx, struct changes *st, const struct leat_table *t,
                 const struct member *before, struct member *now)
{
    if (moved(ctx->cfg, before->weight, now->weight))
        return write_change(ctx, st, t, "weight", now);
    now->weight = before->weight; /* a slow drift shows once it has come far enough */
    return LEAT_OK;
}

static int compare_lists(struct leat_ctx *ctx, struct changes *st, const struct leat_table *t)
{
    struct list *a = &st->before, *b = &st->now;
    uint32_t i = 0, j = 0;
    int s = LEAT_OK;
    while (s >= 0 && (i < a->n || j < b->n)) {
        int by = i == a->n ? 1 : j == b->n ? -1 : compare_names(&a->member[i], &b->member[j]);
        if (by < 0) {
            s = write_change(ctx, st, t, "left", &a->member[i++]);
            st->left++;
        } else if (by > 0) {
            s = write_change(ctx, st, t, "entered", &b->member[j++]);
            st->entered++;
        } else {
            s = stays(ctx, st, t, &a->member[i++], &b->member[j++]);
        }
    }
    return s;
}

/* Weights as they are now, heaviest first. The lists are of no more use after that. */
static int write_final(struct leat_ctx *ctx, struct changes *st, const struct leat_table *t)
{
    const struct cfg *cfg = ctx->cfg;
    int s = LEAT_OK;
    take(&st->now, t, (uint32_t)cfg->asked.k);
    qsort(st->now.member, st->now.n, sizeof *st->now.member, by_rank);
    for (uint32_t i = 0; i < st->now.n && s >= 0; i++)
        s = write_change(ctx, st, t, "final", &st->now.member[i]);
    return s;
}

static int show(struct leat_ctx *ctx, void *self, const struct leat_table *t)
{
    const struct cfg *cfg = ctx->cfg;
    struct changes *st = self;
    struct report_head head;
    answer_report_head(&head, t);
    head.n = ANSWER_SECONDS;               /* learner and examples */
    st->report.headed |= st->reports != 0; /* in the run before this one */
    report_begin(&st->report, &head);
    take(&st->now, t, (uint32_t)cfg->asked.k);
    int s = write_change(ctx, st, t, NULL, NULL);
    if (s >= 0) s = compare_lists(ctx, st, t);
    if (s >= 0 && t->last && cfg->final) s = write_final(ctx, st, t);
    report_end(&st->report);
    st->reports = 1;
    struct list swap = st->before;
    st->before = st->now;
    st->now = swap;
    ctx->host->metric(ctx, "entered", st->entered);
    ctx->host->metric(ctx, "left", st->left);
    return s < 0 ? s : out_flush(ctx, &st->out);
}

/* ---- state: the report before, in its order ---- */

static int snapshot(struct leat_ctx *ctx, void *self, struct leat_writer *w)
{
    const struct changes *st = self;
    const struct list *l = &st->before;
    const struct leat_host *h = ctx->host;
    double *weight = h->alloc(ctx, (l->n + 1) * sizeof *weight);
    uint32_t *size = h->alloc(ctx, (l->n + 1) * sizeof *size), bytes = 0;
    char *text = h->alloc(ctx, (size_t)l->n * NAME_BYTES + 1);
    int s = weight && size && text ? LEAT_OK : LEAT_ENOMEM;
    for (uint32_t i = 0; i < l->n && s == LEAT_OK; i++) {
        weight[i] = l->member[i].weight;
        size[i] = l->member[i].len;
        memcpy(text + bytes, l->member[i].name, size[i]);
        bytes += size[i];
    }
    out_snapshot(&st->out, w);
    w->u64(w, "reports", (uint64_t)st->reports);
    w->u64(w, "entered", st->entered);
    w->u64(w, "left", st->left);
    if (s == LEAT_OK) s = w->array(w, "weights", LEAT_F64, weight, l->n);
    if (s == LEAT_OK) s = w->array(w, "name_sizes", LEAT_U32, size, l->n);
    if (s == LEAT_OK) s = w->array(w, "names", LEAT_U8, text, bytes);
    h->free(ctx, text);
    h->free(ctx, size);
    h->free(ctx, weight);
    return s;
}

/* What was read, checked before anything of it is taken over. */
struct saved_list {
    const double *weight;
    const uint32_t *size;
    const char *text;
    uint64_t n, bytes;
};

static int read_report(struct leat_reader *r, int64_t max, struct saved_list *p)
{
    const void *weight, *size, *text;
    uint64_t sizes = 0, sum = 0;
    *p = (struct saved_list){0};
    if (r->array(r, "weights", LEAT_F64, &weight, &p->n) != LEAT_OK ||
        r->array(r, "name_sizes", LEAT_U32, &size, &sizes) != LEAT_OK ||
        r->array(r, "names", LEAT_U8, &text, &p->bytes) != LEAT_OK)
        return LEAT_EDATA;
    p->weight = weight, p->size = size, p->text = text;
    if (p->n > (uint64_t)max || sizes != p->n)
        return r->refuse(r, "weights are %llu and name_sizes %llu, k is %lld here",
                         (unsigned long long)p->n, (unsigned long long)sizes, (long long)max);
    for (uint64_t i = 0; i < p->n; i++) {
        if (p->size[i] > NAME_BYTES)
            return r->refuse(r, "name_sizes has a name of %u bytes", p->size[i]);
        sum += p->size[i];
    }
    return sum == p->bytes ? LEAT_OK : r->refuse(r, "name_sizes do not add up to names");
}

static int restore(struct leat_ctx *ctx, void *self, struct leat_reader *r, uint32_t version)
{
    const struct cfg *cfg = ctx->cfg;
    struct changes *st = self;
    struct list *l = &st->before;
    struct saved_list p;
    uint64_t reports = 0, entered = 0, left = 0;
    (void)version;
    if (r->u64(r, "reports", &reports) != LEAT_OK || r->u64(r, "entered", &entered) != LEAT_OK ||
        r->u64(r, "left", &left) != LEAT_OK || read_report(r, cfg->asked.k, &p) != LEAT_OK ||
        out_restore(&st->out, r) != LEAT_OK)
        return LEAT_EDATA;
    for (l->n = 0; l->n < p.n; p.text += p.size[l->n++]) {
        char *name = l->text + (size_t)l->n * NAME_BYTES;
        memcpy(name, p.text, p.size[l->n]);
        l->member[l->n] = (struct member){p.weight[l->n], p.size[l->n], l->n, name};
    }
    st->reports = reports != 0;
    st->entered = (uint32_t)entered;
    st->left = (uint32_t)left;
    return LEAT_OK;
}

const struct leat_stage sink_changes = {
    .name = "sink.changes",
    .summary = "writes which features enter and leave a learner's heaviest",
    .doc =
        "Asks a learner for its k heaviest features every so often and writes how they differ "
        "from those of the time before: entered, left (with the weight it had), and with "
        "weight_change also weight, for features that stayed while their weight moved. At the "
        "end the list as it is follows as final, heaviest first. Within a report features are in "
        "the order of their names (bytes). Of features whose names are equal, because they were "
        "cut or hashed, only their number is told apart.\n"
        "  table  examples, change, weight, feature\n"
        "  jsonl  {\"learner\", \"examples\", \"change\", \"feature\", \"weight\"}\n"
        "  csv    learner, examples, change, feature, weight, with a heading\n"
        "Replaying a changelog gives the features of any report. With --state a later run goes on "
        "from the report before. Memory: two lists of k names. "
        "Metrics: entered, left.",
    .example = "leat.sink.changes { k = 50, every = 100000, format = \"jsonl\" }",
    .kind = LEAT_SINK,
    LEAT_PARAMS(params),
    .cfg_size = sizeof(struct cfg),
    .instance_size = sizeof(struct changes),
    .validate = validate,
    .plan = plan,
    .ask = ask,
    .open = open_changes,
    .close = close_changes,
    .start = start,
    .stop = out_stop,
    .barrier = out_barrier,
    .show = show,
    .state_version = 1,
    .snapshot = snapshot,
    .restore = restore,
};
