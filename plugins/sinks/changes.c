/* changes.c -- sink.changes: what enters and leaves the heaviest features of a learner.
 *
 * It keeps the features of the previous report, sorted by name, and walks the two sorted lists in
 * step. Both lists are allocated in open: nothing grows.
 *
 * State: that report, so that a run that continues writes what an unbroken one would have written.
 *
 * Nothing flows through this sink: it has no process(), it only asks. */
#include <stdlib.h>

#include "sinks/docs.h"
#include "support/asked.h"
#include "support/reports.h"
#include "support/state_fields.h"

enum { STATE_VERSION = 2 };
enum { NAME_BYTES = 512 }; /* of the longest name in an answer */

struct cfg {
    struct asked asked;
    int32_t final, reserved;
    double weight_change;
};

/* A feature of a report; `weight` is the one written last, `name` has NAME_BYTES. */
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
    struct reports reports;
    struct list before, now;
    uint32_t entered, left; /* in all, for the summary                                */
    uint32_t reported;      /* a report was written, by this run or the one before it */
};

static const struct leat_param params[] = {
    ASKED_PARAMS(1e5, "how many of the heaviest features are watched", "10000", ASKED_ALSO_AT_END),
    REPORT_PARAM("table", "table: for people; jsonl: one object a change; csv: one line a change"),
    LEAT_PARAM(
        struct cfg, weight_change, LEAT_FLOAT, .def = "0", .min = 0, .max = 1e9,
        .doc =
            "also write features that stay once their weight has moved by more than this; 0: no"),
    LEAT_PARAM(struct cfg, final, LEAT_BOOL, .def = "true",
               .doc = "at the end write the features of the last list, as change = final"),
    OUT_PARAMS,
};

static size_t list_bytes(const struct cfg *cfg)
{
    return (size_t)cfg->asked.k * (sizeof(struct member) + NAME_BYTES);
}

static int plan(const void *config, const struct leat_schema *in, const struct leat_schema *out,
                struct leat_plan *p)
{
    int status = out_plan(config, in, out, p);
    p->work_bytes += 2 * list_bytes(config);
    return status;
}

/* ---- lists ---- */

static void close_changes(struct leat_ctx *ctx, void *self)
{
    struct changes *st = self;
    ctx->host->free(ctx, st->before.member);
    ctx->host->free(ctx, st->now.member);
    out_close(ctx, self);
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
    int status = out_open(ctx, self);
    if (status != LEAT_OK) return status;
    if (open_list(ctx, &st->before) == LEAT_OK && open_list(ctx, &st->now) == LEAT_OK)
        return LEAT_OK;
    close_changes(ctx, self);
    return ctx->host->fail(ctx, LEAT_ENOMEM, "there is not enough memory for %lld features",
                           (long long)cfg->asked.k);
}

static int start(struct leat_ctx *ctx, void *self)
{
    struct changes *st = self;
    int status = reports_start(ctx, &st->reports, NULL);
    st->reports.report.terminal = 0; /* a changelog keeps its names whole */
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

static void take_answer(struct list *l, const struct leat_table *t, uint32_t max)
{
    uint32_t column = weight_column(t);
    l->n = t->n_rows < max ? t->n_rows : max;
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
    const struct report_value value[COLUMNS] = {[EXAMPLES] = report_count(c->examples),
                                                [CHANGE] = report_word(c->what),
                                                [FEATURE] =
                                                    report_text(c->member->name, c->member->len),
                                                [WEIGHT] = report_number(c->member->weight)};
    return value[column];
}

static const struct report_list lines = {.column = columns, .n_columns = COLUMNS, .cell = cell};

/* One line; none, but the heading where it is missing, when there is not a member. */
static int write_change(struct leat_ctx *ctx, struct changes *st, const struct leat_table *t,
                        const char *what, const struct member *m)
{
    const struct change change = {t->examples, what, m};
    reports_rows(&st->reports, &lines, m != NULL, &change);
    return out_result(ctx, &st->reports.out, st->reports.out.text.failed);
}

/* ---- a report ---- */

/* One feature that is in both lists. */
static int write_move(struct leat_ctx *ctx, struct changes *st, const struct leat_table *t,
                      const struct member *before, struct member *now)
{
    const struct cfg *cfg = ctx->cfg;
    if (cfg->weight_change > 0 && fabs(now->weight - before->weight) > cfg->weight_change)
        return write_change(ctx, st, t, "weight", now);
    now->weight = before->weight; /* a slow drift shows once it has come far enough */
    return LEAT_OK;
}

static int compare_lists(struct leat_ctx *ctx, struct changes *st, const struct leat_table *t)
{
    struct list *a = &st->before, *b = &st->now;
    uint32_t i = 0, j = 0;
    int status = LEAT_OK;
    while (status >= 0 && (i < a->n || j < b->n)) {
        int by = i == a->n ? 1 : j == b->n ? -1 : compare_names(&a->member[i], &b->member[j]);
        if (by < 0) {
            status = write_change(ctx, st, t, "left", &a->member[i++]);
            st->left++;
        } else if (by > 0) {
            status = write_change(ctx, st, t, "entered", &b->member[j++]);
            st->entered++;
        } else {
            status = write_move(ctx, st, t, &a->member[i++], &b->member[j++]);
        }
    }
    return status;
}

/* Weights as they are now, heaviest first; the lists are no longer sorted by name afterwards. */
static int write_final(struct leat_ctx *ctx, struct changes *st, const struct leat_table *t)
{
    const struct cfg *cfg = ctx->cfg;
    int status = LEAT_OK;
    take_answer(&st->now, t, (uint32_t)cfg->asked.k);
    qsort(st->now.member, st->now.n, sizeof *st->now.member, by_rank);
    for (uint32_t i = 0; i < st->now.n && status >= 0; i++)
        status = write_change(ctx, st, t, "final", &st->now.member[i]);
    return status;
}

static int show(struct leat_ctx *ctx, void *self, const struct leat_table *t)
{
    const struct cfg *cfg = ctx->cfg;
    struct changes *st = self;
    struct report_head head;
    answer_report_head(&head, t);
    head.n = ANSWER_SECONDS;                        /* learner and examples */
    st->reports.report.headed |= st->reported != 0; /* in the run before this one */
    report_begin(&st->reports.report, &head);
    take_answer(&st->now, t, (uint32_t)cfg->asked.k);
    int status = write_change(ctx, st, t, NULL, NULL);
    if (status >= 0) status = compare_lists(ctx, st, t);
    if (status >= 0 && t->last && cfg->final) status = write_final(ctx, st, t);
    report_end(&st->reports.report);
    st->reported = 1;
    struct list swap = st->before;
    st->before = st->now;
    st->now = swap;
    ctx->host->metric(ctx, "entered", st->entered);
    ctx->host->metric(ctx, "left", st->left);
    return status < 0 ? status : out_flush(ctx, &st->reports.out);
}

/* ---- state: the previous report, in its order ---- */

#define AT(member) STATE_MEMBER(struct changes, member)
static const struct state_field fields[] = {
    {"reports", STATE_VALUE, .at = AT(reported)},
    {"entered", STATE_VALUE, .at = AT(entered)},
    {"left", STATE_VALUE, .at = AT(left)},
};
#undef AT

/* The list, as a snapshot has it. */
struct saved {
    uint32_t k, features, max_bytes, name_bytes;
    double *weight;
    uint32_t *name_size;
    uint8_t *name; /* one after another */
};

#define AT(member) STATE_MEMBER(struct saved, member)
static const struct state_field list_fields[] = {
    {"features", STATE_VALUE, .at = AT(features), .limit = AT(k), .hint = "k"},
    {"name_bytes", STATE_VALUE, .at = AT(name_bytes), .limit = AT(max_bytes)},
    {"weights", STATE_LENT, .at = AT(weight), .count = {AT(features)}},
    {"name_sizes", STATE_LENT, .at = AT(name_size), .max = NAME_BYTES, .count = {AT(features)}},
    {"names", STATE_LENT, .at = AT(name), .count = {AT(name_bytes)}},
};
#undef AT

static int snapshot(struct leat_ctx *ctx, void *self, struct leat_writer *w)
{
    const struct changes *st = self;
    const struct list *l = &st->before;
    const struct leat_host *h = ctx->host;
    struct saved s = {.features = l->n};
    s.weight = h->alloc(ctx, (l->n + 1) * sizeof *s.weight);
    s.name_size = h->alloc(ctx, (l->n + 1) * sizeof *s.name_size);
    s.name = h->alloc(ctx, (size_t)l->n * NAME_BYTES + 1);
    int status = s.weight && s.name_size && s.name ? LEAT_OK : LEAT_ENOMEM;
    for (uint32_t i = 0; i < l->n && status == LEAT_OK; i++) {
        s.weight[i] = l->member[i].weight;
        s.name_size[i] = l->member[i].len;
        memcpy(s.name + s.name_bytes, l->member[i].name, l->member[i].len);
        s.name_bytes += l->member[i].len;
    }
    out_snapshot(ctx, self, w);
    if (status == LEAT_OK) status = state_write(w, STATE_TABLE(fields), st);
    if (status == LEAT_OK) status = state_write(w, STATE_TABLE(list_fields), &s);
    h->free(ctx, s.name);
    h->free(ctx, s.name_size);
    h->free(ctx, s.weight);
    return status;
}

static int restore(struct leat_ctx *ctx, void *self, struct leat_reader *r, uint32_t version)
{
    const struct cfg *cfg = ctx->cfg;
    struct changes *st = self, now = *st;
    struct list *l = &st->before;
    uint32_t k = (uint32_t)cfg->asked.k;
    struct saved s = {.k = k, .max_bytes = k * NAME_BYTES};
    uint64_t bytes = 0;
    if (state_check_version(r, version, STATE_VERSION) != LEAT_OK ||
        state_read(r, STATE_TABLE(fields), &now) != LEAT_OK ||
        state_read(r, STATE_TABLE(list_fields), &s) != LEAT_OK ||
        out_restore(ctx, self, r, version) != LEAT_OK)
        return LEAT_EDATA;
    for (uint32_t i = 0; i < s.features; i++)
        bytes += s.name_size[i];
    if (bytes != s.name_bytes)
        return r->refuse(r, "name_sizes add up to %llu, names has %u bytes",
                         (unsigned long long)bytes, s.name_bytes);
    for (l->n = 0; l->n < s.features; s.name += s.name_size[l->n++]) {
        char *name = l->text + (size_t)l->n * NAME_BYTES;
        memcpy(name, s.name, s.name_size[l->n]);
        l->member[l->n] = (struct member){s.weight[l->n], s.name_size[l->n], l->n, name};
    }
    st->reported = now.reported;
    st->entered = now.entered;
    st->left = now.left;
    return LEAT_OK;
}

const struct leat_stage sink_changes = {
    .name = "sink.changes",
    .summary = "writes which features enter and leave a learner's heaviest",
    .doc = changes_doc,
    .example = "leat.sink.changes { k = 50, every = 100000, format = \"jsonl\" }",
    .kind = LEAT_SINK,
    LEAT_PARAMS(params, struct cfg),
    LEAT_INSTANCE(struct changes, open_changes, close_changes),
    .validate = asked_validate,
    .plan = plan,
    .ask = asked_top,
    .start = start,
    .stop = out_stop,
    .barrier = out_barrier,
    .show = show,
    LEAT_STATE(STATE_VERSION, snapshot, restore),
};
